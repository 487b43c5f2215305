"""DEBATunE's Table 2 for a model of one's own: what rounds and arguments of the debates do to the tuned model.

    python scripts/debate_ablations.py fixtures/debate_ablations.toml -o runs/ablations

Each variant of the file is debated (``conqret debate hold``), exported, and trained on (``tune``); then all tuned
models and the base model write statements on the same topics, which none of them was trained on (``write``), and
``score`` and ``quality`` say how they fare. A table of the file that has a command's name holds options of that
command. Every command is printed as one could type it, keeps its own folder, and goes on where it stopped: so does the
whole.
"""

from __future__ import annotations

import argparse
import shlex
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from conqret.cli.main import main as conqret

BASE = "base"
"""What the model is called that was not tuned."""


def ablations(file: Path, out: Path) -> None:
    """Do all that the file asks for, into folders of ``out``; paths in the file are relative to it.

    Raises:
        SystemExit: a command failed; the same call goes on there.
    """
    plan = tomllib.loads(file.read_text(encoding="utf-8"))
    model = file.parent / plan["model"]
    written = [out / "written" / name / "statements.jsonl" for name in (BASE, *plan["variants"])]
    for name, variant in plan["variants"].items():
        held = out / "held" / name
        run("hold", file.parent / plan["topics"], *options(plan.get("hold", {}) | variant), "-o", held)
        run("export", held, *options(plan.get("export", {})), "-o", out / "data" / name)
        data = out / "data" / name / "train.jsonl"
        run("tune", data, "--model", model, *options(plan.get("tune", {})), "-o", out / "tuned" / name)
    test = out / "data" / plan["tested_on"] / "test.jsonl"
    for name in (BASE, *plan["variants"]):
        writer = model if name == BASE else out / "tuned" / name / "model"
        shown = ("--model", f"local/{writer}", "--system", name, *options(plan.get("write", {})))
        run("write", test, *shown, "-o", out / "written" / name)
    run("score", *written, *options(plan.get("score", {})), "-o", out / "controllability")
    run("quality", *written, "--against", BASE, *options(plan.get("quality", {})), "-o", out / "quality")


def options(table: Mapping[str, Any]) -> Iterator[str]:
    """``{"epochs": 3, "lora": true}`` as ``--epochs 3 --lora``."""
    for name, value in table.items():
        if value is not False:
            yield f"--{name}"
            yield from () if value is True else (str(value),)


def run(*arguments: object) -> None:
    """Run one command in this process, and stop with its exit code where it fails."""
    words = ["conqret", "debate", *map(str, arguments)]
    print(f"$ {shlex.join(words)}", flush=True)
    before, sys.argv = sys.argv, words
    try:
        conqret()
    except SystemExit as end:
        if end.code:
            raise
    finally:
        sys.argv = before


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("-o", "--output", type=Path, default=Path("runs/ablations"))
    given = parser.parse_args()
    ablations(given.file, given.output)
