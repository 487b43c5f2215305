"""A corpus whose debates cite what a test serves, and what a run leaves of it."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from conqret.data import Debate, DebateArgument, Document, Source
from conqret.io.corpus_folder import CorpusDirectory, write_models
from conqret.scrapers.document import Extraction, extract
from conqret.scrapers.evidence_fetching import EvidenceOptions
from conqret.scrapers.fetch_client import FetchOptions, Retries
from conqret.scrapers.wire import Limits, Policy
from conqret.scrapers.worker_pool import Extractor

LIMITS = Limits(max_bytes=200_000, total_seconds=4.0, connect_seconds=4.0, read_seconds=2.0)
OPTIONS = EvidenceOptions(
    FetchOptions(
        delay=0.0, per_host=16, retries=Retries(2, 0.0), policy=Policy(allow_private=True), limits=LIMITS
    ),
    workers=2,
)


def corpus_of(folder: Path, *lists: Sequence[tuple[str, str]]) -> Path:
    """A corpus with a debate for each list of (title, url)."""
    argument = (DebateArgument(title="A", paragraphs=("P [1]",)),)
    debates = [
        Debate(
            id=f"debate-{n}",
            url=f"http://pages.test/{n}",
            title=f"Debate {n}",
            question="Is it so?",
            pros=argument,
            cons=argument,
            layout="test",
            sources=tuple(
                Source(number=m, title=title, url=url) for m, (title, url) in enumerate(sources, start=1)
            ),
        )
        for n, sources in enumerate(lists, start=1)
    ]
    folder.mkdir(exist_ok=True)
    write_models(CorpusDirectory(folder).debates_file, debates)
    return folder


def ledger(corpus: Path) -> list[dict[str, Any]]:
    return [json.loads(text) for text in (corpus / "ledger.jsonl").read_text(encoding="utf-8").splitlines()]


def documents(corpus: Path) -> dict[str, Document]:
    return {document.id: document for document in CorpusDirectory(corpus).documents()}


async def extracted_here(_: Extractor, body: bytes, content_type: str = "", charset: str = "") -> Extraction:
    """Stands in for :meth:`Extractor.extract`, in this process."""
    return extract(body, content_type, charset)
