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
import tomllib
from functools import partial
from pathlib import Path

from conqret.cli.main import as_options, run_command

BASE = "base"
"""What the model is called that was not tuned."""

debate = partial(run_command, "debate")


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
        debate("hold", file.parent / plan["topics"], *as_options(plan.get("hold", {}) | variant), "-o", held)
        debate("export", held, *as_options(plan.get("export", {})), "-o", out / "data" / name)
        data = out / "data" / name / "train.jsonl"
        debate("tune", data, "--model", model, *as_options(plan.get("tune", {})), "-o", out / "tuned" / name)
    test = out / "data" / plan["tested_on"] / "test.jsonl"
    for name in (BASE, *plan["variants"]):
        writer = model if name == BASE else out / "tuned" / name / "model"
        shown = ("--model", f"local/{writer}", "--system", name, *as_options(plan.get("write", {})))
        debate("write", test, *shown, "-o", out / "written" / name)
    debate("score", *written, *as_options(plan.get("score", {})), "-o", out / "controllability")
    debate("score", *written, "--against", BASE, *as_options(plan.get("quality", {})), "-o", out / "quality")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("-o", "--output", type=Path, default=Path("runs/ablations"))
    options = parser.parse_args()
    ablations(options.file, options.output)
