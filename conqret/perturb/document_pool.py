"""Pools of documents of other topics, which replace an item's own."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from conqret.data import Document, Item
from conqret.errors import DeclarationError
from conqret.io import open_items
from conqret.io.checks import Identifier, Text
from conqret.io.corpus_folder import CorpusDirectory
from conqret.io.jsonl import jsonl_rows
from conqret.io.schema import in_columns, read_table
from conqret.io.trec import read_qrels
from conqret.text.language import item_language, language_of
from conqret.text.words import caseless


@dataclass(frozen=True, slots=True)
class _PoolTopic:
    id: Annotated[Identifier, in_columns(needed="Give the topic its id")]
    question: Annotated[Text, in_columns(needed="Add the question that is argued")]


@dataclass(frozen=True, slots=True)
class PoolEntry:
    """A document of a pool, with the topics that it belongs to (as questions in the form of
    :func:`same_topic`)."""

    document: Document
    topics: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Pool:
    """A pool of documents from which replacements are drawn; documents with equal texts count once."""

    entries: tuple[PoolEntry, ...] = ()
    _foreign: dict[str, tuple[int, ...]] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def from_items(cls, items: Iterable[Item]) -> Pool:
        """Create a pool of all documents of ``items``; each belongs to the topics of its items."""
        return cls(
            _merged((document, {same_topic(item.topic)}) for item in items for document in item.documents)
        )

    @classmethod
    def open(cls, path: str | Path) -> Pool:
        """Open the pool in a file of items or in a corpus directory.

        In a corpus, a document belongs to the topics for which the qrels rate it relevant.

        Raises:
            DeclarationError: ``documents.jsonl`` is missing, or a line in it is not a document.
            ItemsError: the file of items has faults.
        """
        if not Path(path).is_dir():
            return cls.from_items(open_items(path))
        corpus = CorpusDirectory(Path(path))
        if not corpus.documents_file.is_file():
            raise DeclarationError(
                f"{path} is not a corpus: {corpus.documents_file.name} is missing; give a corpus directory or a file "
                "of items"
            )
        topics = _topics_of_documents(corpus)
        return cls(_merged((document, topics.get(document.id, set())) for document in corpus.documents()))

    def draw(self, item: Item, count: int, rng: random.Random) -> list[Document]:
        """Draw up to ``count`` different documents that do not belong to the item's topic.

        They are in the item's language, and none has the text of one of its documents. A document whose id
        occurs in the item gets a new id. With equal generators, a shorter draw is the beginning of a
        longer one.
        """
        language = item_language(item)
        topic = same_topic(item.topic)
        if topic not in self._foreign:
            self._foreign[topic] = tuple(
                i for i, entry in enumerate(self.entries) if topic not in entry.topics
            )
        texts = {document.text for document in item.documents}
        taken = {document.id for document in item.documents}
        drawn: list[Document] = []
        for index in rng.sample(self._foreign[topic], len(self._foreign[topic])):
            if len(drawn) == count:
                break
            document = self.entries[index].document
            other = document.language or language_of(document.text)
            if document.text in texts or (language and other and language != other):
                continue
            name, number = document.id, 1
            while name in taken:
                number += 1
                name = f"{document.id[:190]}~{number}"
            taken.add(name)
            drawn.append(document if name == document.id else document.model_copy(update={"id": name}))
        return drawn


def same_topic(question: str) -> str:
    """Return a normalized question (case-folded, with single spaces, without end marks), which is equal
    for questions that are the same topic.
    """
    return caseless(question).rstrip("?!. ")


def _merged(documents: Iterable[tuple[Document, set[str]]]) -> tuple[PoolEntry, ...]:
    merged: dict[str, tuple[Document, set[str]]] = {}
    for document, topics in documents:
        merged.setdefault(document.text, (document, set()))[1].update(topics)
    return tuple(PoolEntry(document, frozenset(topics)) for document, topics in merged.values())


def _topics_of_documents(corpus: CorpusDirectory) -> dict[str, set[str]]:
    """Return by document id the questions that it is relevant to by any qrels of the corpus; empty if the corpus has no
    topics."""
    if not corpus.topics_file.is_file():
        return {}
    topics = read_table(jsonl_rows(corpus.topics_file), _PoolTopic)
    questions = {topic.id: same_topic(topic.question) for topic in topics}
    topics_by_document: dict[str, set[str]] = {}
    for file in sorted((corpus.path / "qrels").glob("*.qrels")):
        for line in read_qrels(file):
            if line.relevance > 0 and line.query_id in questions:
                topics_by_document.setdefault(line.doc_id, set()).add(questions[line.query_id])
    return topics_by_document
