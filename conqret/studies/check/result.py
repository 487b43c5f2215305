"""What ``conqret check`` finds: one sentence, the figures of each judge, what to do next, and the disagreements."""

from __future__ import annotations

from collections.abc import Mapping
from operator import not_
from typing import ClassVar, Literal

from pydantic import Field

from conqret.console.conditions import RequirementOutcome
from conqret.data.item import Frozen
from conqret.errors import check_known
from conqret.stats.agreement import AlternativeAnnotator
from conqret.stats.estimate import Estimate
from conqret.studies.check.checked_table import DrawnBy, Kind

SCHEMA = "conqret.check/1"
Usable = Literal["usable", "not usable", "not shown", "not claimed"]
"""Both rates are shown to reach the bar; one is shown to miss it; neither; no rate can be claimed."""

TITLES: Mapping[str, str] = {
    "tnr": "catches failures (TNR)",
    "tpr": "keeps good answers (TPR)",
    "agreement": "agreement",
    "agreement_with_flips": "agreement, flips as half",
    "flip_rate": "verdict flips with the order",
    "first_share": "share of first place",
    "bias": "judge minus annotators",
    "judge_mean": "mean of the judge, all rows",
    "human_mean": "mean of the annotators, labeled rows",
    "corrected": "corrected mean, all rows",
    "kappa": "kappa",
    "precision": "right passes (precision)",
    "weighted_kappa": "quadratic weighted kappa",
    "alpha": "alpha",
    "judge_as_annotator": "alpha, replacing one annotator",
    "one_annotator": "alpha, one annotator",
    "judge_minus_annotator": "alpha, judge minus one annotator",
    "auroc": "AUROC",
    "spearman": "rank correlation (Spearman)",
    "error": "mean absolute error",
    "changed": "changes between runs",
    "run_sd": "SD between runs",
    "brier": "Brier score",
    "overconfidence": "stated confidence minus share of right verdicts",
    "calibration_error": "expected calibration error (ECE)",
    "calibration_noise": "ECE of a calibrated judge [5%, 95%]",
}
"""The words for each figure, for tables."""


class NamedFigure:
    """An attribute that is the figure of its own name.

    Raises:
        UnknownNameError: by access, if this kind of verdicts does not have the figure.
    """

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, result: NamedFigures, owner: type) -> Estimate:
        return result.figure(self.name)


class NamedFigures(Frozen):
    """Access to the figures of one judge by name."""

    tnr: ClassVar[NamedFigure] = NamedFigure()
    """The share of labeled failures that the judge fails."""
    tpr: ClassVar[NamedFigure] = NamedFigure()
    """The share of labeled passes that the judge passes."""
    precision: ClassVar[NamedFigure] = NamedFigure()
    """The share of human passes among the rows that the judge passes."""
    kappa: ClassVar[NamedFigure] = NamedFigure()
    """Cohen's kappa of judge and human label."""
    weighted_kappa: ClassVar[NamedFigure] = NamedFigure()
    """Cohen's kappa of ratings with quadratic weights."""
    alpha: ClassVar[NamedFigure] = NamedFigure()
    """Krippendorff's alpha of judge and human label: ordinal for ratings, interval for scores."""
    agreement: ClassVar[NamedFigure] = NamedFigure()
    """The share of labeled rows on which the verdict equals the label; of pairs, without flips."""
    corrected: ClassVar[NamedFigure] = NamedFigure()
    """The pass rate, or the mean, of all rows, corrected by the labels."""
    bias: ClassVar[NamedFigure] = NamedFigure()
    """The mean of judge minus human label, in points."""
    flip_rate: ClassVar[NamedFigure] = NamedFigure()
    """The share of pairs whose verdict changes with the order of the answers."""
    spearman: ClassVar[NamedFigure] = NamedFigure()
    """Spearman's rank correlation of judge and human label."""

    def figure(self, name: str) -> Estimate:
        """Return the figure ``name``; where it cannot be known, its value is None, with the reason.

        Raises:
            UnknownNameError: verdicts of this kind have no such figure.
        """
        raise NotImplementedError


class ClassCheck(Frozen):
    """One class: how many rows have this human label, and the judge's recall and precision."""

    name: str
    labeled: int
    recall: Estimate
    precision: Estimate


class LevelCheck(Frozen):
    """The rows whose human label (or verdict) is from ``low`` to ``high``, with the means of judge and annotators and
    of judge minus annotators."""

    low: float
    high: float
    rows: int
    judge: Estimate
    human: Estimate
    bias: Estimate


def level_words(level: LevelCheck) -> str:
    """Return a level in words, such as ``3`` or ``2.33 to 3``."""
    return f"{level.low:.3g}" if level.low == level.high else f"{level.low:.3g} to {level.high:.3g}"


class SystemCheck(Frozen):
    """The mean of one system by the judge, and the mean corrected by its labels."""

    name: str
    rows: int
    labeled: int
    judge: Estimate
    corrected: Estimate


class SystemDifference(Frozen):
    """``first`` minus ``second`` on the ``pairs`` ids that both have: by the judge alone, and corrected."""

    first: str
    second: str
    pairs: int
    judge: Estimate
    corrected: Estimate


class RunCheck(Frozen):
    """TNR and TPR of one run of the judge."""

    tnr: Estimate
    tpr: Estimate


class JudgeCheck(NamedFigures):
    """The figures of one judge.

    Attributes:
        name: the judge.
        usable: TNR and TPR against the bar, by their intervals; None for verdicts that do not pass or fail.
        verdicts: how many rows have a verdict.
        compared: how many rows have a verdict and a human label.
        failed: how many rows have no verdict, or one that is an error; they are never scored.
        failures: examples of these, with their lines.
        coverage: the share of rows with a verdict.
        figures: by the names of :data:`TITLES`, in the order in which they are shown.
        confusion: how many rows have each human label (rows) and verdict (columns), in the order of ``classes`` of
            the result; empty for ratings and scores.
        classes: recall and precision of each class, where verdicts are classes.
        by_human: means by level of the human label, for ratings and scores: the error by level.
        by_judge: means by level of the verdict, for ratings and scores: the calibration.
        runs: how many runs of the judge the table has; the figures are of the first.
        by_run: TNR and TPR of each, where there are several.
        systems: the systems, those with the highest means first.
        differences: paired differences of systems.
        more_labels: how many more rows to label, until TNR and TPR are known to within 0.10; None where one of them
            has no label yet, and for verdicts that do not pass or fail.
    """

    name: str
    usable: Usable | None = None
    verdicts: int
    compared: int
    failed: int
    failures: tuple[str, ...]
    coverage: float
    figures: Mapping[str, Estimate]
    confusion: tuple[tuple[int, ...], ...] = ()
    classes: tuple[ClassCheck, ...] = ()
    by_human: tuple[LevelCheck, ...] = ()
    by_judge: tuple[LevelCheck, ...] = ()
    runs: int = 1
    by_run: tuple[RunCheck, ...] = ()
    systems: tuple[SystemCheck, ...] = ()
    differences: tuple[SystemDifference, ...] = ()
    more_labels: int | None = None

    def figure(self, name: str) -> Estimate:
        """Return the figure ``name`` of this judge."""
        check_known("figure of these verdicts", self.figures, name)
        return self.figures[name]


class JudgeDifference(Frozen):
    """``first`` minus ``second`` on the rows that both judged: ``better`` is the judge that is shown to be better,
    empty where neither is."""

    first: str
    second: str
    measure: str
    rows: int
    difference: Estimate
    better: str


class DrawGuard(Frozen):
    """Whether the labeled rows can be a random sample of all rows, by the judge's verdicts.

    ``p`` is of "labeled and unlabeled rows have the same verdicts"; None where it was not tested, and where every label
    differs from the verdict. Where ``fired``, no rate is claimed, and ``sentence`` says why; else it says what speaks
    against rows that are stated to be random.
    """

    p: float | None = None
    fired: bool = False
    sentence: str = ""


class AnnotatorCheck(Frozen):
    """The annotators: their ``names``, and Krippendorff's ``alpha`` among them.

    ``alternative`` tests whether the first judge can replace an annotator, where there are at least three.
    """

    names: tuple[str, ...]
    alpha: Estimate
    alternative: AlternativeAnnotator | None = None


class DisputedVerdict(Frozen):
    """A row on which verdict and label differ; ``row`` counts from 1, ``id`` is its id or its place in the file, texts
    are shortened."""

    row: int
    id: str
    judge: str
    human: str
    reason: str = ""
    texts: Mapping[str, str] = Field(default={}, exclude_if=not_)


class CheckResult(NamedFigures):
    """How good the judges of one table are.

    Attributes:
        source: the file, or "the rows".
        kind: what verdicts and labels are.
        answer: how good the judge is, of several the best, in a sentence.
        best: the name of that judge; ``next`` and ``disagreements`` are about it, too.
        usable: the verdict behind the answer.
        bar: the least TNR and TPR of a gate.
        confidence: the level of intervals.
        next: what to do next.
        rows: how many rows the table has.
        labeled: how many have a human label (after ties of annotators were left out).
        unlabeled: how many have none, and a verdict of the best judge.
        drawn_by: how the labeled rows were drawn: as stated, "probabilities" where the table has them, None where it
            is unknown and they are taken as random.
        guard: whether they can be random.
        judges: the figures of each judge.
        comparisons: paired differences of the judges.
        annotators: the annotators.
        classes: the names of the rows and columns of confusion matrices.
        passing: how a verdict is read.
        by: the column of clusters; None: intervals are over rows.
        disagreements: the gravest of that judge's disagreements, the gravest first.
        disagreements_in_all: how many there are.
        notes: what else a reader must know, one sentence each.
        guessed: which column was taken for what.
        options: the options of the command line that read the table so, with their values.
        drawn: how many labels it has collected.
        pages_lack: why ``labels collect`` cannot show the rows to annotators; empty where it can.
        requirements: the outcomes of conditions.
    """

    schema_name: str = SCHEMA
    source: str
    kind: Kind
    answer: str
    best: str
    usable: Usable | None
    bar: float
    confidence: float
    next: str
    rows: int
    labeled: int
    unlabeled: int
    drawn_by: DrawnBy | Literal["probabilities"] | None
    guard: DrawGuard
    judges: tuple[JudgeCheck, ...]
    comparisons: tuple[JudgeDifference, ...] = ()
    annotators: AnnotatorCheck
    classes: tuple[str, ...] = ()
    passing: str = ""
    by: str | None = None
    disagreements: tuple[DisputedVerdict, ...] = ()
    disagreements_in_all: int = 0
    notes: tuple[str, ...] = ()
    guessed: str = ""
    options: tuple[tuple[str, str], ...] = Field(default=(), exclude=True)
    drawn: int = Field(default=0, exclude=True)
    pages_lack: str = Field(default="", exclude=True)
    requirements: tuple[RequirementOutcome, ...] = Field(default=(), exclude=True)

    def figure(self, name: str) -> Estimate:
        """Return the figure ``name`` of the first judge."""
        return self.judges[0].figure(name)

    @property
    def weighted(self) -> bool:
        """True if labeled rows stand for different numbers of rows."""
        return self.unlabeled > 0 and self.drawn_by in ("verdict", "probabilities")

    @property
    def best_judge(self) -> JudgeCheck:
        """The figures of the judge that the answer is about."""
        return next(judge for judge in self.judges if judge.name == self.best)

    def __str__(self) -> str:
        return "\n".join([self.answer, *map(str, self.requirements)])

    def __repr__(self) -> str:  # which pytest shows where an assertion fails
        unmet = [outcome for outcome in self.requirements if not outcome.met]
        return "\n".join([*map(str, unmet), self.answer])

    @property
    def met(self) -> bool:
        """True if all requirements are met."""
        return all(outcome.met for outcome in self.requirements)
