"""Is a question debatable? The criteria of DebateQA (A.1), and no personal experience (BeRDS, section 4)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Unpack

from conqret.debateqa.curation.check_verdicts import (
    CheckVerdict,
    Subject,
    VerdictFolder,
    VerdictRow,
    ask_verdicts,
)
from conqret.errors import strict_options
from conqret.io.jsonl import json_lines
from conqret.io.label_sheets import csv_text
from conqret.io.questions import SourcedQuestion, read_sourced
from conqret.io.safe_files import Content
from conqret.judging.judge_settings import AskedSettings
from conqret.judging.responses import Typed
from conqret.runs.study_run import StudyOutcome
from conqret.text.text_passages import root
from conqret.text.words import words

CRITERIA = {
    "clear": "its meaning is not clear",
    "several_answers": "it has one definitive answer",
    "beyond_taste": "personal taste alone decides",
    "about_issue": "it asks about somebody's own experience",
}
"""What must be true of a debatable question, and what is wrong where it is not."""

_OWN = re.compile(
    r"\b(have|has|had|did|do|are|were|was) you\b|\byour (own|life|home|household|family|name|age|community)\b"
)
_TASTE = re.compile(r"\b(favou?rites?|tastes?|tastier|prettier|cutest|you prefer|you like)\b")
_FACT = re.compile(r"^(who|when|where|which|how (many|much|long|old|far|tall))\b")
_OPINION = re.compile(r"\b(you|your) (think|feel|believe|opinion|view|worried|concerned)\b")
_OPEN = re.compile(r"^(it|this|that|he|she|they)\b|\b(is|does|should|can) (it|this|that|he|she|they)\b")
LEAST_WORDS = 2
"""Words that carry meaning, which a clear question has at least."""


class Debatable(Typed):
    """A short explanation, then of each criterion whether the question meets it."""

    explanation: str
    clear: bool
    several_answers: bool
    beyond_taste: bool
    about_issue: bool


VERDICT = CheckVerdict("curate/debatable", Debatable, 60, "whether questions are debatable")


def failed(answer: Mapping[str, Any]) -> tuple[str, ...]:
    """Which criteria a judged question does not meet."""
    return tuple(name for name in CRITERIA if not answer[name])


def by_words(question: str) -> dict[str, Any]:
    """The offline answer, from the words with which questions of each kind begin."""
    text = " ".join(question.lower().split())
    opinion = bool(_OPINION.search(text))
    return {
        "explanation": "by the words of the question alone",
        "clear": len({root(word) for word in words(text)} - {""}) >= LEAST_WORDS and not _OPEN.search(text),
        "several_answers": not _FACT.search(text),
        "beyond_taste": not _TASTE.search(text),
        "about_issue": opinion or not _OWN.search(text),
    }


@dataclass(frozen=True, slots=True)
class DebatableQuestions:
    """The questions that are kept, and how many failed each criterion."""

    kept: tuple[SourcedQuestion, ...]
    failed: Mapping[str, int]


@strict_options
def debatable_questions(
    questions: str | Path | Sequence[str | Path] | Sequence[SourcedQuestion],
    *,
    texts: str | Path | None = None,
    output: str | Path | None = None,
    **settings: Unpack[AskedSettings],
) -> StudyOutcome[VerdictRow, DebatableQuestions]:
    """Keep the debatable questions: clear, with several answers, not a matter of taste or of personal experience.

    Args:
        questions: files with a column ``question``, or the questions.
        texts: for DELPHI, the Quora Question Pairs, which have its questions' texts.
        output: the run's folder, by default ``runs/QUESTIONS-debatable-MODEL``; the same call goes on there.
        settings: who is asked, and how: :class:`conqret.judging.judge_settings.AskedSettings`.

    Raises:
        DeclarationError: anything wrong with the call, the questions or the folder. No model is asked then.
    """
    given: Any = [questions] if isinstance(questions, str | Path) else questions
    read = given if isinstance(given[0], SourcedQuestion) else read_sourced(given, texts)
    source = "questions" if read is given else given[0]
    subjects = [Subject(one.id, {"question": one.question}, partial(by_words, one.question)) for one in read]

    def concluded(
        rows: tuple[VerdictRow, ...], folder: VerdictFolder
    ) -> tuple[DebatableQuestions, Mapping[Path, Content]]:
        wrong = [failed(row.answer) if row.answered else None for row in rows]
        good = tuple(question for question, faults in zip(read, wrong, strict=True) if faults == ())
        lines = (
            (one.id, one.question, *("" if faults is None else "no" if name in faults else "yes" for name in CRITERIA),
             row.answer.get("explanation", ""), row.reason)
            for one, faults, row in zip(read, wrong, rows, strict=True)
        )  # fmt: skip
        counts = {name: sum(name in faults for faults in wrong if faults) for name in CRITERIA}
        return DebatableQuestions(good, counts), {
            folder.kept_file: json_lines(one.record() for one in good),
            folder.table_file: csv_text(["id", "question", *CRITERIA, "explanation", "reason"], lines),
        }

    return ask_verdicts(
        VERDICT, subjects, source=source, name="debatable", output=output, conclude=concluded, **settings
    )
