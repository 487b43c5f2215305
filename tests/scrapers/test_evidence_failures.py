"""What goes wrong in the run over a corpus: hostile servers, faults of ours, a full disk, a kill."""

import asyncio
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from conqret.scrapers.evidence_fetching import gather_evidence
from conqret.scrapers.worker_pool import Extractor
from tests.scrapers.evidence_corpus import OPTIONS, corpus_of, documents, extracted_here, ledger
from tests.scrapers.raw_server import PROSE, Handler, RawServer, page, reply


async def test_a_fault_of_ours_costs_one_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def faulty(self: Extractor, body: bytes, *rest: str) -> Any:
        if b"trap" in body:
            raise KeyError("oops")
        return await extracted_here(self, body, *rest)

    monkeypatch.setattr(Extractor, "extract", faulty)
    async with RawServer({"/a": reply("trap"), "/b": reply(page(PROSE))}) as server:
        corpus = corpus_of(tmp_path / "corpus", [("A", server.url("/a")), ("B", server.url("/b"))])
        await gather_evidence(corpus, OPTIONS)
    assert [(line["status"], line["detail"]) for line in ledger(corpus)] == [
        ("error", "internal error: KeyError: 'oops'"),
        ("ok", ""),
    ]


RUN = """
import asyncio, sys
from pathlib import Path
from tests.scrapers.evidence_corpus import OPTIONS
from conqret.scrapers.evidence_fetching import gather_evidence
asyncio.run(gather_evidence(Path(sys.argv[1]), OPTIONS, on_line=lambda line: print(line.number, flush=True)))
"""


async def test_a_killed_run_goes_on_where_it_stopped(tmp_path: Path) -> None:
    count = 20

    def numbered(n: int) -> Handler:
        async def answer(writer: asyncio.StreamWriter) -> None:
            await asyncio.sleep(0.01)
            writer.write(reply(page(f"Text number {n}. {PROSE}"), Connection="close"))

        return answer

    async with RawServer({f"/{n}": numbered(n) for n in range(count)}) as server:
        corpus = corpus_of(tmp_path / "corpus", [(f"Source {n}", server.url(f"/{n}")) for n in range(count)])
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-c",
            RUN,
            str(corpus),
            stdout=asyncio.subprocess.PIPE,
            cwd=Path(__file__).parents[2],
        )
        assert process.stdout is not None
        for _ in range(5):
            await process.stdout.readline()
        process.send_signal(signal.SIGKILL)
        await process.wait()
        text = (corpus / "ledger.jsonl").read_bytes()
        done = len(text[: text.rfind(b"\n") + 1].splitlines())
        assert done >= 5
        before = len(server.seen)
        summary = await gather_evidence(corpus, OPTIONS)
        assert summary.kept == done
        assert len(server.seen) - before == count - done + 1  # and robots.txt
    lines = ledger(corpus)
    assert [line["number"] for line in lines] == list(range(1, count + 1))
    texts = documents(corpus)
    assert len(texts) == count
    assert all(
        line["status"] == "ok" and f"Text number {line['number'] - 1}." in texts[line["document"]].text
        for line in lines
    )
