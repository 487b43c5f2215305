"""A criterion of one's own wherever a judge is taken: each the way in which its user asks for it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import conqret
from conqret.data import Reason
from conqret.errors import DeclarationError
from conqret.experiments.reading import read_experiment
from conqret.studies.bias.bias_run import bias_plan
from tests.contract.items import DEMO
from tests.experiments.test_experiment_config import GOOD
from tests.generation.corpora import write_corpus
from tests.judging.runs import some
from tests.runs.killed import ROOT, Forks
from tests.server import FaultServer

STATEMENT = "sourced: The answer names a source"
CLARITY = "clarity: How clear is the wording? 1-5"
ASKED = ("--criterion", STATEMENT, "--criterion", CLARITY, "--model", "openai/m")
LABELS = ROOT / "fixtures" / "demo" / "labels.jsonl"


def read(path: Path) -> Any:
    return json.loads(path.read_text())


def test_labels_meet_it_by_its_name(forks: Forks, tmp_path: Path) -> None:
    """Runs of it are validated, calibrated, compared, put together, and described with its text."""
    one, other, told = tmp_path / "one", tmp_path / "other", tmp_path / "told"
    with FaultServer() as server:
        asked = ("judge", DEMO, *ASKED, "--api-base", server.url)
        assert forks.run(*asked, "-o", one) == 0
        assert forks.run(*asked, "-o", other, "--criteria-per-call", 1) == 0
        assert len(server.requests) == 24 + 2 * 24
    assert forks.run("validate", one, "--labels", LABELS, "-o", tmp_path / "card") == 0
    assert list(read(tmp_path / "card" / "validation.json")["dimensions"]) == ["clarity"]
    assert "How clear is the wording?" in (tmp_path / "card" / "card.md").read_text()
    assert forks.run("judges", "calibrate", one, "--labels", LABELS, "-o", tmp_path / "maps") == 0
    assert forks.run("judges", "jury", one, other, "-o", tmp_path / "jury") == 0
    assert set(read(tmp_path / "jury" / "summary.json")["metrics"]) == {"sourced", "clarity"}
    assert forks.run("runs", "diff", one, other) == 0
    forks.start("runs", "methods", one, out=told)
    assert forks.end() == 0
    assert "“The answer names a source”" in told.read_text()
    assert "The answer names a source" in (one / "report.html").read_text()


def test_a_file_of_settings(forks: Forks, tmp_path: Path) -> None:
    config, errors = tmp_path / "my.toml", tmp_path / "errors"
    config.write_text(f'[judge]\ncriterion = ["{STATEMENT}", "{CLARITY}"]\n')
    judge = ("judge", some(tmp_path, 2), "--config", config, "-o", tmp_path / "run")
    assert forks.run(*judge) == 1  # offline scores none
    summary = read(tmp_path / "run" / "summary.json")
    assert (summary["unscored"], list(summary["reasons"])) == (2, [Reason.NO_BASELINE])
    config.write_text('[judge]\ncriterion = ["clarity: How clear is it? 5-1"]\n')
    forks.start(*judge, err=errors)
    assert forks.end() == 2
    assert f"{config}:2 judge.criterion" in errors.read_text()


CRITERIA = """[[judges]]
name = "own"
criteria = ["sourced: The answer names a source", { name = "clarity", question = "How clear?", scale = [1, 5] }]

[[perturbations]]"""


def test_the_judges_of_an_experiment(tmp_path: Path) -> None:
    write_corpus(tmp_path / "corpus")
    file = tmp_path / "experiment.toml"
    file.write_text(GOOD.replace("[[perturbations]]", CRITERIA))
    table = read_experiment(file).judges[-1]
    assert (table.format, table.label) == ("criteria", "own")
    assert table.judge.metrics == ("sourced", "clarity")  # type: ignore[union-attr]
    for faulty, place in (
        (CRITERIA.replace("[1, 5]", "[5, 1]"), "judges[2].criteria[1]"),
        (CRITERIA.replace("sourced:", "clarity:"), "judges[2].criteria"),
        (CRITERIA.replace('name = "own"', 'format = "direct"'), "judges[2].format"),
        (CRITERIA.replace("criteria = ", 'format = "criteria" #'), "judges[2].format"),
    ):
        file.write_text(GOOD.replace("[[perturbations]]", faulty))
        with pytest.raises(DeclarationError) as caught:
            read_experiment(file)
        (line,) = str(caught.value).splitlines()[1:]
        assert re.search(rf":\d+ {re.escape(place)}: ", line)


def test_probes_of_what_a_criterion_looks_at() -> None:
    """Of the answer those that are made of its quality, of documents alone those of their relevance."""

    def metrics(*criteria: Any, probe: str) -> set[str]:
        plan = bias_plan(DEMO, criteria=criteria, probes=[probe])
        return {metric for contrast in plan.contrasts for metric in contrast.metrics}

    documents = conqret.Criterion("on_topic", "They are on the topic", looks_at=["documents"])
    assert metrics(STATEMENT, documents, probe="length") == {"sourced"}
    assert metrics(STATEMENT, documents, probe="document-order") == {"sourced", "on_topic"}
    with pytest.raises(DeclarationError):  # what people find of the whole says nothing of it
        bias_plan(DEMO, criteria=[STATEMENT], probes=["stance"], labels=LABELS)
