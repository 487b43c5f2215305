"""What a validation says in sentences and one picture: how far a judge agrees with annotators, and baselines do."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from conqret.errors import number
from conqret.show import words
from conqret.show.forest import Forest, forests
from conqret.stats.estimate import Estimate
from conqret.studies.agreement.agreement_settings import Basis
from conqret.studies.agreement.dimension_result import DimensionAgreement
from conqret.studies.agreement.page import ALPHA, WITH_CI
from conqret.studies.agreement.trivial_judges import NAMED, TRIVIAL, over_baselines
from conqret.studies.agreement_tables import head
from conqret.studies.card.card_limits import WEAK
from conqret.studies.validate.result import Average

BOUND = "Krippendorff's bound for tentative conclusions"


def agreement_answer(
    rows: Collection[DimensionAgreement], basis: Basis, average: Average | None = None
) -> list[str]:
    """Whether the judge agrees with annotators beyond chance, as far as the intervals of its alphas say; then the mean,
    what one annotator reaches, and the baselines that it is not shown to beat."""
    better = [row for row in rows if row.alpha.low is not None and row.alpha.low > 0]
    worse = [row for row in rows if row.alpha.high is not None and row.alpha.high < 0]
    clusters = words.number(basis.clusters, basis.clustered_by)
    if len(rows) == 1:
        (row,) = rows
        who = "The judge agrees" if better else "The data do not show that the judge agrees"
        chance = "more than by chance"
        if worse:
            who, chance = "The judge agrees", "less than by chance"
        first = (
            f"{who} with annotators {chance} on {_name(row)} "
            f"({_alpha(row, basis.settings.confidence)}, {clusters})"
        )
        return [f"{first}.", *_rest(rows, None)]
    whole = words.number(len(rows), "dimension")
    if better:
        best, *others = sorted(better, key=lambda row: -(row.alpha.value or 0.0))
        well = sum((row.alpha.low or 0.0) >= WEAK for row in better)
        named = [f"{_name(row)} ({words.with_interval(row.alpha)})" for row in others[:NAMED]]
        most = "best on " if len(others) > NAMED else ""
        first = (
            f"The judge agrees with annotators more than by chance on {len(better)} of {whole}: {most}"
            f"{_name(best)} ({_alpha(best, basis.settings.confidence)}, {clusters})"
            + "".join(f", {name}" for name in named)
            + (
                f"; on {well or 'none'} of these the whole interval is above {WEAK}, {BOUND}"
                if others
                else f"; the whole interval is {'' if well else 'not '}above {WEAK}, {BOUND}"
            )
        )
    else:
        first = (
            f"The data do not show that the judge agrees with annotators more than by chance on any of {whole} "
            f"({clusters})"
        )
    if worse:
        first += f"; on {len(worse)} it agrees less than by chance"
    return [f"{first}.", *_rest(rows, average)]


def _rest(rows: Collection[DimensionAgreement], average: Average | None) -> Iterator[str]:
    sentences: list[str] = []
    if average is not None and len(average.dimensions) > 1:
        mean = words.with_interval(average.judge["mean"])
        sentences.append(
            f"The judge's alpha with annotators, averaged over {len(average.dimensions)} dimensions, is {mean}."
        )
    person = rows_person(rows, average)
    if person is not None:
        one, judge = person
        sentences.append(
            f"The agreement of one annotator with the other annotators is α = {words.with_interval(one)}; that of the "
            f"judge with the same others is α = {words.with_interval(judge)}."
        )
    sentences += over_baselines({row.dimension: row.over for row in rows})
    parted = sum(row.parted for row in rows)
    if parted:
        where = "" if len(rows) == 1 else f" on {parted} of {len(rows)} dimensions"
        sentences.append(
            f"The data do not show that annotators agree with each other more than by chance{where}."
        )
    if sentences:
        yield " ".join(sentences)


def rows_person(
    rows: Collection[DimensionAgreement], average: Average | None
) -> tuple[Estimate, Estimate] | None:
    """What one annotator reaches, and what the judge reaches in that one's place; None where that is not known."""
    source = (
        average if average is not None and len(rows) > 1 else next(iter(rows)) if len(rows) == 1 else None
    )
    if source is None or source.person.value is None or source.as_person.value is None:
        return None
    return source.person, source.as_person


def agreement_picture(
    rows: Collection[DimensionAgreement], basis: Basis, average: Average | None = None
) -> list[Forest]:
    """Alpha by dimension, the highest first, with what one annotator, all annotators, and baselines reach."""
    ordered = sorted(rows, key=lambda row: -(row.alpha.value or 0.0))
    found = [(words.label(row.dimension), row.alpha) for row in ordered]
    others = {words.label(row.dimension): _others(row) for row in rows}
    if average is not None and len(average.dimensions) > 1:
        mean = f"Mean over {len(average.dimensions)} dimensions"
        found.insert(0, (mean, average.judge["mean"]))
        others[mean] = {
            **{f"{head(name)} (baseline)": average.judge[name] for name in TRIVIAL if name in average.judge},
            "One annotator with the others": average.person,
            "Inter-annotator alpha": average.people,
        }
    return forests(
        "Agreement of judge and annotators",
        WITH_CI.format(basis.settings.confidence),
        found,
        others,
    )


def _others(row: DimensionAgreement) -> dict[str, Estimate]:
    variants = getattr(row, "variants", {})
    return {
        **{f"{head(name)} (baseline)": variants[name] for name in TRIVIAL if name in variants},
        "One annotator with the others": row.person,
        "Inter-annotator alpha": row.people,
    }


def _alpha(row: DimensionAgreement, confidence: float) -> str:
    alpha = row.alpha
    if alpha.low is None or alpha.high is None:
        return f"{ALPHA} = {words.score(alpha.value)}, no interval, n = {number(row.compared, 'unit')}"
    interval = f"{confidence:.0%} CI [{alpha.low:z.2f}, {alpha.high:z.2f}]"
    return f"{ALPHA} = {words.score(alpha.value)}, {interval}, n = {number(row.compared, 'unit')}"


def _name(row: DimensionAgreement) -> str:
    return words.label(row.dimension).lower()
