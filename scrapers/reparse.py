"""Extract all texts again from the stored responses, without a request."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from conqret.data.digest import gathered
from conqret.io.corpus_folder import CorpusDirectory
from conqret.scrapers.evidence_documents import DocumentStore
from conqret.scrapers.evidence_fetching import EvidenceOptions, opened, parsed, summary_of
from conqret.scrapers.extract import Extractor
from conqret.scrapers.fetch import FetchStatus
from conqret.scrapers.fetch_ledger import EvidenceSummary, FetchLedger, LedgerLine
from conqret.scrapers.jobs import work_off
from conqret.scrapers.warc import WarcReader

_PARSED = ("ok", "unparsable")


async def reparse_evidence(
    corpus: Path,
    options: EvidenceOptions | None = None,
    *,
    on_start: Callable[[int, int], None] = lambda cited, kept: None,
    on_line: Callable[[LedgerLine], None] = lambda line: None,
) -> EvidenceSummary:
    """Parse every stored page again and rewrite documents and ledger; asks nobody for anything.

    Sources that never gave a page keep their line; so does one whose response is not in the WARC.

    Raises:
        DeclarationError: there are no stored responses, or a file of the corpus is broken.
    """
    options = options or EvidenceOptions()
    started = time.monotonic()
    with opened(corpus) as (cited, ledger):
        reader = WarcReader(corpus)
        again = gathered(
            (line.final_url, line)
            for line in ledger.rows()
            if line.status in _PARSED and line.final_url in reader
        )
        on_start(len(ledger), len(ledger) - sum(map(len, again.values())))
        order = [line.key for line in ledger.rows()]
        ends = await _parse_all(corpus, reader, ledger, again, options)
        for url, lines in sorted(again.items()):
            for line in lines:
                new = line.model_copy(update=ends[url])
                if new != line:
                    ledger.add(new)
                on_line(new)
        ledger.compact(order)
        kept = sum(ledger.get(one.key) is not None for one in cited)
        return summary_of(cited, ledger, kept=kept, seconds=time.monotonic() - started)


async def _parse_all(
    corpus: Path,
    reader: WarcReader,
    ledger: FetchLedger,
    again: Mapping[str, list[LedgerLine]],
    options: EvidenceOptions,
) -> dict[str, dict[str, Any]]:
    """Write the documents anew; returns what changes in the lines of each URL."""
    directory = CorpusDirectory(corpus)
    part = corpus / ".documents.part"
    part.unlink(missing_ok=True)
    ends: dict[str, dict[str, Any]] = {}
    try:
        with DocumentStore(part) as documents:
            async with Extractor(options.workers, seconds=options.parse_seconds) as extractor:

                async def parse(url: str) -> None:
                    page = await asyncio.to_thread(reader.read, url, options.fetch.limits)
                    if page.ok:
                        ends[url] = await parsed(page, again[url][0].title, extractor, documents)
                    else:
                        ends[url] = {
                            "status": FetchStatus.UNPARSABLE.value,
                            "detail": page.detail,
                            "document": None,
                        }

                # a few more at once than there are processes
                await work_off([(deque(sorted(again)), 2 * options.workers)], parse)
            others = {
                line.document for line in ledger.rows() if line.document and line.final_url not in again
            }
            for document in directory.documents() if directory.documents_file.is_file() else ():
                if document.id in others:
                    documents.keep(document)
        part.replace(directory.documents_file)
    finally:
        part.unlink(missing_ok=True)
    return ends
