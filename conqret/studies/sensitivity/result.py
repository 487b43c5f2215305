"""What a sensitivity run leaves: its record, curves with their verdicts, and the folder that holds both."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from pydantic import Field

from conqret.data.digest import gathered
from conqret.data.item import Frozen
from conqret.errors import number
from conqret.io.safe_files import InFolder
from conqret.perturb import Direction
from conqret.perturb.versions import UnreachableLevel
from conqret.runs.run_folder import RunRecord
from conqret.runs.session import SessionCounts
from conqret.stats.curve_tests import MARGIN, CurveStep
from conqret.studies.study_judging import JudgedFolder

Verdict = Literal["yes", "no", "inconclusive"]
"""Whether a curve is as expected."""


class MeasuredCurve(Frozen):
    """Base class: one metric of one judge."""

    format: str
    model: str
    metric: str


class PerturbationCurve(MeasuredCurve):
    """Base class: one metric of one judge under one perturbation."""

    perturbation: str


class CurvePoint(Frozen):
    """The mean at one level with its 95% interval (over topics)."""

    level: float
    mean: float
    low: float | None
    high: float | None


class Curve(PerturbationCurve):
    """The curve of one metric of one judge over the levels of one perturbation.

    - ``n``: of ``total`` items, those with a value at every level, on which the curve is based; ``missing``:
    reasons of the others.
    - ``expected`` and ``verdict``: the expected change, and the verdict on it; None for user-defined
    criteria.
    - ``words``: the reason of the verdict, or how far the score moved.
    - ``falls``: True for a strict monotone decrease of the means (ConQRet, Table 17).
    - ``alarms``: levels at which a score that should not change is shown to have moved beyond ``margin``.
    """

    fingerprint: str
    unit: str
    expected: Direction | None
    points: tuple[CurvePoint, ...]
    n: int
    total: int
    topics: int
    missing: Mapping[str, int]
    falls: bool
    pearson: float | None
    spearman: float | None
    fell: float
    rose: float
    neighbours: tuple[CurveStep, ...]
    alarms: tuple[float, ...]
    margin: float = MARGIN
    verdict: Verdict | None
    words: str

    @property
    def means(self) -> tuple[float, ...]:
        """The mean at each level."""
        return tuple(point.mean for point in self.points)


class EmptyCurve(PerturbationCurve):
    """A curve without points, because no item has a value at every level; ``missing`` has the reasons with
    counts.
    """

    missing: Mapping[str, int]


class StanceCurve(PerturbationCurve):
    """The means of one metric over the items of one stance (ConQRet, Table 15)."""

    stance: str
    levels: tuple[float, ...]
    means: tuple[float, ...]
    n: int
    falls: bool
    pearson: float | None


class CurveCell(MeasuredCurve):
    """One combination of levels of two perturbations: the mean of a metric with its interval, over ``n``
    items.
    """

    levels: Mapping[str, float]
    mean: float
    low: float | None
    high: float | None
    n: int


RELEVANT_GRADE = 1
"""A document counts as relevant from this grade upwards, as in TREC's measures."""


class PrecisionRow(Frozen):
    """One level of Table 7 of ConQRet: precision of the evidence over ``n`` items.

    ``true`` is the true precision. By judge, ``predicted`` has predicted precision and ``direct`` context
    relevance.
    """

    level: float
    n: int
    true: float
    predicted: Mapping[str, float]
    direct: Mapping[str, float]


class SensitivityRecord(RunRecord):
    """The contents of ``run.json``, by which a run is resumed and repeated.

    Each judge has format, model, baseline, fingerprint, identity and metrics. ``digest`` identifies all
    versions of all items.
    """

    SAME: ClassVar[Mapping[str, str]] = {
        "judges": "judges",
        "perturbations": "perturbations",
        "grid": "grid",
        "seed": "seed",
        "digest": "items, or what they are changed into",
    }

    kind: str = "sensitivity"
    judges: tuple[Mapping[str, Any], ...]
    perturbations: Mapping[str, tuple[float, ...]]
    grid: tuple[str, ...]
    seed: int
    items: int
    digest: str

    def __str__(self) -> str:
        judges = ", ".join(f"{judge['format']} with {judge['model']}" for judge in self.judges)
        return f"{judges} under {', '.join(self.perturbations) or 'a grid'}, {self.items} items, seed {self.seed}"


INVARIANT = (Direction.UNCHANGED, Direction.NO_RISE)
"""What should not move, or not upwards."""
_VERDICTS = {"no": "not", "inconclusive": "inconclusive"}


def verdict_words(curves: Iterable[Curve]) -> str:
    """Return the counts of verdicts in words.

    Curves that should fall or rise are counted apart from those that should not change, because a constant
    judge passes the latter.
    """
    verdicts = gathered((curve.verdict and curve.expected in INVARIANT, curve.verdict) for curve in curves)
    phrases = []
    for still, as_it_should in (
        (False, "curves that should fall or rise do so"),
        (True, "curves that should not change or not rise do not"),
    ):
        if counts := Counter(map(str, verdicts.get(still, ()))):
            rest = ", ".join(f"{counts[name]} {words}" for name, words in _VERDICTS.items() if counts[name])
            phrases.append(f"{counts['yes']} of {counts.total()} {as_it_should}" + f" ({rest})" * bool(rest))
    if without := verdicts.get(None):
        phrases.append(
            f"for {number(len(without), 'curve')} of your own criteria or nuggets there is no expectation"
        )
    return "; ".join(phrases) or "no curve"


class SensitivityResults(Frozen):
    """The results of a sensitivity run.

    - ``unscored``: curves without points; ``stances``: curves by stance; ``grid``: cells of two combined
    perturbations.
    - ``precision``: Table 7 of ConQRet, if documents have labels.
    - ``left_out``: by perturbation, why items lack a level; ``unreached``: levels that most items cannot
    reach.
    - ``warnings``: must be shown with the results; ``session``: counts of the last session.
    """

    record: SensitivityRecord
    curves: tuple[Curve, ...]
    unscored: tuple[EmptyCurve, ...] = ()
    stances: tuple[StanceCurve, ...] = ()
    grid: tuple[CurveCell, ...] = ()
    precision: tuple[PrecisionRow, ...] = ()
    left_out: Mapping[str, tuple[str, ...]] = {}
    unreached: tuple[UnreachableLevel, ...] = ()
    warnings: tuple[str, ...] = ()
    judgments: int = 0
    session: SessionCounts = SessionCounts()
    missing: tuple[str, ...] = Field(default=(), exclude=True)
    """The questions whose answers a replay lacked."""

    @property
    def verdicts(self) -> str:
        """The counts of verdicts over all curves, in words."""
        return verdict_words(self.curves)

    @property
    def lost(self) -> Counter[str]:
        """The reasons of all missing values with counts, over all curves."""
        reasons = [*(curve.missing for curve in self.curves), *(curve.missing for curve in self.unscored)]
        return sum(map(Counter, reasons), Counter())


@dataclass(frozen=True)
class SensitivityFolder(JudgedFolder[SensitivityRecord]):
    """The folder of a sensitivity run and its files."""

    COMMAND: ClassVar[str] = "conqret sensitivity"

    results_file = InFolder("results.json")
    markdown_file = InFolder("tables.md")
    plots = InFolder("plots")

    def results(self) -> SensitivityResults:
        """Read the results of a finished run.

        Raises:
            DeclarationError: the folder has no finished results.
        """
        return self.result(self.results_file, SensitivityResults)
