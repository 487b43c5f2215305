"""The texts of a corpus: every different text once, under an id that is made of the text."""

from __future__ import annotations

import hashlib
from pathlib import Path

from conqret.data.item import Document
from conqret.io.append import AppendLog, cut_torn_line
from conqret.io.schema import read_models

ID_LENGTH = 16
"""Hexadecimal digits (64 bits) of an id: two of 10,000 texts share one with a chance of 3 in 10^12."""


class DocumentStore:
    """A file of documents that is appended to while fetching; only ids are kept in memory."""

    def __init__(self, path: Path) -> None:
        cut_torn_line(path)
        self._ids = {document.id for document in read_models(path, Document)} if path.is_file() else set()
        self._log = AppendLog(path)

    def __contains__(self, identifier: str) -> bool:
        return identifier in self._ids

    def __len__(self) -> int:
        return len(self._ids)

    def add(self, text: str, title: str, url: str) -> str:
        """Add a text unless it is there, and return its id; title and URL are those of its first source."""
        document = make_document(text, title, url)
        self.keep(document)
        return document.id

    def keep(self, document: Document) -> None:
        """Add a document unless it is there."""
        if document.id not in self._ids:
            self._log.append(document)
            self._ids.add(document.id)

    def close(self) -> None:
        """Close the file."""
        self._log.close()


def make_document(text: str, title: str, url: str) -> Document:
    """A document whose id is ``d`` and the start of the sha256 of its text: safe as a file name, and stable."""
    digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
    return Document(id=f"d{digest[:ID_LENGTH]}", text=text, title=title, url=url)
