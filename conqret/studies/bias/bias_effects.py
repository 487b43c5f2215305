"""The rows of a bias table: an effect, its interval and a verdict for each comparison and metric; and conditions of
``--require`` on them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from conqret.console.conditions import Requirement
from conqret.data import Judgment
from conqret.data.digest import gathered
from conqret.errors import number
from conqret.stats.curve_tests import MARGIN, slope_bounds
from conqret.stats.effects import ALPHA, Effect, PairedDifferences, paired_effects
from conqret.stats.estimate import MIN_TOPICS
from conqret.stats.resampling import mean
from conqret.studies.bias.contrast import OVERALL, PREFERENCE, PROBES, Contrast, Key, VersionPair, probe_name
from conqret.studies.bias.result import (
    POWER,
    UNRELATED,
    BiasExample,
    BiasRow,
    BiasTable,
    Verdict,
    falls_without_bias,
)

MAX_DIFFERENCE = 1.0
"""No difference of scores in [0, 1] is larger."""


def bias_rows(
    contrasts: Sequence[Contrast], readings: Mapping[Key, Judgment], *, seed: int
) -> tuple[BiasRow, ...]:
    """Compute the row of the bias table for each contrast and metric.

    For pairs of different items, the judge's difference is adjusted by a slope times the difference of human
    labels. Both possible extremes of the slope are tested (:func:`conqret.stats.curve_tests.slope_bounds`),
    and a bias must show at both.

    One row of each probe is primary: that of preference, else of overall quality, else of the first metric.
    It is an alarm if its p-value, corrected over all primary rows, is below :data:`ALPHA`, its interval
    excludes 0, and its direction is adverse. It is clear if an equivalence test at that level places the
    effect within :data:`MARGIN` (for a rise: below it), and inconclusive otherwise. All other rows are
    exploratory. An unbiased judge gets any alarm with a probability of at most :data:`ALPHA`.

    Args:
        contrasts: the comparisons.
        readings: the judgment of each version of an item.
        seed: the seed of the sign flips.
    """
    rng = np.random.default_rng(seed)
    rows = [(contrast, metric) for contrast in contrasts for metric in contrast.metrics]
    found = [_differences(contrast, metric, readings) for contrast, metric in rows]
    primary = _primary(rows)
    family = sum(bool(found[place][0]) for place in primary)
    measured = {place for place, (contrast, _) in enumerate(rows) if contrast.adverse == "none"}
    effects: dict[int, list[Effect]] = {}
    for places in (primary, set(range(len(rows))) - primary - measured, measured):
        series = [(place, paired) for place in sorted(places) for paired in found[place][0]]
        tested = places is not measured
        every = paired_effects([paired for _, paired in series], rng, tested=tested)
        effects |= gathered((place, effect) for (place, _), effect in zip(series, every, strict=True))
    return tuple(
        _row(
            *rows[place],
            widest_effect(effects[place]) if place in effects else None,
            missing,
            _DetectionLimit.from_effects(rows[place][0], several, family)
            if place in primary and several
            else None,
            readings,
        )
        for place, (several, missing) in enumerate(found)
    )


@dataclass(frozen=True, slots=True)
class _DetectionLimit:
    """The result for a primary row without an alarm: whether its effect is within ``margin``, and the smallest bias
    that would have been detected (None: any could be missed)."""

    margin: float
    clear: bool
    missable: float | None

    @classmethod
    def from_effects(cls, contrast: Contrast, several: Sequence[PairedDifferences], family: int) -> Self:
        """Take the larger limit of the possible slopes. A test among ``family`` rows is taken at ALPHA / family,
        somewhat stricter than maxT. An effect detected with a power of 80% is t(alpha) + t(.8) standard errors from
        0."""
        rises = contrast.adverse == "rise"
        reach = MARGIN * (2 if contrast.mirrored else 1)  # a place that wins by so much is off by twice that
        level = ALPHA / family * (2 if rises else 1)
        beyond, sizes = [], []
        for paired in several:
            sample = mean(paired.differences, paired.clusters)
            beyond.append(sample.outside(reach, rising=rises))
            ends = [sample.estimate(1 - min(level, POWER)), sample.estimate(2 * POWER - 1)]
            if None not in (halves := [end.half for end in ends]):
                sizes.append(sum(half for half in halves if half is not None))
        missed = max(sizes, default=MAX_DIFFERENCE)
        return cls(reach, max(beyond) < ALPHA, missed if missed < MAX_DIFFERENCE else None)


def primary_contrasts(contrasts: Sequence[Contrast]) -> tuple[Contrast, ...]:
    """Return the contrasts of the primary rows, each restricted to the metric of its row."""
    rows = [(contrast, metric) for contrast in contrasts for metric in contrast.metrics]
    return tuple(replace(rows[place][0], metrics=(rows[place][1],)) for place in sorted(_primary(rows)))


def _primary(rows: Sequence[tuple[Contrast, str]]) -> set[int]:
    """The places of the primary rows, one of each probe, fixed before anything is judged."""
    best = (PREFERENCE, OVERALL)
    ranked = gathered(
        (contrast.probe, (best.index(metric) if metric in best else len(best), place))
        for place, (contrast, metric) in enumerate(rows)
        if contrast.adverse != "none" and not contrast.observed
    )
    return {min(several)[1] for several in ranked.values()}


def widest_effect(effects: Sequence[Effect]) -> Effect:
    """Combine the effects at the smallest and the largest slope into one conservative effect.

    Its value is their mean, its interval spans both, and its p-value is the larger one (1 if the signs
    differ). Effects are clipped to [-1, 1].
    """
    if len(effects) == 1:
        return effects[0]
    values = [min(max(effect.value, -1.0), 1.0) for effect in effects]
    lows, highs = [effect.low for effect in effects], [effect.high for effect in effects]
    p_values = [effect.p for effect in effects if effect.p is not None]
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
) -> tuple[list[PairedDifferences], dict[str, int]]:
    """Return the differences of scores of a contrast's pairs, and the reasons of pairs without one. There are two
    series if the labels explain a part of the differences and its slope is uncertain (one for each bound), and none if
    no pair has both scores."""
    differences, kept = [], []
    lost: Counter[str] = Counter()
    for pair in contrast.pairs:
        values = _values(pair, metric, readings)
        if len(values) < len(pair.keys):
            without = next(readings[key] for key in pair.keys if readings[key].value(metric) is None)
            lost[without.reasons.get(metric, "no value")] += 1
            continue
        moved = contrast.moved(*values)
        differences.append(-moved if pair.base.item.id in contrast.turned else moved)
        kept.append(pair)
    missing, clusters = dict(sorted(lost.items())), [pair.cluster for pair in kept]
    if not differences:
        return [], missing
    if (human_quality := contrast.human_quality) is None:
        return [PairedDifferences(differences, clusters, contrast.adverse == "rise")], missing
    apart = [human_quality[pair.changed.item.id] - human_quality[pair.base.item.id] for pair in kept]
    slopes = slope_bounds(apart, differences)
    if slopes is None:
        return [], {UNRELATED: len(kept), **missing}
    beyond = [
        [difference - slope * gap for difference, gap in zip(differences, apart, strict=True)]
        for slope in dict.fromkeys(slopes)
    ]
    return [PairedDifferences(each, clusters) for each in beyond], missing


def _row(
    contrast: Contrast,
    metric: str,
    effect: Effect | None,
    missing: dict[str, int],
    answer: _DetectionLimit | None,
    readings: Mapping[Key, Judgment],
) -> BiasRow:
    verdict, words = _verdict(contrast, effect, missing, answer)
    return BiasRow(
        probe=contrast.probe,
        name=contrast.name,
        metric=metric,
        adverse=contrast.adverse,
        up=contrast.up,
        against=contrast.against,
        effect=effect,
        missing=missing,
        primary=answer is not None,
        margin=answer.margin if answer is not None else MARGIN,
        missable=answer.missable if answer is not None else None,
        places=contrast.mirrored and not contrast.observed,
        observed=contrast.observed,
        example=_example(contrast, metric, readings, effect.value)
        if answer and effect and effect.share
        else None,
        verdict=verdict,
        words=words,
    )


def _example(
    contrast: Contrast, metric: str, readings: Mapping[Key, Judgment], towards: float
) -> BiasExample | None:
    """Return the pair whose score moved furthest upwards, or downwards if the effect (``towards``) is below 0; None if
    none moved that way. At least one pair must have both scores."""
    known = [(pair, _values(pair, metric, readings)) for pair in contrast.pairs]
    sign = 1 if towards >= 0 else -1
    moves = [(sign * contrast.moved(*v), pair, v) for pair, v in known if len(v) == len(pair.keys)]
    furthest, pair, (base, changed, *_) = max(moves, key=lambda move: move[0])
    if furthest <= 0:
        return None
    other = "" if contrast.human_quality is None else pair.changed.item.id
    topic = readings[pair.base.key].topic
    return BiasExample(item=pair.original, other=other, topic=topic, base=base, changed=changed)


def _values(pair: VersionPair, metric: str, readings: Mapping[Key, Judgment]) -> list[float]:
    """The values of a pair that exist."""
    return [value for key in pair.keys if (value := readings[key].value(metric)) is not None]


def _verdict(
    contrast: Contrast, effect: Effect | None, missing: Mapping[str, int], answer: _DetectionLimit | None
) -> tuple[Verdict, str]:
    if effect is None:
        none = "no pair has a value on both sides"
        return "no value", f"{UNRELATED}: quality cannot be allowed for" if UNRELATED in missing else none
    if effect.p is None:
        differ = f"{effect.share:.0%} of repetitions differ, by {effect.moved:.3f} in the mean"
        return "measured", differ if effect.share else "says the same every time"
    if effect.clusters < MIN_TOPICS:
        few = f"{number(effect.clusters, 'topic')}: at least {MIN_TOPICS} are needed for a test"
        return "exploratory" if answer is None else "inconclusive", few
    spans = effect.low is not None and effect.high is not None and effect.low <= 0 <= effect.high
    significant = effect.p < ALPHA and not spans
    what = contrast.up if effect.value > 0 else f"the opposite of: {contrast.up}"
    falls = falls_without_bias(contrast.adverse, effect)
    if answer is None:
        return "exploratory", f"a hint: {what}" if significant else "no hint" + "; falls" * falls
    if significant:
        return "alarm", what
    if falls:
        return "clear", "falls, an effect but not the bias that is probed"
    if answer.clear:
        margin = f"{answer.margin:g}"
        within = (
            f"a rise of {margin} or more is ruled out" if contrast.adverse == "rise" else f"within ±{margin}"
        )
        return "clear", within if effect.share else "no score changed"
    if answer.missable is None:
        return "inconclusive", "cannot be told: an effect of any size could have been missed"
    return "inconclusive", f"could have missed up to {answer.missable:.2f}"


COUNTED = ("alarms", "inconclusive", "clear")
OF_PLACES = ("flip_rate", "first_place")
OF_PROBES = ("effect", "missable")


def parse_bias_requirement(text: str) -> Requirement:
    """Parse a condition such as ``alarms == 0`` or ``effect[length] <= 0.1``.

    Raises:
        DeclarationError: the text has another form.
        UnknownNameError: there is no such quantity or probe.
    """
    known, named = (*COUNTED, *OF_PLACES, *OF_PROBES), (OF_PROBES, "probe", "effect[length]")
    read = Requirement.parse(
        text, known, "quantity to require", "alarms == 0", ("first_place", "effect"), named
    )
    return read if read.dimension is None else replace(read, dimension=PROBES[read.dimension].name)


def bias_value(requirement: Requirement, table: BiasTable) -> float | None:
    """Return the value of a requirement's quantity: a count, or a value of a probe's primary row.

    Of several primary rows the one with the largest absolute effect counts. The result is None if one has no
    value, so that the condition fails.
    """
    name = requirement.name
    if name in COUNTED:
        return len(table.having("alarm" if name == "alarms" else name))  # type: ignore[arg-type]
    asked = [
        row
        for row in table.primary
        if (row.places if name in OF_PLACES else probe_name(row.probe) == requirement.dimension)
    ]
    row = max(asked, key=lambda row: abs(row.effect.value) if row.effect else math.inf, default=None)
    if row is None or row.effect is None:
        return None
    if name in ("flip_rate", "missable"):
        return row.effect.share if name == "flip_rate" else row.missable
    end = requirement.end_of(row.effect)
    return end if end is None or name == "effect" else 0.5 + end / 2
