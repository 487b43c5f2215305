"""Tables of a benchmark in the making: which questions are kept and why, and the run in numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from conqret.curation.benchmark import CurateSummary
from conqret.curation.deduplication import DecidingPair, Deduplicated
from conqret.report.table import Column, Table
from conqret.report.words import reason

SHOWN = 10
"""Pairs that are shown; all stand in the file."""


def dedupe_tables(found: Deduplicated) -> Iterator[Table]:
    """Questions by source before and after (DebateQA, Table 7), and the pairs that decided it."""
    yield Table(
        "Questions",
        ("source", "read", "kept"),
        [(source, count, found.after[source]) for source, count in found.before.items()],
        foot=[("all", sum(found.before.values()), sum(found.after.values()))],
        note=f"Similar: a cosine of {found.threshold} or more, by {found.encoder}.",
    )
    if found.pairs:
        more = len(found.pairs) - SHOWN
        yield _pairs(found.pairs[:SHOWN], f"{more} more stand in the file." if more > 0 else "")


def _pairs(pairs: Sequence[DecidingPair], note: str) -> Table:
    rows = []
    for one in pairs:
        marks = {"first": ("−", ""), "second": ("", "−"), "both": ("−", "−")}[one.removed]
        rows.append((f"{one.similarity:.2f}", *(
            f"{mark} {text}".strip()
            for mark, text in zip(marks, (one.first_question, one.second_question), strict=True)
        )))  # fmt: skip
    columns = ("cosine", Column("question", "text"), Column("is like", "text"))
    return Table("Similar questions (− is removed)", columns, rows, note=note)


def curate_table(summary: CurateSummary) -> Table:
    """How many questions are left after each filter."""
    rows = [
        ("questions", summary.questions),
        ("too few trusted documents", -summary.few_documents),
        ("too few points of view", -summary.few_views),
        *((f"no answer: {reason(why)}", -count) for why, count in summary.unanswered.items()),
    ]
    foot = [("in the benchmark", summary.kept), ("partial answers", summary.partial_answers)]
    note = f"{summary.trusted:,} of {summary.found:,} documents found are from trusted domains (of all questions)."
    if summary.cut_tokens:
        note += f" {summary.cut_tokens:,} tokens of documents were cut off to keep the budget."
    return Table("Partial answers", (Column("", "text"), "number"), rows, foot=foot, note=note)
