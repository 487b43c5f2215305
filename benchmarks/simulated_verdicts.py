"""Made-up scores of which the truth is known, and every verdict that conqret gives of them.

Each case has a name, what it should say, and how often it may: ``errs`` at most in that share of the cases (None: its
power, of which nothing is promised). Those of the second family have skewed effects of topics and heavy-tailed noise;
where topics are of unequal sizes, the larger ones have the larger effects. There a verdict promises its rate where its
condition says "also under skew".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from simulated_commands import better_ranker
from simulated_intervals import NOISE as RATING_NOISE
from simulated_intervals import made

from conqret.perturb import Direction
from conqret.retrieval.evaluation.evaluate import family
from conqret.stats.agreement import alphas
from conqret.stats.alternative_annotator import alternative_annotator_test
from conqret.stats.curve_tests import MARGIN, Response, respond, slope_bounds
from conqret.stats.effects import ALPHA, Effect, PairedEffects, largest_p, paired_effects
from conqret.stats.missingness import missing_by_group, missing_by_value
from conqret.stats.prediction_powered import prediction_powered_mean, prediction_powered_test
from conqret.stats.resampling import leave_one_out, mean
from conqret.stats.verdict_condition import VerdictCondition, of_difference, verdict_condition
from conqret.studies.bias.result import alarm_claim, spanned
from conqret.studies.sensitivity.verdict import ResponseVerdict, Verdict, corrected, judge_response

Numbers = NDArray[np.float64]
Rng = np.random.Generator

ITEMS, UNBALANCED = 5, (1, 2, 3, 5, 8, 12)
LEVELS = (0.0, 0.25, 0.5, 0.75, 1.0)
NOISE, TOPIC_NOISE = 0.1, 0.05
"""What a score errs by on an item, and what a shift differs by between topics."""
SLOPES = 10
"""Curves of a run that stand still."""
SHUFFLES = 199
"""Shuffles of the test of missing scores by topic: fewer than the command makes, which holds its level alike."""
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
    effects = paired_effects([PairedEffects(one, which.tolist()) for one in moved.tolist()], rng)
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


def lost(rng: Rng, topics: int, balanced: bool, slope: float) -> bool:
    """Whether missing scores are said to hang together with length, where topics fail more or less and the share of
    missing ones rises by ``slope`` (in odds) for a standard deviation of length."""
    which = places(rng, topics, balanced)
    length = worths(rng, which)
    odds = -1.5 + slope * length + rng.normal(size=int(which.max()) + 1)[which]
    gone = rng.random(len(which)) < 1 / (1 + np.exp(-odds))
    found = missing_by_value("length", gone.tolist(), length, rng, which.tolist())
    return found.p is not None and found.p < ALPHA


def lost_by_topic(rng: Rng, topics: int, balanced: bool, spread: float) -> bool:
    """Whether missing scores are said to hang together with the topic, where the odds differ by ``spread`` between
    topics."""
    which = places(rng, topics, balanced)
    odds = -1.5 + spread * rng.normal(size=topics)[which]
    gone = rng.random(len(which)) < 1 / (1 + np.exp(-odds))
    found = missing_by_group("topic", gone.tolist(), which.tolist(), rng, permutations=SHUFFLES)
    return found.p is not None and found.p < ALPHA


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
    series = [PairedEffects((differences - slope * apart).tolist(), which.tolist()) for slope in slopes]
    return raised(spanned(paired_effects(series, rng)))


def paired(
    rng: Rng, topics: int, balanced: bool, gap: float, favour: float
) -> tuple[list[int], Numbers, Numbers]:
    """Pairs of answers of two systems: the topic of each, people's difference, of which the mean is ``gap``, and the
    judge's, who favours one by ``favour`` besides."""
    which = places(rng, topics, balanced)
    truth = gap + (rng.normal(size=topics) * 0.1)[which] + rng.normal(size=len(which)) * 0.15
    people = truth + rng.normal(size=len(which)) * 0.1
    judge = truth + favour + rng.normal(size=len(which)) * 0.1
    return which.tolist(), people, judge


def told_apart(rng: Rng, topics: int, balanced: bool, gap: float, favour: float) -> bool:
    """Whether ``diff`` tells the two systems apart by the judge alone."""
    names, _, judge = paired(rng, topics, balanced, gap, favour)
    return (mean(judge, names).p() or 1.0) < ALPHA


def corrected_apart(rng: Rng, topics: int, balanced: bool, gap: float, favour: float) -> bool:
    """Whether the interval of ``diff`` with labels of half of the pairs leaves out 0."""
    names, people, judge = paired(rng, topics, balanced, gap, favour)
    known = rng.random(len(names)) < 0.5
    found = prediction_powered_mean(
        people[known], judge[known], judge[~known],
        clusters=np.array(names)[known].tolist(), unlabelled_clusters=np.array(names)[~known].tolist(),
    ).corrected  # fmt: skip
    return found.low is not None and found.high is not None and not found.low <= 0 <= found.high


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
        """What it is kept under."""
        return f"{self.verdict}: {self.truth}: {self.counted}"


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
            verdict, truth, "p < .05" if happens is told_apart else "interval without 0",
            lambda rng, topics, balanced, happens=happens, gap=gap, favour=favour: happens(
                rng, topics, balanced, gap, favour
            ), errs,
        )
        for verdict, happens in (("diff", told_apart), ("diff with labels", corrected_apart))
        for truth, gap, favour, errs in (
            ("two systems alike", 0.0, 0.0, ALPHA),
            ("alike, the judge favours one by .04", 0.0, 0.04, None if happens is told_apart else ALPHA),
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
    Case(
        "missing at random", "missing by topic alone", "p < .05",
        lambda rng, topics, balanced: lost(rng, topics, balanced, 0.0), ALPHA,
    ),
    Case(
        "missing at random", "odds double with length", "p < .05",
        lambda rng, topics, balanced: lost(rng, topics, balanced, 0.7),
    ),
    Case(
        "missing in some topics", "missing anywhere", "p < .05",
        lambda rng, topics, balanced: lost_by_topic(rng, topics, balanced, 0.0), ALPHA,
    ),
    Case(
        "missing in some topics", "log odds differ by 1", "p < .05",
        lambda rng, topics, balanced: lost_by_topic(rng, topics, balanced, 1.0),
    ),
)  # fmt: skip
"""Every verdict, what is true, what is counted, and how often that may be."""


TOPIC_SPREAD, HEAVY = 0.15, 3
"""In the second family: the standard deviation of topics' effects, and the degrees of freedom of the noise of items."""
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
) -> ResponseVerdict:
    """The verdict on a curve whose last level is ``shift`` above the first."""
    which, effects = skewed_topics(rng, topics, balanced, sign)
    steps = np.linspace(0, 1, len(LEVELS))
    scores = (shift + effects[which])[:, None] * steps + heavy(rng, (len(which), len(LEVELS)))
    response = respond(scores.tolist(), LEVELS, which.tolist())
    (p_values,) = corrected([response], [direction])
    return judge_response(response, direction, p_values)


def skewed_difference(
    rng: Rng, topics: int, balanced: bool, gap: float, sign: int
) -> VerdictCondition | None:
    """The condition of what ``diff`` finds between two systems; None where it finds nothing."""
    which, effects = skewed_topics(rng, topics, balanced, sign)
    names = which.tolist()
    return of_difference(mean(gap + effects[which] + heavy(rng, which.shape), names), names)


def skewed_alarms(rng: Rng, topics: int, balanced: bool, rows: int) -> list[VerdictCondition | None]:
    """The conditions of the alarms in so many rows of a bias table where nothing moves in the mean."""
    series = []
    which, _ = skewed_topics(rng, topics, balanced, 1)
    for row in range(rows):
        effects = rng.permutation(skewed_topics(rng, topics, True, 1 - 2 * (row % 2))[1])
        series.append(PairedEffects((effects[which] + heavy(rng, which.shape)).tolist(), which.tolist()))
    return [
        verdict_condition(
            [alarm_claim(mean(paired.differences, paired.clusters), effect, rows, rises=False)],
            two_sided=True,
        )
        for paired, effect in zip(series, paired_effects(series, rng), strict=True)
        if raised(effect)
    ]


def alike(rng: Rng, topics: int, balanced: bool) -> VerdictCondition | None:
    """The condition of a difference of alphas that is found between two judges that are alike."""
    world = made(rng, topics, balanced, "harsh", worse=RATING_NOISE)
    left_out = leave_one_out(world.names)
    first, second = (
        alphas(np.stack([[world.people[0], judge]]), "ordinal", left_out)[0]
        for judge in (world.judge, world.other)
    )
    difference = first.minus(second)
    (p,) = largest_p([difference], left_out.sizes(), rng)
    return of_difference(difference, world.names, corrected=p, family=1)


def skewed_rankings(rng: Rng, topics: int) -> VerdictCondition | None:
    """The condition of what ``retrieve evaluate`` finds between two rankings, whose difference in the mean of very many
    topics is 0: one is far better on few topics, and a little worse on most."""
    gains = TOPIC_SPREAD * (rng.exponential(size=topics) - 1)
    values = {
        name: {f"t{topic}": float(value) for topic, value in enumerate(scores)}
        for name, scores in {"base": np.zeros(topics), "other": gains}.items()
    }
    return family("pro", "nDCG@10", values, "base", {}, ends=(-1.0, 1.0))[1].condition


def skewed_rankers(rng: Rng, topics: int) -> VerdictCondition | None:
    """The like between two judges that rank systems: of their coefficients by topic."""
    found = dict(enumerate(TOPIC_SPREAD * (rng.exponential(size=topics) - 1)))
    return of_difference(mean(list(found.values())), list(found))


def skewed_corrected(rng: Rng, topics: int, balanced: bool, gap: float, sign: int) -> VerdictCondition | None:
    """The condition of the difference that ``diff`` finds with labels of half of the pairs."""
    which, effects = skewed_topics(rng, topics, balanced, sign)
    people = gap + effects[which] + heavy(rng, which.shape)
    judge, known = people + heavy(rng, which.shape), rng.random(len(which)) < 0.5
    if not known.any():
        return None
    found = prediction_powered_test(
        people[known], judge[known], judge[~known],
        clusters=which[known].tolist(), unlabelled_clusters=which[~known].tolist(),
    )  # fmt: skip
    return of_difference(found.corrected, found.clusters)


def skewed_stand_in(rng: Rng, topics: int, balanced: bool) -> VerdictCondition | None:
    """The condition of a pass of the alternative annotator test, by a judge that is as good as the annotators on most
    topics and far worse on few, larger ones: by epsilon in the mean of very many topics."""
    effects = rng.exponential(size=topics)
    which = np.repeat(np.arange(topics), ITEMS if balanced else tied(effects).astype(int))
    worth = worths(rng, which)
    people = np.stack([rated(rng, which, worth, 0.7) for _ in range(3)])
    judge = rated(rng, which, worth, 0.7 * np.where(effects > FAR, FAILING, 1.0)[which])
    return alternative_annotator_test(
        judge, people, ("a", "b", "c"), "ordinal", clusters=which.tolist(), epsilon=_behind(balanced)
    ).condition


FAR, FAILING = 1.5, 6.0
"""Topics beyond which the judge of :func:`skewed_stand_in` fails (22% of them), and by how much more it then errs."""


@cache
def _behind(balanced: bool) -> float:
    """By how much an annotator fits better than that judge, in the mean of very many topics."""
    rng = np.random.default_rng(3)
    effects = rng.exponential(size=20_000)
    which = np.repeat(np.arange(len(effects)), ITEMS if balanced else tied(effects).astype(int))
    worth = worths(rng, which)
    people = np.stack([rated(rng, which, worth, 0.7) for _ in range(3)])
    judge = rated(rng, which, worth, 0.7 * np.where(effects > FAR, FAILING, 1.0)[which])
    test = alternative_annotator_test(judge, people, ("a", "b", "c"), "ordinal", clusters=which.tolist())
    return float(np.mean([row.person - row.judge for row in test.annotators]))


Conditions = Sequence[VerdictCondition | None]


@dataclass(frozen=True)
class SkewedCase:
    """One question to a verdict of the second family: ``found(rng, topics, balanced)`` gives the conditions of the
    verdicts that are counted."""

    verdict: str
    truth: str
    counted: str
    found: Callable[[Rng, int, bool], Conditions]
    errs: bool

    @property
    def name(self) -> str:
        """What it is kept under."""
        return f"skewed: {self.verdict}: {self.truth}: {self.counted}"

    def happened(self, topics: int, balanced: bool, seed: int) -> dict[str, bool]:
        """Whether what is counted happened in one sample, and whether it was said to hold under skew."""
        rng = np.random.default_rng([seed, topics, balanced, crc32(self.name.encode())])
        conditions = self.found(rng, topics, balanced)
        holds = any(condition is None or condition.holds_if_skewed for condition in conditions)
        return {self.counted: bool(conditions), f"{self.counted}{ALSO}": holds}

    def cases(self) -> Iterator[Case]:
        """Its rows: of what is said to hold under skew a rate is promised."""
        for counted, errs in ((self.counted, None), (f"{self.counted}{ALSO}", ALPHA if self.errs else None)):
            yield Case(self.verdict, self.truth, counted, lambda *drawn: False, errs)


ALSO = ", also under skew"


def _skewed_curves(
    title: str, direction: Direction, shift: float, verdict: Verdict, sign: int, *, errs: bool
):
    def found(rng: Rng, topics: int, balanced: bool) -> list[VerdictCondition | None]:
        said = skewed_curve(rng, topics, balanced, direction, shift, sign)
        return [said.condition] if said.verdict == verdict else []

    return SkewedCase(title, f"shift {shift:+g}", f'"{verdict}"', found, errs)


def _skewed_differences(gap: float, sign: int, *, errs: bool) -> SkewedCase:
    def found(rng: Rng, topics: int, balanced: bool) -> list[VerdictCondition | None]:
        condition = skewed_difference(rng, topics, balanced, gap, sign)
        return [] if condition is None else [condition]

    truth = f"one better by {gap:g}" if gap else "two systems alike"
    return SkewedCase("diff", truth, "p < .05", found, errs)


def _once(
    verdict: str,
    truth: str,
    condition: Callable[[Rng, int, bool], VerdictCondition | None],
    *,
    errs: bool,
    counted: str = "p < .05",
) -> SkewedCase:
    """A case of one verdict a sample, which has a condition where it is given."""

    def found(rng: Rng, topics: int, balanced: bool) -> list[VerdictCondition | None]:
        one = condition(rng, topics, balanced)
        return [] if one is None else [one]

    return SkewedCase(verdict, truth, counted, found, errs)


SKEWED_CASES: tuple[SkewedCase, ...] = (
    _skewed_curves("falls", Direction.FALL, 0.0, "yes", 1, errs=True),
    _skewed_curves("falls", Direction.FALL, -0.2, "yes", 1, errs=False),
    _skewed_curves("stands still", Direction.UNCHANGED, MARGIN, "yes", 1, errs=True),
    _skewed_curves("stands still", Direction.UNCHANGED, MARGIN, "no", -1, errs=True),
    _skewed_curves("no rise", Direction.NO_RISE, MARGIN, "yes", 1, errs=True),
    _skewed_differences(0.0, 1, errs=True),
    _skewed_differences(0.2, 1, errs=False),
    SkewedCase(
        "bias alarm, 20 rows", "nothing moves", "any alarm",
        lambda rng, topics, balanced: skewed_alarms(rng, topics, balanced, 20), True,
    ),
    _once("compare", "two judges alike", alike, errs=True),
    _once("diff with labels", "two systems alike", lambda *of: skewed_corrected(*of, 0.0, 1), errs=True),
    _once("diff with labels", "one better by 0.2", lambda *of: skewed_corrected(*of, 0.2, 1), errs=False),
    _once("retrieve evaluate", "two rankings alike", lambda rng, topics, _: skewed_rankings(rng, topics), errs=True),
    _once("meta", "two judges alike", lambda rng, topics, _: skewed_rankers(rng, topics), errs=True),
    _once("stands in for one of the people", "judge worse by epsilon", skewed_stand_in, errs=True, counted="passes"),
)  # fmt: skip
"""The verdicts of the second family."""


def happened(name: str, topics: int, balanced: bool, seed: int) -> bool:
    """Whether what the case counts happened in one sample."""
    case = next(case for case in CASES if case.name == name)
    return bool(
        case.happens(np.random.default_rng([seed, topics, balanced, crc32(name.encode())]), topics, balanced)
    )
