"""What the client costs on top of the wire: conqret's Client against instructor over litellm alone.

Both ask the same 1,000 questions (20 kB each, the response model of rag-fine-grained, one call each) of a
loopback server in a process of its own, 50 ms away, 64 at once, in interleaved rounds of one process.
conqret also records every answer, as it always does.

    python benchmarks/overhead.py [--requests 1000] [--rounds 3] [--profile]
"""

from __future__ import annotations

import argparse
import asyncio
import cProfile
import pstats
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field, create_model

from conqret.llm import Client, ClientOptions, Message, Recordings, Request
from conqret.llm.hosted.through_litellm import load_litellm

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS, DIMENSIONS = 10, 15
PROMPT_BYTES = 20_000
CONCURRENCY = 64
LATENCY = 0.05
BAR_SHARE, BAR_CPU_MS = 0.90, 1.0
SENTENCE = "The council heard evidence that the ban cut deaths by a third, though two studies dispute it. "


class Rated(BaseModel):
    """A rating with its reason."""

    explanation: str
    rating: int = Field(ge=0, le=5)


class RatedDocument(Rated):
    """A rating of one document."""

    number: int


Judged = create_model(
    "Judged",
    documents=(list[RatedDocument], ...),
    answer_relevance=(Rated, ...),
    groundedness=(Rated, ...),
    **{f"dimension_{n}": (Rated, ...) for n in range(1, DIMENSIONS + 1)},  # type: ignore[call-overload]
)


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


def conqret_asker(url: str, folder: str) -> Asker:
    async def ask(batch: Sequence[list[dict[str, str]]]) -> int:
        options = ClientOptions("openai/judge", api_base=url, api_key="none", max_concurrency=CONCURRENCY)
        with Recordings(Path(folder) / f"{time.monotonic_ns()}.sqlite") as store:
            async with Client(options, store=store) as client:
                requests = [
                    Request("overhead", str(n), [Message(**m) for m in messages], Judged)
                    for n, messages in enumerate(batch)
                ]
                answers = await asyncio.gather(*map(client.ask, requests))
        return sum(answer.value is not None for answer in answers)

    return ask


def instructor_asker(url: str) -> Asker:
    import instructor

    client: Any = instructor.from_litellm(load_litellm().acompletion, mode=instructor.Mode.JSON_SCHEMA)
    return _with_semaphore(
        lambda messages: client.chat.completions.create(
            model="openai/judge",
            api_base=url,
            api_key="none",
            temperature=0.0,
            messages=messages,
            response_model=Judged,
        )
    )


def litellm_asker(url: str) -> Asker:
    litellm = load_litellm()
    wanted = {"type": "json_schema", "json_schema": {"name": "Judged", "schema": Judged.model_json_schema()}}

    async def one(messages: list[dict[str, str]]) -> Any:
        response = await litellm.acompletion(
            model="openai/judge",
            api_base=url,
            api_key="none",
            temperature=0.0,
            messages=messages,
            response_format=wanted,
        )
        return Judged.model_validate_json(response.choices[0].message.content)

    return _with_semaphore(one)


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


async def compare(url: str, requests: int, rounds: int, profile: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        askers = {
            "conqret": conqret_asker(url, folder),
            "instructor over litellm": instructor_asker(url),
            "litellm alone": litellm_asker(url),
        }
        figures: dict[str, list[tuple[float, float]]] = {name: [] for name in askers}
        for ask in askers.values():
            await measure(ask, 32, -1000)  # imports, connections, schemas
        if profile:
            profiler = cProfile.Profile()
            profiler.enable()
            await measure(askers["conqret"], requests, 0)
            profiler.disable()
            pstats.Stats(profiler).sort_stats("tottime").print_stats(45)
            return
        for turn in range(rounds):
            names = list(askers)[turn % 3 :] + list(askers)[: turn % 3]
            for name in names:
                figures[name].append(await measure(askers[name], requests, turn * requests))
    report({name: (_median(rows, 0), _median(rows, 1)) for name, rows in figures.items()}, figures)


def report(medians: dict[str, tuple[float, float]], figures: dict[str, list[tuple[float, float]]]) -> None:
    print(f"{'':26}{'items/s':>9}{'CPU ms a call':>16}   rounds (items/s, CPU ms)")
    for name, (rate, cpu) in medians.items():
        each = ", ".join(f"{r:.0f}/{c:.2f}" for r, c in figures[name])
        print(f"{name:26}{rate:9.1f}{cpu:16.2f}   {each}")
    (rate, cpu), (bare_rate, bare_cpu) = medians["conqret"], medians["instructor over litellm"]
    print(f"\nitems/s: {rate / bare_rate:.2f} of instructor's (the bar: at least {BAR_SHARE})")
    print(f"CPU: {cpu - bare_cpu:+.2f} ms a call (the bar: at most +{BAR_CPU_MS})")


def _median(rows: Sequence[tuple[float, float]], place: int) -> float:
    return statistics.median(row[place] for row in rows)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--requests", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--profile", action="store_true", help="one profiled round of conqret, no comparison")
    options = parser.parse_args()
    command = [sys.executable, "-m", "tests.server", "--latency", str(LATENCY), "--constant"]
    command += ["--length", str(DOCUMENTS)]
    server = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        url = server.stdout.readline().strip()
        asyncio.run(compare(url, options.requests, options.rounds, options.profile))
    finally:
        server.kill()
        server.wait()


if __name__ == "__main__":
    main()
