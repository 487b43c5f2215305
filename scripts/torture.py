"""Run every attack of docs/results/attacks.md, at full length, and write its table with what came of each.

The rows stand in docs/results/attacks.md alone; each names its tests there. The command runs these tests and those of
tests/torture (CONQRET_TORTURE=1 makes them long), and writes a table with an outcome for each row. Exit code 1 where
a row's tests failed, were skipped, or do not exist.

python scripts/torture.py --to runs/torture.md --jobs 2
"""

from __future__ import annotations

import argparse
import ast
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "results" / "attacks.md"
FOLDER = "tests/torture"
HEAD = "| Attack | Outcome | Test |"
_NAMED = re.compile(r"`([\w/]*\.py)?(?:::(\w+))?`")


@dataclass(frozen=True)
class Row:
    """An attack, what should come of it, and the tests: pairs of a file and a function (empty: all of the file)."""

    attack: str
    outcome: str
    tests: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Result:
    """A test that was run: where it stands, "passed", "failed" or "skipped", and the seconds that it took."""

    file: str
    name: str
    outcome: str
    seconds: float


def rows() -> list[Row]:
    """The rows of the page, in its order."""
    lines = PAGE.read_text(encoding="utf-8").split(HEAD)[1].strip().splitlines()[1:]
    return [_row(line) for line in lines if line.startswith("|")]


def missing(found: list[Row]) -> Iterator[str]:
    """What is wrong with rows: no test, or one that does not exist."""
    for row in found:
        if not row.tests:
            yield f"{row.attack}: no test"
        for file, name in row.tests:
            path = ROOT / file
            if not path.is_file():
                yield f"{row.attack}: there is no file {file}"
            elif name and name not in _functions(path):
                yield f"{row.attack}: there is no test {name} in {file}"


def table(found: list[Row], results: list[Result]) -> tuple[str, bool]:
    """The table in Markdown, with what came of each row, and whether all of them held."""
    lines, held = [], True
    for row in found:
        own = [
            result
            for result in results
            for file, name in row.tests
            if result.file == file and name in ("", result.name)
        ]
        bad = [one for one in own if one.outcome != "passed"]
        seconds = sum(one.seconds for one in own)
        told = f"holds: {len(own)} tests in {seconds:.1f} s" if own and not bad else "DOES NOT HOLD"
        told += "".join(f"; {one.name} {one.outcome}" for one in bad[:3]) if own else ": no test was run"
        held &= bool(own) and not bad
        lines.append(f"| {row.attack} | {row.outcome} | {told} |")
    return "\n".join(["| Attack | Outcome | Now |", "|---|---|---|", *lines, ""]), held


def main() -> int:
    """Run the tests and write the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--to", type=Path, default=ROOT / "runs" / "torture.md")
    parser.add_argument("--jobs", default="2")
    options = parser.parse_args()
    found = rows()
    if wrong := list(missing(found)):
        print(*wrong, sep="\n", file=sys.stderr)
        return 1
    nodes = dict.fromkeys(f"{file}::{name}" if name else file for row in found for file, name in row.tests)
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = [
            sys.executable, "-m", "pytest", "-q", "-n", options.jobs, "-o", "junit_family=xunit1",
            f"--junit-xml={report}", FOLDER, *(node for node in nodes if not node.startswith(FOLDER)),
        ]  # fmt: skip
        code = subprocess.run(command, cwd=ROOT, env=_environment(), check=False).returncode
        results = list(_results(report)) if report.is_file() else []
    text, held = table(found, results)
    options.to.parent.mkdir(parents=True, exist_ok=True)
    options.to.write_text(text, encoding="utf-8")
    print(f"{len(found)} attacks, {'all hold' if held else 'not all hold'}: {options.to}")
    return 0 if held and not code else 1


def _environment() -> Mapping[str, str]:
    return {**os.environ, "CONQRET_TORTURE": "1"}


def _row(line: str) -> Row:
    attack, outcome, tests = (cell.strip() for cell in line.strip().strip("|").rsplit("|", 2))
    named, file = [], ""
    for path, name in _NAMED.findall(tests):
        file = path or file
        named.append((file, name))
    return Row(attack, outcome, tuple(named))


def _functions(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return {node.name for node in ast.walk(tree) if isinstance(node, kinds)}


def _results(report: Path) -> Iterator[Result]:
    for case in ElementTree.parse(report).iter("testcase"):
        faults = {child.tag for child in case} & {"failure", "error", "skipped"}
        outcome = "skipped" if faults == {"skipped"} else "failed" if faults else "passed"
        name = case.get("name", "").partition("[")[0]
        yield Result(case.get("file", ""), name, outcome, float(case.get("time", 0)))


if __name__ == "__main__":
    sys.exit(main())
