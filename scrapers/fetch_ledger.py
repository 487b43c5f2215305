"""The ledger of cited sources, with a line for the outcome of each, and the store of their texts, each
distinct one once under an id made of it; both are appended to while fetching.
"""

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
"""The hexadecimal digits (64 bits) of an id: two of 10,000 texts share one with a probability of 3 in
10^12.
"""


def source_key(debate: str, number: int) -> str:
    """Return the key of a source: the id of its debate and its number there."""
    return f"{debate} {number}"


class LedgerLine(LedgerEntry):
    """A ledger entry with details of its fetch.

    ``http`` is the last HTTP status (0: none). ``bytes`` is the size after decompression. ``seconds`` is
    the total time with waits. ``provider`` is the search engine that found the URL; None if the page gave
    it. ``language`` is the ISO 639-1 code that the page declares, if any.
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
        """The key of its source: the id of the debate and the number there."""
        return source_key(self.debate, self.number)


class FetchLedger(RowStore[LedgerLine]):
    """The ledger of a corpus, by :func:`source_key`, which is appended to while fetching.

    The last line of a source counts.

    Raises:
        DeclarationError: a line is broken. An incomplete last line is dropped instead.
    """

    def __init__(self, path: Path) -> None:
        path.touch()
        super().__init__(
            path, LedgerLine, lambda line: line.key, foreign="is no line of a ledger; mend or remove it"
        )

    def compact(self, order: Iterable[str]) -> None:
        """Rewrite the file with one line per source: first those with keys in ``order``, then the others."""
        self.arrange([*order, *(line.key for line in self.rows())])


class DocumentStore(RowStore[Document]):
    """A file of documents that is appended to while fetching; texts are not kept in memory.

    Raises:
        DeclarationError: a line is broken. An incomplete last line is dropped instead.
    """

    def __init__(self, path: Path) -> None:
        path.touch()
        cut_torn_line(path)
        super().__init__(
            path, Document, lambda document: document.id, foreign="is no document; mend or remove the line"
        )

    def keep(self, document: Document) -> str:
        """Add a document unless it is already stored, and return its id."""
        if document.id not in self:
            self.add(document)
        return document.id


def make_document(text: str, title: str, url: str, language: str = "") -> Document:
    """Build a document with an id made from the sha256 digest of its text.

    Sources with equal texts therefore share an id; :class:`DocumentStore` keeps the first one's title and
    URL. ``language`` is what the page declares. If the text is clearly in another language, the detected
    one is used.
    """
    digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
    if language:
        language = language_of(text, model=False) or language
    return Document(id=f"d{digest[:ID_LENGTH]}", text=text, title=title, url=url, language=language)


@dataclass(frozen=True, slots=True)
class EvidenceSummary:
    """Counts of an evidence run, including the figures of ConQRet's section 4.2.

    ``cited`` counts sources, ``extracted`` those with a text, and ``documents`` the distinct texts.
    ``by_status`` counts sources by status, and ``without_url`` those for which the page gives no URL.
    ``kept`` sources had a result from an earlier run. ``pages`` counts the URLs fetched in this run, which
    took ``seconds``.
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
        """The share of cited sources with an extracted text, in [0, 1]; 0 if there are no sources."""
        return self.extracted / self.cited if self.cited else 0.0

    def record(self) -> dict[str, object]:
        """Return the counts and the paper's figures as plain data for JSON."""
        paper = {"cited": PAPER_CITED, "extracted": PAPER_EXTRACTED, "share": PAPER_EXTRACTED / PAPER_CITED}
        return {**asdict(self), "share": self.share, "seconds": round(self.seconds, 3), "paper": paper}
