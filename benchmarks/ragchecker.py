"""conqret's measures against human preferences between RAG answers: the tables of docs/results/ragchecker.md.

    CONQRET_DATA=… python benchmarks/ragchecker.py sample FOLDER
    conqret judge FOLDER/first.jsonl --format answer-correctness --model … -o FOLDER/first
    conqret judge FOLDER/second.jsonl --format answer-correctness --model … -o FOLDER/second
    CONQRET_DATA=… python benchmarks/ragchecker.py compare FOLDER

RAGChecker's data of meta-evaluation (Ru et al. 2024, section 4.2) are not part of the repository: CONQRET_DATA names
the folder that holds ragchecker/. They are 280 pairs of answers to one question, 28 of each of ten data sets, with a
reference, and for each pair two annotators' preferences (-2 to 2) on correctness, completeness and overall. As in the
paper a measure is the difference of the scores of the two answers, correlated with all labels (two a pair).

``sample`` draws 6 pairs of each data set by a fixed seed, from those with two answers that say something, and puts
one answer of each pair, by chance, into either file; ``pilot.jsonl`` has answers of other pairs, to read a prompt by.
``compare`` prints Markdown: RAGChecker's own correlations on all pairs and on the sample, and conqret's beside them.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conqret.stats.correlation import pearson, spearman
from conqret.stats.estimate import Estimate
from conqret.stats.resampling import leave_one_out

SEED = 2024
EACH = 6
"""Pairs of each of the ten data sets."""
PILOT = 12
ASPECTS = {"correctness": "correctness", "completeness": "completeness", "overall": "correctness_f1"}
"""What annotators were asked, with the measure of conqret that is compared with it."""
FILES = ("first", "second")


@dataclass(frozen=True)
class Pair:
    """Two answers to one question: RAGChecker's scores of either, and the labels of both annotators by aspect."""

    id: str
    dataset: str
    query: str
    reference: str
    answers: tuple[str, str]
    scores: tuple[Mapping[str, float], Mapping[str, float]]
    labels: Mapping[str, tuple[float, ...]]

    def row(self, place: int) -> dict[str, str]:
        """One of its answers, as RAGChecker has it."""
        return {
            "query_id": f"{self.id}-{place + 1}",
            "query": self.query,
            "gt_answer": self.reference,
            "response": self.answers[place],
        }


def pairs(data: Path) -> list[Pair]:
    """All pairs of the data set, in its order."""
    labelled, scored = (
        json.loads(gzip.decompress((data / "ragchecker" / f"{name}.json.gz").read_bytes()))
        for name in ("human_labeled_data", "baseline_ragchecker")
    )
    by_pair: dict[int, list[Any]] = {}
    for row in labelled:
        by_pair.setdefault(row["instance_id"], []).append(row)
    models = ("model1", "model2")
    return [
        Pair(
            str(row["instance_id"]),
            row["dataset"],
            row["query"],
            row["gt_answer"],
            (row["model1"]["response"], row["model2"]["response"]),
            tuple(
                {aspect: row[model]["ragchecker"][f"{aspect}_label"] for aspect in ASPECTS}
                for model in models
            ),
            {
                aspect: tuple(float(label[f"{aspect}_label"]) for label in by_pair[row["instance_id"]])
                for aspect in ASPECTS
            },
        )
        for row in scored
    ]


def drawn(every: Sequence[Pair]) -> tuple[list[Pair], list[Pair]]:
    """The sample, and other pairs for the pilot."""
    rng = random.Random(SEED)
    datasets: dict[str, list[Pair]] = {}
    for pair in every:
        if all(answer.strip() for answer in pair.answers):
            datasets.setdefault(pair.dataset, []).append(pair)
    sample, others = [], []
    for name in sorted(datasets):
        rng.shuffle(datasets[name])
        sample += datasets[name][:EACH]
        others += datasets[name][EACH:]
    return sample, rng.sample(others, PILOT)


def write_sample(every: Sequence[Pair], folder: Path) -> None:
    """The two files of the sample, and that of the pilot."""
    sample, pilot = drawn(every)
    rng = random.Random(SEED)
    rows: dict[str, list[dict[str, str]]] = {name: [] for name in FILES}
    for pair in sample:
        order = [0, 1]
        rng.shuffle(order)
        for name, place in zip(FILES, order, strict=True):
            rows[name].append(pair.row(place))
    rows["pilot"] = [pair.row(rng.randrange(2)) for pair in pilot]
    folder.mkdir(parents=True, exist_ok=True)
    for name, lines in rows.items():
        text = "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)
        (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")


def correlations(
    every: Sequence[Pair], aspect: str, differences: Sequence[float]
) -> tuple[Estimate, Estimate]:
    """Pearson and Spearman of the differences with all labels; a pair's labels are a cluster."""
    values = [value for pair, value in zip(every, differences, strict=True) for _ in pair.labels[aspect]]
    labels = [label for pair in every for label in pair.labels[aspect]]
    clusters = [pair.id for pair in every for _ in pair.labels[aspect]]
    resamples = leave_one_out(clusters)
    return pearson(values, labels, resamples), spearman(values, labels, resamples)


def published(every: Sequence[Pair], aspect: str) -> tuple[Estimate, Estimate]:
    """RAGChecker's correlations, from its own scores."""
    return correlations(every, aspect, [pair.scores[1][aspect] - pair.scores[0][aspect] for pair in every])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("task", choices=("sample", "compare"))
    parser.add_argument("folder", type=Path)
    given = parser.parse_args()
    root = os.environ.get("CONQRET_DATA")
    if root is None or not Path(root, "ragchecker").is_dir():
        sys.exit("set CONQRET_DATA to the folder that holds ragchecker/")
    every = pairs(Path(root))
    if given.task == "sample":
        write_sample(every, given.folder)


if __name__ == "__main__":
    main()
