"""From judgments to the bias table: an effect with its interval and a verdict for each comparison and metric."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar, Literal

from conqret.data import Judgment
from conqret.data.gathering import gathered
from conqret.data.item import Frozen
from conqret.errors import number
from conqret.judging.folder import InstrumentRecord
from conqret.reliability.bias.contrast import Adverse, Contrast, Key
from conqret.reliability.generalizability import Repeatability
from conqret.runs.session import SessionCounts
from conqret.stats.effects import Effect, Paired, paired_effects
from conqret.stats.estimate import CONFIDENCE, FEWEST_TESTED
from conqret.stats.significance import ALPHA
from conqret.stats.slopes import slope_bounds

SCHEMA = "conqret.bias/2"

UNRELATED = "scores do not rise with people's labels"

Verdict = Literal["alarm", "no alarm", "too few topics", "no value", "measured"]


class BiasRow(Frozen):
    """One comparison on one metric.

    ``effect`` is that of the differences in scores (in [0, 1]), with an interval over topics and a p-value
    that is corrected over the whole table; None where no pair has a value. ``missing`` counts the reasons of the
    pairs without one.
    """

    probe: str
    name: str
    metric: str
    adverse: Adverse
    up: str
    effect: Effect | None
    missing: Mapping[str, int] = {}
    verdict: Verdict
    words: str


class BiasRecord(InstrumentRecord):
    """What ``run.json`` says: the judge, and what it was asked. ``digest`` is that of every version of every item, by
    the way in which it is asked."""

    SAME: ClassVar[Mapping[str, str]] = {
        **InstrumentRecord.SAME,
        "probes": "probes",
        "repeats": "repeats",
        "seed": "seed",
        "digest": "items, labels, or what is asked of them",
    }

    kind: str = "bias"
    probes: tuple[str, ...]
    repeats: int
    seed: int
    items: int
    digest: str

    def __str__(self) -> str:
        return f"{self.format} with {self.model}, {number(self.items, 'item')}, {', '.join(self.probes)}"


class BiasTable(Frozen):
    """All that the probes found of one judge, of which ``record`` tells. ``left_out`` says why a probe was not made;
    ``warnings`` must be said wherever the table is shown. ``repeatability`` has the metrics that were asked for again.
    ``session`` counts what the last session took."""

    schema_name: str = SCHEMA
    record: BiasRecord
    topics: int
    confidence: float
    alpha: float
    rows: tuple[BiasRow, ...]
    repeatability: tuple[Repeatability, ...] = ()
    left_out: Mapping[str, str] = {}
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    judgments: int = 0
    session: SessionCounts = SessionCounts()

    @property
    def alarms(self) -> tuple[BiasRow, ...]:
        """The rows in which a bias was found."""
        return tuple(row for row in self.rows if row.verdict == "alarm")

    @property
    def missing(self) -> Counter[str]:
        """The reasons of all pairs that the judge left without a value, over all rows."""
        found = sum((Counter(row.missing) for row in self.rows), Counter())
        del found[UNRELATED]  # a finding: asking again would not mend it
        return found


def bias_rows(
    contrasts: Sequence[Contrast],
    readings: Mapping[Key, Judgment],
    *,
    seed: int,
    confidence: float = CONFIDENCE,
    alpha: float = ALPHA,
) -> tuple[BiasRow, ...]:
    """A row for each contrast and metric.

    Between different items the difference is that of the judge less a slope times that of people, at both ends of what
    the slope can be (:func:`conqret.stats.slopes.slope_bounds`): a bias has to show at either.

    An alarm needs a corrected p-value below ``alpha`` (all rows that could alarm are corrected together), an interval
    that excludes 0, and the adverse direction. Where nothing is wrong with a judge, any alarm at all is raised with a
    probability of at most ``alpha``.
    """
    import numpy as np

    rng = np.random.default_rng(seed)
    found = [
        (one, metric, *_differences(one, metric, readings)) for one in contrasts for metric in one.metrics
    ]
    effects: dict[int, list[Effect]] = {}
    for tested in (True, False):
        series = [
            (place, paired)
            for place, (one, _, several, _) in enumerate(found)
            for paired in several
            if (one.adverse != "none") == tested
        ]
        effects |= gathered(
            zip(
                (place for place, _ in series),
                paired_effects([one for _, one in series], rng, tested=tested, confidence=confidence),
                strict=True,
            )
        )
    return tuple(
        _row(one, metric, spanned(effects[place]) if place in effects else None, missing, alpha)
        for place, (one, metric, _, missing) in enumerate(found)
    )


def spanned(effects: Sequence[Effect]) -> Effect:
    """One effect of those at the least and the largest slope, between which the true one lies: their mean, an interval
    that spans both, and the larger p-value (1 where the signs differ). Scores of things that are equally good differ by
    1 at most, whatever the slope."""
    if len(effects) == 1:
        return effects[0]
    values = [min(max(one.value, -1.0), 1.0) for one in effects]
    lows, highs = [one.low for one in effects], [one.high for one in effects]
    p_values = [one.p for one in effects if one.p is not None]
    return replace(
        effects[0],
        value=sum(values) / len(values),
        low=None if None in lows else max(min(low for low in lows if low is not None), -1.0),
        high=None if None in highs else min(max(high for high in highs if high is not None), 1.0),
        standardised=None,
        p=1.0 if min(values) <= 0 <= max(values) else max(p_values, default=1.0),
    )


def _differences(
    contrast: Contrast, metric: str, readings: Mapping[Key, Judgment]
) -> tuple[list[Paired], dict[str, int]]:
    """The differences of the pairs (several, where more than one slope is possible), and why pairs have none."""
    differences, clusters, kept = [], [], []
    missing: Counter[str] = Counter()
    for pair in contrast.pairs:
        base, changed = readings[pair.base], readings[pair.changed]
        one, other = base.value(metric), changed.value(metric)
        if one is None or other is None:
            lost = base if one is None else changed
            missing[lost.reasons.get(metric, "no value")] += 1
            continue
        differences.append(one + other - 1 if contrast.mirrored else other - one)
        clusters.append(pair.cluster)
        kept.append(pair)
    if not differences:
        return [], dict(sorted(missing.items()))
    if contrast.people is None:
        return [Paired(differences, clusters)], dict(sorted(missing.items()))
    apart = [contrast.people[pair.changed[1]] - contrast.people[pair.base[1]] for pair in kept]
    slopes = slope_bounds(apart, differences)
    if slopes is None:
        return [], {UNRELATED: len(kept), **missing}
    return [
        Paired([one - slope * gap for one, gap in zip(differences, apart, strict=True)], clusters)
        for slope in dict.fromkeys(slopes)
    ], dict(sorted(missing.items()))


def _row(
    contrast: Contrast, metric: str, effect: Effect | None, missing: dict[str, int], alpha: float
) -> BiasRow:
    verdict, words = _verdict(contrast, effect, missing, alpha)
    return BiasRow(
        probe=contrast.probe,
        name=contrast.name,
        metric=metric,
        adverse=contrast.adverse,
        up=contrast.up,
        effect=effect,
        missing=missing,
        verdict=verdict,
        words=words,
    )


def _verdict(
    contrast: Contrast, effect: Effect | None, missing: Mapping[str, int], alpha: float
) -> tuple[Verdict, str]:
    if effect is None and UNRELATED in missing:
        return "no value", f"{UNRELATED}: quality cannot be allowed for"
    if effect is None:
        return "no value", "no pair has a value on both sides"
    if effect.p is None:
        if effect.share == 0:
            return "measured", "says the same every time"
        return "measured", f"{effect.share:.0%} of repetitions differ, by {effect.moved:.3f} in the mean"
    if effect.clusters < FEWEST_TESTED:
        return (
            "too few topics",
            f"{number(effect.clusters, 'topic')}: at least {FEWEST_TESTED} are needed for a test",
        )
    spans = effect.low is not None and effect.high is not None and effect.low <= 0 <= effect.high
    clear = effect.p < alpha and not spans
    if clear and (contrast.adverse == "any" or effect.value > 0):
        return "alarm", contrast.up if effect.value > 0 else f"the opposite of: {contrast.up}"
    if clear:
        return "no alarm", "lowers the score, as a careful judge may"
    if effect.share == 0:
        return "no alarm", "nothing moved"
    return "no alarm", "not told apart from chance"
