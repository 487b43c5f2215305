"""Extraction in processes of its own, under a time limit: a parser that hangs or crashes costs one page."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
from types import TracebackType

from conqret.scrapers.extract.document import Extraction

SECONDS = 30.0
"""Time for one page; ordinary ones take some hundredths of a second, PDFs of 300 pages ten seconds."""
START_SECONDS = 60.0
"""Time that a new process has on top for its first page, because it imports the parsers then."""
JOBS = 1_000
"""Pages after which a process is replaced, so that what the parsers' caches hold stays small."""
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
                "from conqret.scrapers.extract.extract_worker import main; main()",
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
    """A pool of parsing processes; an async context manager. Processes start with their first page.

    ``seconds`` is the time that one page may take before it counts as having no text.
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
        """Extract the text of a body; a hang or a crash is a problem in the result, like any other."""
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
