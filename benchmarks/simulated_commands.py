"""What commands print that is more than one statistic of :mod:`simulated_intervals`, of made-up judgments and labels.

``calibrate`` and ``validate`` get judgments and labels as they read them; the judge of ``calibrate`` ranks as it sees,
on a scale of its own. ``score stability`` gets a table of what two instruments measure of eight systems.
"""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray
from simulated_intervals import ITEMS, Triple, World, made, triple

from conqret.data import Judgment, Measure, Status
from conqret.debateqa.stability import stability
from conqret.io.label_scale import LabelScale, Scales
from conqret.io.labels import Label, LabelSet, Unit
from conqret.reliability.validation.calibrate import calibrate
from conqret.reliability.validation.dimension_view import View
from conqret.reliability.validation.label_join import join_labels
from conqret.reliability.validation.settings import Settings
from conqret.stats.agreement import alphas
from conqret.stats.correlation import kendall
from conqret.stats.planning import Plan, from_pilot, plan_agreement, plan_mean
from conqret.stats.resampling import leave_one_out, mean
from conqret.stats.significance import ALPHA

DIMENSION = "clarity"
LABELS = Scales(LabelScale("interval", 1.0, 5.0, whole=False))
"""Any number may be said, so that monotone maps are the only kind that can be had."""


def own_scale(judge: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scores in [0, 1] that rise with what the judge sees, and stay below two thirds."""
    return np.asarray(0.05 + 0.6 * ((judge - 1) / 4) ** 2)


def judgments(world: World, scores: NDArray[np.float64]) -> list[Judgment]:
    """A judgment of each item."""
    return [
        Judgment(
            item=f"i{place}", topic=f"t{topic}", stance="pro", format="direct", model="m", fingerprint="f",
            measures={DIMENSION: Measure(status=Status.SCORED, value=float(score))},
        )
        for place, (topic, score) in enumerate(zip(world.names, scores, strict=True))
    ]  # fmt: skip


def labels(world: World) -> LabelSet:
    """What both people say of each item."""
    return LabelSet(
        "labels.csv",
        "long",
        tuple(
            Label(Unit(f"i{place}"), DIMENSION, person, float(value), topic=f"t{topic}")
            for person, said in zip(("ann", "ben"), world.people, strict=True)
            for place, (topic, value) in enumerate(zip(world.names, said, strict=True))
        ),
        LABELS,
    )


COMMANDED = (
    "calibrate, alpha as it is",
    "calibrate, alpha calibrated",
    "calibrate, gain",
    "calibrate, distance from people",
    "validate, one person and the others",
    "validate, the judge in their place",
)
"""Each interval by its name."""


def commanded(topics: int, balanced: bool, seed: int) -> dict[str, Triple | None]:
    """The intervals of one sample, by name."""
    world = made(np.random.default_rng([seed, topics, balanced, 3]), topics, balanced, "even")
    mended = calibrate(judgments(world, own_scale(world.judge)), labels(world)).checked[DIMENSION]
    joined = join_labels(judgments(world, (world.judge - 1) / 4), labels(world))
    person, as_person = View(joined, DIMENSION, Settings()).person(leave_one_out(world.names))
    found = (
        mended.alpha["mean"], mended.alpha["calibrated"], mended.gain, mended.error["calibrated"],
        person.estimate(), as_person.estimate(),
    )  # fmt: skip
    return {name: triple(one) for name, one in zip(COMMANDED, found, strict=True)}


SYSTEMS = 8
LACKING = 0.3
"""The share of answers that are not there where questions are unbalanced."""


def _means() -> NDArray[np.float64]:
    """What each of two instruments (rows) gives each system in the mean of very many questions."""
    own = np.random.default_rng(0).normal(size=(2, SYSTEMS)) * 0.05
    return np.asarray(np.linspace(0.35, 0.65, SYSTEMS) + own)


TRUE_TAU = round(kendall(*_means()).value or 0.0, 5)
"""To as many digits as ends are kept with: taus take few values, and ends are often this one."""
STABLE = ("score stability, tau of systems",)


def stable(topics: int, balanced: bool, seed: int) -> dict[str, Triple | None]:
    """The tau of two instruments' rankings of systems by as many questions as elsewhere topics."""
    rng = np.random.default_rng([seed, topics, balanced, 5])
    worth = rng.normal(size=(topics, 1)) * 0.1 + rng.normal(size=(topics, SYSTEMS)) * 0.15
    there = rng.random(worth.shape) >= (0 if balanced else LACKING)
    ids, systems = (places.astype(str) for places in np.nonzero(there))
    rows = [
        pl.DataFrame(
            {
                "id": ids, "system": systems, "instrument": name, "metric": DIMENSION,
                "value": (means + worth + rng.normal(size=worth.shape) * 0.1)[there],
            }
        )
        for name, means in zip("ab", _means(), strict=True)
    ]  # fmt: skip
    (found,) = stability(pl.concat(rows), DIMENSION).values.values()
    return {STABLE[0]: triple(found)}


PILOT = 20
"""Topics of a pilot from which ``conqret power`` plans."""
EACH = 25
"""Simulations of each plan: only what all plans come to is shown."""
BETTER = 0.06
"""What one judge gives more than the other: found in about half of the cases at 20 topics."""


def planned(topics: int, seed: int) -> dict[str, float | None]:
    """What ``conqret power`` says of so many topics from a pilot, and what one study of as many then finds."""
    rng = np.random.default_rng([seed, topics, 4])
    pilot, study = made(rng, PILOT, True, "even"), made(rng, topics, True, "even")
    plan = Plan((topics,), (ITEMS,), simulations=EACH, seed=seed)

    def pair(world: World) -> NDArray[np.float64]:
        return np.stack([world.people[0], world.judge])

    def apart(world: World) -> NDArray[np.float64]:
        return np.asarray((world.judge - world.other) / 4 + BETTER)[None]

    (alpha,) = plan_agreement(from_pilot(pair(pilot), pilot.names), plan)
    (shift,) = plan_mean(from_pilot(apart(pilot), pilot.names), plan)
    seen = alphas(pair(study)[None], "interval", leave_one_out(study.names))[0].estimate()
    p = mean(apart(study)[0], study.names).p()
    return {
        "half-width of alpha, planned": alpha.half_width,
        "half-width of alpha, seen": None if seen.low is None else ((seen.high or 0.0) - seen.low) / 2,
        "power, planned": shift.power,
        "power, seen": float(p is not None and p < ALPHA),
    }
