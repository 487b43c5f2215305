"""``conqret judges abstain``, and ``conqret judge --abstain`` with what follows from it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conqret import judge
from conqret.judging.judge_folder import JudgeFolder
from tests.cli.conftest import Cli
from tests.contract.items import DEMO

LABELS = DEMO.parent / "labels.jsonl"
RUN = ("--format", "rag-fine-grained", "--samples", "5")
METRIC = "overall_quality"


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("abstain") / "run"
    judge(DEMO, format="rag-fine-grained", samples=5, output=folder)
    return folder


def scored(run: Path) -> int:
    return sum(one.measures[METRIC].value is not None for one in JudgeFolder(run).finished())


def test_a_judge_abstains_and_comes_back(cli: Cli, judged: Path, tmp_path: Path) -> None:
    rules, page = tmp_path / "abstention.json", tmp_path / "abstention.html"
    arguments = ("--labels", LABELS, "--together", "--tolerance", "0.3")
    done = cli("judges", "abstain", judged, *arguments, "-o", rules, "--page", page)
    assert done.code == 0
    assert "context_relevance has no rule" in " ".join(done.err.split())
    assert "Share that is wrong" in page.read_text(encoding="utf-8")
    threshold = json.loads(rules.read_text(encoding="utf-8"))["rules"][METRIC]
    assert threshold == 1.0

    before = scored(judged)
    done = cli("judge", DEMO, *RUN, "-o", judged, "--abstain", rules)
    assert done.code == 0
    assert "the judge was not sure enough" in " ".join(done.out.split())
    summary = JudgeFolder(judged).summary()
    assert summary.metrics[METRIC].scored == scored(judged) == 12 < before == 24
    assert summary.metrics[METRIC].reasons == {"unsure": 12}
    assert summary.metrics["groundedness"].scored == 24  # no rule for it
    assert "abstain" in cli("judges", "abstain", judged, *arguments, "-o", rules).err

    sheet = tmp_path / "sheet.csv"
    sample = ("labels", "sample", DEMO, "--run", judged, "--plan", "3", "-o", sheet)
    assert "abstained on 24 items" in cli(*sample).err
    assert cli(*sample, "--uncertain-first", "--overwrite").code == 0
    plan = json.loads((tmp_path / "sheet.csv.plan.json").read_text(encoding="utf-8"))
    assert all(one["reasons"][0].startswith("the judge abstained:") for one in plan["chosen"])

    assert cli("judge", DEMO, *RUN, "-o", judged).code == 0
    assert scored(judged) == before


def test_an_abstention_is_for_one_judge(cli: Cli, judged: Path, tmp_path: Path) -> None:
    rules = tmp_path / "abstention.json"
    cli("judges", "abstain", judged, "--labels", LABELS, "--together", "--tolerance", "0.3", "-o", rules)
    done = cli("judge", DEMO, "--format", "listwise", "-o", tmp_path / "other", "--abstain", rules)
    assert (done.code, "make one for this judge" in " ".join(done.err.split())) == (2, True)
    assert not (tmp_path / "other").exists()


def test_a_promise_that_cannot_be_kept_is_exit_code_1(cli: Cli, judged: Path, tmp_path: Path) -> None:
    rules = tmp_path / "abstention.json"
    done = cli("judges", "abstain", judged, "--labels", LABELS, "-o", rules)
    assert done.code == 1
    assert "fewer than the 25 labels" in " ".join(done.out.split())
    assert set(json.loads(rules.read_text(encoding="utf-8"))["rules"].values()) == {None}
