"""How often ``conqret judges drift`` finds that a judge has shifted, and how often it raises an alarm at nothing.

    python benchmarks/drift.py [SERIES]

Simulated scores of 60 anchors on 12 topics, on 20 waves, of which the first three are the baseline. Scores stray by
.1 between waves, in each kind of noise; after ten waves all scores are .05 higher, or lie .7 times as far from
.5. What is charted are scores of anchors, in the functions that the command calls. An alarm of any chart counts, and
what is found must be found without an alarm before. The last two kinds are not controlled: on each wave all anchors
move together by .03, or the noise of each anchor is correlated with that of its last wave by .5.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
from scipy.stats import binom

from conqret.stats.control_charts import BASELINE, RATE, WAVES, Charts, Design, set_limits
from conqret.stats.time_series import severity, spread

TOPICS, EACH, SD, SHIFT, SHRUNK, AFTER = 12, 5, 0.1, 0.05, 0.7, 10
SERIES = 1_000
Noise = Callable[[np.random.Generator, "np.typing.NDArray[np.float64]"], "np.typing.NDArray[np.float64]"]


def plain(rng, means):
    return means + SD * rng.standard_normal(means.shape)


def by_topic(rng, means):
    shared = np.repeat(rng.standard_normal((len(means), TOPICS)), EACH, axis=1)
    return means + SD * (shared + rng.standard_normal(means.shape)) / 2**0.5


def heavy(rng, means):
    return means + SD * rng.standard_t(3, means.shape) / 3**0.5


def unequal(rng, means):
    """Topics of which some stray three times as much as others."""
    wild = np.repeat(np.where(np.arange(TOPICS) % 3, 0.5, 1.5), EACH)
    return means + SD * wild * rng.standard_normal(means.shape)


def grades(rng, means):
    """A scale of five grades, so that most scores are the same again."""
    return np.round(np.clip(plain(rng, means), 0, 1) * 4) / 4


def seldom(rng, means):
    """A judge that says the same 19 times of 20, and else something .2 away; ten grades."""
    away = rng.choice([-0.2, 0.2], means.shape) * (rng.random(means.shape) < 0.05)
    return np.clip(np.round(means * 10) / 10 + away, 0, 1)


def lost(rng, means):
    """One score of twenty is missing."""
    return np.where(rng.random(means.shape) < 0.05, np.nan, plain(rng, means))


def together(rng, means):
    return plain(rng, means) + 0.03 * rng.standard_normal((len(means), 1))


def lasting(rng, means):
    """Noise of each anchor that depends on its last one (autocorrelation .5), as strong as elsewhere."""
    new = rng.standard_normal(means.shape)
    noise = new.copy()
    for wave in range(1, len(noise)):
        noise[wave] = 0.5 * noise[wave - 1] + 0.75**0.5 * new[wave]
    return means + SD * noise


KINDS: dict[str, Noise] = {
    "each anchor for itself": plain,
    "half of it common to a topic": by_topic,
    "heavy tails (t with 3 degrees of freedom)": heavy,
    "some topics stray three times as much": unequal,
    "five grades": grades,
    "the same 19 times of 20": seldom,
    "one score of twenty missing": lost,
    "**all anchors together, by .03 (not controlled)**": together,
    "**each anchor, autocorrelation .5 (not controlled)**": lasting,
}


def alarms(noise: Noise, series: int, seed: int, shift: float = 0.0, shrunk: float = 1.0) -> np.ndarray:
    """Where any chart raises an alarm: waves after the baseline by series."""
    rng = np.random.default_rng(seed)
    topics = np.repeat(np.arange(TOPICS), EACH)
    design = Design(TOPICS)
    ways = (severity, design), (spread, design.of_squares)
    found = np.zeros((WAVES - BASELINE, series), dtype=bool)
    for place in range(series):
        level = 0.5 + 0.1 * rng.standard_normal(TOPICS)[topics] + 0.1 * rng.standard_normal(len(topics))
        means = np.tile(level, (WAVES, 1))
        means[AFTER:] = 0.5 + shrunk * (means[AFTER:] - 0.5) + shift
        scores = noise(rng, means)
        for quantity, known in ways:
            moves = quantity(scores, topics, BASELINE)
            charts = Charts(moves.shifts[BASELINE:, None], moves.errors[BASELINE:, None], BASELINE)
            found[:, place] |= charts.alarms(set_limits(known, RATE / 2))[:, 0]
    return found


def after_the_change(found: np.ndarray) -> tuple[float, float]:
    """The share of series whose first alarm comes after the change, and the mean delay."""
    before = AFTER - BASELINE
    seen = found[before:].any(axis=0) & ~found[:before].any(axis=0)
    return float(seen.mean()), float(found[before:, seen].argmax(axis=0).mean() + 1)


def main() -> None:
    """Print the table."""
    series = int(sys.argv[1]) if len(sys.argv) > 1 else SERIES
    most = int(binom.ppf(0.95, series, RATE))
    print(
        f"{series} series a cell; false alarms in {most} or fewer are not above {RATE:.0%} (binomial, one-sided)\n"
    )
    print("| noise | false alarms | shift of .05 found | delay | scale shrunk to .7 found | delay |")
    print("|---|---|---|---|---|---|")
    for seed, (name, noise) in enumerate(KINDS.items()):
        none = int(alarms(noise, series, seed).any(axis=0).sum())
        shifted, late = after_the_change(alarms(noise, series, 100 + seed, shift=SHIFT))
        shrunk, later = after_the_change(alarms(noise, series, 200 + seed, shrunk=SHRUNK))
        print(
            f"| {name} | {none} ({none / series:.1%}) | {shifted:.1%} | {late:.1f} | {shrunk:.1%} | {later:.1f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
