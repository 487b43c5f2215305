"""An open index: of one corpus, or of a corpus for each question."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Self

import numpy as np

from conqret.errors import DeclarationError
from conqret.retrieval.collection import Collection, Entry, OwnCollection
from conqret.retrieval.search_engine import ENGINES, EngineSettings, Hits, Searcher
from conqret.text.word_lists import fold


@dataclass(frozen=True)
class Index:
    """An open index over ``collection``.

    ``folder`` is where it lies; ``ids`` and ``offsets`` hold each document's id and the byte of its line, by its
    number. ``fresh`` says whether it was built just now.
    """

    collection: Collection
    folder: Path
    engine: str
    settings: EngineSettings
    fingerprint: str
    ids: tuple[str, ...]
    offsets: tuple[int, ...]
    searcher: Searcher
    fresh: bool = False

    def __len__(self) -> int:
        return len(self.ids)

    def search(self, queries: Sequence[str], depth: int, topics: Sequence[str] = ()) -> Hits:
        """The ``depth`` best documents of each query, by their numbers; ``topics`` are the ids of the queries."""
        if not queries:
            return Hits.of([])
        folded = [fold(query) for query in queries] if ENGINES[self.engine].folds else queries
        return self.searcher.search(folded, depth)

    def entries(self, identifiers: Sequence[str]) -> dict[str, Entry]:
        """Title and text of documents by id; ids that are not here are left out."""
        places = self._places
        known = [identifier for identifier in dict.fromkeys(identifiers) if identifier in places]
        entries = self.collection.read_at([self.offsets[places[identifier]] for identifier in known])
        return dict(zip(known, entries, strict=True))

    @cached_property
    def _places(self) -> dict[str, int]:
        return {identifier: place for place, identifier in enumerate(self.ids)}


NOTHING = np.empty(0, np.int64), np.empty(0, np.float64)
"""The documents that are found where there is no corpus, and their scores."""


@dataclass(frozen=True)
class OwnIndex(Index):
    """Indexes of corpora of which each belongs to one question, by the question's id: none is searched for another
    question, and each weighs its words by its own documents (BeRDS, section 4.2)."""

    parts: Mapping[str, Index] = field(default_factory=dict)

    @classmethod
    def of(cls, collection: OwnCollection, parts: Mapping[str, Index]) -> Self:
        """The indexes as one, whose documents are those of all parts, one part after the other."""
        first = next(iter(parts.values()))
        names = hashlib.sha256(" ".join(part.fingerprint for part in parts.values()).encode())
        return cls(
            collection,
            collection.folder,
            first.engine,
            first.settings,
            names.hexdigest()[:16],
            tuple(itertools.chain.from_iterable(part.ids for part in parts.values())),
            (),
            first.searcher,
            any(part.fresh for part in parts.values()),
            parts,
        )

    def search(self, queries: Sequence[str], depth: int, topics: Sequence[str] = ()) -> Hits:
        """The best documents of each query in the corpus of its topic, by their numbers in all of them; no documents
        for a topic without a corpus.

        Raises:
            DeclarationError: it is not said of which topics the queries are.
        """
        if len(topics) != len(queries):
            raise DeclarationError(
                f"{self.folder} has a corpus for each question, so it can only be searched for these questions"
            )
        rows = []
        for query, topic in zip(queries, topics, strict=True):
            name = self._part(topic)
            hits = self.parts[name].search([query], depth) if name else None
            rows.append((hits.documents + self._starts[name], hits.scores) if hits else NOTHING)
        return Hits.of(rows)

    def entries(self, identifiers: Sequence[str]) -> dict[str, Entry]:
        """Title and text of documents by id.

        Raises:
            DeclarationError: an id stands for one text in one corpus and for another in another.
        """
        entry_by_id: dict[str, Entry] = {}
        for part in self.parts.values():
            for name, entry in part.entries(identifiers).items():
                if entry_by_id.setdefault(name, entry).whole != entry.whole:
                    raise DeclarationError(
                        f"{part.collection.documents_file}: the id {name!r} belongs to another text "
                        f"in another corpus of {self.folder}; give each text an id of its own"
                    )
        return entry_by_id

    @cached_property
    def _starts(self) -> dict[str, int]:
        ends = itertools.accumulate(map(len, self.parts.values()), initial=0)
        return dict(zip(self.parts, ends, strict=False))

    def _part(self, topic: str) -> str:
        """The question whose corpus is searched: the topic, or what stands before a colon in it (``q:supporting``)."""
        while topic and topic not in self.parts:
            topic = topic.rpartition(":")[0]
        return topic
