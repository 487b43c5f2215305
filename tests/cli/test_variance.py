"""``conqret judges variance``: from folders of runs to tables and files."""

import json
from pathlib import Path

import pytest

ITEMS = Path(__file__).parents[2] / "fixtures/demo/items.jsonl"


@pytest.fixture
def two(cli, tmp_path):
    for name in ("listwise", "pointwise"):
        assert cli("judge", ITEMS, "-f", name, "--metric", "clarity", "-o", tmp_path / name, "-q").code == 0
    return tmp_path / "listwise", tmp_path / "pointwise"


def test_two_questions_to_one_model(cli, two, tmp_path):
    done = cli("judges", "variance", *two, "-o", tmp_path / "noise.html")
    assert done.code == 0
    assert "Clarity: where 48 scores differ" in done.out
    assert "item x prompt or sample" in done.out
    assert "1 model with 2 prompts; the runs differ in format" in done.err
    assert "note: there is one sample of each request" in done.err
    assert (tmp_path / "noise.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    found = json.loads(cli("judges", "variance", *two, "--json").out)
    assert list(found["metrics"]["clarity"]["mean_error"]) == ["8", "12", "20", "50"]
    assert cli("judges", "variance", two[0]).code == 2
