"""Forty items from Webis-ArgQuality-20: real arguments as documents, with people's relevance labels.

    python benchmarks/webis_items.py -o webis/ [--others] [--seed 0]

writes ``items.jsonl`` and ``labels.csv`` (item, topic, document, relevant, human_relevance). The data
(Gienapp et al., ACL 2020) is not part of the repository: CONQRET_DATA names the folder that holds
``webis-argquality20/``.

The rule, which looks at no score of conqret's. Each of the 20 topics gives two items without a document in
common. A premise is *not relevant* if its published relevance is at most -2: the annotators found it beside
the topic, or no argument (-4). An item has five such premises (half of the topic's, if it has fewer than ten)
and fills up to ten with premises above -2, all drawn by seed and shuffled. Its argument is a further premise,
drawn by seed from the best third of the relevant ones by human relevance. Repeated texts are used once. With
``others``, the not relevant documents are instead relevant premises of other topics.
"""

from __future__ import annotations

import argparse
import csv
import os
import random
import sys
from pathlib import Path
from typing import NamedTuple

from conqret.data import Document, Item

NOT_RELEVANT = -2.0
DOCUMENTS = 10
NOT_RELEVANT_PER_ITEM = 5
ITEMS_PER_TOPIC = 2


class Label(NamedTuple):
    """What people said of one document of one item."""

    item: str
    topic: str
    document: str
    relevant: bool
    human_relevance: float


class _Premise(NamedTuple):
    topic: str
    id: str
    text: str
    relevance: float


def data_folder() -> Path:
    """The folder of the data set, from CONQRET_DATA; raises FileNotFoundError with the remedy."""
    root = os.environ.get("CONQRET_DATA")
    folder = Path(root or "", "webis-argquality20")
    if root is None or not folder.is_dir():
        raise FileNotFoundError("set CONQRET_DATA to the folder that holds webis-argquality20/")
    return folder


def webis_items(folder: Path, *, seed: int = 0, others: bool = False) -> tuple[list[Item], list[Label]]:
    """The items and the labels of their documents, by the rule above."""
    topics = {
        row["Topic ID"]: row["Long Query"].strip() for row in _rows(folder / "webis-argquality20-topics.csv")
    }
    premises: dict[str, list[_Premise]] = {topic: [] for topic in topics}
    seen: set[str] = set()
    for row in _rows(folder / "webis-argquality20-arguments.csv"):
        text = row["Premise"].strip()
        if text and text not in seen:
            seen.add(text)
            name = f"{row['Discussion ID']}-{row['Argument ID']}"
            premises[row["Topic ID"]].append(_Premise(row["Topic ID"], name, text, float(row["Relevance"])))
    items: list[Item] = []
    labels: list[Label] = []
    for topic in sorted(topics, key=int):
        rng = random.Random(f"{seed}/{topic}")
        good = [p for p in premises[topic] if p.relevance > NOT_RELEVANT]
        bad = [p for p in premises[topic] if p.relevance <= NOT_RELEVANT]
        best = sorted(good, key=lambda p: -p.relevance)[: len(good) // 3]
        arguments = rng.sample(best, ITEMS_PER_TOPIC)
        good = [p for p in good if p not in arguments]
        each = min(NOT_RELEVANT_PER_ITEM, len(bad) // ITEMS_PER_TOPIC)
        if others:
            bad = [
                p
                for t in sorted(premises, key=int)
                if t != topic
                for p in premises[t]
                if p.relevance > NOT_RELEVANT
            ]
            each = NOT_RELEVANT_PER_ITEM
        bad = rng.sample(bad, each * ITEMS_PER_TOPIC)
        good = rng.sample(good, (DOCUMENTS - each) * ITEMS_PER_TOPIC)
        for k in range(ITEMS_PER_TOPIC):
            chosen = bad[k::ITEMS_PER_TOPIC] + good[k::ITEMS_PER_TOPIC]
            rng.shuffle(chosen)
            item = Item(
                id=f"webis-{topic}-{k + 1}",
                topic=topics[topic],
                documents=tuple(Document(id=p.id, text=p.text) for p in chosen),
                argument=arguments[k].text,
            )
            items.append(item)
            labels += [
                Label(item.id, topic, p.id, p.topic == topic and p.relevance > NOT_RELEVANT, p.relevance)
                for p in chosen
            ]
    return items, labels


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def main() -> int:
    """Write the items and the labels; returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("-o", "--out", type=Path, required=True, help="folder for items.jsonl and labels.csv")
    parser.add_argument(
        "--others", action="store_true", help="take the not relevant documents from other topics"
    )
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    try:
        items, labels = webis_items(data_folder(), seed=options.seed, others=options.others)
    except FileNotFoundError as error:
        print(error, file=sys.stderr)
        return 2
    options.out.mkdir(parents=True, exist_ok=True)
    with (options.out / "items.jsonl").open("w", encoding="utf-8") as file:
        file.writelines(item.model_dump_json(exclude_defaults=True) + "\n" for item in items)
    with (options.out / "labels.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(Label._fields)
        writer.writerows(labels)
    print(
        f"{len(items)} items, {sum(label.relevant for label in labels)} of {len(labels)} documents relevant: "
        f"{options.out}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
