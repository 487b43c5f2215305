"""What is written of cited sources as soon as it is known: what became of each, a line in the ledger, and the texts of
a corpus, every different one once, under an id that is made of it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from operator import not_
from pathlib import Path

from pydantic import Field

from conqret.data.corpus import PAPER_CITED, PAPER_EXTRACTED, LedgerEntry
from conqret.data.item import Document
from conqret.io.safe_files import cut_torn_line
from conqret.runs.trials import RowStore
from conqret.text.language import language_of

ID_LENGTH = 16
"""Hexadecimal digits (64 bits) of an id: two of 10,000 texts share one with a chance of 3 in 10^12."""


def source_key(debate: str, number: int) -> str:
    """What names a source: its debate, and its number there."""
    return f"{debate} {number}"


class LedgerLine(LedgerEntry):
    """A ledger entry with the circumstances of its fetch.

    ``http`` is the last HTTP status (0: none); ``bytes`` the size after decompression; ``seconds`` wall time
    with all waits; ``provider`` the search engine that found the URL, None where the page gave it. ``language`` is the
    one that the page says it is in, as an ISO 639-1 code, and stands in a line only where the page says one.
    """

    http: int = 0
    bytes: int = Field(default=0, ge=0)
    content_type: str = ""
    seconds: float = 0.0
    attempts: int = 0
    provider: str | None = None
    language: str = Field(default="", exclude_if=not_)

    @property
    def key(self) -> str:
        """Debate and number."""
        return source_key(self.debate, self.number)


class FetchLedger(RowStore[LedgerLine]):
    """The ledger of a corpus, by :func:`source_key`: appended to while fetching. Of a source, the last line counts.

    Raises:
        DeclarationError: a line is broken (a last one cut off by a kill is dropped instead).
    """

    def __init__(self, path: Path) -> None:
        path.touch()
        super().__init__(
            path, LedgerLine, lambda line: line.key, foreign="is no line of a ledger; mend or remove it"
        )

    def compact(self, order: Iterable[str]) -> None:
        """Leave a line a source in the file: those of the keys in ``order`` first, then the others as they came."""
        self.arrange([*order, *(line.key for line in self.rows())])


class DocumentStore(RowStore[Document]):
    """A file of documents that is appended to while fetching; the texts are not kept in memory.

    Raises:
        DeclarationError: a line is broken (a last one cut off by a kill is dropped instead).
    """

    def __init__(self, path: Path) -> None:
        path.touch()
        cut_torn_line(path)
        super().__init__(
            path, Document, lambda document: document.id, foreign="is no document; mend or remove the line"
        )

    def keep(self, document: Document) -> str:
        """Add a document unless it is there, and return its id."""
        if document.id not in self:
            self.add(document)
        return document.id


def make_document(text: str, title: str, url: str, language: str = "") -> Document:
    """A document whose id is ``d`` and the start of the sha256 of its text: safe as a file name, and stable.

    Of sources with one text, title and URL are those of the first that is kept. ``language`` is what the page says;
    where the text is plainly in another one, that counts: many pages say English and are not.
    """
    digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
    if language:
        language = language_of(text, model=False) or language
    return Document(id=f"d{digest[:ID_LENGTH]}", text=text, title=title, url=url, language=language)


@dataclass(frozen=True, slots=True)
class EvidenceSummary:
    """The figures that ConQRet reports in section 4.2, and what stands behind them.

    ``cited`` counts sources, ``extracted`` those with a text, ``documents`` the different texts among them;
    ``by_status`` has every status, in the order of the ledger's words; ``kept`` sources had their end from
    an earlier run; ``pages`` URLs were fetched in this one.
    """

    cited: int
    extracted: int
    documents: int
    by_status: dict[str, int] = field(default_factory=dict)
    without_url: int = 0
    kept: int = 0
    pages: int = 0
    seconds: float = 0.0

    @property
    def share(self) -> float:
        """Extracted over cited, in [0, 1]; 0 where nothing is cited."""
        return self.extracted / self.cited if self.cited else 0.0

    @property
    def paper_line(self) -> str:
        """Return the figures of the paper."""
        return f"ConQRet, section 4.2: {PAPER_CITED:,} cited, {PAPER_EXTRACTED:,} extracted"

    def record(self) -> dict[str, object]:
        """The summary as JSON holds it, with the paper's own figures."""
        paper = {"cited": PAPER_CITED, "extracted": PAPER_EXTRACTED, "share": PAPER_EXTRACTED / PAPER_CITED}
        return {**asdict(self), "share": self.share, "seconds": round(self.seconds, 3), "paper": paper}
