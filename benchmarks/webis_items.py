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

import csv
import random
from pathlib import Path
from typing import NamedTuple

from harness import arguments, csv_rows, data, write_rows

from conqret.data import Document, Item

WEBIS = "webis-argquality20"

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


def webis_items(*, seed: int = 0, others: bool = False) -> tuple[list[Item], list[Label]]:
    """Return the items and the labels of their documents, by the rule above."""
    folder = data(WEBIS) / WEBIS
    topics = {
        row["Topic ID"]: row["Long Query"].strip()
        for row in csv_rows(folder / "webis-argquality20-topics.csv")
    }
    premises: dict[str, list[_Premise]] = {topic: [] for topic in topics}
    seen: set[str] = set()
    for row in csv_rows(folder / "webis-argquality20-arguments.csv"):
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
            elsewhere = [p for t in sorted(premises, key=int) if t != topic for p in premises[t]]
            bad = [p for p in elsewhere if p.relevance > NOT_RELEVANT]
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


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("-o", "--out", type=Path, required=True, help="folder for items.jsonl and labels.csv")
    parser.add_argument(
        "--others", action="store_true", help="take the irrelevant documents from other topics"
    )
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    items, labels = webis_items(seed=options.seed, others=options.others)
    write_rows(options.out / "items.jsonl", items)
    with (options.out / "labels.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([Label._fields, *labels])
    relevant = sum(label.relevant for label in labels)
    print(f"{len(items)} items, {relevant} of {len(labels)} documents relevant: {options.out}")


if __name__ == "__main__":
    main()
