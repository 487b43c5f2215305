"""How alike the place effects of a real judge are within a topic: the intraclass correlation in JudgeBench.

    CONQRET_DATA=… python benchmarks/place_correlation.py

A pair's place effect is 1 where the first place wins in both orders, -1 where the second does, 0 where neither, and
half of that where one of the verdicts is a tie. Topics are the 17 sources of the pairs.
"""

from __future__ import annotations

import gzip
import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from scipy.stats import f

JUDGE = "o1-mini-2024-09-12"
WINS = {"A>B": 1.0, "B>A": -1.0}


def place_effects(path: Path) -> dict[str, list[float]]:
    """The place effects of a judge, by source."""
    found: dict[str, list[float]] = {}
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for row in map(json.loads, file):
            given, swapped = (WINS.get(one["decision"], 0.0) for one in row["judgments"])
            found.setdefault(row["source"], []).append((given + swapped) / 2)
    return found


def intraclass(groups: Mapping[str, Sequence[float]]) -> tuple[float, float, float]:
    """The intraclass correlation by a one-way analysis of variance, with its 95% interval (Searle 1971; with the mean
    size of groups of unequal sizes, so approximate)."""
    values = [np.array(group) for group in groups.values()]
    sizes = np.array([len(value) for value in values])
    count, total = len(values), sizes.sum()
    size = (total - (sizes**2).sum() / total) / (count - 1)
    grand = np.concatenate(values).mean()
    between = sum(len(value) * (value.mean() - grand) ** 2 for value in values) / (count - 1)
    within = sum(((value - value.mean()) ** 2).sum() for value in values) / (total - count)
    ratio = between / within
    ends = [f.ppf(tail, count - 1, total - count) for tail in (0.975, 0.025)]
    estimate = (ratio - 1) / (ratio + size - 1)
    low, high = ((ratio / end - 1) / (ratio / end + size - 1) for end in ends)
    return float(estimate), float(low), float(high)


def main() -> None:
    """Print the correlation with its interval."""
    if "CONQRET_DATA" not in os.environ:
        sys.exit("CONQRET_DATA names the folder that holds judgebench/")
    groups = place_effects(Path(os.environ["CONQRET_DATA"]) / "judgebench" / f"judgments_{JUDGE}.jsonl.gz")
    estimate, low, high = intraclass(groups)
    pairs = sum(map(len, groups.values()))
    print(f"{JUDGE}: {estimate:.3f} [{low:.3f}, {high:.3f}], {pairs} pairs, {len(groups)} sources")


if __name__ == "__main__":
    main()
