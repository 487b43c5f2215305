"""The process in which hostile bytes are parsed: one job after the other, from standard input to output.

A job is a line of JSON (``size``, ``content_type``, ``charset``) and ``size`` bytes; an answer is a line with
its length and so many bytes of JSON (``text``, ``title``, ``problem``). The process ends with its input.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from typing import BinaryIO

from conqret.scrapers.extract.document import Extraction, extract

MEMORY = 2 * 2**30
"""Bytes of address space (2 GiB) beyond which the parser gets no more, where the system can say so."""
STACK = 64 * 2**20
"""Bytes of stack for the parsing thread: deep nesting ends in a RecursionError and not in a crash."""


def main() -> None:
    """Serve until standard input ends."""
    jobs, answers = sys.stdin.buffer, _own_output()
    _limit_memory()
    threading.stack_size(STACK)
    with ThreadPoolExecutor(1) as parser:
        while line := jobs.readline():
            job = json.loads(line)
            body = jobs.read(job["size"])
            future = parser.submit(extract, body, job["content_type"], job["charset"])
            failure = future.exception()
            result = future.result() if failure is None else Extraction(problem=_problem(failure))
            answer = json.dumps(asdict(result)).encode("ascii")
            answers.write(b"%d\n" % len(answer) + answer)
            answers.flush()


def _problem(failure: BaseException) -> str:
    if isinstance(failure, MemoryError):
        return "the parser ran out of memory"
    return f"the parser failed ({type(failure).__name__})"


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


if __name__ == "__main__":
    main()
