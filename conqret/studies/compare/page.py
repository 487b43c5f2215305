"""Several judges with the same annotators, as a page."""

from __future__ import annotations

from collections.abc import Sequence

from conqret.show import words
from conqret.show.forest import Forest, forests
from conqret.show.report_page import ReportPage, Section, section
from conqret.studies.agreement_tables import comparison_tables, shown_pairs
from conqret.studies.compare.result import JudgeComparison

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
