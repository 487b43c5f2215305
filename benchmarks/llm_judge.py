"""A judge against people on public data: which argument convinces more, and how good an argument is.

    python benchmarks/llm_judge.py items -o llm/        writes pairs.jsonl, arguments.jsonl and their labels
    conqret judge llm/pairs.jsonl --format direct --metric preference --model … -o llm/pairs
    conqret judge llm/arguments.jsonl --format listwise --metric … --model … -o llm/arguments
    python benchmarks/llm_judge.py figures -o llm/      compares what has been judged with the labels

CONQRET_DATA names the folder with ``ukpconvarg1/`` (pairs of arguments of one side, and the one that a crowd finds more
convincing) and ``webis-argquality20/`` (premises with the quality that follows from paired comparisons); neither is
part of the repository. Both samples are drawn by seed and look at no score: as many pairs from each side of each
debate, and as many premises from each topic.

Accuracy counts a tie as half. Spearman's correlation is given over all, and within topics (ranks inside each topic,
pooled; also with the ranks of length held equal), each with length in words alone beside it. Intervals are 95%
intervals over debates or topics.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from harness import csv_rows, data, interval, json_rows, write_rows
from numpy.typing import NDArray
from scipy.stats import rankdata

from conqret.data import Item
from conqret.stats.correlation import pearson, spearman
from conqret.stats.resampling import leave_one_out, mean_interval

PAIRS_A_SIDE = 5
PREMISES_A_TOPIC = 6
QUALITIES = {
    "cogency": "Logical Quality",
    "effectiveness": "Rhetorical Quality",
    "reasonableness": "Dialectical Quality",
}

Values = NDArray[np.float64]
Row = dict[str, Any]


def pairs(folder: Path, seed: int) -> Iterator[tuple[Item, Row]]:
    """Pairs of arguments, and which of them convinces more (1: the first)."""
    for path in sorted((folder / "UKPConvArg1Strict-CSV").glob("*.csv")):
        debate, _, side = path.stem.partition("_")
        lines = path.read_text(encoding="utf-8").splitlines()[1:]
        for line in random.Random(f"{seed}/{path.stem}").sample(lines, PAIRS_A_SIDE):
            name, label, first, second = line.split("\t")
            item = Item(
                id=f"{path.stem[:60]}/{name}",
                topic=f"{_words(debate)} (both arguments are on the side: {_words(side)})",
                argument=_broken(first),
                second_argument=_broken(second),
            )
            yield item, {"item": item.id, "cluster": debate, "preference": int(label == "a1")}


def arguments(folder: Path, seed: int) -> Iterator[tuple[Item, Row]]:
    """Premises, and their three qualities."""
    rows = csv_rows(folder / "webis-argquality20-topics.csv")
    topics = {row["Topic ID"]: row["Long Query"].strip() for row in rows}
    premises: dict[str, list[dict[str, str]]] = {topic: [] for topic in topics}
    for row in csv_rows(folder / "webis-argquality20-arguments.csv"):
        if row["Is Argument?"] == "True" and row["Premise"].strip():
            premises[row["Topic ID"]].append(row)
    for topic in sorted(topics, key=int):
        for row in random.Random(f"{seed}/{topic}").sample(premises[topic], PREMISES_A_TOPIC):
            item = Item(
                id=f"webis-{topic}/{row['Discussion ID']}-{row['Argument ID']}",
                topic=topics[topic],
                argument=row["Premise"].strip(),
            )
            people = {metric: float(row[column]) for metric, column in QUALITIES.items()}
            yield item, {"item": item.id, "cluster": topic} | people


def write(out: Path, name: str, made: Iterable[tuple[Item, Row]]) -> None:
    """Write ``NAME.jsonl`` and ``NAME-labels.jsonl``."""
    pairs = list(made)
    write_rows(out / f"{name}.jsonl", [item for item, _ in pairs])
    write_rows(out / f"{name}-labels.jsonl", [label for _, label in pairs])


def judged(out: Path, name: str) -> pl.DataFrame:
    """Labels beside the scores of the whole item, and the length of its argument in words."""
    labels = pl.read_ndjson(out / f"{name}-labels.jsonl")
    items = pl.DataFrame(
        [
            {"item": item["id"], "words": words, "more": words - len(item.get("second_argument", "").split())}
            for item in json_rows(out / f"{name}.jsonl")
            for words in (len(item["argument"].split()),)
        ]
    )
    scores = pl.read_parquet(out / name / "scores.parquet").filter(pl.col("part").fill_null("") == "")
    wide = scores.pivot(on="metric", index="item", values="value").rename(
        lambda column: column if column == "item" else f"judge {column}"
    )
    return labels.join(items, on="item").join(wide, on="item")


def preference_figures(frame: pl.DataFrame) -> None:
    """Accuracy of the judge and of the longer argument."""
    found = frame.drop_nulls("judge preference")
    people, judge = found["preference"].to_numpy(), found["judge preference"].to_numpy()
    right = np.where(judge == 0.5, 0.5, (judge > 0.5) == (people == 1))
    longer = np.where(found["more"] == 0, 0.5, (found["more"].to_numpy() > 0) == (people == 1))
    print(f"{len(found)} of {len(frame)} pairs scored, {int((judge == 0.5).sum())} ties")
    for name, values in (("judge", right), ("longer argument", longer)):
        print(f"accuracy, {name}: {mean_interval(values, found['cluster'].to_list(), scale='share')}")


def quality_figures(frame: pl.DataFrame) -> None:
    """Spearman's correlation of each quality, over all and within topics."""
    for metric in QUALITIES:
        found = frame.drop_nulls(f"judge {metric}")
        topics, people = found["cluster"].to_list(), found[metric].to_numpy()
        words = found["words"].to_numpy().astype(float)
        for name, values in (("judge", found[f"judge {metric}"].to_numpy()), ("length", words)):
            inside = np.vstack([_within(topics, one) for one in (people, values, words)])
            over_all = spearman(people, values, leave_one_out(topics))
            within = pearson(inside[0], inside[1], leave_one_out(topics))
            print(f"{metric}, {name}, n = {len(found)}: {over_all}, within topics {within}")
            if name == "judge":
                equal = interval(lambda at, i=inside: _partial(np.corrcoef(i[:, at])), topics)
                print(f"{metric}, {name}, within topics at equal length: {equal}")


def _within(topics: Sequence[str], values: Values) -> Values:
    """Ranks inside each topic, around 0."""
    names, ranks = np.asarray(topics), np.zeros(len(values))
    for name in set(topics):
        here = names == name
        ranks[here] = rankdata(values[here]) - (here.sum() + 1) / 2
    return ranks


def _partial(correlations: Values) -> float:
    """The correlation of the first two of three, the third held equal (3 x 3 in)."""
    (_, both, first), (_, _, second) = correlations[:2]
    return float((both - first * second) / np.sqrt((1 - first**2) * (1 - second**2)))


def _words(name: str) -> str:
    return " ".join(name.replace("-", " ").split())


def _broken(text: str) -> str:
    return text.replace("<br/>", "\n").strip()


FIGURES: dict[str, Callable[[pl.DataFrame], None]] = {
    "pairs": preference_figures,
    "arguments": quality_figures,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("task", choices=("items", "figures"))
    parser.add_argument("-o", "--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    if options.task == "items":
        folder = data("ukpconvarg1", "webis-argquality20")
        write(options.out, "pairs", pairs(folder / "ukpconvarg1", options.seed))
        write(options.out, "arguments", arguments(folder / "webis-argquality20", options.seed))
        return
    for name, figures in FIGURES.items():
        if (options.out / name / "scores.parquet").exists():
            figures(judged(options.out, name))


if __name__ == "__main__":
    main()
