"""From waves to charts: is the judge still as severe as it was, and does it use as much of its scale?"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from conqret._optional import require
from conqret.data.item import Frozen
from conqret.errors import DeclarationError, strict_options
from conqret.io.bounded import read_written
from conqret.stats.control_charts import (
    BASELINE,
    RATE,
    SEED,
    WAVES,
    Charts,
    ControlLimits,
    Design,
    check_rate,
    missable_shift,
    set_limits,
)
from conqret.stats.curve_tests import TOLERANCE
from conqret.stats.estimate import FEWEST_TESTED
from conqret.stats.time_series import Moves, severity, spread
from conqret.studies.drift.waves import Wave, WaveJudgments, read_waves

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    MovesOf = Callable[[ArrayLike, Sequence[Hashable], int], Moves]
    """From values (waves by items), the topic of each item and the number of waves of the baseline to moves."""

SCHEMA = "conqret.drift/2"
DATA_NAME = "drift.json"

Quantity = Literal["severity", "spread"]

Verdict = Literal["alarm", "no alarm", "baseline", "no value"]
"""Of a chart: it passed a limit on some wave, on none, there is no wave after the baseline yet, or nothing was
scored by which it could be charted."""


class SeriesPoint(Frozen):
    """A wave after the baseline on one chart. ``value`` is the quantity on that wave, ``shift`` its move since
    the baseline (both None: fewer than six topics have a score) and ``error`` the standard error of one wave;
    ``ewma`` stays between -``limit`` and ``limit``, all in the unit of the scores. ``up`` and ``down`` are the CUSUMs,
    in standard deviations of a shift, which stay below the chart's ``cusum_limit``."""

    wave: str
    value: float | None
    shift: float | None
    error: float | None
    ewma: float
    limit: float | None
    up: float
    down: float
    alarm: bool


class DriftChart(Frozen):
    """One quantity of one metric: ``level`` is the baseline's (severity: the mean score; spread: the standard deviation
    of the scores). A shift of ``missable`` or more, had it
    come right after the baseline, would have been found by now in 80% of such series (None: nothing can be said).
    ``autocorrelation`` is that of a topic's noise from one wave to the next (None: fewer than six waves or topics);
    where it is shown to be above 0 (``carried``), the promised rate of false alarms does not hold."""

    metric: str
    quantity: Quantity
    level: float | None
    points: tuple[SeriesPoint, ...] = ()
    cusum_limit: float | None = None
    verdict: Verdict
    missable: float | None = None
    autocorrelation: float | None = None
    carried: bool = False

    @property
    def newest(self) -> SeriesPoint | None:
        """The newest wave; None where there is none after the baseline."""
        return self.points[-1] if self.points else None

    @property
    def alarm(self) -> SeriesPoint | None:
        """The first wave with an alarm."""
        return next((point for point in self.points if point.alarm), None)


class Drift(Frozen):
    """A series of waves, and its charts. The charts together raise any alarm in ``rate`` at most of series of
    ``planned`` waves in which the judge does not drift. ``left_out`` are runs that are not finished."""

    schema_name: str = SCHEMA
    format: str
    anchors: int
    topics: int
    planned: int
    baseline: int
    rate: float
    seed: int
    waves: tuple[Wave, ...]
    charts: tuple[DriftChart, ...]
    left_out: tuple[str, ...] = ()

    @property
    def carried(self) -> tuple[DriftChart, ...]:
        """The charts whose noise is shown to carry over from one wave to the next, the most first."""
        return tuple(
            sorted(
                (chart for chart in self.charts if chart.carried),
                key=lambda chart: -(chart.autocorrelation or 0.0),
            )
        )

    @property
    def alarms(self) -> tuple[DriftChart, ...]:
        """The charts that passed a limit."""
        return self.having("alarm")

    def having(self, verdict: Verdict) -> tuple[DriftChart, ...]:
        """The charts with this verdict."""
        return tuple(chart for chart in self.charts if chart.verdict == verdict)


@strict_options
def drift(
    *runs: str | Path,
    baseline: int = BASELINE,
    waves: int = WAVES,
    rate: float = RATE,
    since: str | None = None,
    seed: int = SEED,
) -> Drift:
    """Whether a judge has drifted: the same anchors, judged on dated waves.

    Args:
        runs: folders of :func:`conqret.judge`, one a wave, or folders that hold such; they stand by their dates.
        baseline: how many of the first waves are what the others are held against.
        waves: how many a series is planned to have, the baseline's among them.
        rate: in which share of planned series a judge that does not drift may raise any alarm, over all charts.
        since: the name or date (YYYY-MM-DD) of the wave with which the series begins; default: the first.
        seed: draws the simulated series that set the limits.

    Returns:
        A chart of severity and one of spread for each metric, and what else changed between waves.

    Raises:
        DeclarationError: no finished run, runs of other anchors or formats, anchors of fewer than six topics, or a
            number out of its range.
        MissingDependencyError: numpy is not installed.
    """
    require("numpy", extra="stats")
    planned = WavePlan(waves=waves, baseline=baseline, rate=rate, seed=seed)
    planned.check()
    judged, left_out = read_waves(map(Path, runs))
    return chart_waves(_from(judged, since), planned, left_out)


def read_drift(folder: Path) -> Drift:
    """The series that ``conqret judges drift -o`` wrote into a folder. Raises DeclarationError where there is none."""
    return read_written(folder / DATA_NAME, Drift, "conqret judges drift")


class WavePlan(Frozen):
    """What was planned of a series."""

    waves: int = WAVES
    baseline: int = BASELINE
    rate: float = RATE
    seed: int = SEED

    def check(self, topics: int = FEWEST_TESTED) -> None:
        """Raise DeclarationError where anchors of so many topics, or the numbers themselves, cannot be charted."""
        Design(topics, self.waves, self.baseline)
        check_rate(self.rate)


def chart_waves(waves: Sequence[WaveJudgments], planned: WavePlan, left_out: Sequence[str] = ()) -> Drift:
    """The charts of waves in their order.

    Raises:
        DeclarationError: anchors of fewer than six topics, or a number out of its range.
    """
    topics = waves[0].topics
    design = Design(len(set(topics.values())), planned.waves, planned.baseline)
    metrics = [name for name in waves[0].record.metrics if all(name in wave.record.metrics for wave in waves)]
    each = planned.rate / max(1, 2 * len(metrics))
    seed, places, charts = planned.seed, list(topics.values()), []
    quantities: tuple[tuple[Quantity, MovesOf, Design], ...] = (
        ("severity", severity, design),
        ("spread", spread, design.of_squares),
    )
    for metric in metrics:
        values = [[_value(wave, item, metric) for item in topics] for wave in waves]
        for quantity, moves_of, of in quantities:
            chart = _chart(
                metric, quantity, moves_of(values, places, planned.baseline), waves, of, each, seed
            )
            charts.append(chart)
    return Drift(
        format=waves[0].record.format,
        anchors=len(topics),
        topics=design.topics,
        planned=planned.waves,
        baseline=planned.baseline,
        rate=planned.rate,
        seed=planned.seed,
        waves=tuple(wave.wave for wave in waves),
        charts=tuple(charts),
        left_out=tuple(left_out),
    )


def _chart(
    metric: str,
    quantity: Quantity,
    moves: Moves,
    waves: Sequence[WaveJudgments],
    design: Design,
    rate: float,
    seed: int,
) -> DriftChart:
    import numpy as np

    if np.isnan(moves.level):
        return DriftChart(metric=metric, quantity=quantity, level=None, verdict="no value")
    limits = set_limits(design, rate, seed)
    later = slice(design.baseline, None)
    charts, alarms = _alarms(moves, limits, design.baseline)
    points = [
        SeriesPoint(
            wave=wave.wave.name,
            value=_known(moves.values[design.baseline + place]),
            shift=_known(moves.shifts[design.baseline + place]),
            error=_known(moves.errors[design.baseline + place]),
            ewma=float(charts.ewma[place, 0]),
            limit=_known(limits.ewma * charts.ewma_errors[place, 0]),
            up=float(charts.cusums[0][place, 0]),
            down=float(charts.cusums[1][place, 0]),
            alarm=bool(alarms[place]),
        )
        for place, wave in enumerate(waves[later])
    ]
    errors = [point.error for point in points if point.error is not None]
    verdict: Verdict = (
        "alarm" if alarms.any() else "no alarm" if errors else "no value" if points else "baseline"
    )
    return DriftChart(
        metric=metric,
        quantity=quantity,
        level=float(moves.level),
        points=tuple(points),
        cusum_limit=limits.cusum,
        verdict=verdict,
        missable=_missable(design, limits, seed, len(points), errors[-1]) if verdict == "no alarm" else None,
        autocorrelation=moves.carried.correlation,
        carried=moves.carried.shown,
    )


def _alarms(moves: Moves, limits: ControlLimits, baseline: int) -> tuple[Charts, NDArray[np.bool_]]:
    """The charts of the waves after the baseline, and which of them raise an alarm."""
    import numpy as np

    charts = Charts(moves.shifts[baseline:, None], moves.errors[baseline:, None], baseline)
    moved = np.abs(charts.ewma) > TOLERANCE
    return charts, (charts.alarms(limits) & moved)[:, 0]


def _missable(design: Design, limits: ControlLimits, seed: int, later: int, error: float) -> float | None:
    shift = missable_shift(design, limits, later, seed)
    return None if shift is None else max(shift * error, TOLERANCE)


def _known(value: float) -> float | None:
    return None if value != value else float(value)  # NaN


def _value(judgments: WaveJudgments, item: str, metric: str) -> float:
    return judgments.values.get(item, {}).get(metric, float("nan"))


def _from(waves: Sequence[WaveJudgments], since: str | None) -> Sequence[WaveJudgments]:
    """The waves from the one that ``since`` names, or from that date on."""
    if since is None:
        return waves
    names = [wave.wave.name for wave in waves]
    if since in names:
        return waves[names.index(since) :]
    try:
        day = dt.date.fromisoformat(since).isoformat()
    except ValueError:
        raise DeclarationError(
            f"since must be a wave ({', '.join(names[:5])}{' …' * (len(names) > 5)}) or a date such as 2026-01-31, not "
            f"{since!r}"
        ) from None
    kept = [wave for wave in waves if wave.wave.date[:10] >= day]
    if not kept:
        raise DeclarationError(f"no wave is dated {day} or later: the last is of {waves[-1].wave.date[:10]}")
    return kept
