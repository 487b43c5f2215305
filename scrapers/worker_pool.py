"""Extract texts in separate processes under a time limit, so that a parser that hangs or crashes costs one
page.

Such a process parses hostile bytes, one job after the other, from standard input to output. A job is a line of JSON
(``size``, ``content_type``, ``charset``) and ``size`` bytes; an answer is a line with its length and so many bytes of
JSON (``text``, ``title``, ``problem``). The process ends with its input.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from types import TracebackType
from typing import BinaryIO

from conqret.scrapers.document import Extraction, extract

SECONDS = 30.0
"""Seconds for one page; ordinary ones take some hundredths of a second, PDFs of 300 pages ten seconds."""
START_SECONDS = 60.0
"""Additional seconds for the first page of a new process, which imports the parsers then."""
JOBS = 1_000
"""A process is replaced after so many pages, so that what the parsers' caches hold stays small."""
WORKERS = max(1, min(8, os.cpu_count() or 1))
_SECRETS = ("KEY", "TOKEN", "SECRET", "PASSWORD", "CREDENTIALS")


class _Worker:
    """One process, or the place of one that is not running."""

    def __init__(self) -> None:
        self._process: asyncio.subprocess.Process | None = None
        self._jobs = 0

    async def run(self, body: bytes, content_type: str, charset: str, seconds: float) -> Extraction:
        fresh = self._process is None
        if self._process is None:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-c",
                "from conqret.scrapers.worker_pool import main; main()",
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                env=_environment(),
            )
        job = {"size": len(body), "content_type": content_type, "charset": charset}
        whole = False
        try:
            async with asyncio.timeout(seconds + (START_SECONDS if fresh else 0.0)):
                answer = await _asked(self._process, json.dumps(job).encode("ascii") + b"\n", body)
            whole = True
        except TimeoutError:
            return Extraction(problem=f"parsing took more than {seconds:g} seconds")
        except (OSError, ValueError, EOFError):
            return Extraction(problem="the parser crashed")
        finally:
            self._jobs += 1
            if not whole or self._jobs >= JOBS:
                await self.stop()
        return Extraction(**answer)

    async def stop(self) -> None:
        process, self._process, self._jobs = self._process, None, 0
        if process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        if process.stdin is not None:
            process.stdin.close()
        await process.wait()


class Extractor(contextlib.AbstractAsyncContextManager["Extractor"]):
    """A pool of parsing processes, to be used as an async context manager; processes start on first use.

    ``seconds`` is the time limit per page, after which it counts as having no text.
    """

    def __init__(self, workers: int = WORKERS, *, seconds: float = SECONDS) -> None:
        self._workers = [_Worker() for _ in range(workers)]
        self._idle: asyncio.LifoQueue[_Worker] = asyncio.LifoQueue()
        for worker in self._workers:
            self._idle.put_nowait(worker)
        self._seconds = seconds

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for worker in self._workers:
            await worker.stop()

    async def extract(self, body: bytes, content_type: str = "", charset: str = "") -> Extraction:
        """Extract the text of a response body in a process; a timeout or crash is reported as the result's
        ``problem``.
        """
        worker = await self._idle.get()
        try:
            return await worker.run(body, content_type, charset, self._seconds)
        finally:
            self._idle.put_nowait(worker)


async def _asked(process: asyncio.subprocess.Process, *parts: bytes) -> dict[str, str]:
    if process.stdin is None or process.stdout is None:
        raise EOFError
    for part in parts:
        process.stdin.write(part)
    await process.stdin.drain()
    size = await process.stdout.readline()
    answer = json.loads(await process.stdout.readexactly(int(size)))
    return {name: str(answer[name]) for name in ("text", "title", "problem", "language")}


def _environment() -> dict[str, str]:
    """Our environment less everything that looks like a key: a parser has no business with those."""
    return {
        name: value
        for name, value in os.environ.items()
        if not any(secret in name.upper() for secret in _SECRETS)
    }


MEMORY = 2 * 2**30
"""The most bytes of address space (2 GiB) of a parsing process, where the system can limit it."""
STACK = 64 * 2**20
"""Bytes of stack for the parsing thread: deep nesting ends in a RecursionError and not in a crash."""


def main() -> None:
    """Run a parsing process: read jobs from standard input and write results to standard output, one for each job,
    until the input ends. A failure of the parser is a result with its problem."""
    jobs, answers = sys.stdin.buffer, _own_output()
    _limit_memory()
    threading.stack_size(STACK)
    with ThreadPoolExecutor(1) as parser:
        while line := jobs.readline():
            job = json.loads(line)
            body = jobs.read(job["size"])
            future = parser.submit(extract, body, job["content_type"], job["charset"])
            failure = future.exception()
            if failure is None:
                result = future.result()
            elif isinstance(failure, MemoryError):
                result = Extraction(problem="the parser ran out of memory")
            else:
                result = Extraction(problem=f"the parser failed ({type(failure).__name__})")
            answer = json.dumps(asdict(result)).encode("ascii")
            answers.write(b"%d\n" % len(answer) + answer)
            answers.flush()


def _own_output() -> BinaryIO:
    """Standard output for the answers alone; what a library prints goes nowhere."""
    answers = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    return answers


def _limit_memory() -> None:
    if sys.platform == "win32":
        return
    import resource

    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
