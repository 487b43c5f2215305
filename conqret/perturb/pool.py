"""Documents of other topics, to put in the place of an item's own."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from conqret.data import Document, Item
from conqret.errors import DeclarationError

_DOCUMENTS = "documents.jsonl"
_TOPICS = "topics.jsonl"
_QRELS = "qrels"


@dataclass(frozen=True, slots=True)
class PoolEntry:
    """A document, and the topics that it is known to belong to (as questions, see :func:`same_topic`)."""

    document: Document
    topics: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Pool:
    """Documents to draw replacements from; equal texts count once."""

    entries: tuple[PoolEntry, ...] = ()
    _foreign: dict[str, tuple[int, ...]] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def from_items(cls, items: Iterable[Item]) -> Pool:
        """All documents of ``items``, each belonging to the topics of the items that hold it."""
        return cls(
            _merged((document, {same_topic(item.topic)}) for item in items for document in item.documents)
        )

    @classmethod
    def from_corpus(cls, folder: str | Path) -> Pool:
        """The documents of a corpus directory, with the topics for which its qrels call them relevant.

        Raises:
            DeclarationError: there is no ``documents.jsonl``, or a line is no document.
        """
        folder = Path(folder)
        topics = _topics_of_documents(folder)
        return cls(
            _merged(
                (document, topics.get(document.id, set())) for document in _documents(folder / _DOCUMENTS)
            )
        )

    @classmethod
    def open(cls, path: str | Path) -> Pool:
        """The pool in a corpus directory, or in a file of items."""
        if Path(path).is_dir():
            return cls.from_corpus(path)
        from conqret.io import open_items

        return cls.from_items(open_items(path))

    def draw(self, item: Item, count: int, rng: random.Random) -> list[Document]:
        """Up to ``count`` different documents that are not of the item's topic, in drawing order.

        None has the text of a document of the item. One whose id the item has already gets another one.
        The first of a longer draw are those of a shorter one with the same generator.
        """
        topic = same_topic(item.topic)
        if topic not in self._foreign:
            self._foreign[topic] = tuple(
                i for i, entry in enumerate(self.entries) if topic not in entry.topics
            )
        own = {document.text for document in item.documents}
        taken = {document.id for document in item.documents}
        drawn: list[Document] = []
        for index in rng.sample(self._foreign[topic], len(self._foreign[topic])):
            if len(drawn) == count:
                break
            document = self.entries[index].document
            if document.text in own:
                continue
            name, number = document.id, 1
            while name in taken:
                number += 1
                name = f"{document.id[:190]}~{number}"
            taken.add(name)
            drawn.append(document if name == document.id else document.model_copy(update={"id": name}))
        return drawn


def same_topic(question: str) -> str:
    """What two questions share if they are one topic: their words in lower case."""
    return " ".join(question.casefold().split()).rstrip("?!. ")


def _merged(documents: Iterable[tuple[Document, set[str]]]) -> tuple[PoolEntry, ...]:
    found: dict[str, tuple[Document, set[str]]] = {}
    for document, topics in documents:
        found.setdefault(document.text, (document, set()))[1].update(topics)
    return tuple(PoolEntry(document, frozenset(topics)) for document, topics in found.values())


def _documents(file: Path) -> Iterator[Document]:
    if not file.is_file():
        raise DeclarationError(
            f"{file.parent} is no corpus: it holds no {_DOCUMENTS}; give a corpus directory or a file of items"
        )
    for place, record in _lines(file):
        try:
            yield Document(
                id=str(record["id"]),
                text=record["text"],
                title=record.get("title") or "",
                url=record.get("url") or "",
            )
        except (KeyError, ValueError) as error:
            raise DeclarationError(f"{place} is no document with id and text: {error}") from error


def _topics_of_documents(folder: Path) -> dict[str, set[str]]:
    """By document id the questions that it is relevant to, as far as the corpus says."""
    questions = {}
    if (folder / _TOPICS).is_file():
        for place, record in _lines(folder / _TOPICS):
            if "id" not in record or "question" not in record:
                raise DeclarationError(f"{place} is no topic with id and question")
            questions[str(record["id"])] = same_topic(str(record["question"]))
    found: dict[str, set[str]] = {}
    for file in sorted((folder / _QRELS).glob("*.qrels")):
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
            parts = line.split()
            if len(parts) != 4 or not parts[3].lstrip("-").isdigit():
                raise DeclarationError(f"{file}:{number} is no line of qrels (topic, 0, document, relevance)")
            if int(parts[3]) > 0 and parts[0] in questions:
                found.setdefault(parts[2], set()).add(questions[parts[0]])
    return found


def _lines(file: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    with file.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                record = json.loads(line)
            except json.JSONDecodeError as error:
                raise DeclarationError(f"{file}:{number} is no JSON: {error.msg}") from error
            if not isinstance(record, dict):
                raise DeclarationError(f"{file}:{number} is no JSON object")
            yield f"{file}:{number}", record
