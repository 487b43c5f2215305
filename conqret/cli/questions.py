"""``conqret questions``: which questions a benchmark asks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from conqret.cli import options
from conqret.cli.console import at, note, result
from conqret.cli.groups import grouped

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rich.console import RenderableType

    from conqret.curation.deduplication import Deduplicated
    from conqret.io.questions import SourcedQuestion

app = typer.Typer(
    help="Choose the questions of a benchmark: without duplicates, and debatable.",
    no_args_is_help=True,
    epilog="Example: conqret questions dedupe questions.jsonl -o kept.jsonl",
)

Files = Annotated[
    list[Path],
    typer.Argument(
        help="Column question, perhaps id, source, url, licence: JSONL, CSV, TSV, Parquet. DELPHI's and "
        "ConflictingQA's files are recognised."
    ),
]
Texts = Annotated[
    Path | None,
    options.option(
        options.FILES, "The Quora Question Pairs (train.csv) with the texts of DELPHI's questions."
    ),
]
Encoder = Annotated[
    str,
    options.option(
        options.MODEL,
        "The folder of a sentence-transformers model, or lexical: word stems by TF-IDF, without any model.",
    ),
]
Embeddings = Annotated[
    Path | None,
    options.option(options.FILES, "Embeddings that there are already: a .npy file, a row for each question."),
]

DEDUPE = (
    "Examples:\n\n"
    "conqret questions dedupe questions.jsonl -o kept.jsonl\n\n"
    "conqret questions dedupe delphi.tsv conflictingqa.csv web.jsonl --texts train.csv "
    "--encoder models/gte-large -o kept.jsonl"
)


@app.command("dedupe", epilog=DEDUPE)
@grouped
def dedupe(
    questions: Files,
    *,
    output: Annotated[
        Path, options.option(options.FILES, "The questions that are kept, as JSONL.", "--output", "-o")
    ],
    encoder: Encoder = "lexical",
    threshold: Annotated[
        float,
        typer.Option(help="The cosine from which two questions are duplicates (DebateQA: .78, gte-large)."),
    ] = 0.78,
    embeddings: Embeddings = None,
    texts: Texts = None,
    shown: options.Shown,
) -> None:
    """Remove as few questions as possible so that no two similar ones are left (DebateQA, A.1).

    Beside the questions that are kept, NAME.pairs.csv has every pair that decided it, by falling similarity. The
    threshold belongs to the encoder: `conqret questions pairs` and `threshold` choose it.
    """
    from conqret.curation.deduplication import DecidingPair, deduplicate
    from conqret.io.label_sheets import csv_text
    from conqret.io.questions import read_sourced
    from conqret.report.curation import dedupe_tables
    from conqret.report.page import write_files

    read = read_sourced(questions, texts)
    kept, found = deduplicate(
        read, _vectors(read, encoder, embeddings), encoder=str(embeddings or encoder), threshold=threshold
    )
    name = output.name.removesuffix(".jsonl")
    pairs = f"{name}.pairs.csv"
    write_files(
        output.parent,
        {
            output.name: _lines_of(kept),
            pairs: csv_text(DecidingPair.model_fields, (one.model_dump().values() for one in found.pairs)),
        },
    )
    lines = _dedupe_lines(found, (output, output.parent / pairs), dedupe_tables(found))
    result(found, lines, as_json=shown.json_output)
    if encoder == "lexical" and embeddings is None and not shown.quiet:
        note("lexical sees words alone: a question in other words stays; an --encoder sees more")


def _vectors(questions: Sequence[SourcedQuestion], encoder: str, embeddings: Path | None) -> Any:
    from conqret.curation.embeddings import embedder, read_embeddings

    if embeddings is not None:
        return read_embeddings(embeddings, len(questions))
    return embedder(encoder)([one.question for one in questions])


def _dedupe_lines(
    found: Deduplicated, files: Iterable[Path], tables: Iterable[RenderableType]
) -> Iterator[RenderableType]:
    for table in tables:
        yield from (table, "")
    yield f"{len(found.removed):,} questions removed, decided by {len(found.pairs):,} similar pairs"
    for file, what in zip(files, ("kept", "pairs"), strict=True):
        yield at(file, what)


def _lines_of(questions: Iterable[SourcedQuestion]) -> str:
    import json

    return "".join(json.dumps(one.record(), ensure_ascii=False) + "\n" for one in questions)
