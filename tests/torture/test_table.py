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
