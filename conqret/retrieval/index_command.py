"""``conqret retrieve index``: build the index of a corpus, or find that it is there already."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path

from conqret.console import shared_options as options
from conqret.console.option_groups import OptionGroup
from conqret.console.printing import at, note, progress, result
from conqret.errors import number
from conqret.retrieval.collection import collection_of
from conqret.retrieval.corpus_index import build_index
from conqret.retrieval.engines import SNOWBALL_LANGUAGES, get_engine
from conqret.retrieval.text_encoding import Encoding
from conqret.text.language import NAMES, language_code, language_of

LOOKED_AT = 200
"""Documents of whose language a note tells: the first of the corpus."""


@dataclass(frozen=True)
class Analysis(OptionGroup):
    """How texts are analysed and scored.

    Args:
        stemmer: `porter2` or `porter` (English), `none`, or a language: `german`, `french`, `spanish`, `portuguese`,
            `russian`, `arabic`, `hindi`, … Default: `porter2`.
        stop_words (--stopwords): The list of stop words to leave out: `english`, `lucene` or `none`. Default:
            `english`.
        k1: BM25's k1: the higher, the more repeated words count. Default: 0.9.
        b: BM25's b: how far long documents are discounted, 0 to 1. Default: 0.4.
    """

    stemmer: str | None = None
    stop_words: str | None = None
    k1: float | None = None
    b: float | None = None


@dataclass(frozen=True)
class Encodings(OptionGroup, settings_class=Encoding):
    """How an encoder makes vectors of texts.

    Vectors:
        encoder: The embedding model for `--engine dense`: the folder of a sentence-transformers or Hugging Face model,
            its name on the hub, or a Python function `MODULE:FUNCTION` that returns one.
        pooling: How a bare model's token vectors become one: `mean`, `cls`, `last` or `pooler`. Default: what conqret
            knows of the model, else `mean`.
        normalise (--normalise/--no-normalise): Compare by cosine, or by dot product. Default: what conqret knows of the
            model, else dot product.
        query_prefix: Put this before queries. Default: the model's ('query: ' for E5).
        passage_prefix: Put this before passages. Default: the model's.
    """


def index(
    corpus: Path,
    *,
    engine: str | None = None,
    analysis: Analysis,
    encodings: Encodings,
    rebuild: bool = False,
    shown: options.OutputOptions,
) -> None:
    """Index a corpus for search by words or by vectors. An existing index is kept if corpus and settings are the same,
    and replaced otherwise.

    Args:
        corpus: A corpus directory: its documents.jsonl is indexed.
        engine: The search engine: `bm25s` searches by words, `dense` by vectors; or a plug-in's. Default: `bm25s`.
        rebuild: Build it even if there is an index of this corpus with these settings.

    Examples:

    conqret retrieve index corpus/

    conqret retrieve index corpus/ --engine dense --encoder facebook/contriever-msmarco

    conqret retrieve index corpus/ --stemmer porter --k1 1.2 --b 0.75
    """
    began = time.perf_counter()
    settings = get_engine(engine).declared({**analysis.given(), **encodings.given()})
    with progress("indexing", quiet=shown.quiet) as bar:
        built = build_index(
            corpus, engine=engine, settings=settings, rebuild=rebuild, on_document=bar.advance
        )
    seconds = time.perf_counter() - began
    facts = {
        "documents": len(built),
        "engine": built.engine,
        "settings": asdict(built.settings),  # type: ignore[call-overload]
        "fingerprint": built.fingerprint,
        "fresh": built.fresh,
        "path": str(built.folder),
    }
    if not (shown.quiet or shown.json_output or built.fresh):
        note("the index already fits this corpus and these settings; use --rebuild to build it again")
    if built.fresh and not (shown.quiet or shown.json_output):
        note(*_language_notes(corpus, getattr(built.settings, "stemmer", None)))
    done = f"indexed in {seconds:.1f} s" if built.fresh else "in the index"
    lines = (
        f"{number(len(built), 'document')} {done} with {built}",
        at(built.folder, "index"),
    )
    result(facts, lines, as_json=shown.json_output)


def _language_notes(corpus: Path, stemmer: str | None) -> Iterator[str]:
    """Yield a note if most of the first documents are in another language than the ``stemmer`` stems, with the options
    that fit; none without a stemmer."""
    stems = "en" if stemmer in ("porter", "porter2") else language_code(stemmer or "")
    if not stems:
        return
    counts = Counter(
        document.language or language_of(document.whole, model=False)
        for document in islice(collection_of(corpus).documents(), LOOKED_AT)
    )
    (language, count), *_ = counts.most_common(1)
    if language in ("", stems) or 2 * count <= counts.total():
        return
    name = NAMES.get(language, language)
    better = name.lower() if name.lower() in SNOWBALL_LANGUAGES else "none"
    yield (
        f"{count} of the first {counts.total()} documents are in {name}, and {stemmer} stems {NAMES[stems]}: "
        f"--stemmer {better} --stopwords none"
    )
