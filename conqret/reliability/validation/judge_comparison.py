"""Two judges on the same items and labels: which of them is closer to people, paired."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from conqret.data import Judgment
from conqret.errors import DeclarationError
from conqret.io.labels import LabelSet
from conqret.reliability.validation.dimension_view import NO_SCALE, PeopleRule, View
from conqret.reliability.validation.label_join import join_labels
from conqret.reliability.validation.people import OVERALL, SEED
from conqret.stats.agreement import Alphas, alphas, stack
from conqret.stats.bootstrap import CONFIDENCE, RESAMPLES
from conqret.stats.estimate import Estimate, undefined
from conqret.stats.resampling import Resamples, draw
from conqret.stats.significance import PairedTest, holm, paired_t_test

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ComparedOn(_Frozen):
    """Two judges on one dimension, on the ``units`` that people labelled and both scored.

    ``first`` and ``second`` are their alphas with people's one label, ``difference`` is first minus second over the
    same resamples. ``error_first`` and ``error_second`` are mean distances from that label in [0, 1]; ``test`` compares
    them by topic (a negative difference favours the first), and ``p_holm`` is corrected over the dimensions.
    """

    dimension: str
    units: int
    only_first: int
    only_second: int
    first: Estimate
    second: Estimate
    difference: Estimate
    error_first: float | None
    error_second: float | None
    test: PairedTest | None
    p_holm: float | None


class JudgeComparison(_Frozen):
    """The paired comparison of two judges; ``average`` is without overall quality, in the order first, second,
    difference. Dimensions that only one of them has are named, and left out."""

    first: str
    second: str
    labels: str
    dimensions: dict[str, ComparedOn]
    average: tuple[Estimate, Estimate, Estimate]
    left_out: list[str]
    clustered_by: str
    clusters: int
    resamples: int
    confidence: float
    seed: int


def compare_judges(
    first: Iterable[Judgment],
    second: Iterable[Judgment],
    labels: LabelSet,
    *,
    names: tuple[str, str] = ("first", "second"),
    metrics: Mapping[str, str] | None = None,
    people: PeopleRule = "auto",
    resamples: int = RESAMPLES,
    confidence: float = CONFIDENCE,
    seed: int = SEED,
) -> JudgeComparison:
    """Compare two judges on what both scored.

    Raises:
        DeclarationError: the labels meet one of them nowhere, or the two share no dimension.
    """
    import numpy as np

    one, other = join_labels(first, labels, metrics), join_labels(second, labels, metrics)
    shared = [name for name in one.metrics if name in other.metrics]
    units = [unit for unit in one.units if unit in set(other.units)]
    if not shared or not units:
        raise DeclarationError("the two judges share no labelled dimension, or no item")
    place = {unit: number for number, unit in enumerate(one.units)}
    there = {unit: number for number, unit in enumerate(other.units)}
    mine, yours = [place[unit] for unit in units], [there[unit] for unit in units]
    clusters = [one.clusters[number] for number in mine]
    drawn = draw(clusters, np.random.default_rng(seed), resamples=resamples)
    rows: list[ComparedOn] = []
    found: list[tuple[str, Alphas]] = []
    for dimension in shared:
        left, right = View(one, dimension, people, None), View(other, dimension, people, None)
        row, both = _compare(left, right, dimension, mine, yours, clusters, drawn, confidence)
        rows.append(row)
        found.append((dimension, both))
    corrected = iter(holm([row.test.p for row in rows if row.test is not None]))
    rows = [
        row.model_copy(update={"p_holm": next(corrected)}) if row.test is not None else row for row in rows
    ]
    average = [both for dimension, both in found if dimension != OVERALL] or [both for _, both in found]
    return JudgeComparison(
        first=names[0],
        second=names[1],
        labels=Path(labels.name).name,
        dimensions={row.dimension: row for row in rows},
        average=_average(average, confidence),
        left_out=sorted(set(one.metrics) ^ set(other.metrics)),
        clustered_by=one.clustered_by,
        clusters=drawn.clusters,
        resamples=resamples,
        confidence=confidence,
        seed=seed,
    )


def _compare(
    left: View,
    right: View,
    dimension: str,
    mine: list[int],
    yours: list[int],
    clusters: list[Hashable],
    drawn: Resamples,
    confidence: float,
) -> tuple[ComparedOn, Alphas]:
    import numpy as np

    target = left.target[mine]
    one, other = left.judge("mean")[mine], right.judge("mean")[yours]
    labelled = ~np.isnan(target)
    shared = labelled & ~np.isnan(one) & ~np.isnan(other)
    pairs = np.stack([np.stack([np.where(shared, side, np.nan), target]) for side in (one, other)])
    both = alphas(pairs, left.scale.level, drawn)
    if left.placed:
        estimates = [both.estimate(number, confidence=confidence) for number in (0, 1)]
        difference = _difference(both, confidence)
    else:
        estimates, difference = [undefined(NO_SCALE)] * 2, undefined(NO_SCALE)
    errors = None
    if left.scale.bounded and shared.any():
        low, high = left.scale.ends()
        errors = [np.abs(side - target)[shared] / (high - low) for side in (one, other)]
    row = ComparedOn(
        dimension=dimension,
        units=int(shared.sum()),
        only_first=int((labelled & ~np.isnan(one) & np.isnan(other)).sum()),
        only_second=int((labelled & np.isnan(one) & ~np.isnan(other)).sum()),
        first=estimates[0],
        second=estimates[1],
        difference=difference,
        error_first=float(errors[0].mean()) if errors else None,
        error_second=float(errors[1].mean()) if errors else None,
        test=_test(errors, [clusters[number] for number in np.flatnonzero(shared)]) if errors else None,
        p_holm=None,
    )
    return row, both


def _difference(both: Alphas, confidence: float) -> Estimate:
    from conqret.stats.estimate import from_draws

    reason = both.reasons[0] or both.reasons[1]
    value = float(both.values[0] - both.values[1])
    return from_draws(
        value, both.draws[:, 0] - both.draws[:, 1], both.units[0], confidence=confidence, reason=reason
    )


def _average(found: list[Alphas], confidence: float) -> tuple[Estimate, Estimate, Estimate]:
    import numpy as np

    defined = [one for one in found if not np.isnan(one.values).any()]
    if not defined:
        none = undefined("alpha is defined for none of the dimensions")
        return none, none, none
    stacked = stack(defined)
    firsts, seconds = list(range(0, len(stacked.values), 2)), list(range(1, len(stacked.values), 2))
    mean = Alphas(
        np.array([stacked.values[firsts].mean(), stacked.values[seconds].mean()]),
        np.column_stack([stacked.draws[:, firsts].mean(axis=1), stacked.draws[:, seconds].mean(axis=1)]),
        (len(defined), len(defined)),
        (0, 0),
        ("", ""),
    )
    return (
        mean.estimate(0, confidence=confidence),
        mean.estimate(1, confidence=confidence),
        _difference(mean, confidence),
    )


def _test(errors: list[NDArray[np.float64]], clusters: list[Hashable]) -> PairedTest | None:
    """The paired t-test of the two errors' topic means; None with fewer than two topics."""
    import numpy as np

    places = {name: number for number, name in enumerate(dict.fromkeys(clusters))}
    if len(places) < 2:
        return None
    which = np.array([places[name] for name in clusters])
    counts = np.bincount(which)
    return paired_t_test(*(np.bincount(which, side) / counts for side in errors))
