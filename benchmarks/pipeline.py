"""The whole offline pipeline: items a second, peak memory over 10,000 items, and start-up times.

    python benchmarks/pipeline.py                   # throughput, memory, start-up
    python benchmarks/pipeline.py --items 500 --skip-memory

Throughput is in items a CPU second of one process, over items with ten documents of 300 words: of the
offline model alone (evidence, and its answer to rag-fine-grained), of judging in memory (prompt, key, answer,
validation, measures), and of a whole run (the same with reading, checking, recording, writing, summing up).
Texts come round again only after 240 others, so hardly any analysis of a text is found done.
Memory is the child's own high-water mark (VmHWM), in a process that judges and nothing else.
"""

from __future__ import annotations

import argparse
import itertools
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS, WORDS = 10, 300

_CHILD = """
import sys, time
from pathlib import Path
from conqret.judging.judgments import JudgePlan, judge_items
from conqret.runs.session import Session
from conqret.judging.judge_folder import JudgeFolder
from conqret.judging.setup import check_items, set_up
from conqret.io import open_items
from conqret.judging.judge_options import JudgeOptions
from conqret.llm.client_options import ClientOptions

items, out = Path(sys.argv[1]), Path(sys.argv[2])
cpu, wall = time.process_time(), time.perf_counter()
setup = set_up("rag-fine-grained", ClientOptions("offline"), JudgeOptions())
source = open_items(items)
checked, setup = check_items(source, setup)
start = time.process_time()
plan = JudgePlan(Session(setup.client), JudgeFolder(out), source, checked, setup)
outcome = plan.session.run(lambda client: judge_items(plan))
peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1]
print(outcome.summary.scored, time.process_time() - cpu, time.perf_counter() - wall, time.process_time() - start, peak)
"""


def write_items(path: Path, count: int) -> None:
    """``count`` items from the demo set: ten documents each, cut or filled to about 300 words."""
    demo = [json.loads(line) for line in (ROOT / "fixtures/demo/items.jsonl").open(encoding="utf-8")]
    with path.open("w", encoding="utf-8") as file:
        for number, item in zip(range(count), itertools.cycle(demo), strict=False):
            documents = [
                document
                | {"text": " ".join(itertools.islice(itertools.cycle(document["text"].split(" ")), WORDS))}
                for document in item["documents"][:DOCUMENTS]
            ]
            row = item | {
                "id": f"item-{number}",
                "topic": f"{item['topic']} ({number})",
                "documents": documents,
            }
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


_MEMORY = """
import asyncio, sys, time
from functools import partial
from pathlib import Path
from conqret.judging.setup import set_up
from conqret.judging.instrument import judge_item
from conqret.runs.trials import collect
from conqret.io import open_items
from conqret.judging.judge_options import JudgeOptions
from conqret.judging.judge_parts import Case
from conqret.llm.client import Client
from conqret.llm.client_options import ClientOptions

items = list(open_items(Path(sys.argv[1])))
setup = set_up("rag-fine-grained", ClientOptions("offline"), JudgeOptions())
(ask,) = setup.judge.asks

async def judge(some):
    async with Client(setup.client, store=None) as client:
        instrument = setup.instrument(client)
        return await collect(((item.id, partial(judge_item, item, instrument)) for item in some), in_flight=1)

asyncio.run(judge(items[:24]))
start = time.process_time()
for item in items:
    ask.baseline(Case(item, setup.options))
model = time.process_time() - start
start = time.process_time()
asyncio.run(judge(items))
print(len(items) / model, len(items) / (time.process_time() - start))
"""


def in_memory(count: int) -> tuple[float, float]:
    """Items a CPU second of the offline model alone, and of judging in memory, in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        items = Path(folder) / "items.jsonl"
        write_items(items, count)
        done = subprocess.run(
            [sys.executable, "-c", _MEMORY, str(items)], check=True, capture_output=True, text=True, cwd=ROOT
        )
    model, judged = done.stdout.split()
    return float(model), float(judged)


def run(count: int) -> tuple[int, float, float, float, int]:
    """Judge ``count`` items in a process of its own: scored, CPU s, wall s, CPU s of the run alone, peak kB."""
    with tempfile.TemporaryDirectory() as folder:
        items = Path(folder) / "items.jsonl"
        write_items(items, count)
        done = subprocess.run(
            [sys.executable, "-c", _CHILD, str(items), str(Path(folder) / "run")],
            check=True, capture_output=True, text=True, cwd=ROOT,
        )  # fmt: skip
    scored, cpu, wall, run_cpu, peak = done.stdout.split()
    return int(scored), float(cpu), float(wall), float(run_cpu), int(peak)


def start_up(*command: str, runs: int = 5) -> float:
    """The median wall seconds of a command."""
    seconds = []
    for _ in range(runs):
        start = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True, cwd=ROOT)
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


def main() -> None:
    """Print one line a figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=1000)
    parser.add_argument("--skip-memory", action="store_true")
    chosen = parser.parse_args()
    model, judged = in_memory(chosen.items)
    print(f"items a CPU second: {model:.0f} by the offline model alone, {judged:.0f} judged in memory")
    scored, cpu, wall, run_cpu, peak = run(chosen.items)
    print(f"{scored} items: {scored / run_cpu:.0f} a CPU second judged, {scored / cpu:.0f} with reading and checking, "
          f"{scored / wall:.0f} a wall second; peak {peak / 1024:.0f} MB")  # fmt: skip
    if not chosen.skip_memory:
        scored, cpu, wall, run_cpu, peak = run(10_000)
        print(f"{scored} items: {scored / cpu:.0f} a CPU second; peak {peak / 1024:.0f} MB")
    print(
        f"conqret --help: {start_up(sys.executable, '-m', 'conqret.cli.main', '--help'):.3f} s (median of 5)"
    )
    print(f"import conqret: {start_up(sys.executable, '-c', 'import conqret'):.3f} s (median of 5)")
    print(f"python itself:  {start_up(sys.executable, '-c', 'pass'):.3f} s (median of 5)")


if __name__ == "__main__":
    main()
