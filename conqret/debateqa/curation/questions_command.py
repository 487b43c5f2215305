"""``conqret debateqa questions``: which questions a benchmark asks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from conqret.console import shared_options as options
from conqret.console.option_groups import grouped
from conqret.console.printing import at, end, result
from conqret.debateqa.curation.embeddings import LEXICAL
from conqret.errors import number
from conqret.judging.study_command import StudyOptions

if TYPE_CHECKING:
    from conqret.io.questions import SourcedQuestion

Encoder = Annotated[
    str,
    options.option(
        options.MODEL,
        "The folder of a sentence-transformers model, or `lexical`: word stems by TF-IDF, without a model.",
    ),
]


@grouped
def questions(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="QUESTIONS...",
            help="A table with the column `question`, optionally `id`, `source`, `url`, `licence`: JSONL, CSV, TSV or "
            "Parquet. DELPHI's and ConflictingQA's files are recognized.",
        ),
    ],
    *,
    output: Annotated[Path | None, options.run_folder("QUESTIONS-debatable-MODEL")] = None,
    encoder: Encoder = LEXICAL,
    threshold: float = 0.78,
    embeddings: Path | None = None,
    texts: Path | None = None,
    pairs: Path | None = None,
    model: options.Model = None,
    asking: StudyOptions,
) -> None:
    """Choose the questions of a benchmark: remove as few as possible so that no two similar ones are left (DebateQA,
    A.1), and keep the debatable ones: clear, with several answers, not a matter of taste or of personal experience.

    The folder holds kept.jsonl, pairs.csv with every similar pair, and verdicts.csv with the criteria that each
    question meets and a sentence of explanation (DebateQA, A.1; BeRDS, section 4).

    Files:
        embeddings: Embeddings that you have already: a .npy file with one row per question.
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
    from conqret.debateqa.curation.check_verdicts import VerdictFolder, VerdictPlan, estimate
    from conqret.debateqa.curation.debatable import VERDICT, chosen_questions, subjects
    from conqret.debateqa.curation.deduplication import pairs_text, without_duplicates
    from conqret.debateqa.curation.page import debatable_table, dedupe_tables
    from conqret.io.questions import read_sourced
    from conqret.io.safe_files import write_files
    from conqret.runs.run_folder import default_folder, stem
    from conqret.show.table import spaced

    read = tuple(read_sourced(files, texts))
    if pairs is not None:
        _label_pairs(read, pairs, encoder, embeddings, asking)
        return
    different, duplicates = without_duplicates(read, encoder, threshold, embeddings)
    session, asked_about = asking.session(model), subjects(different)
    if asking.dry_run:
        asking.tell_cost([estimate(VERDICT, asked_about, session)])
        return
    folder = VerdictFolder(output or default_folder(stem(files[0]), "debatable", session.options.model))
    count = len(asked_about)
    done = asking.execute(
        VerdictPlan(session, folder, VERDICT, asked_about), count, "judgments",
        about=f"{number(count, 'judgment')} from {files[0]}, by",
    )  # fmt: skip
    chosen = chosen_questions(different, done, folder)
    write_files({folder.pairs_file: pairs_text(duplicates)})
    kept = len(chosen.kept)
    facts = {
        "deduplication": duplicates.model_dump(),
        "questions": chosen.questions,
        "kept": kept,
        "failed": chosen.failed,
        "unanswered": chosen.unanswered,
    }
    lines = [
        *spaced(dedupe_tables(duplicates)),
        f"{number(len(duplicates.removed), 'question')} removed, decided by {len(duplicates.pairs):,} similar pairs",
        "",
        debatable_table(chosen.failed, chosen.unanswered, chosen.questions, kept),
        "",
        *map(at, (*chosen.files, folder.pairs_file), ("kept", "verdicts", "pairs")),
    ]
    result(facts, lines, as_json=asking.shown.json_output)
    if encoder == LEXICAL and embeddings is None:
        asking.shown.note(
            "lexical compares words only, so it misses a question in other words; an --encoder finds more"
        )
    lost = done.lost
    end(lost, done.session, there=len(done.rows) - sum(lost.values()), reasons=lost)


def _label_pairs(
    read: tuple[SourcedQuestion, ...],
    sheet: Path,
    encoder: str,
    embeddings: Path | None,
    asking: StudyOptions,
) -> None:
    """Write the form of pairs, or report the thresholds that a filled one speaks for."""
    from conqret.debateqa.curation.deduplication import COLUMNS, draw_pairs, duplicate_threshold, sheet_rows
    from conqret.debateqa.curation.embeddings import vectors_of
    from conqret.debateqa.curation.page import threshold_tables
    from conqret.io.label_sheets import csv_text
    from conqret.io.overwriting import write_new
    from conqret.show.table import spaced

    if sheet.is_file():
        choice = duplicate_threshold(sheet)
        result(choice, spaced(threshold_tables(choice)), as_json=asking.shown.json_output)
        if choice.unlabelled:
            asking.shown.note(f"{choice.unlabelled:,} pairs have no label and are left out")
        return
    drawn = draw_pairs(vectors_of(read, encoder, embeddings))
    write_new({sheet: csv_text(COLUMNS, sheet_rows(drawn, read))}, overwrite=False)
    bands = len({pair.band for pair in drawn})
    ends = f"{drawn[-1].similarity:.2f} to {drawn[0].similarity:.2f}"
    sentence = f"{number(len(drawn), 'pair')} from {bands} bands of similarity, {ends}"
    facts = {"pairs": len(drawn), "bands": bands, "sheet": str(sheet)}
    result(facts, [sentence, at(sheet, "sheet")], as_json=asking.shown.json_output)
