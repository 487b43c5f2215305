"""``conqret debateqa curate``: partial answers to debatable questions, from trusted documents, and their checks."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from conqret.console import shared_options as options
from conqret.console.label_options import label_files
from conqret.console.option_groups import OptionGroup
from conqret.console.printing import at, note
from conqret.debateqa.curation.algorithm import VIEWS, CurationPlan
from conqret.debateqa.curation.embeddings import LEXICAL
from conqret.debateqa.curation.questions_command import Encoder
from conqret.judging.command_options import StudyOptions
from conqret.show.table import Column, Table, spaced
from conqret.show.words import reason

if TYPE_CHECKING:
    from conqret.debateqa.curation.benchmark import CurateSummary


@dataclass(frozen=True)
class WebSearch(OptionGroup):
    """How the web is searched.

    Files:
        search: Search the web with `google` (GOOGLE_API_KEY, GOOGLE_CSE_ID), `brave` (BRAVE_API_KEY) or `searxng`
            (CONQRET_SEARXNG_URL), with keys from the environment. Several, comma-separated, are tried in this order.
        user_agent: The user agent that web sites see; name a contact in it.
    """

    search: str | None = None
    user_agent: str | None = None


@dataclass(frozen=True)
class BenchmarkCheck(OptionGroup):
    """How a finished benchmark is checked.

    Check:
        check: Check a finished benchmark: the `relevance` of documents to questions; `comprehensiveness`, whether the
            points of view cover the nearest chunks; `distinctiveness`, whether two say the same; `viewpoints` of
            `--answers` that it misses; `domains` of questions. For the second and third, `-o` writes a form for
            annotators, `--model` fills it in, and `--labels` reads it.
        threshold: The cosine from which two points of view count as similar and are looked at (DebateQA: .75).
        answers: Answers to the benchmark's questions: id and generation.
    """

    check: Literal["relevance", "comprehensiveness", "distinctiveness", "viewpoints", "domains"] | None = None
    encoder: Encoder = LEXICAL
    threshold: float = 0.75
    answers: Path | None = None


def curate(
    source: Path,
    *,
    corpus: Path | None = None,
    web: WebSearch,
    trusted: Path | None = None,
    keep: int = 5,
    checking: BenchmarkCheck,
    labels: Annotated[
        list[Path] | None,
        label_files(
            "With `--check`, the form filled in with yes and no. Without, completed forms of `conqret labels sample "
            "--task partial-answer`, by which partial answers are removed.",
            panel="Check",
        ),
    ] = None,
    duplicates: Path | None = None,
    model: options.Model = None,
    output: Annotated[
        Path | None,
        options.run_folder("QUESTIONS-curate-MODEL", "The benchmark's folder; the form or file to write"),
    ] = None,
    asking: StudyOptions,
) -> None:
    """Collect partial answers: queries, trusted documents, points of view, and an explanation of each (Algorithm 1).
    Given the folder of a finished benchmark, check it, or remove partial answers that annotators reject.

    The folder then holds benchmark.jsonl, which `conqret debateqa score --references` reads, the documents behind it
    with address and license, the questions that were filtered out, and items for `conqret labels sample`.

    Args:
        source: Questions, with the column question, optionally id, source, url, licence (JSONL, CSV, TSV, Parquet); or
            the folder of a finished benchmark.
    Files:
        corpus: The corpus directory in which evidence is searched; it is indexed first if it is not.
    Filters:
        keep: The most documents per question; those that the reranker ranks first are kept.
        trusted: Domains to trust besides .edu, .org, .gov, .info and .pro: one per line, optionally with a license; a
            `-` in front refuses one.
    Check:
        duplicates: The completed form of `--check distinctiveness`: the second of each pair that is marked as duplicate
            is removed.

    Examples:

    conqret debateqa curate questions.jsonl --corpus corpus/ --trusted domains.txt --model gpt-4o-mini -o benchmark/

    conqret debateqa curate benchmark/ --check comprehensiveness --model gpt-4o-mini -o chunks.csv

    conqret debateqa curate benchmark/ --labels annotated.csv --duplicates pairs.csv -o final.jsonl
    """
    from conqret.debateqa.curation import benchmark_check_command as checks
    from conqret.debateqa.curation.benchmark import curate_benchmark

    encoder = checking.encoder
    match checking.check:
        case "relevance":
            checks.relevance(source, encoder, asking)
        case "comprehensiveness":
            checks.comprehensiveness(source, encoder, (model, labels, output), asking)
        case "distinctiveness":
            checks.distinctiveness(source, encoder, checking.threshold, (model, labels, output), asking)
        case "viewpoints":
            checks.viewpoints(source, checking.answers, model, output, asking)
        case "domains":
            checks.domains(source, encoder, asking)
        case None if source.is_dir():
            checks.remove(source, labels, duplicates, output, asking)
    if checking.check is not None or source.is_dir():
        return
    if asking.dry_run:
        pages = "the documents that the offline model's queries find"
        pages = pages if web.search is None else "5 pages of 2,500 tokens"
        note(f"the estimate assumes for each question {VIEWS} points of view and {pages}")
    outcome = asking.study(
        curate_benchmark, source, corpus=corpus, search=web.search, user_agent=web.user_agent, trusted=trusted,
        plan=CurationPlan(keep=keep), output=output, model=asking.calls.of(model),
        rows="steps", doing="collecting", role="an author",
    )  # fmt: skip
    summary, folder = outcome.summary, outcome.folder
    lines = [
        *spaced([_table(summary)]),
        at(folder.benchmark_file, "benchmark"),
        at(folder.documents_file, "documents"),
        at(folder.filtered_file, "filtered"),
        at(folder.items_file, "items"),
    ]
    if summary.unstated_licences:
        asking.shown.note(
            f"{summary.unstated_licences:,} of {summary.documents:,} documents state no license: look them up before "
            "you share their texts, or name licenses by domain in --trusted"
        )
    asking.conclude(summary, lines, outcome, summary.unanswered, there=summary.kept)


def _table(summary: CurateSummary) -> Table:
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
