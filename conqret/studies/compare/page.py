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
from conqret.studies.agreement.page import average_note
from conqret.studies.agreement.shared_units import HeldOut
from conqret.studies.compare.result import PRICED_ITEMS, JudgeComparison

MOST_NAMED = 4
"""Judges and differences that sentences name."""


def comparison_answer(comparison: JudgeComparison) -> list[str]:
    """Whether there is a winner, with the mean alphas behind that."""
    alphas = [
        f"“{name}” {words.with_interval(comparison.average.judges[name].alpha)}"
        for name in comparison.judges[:MOST_NAMED]
    ]
    averaged = len(comparison.averaged)
    over = f"{averaged} dimensions" if averaged > 1 else "one dimension"
    clusters = words.number(comparison.basis.clusters, comparison.basis.clustered_by)
    return [
        f"{words.capitalised(comparison.verdict)}.",
        f"Krippendorff's α with annotators, averaged over {over}, is {', '.join(alphas)} ({clusters}).",
        *filter(None, [comparison.chance, comparison.worth]),
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
    average, held_out, basis = comparison.average, comparison.held_out, comparison.basis
    clustered, judges = f"{basis.clustered_by}s", average.judges
    costs: dict[str, tuple[Cell, Cell, Cell]] = {
        name: (
            words.money(cost.usd),
            None if cost.seconds is None else words.seconds(cost.seconds),
            None if cost.tokens is None else words.count(round(cost.tokens)),
        )
        for name, cost in comparison.costs.items()
    }
    priced = (f"Price of {words.count(PRICED_ITEMS)} items", "Time per item", "Tokens per item")
    yield Table(
        f"Krippendorff's alpha with annotators, {basis.intervals}",
        {
            "Judge": str,
            "Alpha": lambda name: judges[name].alpha,
            "p": lambda name: words.p_value(comparison.over.get(name)),
            "Error": lambda name: judges[name].error,
            "Chosen": lambda name: f"{held_out.chosen[name]} of {held_out.folds}",
            **{
                title: lambda name, at=at: costs[name][at] if costs else "" for at, title in enumerate(priced)
            },
        },
        comparison.judges,
        foot=[(f"Chosen on other {clustered}", held_out.alpha, *[""] * 6)],
        note="Alphas are of the units that all judges scored. "
        f"{average_note(comparison.averaged, list(comparison.dimensions))} “p” tests whether the first judge agrees "
        "better than this one. “Error” is the mean absolute difference of score and human label, both in [0, 1]; "
        f"always giving the middle score keeps it small. {chosen_words(held_out, basis)}",
    )
    yield Table(
        "Differences of alphas",
        {
            Column("Judge", "name"): "first",
            Column("Minus", "name"): "second",
            "Difference": "difference",
            "p": lambda pair: words.p_value(pair.p),
        },
        average.pairs,
        note=f"The p-values are corrected for the number of pairs (maxT, by flipping the signs of whole {clustered}); "
        f"with fewer than {FEWEST_TESTED} {clustered} there are none. {words.NOT_CORRECTED} "
        f"{words.symmetry_note(basis.clusters)}".rstrip(),
    )
    yield Table(
        "Alpha by dimension",
        {
            "Dimension": lambda row: words.label(row[0]),
            "Units": (1, "units"),
            **{name: (1, "judges", name, "alpha") for name in comparison.judges},
        },
        comparison.dimensions.items(),
        note="Pairs of judges that differ significantly (p-values corrected over dimensions and pairs): "
        f"{'; '.join(_shown_pairs(comparison)) or 'none'}.",
    )


def chosen_words(held_out: HeldOut, basis: Basis) -> str:
    """What it means that a judge is chosen, for notes."""
    return (
        f"“Chosen” counts of {held_out.folds} folds of {basis.clustered_by}s those for which a judge has the highest "
        f"alpha on the other folds; “Chosen on other {basis.clustered_by}s” is the cross-validated alpha of that."
    )


def _shown_pairs(comparison: JudgeComparison) -> Iterator[str]:
    """The dimensions on which a judge is shown to agree better than another one, with both and by how much."""
    for name, row in comparison.dimensions.items():
        for pair in row.pairs:
            if pair.shown:
                difference, other = pair.difference, pair.second
                if pair.shown != pair.first:
                    difference, other = replace(difference, value=-(difference.value or 0.0)), pair.first
                    if difference.low is not None and difference.high is not None:
                        difference = replace(difference, low=-difference.high, high=-difference.low)
                by = words.with_interval(difference)
                yield f"{words.label(name)}: “{pair.shown}” over “{other}” by {by}"
