"""The agreement of a judge with annotators: results by dimension, their tables, sentences and pictures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from operator import not_

from pydantic import ConfigDict, Field

from conqret.data import Judgment, Status
from conqret.data.item import Frozen
from conqret.show import words
from conqret.show.forest import Forest, forests
from conqret.show.table import Cell, CellSource, Column, Table
from conqret.stats.agreement import AlternativeAnnotator
from conqret.stats.estimate import Estimate, undefined
from conqret.stats.prediction_powered import CorrectedMean
from conqret.studies.agreement.agreement_settings import Basis
from conqret.studies.agreement.annotator_agreement import ALPHA, AXIS, OVERALL
from conqret.studies.agreement.judge_baselines import BASELINES, MAX_NAMED, baseline_sentences
from conqret.studies.agreement.pass_fail import PassFail
from conqret.studies.agreement.statistics import CALIBRATED, Statistic

WEAK = 0.667
"""Krippendorff's own bound, below which no conclusion should be drawn (Content Analysis, section 11.4)."""


class AgreementResult(Frozen):
    """Base class of agreement results; some fields have shorter aliases in JSON."""

    model_config = ConfigDict(validate_by_name=True, validate_by_alias=True, serialize_by_alias=True)


class DimensionAgreement(AgreementResult):
    """The judge's agreement with annotators on one dimension, as shown on a judge card, without annotators'
    names.

    - ``compared``: the number of units with a score and an aggregated label.
    - ``coverage``: the share of labeled units that have a score.
    - ``target``: how labels were aggregated, in words.
    - ``alpha``: Krippendorff's alpha of judge and aggregated label.
    - ``inter_annotator_alpha``: alpha among annotators.
    - ``one_annotator_alpha``: alpha of one annotator and the aggregated label of the others, averaged over
    annotators.
    - ``judge_as_annotator_alpha``: the same with the judge in the annotator's place, on the same units.
    - ``judge_minus_annotator``: the difference of these two.
    - ``calibrated``: alpha of calibrated scores.
    - ``statistics``: all statistics of :mod:`conqret.studies.agreement.statistics`, with a value or a reason.
    - ``pass_fail``: TNR, TPR and pass rates, where labels have two values; ``kappa`` and ``accuracy`` of ``statistics``
    are then those of such verdicts.
    - ``over``: alpha of the judge (calibrated, if available) minus that of each baseline; a baseline below 0
    counts as 0.
    """

    dimension: str
    metric: str
    level: str
    scale: str
    target: str
    annotators: int
    compared: int
    coverage: float
    alpha: Estimate
    inter_annotator_alpha: Estimate = Field(alias="people")
    one_annotator_alpha: Estimate = Field(alias="person")
    judge_as_annotator_alpha: Estimate = Field(alias="as_person")
    calibrated: Estimate
    statistics: Mapping[str, Estimate]
    pass_fail: PassFail | None = Field(default=None, exclude_if=not_)
    over: Mapping[str, Estimate] = {}
    judge_minus_annotator: Estimate = Field(default=Estimate(None), alias="to_person")

    @property
    def annotators_at_chance(self) -> bool:
        """True if the alpha among annotators is not significantly above 0."""
        return self.inter_annotator_alpha.low is not None and self.inter_annotator_alpha.sign < 1


class DimensionValidation(DimensionAgreement):
    """The full validation of the judge on one dimension.

    - ``judged``, ``labelled``, ``scored``: the numbers of judged units, of those with labels, and of these
    with a score.
    - ``names``: the annotators.
    - ``reasons``: why judged units have no score, with counts.
    - ``onto``: how scores are mapped onto the labels' scale, in words.
    - ``values``: the frequency of each label.
    - ``variants``: alphas of the judge's mean, majority and single samples, of ``calibrated`` scores, and of
    the baselines (``length``, ``constant``, and ``floor`` for the offline baseline).
    - ``mean``: the estimated mean label over all judged units, in [0, 1].
    - ``probabilities``: of labels of several levels, how good the judge's probabilities of levels are.
    - ``false_passes``, ``false_failures``: units that the judge passes and annotators fail, and the reverse.
    """

    onto: str
    names: list[str]
    judged: int
    labelled: int
    scored: int
    reasons: dict[str, int]
    values: dict[str, int]
    missing_labels: int
    cannot_judge: int
    variants: dict[str, Estimate]
    alternative: AlternativeAnnotator
    mean: CorrectedMean
    probabilities: Mapping[str, Estimate] = Field(default={}, exclude_if=not_)
    false_passes: list[str] = Field(default=[], exclude_if=not_)
    false_failures: list[str] = Field(default=[], exclude_if=not_)

    @property
    def agreement(self) -> DimensionAgreement:
        """The part of the validation that a judge card shows."""
        return DimensionAgreement(**{name: getattr(self, name) for name in DimensionAgreement.model_fields})


class Average(AgreementResult):
    """Mean agreement over ``dimensions``.

    Overall quality is left out, and so are user-defined dimensions if dimensions of argument quality were
    labeled. ``judge`` maps each variant to its mean alpha; the other alphas are as in
    :class:`DimensionAgreement`. ``gain`` is the mean alpha of calibrated minus that of raw scores.
    """

    dimensions: list[str]
    judge: dict[str, Estimate]
    inter_annotator_alpha: Estimate = Field(alias="people")
    one_annotator_alpha: Estimate = Field(alias="person")
    judge_as_annotator_alpha: Estimate = Field(alias="as_person")
    gain: Estimate


class LanguageAgreement(AgreementResult):
    """Agreement on one dimension for the items in one ``language`` (a language code).

    ``units`` counts units with a score and an aggregated label, on ``topics`` topics. ``alpha`` is that of
    judge and annotators, ``inter_annotator_alpha`` that among annotators.
    """

    language: str
    dimension: str
    units: int
    topics: int
    alpha: Estimate
    inter_annotator_alpha: Estimate = Field(alias="people")


class Missingness(Frozen):
    """The numbers of judgments by status (scored, unscored, failed) and by reason."""

    total: int
    scored: int
    unscored: int
    failed: int
    reasons: dict[str, int]


def missing_words(missing: Missingness) -> str:
    """Return a sentence that says how many judgments lack scores."""
    total, scored, unscored, failed = map(
        words.count, (missing.total, missing.scored, missing.unscored, missing.failed)
    )
    if scored == total:
        return f"No score is missing: all {total} judgments have all their scores."
    reasons = ", ".join(f"{words.reason(name)}: {words.count(n)}" for name, n in missing.reasons.items())
    return (
        f"Of {total} judgments {scored} have all their scores, {unscored} got no valid response, and {failed} got no "
        f"response (reasons: {reasons or 'none'})."
    )


def missingness(judgments: Sequence[Judgment]) -> Missingness:
    """Count the judgments by status, and the reasons of those that lack scores.

    Judgments of items to which no metric applies are left out.
    """
    judgments = [judgment for judgment in judgments if judgment.status is not Status.INAPPLICABLE]
    statuses = Counter(judgment.status for judgment in judgments)
    reasons = Counter(str(judgment.reason) for judgment in judgments if judgment.reason is not None)
    return Missingness(
        total=len(judgments),
        scored=statuses[Status.SCORED],
        unscored=statuses[Status.UNSCORED],
        failed=statuses[Status.FAILED],
        reasons=dict(sorted(reasons.items())),
    )


MAX_LEFT_OUT = 4
"""Dimensions that a note names as not in the average; more are counted."""
SHOWN = ("mean", CALIBRATED, *BASELINES)
"""The judge and the baselines, in the order of columns."""
_ONE_ANNOTATOR = (
    "“Judge in place of one” and “One annotator” are their alphas with the combined label of the other annotators, and "
    "“Inter-annotator” is the alpha of all annotators without the judge."
)
NOT_EVERYWHERE = "it has no value on some of the judge's units"


ANNOTATOR_ALPHAS = {
    "judge_as_annotator_alpha": "Judge in place of one",
    "one_annotator_alpha": "One annotator",
    "inter_annotator_alpha": "Inter-annotator",
}
"""The columns where several annotators labeled."""
BOUND = "Krippendorff's bound for tentative conclusions"


def agreement_table(
    rows: Collection[DimensionAgreement],
    average: Average | None,
    basis: Basis,
    statistics: Sequence[Statistic] = (),
    coverage: float | None = None,
) -> Table:
    """Return the table of the judge's agreement with annotators: one row for each dimension, and the
    average.

    Args:
        rows: the dimensions.
        average: the mean; None if there is one dimension.
        basis: the labels and intervals behind the statistics.
        statistics: further statistics to show with alpha and the alpha of calibrated scores.
        coverage: the coverage over all dimensions; if given, that of each dimension is shown, too.
    """
    several = any(row.annotators > 1 for row in rows)
    mapped = bool(statistics) and any(row.calibrated.value is not None for row in rows)
    covers = coverage is not None
    columns: dict[str | Column, CellSource] = {
        "Dimension": lambda row: words.label(row.dimension),
        "Units": "compared",
        "Judge and annotators": "alpha",
        "Calibrated": lambda row: row.calibrated if mapped else "",
        **({title: of for of, title in ANNOTATOR_ALPHAS.items()} if several else {}),
        **{one.title: ("statistics", one.name) for one in statistics},
        "Coverage": lambda row: f"{row.coverage:.1%}" * covers,
    }
    foot: list[list[Cell]] = []
    notes = [
        f"Alpha is 1 for perfect agreement and 0 for agreement by chance; brackets hold {basis.intervals}. “Units” "
        "have both a score and a human label"
        + "; “Coverage” is the share of labeled units that have a score" * covers
        + ".",
        _ONE_ANNOTATOR * several,
    ]
    if average is not None:
        calibrated = average.judge.get(CALIBRATED, "") if mapped else ""
        as_one = [getattr(average, name) for name in ANNOTATOR_ALPHAS] if several else []
        blank = [""] * len(statistics)
        covered = "" if coverage is None else f"{coverage:.1%}"
        foot.append(["Average", "", average.judge["mean"], calibrated, *as_one, *blank, covered])
        notes.append(average_note(average.dimensions, [row.dimension for row in rows]))
    if mapped:
        notes.append("“Calibrated” maps scores to the labels' scale by the labels of other topics.")
    return Table(
        "Krippendorff's alpha with annotators (ConQRet, Table 5)",
        columns,
        rows,
        foot=foot,
        note=" ".join(filter(None, [*notes, *(statistic.about for statistic in statistics)])),
        same=("Coverage",),
    )


def language_tables(
    languages: Sequence[LanguageAgreement], basis: Basis, *, several: bool
) -> Iterator[Table]:
    """Yield the table of agreement by language; nothing if ``languages`` is empty.

    ``several`` is True if there are several annotators.
    """
    clustered = f"{basis.clustered_by}s"
    if languages:
        yield Table(
            "Krippendorff's alpha with annotators by language",
            {
                Column("Language", "text"): lambda row: words.NAMES.get(row.language, "cannot be told"),
                "Dimension": lambda row: words.label(row.dimension),
                "Units": "units",
                clustered.capitalize(): "topics",
                "Judge and annotators": "alpha",
                "Inter-annotator": lambda row: row.inter_annotator_alpha if several else "",
            },
            languages,
            note=f"Intervals are over the {clustered} of one language, not corrected for the number of languages. "
            "Compare two languages only if their items are alike, such as translations.",
        )


def baselines_table(alphas: Mapping[str, Mapping[str, Estimate]], average: Mapping[str, Estimate]) -> Table:
    """Return the table of the judge's alpha and those of baselines without a model, by dimension and
    averaged.
    """
    names = [name for name in SHOWN if any(name in alpha for alpha in alphas.values())]
    none = undefined(NOT_EVERYWHERE)
    rows = [(words.label(name), *(alpha.get(one, none) for one in names)) for name, alpha in alphas.items()]
    return Table(
        "Alpha of the judge and of baselines",
        ("Dimension", *map(head, names)),
        rows,
        foot=[("Average", *(average.get(name, none) for name in names))],
        note="“Length” scores by the number of characters, mapped to labels by the labels of other topics; "
        "“Constant” gives the mean label to every item, so its alpha is about 0 or below"
        + "; “Offline” scores by word statistics" * ("floor" in names)
        + ".",
    )


def head(name: str) -> str:
    """Return the column head of a variant of the judge's scores, or of a baseline."""
    return {"mean": "Judge", "floor": "Offline"}.get(name, name.capitalize())


def average_note(dimensions: Sequence[str], rows: Collection[str]) -> str:
    """Return a sentence that says over how many ``dimensions`` an average is, and which of the ``rows`` it
    leaves out.
    """
    if list(dimensions) == [OVERALL]:
        return "The average has one dimension only, overall quality."
    others = [words.label(name).lower() for name in rows if name not in dimensions]
    left = (
        f"; {words.listed(others, MAX_LEFT_OUT)} {'is' if len(others) == 1 else 'are'} left out"
        if others
        else ""
    )
    return f"The average is over {words.number(len(dimensions), 'dimension')}{left}."


def agreement_answer(
    rows: Collection[DimensionAgreement], basis: Basis, average: Average | None = None
) -> list[str]:
    """Return sentences that say whether the judge agrees with annotators beyond chance.

    They also give the average, the agreement of one annotator, and the baselines that the judge is not shown
    to beat.
    """
    rest = " ".join(_rest(rows, average))
    return [f"{_beyond_chance(rows, basis)}.", *filter(None, [rest])]


def _beyond_chance(rows: Collection[DimensionAgreement], basis: Basis) -> str:
    if all(row.alpha.value is None for row in rows):
        return f"The judge's alpha with annotators is not defined: {next(iter(rows)).alpha.reason}"
    better = sorted((row for row in rows if row.alpha.sign > 0), key=lambda row: -(row.alpha.value or 0.0))
    worse = sum(row.alpha.sign < 0 for row in rows)
    clusters = words.number(basis.clusters, basis.clustered_by)
    agrees = "The judge agrees with annotators"
    none = sum(row.alpha.low is None for row in rows)
    unshown = "does not show that" if none < len(rows) else "has no interval that could show whether"
    unshown = f"Alpha {unshown} the judge agrees with annotators more than by chance on"
    if len(rows) == 1:
        (row,) = rows
        evidence = _evidence(row) if not better else ""
        said = f"{agrees} {'more' if better else 'less'} than by chance on" if better or worse else unshown
        return f"{said} {_named(row, basis)}, {clusters}){f', but {evidence}' * bool(evidence)}"
    whole = words.number(len(rows), "dimension")
    less = f"; on {worse} it agrees less than by chance" if worse else ""
    if not better:
        known = {words.label(row.dimension).lower(): _evidence(row) for row in rows}
        shown = [f"on {name} {evidence}" for name, evidence in known.items() if evidence]
        blank = f"; on {none} of these it has no interval" if 0 < none < len(rows) else ""
        but = f"; but {words.listed(shown, MAX_NAMED)}" if shown else ""
        return f"{unshown} any of {whole} ({clusters}){less}{blank}{but}"
    best, *others = better
    well = sum((row.alpha.low or 0.0) >= WEAK for row in better)
    most = "best on " if len(others) > MAX_NAMED else ""
    named = "".join(
        f", {words.label(row.dimension).lower()} ({words.with_interval(row.alpha)})"
        for row in others[:MAX_NAMED]
    )
    on = f"on {well or 'none'} of these the whole interval is " if others else "the whole interval is "
    bound = f"{on}{'' if well or others else 'not '}above {WEAK}, {BOUND}"
    more = f"{agrees} more than by chance on {len(better)} of {whole}"
    return f"{more}: {most}{_named(best, basis)}, {clusters}){named}; {bound}{less}"


def _evidence(row: DimensionAgreement) -> str:
    """Return a phrase that names the statistic (kappa or Spearman) which is significantly above chance though alpha is
    not; empty if neither is."""
    for name in ("kappa", "spearman") if row.pass_fail else ("spearman", "kappa"):
        estimate = row.statistics.get(name, Estimate(None))
        if estimate.sign > 0 and name == "kappa":
            return f"kappa is above chance: {words.with_interval(estimate)}"
        if estimate.sign > 0:
            ordinal = row.level == "ordinal" and not row.pass_fail
            how = f"Spearman {words.with_interval(estimate)}{'; on an interval scale: --level interval' * ordinal}"
            return f"the judge orders answers more as they do than by chance ({how})"
    return ""


def _rest(rows: Collection[DimensionAgreement], average: Average | None) -> Iterator[str]:
    if average is not None and len(average.dimensions) > 1 and average.judge["mean"].value is not None:
        mean = words.with_interval(average.judge["mean"])
        yield f"The judge's alpha with annotators, averaged over {len(average.dimensions)} dimensions, is {mean}."
    whole = next(iter(rows)) if len(rows) == 1 else average
    if whole is not None:
        annotator, judge = whole.one_annotator_alpha, whole.judge_as_annotator_alpha
        if annotator.value is not None and judge.value is not None:
            yield (
                "The agreement of one annotator with the other annotators is α = "
                f"{words.with_interval(annotator)}; that of the judge with the same others is α = "
                f"{words.with_interval(judge)}."
            )
    yield from baseline_sentences({row.dimension: row.over for row in rows})
    if parted := sum(row.annotators_at_chance for row in rows):
        where = "" if len(rows) == 1 else f" on {parted} of {len(rows)} dimensions"
        yield f"The data do not show that annotators agree with each other more than by chance{where}."


def agreement_picture(
    rows: Collection[DimensionAgreement], basis: Basis, average: Average | None = None
) -> list[Forest]:
    """Return forest plots of alpha by dimension, highest first, with reference marks.

    The marks are the alphas of one annotator, of all annotators, and of the baselines.
    """
    ordered = sorted(rows, key=lambda row: -(row.alpha.value or 0.0))
    found = [(words.label(row.dimension), row.alpha) for row in ordered]
    others = {words.label(row.dimension): _others(row, getattr(row, "variants", {})) for row in rows}
    if average is not None and len(average.dimensions) > 1:
        mean = f"Mean over {len(average.dimensions)} dimensions"
        found.insert(0, (mean, average.judge["mean"]))
        marked = any(getattr(row, "variants", {}) for row in rows)  # baselines of the rows, too
        others[mean] = _others(average, average.judge if marked else {})
    return forests("Agreement of judge and annotators", AXIS, found, others, basis.settings.confidence)


def _others(reached: DimensionAgreement | Average, variants: Mapping[str, Estimate]) -> dict[str, Estimate]:
    return {
        **{f"{head(name)} (baseline)": variants[name] for name in BASELINES if name in variants},
        "One annotator with the others": reached.one_annotator_alpha,
        "Inter-annotator alpha": reached.inter_annotator_alpha,
    }


def _named(row: DimensionAgreement, basis: Basis) -> str:
    """A dimension with its alpha, whose bracket stays open."""
    alpha, interval = row.alpha, "no interval"
    if alpha.low is not None:
        interval = f"{basis.settings.confidence:.0%} CI [{words.score(alpha.low)}, {words.score(alpha.high)}]"
    n = words.number(row.compared, "unit")
    return f"{words.label(row.dimension).lower()} ({ALPHA} = {words.score(alpha.value)}, {interval}, n = {n}"
