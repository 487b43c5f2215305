"""The documents of a corpus directory with the place of each in its file, so that texts need not be kept.

Topics and qrels are read by :class:`conqret.io.corpus_folder.CorpusDirectory`.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from pydantic import BaseModel

from conqret.data.digest import text_digest_of
from conqret.errors import DeclarationError
from conqret.io.corpus_folder import CorpusDirectory
from conqret.io.limits import LINE
from conqret.io.schema import read_models

CORPORA = "corpora.jsonl"
"""The questions that have corpora of their own, in the folder that holds these."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One document of a corpus, with its license and language where they are stated.

    ``offset`` is the byte of the file at which the document's line begins.
    """

    offset: int
    id: str
    title: str
    text: str
    url: str = ""
    licence: str = ""
    language: str = ""

    @property
    def whole(self) -> str:
        """The text that is indexed: title and text, or only the text if it begins with the title."""
        return self.text if self.text.startswith(self.title) else f"{self.title}\n{self.text}"


class Collection:
    """The documents of a corpus directory, one per line of ``documents.jsonl``.

    Raises:
        DeclarationError: the directory is missing or has no documents.
    """

    def __init__(self, folder: str | Path) -> None:
        self.corpus = CorpusDirectory(Path(folder))
        self.folder, self.documents_file = self.corpus.path, self.corpus.documents_file
        if not self.documents_file.is_file():
            raise DeclarationError(
                f"{self.folder} is not a corpus: {self.documents_file.name} is missing; "
                "make one with `conqret corpus evidence` or `conqret corpus import`"
            )

    def documents(self) -> Iterator[Entry]:
        """Yield every document, in file order.

        Raises:
            DeclarationError: a line is not a document, or repeats an id.
        """
        seen: set[str] = set()
        offset = 0
        with self.documents_file.open("rb") as file:
            for number in itertools.count(1):
                where = f"{self.documents_file}:{number}"
                if not (line := _line(file, where)):
                    return
                if line.strip():
                    entry = _entry(line, offset, where)
                    if entry.id in seen:
                        raise DeclarationError(
                            f"{where} repeats the id {entry.id!r}; remove one of the two lines"
                        )
                    seen.add(entry.id)
                    yield entry
                offset += len(line)

    def read_at(self, offsets: Sequence[int]) -> list[Entry]:
        """Return the documents whose lines begin at these byte offsets, in this order.

        Raises:
            DeclarationError: a line is not a document.
        """
        entries = []
        with self.documents_file.open("rb") as file:
            for offset in offsets:
                file.seek(offset)
                where = f"{self.documents_file} at byte {offset}"
                entries.append(_entry(_line(file, where), offset, where))
        return entries


class OwnCorpus(BaseModel):
    """A line of ``corpora.jsonl``: a question's id, and the number of documents in its own corpus."""

    id: str
    passages: int


class OwnCollection(Collection):
    """A collection with a separate corpus for each question, in folders under ``corpora/``.

    ``corpora.jsonl`` lists the questions. Each folder is an ordinary corpus directory. A document that
    several corpora share has the same id in each.
    """

    def __init__(self, folder: Path) -> None:
        self.corpus = CorpusDirectory(folder)
        self.folder, self.documents_file = folder, folder / CORPORA

    def documents(self) -> Iterator[Entry]:
        """Yield every document of every question's corpus."""
        for part in self.parts().values():
            yield from Collection(part).documents()

    def parts(self) -> dict[str, Path]:
        """Return a mapping from each question's id to the folder of its corpus; questions without documents
        are left out.

        Raises:
            DeclarationError: a line is broken, or no question has a document.
        """
        listed = read_models(self.documents_file, OwnCorpus)
        folders = {
            question.id: own_folder(self.folder, question.id) for question in listed if question.passages
        }
        if not folders:
            raise DeclarationError(
                f"{self.documents_file}: no question has a document, so there is nothing to search"
            )
        return folders


def own_folder(folder: Path, question: str) -> Path:
    """Return the folder of a question's own corpus; its name is a digest of the id."""
    return folder / "corpora" / text_digest_of(question)


def collection_of(folder: str | Path) -> Collection:
    """Open the documents of a corpus directory, with one corpus or one per question.

    Raises:
        DeclarationError: the directory is missing or has no documents.
    """
    return OwnCollection(Path(folder)) if (Path(folder) / CORPORA).is_file() else Collection(folder)


def _line(file: IO[bytes], where: str) -> bytes:
    line = file.readline(LINE.most + 1)
    if len(line) > LINE.most:
        raise DeclarationError(f"{where}: the line is longer than {LINE}; split it, {LINE.remedy}")
    return line


def _entry(line: bytes, offset: int, place: str) -> Entry:
    try:
        record = dict(json.loads(line))
    except (TypeError, ValueError, RecursionError):
        raise DeclarationError(f"{place} is not a JSON object") from None
    names = ("id", "title", "text", "url", "licence", "language")
    identifier, title, text, *others = (record.get(name) or "" for name in names)
    texts = all(isinstance(value, str) for value in (identifier, title, text))
    if not (identifier and "text" in record and texts):
        raise DeclarationError(
            f"{place} is not a document: it needs the texts id and text (title and url are optional)"
        )
    return Entry(offset, identifier, title, text, *map(str, others))
