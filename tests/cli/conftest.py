"""The command line in this process: arguments in, exit code and both streams out."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from conqret.cli.main import main
from conqret.console import printing as console


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str


Cli = Callable[..., Done]


@pytest.fixture(autouse=True)
def _fresh_consoles() -> None:
    """A console keeps the width that it found first."""
    console.out.cache_clear()
    console.err.cache_clear()


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    monkeypatch.setenv("COLUMNS", "100")

    def call(*arguments: object) -> Done:
        monkeypatch.setattr(sys, "argv", ["conqret", *map(str, arguments)])
        capsys.readouterr()
        code: object = 0
        try:
            main()
        except SystemExit as end:
            code = end.code
        found = capsys.readouterr()
        assert "Traceback" not in found.err
        return Done(int(str(code or 0)), found.out, found.err)

    return call
