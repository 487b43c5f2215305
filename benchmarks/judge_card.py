"""The judge cards of the offline baseline: on the fixtures, and on Webis-ArgQuality-20.

    python benchmarks/judge_card.py -o cards/

judges, probes, damages and validates with the commands of the package, and writes ``cards/demo/`` and, where
CONQRET_DATA names the folder that holds ``webis-argquality20/``, ``cards/webis/``: each with card.html, card.md and
card.json. The labels of the fixtures are the gold labels of their author; those of Webis are five annotators' relevance
of the premises (0 to 3), which stand in the items as documents (see ``webis_items.py``).
"""

from __future__ import annotations

import csv
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from harness import DEMO, arguments, data, has_data, json_rows, write_rows
from webis_items import WEBIS, webis_items

from conqret.io.labels import read_labels

HEAD = ("item", "part", "dimension", "annotator", "value")
Row = tuple[str, str, str, str, str]


def demo_labels() -> Iterable[Row]:
    """The gold labels: quality from 1 to 3, relevance of documents from 0 to 3."""
    for record in json_rows(DEMO.with_name("labels.jsonl")):
        for dimension, value in record["argument"]["quality"].items():
            yield record["id"], "", dimension, "author", str(value)
        for document in record["documents"]:
            yield record["id"], document["id"], "context_relevance", "author", str(document["relevance"])


def webis_labels() -> Iterable[Row]:
    """Five annotators' relevance of every document."""
    labels = read_labels(data(WEBIS) / WEBIS / f"{WEBIS}-raw-relevance.csv")
    people: dict[str, list[tuple[str, float]]] = {}
    for label in labels.labels:
        if label.dimension == "relevance" and label.value is not None:
            people.setdefault(label.unit.item.rpartition("/")[2], []).append((label.annotator, label.value))
    for item in webis_items()[0]:
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


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("-o", "--out", type=Path, required=True)
    out = parser.parse_args().out
    make(
        out / "demo", DEMO, demo_labels(), ["1:3", "context_relevance=0:3"],
        "irrelevant,hallucinate:25%,50%,100%,wrong-citations",
    )  # fmt: skip
    if has_data(WEBIS):
        items = out / "webis-items.jsonl"
        write_rows(items, webis_items()[0])
        make(out / "webis", items, webis_labels(), ["0:3"], "irrelevant")


if __name__ == "__main__":
    main()
