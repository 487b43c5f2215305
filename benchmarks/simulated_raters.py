"""Made-up labels by nine annotators of known severity, with a judge: every interval and verdict on raters.

Worth and steps are those of ``simulated_intervals.py``, in both families. Annotators rate from .6 lower to .6 higher
(before steps) and see worth with noise from .4 to 1.2; the judge rates .3 lower, without steps. Either everybody labels
every unit, or three of the nine, drawn anew for each. Verdicts are counted where all nine are alike, where their
severities are normal (standard deviation .3), and where one of nine that are else alike rates 1.5 lower.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray
from simulated_intervals import HEAVY, ITEMS, TOPIC_BIAS, TOPIC_SHARE, UNBALANCED, UNLIKE, Triple, triple

from conqret.stats.rater_severity import PlacedRaters, place_raters, rater_tests
from conqret.stats.resampling import leave_one_out

Numbers = NDArray[np.float64]

RATERS = 9
SEVERITIES = np.linspace(0.6, -0.6, RATERS)
NOISES = np.linspace(1.2, 0.4, RATERS)[[8, 1, 6, 3, 4, 5, 2, 7, 0]]
ALIKE = 0.7
"""The noise of annotators where verdicts are counted, and of the judge."""
LOWER = 0.3
"""By how much the judge rates lower."""
SPREAD, OUTLIER = 0.3, 1.5
EACH = 3
"""Annotators who label a unit, where not all do."""
RATER_KINDS = {
    "raters, even": "five labels that occur about equally often",
    "raters, skewed": "five labels, the upper ones rare",
    "raters, harsh": "four skewed labels, heavy tails, unlike topics, larger ones where worth is higher",
}
DESIGNS = {False: "all label all", True: "three of nine label a unit"}
INTERVALS_OF_RATERS = [
    f"{name}, {words}"
    for words in DESIGNS.values()
    for name in (
        "severity, a severe annotator",
        "severity, a lenient annotator",
        "severity, the judge",
        "order, an annotator",
        "order, the judge",
    )
]
VERDICTS_OF_RATERS = {
    "all alike: somebody is shown to rate lower or higher": 0.05,
    "all alike: somebody is an outlier": 0.05,
    "normal severities: somebody is an outlier": 0.05,
    "normal severities, three of nine label a unit: somebody is an outlier": 0.05,
    "one rates 1.5 lower: it is an outlier": None,
}
"""What is counted, and in how many samples it may happen."""


def labelled(
    rng: np.random.Generator,
    topics: int,
    balanced: bool,
    kind: str,
    severities: Sequence[float] | Numbers,
    noises: Sequence[float] | Numbers,
) -> tuple[NDArray[np.intp], Numbers, Numbers]:
    """The topic of each unit, the annotators' labels of it, and the judge's score."""
    harsh = kind.endswith("harsh")
    by_topic = rng.standard_t(HEAVY, size=topics) / HEAVY**0.5 if harsh else rng.normal(size=topics)
    sizes = np.full(topics, ITEMS)
    if not balanced and harsh:
        sizes = np.clip(np.round(ITEMS * np.exp(0.6 * by_topic)), 1, max(UNBALANCED)).astype(int)
    elif not balanced:
        sizes = rng.choice(UNBALANCED, size=topics)
    which = np.repeat(np.arange(topics), sizes)
    worth = by_topic[which] * TOPIC_SHARE**0.5 + rng.normal(size=len(which)) * (1 - TOPIC_SHARE) ** 0.5
    unlike = np.exp(rng.normal(size=topics) * UNLIKE - UNLIKE**2 / 2)[which] if harsh else 1.0

    def seen(severity: float, noise: float) -> Numbers:
        topic = (rng.normal(size=topics) * TOPIC_BIAS)[which]
        return np.asarray(worth - severity + rng.normal(size=len(which)) * noise * unlike + topic)

    def steps(values: Numbers) -> Numbers:
        if harsh:
            return np.asarray(1.0 + np.searchsorted((0.2, 0.9, 1.6), values))
        return np.clip(np.round(_scaled(values, kind)), 1, 5)

    table = np.stack([steps(seen(*rater)) for rater in zip(severities, noises, strict=True)])
    return which, table, np.clip(_scaled(seen(LOWER, ALIKE), kind), 1, 4 if harsh else 5)


def _scaled(values: Numbers, kind: str) -> Numbers:
    """What is seen on the labels' scale, without steps."""
    if kind.endswith("even"):
        return np.asarray(3 + 1.2 * values)
    return np.asarray(0.6 + 0.9 * np.exp(0.6 * values) if kind.endswith("skewed") else 1.6 + 0.9 * values)


def thinned(rng: np.random.Generator, table: Numbers) -> Numbers:
    """The labels of :data:`EACH` annotators of each unit."""
    return np.where(np.argsort(rng.random(table.shape), axis=0) < EACH, table, np.nan)


def _placed(placed: PlacedRaters) -> list[Triple | None]:
    severe, lenient = placed.raters[0], placed.raters[-1]
    shown = [severe.severity, lenient.severity, None, severe.order, None]
    if placed.judge is not None:
        shown[2], shown[4] = placed.judge.severity, placed.judge.order
    together = severe.group == lenient.group == 0 and len(placed.groups) == 1
    return [None if one is None or not together else triple(one.estimate()) for one in shown]


def raters_once(kind: str, topics: int, balanced: bool, seed: int) -> dict[str, Triple | bool | None]:
    """All intervals of one sample, and what is concluded from others, by name."""
    rng = np.random.default_rng([seed, topics, balanced, list(RATER_KINDS).index(kind), 9])
    which, table, judge = labelled(rng, topics, balanced, kind, SEVERITIES, NOISES)
    drawn = leave_one_out(which.tolist())
    both = [
        *_placed(place_raters(table, drawn, judge)),
        *_placed(place_raters(thinned(rng, table), drawn, judge)),
    ]
    found: dict[str, Triple | bool | None] = dict(zip(INTERVALS_OF_RATERS, both, strict=True))

    def concluded(severities: Numbers, *, thin: bool = False) -> tuple[list[bool], list[bool]]:
        which, table, _ = labelled(rng, topics, balanced, kind, severities, np.full(RATERS, ALIKE))
        tests = rater_tests(
            place_raters(thinned(rng, table) if thin else table, leave_one_out(which.tolist()))
        )
        return tuple([p is not None and p < 0.05 for p in those] for those in (tests.p, tests.outlier))  # type: ignore[return-value]

    sides, outliers = concluded(np.zeros(RATERS))
    shown = [
        any(sides),
        any(outliers),
        any(concluded(rng.normal(size=RATERS) * SPREAD)[1]),
        any(concluded(rng.normal(size=RATERS) * SPREAD, thin=True)[1]),
        concluded(np.array([OUTLIER, *np.zeros(RATERS - 1)]))[1][0],
    ]
    return found | dict(zip(VERDICTS_OF_RATERS, shown, strict=True))


@cache
def rater_truths(kind: str, balanced: bool, topics: int = 1500, repeats: int = 6) -> dict[str, float]:
    """What each of these is in very many topics: its mean over ``repeats`` large samples."""
    every = []
    for repeat in range(repeats):
        rng = np.random.default_rng([repeat, 10**6])
        _, table, judge = labelled(rng, topics, balanced, kind, SEVERITIES, NOISES)
        both = [table, thinned(rng, table)]
        every.append([one[0] for part in both for one in _placed(place_raters(part, judge=judge)) if one])
    return dict(zip(INTERVALS_OF_RATERS, np.mean(every, axis=0).tolist(), strict=True))
