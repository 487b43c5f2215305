"""What a validation says in sentences and one picture: how far a judge agrees with annotators, and baselines do."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from conqret.errors import number
from conqret.show import words
from conqret.show.forest import Forest, forests
from conqret.show.report_page import ReportPage, section
from conqret.stats.estimate import Estimate
from conqret.studies.agreement.agreement_settings import Basis
from conqret.studies.agreement.annotator_agreement import PeopleAgreement
from conqret.studies.agreement.dimension_result import DimensionAgreement
from conqret.studies.agreement.trivial_judges import NAMED, TRIVIAL, over_baselines
from conqret.studies.agreement_tables import head, people_table
from conqret.studies.card.card_limits import WEAK
from conqret.studies.validate.result import Average

ALPHA = "Krippendorff's α"
BOUND = "Krippendorff's bound for tentative conclusions"
WITH_CI = "Krippendorff's alpha, {:.0%} confidence intervals"


def agreement_answer(
    rows: Collection[DimensionAgreement], basis: Basis, average: Average | None = None
) -> list[str]:
    """Whether the judge agrees with annotators beyond chance, as far as the intervals of its alphas say; then the mean,
    what one annotator reaches, and the baselines that it is not shown to beat."""
    rest = " ".join(_rest(rows, average))
    return [f"{_beyond_chance(rows, basis)}.", *filter(None, [rest])]


def _beyond_chance(rows: Collection[DimensionAgreement], basis: Basis) -> str:
    better = [row for row in rows if row.alpha.low is not None and row.alpha.low > 0]
    worse = [row for row in rows if row.alpha.high is not None and row.alpha.high < 0]
    clusters = words.number(basis.clusters, basis.clustered_by)
    agrees = "The judge agrees with annotators"
    unshown = "The data do not show that the judge agrees with annotators more than by chance on"
    if len(rows) == 1:
        (row,) = rows
        said = f"{agrees} {'more' if better else 'less'} than by chance on" if better or worse else unshown
        return f"{said} {_name(row)} ({_alpha(row, basis)}, {clusters})"
    whole = words.number(len(rows), "dimension")
    less = f"; on {len(worse)} it agrees less than by chance" if worse else ""
    if not better:
        return f"{unshown} any of {whole} ({clusters}){less}"
    best, *others = sorted(better, key=lambda row: -(row.alpha.value or 0.0))
    well = sum((row.alpha.low or 0.0) >= WEAK for row in better)
    most = "best on " if len(others) > NAMED else ""
    named = "".join(f", {_name(row)} ({words.with_interval(row.alpha)})" for row in others[:NAMED])
    bound = f"above {WEAK}, {BOUND}"
    whole_interval = f"the whole interval is {'' if well else 'not '}{bound}"
    if others:
        whole_interval = f"on {well or 'none'} of these the whole interval is {bound}"
    return (
        f"{agrees} more than by chance on {len(better)} of {whole}: {most}{_name(best)} ({_alpha(best, basis)}, "
        f"{clusters}){named}; {whole_interval}{less}"
    )


def _rest(rows: Collection[DimensionAgreement], average: Average | None) -> Iterator[str]:
    if average is not None and len(average.dimensions) > 1:
        mean = words.with_interval(average.judge["mean"])
        yield f"The judge's alpha with annotators, averaged over {len(average.dimensions)} dimensions, is {mean}."
    whole = next(iter(rows)) if len(rows) == 1 else average
    if whole is not None and whole.person.value is not None and whole.as_person.value is not None:
        yield (
            "The agreement of one annotator with the other annotators is α = "
            f"{words.with_interval(whole.person)}; that of the judge with the same others is α = "
            f"{words.with_interval(whole.as_person)}."
        )
    yield from over_baselines({row.dimension: row.over for row in rows})
    if parted := sum(row.parted for row in rows):
        where = "" if len(rows) == 1 else f" on {parted} of {len(rows)} dimensions"
        yield f"The data do not show that annotators agree with each other more than by chance{where}."


def agreement_picture(
    rows: Collection[DimensionAgreement], basis: Basis, average: Average | None = None
) -> list[Forest]:
    """Alpha by dimension, the highest first, with what one annotator, all annotators, and baselines reach."""
    ordered = sorted(rows, key=lambda row: -(row.alpha.value or 0.0))
    found = [(words.label(row.dimension), row.alpha) for row in ordered]
    others = {words.label(row.dimension): _others(row, getattr(row, "variants", {})) for row in rows}
    if average is not None and len(average.dimensions) > 1:
        mean = f"Mean over {len(average.dimensions)} dimensions"
        found.insert(0, (mean, average.judge["mean"]))
        others[mean] = _others(average, average.judge)
    axis = WITH_CI.format(basis.settings.confidence)
    return forests("Agreement of judge and annotators", axis, found, others)


def _others(reached: DimensionAgreement | Average, variants: Mapping[str, Estimate]) -> dict[str, Estimate]:
    return {
        **{f"{head(name)} (baseline)": variants[name] for name in TRIVIAL if name in variants},
        "One annotator with the others": reached.person,
        "Inter-annotator alpha": reached.people,
    }


def annotators_answer(study_agreement: PeopleAgreement) -> list[str]:
    """How far annotators agree with each other, in sentences."""
    basis, rows = study_agreement.basis, study_agreement.rows
    known = [row for row in rows if row.alpha.value is not None]
    if not known:
        return ["Inter-annotator agreement cannot be computed: no two annotators labeled the same unit."]
    clusters = words.number(basis.clusters, basis.clustered_by)
    whole, of = study_agreement.average, f"on average over {words.number(len(rows), 'dimension')}"
    if len(rows) == 1:
        whole, of = known[0].alpha, f"on {words.label(rows[0].name).lower()}"
    alpha = f"{ALPHA} = {words.with_interval(whole)}"
    sentences = [f"The agreement of annotators with each other is {alpha} {of} ({clusters})."]
    if len(known) > 1:
        least, most = (
            f"on {words.label(row.name).lower()} ({words.with_interval(row.alpha)})"
            for pick in (min, max)
            for row in [pick(known, key=lambda row: row.alpha.value or 0.0)]
        )
        sentences.append(f"Annotators agree least {least} and most {most}.")
    return sentences


def annotators_picture(study_agreement: PeopleAgreement) -> Sequence[Forest]:
    """Inter-annotator alpha by dimension."""
    rows = [(words.label(row.name), row.alpha) for row in study_agreement.rows]
    axis = WITH_CI.format(study_agreement.basis.settings.confidence)
    return forests("Inter-annotator agreement by dimension", axis, rows)


def _alpha(row: DimensionAgreement, basis: Basis) -> str:
    alpha, interval = row.alpha, "no interval"
    if alpha.low is not None and alpha.high is not None:
        interval = f"{basis.settings.confidence:.0%} CI [{alpha.low:z.2f}, {alpha.high:z.2f}]"
    return f"{ALPHA} = {words.score(alpha.value)}, {interval}, n = {number(row.compared, 'unit')}"


def _name(row: DimensionAgreement) -> str:
    return words.label(row.dimension).lower()


def agreement_sheet(study_agreement: PeopleAgreement) -> ReportPage:
    """The page: alpha by dimension as a picture, and the table."""
    basis = study_agreement.basis
    return ReportPage(
        "agreement",
        "Do the annotators agree with each other?",
        [section(people_table(study_agreement))],
        answer=annotators_answer(study_agreement),
        picture=annotators_picture(study_agreement),
        how_to_read=[
            "Krippendorff's alpha is 1 where annotators always agree, and 0 where they agree only as often as by "
            "chance. No judge can agree with all of several annotators who disagree."
        ],
        facts=[
            ("Labels", f"{basis.labels} ({basis.layout})"),
            (f"{basis.clustered_by.capitalize()}s", words.count(basis.clusters)),
        ],
    )
