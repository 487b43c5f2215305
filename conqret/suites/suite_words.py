"""What a sample costs, and what is missing, in sentences."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from conqret.show import words
from conqret.suites.result import SuiteResult

if TYPE_CHECKING:
    from conqret.suites.suite_run import PreparedSuite

WIDE = 1.96
"""Standard errors from a value to an end of its interval of 95%."""


def planned_width(prepared: PreparedSuite) -> Iterator[str]:
    """How wide the interval of the first statistic will be, before anything is asked, where that can be said: of a
    share at most, of a correlation about 0."""
    statistic = prepared.suite.statistics[0]
    size, every = len(prepared.data.items), prepared.every
    if statistic.scale not in ("share", "correlation") or size < 5:
        return

    def half(n: int) -> str:
        wide = WIDE * (0.5 / math.sqrt(n) if statistic.scale == "share" else 1 / math.sqrt(n - 3))
        return f"±{short(wide)}"

    said = f"{words.label(statistic.name)} will be known to {half(size)} with {size:,} items"
    more = f", with all {every:,} to {half(every)}" if every > size else ""
    yield f"{said}{more}; more where items of a cluster are alike"


def sample_words(result: SuiteResult) -> Iterator[str]:
    """What the sample costs: the interval's width beside that of all items."""
    sample, figure = result.sample, result.main
    if sample is None:
        return
    half = figure.half
    if half is None:
        yield f"a sample of {sample.n:,} of {sample.of:,} items (seed {sample.seed})"
        return
    whole = half * math.sqrt(sample.n / sample.of)
    alike = figure.clusters < figure.n  # what clusters differ in does not go with more of their items
    best = (
        f"at best ±{short(whole)}, as its items come from few clusters" if alike else f"about ±{short(whole)}"
    )
    yield (
        f"a sample of {sample.n:,} of {sample.of:,} items (seed {sample.seed}): {words.label(figure.statistic)} "
        f"±{short(half)}; with all {sample.of:,} it would be {best}"
    )


def missing_words(result: SuiteResult) -> Iterator[str]:
    """Which items have no verdict, and why."""
    lost = sum(result.missing.values())
    if lost:
        why = "; ".join(f"{count:,}: {words.reason(name)}" for name, count in result.missing.items())
        have = "has no verdict and is" if lost == 1 else "have no verdict and are"
        yield f"{lost:,} of {result.judged:,} items {have} in no figure ({why})"


def short(value: float) -> str:
    """A number with two places, without its 0."""
    return f"{value:.2f}".removeprefix("0")
