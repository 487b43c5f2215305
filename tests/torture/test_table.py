"""The table of attacks in docs/results/attacks.md: each row names tests that exist."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from conqret.io.limits import LIMITS
from tests.runs.killed import ROOT

NAMED = re.compile(r"`([\w/]*\.py)?(?:::(\w+))?`")


def names_in(path: Path) -> set[str]:
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, kinds)}


def test_each_row_names_tests_that_exist() -> None:
    page = (ROOT / "docs" / "results" / "attacks.md").read_text(encoding="utf-8")
    rows = page.split("| Attack | Outcome | Test |")[1].strip().splitlines()[1:]
    attacks = [row.strip().strip("|").rsplit("|", 1) for row in rows if row.startswith("|")]
    assert len(attacks) >= 26
    for attack, cell in attacks:
        named = NAMED.findall(cell)
        assert named, attack
        file = ""
        for path, name in named:
            file = path or file
            assert not name or name in names_in(ROOT / file), f"{attack}: {file}::{name}"


def test_each_limit_is_told() -> None:
    page = (ROOT / "docs" / "reliability.md").read_text(encoding="utf-8")
    for limit in LIMITS:
        assert f"{limit} (`{limit.variable}`)" in page, limit
