"""Made-up scores of which the truth is known, and every verdict that conqret gives of them.

Each case has a name, what it should say, and how often it may: ``errs`` at most in that share of the samples (None: its
power, of which nothing is promised). Skewed cases have exponential effects of topics and heavy-tailed noise; where
topics are of unequal sizes, the larger ones have the larger effects.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from simulated_commands import better_ranker

from conqret.perturb import Direction
from conqret.stats.agreement import alternative_annotator_test
from conqret.stats.curve_tests import MARGIN, Response, respond, slope_bounds
from conqret.stats.effects import ALPHA, Effect, PairedDifferences, paired_effects
from conqret.stats.prediction_powered import prediction_powered_mean
from conqret.stats.resampling import mean
from conqret.studies.bias.bias_effects import widest_effect
from conqret.studies.sensitivity.curves import corrected, judge_response
from conqret.studies.sensitivity.result import Verdict

Numbers = NDArray[np.float64]
Rng = np.random.Generator

ITEMS, UNBALANCED = 5, (1, 2, 3, 5, 8, 12)
LEVELS = (0.0, 0.25, 0.5, 0.75, 1.0)
NOISE, TOPIC_NOISE = 0.1, 0.05
"""What a score errs by on an item, and what a shift differs by between topics."""
SLOPES = 10
"""Curves of a run that stand still."""
JUST_WORSE = 0.239
"""What a person is closer by than a judge with noise of 1.6: the mean of d in 20,000 topics."""


def places(rng: Rng, topics: int, balanced: bool) -> NDArray[np.intp]:
    """The topic of each item."""
    sizes = np.full(topics, ITEMS) if balanced else rng.choice(UNBALANCED, size=topics)
    return np.repeat(np.arange(topics), sizes)


def curve(rng: Rng, which: NDArray[np.intp], shift: float) -> Response:
    """Scores over levels whose last is ``shift`` above the first."""
    steps = np.linspace(0, 1, len(LEVELS))
    own = shift + rng.normal(size=int(which.max()) + 1) * TOPIC_NOISE
    scores = 0.5 + own[which][:, None] * steps + rng.normal(size=(len(which), len(LEVELS))) * NOISE
    return respond(scores.tolist(), LEVELS, which.tolist())


def verdicts(
    rng: Rng, topics: int, balanced: bool, direction: Direction, shifts: Sequence[float]
) -> list[Verdict]:
    """The verdicts on curves with these shifts, corrected together."""
    which = places(rng, topics, balanced)
    curves = [curve(rng, which, shift) for shift in shifts]
    p_values = corrected(curves, [direction] * len(curves))
    return [judge_response(one, direction, p)[0] for one, p in zip(curves, p_values, strict=True)]


def alarms(rng: Rng, topics: int, balanced: bool, rows: int, shift: float) -> NDArray[np.bool_]:
    """In which of so many rows of a bias table an alarm is raised; the first is moved by ``shift``."""
    which = places(rng, topics, balanced)
    moved = rng.normal(size=(rows, topics))[:, which] * TOPIC_NOISE
    moved = moved + rng.normal(size=(rows, len(which))) * NOISE * 2**0.5
    moved[0] += shift
    effects = paired_effects([PairedDifferences(one, which.tolist()) for one in moved.tolist()], rng)
    return np.array([raised(effect) for effect in effects])


def raised(effect: Effect) -> bool:
    """Whether this effect is an alarm."""
    spans = effect.low is not None and effect.high is not None and effect.low <= 0 <= effect.high
    return effect.p is not None and effect.p < ALPHA and not spans


def rated(rng: Rng, which: NDArray[np.intp], worth: Numbers, noise: float | Numbers) -> Numbers:
    """What one with so much noise (on each item) says of the worth, from 1 to 5."""
    bias = (rng.normal(size=int(which.max()) + 1) * 0.3)[which]
    return np.clip(np.round(3 + 1.2 * (worth + bias + rng.normal(size=len(which)) * noise)), 1, 5)


def worths(rng: Rng, which: NDArray[np.intp]) -> Numbers:
    """What items are worth: topics make 30% of it."""
    topics = (rng.normal(size=int(which.max()) + 1) * 0.3**0.5)[which]
    return np.asarray(topics + rng.normal(size=len(which)) * 0.7**0.5)


def stands_in(rng: Rng, topics: int, balanced: bool, noise: float, epsilon: float) -> bool:
    """Whether a judge with ``noise`` passes the alternative annotator test beside three people with noise of .7."""
    which = places(rng, topics, balanced)
    worth = worths(rng, which)
    people = np.stack([rated(rng, which, worth, 0.7) for _ in range(3)])
    judge = rated(rng, which, worth, noise)
    test = alternative_annotator_test(
        judge, people, ("a", "b", "c"), "ordinal", clusters=which.tolist(), epsilon=epsilon
    )
    return test.passed is True


def favours(rng: Rng, topics: int, balanced: bool, gap: float, bias: float) -> bool:
    """Whether a judge is said to favour a side that is better by ``gap`` and that it favours by ``bias``. People err by
    .2 and the judge by .05, so that the slope is one of the ends of what it can be."""
    which = places(rng, topics, balanced)
    level = (rng.normal(size=topics) * 0.1)[which]
    truth = level + gap * np.array([[1.0], [0.0]]) + rng.normal(size=(2, len(which))) * 0.15
    found = truth + rng.normal(size=truth.shape) * 0.2
    judge = truth + bias * np.array([[1.0], [0.0]]) + rng.normal(size=truth.shape) * 0.05
    apart, differences = found[0] - found[1], judge[0] - judge[1]
    slopes = slope_bounds(apart, differences)
    if slopes is None:
        return False
    series = [PairedDifferences((differences - slope * apart).tolist(), which.tolist()) for slope in slopes]
    return raised(widest_effect(paired_effects(series, rng)))


def paired(
    rng: Rng, topics: int, balanced: bool, gap: float, favour: float
) -> tuple[NDArray[np.intp], Numbers, Numbers]:
    """Pairs of answers of two systems: the topic of each, people's difference, of which the mean is ``gap``, and the
    judge's, who favours one by ``favour`` besides."""
    which = places(rng, topics, balanced)
    truth = gap + (rng.normal(size=topics) * 0.1)[which] + rng.normal(size=len(which)) * 0.15
    people = truth + rng.normal(size=len(which)) * 0.1
    judge = truth + favour + rng.normal(size=len(which)) * 0.1
    return which, people, judge


def distinct_names(rng: Rng, topics: int, balanced: bool, gap: float, favour: float) -> bool:
    """Whether ``diff`` tells the two systems apart by the judge alone."""
    names, _, judge = paired(rng, topics, balanced, gap, favour)
    return (mean(judge, names.tolist()).p() or 1.0) < ALPHA


def corrected_apart(rng: Rng, topics: int, balanced: bool, gap: float, favour: float) -> bool:
    """Whether the interval of ``diff`` with labels of half of the pairs leaves out 0."""
    return without_zero(rng, *paired(rng, topics, balanced, gap, favour))


def without_zero(rng: Rng, topics: NDArray[np.intp], people: Numbers, judge: Numbers) -> bool:
    """Return whether the corrected interval of a mean, with labels of half of the items, leaves out 0."""
    known = rng.random(len(topics)) < 0.5
    if not known.any():
        return False
    corrected_mean = prediction_powered_mean(
        people[known],
        judge[known],
        judge[~known],
        clusters=topics[known].tolist(),
        unlabelled_clusters=topics[~known].tolist(),
    ).corrected
    ends = corrected_mean.low, corrected_mean.high
    return None not in ends and not ends[0] <= 0 <= ends[1]


def ranked_apart(rng: Rng, topics: int, gap: float) -> bool:
    """Whether two rankings are told apart by what they reach on each topic, in [0, 1] and often the same."""
    one = rng.beta(2, 2, size=topics)
    other = np.clip(one + gap + (rng.random(topics) < 0.6) * rng.normal(size=topics) * 0.15, 0, 1)
    return (mean(np.subtract(other, one)).p() or 1.0) < ALPHA


@dataclass(frozen=True)
class Case:
    """One question to a verdict: ``happens(rng, topics, balanced)`` says whether what is counted happened."""

    verdict: str
    truth: str
    counted: str
    happens: Callable[[Rng, int, bool], bool]
    errs: float | None = None

    @property
    def name(self) -> str:
        """The name of its cell."""
        return f"{self.verdict}: {self.truth}: {self.counted}"

    def happened(self, topics: int, balanced: bool, seed: int) -> bool:
        """Return whether what is counted happened in the sample of a seed."""
        rng = np.random.default_rng([seed, topics, balanced, crc32(self.name.encode())])
        return bool(self.happens(rng, topics, balanced))


def _curve(
    title: str, direction: Direction, shift: float, verdict: Verdict, errs: float | None = None
) -> Case:
    return Case(
        title, f"shift {shift:+g}", f'"{verdict}"',
        lambda rng, topics, balanced: verdicts(rng, topics, balanced, direction, [shift]) == [verdict], errs,
    )  # fmt: skip


def _alarm(rows: int, shift: float, errs: float | None) -> Case:
    return Case(
        f"bias alarm, {rows} rows",
        f"one row moves by {shift:g}" if shift else "nothing moves",
        "alarm in that row" if shift else "any alarm",
        lambda rng, topics, balanced: bool(
            alarms(rng, topics, balanced, rows, shift)[: 1 if shift else None].any()
        ),
        errs,
    )


CASES: tuple[Case, ...] = (
    _curve("falls", Direction.FALL, 0.0, "yes", ALPHA),
    _curve("falls", Direction.FALL, -0.2, "no", ALPHA),
    _curve("falls", Direction.FALL, -0.1, "yes"),
    _curve("falls", Direction.FALL, -0.2, "yes"),
    _curve("stands still", Direction.UNCHANGED, MARGIN, "yes", ALPHA),
    _curve("stands still", Direction.UNCHANGED, MARGIN, "no", ALPHA),
    Case(
        f"stands still, {SLOPES} curves", f"each shifts by {MARGIN:g}", 'any "no"',
        lambda rng, topics, balanced: "no" in verdicts(rng, topics, balanced, Direction.UNCHANGED, [MARGIN] * SLOPES),
        ALPHA,
    ),
    _curve("stands still", Direction.UNCHANGED, 0.0, "yes"),
    _curve("stands still", Direction.UNCHANGED, 0.1, "no"),
    _curve("no rise", Direction.NO_RISE, MARGIN, "yes", ALPHA),
    _curve("no rise", Direction.NO_RISE, MARGIN, "no", ALPHA),
    _curve("no rise", Direction.NO_RISE, 0.0, "yes"),
    _curve("no rise", Direction.NO_RISE, 0.1, "no"),
    _alarm(20, 0.0, ALPHA),
    _alarm(100, 0.0, ALPHA),
    _alarm(20, 0.1, None),
    _alarm(100, 0.1, None),
    Case(
        "stands in for one of the people", "judge worse by epsilon", "passes",
        lambda rng, topics, balanced: stands_in(rng, topics, balanced, 1.6, JUST_WORSE), ALPHA,
    ),
    Case(
        "stands in for one of the people", "judge as good as one", "passes",
        lambda rng, topics, balanced: stands_in(rng, topics, balanced, 0.7, 0.2),
    ),
    Case(
        "stance, self-preference", "side better by .2, no bias", "alarm",
        lambda rng, topics, balanced: favours(rng, topics, balanced, 0.2, 0.0), ALPHA,
    ),
    Case(
        "stance, self-preference", "bias of .1", "alarm",
        lambda rng, topics, balanced: favours(rng, topics, balanced, 0.0, 0.1),
    ),
    *(
        Case(
            verdict, truth, "p < .05" if happens is distinct_names else "interval without 0",
            lambda rng, topics, balanced, happens=happens, gap=gap, favour=favour: happens(
                rng, topics, balanced, gap, favour
            ), errs,
        )
        for verdict, happens in (("diff", distinct_names), ("diff with labels", corrected_apart))
        for truth, gap, favour, errs in (
            ("two systems alike", 0.0, 0.0, ALPHA),
            ("alike, the judge favours one by .04", 0.0, 0.04, None if happens is distinct_names else ALPHA),
            ("one better by .1", 0.1, 0.0, None),
        )
    ),
    Case(
        "retrieve evaluate", "two rankings alike", "p < .05",
        lambda rng, topics, balanced: ranked_apart(rng, topics, 0.0), ALPHA,
    ),
    Case(
        "retrieve evaluate", "one better by .05", "p < .05",
        lambda rng, topics, balanced: ranked_apart(rng, topics, 0.05),
    ),
    Case(
        "meta", "two judges alike", "p < .05",
        lambda rng, topics, balanced: better_ranker(rng, topics, balanced, 0.1), ALPHA,
    ),
    Case(
        "meta", "noise .1 against .25", "p < .05",
        lambda rng, topics, balanced: better_ranker(rng, topics, balanced, 0.25),
    ),
)  # fmt: skip
"""Every verdict, what is true, what is counted, and how often that may be."""

TOPIC_SPREAD, HEAVY = 0.15, 3
"""Where effects are skewed: the standard deviation of topics' effects, and the degrees of freedom of items' noise."""
TIED = 0.4
"""By how much the logarithm of a topic's size rises with its effect."""


@cache
def middle() -> float:
    """The mean over items of exponential effects where larger topics have larger ones."""
    effects = np.random.default_rng(0).exponential(size=1_000_000)
    return float(np.average(effects, weights=tied(effects)))


def tied(effects: Numbers) -> Numbers:
    """How many items the topics with these effects have."""
    return np.asarray(np.clip(np.round(ITEMS * np.exp(TIED * (effects - 1))), 1, max(UNBALANCED)))


def skewed_topics(rng: Rng, topics: int, balanced: bool, sign: int) -> tuple[NDArray[np.intp], Numbers]:
    """The topic of each item, and the effects of topics, whose mean over items is 0: most a little below, few far above
    it (``sign`` 1), or the other way."""
    effects = rng.exponential(size=topics)
    sizes = np.full(topics, ITEMS) if balanced else tied(effects).astype(int)
    return np.repeat(np.arange(topics), sizes), sign * TOPIC_SPREAD * (
        effects - (1 if balanced else middle())
    )


def heavy(rng: Rng, shape: tuple[int, ...], spread: float = NOISE) -> Numbers:
    """Noise with heavy tails."""
    return np.asarray(rng.standard_t(HEAVY, size=shape) * spread / HEAVY**0.5)


def skewed_curve(
    rng: Rng, topics: int, balanced: bool, direction: Direction, shift: float, sign: int
) -> Verdict:
    """The verdict on a curve whose last level is ``shift`` above the first."""
    which, effects = skewed_topics(rng, topics, balanced, sign)
    steps = np.linspace(0, 1, len(LEVELS))
    scores = (shift + effects[which])[:, None] * steps + heavy(rng, (len(which), len(LEVELS)))
    response = respond(scores.tolist(), LEVELS, which.tolist())
    (p_values,) = corrected([response], [direction])
    return judge_response(response, direction, p_values)[0]


def skewed_difference(rng: Rng, topics: int, balanced: bool) -> bool:
    """Whether ``diff`` tells two systems apart that are alike in the mean of very many topics."""
    which, effects = skewed_topics(rng, topics, balanced, 1)
    return (mean(effects[which] + heavy(rng, which.shape), which.tolist()).p() or 1.0) < ALPHA


def skewed_alarms(rng: Rng, topics: int, balanced: bool, rows: int) -> bool:
    """Whether there is an alarm in so many rows of a bias table where nothing moves in the mean."""
    series = []
    which, _ = skewed_topics(rng, topics, balanced, 1)
    for row in range(rows):
        effects = rng.permutation(skewed_topics(rng, topics, True, 1 - 2 * (row % 2))[1])
        series.append(PairedDifferences((effects[which] + heavy(rng, which.shape)).tolist(), which.tolist()))
    return any(map(raised, paired_effects(series, rng)))


def _skewed_curve(title: str, direction: Direction, shift: float, verdict: Verdict, sign: int) -> Case:
    return Case(
        title,
        f"shift {shift:+g}",
        f'"{verdict}"',
        lambda rng, topics, balanced: skewed_curve(rng, topics, balanced, direction, shift, sign) == verdict,
    )


SKEWED_CASES: tuple[Case, ...] = (
    _skewed_curve("falls", Direction.FALL, 0.0, "yes", 1),
    Case("diff", "two systems alike", "p < .05", skewed_difference),
    Case("bias alarm, 20 rows", "nothing moves", "any alarm", lambda *of: skewed_alarms(*of, 20)),
)
"""The verdicts under skewed effects: errors, of which no rate is promised."""
