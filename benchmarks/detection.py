"""Perspective detection on BeRDS: the human-labelled pairs, in a part to work on and a part that is held back.

    CONQRET_DATA=… python benchmarks/detection.py --part dev -o dev.tsv

prints how far the offline baseline agrees with people on the part, and writes its pairs for a model to be asked::

    conqret perspectives detect dev.tsv --labels label --model gpt-4o-mini -o runs/berds-dev
    conqret perspectives detect held.tsv --labels label --yes-from runs/berds-dev --model gpt-4o-mini -o runs/berds-held

A prompt is worked on with ``dev`` alone, two thirds of the questions, and frozen before anybody looks at ``held``.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import os
import sys
import tempfile
from pathlib import Path

from rich.console import Console

from conqret.perspectives.detection_study import detect
from conqret.perspectives.page import detection_tables

FILE = "berds/perspective_detection.tsv"
DEV = 2 / 3
"""The share of the questions, in the order of the SHA-256 of their texts, that are worked on."""
PARTS = ("dev", "held", "all")


def part_of(rows: list[dict[str, str]], part: str) -> list[dict[str, str]]:
    """The rows of ``part``, in their order."""
    questions = sorted(
        {row["question"] for row in rows}, key=lambda one: hashlib.sha256(one.encode()).digest()
    )
    dev = set(questions[: round(DEV * len(questions))])
    return [row for row in rows if part in (("dev" if row["question"] in dev else "held"), "all")]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--part", choices=PARTS, default="dev")
    parser.add_argument("-o", "--output", type=Path, help="where to write the pairs (.tsv)")
    args = parser.parse_args()
    source = Path(os.environ.get("CONQRET_DATA", "")) / FILE
    if not source.is_file():
        sys.exit(f"set CONQRET_DATA to the folder that holds {FILE}")
    with source.open(newline="", encoding="utf-8") as file:
        rows = part_of(list(csv.DictReader(file, delimiter="\t")), args.part)
    with tempfile.TemporaryDirectory(prefix="conqret-bench-") as folder:
        output = args.output or Path(folder) / "pairs.tsv"
        with output.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(rows[0]), delimiter="\t", lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
        outcome = detect(output, labels="label", output=Path(folder) / "run")
    for table in detection_tables(outcome.summary):
        Console().print(table)


if __name__ == "__main__":
    main()
