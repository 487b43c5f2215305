"""The pages on which people label, under load and killed: what the server keeps, and how fast it answers.

Load: so many people at once, each of whom answers a screen every two seconds. It prints how many labels were confirmed
and how many stand in the file (each once), and the time from sending an answer to the next screen. Kill: the server is
ended by SIGKILL at random moments while people answer as fast as they can, and started again.

    python benchmarks/annotating.py [--annotators 50] [--labels 2000] [--pause 2]
    python benchmarks/annotating.py --kill 20
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import aiohttp

from conqret.labels.answer_ledger import Ledger

ROOT = Path(__file__).resolve().parents[1]
OVERLAP = 3


class Server:
    """``conqret labels collect`` in a process of its own."""

    def __init__(self, folder: Path, people: int) -> None:
        self.folder, self.names = folder, [f"person {n}" for n in range(people)]
        self.port = 0
        self.links: dict[str, str] = {}

    async def start(self) -> None:
        """Start it, at the same port as before, and read its links."""
        command = [
            sys.executable, "-m", "conqret", "labels", "collect", str(self.folder / "items.jsonl"), "--annotators",
            ",".join(self.names), "--overlap", str(OVERLAP), "--port", str(self.port), "-o",
            str(self.folder / "labels"),
        ]  # fmt: skip
        self.process = await asyncio.create_subprocess_exec(
            *command, stdout=asyncio.subprocess.PIPE, cwd=ROOT
        )
        assert self.process.stdout is not None
        while not (line := (await self.process.stdout.readline()).decode()).startswith("Send each"):
            if not line:
                raise SystemExit("the server did not start")
            if found := re.match(r"  (person \d+) +(http://[^/]+:(\d+)/\S+)", line):
                self.links[found[1]], self.port = found[2], int(found[3])

    async def end(self, how: signal.Signals) -> None:
        """End it."""
        self.process.send_signal(how)
        await self.process.wait()


class Person:
    """Somebody who answers, with whatever was confirmed to them."""

    def __init__(self, name: str, server: Server) -> None:
        self.name, self.server = name, server
        self.confirmed: list[str] = []
        self.seconds: list[float] = []
        self.done = False

    async def work(self, pause: float, enough: asyncio.Event) -> None:
        """Answer until nothing is left or it is enough; where the server is gone, try again as people do."""
        jar = aiohttp.CookieJar(unsafe=True)
        async with aiohttp.ClientSession(cookie_jar=jar) as session:
            await asyncio.sleep(random.random() * pause)
            while not enough.is_set() and not self.done:
                try:
                    await self._come_in(session, pause, enough)
                except (aiohttp.ClientError, OSError):
                    await asyncio.sleep(0.05)

    async def _come_in(self, session: aiohttp.ClientSession, pause: float, enough: asyncio.Event) -> None:
        page = await _text(session.get(self.server.links[self.name]))
        page = await _text(session.post(self._at("/begin"), data=_hidden(page)))
        while not enough.is_set():
            form = re.search(r'action="(/screen/(\d+))"', page)
            if form is None:
                self.done = "<title>Done" in page
                return
            began = time.perf_counter()
            data = {**_hidden(page), "q:overall_quality": str(random.randint(1, 5)), "comment": self.name}
            page = await _text(session.post(self._at(form[1]), data=data))
            self.seconds.append(time.perf_counter() - began)
            self.confirmed.append(form[2])
            await asyncio.sleep(max(0.0, pause - self.seconds[-1]))

    def _at(self, path: str) -> str:
        return f"http://127.0.0.1:{self.server.port}{path}"


async def _text(request: aiohttp.client._RequestContextManager) -> str:
    async with request as answer:
        answer.raise_for_status()
        return await answer.text()


def _hidden(page: str) -> dict[str, str]:
    return dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', page))


async def run(people: int, labels: int, pause: float, kills: int) -> None:
    """Let them work, and count."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = (
            {
                "id": f"i{n}",
                "topic": f"Topic {n % 12}?",
                "argument": f"Argument {n}, " + "which goes on. " * 60,
            }
            for n in range(-(-labels // OVERLAP))
        )
        (folder / "items.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        server = Server(folder, people)
        await server.start()
        everybody = [Person(name, server) for name in server.names]
        enough = asyncio.Event()
        began = time.perf_counter()
        tasks = [asyncio.create_task(person.work(pause, enough)) for person in everybody]
        for _ in range(kills):
            await asyncio.sleep(random.uniform(0.5, 3))
            await server.end(signal.SIGKILL)
            await server.start()
        if kills:
            enough.set()
        await asyncio.gather(*tasks)
        wall = time.perf_counter() - began
        await server.end(signal.SIGTERM)
        ledger = Ledger(folder / "labels")
        kept = Counter(str(row["turn"]) for row in ledger._database.rows("SELECT turn FROM answers"))
        screens = Counter(record.screen.item for record in ledger.given())
        confirmed = [turn for person in everybody for turn in person.confirmed]
        seconds = sorted(second for person in everybody for second in person.seconds)
        print(f"{people} people, {wall:.0f} s, killed {kills} times")
        print(f"confirmed on a screen: {len(confirmed)}; lost: {len(set(confirmed) - set(kept))}")
        print(f"in the file: {len(kept)}; more than once: {sum(count > 1 for count in kept.values())}")
        print(
            f"screens given to more than {OVERLAP} people: {sum(count > OVERLAP for count in screens.values())}"
        )
        places = (("median", 0.5), ("p95", 0.95), ("p99", 0.99))
        told = ", ".join(
            f"{word} {1000 * seconds[int(at * (len(seconds) - 1))]:.0f} ms" for word, at in places
        )
        print(f"from an answer to the next screen: {told}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--annotators", type=int, default=50)
    parser.add_argument("--labels", type=int, default=2000)
    parser.add_argument(
        "--pause", type=float, default=2.0, help="seconds from one answer of a person to the next"
    )
    parser.add_argument("--kill", type=int, default=0, metavar="TIMES", help="kill the server so often")
    given = parser.parse_args()
    asyncio.run(
        run(
            given.annotators,
            9_000 if given.kill else given.labels,
            0.0 if given.kill else given.pause,
            given.kill,
        )
    )
