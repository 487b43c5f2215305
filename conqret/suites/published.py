"""Judges whose verdicts others have published: they stand beside those that are run, and no model is asked."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from conqret.data import Item
from conqret.errors import DeclarationError
from conqret.io.pairs import Pair
from conqret.suites.result import SuiteFigure, SuiteJudge, SuiteResult, SuiteSample, verdict_digest
from conqret.suites.suite import PublishedFigure, Suite, SuiteData
from conqret.suites.suite_statistics import computed, held_statistics


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


PUBLISHED = "published verdicts"


@dataclass(frozen=True, slots=True)
class RecomputedFigure:
    """A published figure beside what comes of the files: ``value`` as it is printed, None where it cannot be had."""

    figure: PublishedFigure
    value: float | None

    @property
    def same(self) -> bool | None:
        """Whether it is the printed one, to its digits; None where there is no value."""
        return None if self.value is None else self.figure.agrees(self.value / self.figure.times)


def logged_results(suite: Suite, data: SuiteData) -> Iterator[SuiteResult]:
    """A result for each judge whose verdicts the suite's files hold."""
    for name, verdicts in data.logs.items():
        held = held_statistics(suite, data, verdicts)
        if not held:
            continue
        yield SuiteResult(
            suite=suite.name,
            judge=SuiteJudge(
                model=name,
                format=PUBLISHED,
                fingerprint=verdict_digest(verdicts, [suite.name, name]),
                baseline=name in data.rules,
                published=True,
            ),
            figures=tuple(map(SuiteFigure.of, held)),
            judged=len({item for values in verdicts.values() for item in values}),
            lacking=suite.lacking(data),
        )


def logged_figure(suite: Suite, data: SuiteData, log: str, sample: SuiteSample) -> SuiteFigure | None:
    """The first statistic of a published judge on a sample of the items, by which it is compared with who judged that
    sample; None where the log does not have it, or there is no such sample of this copy."""
    if not 0 < sample.n < len(data.items) or sample.of != len(data.items):
        return None
    ids = [item.id for item in sampled(suite, data, sample.n, sample.seed).items]
    first = replace(suite, statistics=suite.statistics[:1])
    held = held_statistics(first, data, data.logs[log], ids)
    return SuiteFigure.of(held[0]) if held else None


def recomputed(suite: Suite, data: SuiteData) -> list[RecomputedFigure]:
    """The published figures of a suite beside what its files give."""
    return [RecomputedFigure(figure, _value(suite, data, figure)) for figure in suite.published]


def _value(suite: Suite, data: SuiteData, figure: PublishedFigure) -> float | None:
    statistic = suite.statistic(figure.statistic)
    if figure.recompute is not None:
        value = float(figure.recompute(data))
    elif statistic is not None and figure.log in data.logs:
        metric = suite.metric_of(statistic)
        view = data.against(metric, data.logs[figure.log].get(metric, {}), statistic.group)
        value = computed(statistic, view)
    else:
        return None
    return None if value != value else value * figure.times
