"""How often a series of waves finds a shift, how soon, and what it raises at nothing, by simulation."""

from __future__ import annotations

from dataclasses import dataclass

from conqret.errors import DeclarationError
from conqret.stats.control_charts import RATE, SEED, Design, set_limits, simulated

SIMULATIONS = 4_000
"""Series of a cell: a share of one half is then known to .016."""
QUANTITIES = 2
"""Charts of a metric: severity and spread."""


@dataclass(frozen=True, slots=True)
class PlannedSeries:
    """One cell: the standard error of a wave's mean, the share of series of a judge that does not drift in which any
    chart raises an alarm (the charts taken as unrelated), and the share in which the shift is found by the chart of
    severity, with the mean number of waves that this takes, the first shifted one being 1 (None: never found).
    A series with an alarm before the shift has not found it."""

    topics: int
    items: int
    error: float
    false_alarms: float
    found: float
    delay: float | None


@dataclass(frozen=True, slots=True)
class ChartPlan:
    """What is planned: scores stray by ``sd`` between waves, of which a share ``icc`` of the variance is common to
    the items of a topic; all move by ``shift`` after ``after`` waves; ``metrics`` are charted, and all their charts
    together raise false alarms in ``rate`` of the series.

    Raises:
        DeclarationError: a number is out of its range.
    """

    shift: float
    sd: float
    icc: float
    after: int
    metrics: int = 1
    rate: float = RATE
    simulations: int = SIMULATIONS
    seed: int = SEED

    def __post_init__(self) -> None:
        for name, value, low, high in (
            ("shift", abs(self.shift), 0, 1), ("icc", self.icc, 0, 1), ("rate", self.rate, 0, 0.5),
        ):  # fmt: skip
            if not low <= value <= high:
                raise DeclarationError(f"{name} must lie in [{low}, {high}], not at {value:g}")
        if not self.sd > 0 or min(self.metrics, self.simulations) < 1:
            raise DeclarationError("sd must be above 0, and metrics and simulations at least 1")

    def plan(self, design: Design, items: int) -> PlannedSeries:
        """The cell of ``design`` with ``items`` a topic.

        Raises:
            DeclarationError: the shift does not come after the baseline and before the end, or there is no item.
        """
        import numpy as np

        if not design.baseline <= self.after < design.waves or items < 1:
            raise DeclarationError(
                f"the shift comes after {design.baseline} to {design.waves - 1} waves, not after {self.after}"
                if items > 0
                else "a topic has one item at least"
            )
        error = float(self.sd * ((self.icc + (1 - self.icc) / items) / design.topics) ** 0.5)
        limits = set_limits(design, self.rate / (QUANTITIES * self.metrics), self.seed)
        still, moved = (
            np.concatenate(
                [
                    charts.alarms(limits)
                    for charts in simulated(
                        design, self.simulations, self.seed + 1, shift=shift, after=self.after
                    )
                ],
                axis=1,
            )
            for shift in (0.0, self.shift / error)
        )
        before = self.after - design.baseline
        detected = moved[before:].any(axis=0) & ~moved[:before].any(axis=0)
        delays = moved[before:, detected].argmax(axis=0) + 1
        false_alarms = float(still.any(axis=0).mean())
        return PlannedSeries(
            topics=design.topics,
            items=items,
            error=error,
            false_alarms=1 - (1 - false_alarms) ** (QUANTITIES * self.metrics),
            found=float(detected.mean()),
            delay=float(delays.mean()) if detected.any() else None,
        )
