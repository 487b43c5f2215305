"""What a sensitivity run leaves: its record, what came of it, and the folder that holds both."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from operator import not_
from typing import Any, ClassVar

from pydantic import Field

from conqret.data.digest import gathered
from conqret.data.item import Frozen
from conqret.errors import number
from conqret.io.safe_files import InFolder
from conqret.perturb.versions import UnreachableLevel
from conqret.runs.run_folder import RunRecord
from conqret.runs.session import SessionCounts
from conqret.studies.sensitivity.curves import Curve, CurveCell, EmptyCurve, StanceCurve
from conqret.studies.sensitivity.verdict import STILL
from conqret.studies.study_judging import JudgedFolder


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
