"""``conqret debateqa questions``: which questions a benchmark asks."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from conqret.console import shared_options as options
from conqret.console.option_groups import grouped
from conqret.console.printing import at, result
from conqret.errors import number as counted
from conqret.judging.study_command import StudyOptions

Files = Annotated[
    list[Path],
    typer.Argument(
        help="A table with the column `question`, optionally `id`, `source`, `url`, `licence`: JSONL, CSV, TSV or "
        "Parquet. DELPHI's and ConflictingQA's files are recognized."
    ),
]
Texts = Annotated[
    Path | None,
    options.option(
        options.FILES,
        "The file train.csv of Quora Question Pairs, from which the texts of questions of the DELPHI data set are "
        "taken.",
    ),
]
Encoder = Annotated[
    str,
    options.option(
        options.MODEL,
        "The folder of a sentence-transformers model, or `lexical`: word stems by TF-IDF, without a model.",
    ),
]
Embeddings = Annotated[
    Path | None,
    options.option(options.FILES, "Embeddings that you have already: a .npy file with one row per question."),
]


@grouped
def dedupe(
    questions: Files,
    *,
    output: Path,
    encoder: Encoder = "lexical",
    threshold: float = 0.78,
    embeddings: Embeddings = None,
    texts: Texts = None,
    overwrite: options.Replace = False,
    shown: options.OutputOptions,
) -> None:
    """Remove as few questions as possible so that no two similar ones are left (DebateQA, A.1).

    NAME.pairs.csv next to the kept questions has every pair that decided it, most similar first. The right threshold
    depends on the encoder: `conqret debateqa questions pairs` and `conqret debateqa questions threshold` choose it.

    Files:
        output (--output, -o): The questions that are kept, as JSONL.
    Args:
        threshold: The cosine from which two questions are duplicates (DebateQA: .78, gte-large).

    Examples:

    conqret debateqa questions dedupe questions.jsonl -o kept.jsonl

    conqret debateqa questions dedupe delphi.tsv conflictingqa.csv web.jsonl --texts train.csv --encoder
    models/gte-large -o kept.jsonl
    """
    from conqret.debateqa.curation.deduplication import DecidingPair
    from conqret.debateqa.curation.deduplication import dedupe as removed
    from conqret.debateqa.curation.page import dedupe_tables
    from conqret.io.jsonl import json_lines
    from conqret.io.label_sheets import csv_text
    from conqret.io.overwriting import write_new
    from conqret.show.table import spaced

    kept, outcome = removed(
        questions, encoder=encoder, threshold=threshold, embeddings=embeddings, texts=texts
    )
    name = output.name.removesuffix(".jsonl")
    pairs = output.with_name(f"{name}.pairs.csv")
    files = write_new(
        {
            output: json_lines(question.record() for question in kept),
            pairs: csv_text(
                DecidingPair.model_fields, (pair.model_dump().values() for pair in outcome.pairs)
            ),
        },
        overwrite=overwrite,
    )
    lines = [
        *spaced(dedupe_tables(outcome)),
        f"{counted(len(outcome.removed), 'question')} removed, decided by {len(outcome.pairs):,} similar pairs",
        *map(at, files, ("kept", "pairs")),
    ]
    result(outcome, lines, as_json=shown.json_output)
    if encoder == "lexical" and embeddings is None:
        shown.note(
            "lexical compares words only, so it misses a question in other words; an --encoder finds more"
        )


@grouped
def pairs(
    questions: Files,
    *,
    output: Path,
    number: int = 500,
    lowest: float = 0.4,
    seed: int = 13,
    encoder: Encoder = "lexical",
    embeddings: Embeddings = None,
    texts: Texts = None,
    overwrite: options.Replace = False,
    shown: options.OutputOptions,
) -> None:
    """Draw pairs of questions to label, as many from each band of similarity, to choose a threshold by.

    Fill in the column `duplicate` with yes or no, and give the form to `conqret debateqa questions threshold`.

    Files:
        output (--output, -o): The form to label, as CSV.
    Args:
        number (--number, -n): How many pairs of questions to draw.
        lowest: The lowest cosine; below it no pair is drawn.
        seed: The seed by which pairs are drawn.

    Example: conqret debateqa questions pairs questions.jsonl --encoder models/gte-large -n 500 -o pairs.csv
    """
    from conqret.debateqa.curation.question_sample import COLUMNS, draw_question_pairs, sheet_rows
    from conqret.io.label_sheets import csv_text
    from conqret.io.overwriting import write_new

    read, drawn = draw_question_pairs(
        questions, number, lowest=lowest, seed=seed, encoder=encoder, embeddings=embeddings, texts=texts
    )
    write_new({output: csv_text(COLUMNS, sheet_rows(drawn, read))}, overwrite=overwrite)
    bands = len({pair.band for pair in drawn})
    ends = f"{drawn[-1].similarity:.2f} to {drawn[0].similarity:.2f}"
    facts = {"pairs": len(drawn), "bands": bands, "sheet": str(output)}
    sentence = f"{counted(len(drawn), 'pair')} from {bands} bands of similarity, {ends}"
    result(facts, [sentence, at(output, "sheet")], as_json=shown.json_output)
    if len(drawn) < number:
        shown.note(f"only {len(drawn):,} pairs have a cosine of {lowest} or more; lower --lowest for more")


@grouped
def threshold(
    sheet: Path,
    *,
    shown: options.OutputOptions,
) -> None:
    """Report two similarity thresholds for duplicate questions, from labeled pairs: the one below which no labeled
    duplicate lies, and the one with the highest F1.

    Args:
        sheet: The form of `conqret debateqa questions pairs`, with labels.

    Example: conqret debateqa questions threshold pairs.csv
    """
    from conqret.debateqa.curation.page import threshold_tables
    from conqret.debateqa.curation.question_sample import duplicate_threshold
    from conqret.show.table import spaced

    choice = duplicate_threshold(sheet)
    result(choice, spaced(threshold_tables(choice)), as_json=shown.json_output)
    if choice.unlabelled:
        shown.note(f"{choice.unlabelled:,} pairs have no label and are left out")


@grouped
def debatable(
    questions: Files,
    *,
    model: options.Model = None,
    output: Annotated[Path | None, options.run_folder("QUESTIONS-debatable-MODEL")] = None,
    texts: Texts = None,
    asking: StudyOptions,
) -> None:
    """Keep the debatable questions: clear, with several answers, not a matter of taste or of personal experience.

    The folder holds kept.jsonl, and verdicts.csv with the criteria that each question meets and a sentence of
    explanation (DebateQA, A.1; BeRDS, section 4).

    Examples:

    conqret debateqa questions debatable questions.jsonl --model gpt-4o-mini --dry-run

    conqret debateqa questions debatable questions.jsonl --model gpt-4o-mini -o runs/debatable
    """
    from conqret.debateqa.curation.check_verdicts import VerdictFolder
    from conqret.debateqa.curation.curate_review import asks, end_of, tell_verdict_cost
    from conqret.debateqa.curation.debatable import VERDICT, chosen_questions, subjects
    from conqret.debateqa.curation.page import debatable_table
    from conqret.io.questions import read_sourced
    from conqret.runs.run_folder import default_folder, stem

    read = read_sourced(questions, texts)
    if asking.dry_run:
        tell_verdict_cost(VERDICT, subjects(read), model, asking)
        return
    named = asking.calls.of(model).model
    folder = output or default_folder(stem(questions[0]), "debatable", named)
    asked = asks(questions[0], model, asking)(VERDICT, subjects(read), "debatable", folder)
    found = chosen_questions(read, asked, VerdictFolder(folder))
    kept = len(found.kept)
    facts = {
        "questions": found.questions,
        "kept": kept,
        "failed": found.failed,
        "unanswered": found.unanswered,
    }
    shape = debatable_table(found.failed, found.unanswered, found.questions, kept)
    result(facts, [shape, "", *map(at, found.files, ("kept", "verdicts"))], as_json=asking.shown.json_output)
    end_of(asked)
