"""The command line in this process, at the width of the documentation."""

from __future__ import annotations

import pytest

from tests.commands import Cli, Done, run_conqret

__all__ = ["Cli", "Done"]


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch) -> Cli:
    monkeypatch.setenv("COLUMNS", "100")
    return run_conqret
