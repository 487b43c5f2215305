"""Run the commands of an experiment file one after another: ablations and experiments of papers, each in one file.

    python scripts/experiment_steps.py fixtures/debate_ablations.toml -o runs/ablations

``steps`` are commands of conqret, or of ``python``. In a step ``{out}`` is the folder of ``-o``, ``{name}`` a value of
the file, or the options in its table ``[name]``, if any. A step with the name of a table of tables runs once for each
of them: ``{variants}`` is what it is called, ``{variants.options}`` are its options, ``{variants.key}`` is one value.
Words with ``*`` stand for the files of ``{out}`` that match (``--answers={out}/*`` for as many options). Values that
begin with ``./`` or ``../`` are paths relative to the file.

Every command is printed as one could type it. Steps that have ended well are in ``finished.jsonl`` of the folder and
are not run again, so that the same call goes on where it stopped; delete the file to run all of them again.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from conqret.cli.main import main as conqret_main  # noqa: E402 - after the checkout is on the path

PLACEHOLDER = re.compile(r"\{([\w-]+)(?:\.([\w-]+))?\}")


def run_command(*arguments: object) -> None:
    """Run one command of conqret in this process, after printing it as it would be typed.

    The words of the command are the arguments: ``"debate", "hold", ...``.

    Raises:
        SystemExit: the command failed; the exception has its exit code.
    """
    words = ["conqret", *map(str, arguments)]
    print(f"$ {shlex.join(words)}", flush=True)
    before, sys.argv = sys.argv, words
    try:
        conqret_main()
    except SystemExit as end:
        if end.code:
            raise
    finally:
        sys.argv = before


def as_options(table: Mapping[str, Any]) -> Iterator[str]:
    """Convert a table of options to command-line words: ``{"epochs": 3, "lora": true}`` to ``--epochs 3
    --lora``.

    Options with the value False are left out.
    """
    for name, value in table.items():
        if value is not False:
            yield f"--{name}"
            yield from () if value is True else (str(value),)


def experiment(file: Path, out: Path) -> None:
    """Run the steps of the file that have not ended well before, with their results in folders of ``out``.

    Raises:
        SystemExit: a command failed; the same call goes on there.
    """
    out.mkdir(parents=True, exist_ok=True)
    finished = out / "finished.jsonl"
    before = finished.read_text(encoding="utf-8").splitlines() if finished.exists() else []
    for words in commands(tomllib.loads(file.read_text(encoding="utf-8")), file.parent, out):
        line = json.dumps(words)
        if line in before:
            continue
        if words[0] == "python":
            print(f"$ {shlex.join(words)}", flush=True)
            if code := subprocess.run([sys.executable, *words[1:]], check=False).returncode:
                sys.exit(code)
        else:
            run_command(*words)
        with finished.open("a", encoding="utf-8") as ended:
            ended.write(line + "\n")


def commands(plan: Mapping[str, Any], folder: Path, out: Path) -> Iterator[list[str]]:
    """Yield the words of each command; a pattern in it is matched when its turn comes."""
    for step in plan["steps"]:
        names = dict.fromkeys(name for name, _ in PLACEHOLDER.findall(step))
        loops = [name for name in names if _is_loop(plan.get(name))]
        for tables in product(*(plan[name].items() for name in loops)):
            values = {**plan, "out": str(out), **dict(zip(loops, tables, strict=True))}
            yield [word for part in shlex.split(step) for word in _words(part, values, folder)]


def _is_loop(value: object) -> bool:
    return isinstance(value, dict) and bool(value) and all(isinstance(one, dict) for one in value.values())


def _words(part: str, values: Mapping[str, Any], folder: Path) -> list[str]:
    """The words that a part of a step stands for."""
    alone = PLACEHOLDER.fullmatch(part)
    if alone and isinstance(options := _value(alone, values), dict):
        return [_placed(word, values, folder) for word in as_options(options)]
    word = PLACEHOLDER.sub(lambda found: _placed(str(_value(found, values)), values, folder), part)
    option, equals, pattern = word.rpartition("=")
    if "*" not in pattern:
        return [word]
    out = values["out"]
    return [f"{option}{equals}{path}" for path in sorted(Path(out).glob(pattern.removeprefix(f"{out}/")))]


def _value(found: re.Match[str], values: Mapping[str, Any]) -> Any:
    """What a placeholder stands for: options as a dictionary."""
    name, key = found.groups()
    value = values.get(name, {})
    if isinstance(value, tuple):
        called, options = value
        return called if key is None else options if key == "options" else options[key]
    return value


def _placed(text: str, values: Mapping[str, Any], folder: Path) -> str:
    """A value of the file, with ``{out}`` in it filled in, and made a path where it is one."""
    text = text.replace("{out}", values["out"])
    return os.path.normpath(folder / text) if text.startswith(("./", "../")) else text


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    chosen = parser.parse_args()
    experiment(chosen.file, chosen.output)
