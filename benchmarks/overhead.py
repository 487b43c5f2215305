"""What the client costs on top of the wire: conqret's Client, directly and through litellm, against litellm alone and
aiohttp alone.

All ask the same 1,000 questions (20 kB each, the response model of rag-fine-grained, one call each) of a
loopback server in a process of its own, 50 ms away, 64 at once, in interleaved rounds of one process.
conqret also records every answer, as it always does.

    python benchmarks/overhead.py [--requests 1000] [--rounds 3]
    python benchmarks/overhead.py --commands        # whole commands: one item, 200 and 5,000 of ten documents

Commands are run as installed, with the bytecode of all modules written: one run before them is not counted.
"""

from __future__ import annotations

import asyncio
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import aiohttp
from harness import ROOT, arguments, long_items
from pydantic import BaseModel, Field, create_model

from conqret.llm.client import Client
from conqret.llm.client_options import ClientOptions, Way
from conqret.llm.hosted.through_litellm import load_litellm
from conqret.llm.recordings import Recordings
from conqret.llm.request import Message, Request

DOCUMENTS, DIMENSIONS = 10, 15
PROMPT_BYTES = 20_000
CONCURRENCY = 64
LATENCY = 0.05
BAR_RATIO = 3.0
DIRECT, LITELLM = "conqret, directly", "litellm alone"
SENTENCE = "The council heard evidence that the ban cut deaths by a third, though two studies dispute it. "


class Rated(BaseModel):
    """A rating with its reason."""

    explanation: str
    rating: int = Field(ge=0, le=5)


class RatedDocument(Rated):
    """A rating of one document."""

    number: int


JudgedAnswer = create_model(
    "Judged",
    documents=(list[RatedDocument], ...),
    answer_relevance=(Rated, ...),
    groundedness=(Rated, ...),
    **{f"dimension_{n}": (Rated, ...) for n in range(1, DIMENSIONS + 1)},  # type: ignore[call-overload]
)


SCHEMA = {"name": "Judged", "schema": JudgedAnswer.model_json_schema()}
BODY = {"temperature": 0.0, "response_format": {"type": "json_schema", "json_schema": SCHEMA}}


def questions(count: int, start: int) -> list[list[dict[str, str]]]:
    body = SENTENCE * (PROMPT_BYTES // len(SENTENCE))
    return [
        [
            {"role": "system", "content": "You judge documents and an argument, and explain each rating."},
            {"role": "user", "content": f"Question {start + n}.\n{body}"},
        ]
        for n in range(count)
    ]


Asker = Callable[[Sequence[list[dict[str, str]]]], Awaitable[int]]


def conqret_asker(url: str, folder: str, way: Way) -> Asker:
    async def ask(batch: Sequence[list[dict[str, str]]]) -> int:
        options = ClientOptions(
            "openai/judge", api_base=url, api_key="none", max_concurrency=CONCURRENCY, client=way
        )
        with Recordings(Path(folder) / f"{time.monotonic_ns()}.sqlite") as store:
            async with Client(options, store=store) as client:
                requests = [
                    Request("overhead", str(n), [Message(**m) for m in messages], JudgedAnswer)
                    for n, messages in enumerate(batch)
                ]
                answers = await asyncio.gather(*map(client.request, requests))
        return sum(answer.value is not None for answer in answers)

    return ask


def litellm_asker(url: str) -> Asker:
    litellm = load_litellm()

    async def one(messages: list[dict[str, str]]) -> Any:
        response = await litellm.acompletion(
            model="openai/judge", api_base=url, api_key="none", messages=messages, **BODY
        )
        return JudgedAnswer.model_validate_json(response.choices[0].message.content)

    return _with_semaphore(one)


def aiohttp_asker(url: str) -> Asker:
    """The least that any client in Python can do: a body made once for each question, posted, and read."""

    async def ask(batch: Sequence[list[dict[str, str]]]) -> int:
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

            async def one(messages: list[dict[str, str]]) -> Any:
                asked = {"model": "judge", "messages": messages, **BODY}
                async with session.post(f"{url}/chat/completions", json=asked) as response:
                    answer = await response.json()
                return JudgedAnswer.model_validate_json(answer["choices"][0]["message"]["content"])

            return await _with_semaphore(one)(batch)

    return ask


def _with_semaphore(one: Callable[[list[dict[str, str]]], Awaitable[Any]]) -> Asker:
    async def ask(batch: Sequence[list[dict[str, str]]]) -> int:
        places = asyncio.Semaphore(CONCURRENCY)

        async def limited(messages: list[dict[str, str]]) -> Any:
            async with places:
                return await one(messages)

        return sum(value is not None for value in await asyncio.gather(*map(limited, batch)))

    return ask


async def measure(ask: Asker, count: int, start: int) -> tuple[float, float]:
    """Items a second, and milliseconds of CPU a call of this process, threads and afterwork included."""
    batch = questions(count, start)
    cpu, began = time.process_time(), time.perf_counter()
    done = await ask(batch)
    took = time.perf_counter() - began
    await asyncio.sleep(0.3)  # what litellm does after the answers
    if done != count:
        raise SystemExit(f"{count - done} of {count} questions were not answered")
    return count / took, (time.process_time() - cpu) / count * 1e3


async def compare(url: str, requests: int, rounds: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        askers = {
            DIRECT: conqret_asker(url, folder, "direct"),
            "conqret through litellm": conqret_asker(url, folder, "litellm"),
            LITELLM: litellm_asker(url),
            "aiohttp alone": aiohttp_asker(url),
        }
        figures: dict[str, list[tuple[float, float]]] = {name: [] for name in askers}
        for ask in askers.values():
            await measure(ask, 32, -1000)  # imports, connections, schemas
        for turn in range(rounds):
            names = list(askers)[turn % len(askers) :] + list(askers)[: turn % len(askers)]
            for name in names:
                figures[name].append(await measure(askers[name], requests, turn * requests))
    report(figures)


def report(figures: dict[str, list[tuple[float, float]]]) -> None:
    medians = {name: statistics.median(cpu for _, cpu in rows) for name, rows in figures.items()}
    print(f"{'':26}{'items/s':>9}{'CPU ms a call':>16}   rounds (items/s, CPU ms)")
    for name, rows in figures.items():
        rate = statistics.median(rate for rate, _ in rows)
        print(f"{name:26}{rate:9.1f}{medians[name]:16.2f}   {', '.join(f'{r:.0f}/{c:.2f}' for r, c in rows)}")
    ratio = medians[LITELLM] / medians[DIRECT]
    print(
        f"\ncalls a CPU second, directly: {ratio:.1f} times litellm's alone (the bar: at least {BAR_RATIO})"
    )


def commands(url: str) -> None:
    """Wall and CPU seconds of whole commands from the shell, directly and through litellm."""
    for count in (1, 200, 5000):
        for way in ("direct", "litellm") if count < 5000 else ("direct",):
            with tempfile.TemporaryDirectory() as folder:
                if count == 1:
                    judged(url, Path(folder) / "before", count, way)
                wall, cpu = judged(url, Path(folder), count, way)
            print(
                f"{count:5} items, {way:8} {wall:7.2f} s wall, {cpu:7.2f} s CPU: {count / wall:6.1f} items a second"
            )


def judged(url: str, folder: Path, count: int, way: str) -> tuple[float, float]:
    """Judge so many items into ``folder`` / run by a command of its own; its wall and CPU seconds."""
    folder.mkdir(exist_ok=True)
    long_items(folder / "items.jsonl", count)
    command = [sys.executable, "-m", "conqret.cli.main", "judge", str(folder / "items.jsonl"), "-q"]
    command += ["--model", "openai/judge", "--api-base", url, "-o", str(folder / "run")]
    command += ["--client", way, "--max-concurrency", str(CONCURRENCY)]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, cwd=ROOT, env=environment)
    wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--requests", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--commands", action="store_true", help="whole commands from the shell")
    options = parser.parse_args()
    command = [sys.executable, "-m", "tests.server", "--latency", str(LATENCY), "--constant"]
    command += ["--length", str(DOCUMENTS)]
    server = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        url = server.stdout.readline().strip()
        if options.commands:
            return commands(url)
        asyncio.run(compare(url, options.requests, options.rounds))
    finally:
        server.kill()
        server.wait()


if __name__ == "__main__":
    main()
