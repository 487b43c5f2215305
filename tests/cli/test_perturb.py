"""``conqret generate perturbations`` and ``conqret sensitivity`` on the fixtures."""

import json
from pathlib import Path

import pytest

from tests.commands import run_conqret

ITEMS = str(Path(__file__).resolve().parents[2] / "fixtures" / "demo" / "items.jsonl")
LABELS = str(Path(ITEMS).with_name("labels.jsonl"))


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str, code: int = 0) -> str:
    result = run_conqret(*arguments)
    assert result.code == code, result.output
    return result.out


def test_the_list_in_words_and_as_json() -> None:
    assert "wrong-citations" in run("generate", "perturbations", "--list")
    listed = json.loads(run("generate", "perturbations", "--list", "--json"))
    assert len(listed) == 18
    assert listed[0]["expects"]["context_relevance"] == "fall"


def test_levels_out_of_reach_are_left_out_of_the_curve_and_said(here: Path) -> None:
    out = run(
        *f"sensitivity {ITEMS} --perturb hallucinate:2,10,20 --metric groundedness -o sens --json".split(),
    )
    results = json.loads(out[out.index("{") :])
    (curve,) = results["curves"]
    assert [point["level"] for point in curve["points"]] == [0, 2, 10]
    assert (curve["n"], curve["total"]) == (23, 23)
    (reason,) = results["left_out"]["hallucinate"]
    assert reason.startswith("item voting-age-pro: 9 sentences cite, and 10 are to change")
    page = (here / "sens" / "report.html").read_text()
    assert "hallucinate: level 20 (sentences) is left out, 24 of 24 items cannot reach it" in page
    assert results["judgments"] == 24 + 2 * 23


def test_sensitivity_from_items_to_report(here: Path) -> None:
    rows = Path(ITEMS).read_text(encoding="utf-8").splitlines(keepends=True)
    (here / "few.jsonl").write_text("".join(rows[:12]), encoding="utf-8")
    arguments = (
        "sensitivity few.jsonl --format direct,rag-fine-grained --perturb "
        "irrelevant:50,100,hallucinate:50%,100% --model offline --metric context-relevance --metric "
        f"groundedness --labels {LABELS} -o sens"
    ).split()
    out = run(*arguments)
    assert "curves that should fall or rise do so" in " ".join(out.split())
    files = {path.name for path in (here / "sens").iterdir()}
    assert {"report.html", "results.json", "judgments.jsonl", "scores.parquet"} <= files
    tables = (here / "sens" / "tables.md").read_text()
    assert all(f"ConQRet, Table {number}" in tables for number in (15, 16, 18))
    again = run(*arguments, "--json")
    results = json.loads(again[again.index("{") :])
    assert results == json.loads((here / "sens" / "results.json").read_text())
    assert {curve["perturbation"] for curve in results["curves"]} == {"irrelevant", "hallucinate-share"}
