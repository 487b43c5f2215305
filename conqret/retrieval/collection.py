"""The files of a corpus directory that retrieval reads: documents, topics and qrels.

``documents.jsonl`` holds ``{"id", "title", "url", "text"}`` a line, ``topics.jsonl`` ``{"id", "question",
"split"}``, and ``qrels/{pro,con,all}.{train,test}.qrels`` TREC's four columns.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from conqret.errors import DeclarationError

View = Literal["pro", "con", "all"]
VIEWS: tuple[View, ...] = ("pro", "con", "all")
SPLITS = ("train", "test")


@dataclass(frozen=True, slots=True)
class Entry:
    """One document as it lies in the file; ``offset`` is the byte where its line begins."""

    offset: int
    id: str
    title: str
    text: str

    @property
    def whole(self) -> str:
        """Title and text."""
        return f"{self.title} {self.text}" if self.title else self.text


@dataclass(frozen=True, slots=True)
class Question:
    """One topic: its id, its question, and the split that it belongs to (empty where there is none)."""

    id: str
    question: str
    split: str = ""


@dataclass(frozen=True, slots=True)
class Qrel:
    """One judgment of TREC's qrels: topic, document, and relevance (0: not relevant)."""

    topic: str
    document: str
    relevance: int


class Collection:
    """A corpus directory.

    Raises:
        DeclarationError: there is no such directory, or it holds no documents.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self.documents_file = self.folder / "documents.jsonl"
        if not self.documents_file.is_file():
            raise DeclarationError(
                f"{self.folder} is no corpus: it holds no documents.jsonl; make one with `conqret corpus build`"
            )

    def documents(self) -> Iterator[Entry]:
        """Every document, in file order.

        Raises:
            DeclarationError: a line is no document, or repeats an id.
        """
        seen: set[str] = set()
        for offset, number, record in _records(self.documents_file):
            entry = _entry(record, offset, f"{self.documents_file}:{number}")
            if entry.id in seen:
                raise DeclarationError(f"{self.documents_file}:{number} repeats the id {entry.id!r}")
            seen.add(entry.id)
            yield entry

    def read_at(self, offsets: Sequence[int]) -> list[Entry]:
        """The documents whose lines begin at these bytes."""
        found = []
        with self.documents_file.open("rb") as file:
            for offset in offsets:
                file.seek(offset)
                place = f"{self.documents_file} at byte {offset}"
                found.append(_entry(_parse(file.readline(), place), offset, place))
        return found

    def topics(self, split: str | None = None) -> list[Question]:
        """The topics, of one split or all.

        Raises:
            DeclarationError: there are none, or a line is no topic.
        """
        path = self.folder / "topics.jsonl"
        if not path.is_file():
            raise DeclarationError(f"{self.folder} holds no topics.jsonl; make it with `conqret corpus build`")
        found = []
        for _, number, record in _records(path):
            identifier, question = record.get("id"), record.get("question")
            if not isinstance(identifier, str) or not isinstance(question, str):
                raise DeclarationError(f"{path}:{number} is no topic: it needs id and question, both text")
            found.append(Question(identifier, question, str(record.get("split") or "")))
        chosen = [topic for topic in found if split is None or topic.split == split]
        if not chosen:
            known = ", ".join(sorted({topic.split for topic in found if topic.split})) or "none"
            raise DeclarationError(f"{path} holds no topic of split {split!r}; splits there: {known}")
        return chosen

    def qrels(self, view: View, split: str | None = None) -> list[Qrel]:
        """The judgments of one view, of one split or of all.

        Raises:
            DeclarationError: there are none, or a line has not four columns.
        """
        found: list[Qrel] = []
        files = [self.folder / "qrels" / f"{view}.{name}.qrels" for name in ([split] if split else SPLITS)]
        present = [path for path in files if path.is_file()]
        if not present:
            raise DeclarationError(f"there is no {files[0]}; make it with `conqret corpus build`")
        for path in present:
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
                columns = line.split()
                if not columns:
                    continue
                if len(columns) != 4 or not columns[3].lstrip("-").isdigit():
                    raise DeclarationError(f"{path}:{number} has not the four columns: topic, 0, document, relevance")
                found.append(Qrel(columns[0], columns[2], int(columns[3])))
        return found


def _records(path: Path) -> Iterator[tuple[int, int, dict[str, Any]]]:
    offset = 0
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if line.strip():
                yield offset, number, _parse(line, f"{path}:{number}")
            offset += len(line)


def _parse(line: bytes, place: str) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except ValueError as error:
        raise DeclarationError(f"{place} is no JSON: {error}") from None
    if not isinstance(record, dict):
        raise DeclarationError(f"{place} is no JSON object")
    return record


def _entry(record: dict[str, Any], offset: int, place: str) -> Entry:
    identifier, text, title = record.get("id"), record.get("text"), record.get("title") or ""
    if not isinstance(identifier, str) or not identifier or not isinstance(text, str) or not isinstance(title, str):
        raise DeclarationError(f"{place} is no document: it needs id and text, both text (title and url may be there)")
    return Entry(offset, identifier, title, text)
