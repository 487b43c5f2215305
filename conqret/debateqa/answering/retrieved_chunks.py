"""A corpus in chunks of about 2,000 characters, as a corpus of its own: indexed and searched as any other."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from conqret.data import Document
from conqret.debateqa.curation.page_sources import TrustedDomains
from conqret.errors import DeclarationError
from conqret.io.corpus_folder import write_lines
from conqret.llm.tokens import count_tokens
from conqret.retrieval.collection import (
    CORPORA,
    Collection,
    Entry,
    OwnCollection,
    collection_of,
    own_folder,
)
from conqret.retrieval.corpus_index import open_index
from conqret.retrieval.pipeline import assemble, open_indexes
from conqret.retrieval.system_names import BM25_NAME, PipelinePlan
from conqret.text.sentences import boundaries

TOKENS = 1_000
"""Tokens of a chunk (DebateQA, A.2 and A.3)."""
PIECE = 2_000
"""Characters after which a sentence without an end is cut."""


def chunks(text: str, most: int = TOKENS, measure: Callable[[str], int] = count_tokens) -> Iterator[str]:
    """Yield the chunks of a text in order: consecutive sentences of at most ``most`` tokens together.

    A sentence that alone has more tokens is a chunk of its own. ``measure`` counts the tokens of a sentence.
    Sentences of more than :data:`PIECE` characters are split.
    """
    start, end, size = 0, 0, 0
    sentences = [(first, last) for first, last in boundaries(text) if text[first:last].strip()]
    pieces = [(cut, min(cut + PIECE, last)) for first, last in sentences for cut in range(first, last, PIECE)]
    for first, last in pieces:
        tokens = measure(text[first:last])
        if size and size + tokens > most:
            yield text[start:end].strip()
            start, size = first, 0
        size, end = size + tokens, last
    if text[start:end].strip():
        yield text[start:end].strip()


CHARACTERS = 2_000
"""Of a chunk at most (DebateQA, F.1)."""
FOLDER = "chunks"
"""Where the chunks of a corpus lie, inside it: a folder for each list of trusted domains."""
LAYOUT = 1
"""Raise it when a text is cut in another way."""
BLOCK = 1 << 20
"""Bytes of a file that are read at a time for its digest."""


class ChunkSearch:
    """A search engine that finds the chunks of a corpus that are most relevant to a query.

    ``questions`` are the ids of the questions that have a corpus of their own, and are searched in it alone;
    None where all questions share the corpus.

    Args:
        corpus: a corpus directory, or one with a corpus for each question (``conqret perspectives collect``);
            its chunks are written and indexed if they are not yet.
        engines: engines as in ``conqret retrieve run --engine``; several are fused by ranks.
        encoder: the location of the encoder of a dense index.
        trusted: only documents from these domains; None allows all.

    Raises:
        DeclarationError: there is no such corpus or engine, or no document is from a trusted domain.
    """

    def __init__(
        self,
        corpus: Path,
        *,
        engines: Sequence[str] = (BM25_NAME,),
        encoder: str | None = None,
        trusted: TrustedDomains | None = None,
        on_document: Callable[[], object] = lambda: None,
    ) -> None:
        collection = collection_of(corpus)
        folder = written(collection, trusted)
        self.questions = frozenset(collection.parts()) if isinstance(collection, OwnCollection) else None
        for name in engines if encoder is not None else ():
            if name != BM25_NAME:  # a chunk is embedded as one passage (DebateQA, F.1)
                open_index(folder, name, {"encoder": encoder, "passage_words": CHARACTERS}, on_document)
        self.indexes = open_indexes(folder, engines, encoder, on_document)
        self.name = " + ".join(f"{index.engine} {index.fingerprint}" for index in self.indexes)

    def __len__(self) -> int:
        return len(self.indexes[0])

    def search(self, query: str, depth: int, question: str = "1") -> list[Document]:
        """Return the ``depth`` best chunks for a query about a question (its id), best first; a chunk's id is its
        document's id with a number. If questions have corpora of their own, one without a corpus has no chunks."""
        import pandas as pd

        if self.questions is not None and question not in self.questions:
            return []

        pipeline = assemble(self.indexes, PipelinePlan(depth=depth), None).pipeline
        hits = pipeline.transform(pd.DataFrame([{"qid": question, "query": query}])).sort_values("rank")
        return list(self.read([str(identifier) for identifier in hits["docno"]][:depth]).values())

    def read(self, names: Sequence[str]) -> dict[str, Document]:
        """Return a mapping from ids to chunks, in the order of ``names``; unknown ids are skipped."""
        entries = self.indexes[0].entries(names)
        return {
            name: Document(id=name, text=entry.text, title=entry.title, url=entry.url)
            for name, entry in entries.items()
        }


def written(collection: Collection, trusted: TrustedDomains | None) -> Path:
    """Write the chunks of a collection as a corpus directory, unless it exists already, and return the
    directory. It lies in the collection's folder, and its name is a digest of the texts and the trusted
    domains.

    Raises:
        DeclarationError: a line is not a document, or no document is from a trusted domain.
    """
    parts, whole = {"": collection}, isinstance(collection, OwnCollection)
    if isinstance(collection, OwnCollection):
        parts = {name: Collection(part) for name, part in collection.parts().items()}
    digest = hashlib.sha256(json.dumps([LAYOUT, CHARACTERS, trusted and trusted.record()]).encode())
    for part in parts.values():
        with part.documents_file.open("rb") as file:
            while block := file.read(BLOCK):
                digest.update(block)
    folder = collection.folder / FOLDER / digest.hexdigest()[:16]
    if (folder / (CORPORA if whole else "documents.jsonl")).is_file():
        return folder
    counts = {}
    for name, part in parts.items():
        documents = pages(part.documents()) if whole else part.documents()
        target = own_folder(folder, name) if whole else folder
        counts[name] = write_lines(target / "documents.jsonl", _lines(documents, trusted))
    if not any(counts.values()):
        shutil.rmtree(folder)
        whose = "no text" if trusted is None else "no document from a trusted domain"
        raise DeclarationError(
            f"{collection.documents_file} contains {whose}, so there is nothing to retrieve"
        )
    if whole:
        write_lines(folder / CORPORA, ({"id": name, "passages": count} for name, count in counts.items()))
    return folder


def pages(passages: Iterable[Entry]) -> Iterator[Entry]:
    """Join the passages that ``conqret perspectives collect`` cuts a page into, ``PAGE-1``, ``PAGE-2`` …,
    which must be consecutive."""
    for page, entries in groupby(passages, lambda entry: entry.id.rpartition("-")[0]):
        first, *rest = entries
        yield replace(first, id=page, text=" ".join(entry.text for entry in (first, *rest)))


def _lines(documents: Iterable[Entry], trusted: TrustedDomains | None) -> Iterator[dict[str, str]]:
    for document in documents:
        if trusted is None or document.url in trusted:
            for number, text in enumerate(chunks(document.text, CHARACTERS, len), start=1):
                name = f"{document.id}#{number}"
                yield {
                    "id": name,
                    "title": document.title,
                    "text": text,
                    "url": document.url,
                    "licence": document.licence,
                }
