"""``conqret corpus evidence``."""

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from conqret.errors import DeclarationError
from conqret.scrapers.corpus_command import evidence
from tests.scrapers.evidence_corpus import corpus_of


def app() -> typer.Typer:
    made = typer.Typer()
    made.command("evidence")(evidence)
    made.callback()(lambda: None)
    return made


def test_figures_as_json_and_as_text(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path / "corpus", [("[red]Title[/red]", ""), ("B", "http://127.0.0.1/")])
    result = CliRunner().invoke(app(), ["evidence", str(corpus), "--json", "--quiet"])
    assert result.exit_code == 0, result.output
    figures = json.loads(result.stdout)
    assert (figures["cited"], figures["extracted"], figures["without_url"]) == (2, 0, 1)
    assert figures["by_status"]["not-found"] == figures["by_status"]["blocked"] == 1
    result = CliRunner().invoke(app(), ["evidence", str(corpus)])
    assert "cited       2" in result.stdout
    assert "7,177 cited, 6,514 extracted" in result.stdout


@pytest.mark.parametrize(
    "options", [["--search", "bing"], ["--search", "brave"], ["--user-agent", " "], ["--reparse"]]
)
def test_wrong_calls_are_declaration_errors(tmp_path: Path, options: list[str]) -> None:
    corpus = corpus_of(tmp_path / "corpus", [])
    result = CliRunner().invoke(app(), ["evidence", str(corpus), *options])
    assert isinstance(result.exception, DeclarationError)
