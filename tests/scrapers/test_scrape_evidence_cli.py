"""``conqret corpus evidence``."""

import json
from pathlib import Path

from tests.commands import run_conqret
from tests.scrapers.evidence_corpus import corpus_of


def test_figures_as_json_and_as_text(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path / "corpus", [("[red]Title[/red]", ""), ("B", "http://127.0.0.1/")])
    result = run_conqret("corpus", "evidence", corpus, "--json", "--quiet")
    assert result.code == 0, result.output
    figures = json.loads(result.out)
    assert (figures["cited"], figures["extracted"], figures["without_url"]) == (2, 0, 1)
    assert figures["by_status"]["not-found"] == figures["by_status"]["blocked"] == 1
    result = run_conqret("corpus", "evidence", corpus)
    assert "cited       2" in result.out
    assert "7,177 cited, 6,514 extracted" in result.out
