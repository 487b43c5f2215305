"""How a run grows with its items: seconds, memory of driver and workers, and the size of what it leaves.

    python benchmarks/growth.py --items 1000 10000 100000            # on a Ray cluster of two workers
    python benchmarks/growth.py --items 10000 --kill                 # with one worker killed, beside one process
    python benchmarks/growth.py --table figures.jsonl --svg growth.svg

Each run is the command ``conqret judge`` in a process of its own, over items of three documents of 100 words, one
question each (direct, groundedness), against a loopback server in another process that answers after a millisecond.
Memory is the high-water mark (VmHWM) of the driver and of the largest worker. Every run is a line of JSON in ``--to``.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from conqret.show.charts import Chart, ChartLine, Point
from tests.runs.killed import results

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS, WORDS = 3, 100
LATENCY = 0.001
AT_ONCE = 512
POLL = 0.25
SENTENCE = (
    "The council heard evidence that night buses cut accidents by a third, but two studies dispute it".split()
)


def write_items(path: Path, count: int) -> None:
    body = " ".join((SENTENCE * WORDS)[:WORDS])
    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            documents = [
                {"id": f"{number}-{n}", "text": f"Report {number}.{n}. {body}"} for n in range(DOCUMENTS)
            ]
            argument = f"Accidents fell by {number % 90}% [1], and most studies agree [2]."
            item = {
                "id": f"item-{number}",
                "topic": f"Should bus {number} run at night?",
                "documents": documents,
            }
            file.write(json.dumps(item | {"argument": argument}) + "\n")


@contextlib.contextmanager
def server() -> Iterator[str]:
    command = [sys.executable, "-m", "tests.server", "--latency", str(LATENCY), "--constant"]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.kill()
        process.wait()


def judge(items: Path, out: Path, url: str, engine: str, workers: int, kill_at: int | None) -> dict[str, Any]:
    """Run the command; its figures."""
    command = [
        sys.executable, "-m", "conqret", "judge", str(items), "--format", "direct", "--metric", "groundedness",
        "--model", "openai/judge", "--api-base", url, "--max-concurrency", str(AT_ONCE), "-o", str(out),
        "--input-price", "1", "--output-price", "1",
    ]  # fmt: skip
    if engine == "ray":
        command += ["--engine", "ray", "--workers", str(workers)]
    environment = os.environ | {"OPENAI_API_KEY": "none", "RAY_worker_niceness": "0"}
    began = time.perf_counter()
    with (out.parent / f"{out.name}.log").open("w") as log:
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=log)
        peaks, killed = watch(process, out / "judgments.jsonl", kill_at)
    seconds = time.perf_counter() - began
    if process.returncode:
        raise SystemExit((out.parent / f"{out.name}.log").read_text()[-2000:])
    sizes = {file.name: file.stat().st_size for file in out.iterdir() if file.is_file()}
    sizes["asked"] = (
        sum(file.stat().st_size for file in (out / "asked").glob("*")) if (out / "asked").is_dir() else 0
    )
    session = json.loads((out / "summary.json").read_bytes())["session"]
    return {
        "engine": engine, "workers": workers, "seconds": seconds, "killed": killed, "sent": session["sent"], **peaks,
        "sizes": sizes,
    }  # fmt: skip


def watch(process: subprocess.Popen[bytes], rows: Path, kill_at: int | None) -> tuple[dict[str, float], bool]:
    """The high-water marks (MB) until the end; a worker is killed once there are ``kill_at`` bytes of rows."""
    peaks, killed, spent = {"driver": 0.0, "worker": 0.0, "ray": 0.0}, False, dict[int, float]()
    while process.poll() is None:
        time.sleep(POLL)
        family = dict(descendants(process.pid))
        peaks["driver"] = max(peaks["driver"], memory(process.pid))
        working = [number for number, name in family.items() if name.startswith("ray::Worker")]
        peaks["worker"] = max(peaks["worker"], *map(memory, working), 0.0)
        spent |= {number: max(cpu(number), spent.get(number, 0.0)) for number in (process.pid, *working)}
        peaks["ray"] = max(peaks["ray"], sum(memory(number) for number in family if number not in working))
        if kill_at and not killed and working and rows.exists() and rows.stat().st_size > kill_at:
            os.kill(working[0], signal.SIGKILL)
            killed = True
    driver = spent.pop(process.pid)
    return peaks | {"driver_cpu": driver, "workers_cpu": sum(spent.values())}, killed


def cpu(number: int) -> float:
    """CPU seconds that a process has taken; 0 where it is gone."""
    with contextlib.suppress(OSError):
        user, system = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")
    return 0.0


def descendants(ancestor: int) -> Iterator[tuple[int, str]]:
    parents, names = {}, {}
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, IndexError):
            parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            names[int(folder.name)] = (folder / "cmdline").read_bytes().split(b"\0")[0].decode()
    for number, name in names.items():
        above = number
        while above in parents and above != ancestor:
            above = parents[above]
        if above == ancestor and number != ancestor:
            yield number, name


def memory(number: int) -> float:
    """The high-water mark of a process in MB; 0 where it is gone."""
    with contextlib.suppress(OSError, StopIteration):
        lines = Path(f"/proc/{number}/status").read_text().splitlines()
        return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) / 1024
    return 0.0


def measure(counts: Sequence[int], engine: str, workers: int, to: Path, kill: bool) -> None:
    for count in counts:
        with tempfile.TemporaryDirectory(prefix="growth-") as name, server() as url:
            folder = Path(name)
            write_items(folder / "items.jsonl", count)
            per_row = 0
            if kill:
                whole = judge(folder / "items.jsonl", folder / "process", url, "process", 1, None)
                print(json.dumps({"items": count, **whole}), flush=True)
                per_row = whole["sizes"]["judgments.jsonl"] // count
            row = {"items": count} | judge(
                folder / "items.jsonl", folder / "run", url, engine, workers, per_row * count // 3 or None
            )
            if kill:
                row["equal"] = results(folder / "run") == results(folder / "process")
        with to.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
        print(json.dumps(row), flush=True)


def table(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    yield "| items | seconds | items a second | driver, MB | largest worker, MB | run folder, MB | items aside, MB |"
    yield "|---:|---:|---:|---:|---:|---:|---:|"
    for row in rows:
        size, items = sum(row["sizes"].values()) / 1e6, row["sizes"]["items.jsonl"] / 1e6
        yield (
            f"| {row['items']:,} | {row['seconds']:.0f} | {row['items'] / row['seconds']:.0f} | {row['driver']:.0f} | "
            f"{row['worker']:.0f} | {size:.1f} | {size - items:.1f} |"
        )


def chart(rows: Sequence[Mapping[str, Any]]) -> Chart:
    """Time and disk an item, and memory of the processes, each as a share of its largest."""

    def line(name: str, values: Sequence[float]) -> ChartLine:
        return ChartLine(
            name,
            [
                Point(row["items"] / 1000, value / max(values))
                for row, value in zip(rows, values, strict=True)
            ],
        )

    return Chart(
        "How a run grows",
        "thousands of items",
        "share of the largest",
        [
            line("seconds an item", [row["seconds"] / row["items"] for row in rows]),
            line(
                "bytes an item in the run folder", [sum(row["sizes"].values()) / row["items"] for row in rows]
            ),
            line("memory of the driver", [row["driver"] for row in rows]),
            line("memory of a worker", [row["worker"] for row in rows]),
        ],
        logarithmic=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--items", type=int, nargs="+", default=[])
    parser.add_argument("--engine", choices=("ray", "process"), default="ray")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--kill", action="store_true", help="kill a worker, and compare with one process")
    parser.add_argument("--to", type=Path, default=Path("growth.jsonl"))
    parser.add_argument("--table", type=Path, help="a file of figures to show")
    parser.add_argument("--svg", type=Path)
    chosen = parser.parse_args()
    measure(chosen.items, chosen.engine, chosen.workers, chosen.to, chosen.kill)
    if chosen.table:
        rows = [json.loads(line) for line in chosen.table.read_text(encoding="utf-8").splitlines()]
        print(*table(rows), sep="\n")
        if chosen.svg:
            chosen.svg.write_text(chart(rows).svg(), encoding="utf-8")


if __name__ == "__main__":
    main()
