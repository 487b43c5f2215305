"""Tables of agreement, for terminals and pages: annotators among themselves, a judge with them, baselines, and several
judges."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from conqret.show import words
from conqret.show.table import Cell, Column, Table
from conqret.stats.estimate import FEWEST_TESTED, Estimate, undefined
from conqret.studies.agreement.agreement_settings import Basis
from conqret.studies.agreement.annotator_agreement import OVERALL
from conqret.studies.agreement.dimension_result import DimensionAgreement
from conqret.studies.agreement.shared_units import HeldOut
from conqret.studies.agreement.statistics import CALIBRATED, Statistic
from conqret.studies.agreement.trivial_judges import TRIVIAL
from conqret.studies.compare.result import PRICED_ITEMS, JudgeComparison, JudgeCost, JudgePair
from conqret.studies.validate.result import Average, Validation

MOST_LEFT = 4
"""Dimensions that a note names as not in the average; more are counted."""
NO_ALPHAS: Mapping[str, Estimate] = {}
SHOWN = ("mean", CALIBRATED, *TRIVIAL)
"""The judge, and what stands beside it, in this order."""
_ONE_ANNOTATOR = (
    " “One annotator” is the alpha of one annotator with the combined label of the other annotators (the mean over "
    "annotators). “Judge in place of one” is the alpha of the judge with the combined label of all annotators but one: "
    "compare it with “One annotator”. “Inter-annotator” is the alpha of all annotators with each other, without the "
    "judge."
)
NOT_EVERYWHERE = "it has no value on some of the judge's units"


def comparison_tables(comparison: JudgeComparison) -> Iterator[Table]:
    """Several judges with the same annotators: in the mean, by pairs, and by dimension."""
    average, held_out = comparison.average, comparison.held_out
    costs = (
        (f"Price of {words.count(PRICED_ITEMS)} items", "Time per item", "Tokens per item")
        if comparison.costs
        else ()
    )
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
        foot=[
            (
                f"Chosen on other {comparison.basis.clustered_by}s",
                held_out.alpha,
                "",
                "",
                "",
                *("" for _ in costs),
            )
        ],
        note="Judges are ranked by Krippendorff's alpha with annotators on the units that all judges scored; alpha "
        "is 1 "
        "for full agreement and 0 for agreement by chance. "
        f"{average_note(comparison.averaged, list(comparison.dimensions))} The p-value tests whether the first judge "
        "agrees better than the judge of this row. "
        "“Error” is the mean absolute difference of score and human label, both in [0, 1]; a judge that always "
        "gives the middle score has a small error, too. "
        f"{chosen_words(held_out, comparison.basis)} A judge that uses another part of the scale than annotators do "
        "has a lower alpha; conqret judges calibrate corrects for that.",
    )
    clustered = f"{comparison.basis.clustered_by}s"
    yield Table(
        "Differences of alphas",
        (Column("Judge", "name"), Column("Minus", "name"), "Difference", "p"),
        [(pair.first, pair.second, pair.difference, words.p_value(pair.p)) for pair in average.pairs],
        note=f"Judges are compared on the same {clustered}. The p-values are corrected for the number of "
        f"pairs (maxT, by flipping the signs of whole {clustered}). With fewer than {FEWEST_TESTED} "
        f"{clustered} there are no p-values. {words.NOT_CORRECTED} "
        f"{words.symmetry_note(comparison.basis.clusters)}".rstrip(),
    )
    yield Table(
        "Alpha by dimension",
        ("Dimension", "Units", *comparison.judges),
        [
            (words.label(name), row.units, *(row.judges[judge].alpha for judge in comparison.judges))
            for name, row in comparison.dimensions.items()
        ],
        note=_by_dimension(comparison),
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
        f"“Chosen” counts the folds for which a judge was chosen: the {basis.clustered_by}s are split into "
        f"{held_out.folds} folds, and for each fold the judge with the highest alpha on the other folds is chosen "
        f"(judges that tie all count). “Chosen on other {basis.clustered_by}s” is the cross-validated alpha of that "
        "choice; the best of several judges, measured on the labels that choose it, looks better than it is."
    )


def _by_dimension(comparison: JudgeComparison) -> str:
    """What differs on single dimensions."""
    shown = [
        f"{words.label(name)}: “{pair.shown}” over “{other}” ({difference})"
        for name, row in comparison.dimensions.items()
        for pair in row.pairs
        if pair.shown
        for other, difference in [over_other(pair)]
    ]
    return (
        "“Units” is the number of items (or parts of items) that annotators labeled and all judges scored. Pairs of "
        "judges that differ significantly (p-values corrected over dimensions and pairs): "
        f"{'; '.join(shown) or 'none'}."
    )


def over_other(pair: JudgePair) -> tuple[str, Estimate]:
    """The judge than which the one that is shown to agree better does so, and by how much."""
    if pair.shown == pair.first:
        return pair.second, pair.difference
    ends = (pair.difference.value, pair.difference.high, pair.difference.low)
    value, low, high = (None if end is None else -end for end in ends)
    return pair.first, replace(pair.difference, value=value, low=low, high=high)


AS_ONE = ("Judge in place of one", "One annotator", "Inter-annotator")
"""The columns where several annotators labeled."""


def as_one_cells(reached: DimensionAgreement | Average) -> tuple[Cell, ...]:
    """The cells of :data:`AS_ONE`."""
    return (reached.as_person, reached.person, reached.people)


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
    cells: list[tuple[Cell, ...]] = [
        (
            words.label(row.dimension),
            row.compared,
            row.alpha,
            *mapped * (row.calibrated,),
            *(several * as_one_cells(row)),
            *(row.statistics[statistic.name] for statistic in statistics),
            *covers * (f"{row.coverage:.1%}",),
        )
        for row in rows
    ]
    foot: list[tuple[Cell, ...]] = []
    notes = [
        "Alpha is 1 for perfect agreement, 0 for agreement by chance, and below 0 for less than that; brackets hold "
        f"{basis.intervals}. “Units” is the number of arguments, or of documents of items, that have both a score "
        "and a human label. “Coverage” is the share of labeled units that have a score."
        + several
        * _ONE_ANNOTATOR
    ]
    if average is not None:
        raw = (average.judge["mean"], *mapped * (average.judge.get(CALIBRATED, ""),))
        rest = ("",) * len(statistics) if coverage is None else (f"{coverage:.1%}",)
        foot = [("Average", "", *raw, *(several * as_one_cells(average)), *rest)]
        notes.append(average_note(average.dimensions, {row.dimension: row.alpha for row in rows}))
    if mapped:
        notes.append(
            "“Calibrated” is the alpha of scores mapped to the labels' scale, with labels of other topics."
        )
    heads = (
        "Dimension",
        "Units",
        "Judge and annotators",
        *mapped * ("Calibrated",),
        *several * AS_ONE,
        *(statistic.title for statistic in statistics),
        *covers * ("Coverage",),
    )
    title = "Krippendorff's alpha with annotators"
    notes += [statistic.about for statistic in statistics if statistic.about]
    return Table(title, heads, cells, foot=foot, note=" ".join(notes)).varying("Coverage")


def language_tables(validation: Validation) -> Iterator[Table]:
    """The same on the items of each language, where there are several."""
    languages = validation.languages
    if not languages:
        return
    several = any(row.annotators > 1 for row in validation.dimensions.values())
    clustered = validation.basis.clustered_by
    yield Table(
        "Krippendorff's alpha with annotators by language",
        (
            Column("Language", "text"),
            "Dimension",
            "Units",
            f"{clustered.capitalize()}s",
            "Judge and annotators",
            *several * ("Inter-annotator",),
        ),
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
        note=f"Each alpha is of one language alone, with an interval over its {clustered}s; intervals are not "
        "corrected for the number of languages. Alpha depends on how much labels vary, so compare two languages only "
        "if their items are alike, such as translations.",
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
        note="“Length” is a baseline that scores by the number of characters of the argument or document, mapped to "
        "the "
        "labels' scale with the labels of other topics. “Constant” is a baseline that gives the mean label to every "
        "item, so its alpha is about 0 or below."
        + " “Offline” is a baseline that scores by word statistics."
        * ("floor" in names),
    )


def head(name: str) -> str:
    """A variant of the judge's scores, or a baseline, as a head."""
    return {"mean": "Judge", "floor": "Offline"}.get(name, name.capitalize())


def average_note(dimensions: Sequence[str], rows: Mapping[str, Estimate] | Collection[str]) -> str:
    """Of what an average is, which of the ``rows`` are not in it, and of how many (where ``rows`` has their alphas)
    nothing is known of how they vary."""
    if list(dimensions) == [OVERALL]:
        return "The average has one dimension only, overall quality."
    alphas = rows if isinstance(rows, Mapping) else NO_ALPHAS
    averaged = words.number(len(dimensions), "dimension")
    without = [
        words.label(name).lower() for name in dimensions if name in alphas and alphas[name].low is None
    ]
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


def beside_table(validation: Validation) -> Table:
    """:func:`trivial_table` of a validation."""
    alphas = {name: row.variants for name, row in validation.dimensions.items()}
    return trivial_table(alphas, validation.average.judge)
