"""The offline baseline against human labels.

    CONQRET_DATA=… python benchmarks/offline.py [--seeds 5]

prints a table. Part one needs Webis-ArgQuality-20 (see ``webis_items.py``) and is skipped without it; part two
uses the repository's fixtures. Intervals are 95% intervals over topics.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from harness import ROOT, arguments, has_data
from webis_items import WEBIS, webis_items

from conqret.baseline import Evidence, Which
from conqret.data import Document, Item
from conqret.stats.correlation import spearman
from conqret.stats.estimate import Estimate
from conqret.stats.resampling import mean_interval

FIXTURES = ROOT / "fixtures" / "topics"


def auroc(positive: Sequence[float], negative: Sequence[float]) -> float:
    """The share of (positive, negative) pairs in the right order; ties count half. In [0, 1]."""
    wins = sum((p > n) + 0.5 * (p == n) for p in positive for n in negative)
    return wins / (len(positive) * len(negative))


def over_topics(values: Mapping[str, Sequence[float]]) -> Estimate:
    """The mean over topics of the mean of each, a share, with its 95% interval."""
    return mean_interval([sum(value) / len(value) for value in values.values()], scale="share")


def webis(seeds: int) -> None:
    """AUROC of document relevance within topic and against other topics."""
    for others in (False, True):
        for name, score in _SCORES.items():
            groups: dict[str, tuple[list[float], list[float]]] = defaultdict(lambda: ([], []))
            for seed in range(seeds):
                items, labels = webis_items(seed=seed, others=others)
                relevant = {(label.item, label.document): label for label in labels}
                for item in items:
                    for document, value in zip(item.documents, score(item), strict=True):
                        label = relevant[item.id, document.id]
                        groups[label.topic if seeds == 1 else f"{label.topic}/{seed}"][
                            not label.relevant
                        ].append(value)
            by_topic: dict[str, list[float]] = defaultdict(list)
            for key, (good, bad) in groups.items():
                by_topic[key.partition("/")[0]].append(auroc(good, bad))
            kind = "other topics" if others else "within topic"
            print(f"webis, irrelevant from {kind:12}  {name:16} AUROC {over_topics(by_topic)}")


def _raw(item: Item) -> list[float]:
    evidence = Evidence(item)
    return [finding.value for finding in evidence.document_relevances]


_SCORES: Mapping[str, Callable[[Item], list[float]]] = {
    "value": _raw,
    "rating 0 to 5": lambda item: [round(5 * value) for value in _raw(item)],
    "number of words": lambda item: [float(len(document.text.split())) for document in item.documents],
}


def fixture_items() -> list[tuple[Item, dict[str, Any], str]]:
    """One item for each fixture topic and stance, with the topic's raw record."""
    found = []
    for path in sorted(FIXTURES.glob("*.json")):
        topic = json.loads(path.read_text(encoding="utf-8"))
        place = places(topic)
        for stance, argument in topic["arguments"].items():
            item = Item(
                id=f"{topic['slug']}-{stance}",
                topic=topic["question"],
                stance=stance,
                documents=tuple(
                    Document(id=d["id"], text=d["text"], title=d["title"]) for d in topic["documents"]
                ),
                argument=render(argument["sentences"], place),
                second_argument=render(topic["second_arguments"][stance]["sentences"], place),
            )
            found.append((item, topic, stance))
    return found


def places(topic: Mapping[str, Any]) -> dict[str, int]:
    """Document id to its number from 1."""
    return {document["id"]: n for n, document in enumerate(topic["documents"], start=1)}


def render(sentences: Sequence[Mapping[str, Any]], place: Mapping[str, int]) -> str:
    """Sentences with their citations as marks after the full stop."""
    return " ".join(s["text"] + "".join(f" [{place[cite]}]" for cite in s["cites"]) for s in sentences)


def fixtures() -> None:
    """Agreement with the fixtures' gold labels."""
    entries = fixture_items()
    relevance: dict[str, list[float]] = defaultdict(list)
    confusion: dict[tuple[str, str], int] = defaultdict(int)
    correct: dict[str, list[float]] = defaultdict(list)
    preferred: dict[str, list[float]] = defaultdict(list)
    quality: dict[str, tuple[list[float], list[float]]] = defaultdict(lambda: ([], []))
    for item, topic, stance in entries:
        evidence = Evidence(item)
        values = [finding.value for finding in evidence.document_relevances]
        gold = [document["relevance"] for document in topic["documents"]]
        relevance[topic["slug"]].append(
            auroc(
                [v for v, g in zip(values, gold, strict=True) if g >= 2],
                [v for v, g in zip(values, gold, strict=True) if g == 0],
            )
        )
        sides: tuple[tuple[Which, Any], ...] = (
            ("argument", topic["arguments"]),
            ("second_argument", topic["second_arguments"]),
        )
        for which, argument in sides:
            for verdict in evidence.citation_support(which):
                support = argument[stance]["sentences"][verdict.sentence - 1]["support"]
                expected = {
                    "supported": "supports",
                    "contradicted": "contradicts",
                    "unsupported": "silent",
                    "uncited": "silent",
                }[support]
                confusion[expected, str(verdict.label)] += 1
                correct[topic["slug"]].append(float(verdict.label == expected))
            for key, finding in evidence.dimensions(which).items():
                quality[key][0].append(finding.value)
                quality[key][1].append(argument[stance]["quality"][key])
        preferred[topic["slug"]].append(float(evidence.preference().label == topic["preferences"][stance]))
    for name, by_topic in (
        ("relevance AUROC", relevance),
        ("citation verdict accuracy", correct),
        ("preference accuracy", preferred),
    ):
        print(f"fixtures, {name:28} {over_topics(by_topic)}")
    for (expected, label), n in sorted(confusion.items()):
        print(f"  citation {expected:12} judged {label:12} {n}")
    print(
        "  Spearman of dimensions: " + ", ".join(f"{key} {spearman(*pair)}" for key, pair in quality.items())
    )


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--seeds", type=int, default=1, help="draws of the 40 Webis items to average over")
    options = parser.parse_args()
    if has_data(WEBIS):
        webis(options.seeds)
    fixtures()


if __name__ == "__main__":
    main()
