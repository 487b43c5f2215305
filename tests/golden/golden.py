"""What every command computes on the fixtures, as digests: results that must not change while the code is rebuilt.

    python -m tests.golden.golden --to runs/golden     # what the digests are made of, to compare
    python -m tests.golden.golden --write              # takes the digests anew; a commit says why they changed

A scenario is a list of commands. Of each the answer on standard output counts where it is JSON, and every file of data
that it wrote; of its pages the rows of their tables, as their other words may change. Times, costs, counts of the
session and places on the disk are left out, and floats are rounded, so that another machine gives the same digest.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import os
import re
import shlex
import sqlite3
import tempfile
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import polars
from lxml import html

from conqret.judging.judge_parts import JUDGES
from tests.runs.killed import Forks

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
DIGESTS = HERE / "digests.json"
DIGITS = 8
VOLATILE = frozenset(
    "created session trace calls usage seconds elapsed latency conqret version versions python made date when".split()
)
DURATION = re.compile(r"[\d.,]+ (ms|s|min|h)")
PICTURES = frozenset({".svg", ".png", ".md", ".tex", ".pdf"})
FORMATS = (
    "judge fixtures/demo/items.jsonl --format {} -o OUT/{} --json",
    "judge fixtures/examples/ragas_with_gaps.jsonl --format {} --skip-invalid -o OUT/{}-gaps --json",
)
NO_FORMATS = frozenset({"likelihood", "nugget-assignments", "nuggets", "verdicts"})
# they need weights, nuggets, or a log

Results = dict[str, Any]


def scenarios() -> dict[str, list[str]]:
    """The commands by scenario."""
    found: dict[str, list[str]] = tomllib.loads((HERE / "scenarios.toml").read_text(encoding="utf-8"))[
        "scenarios"
    ]
    names = sorted(name for name in JUDGES if name not in NO_FORMATS)
    return {"formats": [line.format(name, name) for line in FORMATS for name in names], **found}


def results(forks: Forks, commands: Iterable[str], out: Path) -> Results:
    """What the commands answered and wrote, by command and by file."""
    found: Results = {}
    for number, command in enumerate(commands, start=1):
        answer = out / f".answer-{number}"
        words = [word.replace("OUT", str(out)) for word in shlex.split(command)]
        forks.start(*words, out=answer, err=out / f".errors-{number}")
        code = forks.end()
        try:
            value = _plain(json.loads(answer.read_bytes()), out)
        except ValueError:
            value = None
        found[command] = {"code": code, "answer": value}
    for file in sorted(out.rglob("*")):
        if file.is_file() and not file.name.startswith(".") and file.suffix not in PICTURES:
            found[file.relative_to(out).as_posix()] = _plain(_content(file), out)
    return found


def _content(file: Path) -> Any:
    if file.suffix == ".json":
        return json.loads(file.read_bytes())
    if file.suffix == ".jsonl":
        return [json.loads(line) for line in file.read_bytes().splitlines()]
    if file.suffix == ".html":
        return _table_rows(file)
    if file.suffix == ".parquet":
        return polars.read_parquet(file).to_dicts()
    if file.suffix == ".sqlite":
        with sqlite3.connect(f"file:{file}?mode=ro", uri=True) as store:
            return sorted(key for (key,) in store.execute("select key from recordings"))
    return file.read_text(encoding="utf-8", errors="replace")


def _table_rows(page: Path) -> list[list[str]]:
    """The cells of each row of the page's tables, durations aside."""
    rows = html.fromstring(page.read_bytes()).iter("tr")
    cells = ([" ".join(cell.text_content().split()) for cell in row.iter("th", "td")] for row in rows)
    return [[cell for cell in row if not DURATION.fullmatch(cell)] for row in cells]


def _plain(value: Any, out: Path) -> Any:
    if isinstance(value, Mapping):
        return {_plain(key, out): _plain(cell, out) for key, cell in value.items() if key not in VOLATILE}
    if isinstance(value, list | tuple):
        return [_plain(one, out) for one in value]
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}") if math.isfinite(value) else str(value)
    return value.replace(str(out), "OUT").replace(str(ROOT), "ROOT") if isinstance(value, str) else value


def digests(found: Results) -> dict[str, str]:
    """A digest of each result, by its name."""
    return {
        name: hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()[:16]
        for name, value in found.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--to", type=Path, help="keep the results in this folder")
    parser.add_argument("--write", action="store_true", help="take the digests anew")
    parser.add_argument("names", nargs="*", help="scenarios (all)")
    args = parser.parse_args()
    wanted = args.names or list(scenarios())
    taken = json.loads(DIGESTS.read_text()) if DIGESTS.exists() else {}
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    with Forks() as forks:
        for name in wanted:
            with tempfile.TemporaryDirectory() as folder:
                found = results(forks, scenarios()[name], Path(folder).resolve())
            new = digests(found)
            old = taken.get(name, {})
            changed = [part for part in {**old, **new} if old.get(part) != new.get(part)]
            print(f"{name}: {len(new)} results, {len(changed)} changed")
            print(*(f"  {part}" for part in changed), sep="\n", end="\n" if changed else "")
            print(
                *(
                    f"  code {v['code']}: {k}"
                    for k, v in found.items()
                    if isinstance(v, dict) and v.get("code")
                ),
                sep="\n",
            )
            if args.to:
                args.to.mkdir(parents=True, exist_ok=True)
                (args.to / f"{name}.json").write_text(
                    json.dumps(found, indent=1, sort_keys=True, default=str)
                )
            taken[name] = new
    if args.write:
        DIGESTS.write_text(json.dumps(taken, indent=1) + "\n")


if __name__ == "__main__":
    main()
