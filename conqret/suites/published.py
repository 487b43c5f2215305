"""Judges whose verdicts others have published: they stand beside those that are run, and no model is asked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from conqret.suites.result import SuiteFigure, SuiteJudge, SuiteResult, SuiteSample, verdict_digest
from conqret.suites.suite import PublishedFigure, Suite, SuiteData
from conqret.suites.suite_figures import computed, held_statistics
from conqret.suites.suite_sample import sampled

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
    if figure.function is not None:
        value = float(figure.function(data))
    elif statistic is not None and figure.log in data.logs:
        metric = suite.metric_of(statistic)
        view = data.against(metric, data.logs[figure.log].get(metric, {}), statistic.group)
        value = computed(statistic, view)
    else:
        return None
    return None if value != value else value * figure.times
