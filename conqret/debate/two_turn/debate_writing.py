"""Models write debates: an argument with snippets for either option of a question, then an answer to each argument.

Parrish et al. 2022, section 2.1. The writer for an option also answers the argument for the other one. With two
writers each question is debated twice, with the sides exchanged, so that neither has the right option more often.

Besides ``run.json`` and ``recordings.sqlite`` the folder of a run holds ``rows.jsonl`` (the texts as they came, with
the reason where there is none), ``debates.jsonl`` (the debates of which nothing is missing, in the layout of ``conqret
debate two-turn judge``) and ``summary.json``.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import ClassVar, Self, Unpack

from pydantic import ValidationInfo, model_validator

from conqret.data import Reason
from conqret.data.item import Frozen
from conqret.debate.two_turn.two_turn_files import (
    NOTHING,
    Side,
    SideArgument,
    TwoTurnQuestion,
    quoted_in,
    read_questions,
)
from conqret.errors import DeclarationError, number, strict_options
from conqret.io.jsonl import json_lines
from conqret.io.safe_files import Content, InFolder
from conqret.judging.responses import Typed, Written
from conqret.llm.client import Client
from conqret.llm.client_options import ClientOptions, client_options
from conqret.llm.request import Request, messages
from conqret.prompts import Library, RenderedPrompt
from conqret.runs.dry_run import RunPrompt
from conqret.runs.request_run import RequestRunSettings, Run, gather_all
from conqret.runs.run_folder import as_path, default_folder, stem
from conqret.runs.study_run import RequestFolder, RequestRecord, ResponseRow, StudyOutcome, lost
from conqret.text.analysis import weight
from conqret.text.sentences import sentences
from conqret.text.text_passages import passages, stems
from conqret.text.words import count_words

ARGUMENT, COUNTER = "debate-argument", "debate-counter"
"""The prompts."""

MAX_SNIPPETS = 3
"""The most that any of the 2,944 arguments of single_turn_debate has."""
SNIPPET_WORDS, MAX_WORDS = 40, 80
"""What writers are told: in single_turn_debate arguments have 500 characters at most, and snippets 250."""
LENIENCE = 1.25
"""An answer that is longer by this factor is still taken: models count words badly."""
ANSWER_TOKENS = 220
"""An answer in tokens: 80 words, and two snippets of 30."""

_CITED = re.compile(r"#(\d{1,4})")


class Argued(Typed):
    """The snippets that are quoted, then the text."""

    snippets: list[str]
    text: Written

    @model_validator(mode="after")
    def _fits(self, info: ValidationInfo) -> Self:
        asked = info.context or {}
        faults = list(_faults(self.text, self.snippets, asked.get("least", 0)))
        passage = asked.get("passage")
        if passage is not None:
            quotes = [quoted_in(passage, snippet) for snippet in self.snippets]
            faults += [
                f"snippet {n} ({snippet[:80]!r}) is not a literal quotation from the passage"
                for n, (snippet, held) in enumerate(zip(self.snippets, quotes, strict=True), start=1)
                if held is None
            ]
            self.snippets = [quote or "" for quote in quotes]
        if faults:
            raise ValueError("; ".join(faults))
        return self


PROMPTS = {
    name: RunPrompt(Argued, "write debates", ANSWER_TOKENS, shown_later=name == ARGUMENT)
    for name in (ARGUMENT, COUNTER)
}


class WrittenTextRow(ResponseRow):
    """The result of one writing task: a text with its snippets, or the ``reason`` why there is none."""

    text: str = ""
    snippets: tuple[str, ...] = ()

    @property
    def argument(self) -> SideArgument:
        """Return text and snippets as a part of a question."""
        return SideArgument(self.text, self.snippets)


@dataclass(frozen=True, slots=True)
class Task:
    """One text to write: an argument for an option (1 or 2), or an answer to the argument of ``opponent``."""

    question: TwoTurnQuestion
    option: int
    writer: str
    opponent: str | None = None

    @property
    def key(self) -> str:
        """Return the key of the task in the run."""
        what = "argument" if self.opponent is None else f"answer to {self.opponent}"
        return f"{self.question.id} {self.option} {self.writer} {what}"


@dataclass(frozen=True, slots=True)
class DebateTask:
    """One debate to write: a question, and the writers for its first and second option."""

    question: TwoTurnQuestion
    id: str
    writers: tuple[str, str]

    @property
    def tasks(self) -> tuple[Task, ...]:
        """Return the texts to write: two arguments, then two counter-arguments."""
        sides = tuple(enumerate(self.writers, start=1))
        first = [Task(self.question, option, writer) for option, writer in sides]
        return (*first, *(replace(task, opponent=self.writers[2 - task.option]) for task in first))

    def whole(self, rows: Mapping[str, WrittenTextRow]) -> TwoTurnQuestion | None:
        """Return the question with all written texts; None where any text is missing."""
        written = [rows[task.key] for task in self.tasks]
        if not all(side.answered for side in written):
            return None
        texts = [side.argument for side in written]
        first, two = (
            Side(side.option, texts[place], texts[3 - place])
            for place, side in enumerate(self.question.sides)
        )
        return replace(self.question, id=self.id, sides=(first, two), writers=self.writers)


def debates(questions: Sequence[TwoTurnQuestion], writers: Sequence[str]) -> tuple[DebateTask, ...]:
    """Return the debates on these questions.

    With one writer for both options, there is one debate for each question. With two writers there are two,
    with the sides exchanged and a number after the question's id.
    """
    if len(writers) == 1:
        return tuple(DebateTask(question, question.id, (writers[0], writers[0])) for question in questions)
    first, second = writers
    pairs = ((first, second), (second, first))
    return tuple(
        DebateTask(question, f"{question.id}-{n}", pair)
        for question in questions
        for n, pair in enumerate(pairs, 1)
    )


async def write_debate(
    debate: DebateTask, run: Run[WrittenTextRow], writers: Mapping[str, ClientOptions]
) -> None:
    """Write both arguments of a debate, then both counter-arguments, each as a row of ``run``.

    Without both arguments, counter-arguments are not requested, and have a reason.
    """

    async def written(task: Task, *texts: WrittenTextRow) -> WrittenTextRow:
        async def made() -> WrittenTextRow:
            return await _write(task, texts, run.client(writers[task.writer]), run.library)

        return await run.row(task.key, made)

    first, second, answer_to_second, answer_to_first = debate.tasks
    texts = await gather_all(written(first), written(second))
    await gather_all(written(answer_to_second, *texts), written(answer_to_first, *texts[::-1]))


def prompt(
    task: Task, library: Library, argued: SideArgument = NOTHING, against: SideArgument = NOTHING
) -> RenderedPrompt:
    """Return the filled-in prompt of a task.

    The prompt of a counter-argument shows the writer's own argument (``argued``), and the argument
    ``against`` which it is written.
    """
    settings = {
        "least": _least(task),
        "most": MAX_SNIPPETS,
        "snippet_words": SNIPPET_WORDS,
        "most_words": MAX_WORDS,
    }
    shown = {
        "posed": task.question.question,
        "passage_text": task.question.passage,
        "options": tuple(side.option for side in task.question.sides),
        "own": task.option,
    }
    if task.opponent is None:
        return library[ARGUMENT].render(shown, settings)
    sides = {"other": 3 - task.option, "argued": asdict(argued), "against": asdict(against)}
    return library[COUNTER].render({**shown, **sides}, settings)


async def _write(
    task: Task, before: Sequence[WrittenTextRow], client: Client, library: Library
) -> WrittenTextRow:
    """Request a text, and return it as a row. An answer comes after its writer's own argument and the one that it
    answers (``before``); if one of these failed, nothing is requested."""
    if lacking := next((text for text in before if not text.answered), None):
        detail = f"it waits for a failed part: {lacking.id}"
        return WrittenTextRow(id=task.key, reason=Reason.NOTHING_TO_JUDGE, detail=detail)
    texts = [text.argument for text in before]
    response = await client.request(
        Request(
            ask=ARGUMENT if task.opponent is None else COUNTER,
            item=task.key,
            messages=messages(prompt(task, library, *texts)),
            response=Argued,
            context={"passage": task.question.passage, "least": _least(task)},
            temperature=0.0,
            baseline=lambda: _by_words(task, texts),
        )
    )
    return WrittenTextRow.from_answer(task.key, response)


def _faults(text: str, snippets: Sequence[str], least: int) -> Iterator[str]:
    if not text.strip():
        yield "the text is empty"
    if count_words(text) > LENIENCE * MAX_WORDS:
        yield f"the text has {count_words(text)} words, and {MAX_WORDS} is the most"
    if not least <= len(snippets) <= MAX_SNIPPETS:
        yield f"there are {len(snippets)} snippets, and {least} to {MAX_SNIPPETS} are wanted"
    for n, snippet in enumerate(snippets, start=1):
        if count_words(snippet) > LENIENCE * SNIPPET_WORDS:
            yield f"snippet {n} has {count_words(snippet)} words, and {SNIPPET_WORDS} is the most"
    for cited in sorted({int(digits) for digits in _CITED.findall(text)}):
        if not 1 <= cited <= len(snippets):
            yield f"the text cites (#{cited}), and the number of snippets is {len(snippets)}"


def _least(task: Task) -> int:
    """An argument quotes something; an answer need not (section A.2)."""
    return 1 if task.opponent is None else 0


def _by_words(task: Task, texts: Sequence[SideArgument]) -> dict[str, object]:
    question = task.question
    option = question.sides[task.option - 1].option
    if task.opponent is None:
        text, snippets = argue(question.passage, question.question, option)
    else:
        quoted = [snippet for text in texts for snippet in text.snippets]
        text, snippets = answer(question.passage, option, quoted)
    return {"snippets": list(snippets), "text": text}


QUOTED = 2
"""Sentences that an argument quotes at most."""
LONGEST = 40
"""Words of a sentence that are quoted at most: as many as a snippet may have."""


def argue(passage: str, question: str, option: str) -> tuple[str, tuple[str, ...]]:
    """Return the offline argument for an option: a sentence, and the snippets that share most words with
    question and option."""
    snippets = tuple(_nearest(passage, f"{question} {option}", ()))[:QUOTED]
    cited = " and ".join(f"(#{n})" for n in range(1, len(snippets) + 1))
    return f'That the answer is "{_short(option.rstrip(" ."))}" is borne out by {cited}.', snippets


def answer(passage: str, option: str, quoted: Collection[str]) -> tuple[str, tuple[str, ...]]:
    """Return the offline counter-argument: a sentence, and the most similar snippet to the option that is not
    yet quoted."""
    snippets = tuple(_nearest(passage, option, quoted))[:1]
    if not snippets:
        return f'What is quoted against "{_short(option.rstrip(" ."))}" leaves it open.', ()
    return f'The argument leaves out (#1), which speaks for "{_short(option.rstrip(" ."))}".', snippets


def _nearest(passage: str, wanted: str, quoted: Collection[str]) -> Iterator[str]:
    """Yield snippets of the passage, those that share most stems with ``wanted`` first, without those that
    contain or lie in one ``quoted`` already."""
    roots = set(stems(wanted))
    texts = [sentence.text for sentence in sentences(passage)]
    for text in sorted(texts, key=lambda text: -sum(map(weight, sorted(stems(text) & roots)))):
        snippet = quoted_in(passage, _short(text))
        if snippet is not None and not any(quote in snippet or snippet in quote for quote in quoted):
            yield snippet


def _short(text: str) -> str:
    return passages(text, LONGEST)[0]


@dataclass(frozen=True)
class DebateWritingFolder(
    RequestFolder[RequestRecord, WrittenTextRow],
    kind="debate-argue",
    same={"asked": "questions or writers", "against": "settings of the second writer"},
):
    """The files of a run of written debates in one folder."""

    COMMAND: ClassVar[str] = "conqret debate two-turn write"

    debates_file = InFolder("debates.jsonl")
    """The debates, ready to be judged."""


class DebateWritingSummary(Frozen):
    """The numbers of a run: debates and complete debates, texts, missing texts by reason, and snippets.

    ``incomplete`` lists the debates of which a text is missing.
    """

    writers: tuple[str, ...]
    debates: int
    whole: int
    texts: int
    unwritten: dict[str, int]
    snippets: int
    incomplete: tuple[str, ...]


@strict_options
def write_debates(
    questions: str | Path,
    *,
    against: str | ClientOptions | None = None,
    output: str | Path | None = None,
    **settings: Unpack[RequestRunSettings],
) -> StudyOutcome[WrittenTextRow, DebateWritingSummary]:
    """Write two-turn debates: an argument for each option of a question, and a counter-argument to each
    argument.

    Args:
        questions: a file of questions with ``id``, ``question``, ``options``, ``right``, ``passage_id``
            and ``passage``; arguments in it are ignored.
        against: a second model: each question is debated twice, with the sides exchanged. By default
            ``model`` argues for both options.
        output: the run's folder, by default ``runs/QUESTIONS-debate-argue-MODEL``; the same call
            continues a stopped run.
        settings: the model and how it is called:
            :class:`conqret.runs.request_run.RequestRunSettings`.

    Returns:
        The texts, and a summary of the run.

    Raises:
        DeclarationError: the call, the questions or the folder are wrong. No request is sent then.
    """
    writers = [client_options(settings.get("model"), settings)]
    writers += [] if against is None else [client_options(against, settings)]
    names = [writer.model for writer in writers]
    if len(names) > len({*names}):
        raise DeclarationError(
            f"--model and --against are both {names[0]}: leave --against out, and this model argues both sides"
        )
    folder = DebateWritingFolder(
        as_path(output) or default_folder(stem(Path(questions)), "debate-argue", *names)
    )
    found = read_questions(Path(questions))
    debated = debates(found, names)

    def concluded(rows: tuple[WrittenTextRow, ...]) -> tuple[DebateWritingSummary, Mapping[Path, Content]]:
        by_key = {row.id: row for row in rows}
        whole = {debate.id: debate.whole(by_key) for debate in debated}
        summary = DebateWritingSummary(
            writers=tuple(names),
            debates=len(whole),
            whole=sum(debate is not None for debate in whole.values()),
            texts=len(rows),
            unwritten=lost(rows),
            snippets=sum(len(row.snippets) for row in rows),
            incomplete=tuple(name for name, debate in whole.items() if debate is None),
        )
        lines = json_lines(debate.record() for debate in whole.values() if debate is not None)
        return summary, {folder.debates_file: lines}

    total = sum(len(debate.tasks) for debate in debated)
    with Run(
        folder,
        writers,
        PROMPTS,
        settings,
        contents=[(debate.id, debate.writers, debate.question.record()) for debate in debated],
        total=total,
        purpose="for arguments",
        about=f"{number(total, 'text')} on {number(len(found), 'question')}, by",
        record={"against": {writer.model: dict(writer.identity) for writer in writers[1:]}},
    ) as run:
        by_name = dict(zip(names, writers, strict=True))
        run.request_all(write_debate(debate, run, by_name) for debate in debated)
        return run.finish(concluded)
