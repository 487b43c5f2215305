"""``conqret debateqa answer``: answers to debatable questions, in one of several ways."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from conqret.console import shared_options as options
from conqret.console.option_groups import OptionGroup
from conqret.console.printing import at, progress, spaced
from conqret.console.shared_options import StudyOptions
from conqret.debateqa.answering.answering_run import AnswersSummary, chunk_search
from conqret.debateqa.answering.answering_run import answer as write_answers
from conqret.debateqa.answering.rag_session import AnswerPlan
from conqret.show.table import Cell, Column, Table
from conqret.show.words import mean, reason


@dataclass(frozen=True, kw_only=True)
class EvidenceSearch(OptionGroup):
    """Where evidence is searched for.

    What is searched:
        index: The corpus directory, or the folder of `conqret perspectives collect`, where each question is searched in
            its own pages; chunks of 2,000 characters are indexed first if they are not.
        retriever: bm25, dense or a plug-in's; several with commas are fused.
        encoder: The embedding model for the retriever `dense`: a folder, or a name on the Hugging Face hub.
        trusted: Use only documents from the domains .edu, .org, .gov, .info and .pro: `standard`; or from these and
            the domains in this file, one per line.
    """

    index: Path | None = None
    retriever: str = "bm25"
    encoder: str | None = None
    trusted: str | None = None


def answer(
    questions: Path,
    *,
    strategy: str = "none",
    plan: AnswerPlan,
    evidence: EvidenceSearch,
    model: options.Model = None,
    agent: str | None = None,
    output: Annotated[Path | None, options.run_folder("QUESTIONS-answer-STRATEGY-MODEL")] = None,
    run_options: StudyOptions,
) -> None:
    """Answer questions from what a model knows, from what a search finds, or with an agent that searches (DebateQA).

    The folder then holds answers.jsonl, which `conqret debateqa score` reads (with the chunks behind each answer, and
    what was searched), and report.html, which shows them.

    Args:
        questions: A table with the column `question`, optionally `id` (JSONL, CSV, TSV or Parquet), or the
            benchmark.jsonl of `conqret debateqa curate`.
    How it is answered:
        strategy: `none` (no retrieval), `rag`, `react` (an agent searches), `cited` (arguments for either side), or a
            plug-in's.
    Model:
        agent: The model that searches, with react, with as much again as `--budget-usd`. Default: that of `--model`.

    Examples:

    conqret debateqa answer questions.jsonl --strategy none --model gpt-4o-mini -o runs/none

    conqret debateqa answer questions.jsonl --strategy rag --index corpus/ --trusted standard --model gpt-4o-mini

    conqret debateqa answer questions.jsonl --strategy react --index corpus/ --retriever bm25,dense --encoder
    models/gte --agent gpt-4o --model gpt-4o-mini -o runs/react
    """
    trusted = True if evidence.trusted == "standard" else evidence.trusted or False
    with progress("indexing", quiet=run_options.shown.quiet) as bar:
        source = chunk_search(
            evidence.index,
            retriever=evidence.retriever,
            encoder=evidence.encoder,
            trusted=trusted,
            on_document=bar.advance,
        )
    outcome = run_options.study(
        write_answers,
        questions,
        strategy=strategy,
        index=source,
        plan=plan,
        model=run_options.calls.for_model(model),
        agent=None if agent is None else run_options.calls.for_model(agent),
        output=output,
        rows="answers",
        doing="answering",
        role="an author",
    )
    summary, folder = outcome.summary, outcome.folder
    if summary.cut:
        run_options.shown.note(
            f"{summary.cut:,} answers were cut off at the token limit: raise it with --max-tokens"
        )
    lines = [
        *spaced([_table(summary)]),
        *([at(folder.answers_file, "answers")] if summary.answered else []),
        at(folder.report_file, "page"),
    ]
    run_options.conclude(summary, lines, outcome, summary.unanswered, there=summary.answered)


def _table(summary: AnswersSummary) -> Table:
    """Build the table of a run: counts of questions, answers and missing answers by reason, and means for an
    answer."""

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
