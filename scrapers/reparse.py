"""Extract all texts again from the stored responses, without a request."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from conqret.data.item import Document
from conqret.io.append import AppendLog
from conqret.io.corpus import CorpusDirectory
from conqret.scrapers.documents import make_document
from conqret.scrapers.evidence import EvidenceOptions, locked
from conqret.scrapers.extract import Extraction, Extractor
from conqret.scrapers.fetch import Status
from conqret.scrapers.jobs import cited_sources
from conqret.scrapers.ledger import EvidenceSummary, Ledger, LedgerLine, summarise
from conqret.scrapers.warc import WarcReader

_PARSED = ("ok", "unparsable")


async def reparse_evidence(
    corpus: Path,
    options: EvidenceOptions | None = None,
    *,
    on_start: Callable[[int, int], None] | None = None,
    on_line: Callable[[LedgerLine], None] | None = None,
) -> EvidenceSummary:
    """Parse every stored page again and rewrite documents and ledger; asks nobody for anything.

    Sources that never gave a page keep their line; so does one whose response is not in the WARC.

    Raises:
        DeclarationError: there are no stored responses, or a file of the corpus is broken.
    """
    options = options or EvidenceOptions()
    started = time.monotonic()
    cited = cited_sources(CorpusDirectory(corpus).debates())
    with locked(corpus):
        reader = WarcReader(corpus)
        ledger = Ledger(corpus / "ledger.jsonl")
        try:
            again = {line.final_url for line in ledger if line.status in _PARSED and line.final_url in reader}
            if on_start is not None:
                left = sum(line.final_url in again for line in ledger)
                on_start(len(ledger), len(ledger) - left)
            await _reparse(corpus, reader, ledger, sorted(again), options, on_line)
            lines = [line for one in cited if (line := ledger.get(one.key)) is not None]
        finally:
            ledger.close()
    return summarise(
        lines,
        cited=len(cited),
        without_url=sum(not one.source.url.strip() for one in cited),
        kept=len(lines),
        seconds=time.monotonic() - started,
    )


async def _reparse(
    corpus: Path,
    reader: WarcReader,
    ledger: Ledger,
    urls: list[str],
    options: EvidenceOptions,
    on_line: Callable[[LedgerLine], None] | None,
) -> None:
    directory = CorpusDirectory(corpus)
    lines: dict[str, list[LedgerLine]] = {url: [] for url in urls}
    for line in ledger:
        if line.status in _PARSED and line.final_url in lines:
            lines[line.final_url].append(line)
    part = corpus / ".documents.part"
    part.unlink(missing_ok=True)
    try:
        with AppendLog(part) as log:
            async with Extractor(options.workers, seconds=options.parse_seconds) as extractor:
                titles = {url: found[0].title for url, found in lines.items()}
                parser = _Parser(reader, extractor, log, options, titles)
                await parser.all(urls)
            for document in _kept(directory, ledger, lines, parser.written):
                log.append(document)
        part.replace(directory.documents_file)
    finally:
        part.unlink(missing_ok=True)
    for url in urls:
        for line in lines[url]:
            new = line.model_copy(update=parser.ends[url])
            if new != line:
                ledger.add(new)
            if on_line is not None:
                on_line(new)
    ledger.compact([line.key for line in ledger])


@dataclass(slots=True)
class _Parser:
    """Stored pages to documents; ``ends`` holds what changes in the lines of each URL."""

    reader: WarcReader
    extractor: Extractor
    log: AppendLog
    options: EvidenceOptions
    titles: dict[str, str]
    written: set[str] = field(default_factory=set)
    ends: dict[str, dict[str, object]] = field(default_factory=dict)

    async def all(self, urls: list[str]) -> None:
        """Parse the pages of these URLs, a few more at once than there are processes."""
        left = deque(urls)
        tasks = [asyncio.create_task(self._lane(left)) for _ in range(2 * self.options.workers)]
        try:
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _lane(self, left: deque[str]) -> None:
        while left:
            url = left.popleft()
            page = await asyncio.to_thread(self.reader.read, url, self.options.fetch.limits)
            if page.ok:
                result = await self.extractor.extract(page.body, page.content_type, page.charset)
            else:
                result = Extraction(problem=page.detail)
            self.ends[url] = self._end(url, result)

    def _end(self, url: str, result: Extraction) -> dict[str, object]:
        if not result.ok:
            return {"status": Status.UNPARSABLE.value, "detail": result.problem, "document": None}
        document = make_document(result.text, result.title or self.titles[url], url)
        if document.id not in self.written:
            self.written.add(document.id)
            self.log.append(document)
        return {"status": Status.OK.value, "detail": "", "document": document.id}


def _kept(
    directory: CorpusDirectory, ledger: Ledger, lines: dict[str, list[LedgerLine]], written: set[str]
) -> Iterator[Document]:
    """Documents of sources that are not parsed again."""
    wanted = {line.document for line in ledger if line.document and line.final_url not in lines} - written
    if not directory.documents_file.is_file():
        return
    for document in directory.documents():
        if document.id in wanted:
            wanted.discard(document.id)
            yield document
