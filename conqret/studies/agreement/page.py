"""Agreement, for terminals and pages: annotators among themselves, a judge with them, and baselines."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from conqret.show import words
from conqret.show.forest import Forest, forests
from conqret.show.report_page import ReportPage, section
from conqret.show.table import Cell, CellSource, Column, Table
from conqret.stats.estimate import Estimate, undefined
from conqret.studies.agreement.agreement_settings import Basis
from conqret.studies.agreement.annotator_agreement import OVERALL, PeopleAgreement
from conqret.studies.agreement.dimension_result import WEAK, Average, DimensionAgreement, LanguageAgreement
from conqret.studies.agreement.statistics import CALIBRATED, STATISTICS, Statistic
from conqret.studies.agreement.trivial_judges import NAMED, TRIVIAL, over_baselines

ALPHA = "Krippendorff's α"
WITH_CI = "Krippendorff's alpha, {:.0%} confidence intervals"
MOST_LEFT = 4
"""Dimensions that a note names as not in the average; more are counted."""
SHOWN = ("mean", CALIBRATED, *TRIVIAL)
"""The judge, and what stands beside it, in this order."""
_ONE_ANNOTATOR = (
    "“Judge in place of one” and “One annotator” are their alphas with the combined label of the other annotators, and "
    "“Inter-annotator” is the alpha of all annotators without the judge."
)
NOT_EVERYWHERE = "it has no value on some of the judge's units"


AS_ONE = {"as_person": "Judge in place of one", "person": "One annotator", "people": "Inter-annotator"}
"""The columns where several annotators labeled."""
BOUND = "Krippendorff's bound for tentative conclusions"


def people_table(study_agreement: PeopleAgreement) -> Table:
    """How far annotators agree, a row for each dimension."""
    found = study_agreement.rows
    shared = len({row.level for row in found}) == 1
    titles = {name: STATISTICS[name].title for name in found[0].statistics}
    foot: list[list[Cell]] = []
    if len(found) > 1:
        empty = [""] * len(titles)
        foot.append(["Average", "", "", "", "", study_agreement.average, *empty])
        if (together := study_agreement.together) is not None:
            foot.append(["All together", "", "", together.n, "", together, *empty])
    level = f", {found[0].level} level" if shared else ""
    return Table(
        f"Inter-annotator agreement{level}, {study_agreement.basis.intervals}",
        {
            "Dimension": lambda row: words.label(row.name),
            "Level": lambda row: "" if shared else row.level,
            "Annotators": "annotators",
            "Units": "units",
            "Base rate": lambda row: "" if row.most_frequent is None else f"{row.most_frequent:.0%}",
            "Krippendorff's alpha": "alpha",
            **{title: ("statistics", name) for name, title in titles.items()},
        },
        found,
        foot=foot,
        note="“Units” are items (or their parts) with labels by two annotators or more. “Base rate” is the share of "
        "the most frequent label. “All together” is one alpha over the units of all rows.",
    )


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
        ordered = sorted(known, key=lambda row: row.alpha.value or 0.0)
        least, most = (
            f"on {words.label(row.name).lower()} ({words.with_interval(row.alpha)})"
            for row in (ordered[0], ordered[-1])
        )
        sentences.append(f"Annotators agree least {least} and most {most}.")
    return sentences


def annotators_picture(study_agreement: PeopleAgreement) -> Sequence[Forest]:
    """Inter-annotator alpha by dimension."""
    rows = [(words.label(row.name), row.alpha) for row in study_agreement.rows]
    axis = WITH_CI.format(study_agreement.basis.settings.confidence)
    return forests("Inter-annotator agreement by dimension", axis, rows)


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


def agreement_table(
    rows: Collection[DimensionAgreement],
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
    columns: dict[str | Column, CellSource] = {
        "Dimension": lambda row: words.label(row.dimension),
        "Units": "compared",
        "Judge and annotators": "alpha",
        "Calibrated": lambda row: row.calibrated if mapped else "",
        **({title: of for of, title in AS_ONE.items()} if several else {}),
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
        as_one = [getattr(average, name) for name in AS_ONE] if several else []
        blank = [""] * len(statistics)
        covered = "" if coverage is None else f"{coverage:.1%}"
        foot.append(["Average", "", average.judge["mean"], calibrated, *as_one, *blank, covered])
        notes.append(average_note(average.dimensions, [row.dimension for row in rows]))
    if mapped:
        notes.append("“Calibrated” maps scores to the labels' scale by the labels of other topics.")
    return Table(
        "Krippendorff's alpha with annotators",
        columns,
        rows,
        foot=foot,
        note=" ".join(filter(None, [*notes, *(statistic.about for statistic in statistics)])),
        same=("Coverage",),
    )


def language_tables(
    languages: Sequence[LanguageAgreement], basis: Basis, *, several: bool
) -> Iterator[Table]:
    """The same on the items of each language, where there are several; ``several`` says whether people are."""
    clustered = f"{basis.clustered_by}s"
    if languages:
        yield Table(
            "Krippendorff's alpha with annotators by language",
            {
                Column("Language", "text"): lambda row: words.language(row.language) or "cannot be told",
                "Dimension": lambda row: words.label(row.dimension),
                "Units": "units",
                clustered.capitalize(): "topics",
                "Judge and annotators": "alpha",
                "Inter-annotator": lambda row: row.people if several else "",
            },
            languages,
            note=f"Intervals are over the {clustered} of one language, not corrected for the number of languages. "
            "Compare two languages only if their items are alike, such as translations.",
        )


def trivial_table(alphas: Mapping[str, Mapping[str, Estimate]], average: Mapping[str, Estimate]) -> Table:
    """The judge's alpha and that of baselines without a model, by dimension."""
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
    """A variant of the judge's scores, or a baseline, as a head."""
    return {"mean": "Judge", "floor": "Offline"}.get(name, name.capitalize())


def average_note(dimensions: Sequence[str], rows: Collection[str]) -> str:
    """Of what an average is, and which of the ``rows`` are not in it."""
    if list(dimensions) == [OVERALL]:
        return "The average has one dimension only, overall quality."
    others = [words.label(name).lower() for name in rows if name not in dimensions]
    left = (
        f"; {words.listed(others, MOST_LEFT)} {'is' if len(others) == 1 else 'are'} left out"
        if others
        else ""
    )
    return f"The average is over {words.number(len(dimensions), 'dimension')}{left}."


def agreement_answer(
    rows: Collection[DimensionAgreement], basis: Basis, average: Average | None = None
) -> list[str]:
    """Whether the judge agrees with annotators beyond chance, as far as the intervals of its alphas say; then the mean,
    what one annotator reaches, and the baselines that it is not shown to beat."""
    rest = " ".join(_rest(rows, average))
    return [f"{_beyond_chance(rows, basis)}.", *filter(None, [rest])]


def _beyond_chance(rows: Collection[DimensionAgreement], basis: Basis) -> str:
    better = sorted((row for row in rows if row.alpha.sign > 0), key=lambda row: -(row.alpha.value or 0.0))
    worse = sum(row.alpha.sign < 0 for row in rows)
    clusters = words.number(basis.clusters, basis.clustered_by)
    agrees = "The judge agrees with annotators"
    unshown = "The data do not show that the judge agrees with annotators more than by chance on"
    if len(rows) == 1:
        said = f"{agrees} {'more' if better else 'less'} than by chance on" if better or worse else unshown
        return f"{said} {_named(next(iter(rows)), basis)}, {clusters})"
    whole = words.number(len(rows), "dimension")
    less = f"; on {worse} it agrees less than by chance" if worse else ""
    if not better:
        return f"{unshown} any of {whole} ({clusters}){less}"
    best, *others = better
    well = sum((row.alpha.low or 0.0) >= WEAK for row in better)
    most = "best on " if len(others) > NAMED else ""
    named = "".join(f", {_name(row)} ({words.with_interval(row.alpha)})" for row in others[:NAMED])
    on = f"on {well or 'none'} of these the whole interval is " if others else "the whole interval is "
    bound = f"{on}{'' if well or others else 'not '}above {WEAK}, {BOUND}"
    more = f"{agrees} more than by chance on {len(better)} of {whole}"
    return f"{more}: {most}{_named(best, basis)}, {clusters}){named}; {bound}{less}"


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


def _named(row: DimensionAgreement, basis: Basis) -> str:
    """A dimension with its alpha, whose bracket stays open."""
    alpha, interval = row.alpha, "no interval"
    if alpha.low is not None:
        interval = f"{basis.settings.confidence:.0%} CI [{alpha.low:z.2f}, {alpha.high:z.2f}]"
    n = words.number(row.compared, "unit")
    return f"{_name(row)} ({ALPHA} = {words.score(alpha.value)}, {interval}, n = {n}"


def _name(row: DimensionAgreement) -> str:
    return words.label(row.dimension).lower()
