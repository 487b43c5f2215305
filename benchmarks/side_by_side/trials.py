"""One library's driver against a server of its own: left alone, with faults, and killed in the middle."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
LATENCY = 0.05
"""Seconds before each answer."""
FAULTS = {
    "rate_limit": 0.06,
    "server_error": 0.04,
    "bad_json": 0.03,
    "truncated": 0.03,
    "drop": 0.02,
    "bad_body": 0.01,
    "hang": 0.02,
}
"""Shares of the questions; drawn from a question and how often it was asked, so that a run repeats."""
LIMIT = 900.0
"""Seconds after which a run is stopped."""


@dataclass
class Trial:
    """What came of one run: seconds and CPU seconds of the driver's work, CPU seconds of its whole process, peak memory
    in MiB, what the server counted, the scores by item, and why there are none."""

    library: str
    kind: str
    seconds: float = 0.0
    cpu: float = 0.0
    process: float = 0.0
    memory: float = 0.0
    counts: dict[str, int] = field(default_factory=dict)
    scores: dict[str, list[float | None]] = field(default_factory=dict)
    fault: str = ""
    version: str = ""

    def line(self) -> str:
        """The run as it is kept."""
        return json.dumps(asdict(self))


def alone(library: str, python: Path, items: Path, kind: str) -> Trial:
    """A run from the beginning to the end; a server of the ``kind`` ``faults`` has them."""
    with server(FAULTS if kind == "faults" else {}) as url, tempfile.TemporaryDirectory() as folder:
        trial = Trial(library, kind)
        process = _start(library, python, items, url, Path(folder))
        _finish(trial, process, Path(folder))
        trial.counts = counts(url)
    return trial


def killed(library: str, python: Path, items: Path, calls: int) -> Trial:
    """A run killed after half of its ``calls``, and run again: ``again`` counts what was asked beyond ``calls``."""
    with server({}) as url, tempfile.TemporaryDirectory() as folder:
        trial = Trial(library, "killed")
        process = _start(library, python, items, url, Path(folder))
        while counts(url)["calls"] < calls / 2 and process.poll() is None:
            time.sleep(0.02)
        before = counts(url)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        _finish(trial, _start(library, python, items, url, Path(folder)), Path(folder))
        asked = counts(url)
        trial.counts = asked | {
            "before": before["calls"],
            "under_way": before["under_way"],
            "again": asked["calls"] - calls,
        }
    return trial


@contextlib.contextmanager
def server(faults: dict[str, float]) -> Iterator[str]:
    """A server in a process of its own; its address."""
    command = [sys.executable, str(HERE / "server.py"), "--latency", str(LATENCY)]
    command += [f"--fault={name}={share}" for name, share in faults.items()]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
    finally:
        process.kill()
        process.wait()


def counts(url: str) -> dict[str, int]:
    """What the server counted so far."""
    with urllib.request.urlopen(url.removesuffix("/v1") + "/counts") as answer:
        return dict(json.load(answer))


def _start(library: str, python: Path, items: Path, url: str, folder: Path) -> subprocess.Popen[bytes]:
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "LANG", "TMPDIR")}
    own = {"HOME": str(folder), "OPENAI_API_KEY": "none"}
    command = [str(python), str(HERE / f"with_{library}.py"), str(items), url, str(folder)]
    with (folder / "said.txt").open("ab") as said:
        return subprocess.Popen(command, stdout=said, stderr=said, env=kept | own, start_new_session=True)


def _finish(trial: Trial, process: subprocess.Popen[bytes], folder: Path) -> None:
    """Wait for the process, at most ``LIMIT`` seconds, and read what it left."""
    end = time.monotonic() + LIMIT
    while True:
        done, status, used = os.wait4(process.pid, os.WNOHANG)
        if done:
            break
        if time.monotonic() > end:
            os.killpg(process.pid, signal.SIGKILL)
            trial.fault = f"stopped after {LIMIT:.0f} s"
        time.sleep(0.05)
    process.returncode = os.waitstatus_to_exitcode(status)
    trial.memory, trial.process = used.ru_maxrss / 1024, used.ru_utime + used.ru_stime
    if (folder / "result.json").is_file():
        found = json.loads((folder / "result.json").read_text(encoding="utf-8"))
        trial.seconds, trial.cpu, trial.scores = found["seconds"], found["cpu"], found["scores"]
    elif not trial.fault:
        said = (folder / "said.txt").read_text(encoding="utf-8", errors="replace").strip().splitlines()
        trial.fault = (said or ["it said nothing"])[-1][:200]
