"""BeRDS's experiments from one file: corpora, encoders, scores of all rankings together, and their page."""

from __future__ import annotations

import importlib.util
import json
import tomllib
from pathlib import Path

import pytest

pytest.importorskip("pyterrier", reason="the extra retrieval is not installed: pyterrier is missing")

from conqret.errors import DeclarationError
from conqret.retrieval.system_names import check_systems
from tests.needed import Needed

Needed("sentence_transformers", reason="the extra dense is not installed")

ROOT = Path(__file__).resolve().parents[2]
SMALL = """
questions = "questions.jsonl"
systems = ["bm25", "mmr@0.75"]
[corpora.web]
folder = "corpus"
[corpora.own]
pages = "pages.jsonl"
quiet = true
[encoders.letters]
encoder = "tests.retrieval.letters:load"
quiet = true
systems = ["dense", "dense+mmr"]
[score]
model = "offline"
cuts = "1,2"
mmr-encoder = "tests.retrieval.letters:load"
quiet = true
[detection]
pairs = "pairs.jsonl"
labels = "label"
quiet = true
[detectors.words]
model = "offline"
"""


@pytest.fixture(scope="module")
def script():
    place = ROOT / "benchmarks" / "perspectives_experiment.py"
    spec = importlib.util.spec_from_file_location("perspectives_experiment", place)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def given(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    sides = ("supporting", "opposing")

    def write(name, rows):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")

    def said(of):
        return f"{of} are cheap.", f"{of} are not cheap."

    names = {"t": "Trams", "b": "Buses"}
    write(
        "questions.jsonl",
        [
            {
                "id": one,
                "question": f"Are {of} cheap?",
                "subset": of,
                "perspectives": [
                    {"text": text, "side": side} for text, side in zip(said(of), sides, strict=True)
                ],
            }
            for one, of in names.items()
        ],
    )
    texts = [(one, text) for one, of in names.items() for text in said(of)]
    write("corpus/documents.jsonl", [{"id": f"d{n}", "text": text} for n, (_, text) in enumerate(texts)])
    write("pages.jsonl", [{"question_id": one, "text": text} for one, text in texts])
    write(
        "pairs.jsonl",
        [
            {
                "question": one,
                "document": text,
                "perspective": said(names[one])[0],
                "label": int("not" not in text),
            }
            for one, text in texts
        ],
    )
    (tmp_path / "small.toml").write_text(SMALL, encoding="utf-8")
    return tmp_path


def test_several_retrievers_over_several_corpora(script, given, capsys):
    out = given / "out"
    script.experiment(given / "small.toml", out)
    said = capsys.readouterr().out
    assert "conqret perspectives detect" in said
    page = (out / "report.html").read_text(encoding="utf-8")
    for word in ("MRecall@2", "leaning@2", "The ceiling", "letters+mmr", ">own<", ">web<"):
        assert word in page
    facts = json.loads((out / "corpora" / "own" / "scores.json").read_text())
    assert {one["system"] for one in facts["scores"]} == {"bm25", "mmr@0.75", "letters", "letters+mmr"}
    assert facts["ceiling"]["all"]["value"] == 1.0
    apart = [{**score, "low": 0.1, "high": 0.9} for score in facts["scores"]]
    first = script.corpora_sheet({"own": {**facts, "scores": apart}}).sections[0].parts[0]
    assert all("[0.100, 0.900]" in cell for row in first.rows for cell in row[2:]), "groups, too"
    before = (out / "report.md").read_text(encoding="utf-8")
    script.experiment(given / "small.toml", out)  # what is there stays as it is
    assert "conqret retrieve index" not in capsys.readouterr().out
    assert (out / "report.md").read_text(encoding="utf-8") == before


def test_a_command_that_fails_stops_it(script, given):
    (given / "pairs.jsonl").write_text("{}\n")
    with pytest.raises(SystemExit) as ended:
        script.experiment(given / "small.toml", given / "out")
    assert ended.value.code == 2
    assert not (given / "out" / "report.html").exists()


@pytest.mark.parametrize("name", ["berds", "offline"])
def test_the_systems_of_the_files_that_are_shipped_are_known(name):
    plan = tomllib.loads((ROOT / "fixtures" / "perspectives" / f"{name}.toml").read_text(encoding="utf-8"))
    check_systems(plan["systems"])
    for encoder in plan.get("encoders", {}).values():
        check_systems(encoder["systems"])
    with pytest.raises(DeclarationError):
        check_systems([*plan["systems"], "bm25+dense"])
