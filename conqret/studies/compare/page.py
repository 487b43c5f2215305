"""Several judges with the same annotators, as a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from conqret.show import words
from conqret.show.forest import Forest, forests
from conqret.show.report_page import ReportPage, Section, section
from conqret.show.table import Cell, Column, Table
from conqret.stats.estimate import FEWEST_TESTED
from conqret.studies.agreement.agreement_settings import Basis
from conqret.studies.agreement.shared_units import HeldOut
from conqret.studies.agreement_tables import average_note
from conqret.studies.compare.result import PRICED_ITEMS, JudgeComparison, JudgeCost

MOST_NAMED = 4
"""Judges and differences that sentences name."""


def comparison_answer(comparison: JudgeComparison) -> list[str]:
    """Whether there is a winner, with the mean alphas behind that, and the dimensions on which judges differ."""
    alphas = [
        f"“{name}” {words.with_interval(comparison.average.judges[name].alpha)}"
        for name in comparison.judges[:MOST_NAMED]
    ]
    averaged = len(comparison.averaged)
    over = f"{averaged} dimensions" if averaged > 1 else "one dimension"
    clusters = words.number(comparison.basis.clusters, comparison.basis.clustered_by)
    shown = [f"{name.lower()}: {pair}" for name, pair in shown_pairs(comparison)]
    more = f" and {len(shown) - MOST_NAMED} more" if len(shown) > MOST_NAMED else ""
    differ = f"These judges differ significantly on single dimensions: {'; '.join(shown[:MOST_NAMED])}{more}."
    return [
        f"{words.capitalised(comparison.verdict)}.",
        f"Krippendorff's α with annotators, averaged over {over}, is {', '.join(alphas)} ({clusters}).",
        *filter(None, [differ if shown else "", comparison.chance, comparison.worth]),
    ]


def comparison_sheet(comparison: JudgeComparison, baselines: Sequence[bool] = ()) -> ReportPage:
    """The page, with the alphas and the differences as pictures; ``baselines`` says of each judge whether it is a
    floor."""
    alphas, differences, by_dimension = comparison_tables(comparison)
    judges = [(name, comparison.average.judges[name].alpha) for name in comparison.judges]
    pairs = [(f"{pair.first} minus {pair.second}", pair.difference) for pair in comparison.average.pairs]
    by_pair = forests("Pairs of judges", "Difference of alphas", pairs) if len(pairs) > 1 else []
    pictures = _by_dimension(comparison) if len(comparison.dimensions) > 1 else []
    return ReportPage(
        "compare",
        "Which judge agrees best with annotators?",
        [
            section(alphas, title="Agreement with annotators"),
            Section(differences.title, [*by_pair, differences]),
            Section(by_dimension.title, [*pictures, by_dimension]),
        ],
        badges=words.floor_badges(baselines),
        answer=comparison_answer(comparison),
        picture=forests("Mean Krippendorff's alpha over dimensions", "Alpha", judges),
        facts=[
            ("Labels", comparison.basis.labels),
            ("Judges", words.count(len(comparison.judges))),
            ("Intervals", comparison.basis.intervals),
        ],
    )


def _by_dimension(comparison: JudgeComparison) -> list[Forest]:
    """Alpha of the first judge on each dimension with its interval, the highest first, and those of the others."""
    first, *others = comparison.judges
    rows = sorted(comparison.dimensions.items(), key=lambda row: -(row[1].judges[first].alpha.value or 0.0))
    return forests(
        "Alpha by dimension",
        f"Krippendorff's alpha of “{first}” with its interval",
        [(words.label(name), row.judges[first].alpha) for name, row in rows],
        {words.label(name): {other: row.judges[other].alpha for other in others} for name, row in rows},
    )


def comparison_tables(comparison: JudgeComparison) -> Iterator[Table]:
    """Several judges with the same annotators: in the mean, by pairs, and by dimension."""
    average, held_out, clustered = (
        comparison.average,
        comparison.held_out,
        f"{comparison.basis.clustered_by}s",
    )
    priced = (f"Price of {words.count(PRICED_ITEMS)} items", "Time per item", "Tokens per item")
    costs = priced if comparison.costs else ()
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
        note=f"Pairs of judges that differ significantly (p-values corrected over dimensions and pairs): {shown}.",
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
