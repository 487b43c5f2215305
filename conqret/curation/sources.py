"""Where evidence is searched for: what a source is, and the documents of a corpus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from conqret.data import Document
from conqret.retrieval.index import Index, open_index


@dataclass(frozen=True, slots=True)
class Evidence:
    """A document, and the licence that it states (empty: none)."""

    document: Document
    licence: str = ""


class Source(Protocol):
    """What finds documents."""

    @property
    def name(self) -> str:
        """What stands for it in the record of a run: another name is another run."""

    async def search(self, queries: Sequence[str], depth: int) -> list[list[str]]:
        """For each query the ids of its documents, best first, ``depth`` at most."""

    def read(self, identifiers: Sequence[str]) -> list[Evidence]:
        """The documents of these ids, in this order; an unknown one is left out."""


class CorpusSource:
    """The documents of a corpus directory, searched with its BM25 index (built where there is none).

    Raises:
        DeclarationError: there is no such corpus, or it cannot be indexed.
    """

    def __init__(self, folder: Path) -> None:
        self.index: Index = open_index(folder)
        self.name = f"corpus {self.index.fingerprint}"

    async def search(self, queries: Sequence[str], depth: int) -> list[list[str]]:
        """For each query the ids of its documents, best first."""
        hits = self.index.search(list(queries), depth)
        found: list[list[str]] = [[] for _ in queries]
        for query, document in zip(hits.queries.tolist(), hits.documents.tolist(), strict=True):
            found[query].append(self.index.ids[document])
        return found

    def read(self, identifiers: Sequence[str]) -> list[Evidence]:
        """The documents of these ids, in this order."""
        entries = self.index.entries(identifiers)
        return [
            Evidence(Document(id=one.id, text=one.text, title=one.title, url=one.url), one.licence)
            for identifier in identifiers
            if (one := entries.get(identifier)) is not None and one.text.strip()
        ]
