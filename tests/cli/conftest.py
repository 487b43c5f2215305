"""The command line in this process, at the width of the documentation."""

from __future__ import annotations

import pytest

from conqret.llm import failed_requests
from tests.commands import Cli, Done, run_conqret

__all__ = ["Cli", "Done"]


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch) -> Cli:
    monkeypatch.setenv("COLUMNS", "100")
    return run_conqret


@pytest.fixture
def model_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key of the model, which is asked again without much waiting."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    monkeypatch.setattr(failed_requests, "BACKOFF_BASE", 0.01)
