"""What action.yml runs judges a file, and fails where a mean is under what is required."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ITEM = '{"id": "a", "topic": "T?", "documents": ["Cages are small."], "argument": "Cages are small [1]."}\n'


@pytest.mark.parametrize(
    ("required", "code"), [("groundedness >= 0\ncoverage >= 1", 0), ("groundedness > 1", 1), ("x > 1", 2)]
)
def test_the_action(tmp_path: Path, required: str, code: int) -> None:
    (tmp_path / "--items.jsonl").write_text(ITEM, encoding="utf-8")
    given = {
        "ITEMS": "--items.jsonl", "FORMAT": "direct", "MODEL": "offline", "OUTPUT": "out", "REQUIRE": required,
        "ARGUMENTS": "--metric\ngroundedness", "CONQRET": str(Path(sys.executable).parent / "conqret"),
        "PYTHONPATH": str(ROOT),
    }  # fmt: skip
    done = subprocess.run(
        ["bash", ROOT / "scripts" / "action.sh"],
        cwd=tmp_path,
        env={**os.environ, **given},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, (tmp_path / "out" / "report.html").exists()) == (code, code < 2), done.stderr
