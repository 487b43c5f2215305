"""Tables of a benchmark in the making: which questions are kept and why, and the run in numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from conqret.debateqa.curation.benchmark import CurateSummary
from conqret.debateqa.curation.benchmark_figures import Relevance
from conqret.debateqa.curation.debatable import CRITERIA
from conqret.debateqa.curation.deduplication import ChosenThreshold, DecidingPair, Deduplication
from conqret.show.table import Column, Table
from conqret.show.words import reason

SHOWN = 10
"""Pairs that are shown; all stand in the file."""


def dedupe_tables(outcome: Deduplication) -> Iterator[Table]:
    """Questions by source before and after (DebateQA, Table 7), and the pairs that decided it."""
    yield Table(
        "Questions",
        ("source", "read", "kept"),
        [(source, count, outcome.after[source]) for source, count in outcome.before.items()],
        foot=[("all", sum(outcome.before.values()), sum(outcome.after.values()))],
        note=f"Similar: a cosine of {outcome.threshold} or more, by {outcome.encoder}.",
    )
    if outcome.pairs:
        more = len(outcome.pairs) - SHOWN
        yield _pairs(outcome.pairs[:SHOWN], f"{more} more stand in the file." if more > 0 else "")


def _pairs(pairs: Sequence[DecidingPair], note: str) -> Table:
    rows = []
    for pair in pairs:
        marks = {"first": ("−", ""), "second": ("", "−"), "both": ("−", "−")}[pair.removed]
        rows.append((f"{pair.similarity:.2f}", *(
            f"{mark} {text}".strip()
            for mark, text in zip(marks, (pair.first_question, pair.second_question), strict=True)
        )))  # fmt: skip
    columns = ("cosine", Column("question", "text"), Column("is like", "text"))
    return Table("Similar questions (− is removed)", columns, rows, note=note)


def curate_table(summary: CurateSummary) -> Table:
    """How many questions are left after each filter."""
    rows = [
        ("questions", summary.questions),
        ("too few trusted documents", -summary.few_documents),
        ("left out: too few points of view", summary.few_views),
        *((f"no answer: {reason(why)}", -count) for why, count in summary.unanswered.items()),
    ]
    foot = [("in the benchmark", summary.kept), ("partial answers", summary.partial_answers)]
    note = ""
    if summary.found:
        note = f"{summary.trusted:,} of {summary.found} documents found are from trusted domains (of all questions)."
    if summary.cut_tokens:
        note += f" {summary.cut_tokens:,} tokens of documents were cut off to keep the budget."
    return Table("Partial answers", (Column("", "text"), "number"), rows, foot=foot, note=note)


def threshold_tables(choice: ChosenThreshold) -> Iterator[Table]:
    """Labels by band, and what thresholds they speak for."""
    yield Table(
        "Labels by similarity",
        ("cosine from", "pairs", "labeled", "duplicates"),
        [(f"{band.band:.2f}", band.pairs, band.labelled, band.duplicates) for band in choice.bands],
    )
    bound = "" if choice.at_most_below is None else (
        f" None of the {choice.labelled_below} labeled pairs below {choice.none_below:.2f} is a duplicate: with 95% "
        f"confidence at most {choice.at_most_below:.1%} of such pairs are."
    )  # fmt: skip
    yield Table(
        "Thresholds",
        (Column("", "text"), "threshold"),
        [
            ("no labeled duplicate lies below (the paper's rule)", f"{choice.none_below:.2f}"),
            ("highest F1 over all pairs", f"{choice.best_f1:.2f}"),
        ],
        note=f"At {choice.best_f1:.2f}: precision {choice.precision:.3f}, recall {choice.recall:.3f}, F1 "
        f"{choice.f1:.3f}, "
        f"bands weighted by their size.{bound}",
    )


def debatable_table(criteria: Mapping[str, int], unanswered: int, questions: int, kept: int) -> Table:
    """How many questions fail which criterion."""
    rows = [(CRITERIA[name], count) for name, count in criteria.items()]
    if unanswered:
        rows.append(("no answer", unanswered))
    return Table(
        "Questions",
        (Column("", "text"), "questions"),
        rows,
        foot=[("debatable", kept), ("all", questions)],
        note="One question may fail several criteria.",
    )


def relevance_table(relevance: Relevance, questions: Mapping[str, str], encoder: str) -> Table:
    """The mean relevance, and the questions whose documents are farthest from them."""
    lowest = list(relevance.by_question.items())[:SHOWN]
    return Table(
        "Relevance of documents to their questions",
        (Column("question", "text"), "mean cosine"),
        [(questions[name], value) for name, value in lowest],
        foot=[("all questions", relevance.mean)],
        note=f"{relevance.chunks} chunks of {relevance.documents} documents, by {encoder}; the {len(lowest)} farthest "
        "questions are shown. The interval (95%) is over questions. DebateQA: .56, by gte-Qwen2-1.5B-instruct.",
    )
