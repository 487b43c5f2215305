"""Small files that unpack to gigabytes, and large ones where small ones belong: each reader refuses them in flat
memory, and says what is wrong."""

from __future__ import annotations

import gzip
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import conqret
from conqret.errors import DeclarationError
from conqret.io import limits
from conqret.io.trec import read_run
from tests.runs.killed import ROOT, Forks
from tests.torture.effort import times

MIB = 2**20
MEMORY = 1200 * MIB
"""What a command may take beside what is loaded; sound files of these kinds take a tenth."""
DEMO = ROOT / "fixtures/demo/items.jsonl"

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the limit of memory is that of Linux")


def refused(forks: Forks, tmp_path: Path, *arguments: object, code: int = 2) -> str:
    """What a command says that has little memory, and ends with ``code``."""
    said = tmp_path / "said"
    said.unlink(missing_ok=True)
    forks.start(*arguments, err=said, memory=MEMORY)
    ended = forks.end()
    text = said.read_text(errors="replace")
    assert "Traceback" not in text, text[-3000:]
    assert ended == code, text[-3000:]
    return " ".join(text.split())


def sparse(file: Path, size: int = 4 * 2**30) -> Path:
    """A file that is large and takes no room."""
    file.unlink(missing_ok=True)
    with file.open("wb") as out:
        out.truncate(size)
    return file


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bombs") / "run"
    conqret.judge(DEMO, format="direct", output=folder)
    return folder


LONG = "is longer than 64 MiB"


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("run.res.gz", ("retrieve", "evaluate", ROOT / "fixtures/corpus", "--systems", "own=FILE")),
        ("items.jsonl.gz", ("judge", "FILE", "-o", "OUT")),
    ],
)
def test_a_line_without_an_end(
    name: str, arguments: tuple[object, ...], forks: Forks, tmp_path: Path
) -> None:
    file = tmp_path / name
    file.write_bytes(gzip.compress(b"a" * (64 * MIB), 1) * times(3, 100))
    given = [
        str(argument).replace("FILE", str(file)).replace("OUT", str(tmp_path / "out"))
        for argument in arguments
    ]
    assert LONG in refused(forks, tmp_path, *given)
    assert not (tmp_path / "out").exists()


def test_more_lines_than_the_memory_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = tmp_path / "run.res.gz"
    with gzip.open(run, "wb", 1) as out:
        out.write(b"".join(b"t Q0 d%d 1 1.0 x\n" % number for number in range(20_000)))
    monkeypatch.setenv(limits.UNPACKED.variable, "10000")
    with pytest.raises(DeclarationError, match=r"more than 10,000 bytes: split it, or raise the limit"):
        for _ in read_run(run):
            pass


@pytest.mark.parametrize(
    ("name", "said", "command"),
    [
        ("run.json", "is larger than 64 MiB", ("runs", "report", "RUN")),
        ("judgments.jsonl", LONG, ("runs", "diff", "RUN", "SOUND")),
        ("items.jsonl", LONG, ("runs", "report", "RUN")),
    ],
)
def test_a_large_file_in_a_run(
    name: str, said: str, command: tuple[str, ...], run: Path, forks: Forks, tmp_path: Path
) -> None:
    other = shutil.copytree(run, tmp_path / "other")
    sparse(other / name)
    assert said in refused(
        forks, tmp_path, *({"RUN": other, "SOUND": run}.get(word, word) for word in command)
    )


def test_large_files_elsewhere(run: Path, forks: Forks, tmp_path: Path) -> None:
    large = sparse(tmp_path / "large.json")
    for arguments in (
        ("judge", DEMO, "--format", "direct", "--calibration", large, "-o", tmp_path / "out"),
        ("judge", DEMO, "--config", large, "-o", tmp_path / "out"),
        ("experiment", large, "-o", tmp_path / "out"),
    ):
        said = refused(forks, tmp_path, *arguments)
        assert "64 MiB" in said, (arguments, said)


READ = """
import sys
import zlib
from pathlib import Path
from conqret.errors import Fault
from conqret.io.files import parquet_rows
rows = faults = 0
for row in parquet_rows(Path(sys.argv[1]), "file"):
    rows, faults = rows + 1, faults + isinstance(row, Fault)
    if rows > 60:
        break
with open("/proc/self/status") as status:
    peak = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
print(rows, faults, peak // 1024)
"""


def test_a_parquet_file_of_kilobytes(tmp_path: Path) -> None:
    """Its cells name one text of megabytes over and over."""
    file = tmp_path / "items.parquet"
    pa, pq = (pytest.importorskip(name) for name in ("pyarrow", "pyarrow.parquet"))
    same = pa.DictionaryArray.from_arrays(pa.array([0] * 400, pa.int32()), pa.array(["a" * (5 * MIB)]))
    pq.write_table(pa.table({"topic": ["t"] * 400, "argument": same}), file, compression="zstd")
    assert file.stat().st_size < MIB
    done = subprocess.run(
        [sys.executable, "-c", READ, str(file)], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert done.returncode == 0, done.stderr[-2000:]
    rows, _, peak = map(int, done.stdout.split())
    assert peak < 600, peak
    assert rows == 61
