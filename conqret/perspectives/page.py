"""Tables of diverse rankings (BeRDS, Tables 3, 6, 16 and 17, Figures 2 and 3), and of what was made."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from conqret.perspectives.diversity_run import ALL, Diversity
from conqret.perspectives.own_corpora import CollectedPages
from conqret.perspectives.perspectives_run import MadeSummary, SubsetErrors
from conqret.perspectives.ranking_diversity import ASKED, SHOWN, leaning_name
from conqret.retrieval.evaluation.evaluate import MeasureScore, marks_legend
from conqret.show import words
from conqret.show.table import Cell, Column, Table
from conqret.stats import mean_interval

PAPER = {"pages": 74.2, "passages": 4461.7}
"""What BeRDS had of a question, from Google (Table 2)."""


def collected_table(corpora: Sequence[CollectedPages]) -> Table:
    """What the corpora of the questions hold, beside those of the paper."""
    names = ("results", "pages", "passages")
    return Table(
        "Corpora of the questions",
        ("of a question", "mean", "least", "most", "BeRDS"),
        [
            (
                name,
                mean_interval([getattr(corpus, name) for corpus in corpora], scale="variance"),
                min(getattr(corpus, name) for corpus in corpora),
                max(getattr(corpus, name) for corpus in corpora),
                PAPER.get(name),
            )
            for name in names
        ],
        note=f"{len(corpora):,} questions.",
    )


def diversity_tables(diversity: Diversity) -> Iterator[Table]:
    """All tables for which there are values."""
    systems = list(dict.fromkeys(score.system for score in diversity.scores))
    for cut in diversity.cuts:
        yield Table(
            f"The first {cut} documents",
            ("system", "MRecall", "precision"),
            [
                (
                    system,
                    *(_marked(diversity.score(ALL, system, f"{what}@{cut}")) for what in ("MRecall", "P")),
                )
                for system in systems
            ],
        )
    yield Table(
        "The first document, and how many it takes",
        ("system", "precision@1", f"covered within {diversity.depth}", "documents, where covered"),
        [
            (
                system,
                _marked(diversity.score(ALL, system, "P@1")),
                _marked(diversity.score(ALL, system, f"covered@{diversity.depth}")),
                _interval(diversity.score(ALL, system, f"documents@{diversity.depth}")),
            )
            for system in systems
        ],
        foot=[("all together (the ceiling)", "", diversity.ceiling[ALL], "")],
        note=f"“covered” is the share of questions for which the first {diversity.depth} documents contain every "
        "perspective; “documents, where covered” is the mean number of documents that this takes, over the "
        "questions that "
        "are covered.",
    )
    if len(diversity.views) > 1:
        yield from _by_subset(diversity, systems)
    if diversity.sided:
        yield from _sides(diversity, systems)


def _by_subset(diversity: Diversity, systems: list[str]) -> Iterator[Table]:
    subsets = [view for view in diversity.views if view != ALL]
    for cut in diversity.cuts:
        for what, title in (("MRecall", "MRecall"), ("P", "Precision")):
            rows = []
            for system in systems:
                means = [_mean(diversity.score(view, system, f"{what}@{cut}")) for view in subsets]
                known = [mean for mean in means if mean is not None]
                macro = sum(known) / len(known) if len(known) == len(means) else None
                rows.append((system, *means, macro))
            yield Table(f"{title} of the first {cut} by subset", ("system", *subsets, "macro-average"), rows)
    ceilings = [diversity.ceiling[view] for view in subsets]
    yield Table(
        "The ceiling by subset", ("", *subsets), [("all together", *(ceiling.value for ceiling in ceilings))]
    )


def _sides(diversity: Diversity, systems: list[str]) -> Iterator[Table]:
    cut = diversity.cuts[0]
    yield Table(
        f"Which side the first {cut} documents show",
        ("system", "both", "only supporting", "only opposing", "neither", "p"),
        [
            (
                system,
                *(_mean(diversity.score(ALL, system, f"{what}@{cut}")) for what in SHOWN),
                words.p_value(diversity.sides.get(f"{system} @{cut}")),
            )
            for system in systems
        ],
        note=f"Values are shares of the {diversity.sided} questions with two sides. The p-value is of an exact sign "
        f"test of "
        "“only supporting” against “only opposing” over the questions of which one side alone is shown; with fewer "
        "than "
        "six such questions there is none.",
    )
    rows: list[tuple[Cell, ...]] = []
    for system in systems:
        leans = [_mean(diversity.score(ALL, system, leaning_name(side, cut))) for side in ASKED]
        neutral, supporter, opponent = leans
        follows = None if supporter is None or opponent is None else (supporter - opponent) / 2
        rows.append((system, neutral, supporter, opponent, follows))
    yield Table(
        f"Leaning of the first {cut} documents, by the stance of the query",
        ("system", "the question", "a supporter", "an opponent", "follows"),
        rows,
        note="Leaning is the share of documents with the supporting perspective minus the share with the opposing one, "
        "from -1 to 1. “follows” is half the difference in leaning between a supporter's and an opponent's query "
        "(sycophancy).",
    )


def made_table(made_summary: MadeSummary) -> Table:
    """What became of the rows of each subset of a benchmark in the making."""
    faults = list(dict.fromkeys(fault for subset in made_summary.subsets for fault in subset.faults))
    rows: list[tuple[Cell, ...]] = [("rows", *(subset.rows for subset in made_summary.subsets))]
    rows += [(fault, *(subset.faults.get(fault, 0) for subset in made_summary.subsets)) for fault in faults]
    if made_summary.unanswered:
        rows.append(("no valid answer", *(subset.unanswered for subset in made_summary.subsets)))
    return Table(
        "Perspectives by subset",
        (Column("", "text"), *(subset.subset for subset in made_summary.subsets)),
        rows,
        foot=[
            ("kept", *(subset.kept for subset in made_summary.subsets)),
            ("statements left out of these", *(subset.dropped for subset in made_summary.subsets)),
            (
                "perspectives a question",
                *(
                    subset.perspectives / subset.kept if subset.kept else None
                    for subset in made_summary.subsets
                ),
            ),
        ],
    )


def errors_table(subset_errors: Sequence[SubsetErrors]) -> Table:
    """What people found wrong, by subset."""
    left = sum(error.left for error in subset_errors)
    return Table(
        "Errors by subset",
        ("subset", "inspected", "errors", "share"),
        [(error.subset, error.inspected, error.errors, error.share) for error in subset_errors],
        note=f"The 95% intervals are over questions; {left} were not inspected." if left else "",
    )


def legend(diversity: Diversity) -> Iterator[str]:
    """What the marks mean, in sentences."""
    return marks_legend(diversity.scores, diversity.baseline, "question")


def _marked(score: MeasureScore | None) -> Cell:
    if score is None:
        return None
    return f"{score.interval} {score.mark}".rstrip() if score.by_topic else score.interval


def _interval(score: MeasureScore | None) -> Cell:
    """The mean with its interval; unmarked, where systems have values of other questions."""
    return None if score is None else score.interval


def _mean(score: MeasureScore | None) -> float | None:
    return None if score is None else score.interval.value
