"""What the evidence fetcher costs on top of the wire: 2,000 pages of 20 kB from a loopback server 20 ms away.

Interleaved rounds in one process, the server in a process of its own, 32 requests at once, politeness off:

* bare: an aiohttp session that reads the bodies and drops them;
* fetcher: guard, robots.txt, redirects, limits (conqret.scrapers.fetch);
* stored: the whole run (jobs, fetcher, WARC, documents, ledger) with the parsing left out;
* whole: the same with the parsing, in processes of its own. Bound by the parsers, not by the network.

Memory is this process's resident set after each quarter of the longest run.

    python benchmarks/scraper.py [--pages 2000] [--rounds 3] [--latency 0.02] [--concurrency 32] [--no-whole]
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from unittest import mock

import aiohttp

from conqret.data import Debate, DebateArgument, Source
from conqret.io.corpus_folder import CorpusDirectory
from conqret.scrapers.evidence_fetching import EvidenceOptions, gather_evidence
from conqret.scrapers.extract import Extraction, Extractor
from conqret.scrapers.fetch import Fetcher, FetchOptions, Policy

BAR = 0.70
PAGE_BYTES = 20_000
SENTENCE = "The council heard evidence that the ban cut deaths by a third, though two studies dispute it. "
SERVER = """
import asyncio, sys
from benchmarks.scraper import body_of
latency = float(sys.argv[1])
async def serve(reader, writer):
    try:
        while True:
            head = await reader.readuntil(b"\\r\\n\\r\\n")
            path = head.split(b" ", 2)[1].decode()
            await asyncio.sleep(latency)
            body = b"" if path == "/robots.txt" else body_of(int(path[1:]))
            writer.write(b"HTTP/1.1 200 OK\\r\\nContent-Type: text/html\\r\\n")
            writer.write(b"Content-Length: %d\\r\\n\\r\\n" % len(body) + body)
            await writer.drain()
    except (OSError, asyncio.IncompleteReadError):
        writer.close()
async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()
asyncio.run(main())
"""


def body_of(number: int) -> bytes:
    """A page of its own for each number: sentences in paragraphs, each marked by the page's number."""
    paragraphs, size, n = [], 0, 0
    while size < PAGE_BYTES:
        mark = hashlib.sha256(b"%d %d" % (number, n)).hexdigest()[:12]
        paragraphs.append(f"<p>{SENTENCE * 3}Entry {mark} of page {number}.</p>")
        size += len(paragraphs[-1])
        n += 1
    head = f"<html><head><title>Page {number}</title></head><body><article>"
    return f"{head}{''.join(paragraphs)}</article></body></html>".encode()


def resident() -> float:
    """MiB of this process's resident set."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0.0


def options(concurrency: int) -> FetchOptions:
    return FetchOptions(
        concurrency=concurrency, per_host=concurrency, delay=0.0, policy=Policy(allow_private=True)
    )


async def bare(base: str, pages: int, concurrency: int) -> int:
    slots = asyncio.Semaphore(concurrency)

    async def one(session: aiohttp.ClientSession, number: int) -> int:
        async with slots, session.get(f"{base}/{number}") as response:
            return len(await response.read())

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        return sum(size > 0 for size in await asyncio.gather(*(one(session, n) for n in range(pages))))


async def fetcher(base: str, pages: int, concurrency: int) -> int:
    done = 0
    numbers = iter(range(pages))

    async def lane(client: Fetcher) -> None:
        nonlocal done
        for number in numbers:
            page = await client.fetch(f"{base}/{number}")
            done += page.ok

    async with Fetcher(options(concurrency)) as client:
        await asyncio.gather(*(lane(client) for _ in range(concurrency)))
    return done


async def whole(base: str, pages: int, concurrency: int, marks: list[float] | None = None) -> int:
    with tempfile.TemporaryDirectory() as folder:
        argument = (DebateArgument(title="A", paragraphs=("P",)),)
        sources = tuple(Source(number=n, title=f"Source {n}", url=f"{base}/{n}") for n in range(pages))
        debate = Debate(
            id="d",
            url="",
            title="D",
            question="Q?",
            pros=argument,
            cons=argument,
            sources=sources,
            layout="x",
        )
        CorpusDirectory(Path(folder)).write_debates([debate])
        seen = 0

        def line(_: object) -> None:
            nonlocal seen
            seen += 1
            if marks is not None and seen % max(1, pages // 4) == 0:
                marks.append(resident())

        summary = await gather_evidence(Path(folder), EvidenceOptions(options(concurrency)), on_line=line)
        return summary.extracted


async def stored(base: str, pages: int, concurrency: int, marks: list[float] | None = None) -> int:
    async def unparsed(self: Extractor, body: bytes, *_: str) -> Extraction:
        return Extraction(text=body.decode(), title="x")

    with mock.patch.object(Extractor, "extract", unparsed):
        return await whole(base, pages, concurrency, marks)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--pages", type=int, default=2_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--latency", type=float, default=0.02)
    parser.add_argument("--concurrency", type=int, default=32)
    parser.add_argument("--no-whole", action="store_true", help="leave the parsing run out")
    wanted = parser.parse_args()
    server = subprocess.Popen(
        [sys.executable, "-c", SERVER, str(wanted.latency)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).resolve().parents[1],
    )
    try:
        base = f"http://127.0.0.1:{server.stdout.readline().strip()}"  # type: ignore[union-attr]
        measure(base, wanted)
    finally:
        server.terminate()
        server.wait()


def measure(base: str, wanted: argparse.Namespace) -> None:
    ways: dict[str, Callable[[str, int, int], Awaitable[int]]] = {
        "bare": bare,
        "fetcher": fetcher,
        "stored": stored,
    }
    rates: dict[str, list[float]] = {name: [] for name in ways}
    cpu: dict[str, list[float]] = {name: [] for name in ways}
    for way in ways.values():
        asyncio.run(way(base, 100, wanted.concurrency))  # type: ignore[arg-type]
    for number in range(wanted.rounds):
        for name, way in ways.items():
            rate, used = timed(way, base, wanted)
            rates[name].append(rate)
            cpu[name].append(used)
        print(
            f"round {number + 1}: " + ", ".join(f"{name} {rates[name][-1]:,.0f}/s" for name in ways),
            flush=True,
        )
    base_rate = statistics.median(rates["bare"])
    for name in ways:
        rate, used = statistics.median(rates[name]), statistics.median(cpu[name])
        print(f"{name:<8} {rate:8,.0f} pages/s  {rate / base_rate:6.1%} of bare  {used:.2f} ms CPU a page")
    share = statistics.median(rates["stored"]) / base_rate
    verdict = "met" if share >= BAR else "MISSED"
    print(f"bar: {BAR:.0%} of the bare client: {verdict} ({share:.1%}, everything but the parsing)")
    marks: list[float] = []
    before = resident()
    asyncio.run(stored(base, 4 * wanted.pages, wanted.concurrency, marks))
    quarters = ", ".join(f"{mark:.0f}" for mark in marks)
    print(f"memory over {4 * wanted.pages:,} pages (MiB): start {before:.0f}, quarters {quarters}")
    if not wanted.no_whole:
        started = time.perf_counter()
        done = asyncio.run(whole(base, wanted.pages, wanted.concurrency))
        print(f"whole    {done / (time.perf_counter() - started):8,.0f} pages/s with the parsing")


def timed(
    way: Callable[[str, int, int], Awaitable[int]], base: str, wanted: argparse.Namespace
) -> tuple[float, float]:
    started, used = time.perf_counter(), time.process_time()
    done = asyncio.run(way(base, wanted.pages, wanted.concurrency))  # type: ignore[arg-type]
    if done != wanted.pages:
        raise SystemExit(f"{done} of {wanted.pages} pages")
    return wanted.pages / (time.perf_counter() - started), (time.process_time() - used) / wanted.pages * 1_000


if __name__ == "__main__":
    main()
