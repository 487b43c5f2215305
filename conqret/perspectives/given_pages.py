"""Pages that somebody has already, as the results of a search for each question: what a web search found elsewhere."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

from conqret.data import Document
from conqret.data.digest import digest_of, gathered
from conqret.debateqa.curation.source_pages import PageEvidence
from conqret.errors import DeclarationError
from conqret.io.checks import filled, identifier, text
from conqret.io.files import file_rows
from conqret.io.questions import SourcedQuestion
from conqret.io.schema import Field, Schema, TableReader
from conqret.scrapers.evidence_documents import make_document

PAGE = Schema(
    "a page",
    {
        "question": Field(
            ("question_id", "question"), identifier, needed="Say of which question it is the result"
        ),
        "text": Field(("text",), filled, needed="Give the text of the page"),
        "title": Field(("title",), text, ""),
        "url": Field(("url",), text, ""),
        "licence": Field(("licence", "license"), text, ""),
    },
)


class GivenPages:
    """The pages of a file: a row each, with the id of its question, in the order of the results.

    Raises:
        ItemsError: rows have faults.
        DeclarationError: there is no row, or none of the questions has one.
    """

    def __init__(self, path: Path, questions: Sequence[SourcedQuestion]) -> None:
        reader = TableReader(file_rows(path), PAGE)
        found = [
            (
                row["question"],
                PageEvidence(make_document(row["text"], row["title"], row["url"]), row["licence"]),
            )
            for row in reader
        ]
        reader.finish(wanted="pages")
        ids = {one.question: one.id for one in questions}
        self._pages = gathered((ids.get(name, name), page.document.id) for name, page in found)
        self._evidence = {page.document.id: page for _, page in found}
        self._ids = ids
        if not self._pages.keys() & set(ids.values()):
            raise DeclarationError(
                f"{path} has no page for any of the {len(ids)} questions: its questions are "
                f"{', '.join(list(self._pages)[:3])}, and those that are asked {questions[0].id} and so on"
            )
        self.name = f"pages {digest_of([(name, page.document.id, page.licence) for name, page in found])}"
        self.described = f"the {len(found):,} pages of {path}"

    def opened(self, folder: Path) -> AbstractAsyncContextManager[Any]:
        """Nothing needs to be held."""
        return contextlib.nullcontext()

    async def search(self, queries: Sequence[str], depth: int) -> list[list[str]]:
        """For each question the ids of its pages."""
        return [self._pages.get(self._ids.get(query, query), [])[:depth] for query in queries]

    def likely(self, question: str, depth: int) -> list[Document]:
        """The pages of the question."""
        names = self._pages.get(self._ids.get(question, question), [])[:depth]
        return [self._evidence[name].document for name in names]

    def read(self, identifiers: Sequence[str]) -> list[PageEvidence]:
        """The pages of these ids, in this order."""
        return [self._evidence[one] for one in identifiers if one in self._evidence]
