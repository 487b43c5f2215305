"""Where annotators and the judge stand on one scale of severity, and whether they order units as the others do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, Self

from conqret.data.item import Frozen
from conqret.io.label_scale import LabelScale
from conqret.stats.dawid_skene import FEWEST_RATERS, consensus_rates
from conqret.stats.estimate import CONFIDENCE, Estimate, undefined
from conqret.stats.rater_severity import FEWEST_LABELLED, PlacedRater, place_raters, rater_tests
from conqret.stats.resampling import Resamples

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Side = Literal["", "lower", "higher"]
LEVEL = 0.05
"""The p-value below which something is shown."""
JUDGE = "the judge"
TOO_FEW_LABELS = f"fewer than {FEWEST_LABELLED} labels"
NO_ORDER = "these labels have no order"


class RaterPlace(Frozen):
    """One rater: ``severity`` in points of the labels' scale (above 0: rates the same units lower than the average
    annotator of the ``group``), ``p`` of its being 0, the ``side`` that is shown at 5%, ``outlier``, the p of its being
    one of the others' severities (both corrected over annotators, the judge's alone not; None: no test), and ``order``,
    the rank correlation with the other annotators. ``labels`` counts labelled units that
    others labelled, too. Annotators of different groups have no units in common, directly or through others; ``group``
    is None where too little is known of a rater.

    Labels without an order have no severity: ``consensus`` is then the probability that a label of this rater's is the
    true one, by Dawid and Skene."""

    name: str
    labels: int
    group: int | None
    severity: Estimate
    p: float | None
    side: Side
    outlier: float | None
    order: Estimate
    consensus: Estimate = Estimate(None)

    @property
    def apart(self) -> bool:
        """Whether it is shown to be an outlier."""
        return self.outlier is not None and self.outlier < LEVEL

    @classmethod
    def of(
        cls,
        name: str,
        labels: int,
        placed: PlacedRater,
        p: float | None,
        outlier: float | None,
        confidence: float,
    ) -> Self:
        """A rater as it was placed."""
        apart: Side = "lower" if placed.severity.value > 0 else "higher"
        return cls(
            name=name,
            labels=labels,
            group=placed.group,
            severity=placed.severity.estimate(confidence),
            p=p,
            side=apart if p is not None and p < LEVEL else "",
            outlier=outlier,
            order=placed.order.estimate(confidence),
        )


class Raters(Frozen):
    """The annotators of a dimension, the most severe first, and those who could not be placed last; how many each of
    the ``groups`` has, the ``spread`` of the severities of the first (the standard deviation without what chance adds,
    None of fewer than three), and the ``judge`` among these. Labels that are not ``ordered`` have no severities."""

    scale: str
    annotators: tuple[RaterPlace, ...]
    groups: tuple[int, ...]
    spread: float | None
    ordered: bool = True
    judge: RaterPlace | None = None

    @property
    def placed(self) -> list[RaterPlace]:
        """The annotators whose severity is known, of the first group."""
        return [rater for rater in self.annotators if rater.group == 0]

    def beyond(self, side: Side) -> int:
        """How many annotators of the first group rate lower (or higher) than the judge."""
        at = None if self.judge is None else self.judge.severity.value
        if at is None:
            return 0
        severities = [rater.severity.value for rater in self.placed if rater.severity.value is not None]
        return sum(value > at if side == "lower" else value < at for value in severities)


def raters_of(
    names: Sequence[str],
    table: NDArray[np.float64],
    scale: LabelScale,
    drawn: Resamples,
    *,
    judge: NDArray[np.float64] | None = None,
    confidence: float = CONFIDENCE,
) -> Raters | None:
    """Place the annotators of one dimension and the ``judge`` (its scores on the labels' scale).

    ``table`` has annotators by units, NaN for none, and ``drawn`` resamples units. None where fewer than two annotators
    labelled, or fewer than three where labels have no order.
    """
    import numpy as np

    if len(names) < 2:
        return None
    if scale.level == "nominal":
        return _consensus(names, table, judge) if len(names) >= FEWEST_RATERS else None
    placed = place_raters(table, drawn, judge)
    tests = rater_tests(placed)
    there = ~np.isnan(table)
    counts = (there & (there.sum(axis=0) > 1)).sum(axis=1).tolist()
    annotators = [
        RaterPlace.of(name, count, rater, p, outlier, confidence)
        for name, count, rater, p, outlier in zip(
            names, counts, placed.raters, tests.p, tests.outlier, strict=True
        )
    ]
    found_judge = None
    if judge is not None and placed.judge is not None:
        scored = int((~np.isnan(judge)).sum())
        found_judge = RaterPlace.of(
            JUDGE, scored, placed.judge, placed.judge.severity.p(), tests.judge, confidence
        )
    return Raters(
        scale=f"{scale.low:g} to {scale.high:g}" if scale.low is not None else "ends not known",
        annotators=tuple(sorted(annotators, key=_rank)),
        groups=placed.groups,
        spread=tests.spread[0] if tests.spread else None,
        judge=found_judge,
    )


def _consensus(
    names: Sequence[str], table: NDArray[np.float64], judge: NDArray[np.float64] | None
) -> Raters | None:
    """The raters by how often their label is the true one, the least often first; the judge is one more rater."""
    import numpy as np

    if np.isnan(table).all():
        return None
    none = undefined(NO_ORDER)
    rows = table if judge is None else np.vstack([table, judge])
    placed = [
        RaterPlace(
            name=name,
            labels=labels,
            group=0 if labels >= FEWEST_LABELLED else None,
            severity=none,
            p=None,
            side="",
            outlier=None,
            order=none,
            consensus=Estimate(rate, n=labels) if labels >= FEWEST_LABELLED else undefined(TOO_FEW_LABELS),
        )
        for name, rate, labels in zip(
            [*names, JUDGE], consensus_rates(rows), (~np.isnan(rows)).sum(axis=1).tolist(), strict=False
        )
    ]
    annotators = placed[: len(names)]
    return Raters(
        scale="labels without an order",
        annotators=tuple(
            sorted(annotators, key=lambda rater: (rater.group is None, rater.consensus.value or 0.0))
        ),
        groups=(sum(rater.group == 0 for rater in annotators),),
        spread=None,
        ordered=False,
        judge=None if judge is None else placed[-1],
    )


def _rank(rater: RaterPlace) -> tuple[bool, int, float]:
    """By group, the most severe first, and last who could not be placed."""
    return rater.group is None, rater.group or 0, -(rater.severity.value or 0.0)
