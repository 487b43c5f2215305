"""``conqret debateqa questions`` and ``curate``: the questions of a benchmark, their partial answers from trusted
documents, and the checks of these."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from conqret.console import shared_options as options
from conqret.console.label_options import label_files
from conqret.console.option_groups import OptionGroup
from conqret.console.printing import at, note, result, spaced
from conqret.console.shared_options import StudyOptions
from conqret.console.source_options import WebSearch
from conqret.debateqa.curation.algorithm import VIEWS, CurationPlan
from conqret.debateqa.curation.check_verdicts import CRITERIA, DebatableQuestions, debatable_questions
from conqret.debateqa.curation.deduplication import (
    ChosenThreshold,
    DecidingPair,
    Deduplication,
    dedupe,
    draw_question_pairs,
    duplicate_threshold,
    pairs_form,
)
from conqret.errors import number
from conqret.io.safe_files import csv_text, write_files, write_new
from conqret.runs.run_folder import default_folder, stem
from conqret.show.table import Column, Table
from conqret.show.words import reason

if TYPE_CHECKING:
    from conqret.debateqa.curation.benchmark import CurateSummary


Encoder = Annotated[
    str,
    options.option(
        options.MODEL,
        "The folder of a sentence-transformers model, or `lexical`: word stems by TF-IDF, without a model.",
    ),
]

LEXICAL = "lexical"
SHOWN = 10
"""Pairs that are shown; all stand in the file."""


def questions(
    files: Annotated[
        list[Path],
        options.option(
            None,
            "A table with the column `question`, optionally `id`, `source`, `url`, `licence`: JSONL, CSV, TSV or "
            "Parquet. DELPHI's and ConflictingQA's files are recognized.",
            "questions",
        ),
    ],
    *,
    output: Annotated[Path | None, options.run_folder("QUESTIONS-debatable-MODEL")] = None,
    encoder: Encoder = LEXICAL,
    threshold: float = 0.78,
    texts: Path | None = None,
    pairs: Path | None = None,
    model: options.Model = None,
    run_options: StudyOptions,
) -> None:
    """Choose the questions of a benchmark: remove as few as possible so that no two similar ones are left (DebateQA,
    A.1), and keep the debatable ones: clear, with several answers, not a matter of taste or of personal experience.

    The folder holds kept.jsonl, pairs.csv with every similar pair, and verdicts.csv with the criteria that each
    question meets and a sentence of explanation (DebateQA, A.1; BeRDS, section 4).

    Files:
        texts: The file train.csv of Quora Question Pairs, from which the texts of questions of the DELPHI data set are
            taken.
        pairs: A form of pairs of questions to choose the threshold by, which depends on the encoder. Where there is no
            such file, it is written, with 500 pairs from all bands of similarity; fill in its column `duplicate` with
            yes or no, and the same command reports two thresholds: the one below which no labeled duplicate lies, and
            the one with the highest F1.
    Args:
        threshold: The cosine from which two questions are duplicates (DebateQA: .78, gte-large).

    Examples:

    conqret debateqa questions questions.jsonl --model gpt-4o-mini --dry-run

    conqret debateqa questions delphi.tsv conflictingqa.csv web.jsonl --texts train.csv --encoder models/gte-large
    --pairs pairs.csv
    """
    if pairs is not None:
        _label_pairs(files, texts, pairs, encoder, run_options)
        return
    different, duplicates = dedupe(files, encoder=encoder, threshold=threshold, texts=texts)
    author = run_options.calls.for_model(model)
    outcome = run_options.study(
        debatable_questions,
        different,
        model=author,
        rows="judgments",
        output=output or default_folder(stem(files[0]), "debatable", author.model),
    )
    chosen, folder = outcome.summary, outcome.folder
    rows = (pair.model_dump().values() for pair in duplicates.pairs)
    write_files({folder.pairs_file: csv_text(DecidingPair.model_fields, rows)})
    unanswered = sum(outcome.lost.values())
    facts = {
        "deduplication": duplicates.model_dump(),
        "questions": len(outcome.rows),
        "kept": len(chosen.kept),
        "failed": chosen.failed,
        "unanswered": unanswered,
    }
    lines = [
        *spaced(_dedupe_tables(duplicates)),
        f"{number(len(duplicates.removed), 'question')} removed, decided by {len(duplicates.pairs):,} similar pairs",
        "",
        _debatable_table(chosen, len(outcome.rows), unanswered),
        "",
        *map(at, (folder.kept_file, folder.table_file, folder.pairs_file), ("kept", "verdicts", "pairs")),
    ]
    if encoder == LEXICAL:
        run_options.shown.note(
            "lexical compares words only, so it misses a question in other words; an --encoder finds more"
        )
    run_options.conclude(facts, lines, outcome, outcome.lost, there=len(outcome.rows) - unanswered)


def _label_pairs(
    files: Sequence[Path], texts: Path | None, form: Path, encoder: str, run_options: StudyOptions
) -> None:
    """Write the form of question pairs if it does not exist, and print what was drawn. Else read the form, and print
    the thresholds that its labels support.

    Raises:
        DeclarationError: the form or the questions cannot be read.
    """
    if form.is_file():
        choice = duplicate_threshold(form)
        result(choice, spaced(_threshold_tables(choice)), as_json=run_options.shown.json_output)
        if choice.unlabelled:
            run_options.shown.note(f"{choice.unlabelled:,} pairs have no label and are left out")
        return
    read, drawn = draw_question_pairs(files, encoder=encoder, texts=texts)
    write_new({form: pairs_form(drawn, read)}, overwrite=False)
    bands = len({pair.band for pair in drawn})
    ends = f"{drawn[-1].similarity:.2f} to {drawn[0].similarity:.2f}"
    sentence = f"{number(len(drawn), 'pair')} from {bands} bands of similarity, {ends}"
    facts = {"pairs": len(drawn), "bands": bands, "sheet": str(form)}
    result(facts, [sentence, at(form, "form")], as_json=run_options.shown.json_output)


def _dedupe_tables(outcome: Deduplication) -> Iterator[Table]:
    """Yield the table of questions by source before and after (DebateQA, Table 7), and, if there are any,
    that of the first :data:`SHOWN` similar pairs."""
    yield Table(
        "Questions",
        ("source", "read", "kept"),
        [(source, count, outcome.after[source]) for source, count in outcome.before.items()],
        foot=[("all", sum(outcome.before.values()), sum(outcome.after.values()))],
        note=f"Similar: a cosine of {outcome.threshold} or more, by {outcome.encoder}.",
    )
    more = len(outcome.pairs) - SHOWN
    marks = {"first": ("− ", ""), "second": ("", "− "), "both": ("− ", "− ")}
    rows = []
    for pair in outcome.pairs[:SHOWN]:
        first, second = marks[pair.removed]
        rows.append((f"{pair.similarity:.2f}", first + pair.first_question, second + pair.second_question))
    if rows:
        yield Table(
            "Similar questions (− is removed)",
            ("cosine", Column("question", "text"), Column("is like", "text")),
            rows,
            note=f"{more} more stand in the file." if more > 0 else "",
        )


def _debatable_table(chosen: DebatableQuestions, questions: int, unanswered: int) -> Table:
    """Build the table of how many questions fail each criterion, have no verdict, and are debatable."""
    rows = [(CRITERIA[name], count) for name, count in chosen.failed.items()]
    if unanswered:
        rows.append(("no answer", unanswered))
    return Table(
        "Questions",
        (Column("", "text"), "questions"),
        rows,
        foot=[("debatable", len(chosen.kept)), ("all", questions)],
        note="One question may fail several criteria.",
    )


def _threshold_tables(choice: ChosenThreshold) -> Iterator[Table]:
    """Yield the table of labels by band of similarity, and that of the thresholds that follow from them."""
    yield Table(
        "Labels by similarity",
        ("cosine from", "pairs", "labeled", "duplicates"),
        [(f"{band.band:.2f}", band.pairs, band.labelled, band.duplicates) for band in choice.bands],
    )
    bound = (
        ""
        if choice.at_most_below is None
        else (
            f" None of the {choice.labelled_below} labeled pairs below {choice.none_below:.2f} is a duplicate: with "
            f"95% confidence at most {choice.at_most_below:.1%} of such pairs are."
        )
    )
    yield Table(
        "Thresholds",
        (Column("", "text"), "threshold"),
        [
            ("no labeled duplicate lies below (the paper's rule)", f"{choice.none_below:.2f}"),
            ("highest F1 over all pairs", f"{choice.best_f1:.2f}"),
        ],
        note=f"At {choice.best_f1:.2f}: precision {choice.precision:.3f}, recall {choice.recall:.3f}, F1 "
        f"{choice.f1:.3f}, bands weighted by their size.{bound}",
    )


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
    plan: CurationPlan,
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
    run_options: StudyOptions,
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
            checks.relevance(source, encoder, run_options)
        case "comprehensiveness":
            checks.comprehensiveness(source, encoder, (model, labels, output), run_options)
        case "distinctiveness":
            checks.distinctiveness(source, encoder, checking.threshold, (model, labels, output), run_options)
        case "viewpoints":
            checks.viewpoints(source, checking.answers, model, output, run_options)
        case "domains":
            checks.domains(source, encoder, run_options)
        case None if source.is_dir():
            checks.remove(source, labels, duplicates, output, run_options)
    if checking.check is not None or source.is_dir():
        return
    if run_options.dry_run:
        pages = "the documents that the offline model's queries find"
        pages = pages if web.search is None else "5 pages of 2,500 tokens"
        note(f"the estimate assumes for each question {VIEWS} points of view and {pages}")
    outcome = run_options.study(
        curate_benchmark,
        source,
        corpus=corpus,
        search=web.search,
        user_agent=web.user_agent,
        trusted=trusted,
        plan=plan,
        output=output,
        model=run_options.calls.for_model(model),
        rows="steps",
        doing="collecting",
        role="an author",
    )
    summary, folder = outcome.summary, outcome.folder
    lines = [
        *spaced([_table(summary)]),
        at(folder.benchmark_file, "benchmark"),
        at(folder.documents_file, "documents"),
        at(folder.filtered_file, "filtered"),
        at(folder.items_file, "items"),
    ]
    if summary.unstated_licences:
        run_options.shown.note(
            f"{summary.unstated_licences:,} of {summary.documents:,} documents state no license: look them up before "
            "you share their texts, or name licenses by domain in --trusted"
        )
    run_options.conclude(summary, lines, outcome, summary.unanswered, there=summary.kept)


def _table(summary: CurateSummary) -> Table:
    """Build the table of how many questions each filter removes, and how many are left."""

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
