"""The texts of a corpus: every different text once, under an id that is made of the text."""

from __future__ import annotations

import hashlib
from pathlib import Path

from conqret.data.item import Document
from conqret.io.safe_files import cut_torn_line
from conqret.runs.row_store import RowStore

ID_LENGTH = 16
"""Hexadecimal digits (64 bits) of an id: two of 10,000 texts share one with a chance of 3 in 10^12."""


class DocumentStore(RowStore[Document]):
    """A file of documents that is appended to while fetching; the texts are not kept in memory.

    Raises:
        DeclarationError: a line is broken (a last one cut off by a kill is dropped instead).
    """

    def __init__(self, path: Path) -> None:
        path.touch()
        cut_torn_line(path)
        super().__init__(
            path, Document, lambda one: one.id, foreign="is no document; mend or remove the line"
        )

    def keep(self, document: Document) -> str:
        """Add a document unless it is there, and return its id."""
        if document.id not in self:
            self.add(document)
        return document.id


def make_document(text: str, title: str, url: str) -> Document:
    """A document whose id is ``d`` and the start of the sha256 of its text: safe as a file name, and stable.

    Of sources with one text, title and URL are those of the first that is kept.
    """
    digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
    return Document(id=f"d{digest[:ID_LENGTH]}", text=text, title=title, url=url)
