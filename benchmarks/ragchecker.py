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

import gzip
import json
import random
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.stats import pearsonr, rankdata, spearmanr

sys.path.insert(0, str(Path(__file__).parent))
from harness import arguments, data, print_table, write_rows

import conqret
from conqret.stats.correlation import pearson, spearman
from conqret.stats.estimate import Estimate
from conqret.stats.resampling import leave_one_out

SEED = 2024
EACH = 6
"""Pairs of each of the ten data sets."""
PILOT = 12
DRAWS = 5_000
"""Resamples of pairs behind the interval of a difference."""
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


def pairs(folder: Path) -> list[Pair]:
    """All pairs of the data set, in its order."""
    labelled, scored = (
        json.loads(gzip.decompress((folder / "ragchecker" / f"{name}.json.gz").read_bytes()))
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
    for name, lines in rows.items():
        write_rows(folder / f"{name}.jsonl", lines)


def correlations(
    every: Sequence[Pair], aspect: str, differences: Sequence[float]
) -> tuple[Estimate, Estimate]:
    """Pearson and Spearman of the differences with all labels; a pair's labels are a cluster."""
    values = [value for pair, value in zip(every, differences, strict=True) for _ in pair.labels[aspect]]
    labels = [label for pair in every for label in pair.labels[aspect]]
    clusters = [pair.id for pair in every for _ in pair.labels[aspect]]
    resamples = leave_one_out(clusters)
    return pearson(values, labels, resamples), spearman(values, labels, resamples)


def judged(folder: Path, sample: Sequence[Pair]) -> dict[str, list[float | None]]:
    """The differences of conqret's scores, from the runs over both files, by aspect; None where one has no score."""
    scores: dict[tuple[str, str], float] = {}
    for name in FILES:
        frame = pl.read_parquet(folder / name / "scores.parquet").filter(pl.col("part").fill_null("") == "")
        scores |= {
            (row["item"], row["metric"]): row["value"]
            for row in frame.drop_nulls("value").iter_rows(named=True)
        }
    return differences(sample, scores)


def baseline(every: Sequence[Pair]) -> dict[str, list[float | None]]:
    """The differences of the offline baseline's scores."""
    rows = [pair.row(place) for pair in every for place in (0, 1) if pair.answers[place].strip()]
    scores = {
        (judgment.item, metric): value
        for judgment in conqret.judge(rows, format="answer-correctness", model="offline")
        for metric, value in judgment.values.items()
    }
    return differences(every, scores)


def differences(
    every: Sequence[Pair], scores: Mapping[tuple[str, str], float]
) -> dict[str, list[float | None]]:
    """The score of the second answer minus that of the first, by aspect."""
    found: dict[str, list[float | None]] = {}
    for aspect, metric in ASPECTS.items():
        values = [
            tuple(scores.get((pair.row(place)["query_id"], metric)) for place in (0, 1)) for pair in every
        ]
        found[aspect] = [None if a is None or b is None else b - a for a, b in values]
    return found


def filled(values: Sequence[float | None]) -> list[float]:
    """Missing differences at the median of the others, as the published script has it."""
    middle = median(value for value in values if value is not None)
    return [middle if value is None else value for value in values]


def ragchecker(every: Sequence[Pair], aspect: str) -> list[float]:
    """The differences of RAGChecker's own scores."""
    return [pair.scores[1][aspect] - pair.scores[0][aspect] for pair in every]


def published(every: Sequence[Pair], aspect: str) -> tuple[float, float]:
    """RAGChecker's correlations times 100 as its own script has them: differences are put onto -2 to 2 first, where
    some that are equal become different in their last digits, and others equal."""
    delta = np.array(ragchecker(every, aspect))
    scaled = ((delta - delta.min()) / (delta.max() - delta.min()) - 0.5) * 4
    values = np.repeat(scaled, 2)
    labels = [label for pair in every for label in pair.labels[aspect]]
    return tuple(round(100 * float(how(values, labels)[0]), 2) for how in (pearsonr, spearmanr))


def words(every: Sequence[Pair]) -> list[float]:
    """How many words the second answer has more."""
    return [float(len(pair.answers[1].split()) - len(pair.answers[0].split())) for pair in every]


def print_correlations(
    title: str, every: Sequence[Pair], rows: Mapping[str, Mapping[str, Sequence[float | None]]]
) -> None:
    """A row a measure: both correlations by aspect."""
    heads = [f"{aspect}, {name}" for aspect in ASPECTS for name in ("Pearson", "Spearman")]
    print(f"\n{title} ({len(every)} pairs, {2 * len(every)} labels)\n")
    table = []
    for name, values in rows.items():
        cells = [name]
        for aspect in ASPECTS:
            missing = sum(value is None for value in values[aspect])
            note = f" ({missing} missing)" if missing else ""
            estimates = correlations(every, aspect, filled(values[aspect]))
            cells += [percent(estimate) + note for estimate in estimates]
        table.append(cells)
    print_table(("", *heads), table)


def percent(estimate: Estimate) -> str:
    """A correlation times 100 with its interval, as the paper prints them."""
    ends = f" [{100 * estimate.low:.1f}, {100 * estimate.high:.1f}]" if estimate.low is not None else ""
    return f"{100 * estimate.value:.2f}{ends}"


def compare(every: Sequence[Pair], folder: Path) -> None:
    """Print the tables."""
    sample, _ = drawn(every)
    own = {aspect: ragchecker(every, aspect) for aspect in ASPECTS}
    for aspect in ASPECTS:
        print(f"RAGChecker as published, {aspect}: Pearson, Spearman {published(every, aspect)}")
    length = dict.fromkeys(ASPECTS, words(every))
    print_correlations(
        "All pairs",
        every,
        {"RAGChecker": own, "conqret, offline baseline": baseline(every), "length in words": length},
    )
    if not all((folder / name / "scores.parquet").exists() for name in FILES):
        return
    model = judged(folder, sample)
    theirs = {aspect: ragchecker(sample, aspect) for aspect in ASPECTS}
    print_correlations(
        "The sample",
        sample,
        {
            "conqret, model": model,
            "RAGChecker": theirs,
            "conqret, offline baseline": baseline(sample),
            "length in words": dict.fromkeys(ASPECTS, words(sample)),
        },
    )
    print("\nconqret minus RAGChecker on the sample, and one annotator with the other\n")
    rows = []
    for aspect in ASPECTS:
        labels = zip(*(pair.labels[aspect] for pair in sample), strict=True)
        columns = np.array([filled(model[aspect]), theirs[aspect], *labels])
        people = pearson(columns[2], columns[3], leave_one_out([pair.id for pair in sample]))
        rows.append((aspect, difference(columns, False), difference(columns, True), percent(people)))
    print_table(("", "Pearson", "Spearman", "annotators, Pearson"), rows)


def difference(columns: NDArray[np.float64], rank: bool) -> str:
    """The difference of the correlations of two measures with all labels, its interval over resampled pairs."""

    def of(at: NDArray[np.intp]) -> float:
        ours, theirs, *labels = columns[:, at]
        people = np.concatenate(labels)
        values = [np.tile(measure, len(labels)) for measure in (ours, theirs)]
        series = [rankdata(one) if rank else one for one in (*values, people)]
        return float(np.corrcoef(series[0], series[2])[0, 1] - np.corrcoef(series[1], series[2])[0, 1])

    rng = np.random.default_rng(SEED)
    size = columns.shape[1]
    draws = [of(rng.integers(0, size, size)) for _ in range(DRAWS)]
    low, high = np.quantile(draws, (0.025, 0.975))
    return f"{100 * of(np.arange(size)):+.2f} [{100 * low:.1f}, {100 * high:.1f}]"


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("task", choices=("sample", "compare"))
    parser.add_argument("folder", type=Path)
    given = parser.parse_args()
    every = pairs(data("ragchecker"))
    if given.task == "sample":
        write_sample(every, given.folder)
    else:
        compare(every, given.folder)


if __name__ == "__main__":
    main()
