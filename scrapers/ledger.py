"""What became of every cited source: one line each, written as soon as it is known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import Field

from conqret.data.corpus import SOURCE_STATUSES, LedgerEntry
from conqret.data.table2 import PAPER_CITED, PAPER_EXTRACTED
from conqret.io.append import AppendLog, cut_torn_line
from conqret.io.corpus import write_lines
from conqret.io.schema import read_models

Key = tuple[str, int]
"""Debate and number: what names a source."""


class LedgerLine(LedgerEntry):
    """A ledger entry with the circumstances of its fetch.

    ``http`` is the last HTTP status (0: none); ``bytes`` the size after decompression; ``seconds`` wall time
    with all waits; ``provider`` the search engine that found the URL, None where the page gave it.
    """

    http: int = 0
    bytes: int = Field(default=0, ge=0)
    content_type: str = ""
    seconds: float = 0.0
    attempts: int = 0
    provider: str | None = None

    @property
    def key(self) -> Key:
        """Debate and number."""
        return self.debate, self.number


class Ledger:
    """The ledger of a corpus: read at the start, appended to while fetching. Of a source, the last line counts.

    Raises:
        DeclarationError: a line is broken (a last one cut off by a kill is dropped instead).
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        cut_torn_line(path)
        self._lines: dict[Key, LedgerLine] = {}
        self._written = 0
        if path.is_file():
            for line in read_models(path, LedgerLine):
                self._lines[line.key] = line
                self._written += 1
        self._log = AppendLog(path)

    def __iter__(self) -> Iterator[LedgerLine]:
        return iter(self._lines.values())

    def __len__(self) -> int:
        return len(self._lines)

    def get(self, key: Key) -> LedgerLine | None:
        """The line of a source, if it has one."""
        return self._lines.get(key)

    def add(self, line: LedgerLine) -> None:
        """Record the end of a source; it is on file when this returns."""
        self._log.append(line)
        self._lines[line.key] = line
        self._written += 1

    def compact(self, order: Sequence[Key]) -> None:
        """Rewrite the file if it holds outdated lines or another order: a line a source, in ``order``."""
        known = set(order)
        keys = [key for key in order if key in self._lines] + [key for key in self._lines if key not in known]
        if self._written == len(keys) and keys == list(self._lines):
            return
        self._lines = {key: self._lines[key] for key in keys}
        self._log.close()
        write_lines(self.path, (line.model_dump() for line in self))
        self._written = len(keys)
        self._log = AppendLog(self.path)

    def close(self) -> None:
        """Close the file."""
        self._log.close()


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

    def record(self) -> dict[str, object]:
        """The summary as JSON holds it, with the paper's own figures."""
        paper = {"cited": PAPER_CITED, "extracted": PAPER_EXTRACTED, "share": PAPER_EXTRACTED / PAPER_CITED}
        return {
            "cited": self.cited,
            "extracted": self.extracted,
            "share": self.share,
            "documents": self.documents,
            "by_status": self.by_status,
            "without_url": self.without_url,
            "kept": self.kept,
            "pages": self.pages,
            "seconds": round(self.seconds, 3),
            "paper": paper,
        }


def summarise(
    lines: Iterable[LedgerLine],
    *,
    cited: int,
    without_url: int = 0,
    kept: int = 0,
    pages: int = 0,
    seconds: float = 0.0,
) -> EvidenceSummary:
    """Count the lines of the sources that the debates cite now."""
    found = list(lines)
    counts = Counter(line.status for line in found)
    documents = {line.document for line in found if line.document}
    by_status: dict[str, int] = {status: counts[status] for status in SOURCE_STATUSES}
    return EvidenceSummary(cited, counts["ok"], len(documents), by_status, without_url, kept, pages, seconds)
