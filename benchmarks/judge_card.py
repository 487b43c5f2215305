"""The judge cards of the offline baseline: on the fixtures, and on Webis-ArgQuality-20.

    python benchmarks/judge_card.py -o cards/

judges, probes, damages and validates with the commands of the package, and writes ``cards/demo/`` and, where
CONQRET_DATA names the folder that holds ``webis-argquality20/``, ``cards/webis/``: each with card.html, card.md and
card.json. The labels of the fixtures are the gold labels of their author; those of Webis are five annotators' relevance
of the premises (0 to 3), which stand in the items as documents (see ``webis_items.py``).
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from webis_items import data_folder, webis_items

from conqret.io.labels import read_labels

DEMO = Path(__file__).resolve().parent.parent / "fixtures" / "demo"
HEAD = ("item", "part", "dimension", "annotator", "value")
Row = tuple[str, str, str, str, str]


def demo_labels() -> Iterable[Row]:
    """The gold labels: quality from 1 to 3, relevance of documents from 0 to 3."""
    for line in (DEMO / "labels.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        for dimension, value in record["argument"]["quality"].items():
            yield record["id"], "", dimension, "author", str(value)
        for document in record["documents"]:
            yield record["id"], document["id"], "context_relevance", "author", str(document["relevance"])


def webis_labels(folder: Path) -> Iterable[Row]:
    """Five annotators' relevance of every document."""
    labels = read_labels(folder / "webis-argquality20-raw-relevance.csv")
    people: dict[str, list[tuple[str, float]]] = {}
    for label in labels.labels:
        if label.dimension == "relevance" and label.value is not None:
            people.setdefault(label.unit.item.rpartition("/")[2], []).append((label.annotator, label.value))
    for item in webis_items(folder)[0]:
        for document in item.documents:
            for person, value in dict(people.get(document.id, ())).items():
                yield item.id, document.id, "context_relevance", person, f"{value:g}"


def conqret(*arguments: object) -> None:
    subprocess.run([sys.executable, "-m", "conqret.cli.main", *map(str, arguments)], check=True)


def make(out: Path, items: Path, labels: Iterable[Row], scales: list[str], damage: str) -> None:
    """One card, from items and labels to the page."""
    out.mkdir(parents=True, exist_ok=True)
    sheet = out / "labels.csv"
    with sheet.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([HEAD, *labels])
    scale = [part for scale in scales for part in ("--scale", scale)]
    judge = ("--format", "rag-fine-grained", "--model", "offline")
    conqret("judge", items, *judge, "-o", out / "run", "-q", "--json", "--overwrite")
    conqret("bias", items, *judge, "--labels", sheet, *scale, "-o", out / "bias", "-q")
    conqret("sensitivity", items, *judge, "--perturb", damage, "-o", out / "sensitivity", "-q", "--overwrite")
    conqret(
        "validate", out / "run", "--labels", sheet, *scale, "--bias", out / "bias", "--sensitivity",
        out / "sensitivity", "-o", out,
    )  # fmt: skip


def main() -> int:
    """Write the cards; returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("-o", "--out", type=Path, required=True)
    out = parser.parse_args().out
    make(
        out / "demo", DEMO / "items.jsonl", demo_labels(), ["1:3", "context_relevance=0:3"],
        "irrelevant,hallucinate:25%,50%,100%,wrong-citations",
    )  # fmt: skip
    try:
        folder = data_folder()
    except FileNotFoundError as error:
        print(error, file=sys.stderr)
        return 0
    items = out / "webis-items.jsonl"
    with items.open("w", encoding="utf-8") as file:
        file.writelines(item.model_dump_json(exclude_defaults=True) + "\n" for item in webis_items(folder)[0])
    make(out / "webis", items, webis_labels(folder), ["0:3"], "irrelevant")
    return 0


if __name__ == "__main__":
    sys.exit(main())
