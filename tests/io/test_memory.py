"""Reading items of 20 kB takes the same memory, however many they are."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

FEW, MANY, DOCUMENT = 1_500, 4_000, "Zoos keep rare species alive, and keep them behind bars. " * 35
LIMIT_MB, GROWTH_MB = 250, 25
"""The most that reading takes, and what it may take more where there are 50 MB more of text."""
STATUS = Path("/proc/self/status")

READ = """
import pathlib, re, sys
from conqret.io import open_items
source = open_items(sys.argv[1])
assert source.check().count == sum(1 for _ in source) == int(sys.argv[2])
print(re.search(r"VmHWM:\\s+(\\d+) kB", pathlib.Path("/proc/self/status").read_text())[1])
"""


@pytest.mark.slow
@pytest.mark.skipif(not STATUS.exists(), reason="needs /proc, where the peak is of this process alone")
def test_peak_memory(tmp_path):
    few, many = (peak_mb(tmp_path / f"{count}.jsonl", count) for count in (FEW, MANY))
    assert many - few < GROWTH_MB
    assert many < LIMIT_MB


def peak_mb(path, items):
    """The peak memory (MB) of a process that checks and reads a file of so many items."""
    documents = [{"id": str(n), "text": f"{n} {DOCUMENT}"} for n in range(10)]
    with path.open("w") as file:
        shown = json.dumps(documents)
        for n in range(items):
            file.write(f'{{"id": "{n}", "topic": "T?", "documents": {shown}}}\n')
    assert path.stat().st_size > items * 20_000
    run = subprocess.run(
        [sys.executable, "-c", READ, str(path), str(items)], check=True, capture_output=True, text=True
    )
    return int(run.stdout) / 1024
