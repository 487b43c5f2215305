"""Tables of diverse rankings (BeRDS, Tables 3, 6, 16 and 17, Figures 2 and 3), of what was made, and of detections: the
grades, and how a yes from one of them on agrees with annotators."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from conqret.perspectives.detection import DETECTORS, GRADED
from conqret.perspectives.diversity_run import ALL, SHOWN, Diversity, leaning_name
from conqret.perspectives.ranking_sources import QUERY_SIDES
from conqret.retrieval.evaluate import MeasureScore
from conqret.show import words
from conqret.show.table import Cell, Column, Table
from conqret.stats.resampling import mean_interval

if TYPE_CHECKING:
    from conqret.perspectives.detection_study import DetectionSummary
    from conqret.perspectives.own_corpora import CollectedPages
    from conqret.perspectives.perspectives_run import MadeSummary, SubsetErrors
    from conqret.perspectives.threshold import AgainstLabels, Agreement, DetectorQuality

PAPER = {"pages": 74.2, "passages": 4461.7}
"""What BeRDS had of a question, from Google (Table 2)."""


def collected_table(corpora: Sequence[CollectedPages]) -> Table:
    """Build the table of mean, least and most results, pages and passages of a question, next to the paper's
    values."""
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
    """Yield the tables of diversity scores: by cut-off, documents needed, and (where there are any) subsets
    and sides."""
    systems = list(dict.fromkeys(score.system for score in diversity.scores))
    depth = diversity.depth

    def rows(*measures: str) -> list[tuple[Cell, ...]]:
        return [
            (system, *(_marked(diversity.score(ALL, system, measure)) for measure in measures))
            for system in systems
        ]

    for cut in diversity.cuts:
        title = f"The first {cut} documents"
        yield Table(title, ("system", "MRecall", "precision"), rows(f"MRecall@{cut}", f"P@{cut}"))
    needed = [diversity.score(ALL, system, f"documents@{depth}") for system in systems]
    counts = [None if score is None else score.interval for score in needed]
    yield Table(
        "The first document, and how many it takes",
        ("system", "precision@1", f"covered within {depth}", "documents, where covered"),
        [(*marked, count) for marked, count in zip(rows("P@1", f"covered@{depth}"), counts, strict=True)],
        foot=[("all together (the ceiling)", "", diversity.ceiling[ALL], "")],
        note=f"“covered” is the share of questions for which the first {depth} documents contain every "
        "perspective; “documents, where covered” is the mean number of documents that this takes, over the "
        "questions that are covered.",
    )
    if len(diversity.views) > 1:
        yield from _by_subset(diversity, systems)
    if diversity.sided:
        yield from _sides(diversity, systems)


def _by_subset(diversity: Diversity, systems: list[str]) -> Iterator[Table]:
    subsets = [view for view in diversity.views if view != ALL]
    heads = (*subsets, "macro-average")
    titles = {
        f"{measure}@{cut}": f"{title} of the first {cut}"
        for cut in diversity.cuts
        for measure, title in (("MRecall", "MRecall"), ("P", "Precision"))
    }
    for measure, title in (titles | {"P@1": "Precision of the first document"}).items():
        means = {
            system: [_mean(diversity.score(view, system, measure)) for view in subsets] for system in systems
        }
        yield Table(
            f"{title} by subset",
            ("system", *heads),
            [(system, *values, _macro(values)) for system, values in means.items()],
        )
    ceilings = [diversity.ceiling[view].value for view in subsets]
    yield Table("The ceiling by subset", ("", *heads), [("all together", *ceilings, _macro(ceilings))])


def _macro(means: Sequence[float | None]) -> float | None:
    """The mean of the subsets' means, as in BeRDS's tables; None where a subset has none."""
    known = [mean for mean in means if mean is not None]
    return sum(known) / len(known) if len(known) == len(means) else None


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
        "test of “only supporting” against “only opposing” over the questions of which one side alone is shown; with "
        "fewer than six such questions there is none.",
    )
    rows: list[tuple[Cell, ...]] = []
    for system in systems:
        leans = [_mean(diversity.score(ALL, system, leaning_name(side, cut))) for side in QUERY_SIDES]
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
    """Build the table of how many questions of each subset were kept or left out, and why."""
    subsets = made_summary.subsets
    faults = list(dict.fromkeys(fault for subset in subsets for fault in subset.faults))
    rows: list[tuple[Cell, ...]] = [("rows", *(subset.rows for subset in subsets))]
    rows += [(fault, *(subset.faults.get(fault, 0) for subset in subsets)) for fault in faults]
    if made_summary.unanswered:
        rows.append(("no valid answer", *(subset.unanswered for subset in subsets)))
    means = (subset.perspectives / subset.kept if subset.kept else None for subset in subsets)
    return Table(
        "Perspectives by subset",
        (Column("", "text"), *(subset.subset for subset in subsets)),
        rows,
        foot=[
            ("kept", *(subset.kept for subset in subsets)),
            ("statements left out of these", *(subset.dropped for subset in subsets)),
            ("perspectives a question", *means),
        ],
    )


def errors_table(subset_errors: Sequence[SubsetErrors]) -> Table:
    """Build the table of the errors that annotators found in each subset."""
    left = sum(error.left for error in subset_errors)
    return Table(
        "Errors by subset",
        ("subset", "inspected", "errors", "share"),
        [(error.subset, error.inspected, error.errors, error.share) for error in subset_errors],
        note=f"The 95% intervals are over questions; {left} were not inspected." if left else "",
    )


def _marked(score: MeasureScore | None) -> Cell:
    if score is None:
        return None
    return f"{score.interval} {score.mark}".rstrip() if score.by_topic else score.interval


def _mean(score: MeasureScore | None) -> float | None:
    return None if score is None else score.interval.value


def detection_tables(summary: DetectionSummary) -> Iterator[Table]:
    """Yield the table of pairs by grade (or by Yes and No) and, with labels, the table of the agreement with human
    labels."""
    agreement, prompt = summary.against_labels, DETECTORS[summary.detector]
    graded = prompt is GRADED
    heads, lines = ["pairs"], {grade: [count] for grade, count in summary.grades.items()}
    if agreement is not None:
        heads += ["human yes", *(("precision", "recall", "F1") if graded else ())]
        for line in agreement.grades:
            figures = (line.precision, line.recall, line.f1) if graded else ()
            lines[line.grade] = [line.pairs, line.yes, *figures]
    rows = [
        (f"{grade} {meaning}" if graded else meaning, *lines[grade])
        for grade, meaning in reversed([*enumerate(prompt.levels)])
    ]
    for reason, count in summary.unanswered.items():
        rows.append((f"no answer: {words.REASONS[reason]}", count, *[""] * (len(heads) - 1)))
    title = "Grades" if graded else f"Answers ({summary.detector})"
    yield Table(
        title if agreement is None else f"{title} and human labels",
        (Column("the document …" if graded else "the document contains it", "text"), *heads),
        rows,
        note="precision, recall, F1: of a yes from this grade on, on these very pairs."
        if agreement is not None and graded
        else "",
    )
    if agreement is not None:
        yield _agreement(agreement, "" if graded else "Yes or No")


def _agreement(agreement: AgainstLabels, answers: str) -> Table:
    how = (
        answers
        or {
            "given": f"a yes from grade {agreement.yes_from} on, as given",
            "cross-fitted": "a yes from the grade that is best on the other questions",
            "default": f"a yes from grade {agreement.yes_from} on; with one question only none is chosen",
        }[agreement.way]
    )
    chosen = Counter(agreement.folds.values())
    folds = ", ".join(f"{grade} for {chosen[grade]}" for grade in sorted(chosen, reverse=True))
    note = f" The grade that is best on the others is {folds} of the questions." if folds else ""
    if agreement.unanswered:
        note += f" {agreement.unanswered} labeled pairs have no answer and are left out."
    return Table(
        f"Agreement with annotators: {how}",
        ("", "value"),
        _figures(agreement, ("accuracy", "precision", "recall", "F1", "average precision")),
        foot=[("F1 of always saying yes", agreement.always_yes)],
        note=_sample(agreement) + note,
    )


def _sample(agreement: Agreement) -> str:
    return (
        f"n = {agreement.pairs} pairs of {agreement.questions} questions; intervals (95%) are over questions. It is a "
        f"yes in {agreement.said_yes:.1%}, by label in {agreement.labelled_yes:.1%}."
    )


def _figures(agreement: Agreement, names: Sequence[str]) -> list[tuple[Cell, ...]]:
    """A row for each of these figures."""
    return [(name, getattr(agreement, name.lower().replace(" ", "_"))) for name in names]


def quality_table(quality: DetectorQuality, title: str, remark: str = "") -> Table:
    """Build the table of a detector's agreement with labels, with its baselines and Brier scores."""
    shown = ("F1", "precision", "recall", "accuracy", "average precision")
    brier = (("Brier score, before calibration", quality.brier_raw), ("Brier score", quality.brier))
    return Table(
        title,
        ("", "value"),
        [*_figures(quality, shown), *brier],
        foot=[
            ("F1 of the lexical baseline", quality.by_words),
            ("F1 of always saying yes", quality.always_yes),
        ],
        note=f"{_sample(quality)} Brier: 0 at best. {remark}".rstrip(),
    )
