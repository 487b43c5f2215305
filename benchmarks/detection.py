"""Perspective detection on BeRDS: the human-labelled pairs, in a part to work on and a part that is held back.

    CONQRET_DATA=… python benchmarks/detection.py --part dev -o dev.tsv

writes the pairs of a part as ``conqret perspectives detect`` reads them. A prompt is worked on with ``dev`` alone, two
thirds of the questions, and frozen before anybody looks at ``held``.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import os
from pathlib import Path

FILE = "berds/perspective_detection.tsv"
DEV = 2 / 3
"""The share of the questions, in the order of the SHA-256 of their texts, that are worked on."""


def part_of(rows: list[dict[str, str]], part: str) -> list[dict[str, str]]:
    """The rows of ``part``, in their order."""
    questions = sorted(
        {row["question"] for row in rows}, key=lambda one: hashlib.sha256(one.encode()).digest()
    )
    dev = set(questions[: round(DEV * len(questions))])
    return [row for row in rows if (row["question"] in dev) == (part == "dev")]


def main() -> None:
    parser = argparse.ArgumentParser(description="The pairs of BeRDS with their labels, a part of them.")
    parser.add_argument("--part", choices=("dev", "held"), default="dev")
    parser.add_argument("-o", "--output", type=Path, required=True, help="the file of pairs to write (.tsv)")
    args = parser.parse_args()
    with (Path(os.environ["CONQRET_DATA"]) / FILE).open(newline="", encoding="utf-8") as file:
        rows = part_of(list(csv.DictReader(file, delimiter="\t")), args.part)
    with args.output.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), delimiter="\t")
        writer.writeheader()
        writer.writerows(rows)
    print(f"{args.part}: {len(rows)} pairs, {len({row['question'] for row in rows})} questions")


if __name__ == "__main__":
    main()
