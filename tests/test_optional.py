"""What is said where a package is lacking."""

from __future__ import annotations

import pytest

from conqret._optional import missing, require
from conqret.cli import main
from conqret.errors import MissingDependencyError


@pytest.mark.parametrize(
    ("module", "extra"),
    [
        ("bm25s", "retrieval"),
        ("Stemmer", "retrieval"),
        ("ir_measures.x", "retrieval"),
        ("torch.nn", "perplexity"),
        ("lxml", "scrape"),
    ],
)
def test_a_missing_module_names_the_extra_that_brings_it(module: str, extra: str) -> None:
    said = missing(ModuleNotFoundError(name=module))
    name = module.partition(".")[0]
    assert str(said).startswith(f"{name} is not installed; run: pip install 'conqret[{extra}]'")
    assert f"pip install '.[{extra}]' -c constraints.txt" in str(said)  # the tests run in a checkout


def test_what_no_extra_brings_is_a_bug_and_stays_one() -> None:
    assert missing(ModuleNotFoundError(name="conqret.nothing")) is None
    assert missing(ModuleNotFoundError()) is None
    with pytest.raises(MissingDependencyError, match="no_such_module is not installed"):
        require("no_such_module", extra="plots")
    with pytest.raises(MissingDependencyError, match=r"no_such_module is not installed.*conqret\[plots\]"):
        require("json", "no_such_module", extra="plots")
    assert require("json", "csv", extra="plots").__name__ == "json"


def test_a_command_says_so_in_a_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails() -> None:
        raise ModuleNotFoundError("No module named 'bm25s'", name="bm25s")

    monkeypatch.setattr(main, "read_arguments", lambda command, words: fails)
    monkeypatch.setattr("sys.argv", ["conqret", "retrieve", "index"])
    with pytest.raises(SystemExit) as end:
        main.main()
    assert end.value.code == 2
    assert "pip install 'conqret[retrieval]'" in capsys.readouterr().err
