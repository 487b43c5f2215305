"""Answers to questions: the run in numbers, and the page of all answers with what was searched, thought and read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from conqret.data import Document
from conqret.debateqa.answering.answering_run import AnswersRecord, AnswersSummary, GivenAnswer
from conqret.debateqa.answering.answering_strategy import ANSWER_STRATEGIES
from conqret.io.questions import SourcedQuestion
from conqret.show.page import page, write_file
from conqret.show.table import Cell, Column, Table
from conqret.show.words import mean, reason

SHOWN = 200
"""Answers on the page; more would make it slow to open, and all are in ``answers.jsonl``."""


def answers_table(summary: AnswersSummary) -> Table:
    """The run in numbers."""
    rows: list[tuple[Cell, ...]] = [
        ("questions", summary.questions),
        *((f"no answer: {reason(why)}", count) for why, count in summary.unanswered.items()),
        ("answers", summary.answered),
        ("tokens of an answer", mean(summary.tokens)),
    ]
    if summary.searches:
        rows += [("chunks for an answer", mean(summary.chunks)), ("retrievals in all", summary.searches)]
    if summary.cut:
        rows.append(("cut off: the room was too small", summary.cut))
    return Table(f"Answers by strategy {summary.strategy}", (Column("", "text"), "number"), rows)


def write_answers(
    questions: Sequence[SourcedQuestion],
    rows: Sequence[GivenAnswer],
    record: AnswersRecord,
    summary: AnswersSummary,
    passages: Mapping[str, Document],
    file: Path,
) -> Path:
    """Write the page of a run's answers; returns its place. ``passages`` are the chunks by id."""
    content = page(
        "answers.html.j2",
        answers=list(zip(questions, rows, strict=True))[:SHOWN],
        omitted=max(0, len(rows) - SHOWN),
        passages=passages,
        record=record,
        summary=summary,
        does=ANSWER_STRATEGIES[name].summary if (name := summary.strategy) in ANSWER_STRATEGIES else "",
    )
    return write_file(file, content)
