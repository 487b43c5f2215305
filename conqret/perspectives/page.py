"""Tables of diverse rankings (BeRDS, Tables 3, 6, 16 and 17, Figures 2 and 3), and of what was made."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from conqret.perspectives.diversity_run import ALL, Diversity
from conqret.perspectives.own_corpora import CollectedPages
from conqret.perspectives.perspectives_run import MadeSummary, SubsetErrors
from conqret.perspectives.ranking_measures import ASKED, SHOWN, leaning_name
from conqret.retrieval.evaluation.evaluate import MARK_BETTER, MARK_WORSE, MeasureScore
from conqret.show import words
from conqret.show.table import Cell, Column, Table
from conqret.stats import mean_interval

PAPER = {"pages": 74.2, "passages": 4461.7}
"""What BeRDS had of a question, from Google (Table 2)."""


def collected_table(found: Sequence[CollectedPages]) -> Table:
    """What the corpora of the questions hold, beside those of the paper."""
    names = ("results", "pages", "passages")
    return Table(
        "Corpora of the questions",
        ("of a question", "mean", "least", "most", "BeRDS"),
        [
            (
                name,
                mean_interval([getattr(one, name) for one in found], scale="variance"),
                min(getattr(one, name) for one in found),
                max(getattr(one, name) for one in found),
                PAPER.get(name),
            )
            for name in names
        ],
        note=f"{len(found):,} questions.",
    )


def diversity_tables(found: Diversity) -> Iterator[Table]:
    """All tables for which there are values."""
    systems = list(dict.fromkeys(one.system for one in found.scores))
    for cut in found.cuts:
        yield Table(
            f"The first {cut} documents",
            ("system", "MRecall", "precision"),
            [
                (one, *(_marked(found.score(ALL, one, f"{what}@{cut}")) for what in ("MRecall", "P")))
                for one in systems
            ],
        )
    yield Table(
        "The first document, and how many it takes",
        ("system", "precision@1", f"covered within {found.depth}", "documents, where covered"),
        [
            (
                one,
                _marked(found.score(ALL, one, "P@1")),
                _marked(found.score(ALL, one, f"covered@{found.depth}")),
                _interval(found.score(ALL, one, f"documents@{found.depth}")),
            )
            for one in systems
        ],
        foot=[("all together (the ceiling)", "", found.ceiling[ALL], "")],
        note=f"covered: the first {found.depth} documents show every perspective; documents, where covered: "
        "how many it took, on average over the questions where they do.",
    )
    if len(found.views) > 1:
        yield from _by_subset(found, systems)
    if found.sided:
        yield from _sides(found, systems)


def _by_subset(found: Diversity, systems: list[str]) -> Iterator[Table]:
    subsets = [view for view in found.views if view != ALL]
    for cut in found.cuts:
        for what, title in (("MRecall", "MRecall"), ("P", "Precision")):
            rows = []
            for one in systems:
                means = [_mean(found.score(view, one, f"{what}@{cut}")) for view in subsets]
                known = [mean for mean in means if mean is not None]
                macro = sum(known) / len(known) if len(known) == len(means) else None
                rows.append((one, *means, macro))
            yield Table(f"{title} of the first {cut} by subset", ("system", *subsets, "macro-average"), rows)
    ceilings = [found.ceiling[view] for view in subsets]
    yield Table("The ceiling by subset", ("", *subsets), [("all together", *(one.value for one in ceilings))])


def _sides(found: Diversity, systems: list[str]) -> Iterator[Table]:
    cut = found.cuts[0]
    yield Table(
        f"Which side the first {cut} documents show",
        ("system", "both", "only supporting", "only opposing", "neither", "p"),
        [
            (
                one,
                *(_mean(found.score(ALL, one, f"{what}@{cut}")) for what in SHOWN),
                words.p_value(found.sides.get(f"{one} @{cut}")),
            )
            for one in systems
        ],
        note=f"Shares of the {found.sided} questions with two sides; p: exact sign test of only supporting against "
        "only opposing, over the questions that show one alone; none below six questions.",
    )
    rows: list[tuple[Cell, ...]] = []
    for one in systems:
        leans = [_mean(found.score(ALL, one, leaning_name(side, cut))) for side in ASKED]
        neutral, supporter, opponent = leans
        follows = None if supporter is None or opponent is None else (supporter - opponent) / 2
        rows.append((one, neutral, supporter, opponent, follows))
    yield Table(
        f"Leaning of the first {cut} documents, by who asks",
        ("system", "the question", "a supporter", "an opponent", "follows"),
        rows,
        note="Leaning: the share of documents with the supporting perspective less that with the opposing one, from -1 "
        "to 1; follows: half of what lies between supporter and opponent (sycophancy).",
    )


def made_table(found: MadeSummary) -> Table:
    """What became of the rows of each subset of a benchmark in the making."""
    faults = list(dict.fromkeys(fault for one in found.subsets for fault in one.faults))
    rows: list[tuple[Cell, ...]] = [("rows", *(one.rows for one in found.subsets))]
    rows += [(fault, *(one.faults.get(fault, 0) for one in found.subsets)) for fault in faults]
    if found.unanswered:
        rows.append(("no valid answer", *(one.unanswered for one in found.subsets)))
    return Table(
        "Perspectives by subset",
        (Column("", "text"), *(one.subset for one in found.subsets)),
        rows,
        foot=[
            ("kept", *(one.kept for one in found.subsets)),
            ("statements left out of these", *(one.dropped for one in found.subsets)),
            (
                "perspectives a question",
                *(one.perspectives / one.kept if one.kept else None for one in found.subsets),
            ),
        ],
    )


def errors_table(found: Sequence[SubsetErrors]) -> Table:
    """What people found wrong, by subset."""
    left = sum(one.left for one in found)
    return Table(
        "Errors by subset",
        ("subset", "inspected", "errors", "share"),
        [(one.subset, one.inspected, one.errors, one.share) for one in found],
        note=f"Intervals (95%) are over questions; {left} were not looked at." if left else "",
    )


def legend(found: Diversity) -> str:
    """What the marks mean."""
    return (
        f"means with 95% intervals over questions; {MARK_BETTER} better and {MARK_WORSE} worse than {found.baseline}, "
        "p < .05 (paired t-test, Holm-Bonferroni)"
    )


def _marked(score: MeasureScore | None) -> Cell:
    if score is None:
        return None
    return f"{score.interval} {score.mark}".rstrip() if score.by_topic else score.interval


def _interval(score: MeasureScore | None) -> Cell:
    """The mean with its interval; unmarked, where systems have values of other questions."""
    return None if score is None else score.interval


def _mean(score: MeasureScore | None) -> float | None:
    return None if score is None else score.interval.value
