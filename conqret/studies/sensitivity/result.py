"""What a sensitivity run leaves: its record, curves with their verdicts, and the folder that holds both."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from operator import not_
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
    """What was measured: a metric of a judge."""

    format: str
    model: str
    metric: str


class PerturbationCurve(MeasuredCurve):
    """The same under a perturbation."""

    perturbation: str


class CurvePoint(Frozen):
    """The mean at one level with its 95% interval (over topics)."""

    level: float
    mean: float
    low: float | None
    high: float | None


class Curve(PerturbationCurve):
    """One metric of one judge (of this ``fingerprint``) under one perturbation.

    ``n`` of ``total`` items have a value at every level, and the curve is over those; ``missing`` counts the
    reasons of the others. ``verdict`` says whether the curve is as ``expected``, and ``words`` why; both are None where
    nothing is expected (of a criterion of one's own), and ``words`` say how far it moved. ``falls`` is the strict
    monotone decrease of the means (ConQRet, Table 17). What should stand still has to stay within ``margin``, and
    ``alarms`` are levels at which it is shown to have moved further.
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

    @property
    def distinct_names(self) -> int:
        """How many neighbouring levels differ significantly."""
        return sum(step.significant for step in self.neighbours)


class EmptyCurve(PerturbationCurve):
    """A curve that could not be drawn: no item has a value at every level, and why not."""

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
    """One combination of two perturbations: the mean of a metric with its interval, over n items."""

    levels: Mapping[str, float]
    mean: float
    low: float | None
    high: float | None
    n: int


class PrecisionRow(Frozen):
    """One level of Table 7: the true precision of the evidence beside what judges say of it, over n items.

    ``predicted`` holds predicted precision, ``direct`` context relevance, by the judge's name.
    """

    level: float
    n: int
    true: float
    predicted: Mapping[str, float]
    direct: Mapping[str, float]


class SensitivityRecord(RunRecord):
    """What ``run.json`` says: enough to know the run again, and to repeat it.

    A judge has format, model, baseline, fingerprint, identity and metrics; ``digest`` is that of every version of
    every item.
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


STILL = (Direction.UNCHANGED, Direction.NO_RISE)
"""What should not move, or not upwards."""
_VERDICTS = {"no": "not", "inconclusive": "inconclusive"}


def verdict_words(curves: Iterable[Curve]) -> str:
    """How many curves are as they should be, and how many are not or not known to be, in words: those that should move
    apart from those that should not, which a judge passes that always says the same."""
    verdicts = gathered((curve.verdict and curve.expected in STILL, curve.verdict) for curve in curves)
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
    """All that came out: curves, grid, Table 7 where there are labels, and what it took in the last session.

    ``left_out`` are the reasons of items that lack a level, by perturbation; ``unreached`` the levels that are in no
    curve, because most items lack them. ``relevant_grade`` is that from which a document is relevant in ``precision``
    (None: no labels). ``warnings`` must be said wherever the results are shown.
    """

    record: SensitivityRecord
    curves: tuple[Curve, ...]
    unscored: tuple[EmptyCurve, ...] = ()
    stances: tuple[StanceCurve, ...] = ()
    grid: tuple[CurveCell, ...] = ()
    precision: tuple[PrecisionRow, ...] = ()
    relevant_grade: float | None = Field(default=None, exclude_if=not_)
    left_out: Mapping[str, tuple[str, ...]] = {}
    unreached: tuple[UnreachableLevel, ...] = ()
    warnings: tuple[str, ...] = ()
    judgments: int = 0
    session: SessionCounts = SessionCounts()
    missing: tuple[str, ...] = Field(default=(), exclude=True)
    """The questions whose answers a replay lacked."""

    @property
    def verdicts(self) -> str:
        """:func:`verdict_words` of all curves."""
        return verdict_words(self.curves)

    @property
    def lost(self) -> Counter[str]:
        """The reasons of all missing values, over all curves, those that could not be drawn too."""
        reasons = [*(curve.missing for curve in self.curves), *(curve.missing for curve in self.unscored)]
        return sum(map(Counter, reasons), Counter())


@dataclass(frozen=True)
class SensitivityFolder(JudgedFolder[SensitivityRecord]):
    """The files of a sensitivity run under one folder."""

    COMMAND: ClassVar[str] = "conqret sensitivity"

    results_file = InFolder("results.json")
    markdown_file = InFolder("tables.md")
    plots = InFolder("plots")

    def results(self) -> SensitivityResults:
        """The finished run. Raises DeclarationError where there is none."""
        return self.result(self.results_file, SensitivityResults)
