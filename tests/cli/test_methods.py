"""``conqret runs methods``: paragraphs and tables of a run, for a paper."""

import json
from pathlib import Path

import pytest

from tests.studies.cards import write_gold

ITEMS = Path(__file__).parents[2] / "fixtures/demo/items.jsonl"


@pytest.fixture
def run(cli, tmp_path):
    judged = cli("judge", ITEMS, "-f", "listwise", "--metric", "clarity", "-o", tmp_path / "run", "-q")
    assert judged.code == 0
    return tmp_path / "run"


def test_every_table_as_latex(cli, run, tmp_path):
    labels = write_gold(tmp_path / "labels.csv", people=2)
    asked = ("labels", "agreement", labels, "--scale", "1:3")
    shown = cli(*asked, "--latex")
    assert shown.code == 0
    assert shown.out.count(r"\begin{tabular}") == 1
    assert r"{}Clarity & " in shown.out
    summary = cli("runs", "report", run, "--latex")
    assert r"{}Clarity & " in summary.out
    assert "items.jsonl" not in summary.out
    nothing = cli("runs", "list", tmp_path, "--latex")
    assert (nothing.code, nothing.out) == (0, "")
    assert "prints no table" in nothing.err


def test_of_a_run_and_its_labels(cli, run, tmp_path):
    alone = cli("runs", "methods", run)
    assert alone.code == 0
    assert "24 items on 12 topics (items.jsonl, sha256 87047e5a4fe1a377)" in alone.out
    assert "lexical baseline and not a judge" in alone.out
    assert "24 items: 24 scored, 0 unscored, 0 failed, " in alone.out
    assert "| Clarity | " in alone.out
    assert "without --labels the text states no agreement" in alone.err
    labels = write_gold(tmp_path / "labels.csv", people=2)
    asked = ("runs", "methods", run, "--labels", labels, "--scale", "1:3")
    found = json.loads(cli(*asked, "--json").out)
    assert list(found["paragraphs"]) == ["Judge", "Scores", "Agreement", "Limits"]
    assert (
        "24 items had labels by 2 annotators (labels.csv), on 1 dimension."
        in found["paragraphs"]["Agreement"]
    )
    assert "jackknife-t intervals over 12 topics" in found["paragraphs"]["Agreement"]
    assert found["tables"][1]["rows"][0][0] == "Clarity"
    written = cli(*asked, "-o", tmp_path / "methods.tex")
    assert (written.code, written.out) == (0, "")
    latex = (tmp_path / "methods.tex").read_text(encoding="utf-8")
    assert r"\paragraph{Agreement.}" in latex
    assert r"overall\_quality" not in latex
    assert cli(*asked, "--latex").out.split() == latex.split()
    cli(*asked, "-o", tmp_path / "methods.md")
    assert "### Krippendorff's alpha" in (tmp_path / "methods.md").read_text(encoding="utf-8")
