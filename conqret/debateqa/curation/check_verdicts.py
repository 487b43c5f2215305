"""A typed judgment of each of many rows, as a run: what the checks of benchmarks and of questions have in common."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Self, Unpack

from pydantic import Field

from conqret.errors import number, strict_options
from conqret.io.jsonl import json_lines
from conqret.io.questions import SourcedQuestion, read_sourced
from conqret.io.safe_files import Content, InFolder, csv_text
from conqret.judging.responses import Typed
from conqret.llm.client_options import client_options
from conqret.llm.request import Answer, Request, messages
from conqret.runs.dry_run import RunPrompt
from conqret.runs.request_run import RequestRunSettings, Run
from conqret.runs.run_folder import as_path, default_folder, stem
from conqret.runs.sessions import Sessions
from conqret.runs.study_run import RequestFolder, RequestRecord, ResponseRow, StudyOutcome, lost
from conqret.text.text_passages import root
from conqret.text.words import words


@dataclass(frozen=True, slots=True)
class CheckVerdict:
    """A yes/no or rating question to a judge: its prompt, response type, and expected number of tokens of a
    response.

    ``about`` describes the question in a few words.
    """

    prompt: str
    response: type[Typed]
    tokens: int
    about: str


@dataclass(frozen=True, slots=True)
class Subject:
    """One thing to judge: its id, the variables of the prompt, and the function that returns the offline
    response."""

    id: str
    variables: Mapping[str, Any]
    baseline: Callable[[], Any] = field(repr=False)


class VerdictRow(ResponseRow):
    """The judge's response on one subject as a dictionary; empty where there is none."""

    answer: Mapping[str, Any] = Field(default_factory=dict)

    @classmethod
    def from_answer(cls, id: str, answer: Answer[Any]) -> Self:  # noqa: A002 - the field's name
        """Create the row of a response, or of its failure."""
        return (
            super().from_answer(id, answer)
            if answer.value is None
            else cls(id=id, answer=answer.value.model_dump())
        )


@dataclass(frozen=True)
class VerdictFolder(RequestFolder[RequestRecord, VerdictRow], kind="verdicts"):
    """The files of a run of verdicts in one folder, with those that a command may derive from them."""

    COMMAND: ClassVar[str] = "conqret debateqa questions or conqret debateqa curate --check"

    kept_file = InFolder("kept.jsonl")
    """The rows that pass."""
    table_file = InFolder("verdicts.csv")
    """All of them."""
    pairs_file = InFolder("pairs.csv")
    """Similar questions, of which at least one was removed."""


def judge_rows(
    verdict: CheckVerdict,
    subjects: Sequence[Subject],
    *,
    source: str | Path = "rows",
    name: str = "verdicts",
    output: str | Path | None = None,
    sessions: Sessions | None = None,
    conclude: Callable[[tuple[VerdictRow, ...], VerdictFolder], tuple[Any, Mapping[Path, Content]]]
    | None = None,
    **settings: Unpack[RequestRunSettings],
) -> StudyOutcome[VerdictRow, Any]:
    """Have a judge answer one question on every subject.

    Args:
        verdict: the prompt and the response type.
        subjects: what is judged.
        source, name: parts of the default folder: ``runs/SOURCE-NAME-MODEL``.
        output: the run's folder; the same call continues a stopped run.
        sessions: open sessions of a larger run.
        conclude: computes, from all rows, a summary and further files of the folder.
        settings: the model and how it is called.

    Returns:
        The responses on all subjects, and the summary.

    Raises:
        DeclarationError: a setting or the folder is wrong. No request is sent then.
        Counted: it is a dry run; the exception has the estimated cost.
    """
    judge = client_options(settings.get("model"), settings)
    folder = VerdictFolder(as_path(output) or default_folder(stem(Path(source)), name, judge.model))

    def concluded(rows: tuple[VerdictRow, ...]) -> tuple[Any, Mapping[Path, Content]]:
        summary, files = (None, {}) if conclude is None else conclude(rows, folder)
        counts = {"judgments": len(rows), "unanswered": lost(rows)}
        return summary, {**files, folder.summary_file: json.dumps(counts, indent=1)}

    with Run(
        folder,
        [judge],
        {verdict.prompt: RunPrompt(verdict.response, "judge", verdict.tokens)},
        settings,
        contents=((subject.id, dict(subject.variables)) for subject in subjects),
        total=len(subjects),
        purpose=verdict.about,
        about=f"{number(len(subjects), 'judgment')} by",
        sessions=sessions,
    ) as run:
        prompt = run.library[verdict.prompt]
        run.request_all(
            Request(
                ask=verdict.prompt,
                item=subject.id,
                messages=messages(prompt.render(subject.variables)),
                response=verdict.response,
                baseline=subject.baseline,
            )
            for subject in subjects
        )
        return run.finish(concluded)


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
MIN_WORDS = 2
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
    """Return the names of the criteria that a judged question does not meet."""
    return tuple(name for name in CRITERIA if not answer[name])


def by_words(question: str) -> dict[str, Any]:
    """Return the offline verdict on a question, as the fields of :class:`Debatable`, from words that are
    typical of each kind of question."""
    text = " ".join(question.lower().split())
    opinion = bool(_OPINION.search(text))
    return {
        "explanation": "by the words of the question alone",
        "clear": len({root(word) for word in words(text)} - {""}) >= MIN_WORDS and not _OPEN.search(text),
        "several_answers": not _FACT.search(text),
        "beyond_taste": not _TASTE.search(text),
        "about_issue": opinion or not _OWN.search(text),
    }


@dataclass(frozen=True, slots=True)
class DebatableQuestions:
    """The questions that are debatable, and how many of the others failed each criterion.

    ``failed`` counts by name in ``CRITERIA``; a question may fail several. Questions without a valid verdict
    are in neither.
    """

    kept: tuple[SourcedQuestion, ...]
    failed: Mapping[str, int]


@strict_options
def debatable_questions(
    questions: str | Path | Sequence[str | Path] | Sequence[SourcedQuestion],
    *,
    texts: str | Path | None = None,
    output: str | Path | None = None,
    **settings: Unpack[RequestRunSettings],
) -> StudyOutcome[VerdictRow, DebatableQuestions]:
    """Keep the debatable questions: clear, with several answers, not a matter of taste or of personal
    experience.

    Args:
        questions: files with a column ``question``, or the questions.
        texts: for DELPHI: the file of Quora Question Pairs with the texts of its questions.
        output: the run's folder, by default ``runs/QUESTIONS-debatable-MODEL``; the same call continues a
            stopped run.
        settings: the model and how it is called:
            :class:`conqret.runs.request_run.RequestRunSettings`.

    Returns:
        The verdicts on all questions, and the questions that are kept. The folder has them as ``kept.jsonl``,
            and all verdicts as ``verdicts.csv``.

    Raises:
        DeclarationError: the call, the questions or the folder are wrong. No request is sent then.
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
            (
                one.id,
                one.question,
                *("" if faults is None else "no" if name in faults else "yes" for name in CRITERIA),
                row.answer.get("explanation", ""),
                row.reason,
            )
            for one, faults, row in zip(read, wrong, rows, strict=True)
        )
        counts = {name: sum(name in faults for faults in wrong if faults) for name in CRITERIA}
        return DebatableQuestions(good, counts), {
            folder.kept_file: json_lines(one.record() for one in good),
            folder.table_file: csv_text(["id", "question", *CRITERIA, "explanation", "reason"], lines),
        }

    return judge_rows(
        VERDICT, subjects, source=source, name="debatable", output=output, conclude=concluded, **settings
    )
