"""``conqret index``: build the index of a corpus, or find that it is there already."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from conqret.cli import options
from conqret.cli.console import at, note, result
from conqret.cli.groups import Group, grouped

EPILOG = (
    "Examples:\n\n"
    "conqret index corpus/\n\n"
    "conqret index corpus/ --engine bm25s --stemmer none --stopwords lucene --k1 1.2 --b 0.75"
)


@dataclass(frozen=True)
class Analysis(Group):
    """How texts are analysed and scored."""

    stemmer: Annotated[
        str | None, typer.Option(help="porter2 or none; krovetz with pisa. Default: porter2.")
    ] = None
    stop_words: Annotated[
        str | None,
        typer.Option(
            "--stopwords",
            help="terrier (with pisa), lucene, english or none. Default: terrier with pisa, english with bm25s.",
        ),
    ] = None
    k1: Annotated[float | None, typer.Option(help="How late term frequency saturates. Default: 0.9.")] = None
    b: Annotated[
        float | None, typer.Option(help="How far long documents are discounted, 0 to 1. Default: 0.4.")
    ] = None


@grouped
def index(
    corpus: Annotated[Path, typer.Argument(help="A corpus directory: its documents.jsonl is indexed.")],
    *,
    engine: Annotated[
        str | None,
        typer.Option(
            help="pisa (Linux on x86-64), bm25s (everywhere), or a plug-in's. Default: pisa where it runs."
        ),
    ] = None,
    analysis: Analysis,
    rebuild: Annotated[
        bool,
        typer.Option("--rebuild", help="Build it even if the index is of this corpus and these settings."),
    ] = False,
    shown: options.Shown,
) -> None:
    """Index a corpus for BM25. An index of the same corpus and settings is kept; any other is replaced."""
    import time
    from dataclasses import asdict

    from conqret.retrieval.engine import Settings
    from conqret.retrieval.index import FOLDER, build_index

    began = time.perf_counter()
    built = build_index(corpus, engine=engine, settings=Settings(**analysis.given()), rebuild=rebuild)
    seconds = time.perf_counter() - began
    facts = {
        "documents": len(built),
        "engine": built.engine,
        "settings": asdict(built.settings),
        "fingerprint": built.fingerprint,
        "fresh": built.fresh,
        "path": str(corpus / FOLDER),
    }
    if not (shown.quiet or shown.json_output or built.fresh):
        note("the index is of this corpus and these settings already; --rebuild builds it all the same")
    settings = built.settings
    how = (
        f"stemmer {settings.stemmer}, stop words {settings.stop_words}, k1 {settings.k1:g}, b {settings.b:g}"
    )
    done = f"indexed in {seconds:.1f} s" if built.fresh else "in the index"
    lines = (f"{len(built):,} documents {done} with {built.engine} ({how})", at(corpus / FOLDER, "index"))
    result(facts, lines, as_json=shown.json_output)
