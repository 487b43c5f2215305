"""The small suite under its name, and nobody's own fetched files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from conqret.suites.suite import SUITES, Suite
from tests.cli.conftest import cli as cli
from tests.suites import small


@pytest.fixture(autouse=True)
def _no_data_of_ones_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CONQRET_SUITES", str(tmp_path / "fetched"))


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> Callable[[Suite], Suite]:
    """Puts a suite among the others, as a plug-in does."""

    def register(suite: Suite) -> Suite:
        class Entry:
            name, value, dist = suite.name, "tests", None

            def load(self) -> Suite:
                return suite

        monkeypatch.setattr(SUITES, "_homes", {**SUITES._homes, suite.name: Entry()})
        return suite

    return register


@pytest.fixture
def small_suite(registered: Callable[[Suite], Suite], tmp_path: Path) -> Path:
    """The small suite, and the folder with its file."""
    registered(small.suite())
    return small.write(tmp_path / "data" / "small")
