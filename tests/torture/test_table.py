"""The table of attacks in docs/results/attacks.md: each row names tests that exist, and holds where all of them do."""

from __future__ import annotations

import importlib.util
import sys
from types import ModuleType

import pytest

from conqret.io.limits import LIMITS
from tests.runs.killed import ROOT


@pytest.fixture(scope="module")
def torture() -> ModuleType:
    spec = importlib.util.spec_from_file_location("torture", ROOT / "scripts" / "torture.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["torture"] = module
    spec.loader.exec_module(module)
    return module


def test_each_row_names_tests_that_exist(torture: ModuleType) -> None:
    rows = torture.rows()
    assert len(rows) >= 26
    assert list(torture.missing(rows)) == []


def test_each_limit_is_told(torture: ModuleType) -> None:
    page = (ROOT / "docs" / "reliability.md").read_text(encoding="utf-8")
    for limit in LIMITS:
        assert f"| {limit} | `{limit.variable}` |" in page, limit


def test_a_test_that_is_not_there_is_named(torture: ModuleType) -> None:
    file = "tests/torture/test_table.py"
    wrong = [
        torture.Row("a", "", ((file, "test_nothing"),)),
        torture.Row("b", "", ()),
        torture.Row("c", "", (("tests/none.py", ""),)),
    ]
    assert list(torture.missing(wrong)) == [
        f"a: there is no test test_nothing in {file}", "b: no test", "c: there is no file tests/none.py",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("outcomes", "told"),
    [
        (["passed", "passed"], "holds: 2 tests in 3.0 s"),
        (["passed", "failed"], "DOES NOT HOLD; test_a failed"),
        ([], "DOES NOT HOLD: no test was run"),
    ],
)
def test_a_row_holds_where_all_of_its_tests_passed(
    torture: ModuleType, outcomes: list[str], told: str
) -> None:
    row = torture.Row("An attack", "Nothing", (("tests/a.py", "test_a"),))
    others = [torture.Result("tests/a.py", "test_b", "failed", 1.0)]
    results = [torture.Result("tests/a.py", "test_a", outcome, 1.5) for outcome in outcomes]
    text, held = torture.table([row], results + others)
    assert text.splitlines()[2:] == [f"| An attack | Nothing | {told} |"]
    assert held is told.startswith("holds")
