"""Several judges beside the same people, as a page."""

from __future__ import annotations

from collections.abc import Sequence

from conqret.show import words
from conqret.show.forest import forests
from conqret.show.report_page import ReportPage, Section, section
from conqret.studies.agreement_tables import comparison_tables
from conqret.studies.compare.result import JudgeComparison

TITLES = ("Agreement with people", "Differences of alphas")


def comparison_sheet(comparison: JudgeComparison, baselines: Sequence[bool] = ()) -> ReportPage:
    """The page, with the alphas and the differences as pictures; ``baselines`` says of each judge whether it is a
    floor."""
    alphas, differences, by_dimension = comparison_tables(comparison)
    judges = [(name, comparison.average.judges[name].alpha) for name in comparison.judges]
    pairs = [(f"{pair.first} minus {pair.second}", pair.difference) for pair in comparison.average.pairs]
    pictures = [
        forests("The mean over dimensions", "Alpha", judges),
        forests("Pairs of judges", "Difference of alphas", pairs),
    ]
    return ReportPage(
        "compare",
        "Which judge is closest to people?",
        [
            Section(title, [*picture, table])
            for title, picture, table in zip(TITLES, pictures, (alphas, differences), strict=True)
        ]
        + [section(by_dimension)],
        badges=words.floor_badges(baselines),
        lede=[
            f"{words.capitalised(comparison.verdict)}.",
            *([comparison.chance] if comparison.chance else []),
        ],
        facts=[
            ("Labels", comparison.basis.labels),
            ("Judges", words.count(len(comparison.judges))),
            ("Intervals", comparison.basis.intervals),
        ],
    )
