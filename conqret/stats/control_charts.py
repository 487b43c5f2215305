"""EWMA and CUSUM charts of a series of waves against its first ones, with limits set by simulation.

Topics are measured on every wave. A wave's shift is the mean over topics of what changed since the baseline
(the mean of the first b waves); its noise is what topics do apart from each other: the residuals of topics by
waves, pooled over all waves so far. Of normal noise nothing else matters: over that error, shifts have a
distribution that depends on the numbers of topics and waves alone. The charts are (Roberts 1959; Page 1954)

    EWMA   e_t = (1 - 0.3) e_(t-1) + 0.3 d_t, over its standard deviation
    CUSUM  u_t = max(0, u_(t-1) + z_t - 1), and the like downwards, z_t being d_t over its standard deviation

and an alarm is where either passes its limit. The standard deviations count in that one baseline is common to all
waves. Limits of textbooks take baseline and noise as known, for series without an end; here both are estimated, as
they are in use, and the promise is one of a whole planned series: a judge that does not drift raises any alarm at all
in no more than a stated share of them, if its noise is independent between waves.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from conqret.errors import DeclarationError
from conqret.stats.estimate import FEWEST_TESTED

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BASELINE = 3
"""Waves that are the baseline: with one, its own noise hides a shift of 2 standard errors in 87% of the series,
with three in 40%, with five in 18%."""
WAVES = 20
"""Waves of a planned series, those of the baseline among them."""
RATE = 0.05
"""The share of planned series of a judge that does not drift in which any alarm is raised, at most."""
SMOOTHING = 0.3
"""The weight of the newest wave in the EWMA: finds most of what a CUSUM is slow at, a large step."""
REFERENCE = 1.0
"""What the CUSUM takes off at each step, in standard deviations of a wave's shift: best for steps of twice that.
With the usual half the noise of a short baseline adds up, and the limit that this takes hides more."""
SEED = 13
IN_TAIL = 300
"""Simulated series that pass the limits, at least."""
FEWEST_SERIES = 50_000
BEYOND = 2.0
"""Standard errors of the simulated rate by which it stays below the stated one."""
MOST_TOPICS, MOST_WAVES = 10_000, 1_000
_CHUNK = 20_000
FOUND = 0.8
"""Cohen's (1988) convention: what is said to have been missed would have been found with this probability."""
_ENOUGH, _MOST_ERRORS, _STEP = 4_000, 64.0, 0.02
_LEAST = 1e-9
"""What an error is taken to be where a judge says the same on every wave: any change is then endless."""


@dataclass(frozen=True, slots=True)
class Design:
    """A planned series: how many topics, how many waves, and how many of these are the baseline.

    Raises:
        DeclarationError: fewer than six topics, no baseline, no wave after it, or too many to simulate.
    """

    topics: int
    waves: int = WAVES
    baseline: int = BASELINE

    def __post_init__(self) -> None:
        if not FEWEST_TESTED <= self.topics <= MOST_TOPICS:
            raise DeclarationError(
                f"a time series of {self.topics} topics cannot be charted: use {FEWEST_TESTED} to {MOST_TOPICS:,}"
            )
        if not 1 <= self.baseline < self.waves <= MOST_WAVES:
            raise DeclarationError(
                f"a time series of {self.waves} waves, {self.baseline} of them the baseline, cannot be charted: it "
                f"needs at least one wave of baseline, one after it, and at most {MOST_WAVES:,}"
            )

    @property
    def of_squares(self) -> Design:
        """The design whose limits suit a quantity that is made of squares, of which few topics may hold nearly all:
        that of half as many topics (six at least), whose error is known as badly."""
        return Design(max(FEWEST_TESTED, self.topics // 2), self.waves, self.baseline)


@dataclass(frozen=True)
class Charts:
    """The charts of shifts (waves after the baseline by series), whose ``errors`` are standard errors of one
    wave's mean over topics. ``up`` and ``down`` are the CUSUMs."""

    shifts: NDArray[np.float64]
    errors: NDArray[np.float64]
    baseline: int

    @cached_property
    def ewma(self) -> NDArray[np.float64]:
        """The EWMA of the shifts, in their unit; a wave without a value (NaN) leaves it as it was."""
        import numpy as np

        averages, now = np.zeros_like(self.shifts), np.zeros(self.shifts.shape[1])
        for place, shift in enumerate(self.shifts):
            step = np.where(np.isnan(shift), 0.0, SMOOTHING * (shift - now))
            averages[place] = now = now + step
        return averages

    @cached_property
    def ewma_errors(self) -> NDArray[np.float64]:
        """The standard deviation of the EWMA at each wave, in the unit of the shifts: for weights w of the
        waves so far ``sqrt(sum(w^2) + sum(w)^2 / b)`` errors."""
        import numpy as np

        weights = SMOOTHING * (1 - SMOOTHING) ** np.arange(len(self.shifts))
        spread = np.sqrt(np.cumsum(weights**2) + np.cumsum(weights) ** 2 / self.baseline)
        return np.asarray(spread[:, None] * self._known)

    @cached_property
    def ewma_statistic(self) -> NDArray[np.float64]:
        """How far from 0 the EWMA is, in its standard deviations."""
        return abs(self.ewma) / self.ewma_errors

    @cached_property
    def cusums(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The CUSUMs upwards and downwards, in standard deviations of a shift."""
        import numpy as np

        z = np.nan_to_num(self.shifts / self._known / (1 + 1 / self.baseline) ** 0.5)
        up, down = np.zeros_like(z), np.zeros_like(z)
        for place, z_values in enumerate(z):
            lost = np.isnan(self.shifts[place])
            for sums, step in ((up, z_values), (down, -z_values)):
                before = sums[place - 1] if place else np.zeros(z.shape[1])
                sums[place] = np.where(lost, before, np.maximum(0.0, before + step - REFERENCE))
        return up, down

    @cached_property
    def cusum_statistic(self) -> NDArray[np.float64]:
        """The higher of both CUSUMs."""
        import numpy as np

        return np.maximum(*self.cusums)

    def alarms(self, limits: ControlLimits) -> NDArray[np.bool_]:
        """Where either chart passes its limit."""
        return (self.ewma_statistic > limits.ewma) | (self.cusum_statistic > limits.cusum)

    @property
    def _known(self) -> NDArray[np.float64]:
        import numpy as np

        return np.maximum(self.errors, _LEAST)


@dataclass(frozen=True, slots=True)
class ControlLimits:
    """What an EWMA and a CUSUM may reach, each in its standard deviations."""

    ewma: float
    cusum: float


def check_rate(rate: float) -> None:
    """Raise DeclarationError where no limits can be set to a rate of false alarms."""
    if not 1e-5 <= rate <= 0.5:
        raise DeclarationError(f"a rate of false alarms must lie in [0.00001, 0.5], not at {rate:g}")


@lru_cache(maxsize=64)
def set_limits(design: Design, rate: float = RATE, seed: int = SEED) -> ControlLimits:
    """Limits that a judge that does not drift passes in ``rate`` of the planned series at most, by simulation. Either
    chart alone spends the same share of it.

    Raises:
        DeclarationError: ``rate`` does not lie in [0.00001, 0.5].
    """
    import numpy as np

    check_rate(rate)
    series = max(FEWEST_SERIES, round(IN_TAIL / rate))
    below = rate - BEYOND * (rate * (1 - rate) / series) ** 0.5
    highest = np.concatenate(
        [
            np.stack([charts.ewma_statistic.max(axis=0), charts.cusum_statistic.max(axis=0)])
            for charts in simulated(design, series, seed)
        ],
        axis=1,
    )
    ordered = np.sort(highest, axis=1)
    tails = np.stack(
        [
            1 - np.searchsorted(line, line_values, side="left") / series
            for line, line_values in zip(ordered, highest, strict=True)
        ]
    ).min(axis=0)
    each = float(np.quantile(tails, below, method="lower"))
    ewma, cusum = (float(np.quantile(line, 1 - each, method="higher")) for line in ordered)
    return ControlLimits(ewma, cusum)


@lru_cache(maxsize=64)
def missable_shift(design: Design, limits: ControlLimits, later: int, seed: int = SEED) -> float | None:
    """The least shift, in standard errors of one wave's mean, that is found in 80% of the series where it comes
    right after the baseline and is there on all ``later`` waves so far; None where it would have to be beyond 64.
    """
    (charts,) = simulated(Design(design.topics, design.baseline + later, design.baseline), _ENOUGH, seed)
    low, high = 0.0, _MOST_ERRORS
    while high - low > _STEP:
        middle = (low + high) / 2
        detection_rate = (
            Charts(charts.shifts + middle, charts.errors, design.baseline).alarms(limits).any(axis=0).mean()
        )
        low, high = (low, middle) if detection_rate >= FOUND else (middle, high)
    return None if high == _MOST_ERRORS else high


def simulated(
    design: Design, series: int, seed: int, *, shift: float = 0.0, after: int = 0
) -> Iterator[Charts]:
    """The charts of ``series`` planned series of normal noise, some thousands at a time, in units of the standard error
    of one wave's mean; after ``after`` waves (the baseline's among them) all topics are ``shift`` higher."""
    import numpy as np

    rng = np.random.default_rng([seed, design.topics, design.waves, design.baseline])
    later = design.waves - design.baseline
    freedom = (design.topics - 1) * (design.baseline - 1 + np.arange(1, later + 1))
    moved = np.where(np.arange(design.baseline, design.waves) >= after, shift, 0.0)
    for start in range(0, series, _CHUNK):
        count = min(_CHUNK, series - start)
        shifts = rng.standard_normal((later, count)) + moved[:, None]
        shifts -= rng.standard_normal(count) / design.baseline**0.5
        squares = rng.chisquare(design.topics - 1, (later, count))
        if design.baseline > 1:
            squares[0] += rng.chisquare((design.topics - 1) * (design.baseline - 1), count)
        errors = np.sqrt(np.cumsum(squares, axis=0) / freedom[:, None])
        yield Charts(shifts, errors, design.baseline)
