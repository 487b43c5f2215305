"""A sample of a suite's items: spread over clusters and gold, and the same for the same seed."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from conqret.data import Item
from conqret.errors import DeclarationError
from conqret.io.pairs import Pair
from conqret.suites.suite import Suite, SuiteData


def sampled(suite: Suite, data: SuiteData, size: int | None, seed: int) -> SuiteData:
    """The data with ``size`` of its items alone (None: all of them), in their order.

    Items stand in a line, cluster by cluster and within each by their gold, and every so many is taken from a random
    start (systematic sampling): each cluster, and each value of the gold within it, has its share, to one item.

    Raises:
        DeclarationError: there are no so many items, or the size is none.
    """
    items: Sequence[Item | Pair] = data.items
    if size is None or size == len(items):
        return data
    if not 0 < size < len(items):
        raise DeclarationError(f"--sample is {size}, but {suite.name} has only {len(items):,} items")
    rng = random.Random(seed)
    gold = data.gold.get(suite.metrics[0], {})
    clusters: defaultdict[str, list[int]] = defaultdict(list)
    for place, item in enumerate(items):
        clusters[data.clusters.get(item.id, item.id)].append(place)
    names = sorted(clusters)
    rng.shuffle(names)
    line: list[int] = []
    for name in names:
        members = clusters[name]
        rng.shuffle(members)
        line += sorted(members, key=lambda place: gold.get(items[place].id, 0.0))
    start = rng.random()
    chosen = sorted(line[int((number + start) * len(line) / size)] for number in range(size))
    kept: Any = tuple(items[place] for place in chosen)
    return replace(data, items=kept)
