"""A run folder through any sequence of commands, kills and damage, beside a model of what must hold.

Whatever happened before: a command that ends well leaves the files of a run that was left alone; the same command
asks nothing again; nothing is asked more often than kills and damage explain; and a refused command changes nothing.
"""

from __future__ import annotations

import shutil
import signal
import sqlite3
import time
from pathlib import Path

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from tests.contract.items import demo
from tests.judging.runs import write_items
from tests.runs.killed import Forks, kill, results
from tests.server import FaultServer
from tests.torture.effort import times

ITEMS = 6
AT_ONCE = 2
LATENCY = 0.01
parts = st.floats(0, 1, exclude_max=True)


class RunFolder(RuleBasedStateMachine):
    """The machine; the fixture gives it its processes, server and folder."""

    forks: Forks
    server: FaultServer
    place: Path
    whole: dict[str, object]

    @initialize()
    def begin(self) -> None:
        self.folder = self.place / "run"
        shutil.rmtree(self.folder, ignore_errors=True)
        self.before, self.allowed = len(self.server.requests), 0

    def command(self, *more: object) -> tuple[object, ...]:
        judge = "--format direct --metric groundedness --model openai/judge -q".split()
        where = ("--api-base", self.server.url, "--max-concurrency", AT_ONCE, "-o", self.folder)
        return ("judge", self.place / "items.jsonl", *judge, *where, *more)

    @rule()
    def judge(self) -> None:
        assert self.forks.run(*self.command()) == 0
        self.allowed = max(self.allowed, ITEMS)
        assert results(self.folder) == self.whole

    @rule()
    def judge_again(self) -> None:
        self.judge()
        asked = len(self.server.requests)
        self.judge()
        assert len(self.server.requests) == asked

    @rule(requests=st.integers(0, ITEMS), wait=st.floats(0, 0.1))
    def stop(self, requests: int, wait: float) -> None:
        """Kill a run after so many requests, or in the middle of what it writes."""
        before = len(self.server.requests)
        number = self.forks.start(*self.command())
        until = time.monotonic() + 0.5
        while len(self.server.requests) < before + requests and time.monotonic() < until:
            time.sleep(0.002)
        time.sleep(wait)
        kill(number)
        assert self.forks.end() in (0, -signal.SIGKILL)
        self.allowed = max(self.allowed, ITEMS) + AT_ONCE

    @rule(name=st.sampled_from(["judgments.jsonl", "items.jsonl"]), part=parts, way=st.integers(0, 3))
    def damage_lines(self, name: str, part: float, way: int) -> None:
        file = self.folder / name
        if not file.exists() or not file.stat().st_size or not (self.folder / "run.json").exists():
            return
        data = file.read_bytes()
        lines, at = data.splitlines(keepends=True), int(part * len(data))
        place = int(part * len(lines))
        damaged = [
            data[:at],
            data[:at] + b"\xff\x00{" + data[at:],
            b"".join(lines[:place] + lines[place + 1 :]),
            b"",
        ]
        file.write_bytes(damaged[way])

    @rule(name=st.sampled_from(["scores.parquet", "summary.json", "report.html", "items.jsonl"]))
    def lose_a_file(self, name: str) -> None:
        (self.folder / name).unlink(missing_ok=True)

    @rule(part=parts)
    def flip_an_answer(self, part: float) -> None:
        store = self.folder / "recordings.sqlite"
        if not store.exists():
            return
        with sqlite3.connect(store) as db:
            if db.execute("SELECT count(*) FROM sqlite_master WHERE name = 'recordings'").fetchone()[0]:
                rows = db.execute("SELECT rowid FROM recordings ORDER BY key").fetchall()
                if rows:
                    change = (
                        "UPDATE recordings SET completion = replace(completion, '\"', '#') WHERE rowid = ?"
                    )
                    db.execute(change, rows[int(part * len(rows))])
                    self.allowed += 1
        db.close()

    @rule()
    def overwrite(self) -> None:
        assert self.forks.run(*self.command("--overwrite")) == 0
        self.allowed = max(self.allowed, ITEMS)
        assert results(self.folder) == self.whole

    @rule()
    def replay(self) -> None:
        self.judge()
        self.forks.run(*self.command("--overwrite"))  # damaged answers are asked for again
        asked = len(self.server.requests)
        copy = self.place / "replayed"
        shutil.rmtree(copy, ignore_errors=True)
        command = [one if one != self.folder else copy for one in self.command()]
        assert self.forks.run(*command, "--replay", self.folder) == 0
        assert results(copy)["judgments.jsonl"] == self.whole["judgments.jsonl"]
        assert len(self.server.requests) == asked

    @rule()
    def two_processes(self) -> None:
        codes = set(map(self.forks.end, [self.forks.start(*self.command()) for _ in range(2)]))
        self.allowed = max(self.allowed, ITEMS)
        assert 0 in codes
        assert codes <= {0, 2}
        assert results(self.folder) == self.whole

    @rule()
    def another_run_is_refused(self) -> None:
        if not (self.folder / "run.json").exists():
            return
        before = {file: file.read_bytes() for file in self.folder.iterdir() if file.suffix != ".sqlite"}
        command = [one if one != "groundedness" else "relevance" for one in self.command()]
        assert self.forks.run(*command) == 2
        after = {file: file.read_bytes() for file in self.folder.iterdir() if file.suffix != ".sqlite"}
        assert after == before

    @invariant()
    def nothing_is_asked_more_often_than_explained(self) -> None:
        assert len(self.server.requests) - self.before <= self.allowed


def test_a_run_folder_through_anything(forks: Forks, tmp_path: Path) -> None:
    write_items(tmp_path / "items.jsonl", demo()[:ITEMS])
    with FaultServer(latency=LATENCY, keep_bodies=False) as server:
        given = {"forks": forks, "server": server, "place": tmp_path}
        machine: type[RunFolder] = type("Given", (RunFolder,), given)
        first = machine()
        first.begin()
        assert forks.run(*first.command()) == 0
        machine.whole = results(first.folder)
        effort = settings(
            max_examples=times(2, 25),
            stateful_step_count=times(8, 12),
            deadline=None,
            derandomize=True,
            phases=(Phase.generate,),
            suppress_health_check=list(HealthCheck),
        )
        run_state_machine_as_test(machine, settings=effort)
