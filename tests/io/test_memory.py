"""Reading 10,000 items of 20 kB stays in flat memory."""

import json
import subprocess
import sys
from pathlib import Path

import polars
import pytest

ITEMS, DOCUMENT = 10_000, "Zoos keep rare species alive, and keep them behind bars. " * 35
LIMIT_MB = 250
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
@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_peak_memory(form, tmp_path):
    path = tmp_path / f"items.{form}"
    documents = [{"id": str(n), "text": f"{n} {DOCUMENT}"} for n in range(10)]
    if form == "jsonl":
        with path.open("w") as file:
            shown = json.dumps(documents)
            for n in range(ITEMS):
                file.write(f'{{"id": "{n}", "topic": "T?", "documents": {shown}}}\n')
        assert path.stat().st_size > ITEMS * 20_000
    else:
        frame = polars.DataFrame({"topic": ["T?"], "documents": [documents]})
        polars.concat([frame] * ITEMS).write_parquet(path, compression="uncompressed", use_pyarrow=False)
    run = subprocess.run(
        [sys.executable, "-c", READ, str(path), str(ITEMS)], check=True, capture_output=True, text=True
    )
    assert int(run.stdout) / 1024 < LIMIT_MB
