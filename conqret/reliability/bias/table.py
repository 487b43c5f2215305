"""From judgments to the bias table: an effect with its interval and a verdict for each comparison and metric."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal

from conqret.data import Judgment
from conqret.data.item import Frozen
from conqret.judging.folder import InstrumentRecord
from conqret.reliability.bias.contrast import Adverse, Contrast, Key
from conqret.runs.session import SessionCounts
from conqret.stats.effects import FEWEST_CLUSTERS, Effect, Paired, paired_effects
from conqret.stats.estimate import CONFIDENCE
from conqret.stats.significance import ALPHA

SCHEMA = "conqret.bias/2"

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
        return f"{self.format} with {self.model}, {self.items} items, {', '.join(self.probes)}"


class BiasTable(Frozen):
    """All that the probes found of one judge, of which ``record`` tells. ``left_out`` says why a probe was not made;
    ``warnings`` must be said wherever the table is shown. ``session`` counts what the last session took."""

    schema_name: str = SCHEMA
    record: BiasRecord
    topics: int
    confidence: float
    alpha: float
    rows: tuple[BiasRow, ...]
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
        """The reasons of all pairs without a value, over all rows."""
        return sum((Counter(row.missing) for row in self.rows), Counter())


def bias_rows(
    contrasts: Sequence[Contrast],
    readings: Mapping[Key, Judgment],
    *,
    seed: int,
    confidence: float = CONFIDENCE,
    alpha: float = ALPHA,
) -> tuple[BiasRow, ...]:
    """A row for each contrast and metric.

    An alarm needs a corrected p-value below ``alpha`` (all rows that could alarm are corrected together), an interval
    that excludes 0, and the adverse direction. Where nothing is wrong with a judge, any alarm at all is raised with a
    probability of at most ``alpha``.
    """
    import numpy as np

    rng = np.random.default_rng(seed)
    found = [
        (one, metric, *_differences(one, metric, readings)) for one in contrasts for metric in one.metrics
    ]
    effects: dict[int, Effect] = {}
    for tested in (True, False):
        series = {
            place: paired
            for place, (one, _, paired, _) in enumerate(found)
            if paired is not None and (one.adverse != "none") == tested
        }
        several = paired_effects(list(series.values()), rng, tested=tested, confidence=confidence)
        effects |= dict(zip(series, several, strict=True))
    return tuple(
        _row(one, metric, effects.get(place), missing, alpha)
        for place, (one, metric, _, missing) in enumerate(found)
    )


def _differences(
    contrast: Contrast, metric: str, readings: Mapping[Key, Judgment]
) -> tuple[Paired | None, dict[str, int]]:
    differences, clusters = [], []
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
    return (Paired(differences, clusters) if differences else None), dict(sorted(missing.items()))


def _row(
    contrast: Contrast, metric: str, effect: Effect | None, missing: dict[str, int], alpha: float
) -> BiasRow:
    verdict, words = _verdict(contrast, effect, alpha)
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


def _verdict(contrast: Contrast, effect: Effect | None, alpha: float) -> tuple[Verdict, str]:
    if effect is None:
        return "no value", "no pair has a value on both sides"
    if effect.p is None:
        if effect.share == 0:
            return "measured", "says the same every time"
        return "measured", f"{effect.share:.0%} of repetitions differ, by {effect.moved:.3f} in the mean"
    if effect.clusters < FEWEST_CLUSTERS:
        return "too few topics", f"{effect.clusters} topics: at least {FEWEST_CLUSTERS} are needed for a test"
    spans = effect.low is not None and effect.high is not None and effect.low <= 0 <= effect.high
    clear = effect.p < alpha and not spans
    if clear and (contrast.adverse == "any" or effect.value > 0):
        return "alarm", contrast.up if effect.value > 0 else f"the opposite of: {contrast.up}"
    if clear:
        return "no alarm", "lowers the score, as a careful judge may"
    if effect.share == 0:
        return "no alarm", "nothing moved"
    return "no alarm", "not told apart from chance"
