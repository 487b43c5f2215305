"""Traces are off unless the environment asks for them; with the library, tests/adapters/test_otel.py has the rest."""

import sys

import pytest

import conqret
from conqret.llm.tracing import VARIABLE
from tests.cli.conftest import cli as cli
from tests.contract.items import demo

pytestmark = pytest.mark.filterwarnings("ignore")


def test_without_the_variable_the_library_is_not_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.trace", None)
    monkeypatch.delenv(VARIABLE, raising=False)
    assert conqret.judge(demo()[0], format="direct")[0].status == "scored"
    monkeypatch.setenv(VARIABLE, "spans")
    with pytest.raises(conqret.DeclarationError, match=r"pip install 'conqret\[otel\]'"):
        conqret.judge(demo()[0], format="direct")
