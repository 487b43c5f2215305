"""Tables of agreement, for terminals and pages: annotators among themselves, a judge with them, baselines, and several
judges."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from conqret.show import words
from conqret.show.table import Cell, Column, Table
from conqret.stats.estimate import FEWEST_TESTED, Estimate, undefined
from conqret.studies.agreement.agreement_settings import Basis
from conqret.studies.agreement.annotator_agreement import OVERALL, PeopleAgreement
from conqret.studies.agreement.dimension_result import DimensionAgreement
from conqret.studies.agreement.shared_units import HeldOut
from conqret.studies.agreement.statistics import CALIBRATED, STATISTICS, Statistic
from conqret.studies.agreement.trivial_judges import TRIVIAL
from conqret.studies.compare.result import PRICED_ITEMS, JudgeComparison, JudgeCost
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


def people_table(study_agreement: PeopleAgreement) -> Table:
    """How far annotators agree, a row for each dimension."""
    found = study_agreement.rows
    shared = len({row.level for row in found}) == 1
    names = list(found[0].statistics)
    rows: list[tuple[Cell, ...]] = [
        (
            words.label(row.name),
            *(not shared) * (row.level,),
            row.annotators,
            row.units,
            "" if row.most_frequent is None else f"{row.most_frequent:.0%}",
            row.alpha,
            *row.statistics.values(),
        )
        for row in found
    ]
    foot: list[tuple[Cell, ...]] = []
    if len(rows) > 1:
        blank, empty = (not shared) * ("",), [""] * len(names)
        foot.append(("Average", *blank, "", "", "", study_agreement.average, *empty))
        if (together := study_agreement.together) is not None:
            foot.append(("All together", *blank, "", together.n, "", together, *empty))
    heads = (
        "Dimension",
        *(not shared) * ("Level",),
        "Annotators",
        "Units",
        "Base rate",
        "Krippendorff's alpha",
    )
    level = f", {found[0].level} level" if shared else ""
    return Table(
        f"Inter-annotator agreement{level}, {study_agreement.basis.intervals}",
        (*heads, *(STATISTICS[name].title for name in names)),
        rows,
        foot=foot,
        note="“Units” are items (or their parts) with labels by two annotators or more. “Base rate” is the share of "
        "the most frequent label. “All together” is one alpha over the units of all rows.",
    )


def comparison_tables(comparison: JudgeComparison) -> Iterator[Table]:
    """Several judges with the same annotators: in the mean, by pairs, and by dimension."""
    average, held_out, clustered = (
        comparison.average,
        comparison.held_out,
        f"{comparison.basis.clustered_by}s",
    )
    costs = (f"Price of {words.count(PRICED_ITEMS)} items", "Time per item", "Tokens per item")
    costs *= bool(comparison.costs)
    yield Table(
        f"Krippendorff's alpha with annotators, {comparison.basis.intervals}",
        ("Judge", "Alpha", "p", "Error", "Chosen", *costs),
        [
            (
                name,
                entry.alpha,
                words.p_value(comparison.over.get(name)),
                entry.error,
                f"{held_out.chosen[name]} of {held_out.folds}",
                *_cost_cells(comparison.costs.get(name)),
            )
            for name in comparison.judges
            for entry in [average.judges[name]]
        ],
        foot=[(f"Chosen on other {clustered}", held_out.alpha, "", "", "", *("" for _ in costs))],
        note="Alphas are of the units that all judges scored. "
        f"{average_note(comparison.averaged, list(comparison.dimensions))} “p” tests whether the first judge agrees "
        "better than this one. “Error” is the mean absolute difference of score and human label, both in [0, 1]; "
        f"always giving the middle score keeps it small. {chosen_words(held_out, comparison.basis)}",
    )
    yield Table(
        "Differences of alphas",
        (Column("Judge", "name"), Column("Minus", "name"), "Difference", "p"),
        [(pair.first, pair.second, pair.difference, words.p_value(pair.p)) for pair in average.pairs],
        note=f"The p-values are corrected for the number of pairs (maxT, by flipping the signs of whole {clustered}); "
        f"with fewer than {FEWEST_TESTED} {clustered} there are none. {words.NOT_CORRECTED} "
        f"{words.symmetry_note(comparison.basis.clusters)}".rstrip(),
    )
    shown = "; ".join(f"{name}: {pair}" for name, pair in shown_pairs(comparison)) or "none"
    yield Table(
        "Alpha by dimension",
        ("Dimension", "Units", *comparison.judges),
        [
            (words.label(name), row.units, *(row.judges[judge].alpha for judge in comparison.judges))
            for name, row in comparison.dimensions.items()
        ],
        note="Pairs of judges that differ significantly (p-values corrected over dimensions and pairs): "
        f"{shown}.",
    )


def _cost_cells(cost: JudgeCost | None) -> tuple[Cell, ...]:
    """Price, time and tokens of a judge; none where it is no finished run."""
    if cost is None:
        return ()
    return (
        words.money(cost.usd),
        None if cost.seconds is None else words.seconds(cost.seconds),
        None if cost.tokens is None else words.count(round(cost.tokens)),
    )


def chosen_words(held_out: HeldOut, basis: Basis) -> str:
    """What it means that a judge is chosen, for notes."""
    return (
        f"“Chosen” counts of {held_out.folds} folds of {basis.clustered_by}s those for which a judge has the highest "
        f"alpha on the other folds; “Chosen on other {basis.clustered_by}s” is the cross-validated alpha of that."
    )


def shown_pairs(comparison: JudgeComparison) -> Iterator[tuple[str, str]]:
    """The dimensions on which a judge is shown to agree better than another one, with both and by how much."""
    for name, row in comparison.dimensions.items():
        for pair in row.pairs:
            if pair.shown:
                turned = pair.shown != pair.first
                other = pair.first if turned else pair.second
                difference = pair.difference
                if turned:
                    ends = (difference.value, difference.high, difference.low)
                    value, low, high = (None if end is None else -end for end in ends)
                    difference = replace(difference, value=value, low=low, high=high)
                by = words.with_interval(difference)
                yield words.label(name), f"“{pair.shown}” over “{other}” by {by}"


AS_ONE = ("Judge in place of one", "One annotator", "Inter-annotator")
"""The columns where several annotators labeled."""


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
        notes.append(average_note(average.dimensions, {row.dimension: row.alpha for row in rows}))
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
    return Table("Krippendorff's alpha with annotators", heads, cells, foot=foot, note=note).varying(
        "Coverage"
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


def average_note(dimensions: Sequence[str], rows: Mapping[str, Estimate] | Collection[str]) -> str:
    """Of what an average is, which of the ``rows`` are not in it, and of how many (where ``rows`` has their alphas)
    nothing is known of how they vary."""
    if list(dimensions) == [OVERALL]:
        return "The average has one dimension only, overall quality."
    alphas = rows if isinstance(rows, Mapping) else {}
    averaged = words.number(len(dimensions), "dimension")
    without = [words.label(one).lower() for one in dimensions if one in alphas and alphas[one].low is None]
    has = "has" if len(without) == 1 else "have"
    remark = f"; {len(without)} of these {averaged} {has} no interval: {_first(without)}" if without else ""
    others = [words.label(name).lower() for name in rows if name not in dimensions]
    left = f"; {_first(others)} {'is' if len(others) == 1 else 'are'} left out" if others else ""
    return f"The average is over {averaged}{left}{remark}."


def _first(names: Sequence[str]) -> str:
    """Names in a sentence; of many the first and how many more there are."""
    if len(names) > MOST_LEFT:
        return f"{', '.join(names[:MOST_LEFT])} and {len(names) - MOST_LEFT} more"
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
