"""Tables of agreement, for terminals and pages: annotators among themselves, a judge with them, baselines, and several
judges."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from conqret.errors import number
from conqret.show import words
from conqret.show.forest import Forest, forests
from conqret.show.table import Cell, Column, Table
from conqret.stats.estimate import Estimate, undefined
from conqret.studies.agreement.agreement_settings import Basis
from conqret.studies.agreement.annotator_agreement import OVERALL
from conqret.studies.agreement.dimension_result import DimensionAgreement
from conqret.studies.agreement.page import ALPHA, WITH_CI
from conqret.studies.agreement.statistics import CALIBRATED, Statistic
from conqret.studies.agreement.trivial_judges import NAMED, TRIVIAL, over_baselines
from conqret.studies.card.card_limits import WEAK
from conqret.studies.validate.result import Average, Validation

MOST_LEFT = 4
"""Dimensions that a note names as not in the average; more are counted."""
SHOWN = ("mean", CALIBRATED, *TRIVIAL)
"""The judge, and what stands beside it, in this order."""
_ONE_ANNOTATOR = (
    "“Judge in place of one” and “One annotator” are their alphas with the combined label of the other annotators, and "
    "“Inter-annotator” is the alpha of all annotators without the judge."
)
NOT_EVERYWHERE = "it has no value on some of the judge's units"


AS_ONE = ("Judge in place of one", "One annotator", "Inter-annotator")
"""The columns where several annotators labeled."""
BOUND = "Krippendorff's bound for tentative conclusions"


def agreement_table(validation: Validation) -> Table:
    """A judge with annotators, on each dimension and in the mean."""
    rows = list(validation.dimensions.values())
    return table_of_rows(rows, validation.average, validation.basis, coverage=validation.coverage)


def table_of_rows(
    rows: Sequence[DimensionAgreement],
    average: Average | None,
    basis: Basis,
    statistics: Sequence[Statistic] = (),
    coverage: float | None = None,
) -> Table:
    """A judge with annotators, on each dimension and in the mean (None: of one dimension there is none); where one
    annotator labeled, without what takes several. ``statistics`` stand beside alpha, with the alpha of calibrated
    scores, or the ``coverage`` of each dimension and of all."""
    several = any(row.annotators > 1 for row in rows)
    mapped = bool(statistics) and any(row.calibrated.value is not None for row in rows)
    covers = coverage is not None

    def as_one(reached: DimensionAgreement | Average) -> tuple[Cell, ...]:
        return several * (reached.as_person, reached.person, reached.people)

    cells: list[tuple[Cell, ...]] = [
        (
            words.label(row.dimension),
            row.compared,
            row.alpha,
            *mapped * (row.calibrated,),
            *as_one(row),
            *(row.statistics[statistic.name] for statistic in statistics),
            *covers * (f"{row.coverage:.1%}",),
        )
        for row in rows
    ]
    foot: list[tuple[Cell, ...]] = []
    notes = [
        f"Alpha is 1 for perfect agreement and 0 for agreement by chance; brackets hold {basis.intervals}. “Units” "
        "have both a score and a human label"
        + "; “Coverage” is the share of labeled units that have a score" * covers
        + ".",
        _ONE_ANNOTATOR * several,
    ]
    if average is not None:
        raw = (average.judge["mean"], *mapped * (average.judge.get(CALIBRATED, ""),))
        rest = ("",) * len(statistics) if coverage is None else (f"{coverage:.1%}",)
        foot = [("Average", "", *raw, *as_one(average), *rest)]
        notes.append(average_note(average.dimensions, [row.dimension for row in rows]))
    if mapped:
        notes.append("“Calibrated” maps scores to the labels' scale by the labels of other topics.")
    heads = (
        "Dimension",
        "Units",
        "Judge and annotators",
        *mapped * ("Calibrated",),
        *several * AS_ONE,
        *(statistic.title for statistic in statistics),
        *covers * ("Coverage",),
    )
    note = " ".join(filter(None, [*notes, *(statistic.about for statistic in statistics)]))
    return Table(
        "Krippendorff's alpha with annotators", heads, cells, foot=foot, note=note, same=("Coverage",)
    )


def language_tables(validation: Validation) -> Iterator[Table]:
    """The same on the items of each language, where there are several."""
    languages = validation.languages
    if not languages:
        return
    several = any(row.annotators > 1 for row in validation.dimensions.values())
    clustered = f"{validation.basis.clustered_by}s"
    heads = (
        "Dimension",
        "Units",
        clustered.capitalize(),
        "Judge and annotators",
        *several * ("Inter-annotator",),
    )
    yield Table(
        "Krippendorff's alpha with annotators by language",
        (Column("Language", "text"), *heads),
        [
            (
                words.language(row.language) or "cannot be told",
                words.label(row.dimension),
                row.units,
                row.topics,
                row.alpha,
                *several * (row.people,),
            )
            for row in languages
        ],
        note=f"Intervals are over the {clustered} of one language, not corrected for the number of languages. Compare "
        "two languages only if their items are alike, such as translations.",
    )


def trivial_table(alphas: Mapping[str, Mapping[str, Estimate]], average: Mapping[str, Estimate]) -> Table:
    """The judge's alpha and that of baselines without a model, by dimension."""
    names = [name for name in SHOWN if any(name in alpha for alpha in alphas.values())]
    none = undefined(NOT_EVERYWHERE)
    rows: list[tuple[Cell, ...]] = [
        (words.label(dimension), *(alpha.get(name, none) for name in names))
        for dimension, alpha in alphas.items()
    ]
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
    """A variant of the judge's scores, or a baseline, as a head."""
    return {"mean": "Judge", "floor": "Offline"}.get(name, name.capitalize())


def average_note(dimensions: Sequence[str], rows: Collection[str]) -> str:
    """Of what an average is, and which of the ``rows`` are not in it."""
    if list(dimensions) == [OVERALL]:
        return "The average has one dimension only, overall quality."
    others = [words.label(name).lower() for name in rows if name not in dimensions]
    left = f"; {_first(others)} {'is' if len(others) == 1 else 'are'} left out" if others else ""
    return f"The average is over {words.number(len(dimensions), 'dimension')}{left}."


def _first(names: Sequence[str]) -> str:
    """Names in a sentence; of many the first and how many more there are."""
    if len(names) > MOST_LEFT:
        return f"{', '.join(names[:MOST_LEFT])} and {len(names) - MOST_LEFT} more"
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


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
            f"The agreement of one annotator with the other annotators is α = {words.with_interval(whole.person)}; "
            f"that of the judge with the same others is α = {words.with_interval(whole.as_person)}."
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


def _alpha(row: DimensionAgreement, basis: Basis) -> str:
    alpha, interval = row.alpha, "no interval"
    if alpha.low is not None and alpha.high is not None:
        interval = f"{basis.settings.confidence:.0%} CI [{alpha.low:z.2f}, {alpha.high:z.2f}]"
    return f"{ALPHA} = {words.score(alpha.value)}, {interval}, n = {number(row.compared, 'unit')}"


def _name(row: DimensionAgreement) -> str:
    return words.label(row.dimension).lower()
