"""BeRDS's experiments from one file: corpora, encoders, scores of all rankings together, and their page."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

pytest.importorskip("pyterrier", reason="the extra retrieval is not installed: pyterrier is missing")

from conqret.errors import DeclarationError
from conqret.retrieval.system_names import check_systems
from scripts.experiment_steps import experiment
from tests.needed import Needed

Needed("sentence_transformers", reason="the extra dense is not installed")

ROOT = Path(__file__).resolve().parents[2]
SMALL = """
questions = "./questions.jsonl"
pairs = "./pairs.jsonl"
steps = [
    "perspectives collect {questions} --pages {pages} -q -o {out}/found",
    "retrieve index {corpora.corpus} --engine dense {encoder} -q",
    "perspectives score dense dense+mmr {encoder} {corpora.options} {score} -o {out}/{corpora}",
    "perspectives score bm25 mmr x={out}/{corpora}/rankings/dense.* {corpora.options} {score} -o {out}/by/{corpora}",
    "perspectives detect {pairs} --labels label {detectors.options} -o {out}/detectors/{detectors}",
]
pages = "./pages.jsonl"
[encoder]
encoder = "tests.retrieval.letters:load"
[corpora.web]
corpus = "./corpus"
[corpora.own]
corpus = "{out}/found"
[score]
perspectives = "./questions.jsonl"
model = "offline"
cuts = "1,2"
mmr-encoder = "tests.retrieval.letters:load"
quiet = true
[detectors.words]
model = "offline"
quiet = true
"""


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


def test_several_retrievers_over_several_corpora(given, capsys):
    out = given / "out"
    experiment(given / "small.toml", out)
    said = capsys.readouterr().out
    assert "conqret perspectives detect" in said
    for corpus in ("web", "own"):
        facts = json.loads((out / "by" / corpus / "scores.json").read_text())
        assert {one["system"] for one in facts["scores"]} == {"bm25", "mmr", "x"}
        assert facts["ceiling"]["all"]["value"] == 1.0
    experiment(given / "small.toml", out)
    assert capsys.readouterr().out == "", "what has ended is not run again"


@pytest.mark.parametrize("name", ["berds", "offline"])
def test_the_systems_of_the_files_that_are_shipped_are_known(name):
    plan = tomllib.loads((ROOT / "fixtures" / "perspectives" / f"{name}.toml").read_text(encoding="utf-8"))
    systems = [
        re.findall(r"(?<=\s)(?!perspectives\b|score\b)[\w@.+]+(?=\s)", step.partition(" --")[0] + " ")
        for step in plan["steps"]
        if " score " in step
    ]
    for names in filter(None, systems):  # a step may name files alone
        check_systems(names)
    with pytest.raises(DeclarationError):
        check_systems([*systems[0], "bm25+dense"])
