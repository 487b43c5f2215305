"""``answer``: questions in, answers out, in one of several ways."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypedDict, Unpack

from conqret._optional import require
from conqret.debateqa.answering.answering_run import (
    Answering,
    AnsweringRun,
    AnswersFolder,
    AnswersOutcome,
    AnswersSummary,
    GivenAnswer,
)
from conqret.debateqa.answering.rag_session import ANSWER_STRATEGIES, AnswerPlan, AnswerStrategy
from conqret.debateqa.curation.trusted_domains import TrustedDomains, read_trusted
from conqret.errors import DeclarationError, strict_options
from conqret.io.questions import SourcedQuestion, read_sourced
from conqret.judging.judge_settings import AskingSettings, session_settings
from conqret.llm.client import Client
from conqret.llm.client_options import OFFLINE_MODEL, ClientOptions
from conqret.runs.engine import run as perform
from conqret.runs.run_folder import default_folder, stem
from conqret.runs.session import Sessions
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


RETRIEVER = "bm25"
"""By which chunks are searched where no retriever is named: it needs no encoder."""

Questions = str | Path | Sequence[SourcedQuestion]
"""A file, or questions."""


class AnsweringSettings(TypedDict, total=False):
    """What :func:`conqret.answer` can be told of how to answer; :func:`answering` says what each means."""

    strategy: str | AnswerStrategy
    model: str | ClientOptions
    agent: str | ClientOptions | None
    index: str | Path | None
    retriever: str
    encoder: str | None
    trusted: bool | str | Path
    plan: AnswerPlan | None
    on_document: Callable[[], object]


class AnswerRunSettings(AskingSettings, AnsweringSettings, total=False):
    """The same, and how models are asked."""


@strict_options
def answering(
    questions: Questions,
    *,
    strategy: str | AnswerStrategy = "none",
    model: str | ClientOptions = OFFLINE_MODEL,
    agent: str | ClientOptions | None = None,
    index: str | Path | None = None,
    retriever: str = RETRIEVER,
    encoder: str | None = None,
    trusted: bool | str | Path = False,
    plan: AnswerPlan | None = None,
    on_document: Callable[[], object] = lambda: None,
) -> Answering:
    """What is to be answered, in which way, by whom and from what.

    Args:
        questions: a file with a column ``question``, or the questions.
        strategy: ``none``, ``rag``, ``react``, ``cited``, or a plug-in's.
        model: who answers; ``offline`` is the lexical baseline.
        agent: who searches, where the strategy has an agent; by default the one who answers.
        index: the corpus directory in which chunks are searched.
        retriever: ``bm25``, ``dense``, a plug-in's, or several with commas, which are fused.
        encoder: where the encoder of an index by vectors is.
        trusted: only documents from DebateQA's trusted domains; or from these and those of a list in a file.
        plan: the prompt, length, temperature and top-p of answers, and how much is retrieved.
        on_document: is called as each chunk is read to be indexed.

    Raises:
        DeclarationError: a setting is wrong, or changes nothing of the strategy.
        MissingDependencyError: something is retrieved, and pyterrier is not installed.
    """
    question_list = read_sourced([questions]) if isinstance(questions, str | Path) else tuple(questions)
    source = None
    if index is None and (trusted is not False or encoder is not None or retriever != RETRIEVER):
        raise DeclarationError(
            "--retriever, --encoder and --trusted need a corpus to search: name it with --index CORPUS"
        )
    if index is not None:
        require("pyterrier", extra="retrieval")
        from conqret.debateqa.answering.retrieved_chunks import ChunkSearch

        engines = [part.strip() for part in retriever.split(",") if part.strip()]
        domains = None
        if trusted is not False:
            domains = TrustedDomains() if trusted is True else read_trusted(Path(trusted))
        source = ChunkSearch(
            Path(index), engines=engines, encoder=encoder, trusted=domains, on_document=on_document
        )
    return Answering(
        question_list, ANSWER_STRATEGIES.resolve(strategy), plan or AnswerPlan(), _client(model),
        None if agent is None else _client(agent), source,
    )  # fmt: skip


def answer(
    questions: Questions | Answering,
    *,
    output: str | Path | None = None,
    on_start: Callable[[Client, int], None] = lambda client, kept: None,
    on_row: Callable[[GivenAnswer], None] = lambda row: None,
    **settings: Unpack[AnswerRunSettings],
) -> AnswersOutcome:
    """Answer questions without retrieval, from what a search finds, or with an agent that searches (DebateQA, 5.4).

    Args:
        questions: a file, the questions, or what :func:`conqret.debateqa.answering.answer.answering` returns.
        output: the run's folder, by default ``runs/QUESTIONS-answer-STRATEGY-MODEL``; the same call goes on there. It
            holds ``answers.jsonl``, which ``conqret debateqa score`` reads.
        on_start: gets the client, and how many answers are there from before.
        on_row: gets each new answer.
        settings: ``strategy``, ``model``, ``agent``, ``index`` and the others of
            :func:`conqret.debateqa.answering.answer.answering`, and how models are asked:
            :class:`conqret.judging.judge_settings.AskingSettings`.

    Raises:
        DeclarationError: anything wrong with the call, the questions or the folder.
        AnswersAwaited: answers are still in a batch.
    """
    asking = {name: value for name, value in settings.items() if name in AskingSettings.__annotations__}
    own = {name: value for name, value in settings.items() if name not in asking}
    run = questions if isinstance(questions, Answering) else answering(questions, **own)  # type: ignore[arg-type]
    folder = AnswersFolder(Path(output) if output is not None else place(questions, run))
    with Sessions(**session_settings(asking)) as models:
        plan = AnsweringRun(models, folder, run)
        overwrite = settings.get("overwrite", False)
        outcome = perform(plan, overwrite=overwrite, on_start=on_start, on_row=on_row)
    rows, name = outcome.rows, outcome.summary.strategy
    found = dict.fromkeys(chunk for row in rows for step in row.trace for chunk in step.found)
    content = page(
        "answers.html.j2",
        answers=list(zip(run.questions, rows, strict=True))[:SHOWN],
        omitted=max(0, len(rows) - SHOWN),
        passages={} if run.source is None else run.source.read(tuple(found)),
        record=folder.record(),
        summary=outcome.summary,
        does=ANSWER_STRATEGIES[name].summary if name in ANSWER_STRATEGIES else "",
    )
    write_file(folder.report_file, content)
    return outcome


def place(questions: Questions | Answering, run: Answering) -> Path:
    """Where answers go that were given no place."""
    name = stem(Path(questions)) if isinstance(questions, str | Path) else "questions"
    return default_folder(name, "answer", run.strategy.name, run.answerer.model)


def _client(model: str | ClientOptions) -> ClientOptions:
    return ClientOptions.of(model).resolved()
