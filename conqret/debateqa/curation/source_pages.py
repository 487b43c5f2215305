"""Where evidence is searched for: what a source is, and the documents of a corpus."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from conqret.data import Document
from conqret.data.digest import gathered
from conqret.errors import number
from conqret.retrieval.corpus_index import Index, open_index

PAGES = "pages.jsonl"
"""The pages of the web that a search has found, in the run's folder; a corpus of its own once it is called
``documents.jsonl``."""


@dataclass(frozen=True, slots=True)
class PageEvidence:
    """A document, and the licence that it states (empty: none)."""

    document: Document
    licence: str = ""


class PageSource(Protocol):
    """What finds documents."""

    @property
    def name(self) -> str:
        """What stands for it in the record of a run: another name is another run."""

    @property
    def described(self) -> str:
        """What it is, for people."""

    def opened(self, folder: Path) -> AbstractAsyncContextManager[Any]:
        """What must be held while it is searched; it may keep files in the run's ``folder``."""

    async def search(self, queries: Sequence[str], depth: int) -> list[list[str]]:
        """For each query the ids of its documents, best first, ``depth`` at most. Those that :meth:`read` does not
        know were found, and could not be had or are not trusted."""

    def likely(self, question: str, depth: int) -> list[Document]:
        """For a price, documents like those that a search may find, without one that costs anything."""

    def read(self, identifiers: Sequence[str]) -> list[PageEvidence]:
        """The documents of these ids, in this order; an unknown one is left out."""


class CorpusSource:
    """The documents of a corpus directory, searched with its BM25 index (built where there is none).

    Raises:
        DeclarationError: there is no such corpus, or it cannot be indexed.
    """

    def __init__(self, folder: Path) -> None:
        self.index: Index = open_index(folder)
        self.name = f"corpus {self.index.fingerprint}"
        self.described = f"{number(len(self.index), 'document')}"

    def opened(self, folder: Path) -> AbstractAsyncContextManager[Any]:
        """Nothing needs to be held."""
        return contextlib.nullcontext()

    async def search(self, queries: Sequence[str], depth: int) -> list[list[str]]:
        """For each query the ids of its documents, best first."""
        return self._found(queries, depth)

    def likely(self, question: str, depth: int) -> list[Document]:
        """What the question itself finds."""
        return [page.document for page in self.read(self._found([question], depth)[0])]

    def read(self, identifiers: Sequence[str]) -> list[PageEvidence]:
        """The documents of these ids, in this order."""
        entries = self.index.entries(identifiers)
        return [
            PageEvidence(
                Document(id=entry.id, text=entry.text, title=entry.title, url=entry.url), entry.licence
            )
            for identifier in identifiers
            if (entry := entries.get(identifier)) is not None and entry.text.strip()
        ]

    def _found(self, queries: Sequence[str], depth: int) -> list[list[str]]:
        hits = self.index.search(list(queries), depth)
        documents_by_query = gathered(zip(hits.queries.tolist(), hits.documents.tolist(), strict=True))
        return [
            [self.index.ids[document] for document in documents_by_query.get(place, [])]
            for place in range(len(queries))
        ]
