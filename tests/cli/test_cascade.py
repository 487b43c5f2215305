"""``conqret judges abstain --against`` fits a cascade, and ``conqret judge --escalate --cascade`` runs it."""

from __future__ import annotations

import json
import re
import signal
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from conqret import judge
from conqret.data.judgment import CascadeStage
from conqret.judging.judge_folder import JudgeFolder
from tests.cli.conftest import Cli
from tests.cli.score_files import lines
from tests.commands import run_conqret
from tests.runs.killed import Forks, kill, results
from tests.server import FaultServer

ITEMS, TOPICS = 160, 20
FORMAT = ("--criterion", "clarity: How clear is the wording? 1-5")
CHEAP = (*FORMAT, "--model", "openai/cheap", "--confidence")


def truth(number: int) -> int:
    return 1 + number % 5


def answer(body: Mapping[str, Any]) -> object:
    """The cheap judge is unsure of every fourth item, and wrong there; both are wrong in each 37th and 41st."""
    number = int(re.findall(r"So it is (\d+)", body["messages"][1]["content"])[-1])
    unsure = number % 4 == 0
    wrong = unsure if body["model"] == "cheap" else number % 41 == 0
    rating = (truth(number) + 2) % 5 + 1 if wrong or number % 37 == 0 else truth(number)
    given: dict[str, Any] = {"criterion_1": {"explanation": "so", "rating": rating}}
    if "your confidence" in body["messages"][0]["content"]:
        given["confidence"] = 40 + number % 10 if unsure else 90 + number % 10
    return given


@pytest.fixture(scope="module")
def server() -> Iterator[FaultServer]:
    with FaultServer(answer=answer, latency=0.002) as running:
        yield running


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory, server: FaultServer) -> Path:
    """Items, labels, and a run of each judge."""
    folder = tmp_path_factory.mktemp("cascade")
    rows = [
        {"id": f"i{n}", "topic": f"Is it topic {n % TOPICS}?", "argument": f"So it is {n}."}
        for n in range(ITEMS)
    ]
    lines(folder / "items.jsonl", rows)
    labels = ["item,dimension,annotator,value", *(f"i{n},clarity,ann,{truth(n)}" for n in range(ITEMS))]
    (folder / "labels.csv").write_text("\n".join(labels) + "\n", encoding="utf-8")
    for name, confidence in (("cheap", True), ("llm", False)):
        judge(
            folder / "items.jsonl",
            criteria=[FORMAT[1]],
            model=f"openai/{name}",
            confidence=confidence,
            api_base=server.url,
            api_key="sk-none",
            output=folder / name,
        )
    return folder


@pytest.fixture(scope="module")
def fitted(study: Path) -> Path:
    done = run_conqret("judges", "abstain", study / "cheap", *against(study), "-o", study / "cascade.json")
    assert done.code == 0
    said = " ".join(done.out.split())
    assert said.startswith(
        "70% of the calls of openai/llm can be saved: openai/cheap keeps the items in which it"
    )
    assert "openai/llm alone is wrong in 5.0% of labeled scores, the cascade in 3.1%, a gate at a" in said
    return study / "cascade.json"


def against(study: Path) -> tuple[object, ...]:
    return ("--against", study / "llm", "--labels", study / "labels.csv", "--scale", "1:5")


def escalated(study: Path, server: FaultServer, *more: object) -> tuple[object, ...]:
    called = ("--api-base", server.url, "--escalate", "openai/llm", "--cascade", study / "cascade.json")
    called = (*called, "--max-concurrency", "2")
    return ("judge", study / "items.jsonl", *CHEAP, *called, *more)


@pytest.mark.usefixtures("fitted", "model_key")
def test_a_cascade_judges_resumes_and_replays(
    cli: Cli, study: Path, server: FaultServer, forks: Forks, tmp_path: Path
) -> None:
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    before = len(server.requests)
    done = cli(*escalated(study, server, "-o", whole))
    assert done.code == 0
    assert "openai/cheap kept 112 of 160 items, so 70% of the calls of openai/llm are saved" in done.out
    assert len(server.requests) - before == 160 + 48
    counts = JudgeFolder(whole).summary().cascade
    assert counts is not None
    assert (counts.kept, counts.escalated, counts.first_usd) == (112, 48, None)
    judgments = {one.item: one for one in JudgeFolder(whole).finished()}
    unsure, sure = judgments["i8"], judgments["i1"]
    stage = CascadeStage(model="openai/llm", escalated=True, confidence=0.48, first_calls=1)
    assert unsure.cascade == stage
    assert unsure.measures["clarity"].raw == truth(8)
    assert len(unsure.trace.calls) == 2
    assert (sure.cascade.model, sure.cascade.escalated, len(sure.trace.calls)) == ("openai/cheap", False, 1)
    by = pl.read_parquet(whole / "scores.parquet").group_by("model").len().sort("model")
    assert dict(by.iter_rows()) == {"openai/cheap": 112, "openai/llm": 48}
    assert cli("runs", "show", whole, "i8").out.count("[system prompt]") == 2

    number = forks.start(*escalated(study, server, "-o", killed, "-q"))
    until, begun = time.monotonic() + 20, len(server.requests)
    while len(server.requests) < begun + 90 and time.monotonic() < until:
        time.sleep(0.002)
    kill(number)
    assert forks.end() == -signal.SIGKILL
    assert forks.run(*escalated(study, server, "-o", killed, "-q")) == 0
    assert len(server.requests) - begun <= 160 + 48 + 4
    assert results(killed) == results(whole)

    sent = len(server.requests)
    replay = ("--replay", whole, "--escalate", "openai/llm", "--cascade", study / "cascade.json")
    assert cli("judge", study / "items.jsonl", *replay, "-o", tmp_path / "replayed").code == 0
    assert results(tmp_path / "replayed")["judgments.jsonl"] == results(whole)["judgments.jsonl"]
    assert "is a run of a cascade" in cli("judge", study / "items.jsonl", "--replay", whole).err
    done = cli(*escalated(study, server, "--dry-run", "--json"))
    assert [stage["calls"] for stage in json.loads(done.out)["stages"]] == [160, 48]
    assert len(server.requests) == sent
    assert cli("validate", whole, *against(study)[2:]).code == 0


@pytest.mark.usefixtures("fitted", "model_key")
def test_a_cascade_is_for_two_judges(cli: Cli, study: Path, server: FaultServer, tmp_path: Path) -> None:
    given = escalated(study, server, "-o", tmp_path / "run")
    for words, message in (
        ((*given, "--samples", "2"), "make one for this judge"),
        (
            [word if word != "openai/llm" else "openai/other" for word in given],
            "make one for these two judges",
        ),
        ([word for word in given if word not in ("--escalate", "openai/llm")], "go together"),
    ):
        done = cli(*words)
        assert (done.code, message in " ".join(done.err.split())) == (2, True), done.err
    assert not (tmp_path / "run").exists()


@pytest.mark.usefixtures("model_key")
def test_a_promise_that_cannot_be_kept_is_exit_code_1(
    cli: Cli, study: Path, server: FaultServer, tmp_path: Path
) -> None:
    rows = (study / "labels.csv").read_text(encoding="utf-8").splitlines()
    few = tmp_path / "few.csv"
    few.write_text("\n".join([rows[0], *rows[2:26]]) + "\n", encoding="utf-8")
    given = (
        "judges",
        "abstain",
        study / "cheap",
        "--against",
        study / "llm",
        "--labels",
        few,
        "--scale",
        "1:5",
    )
    rule = tmp_path / "none.json"
    done = cli(*given, "-o", rule)
    assert done.code == 1
    assert "No call of openai/llm can be saved" in done.out
    assert re.search(r"About \d+ labeled topics instead of 20 would show it", " ".join(done.out.split()))
    given_rule = [rule if word == study / "cascade.json" else word for word in escalated(study, server)]
    done = cli(*given_rule, "-o", tmp_path / "run")
    assert (done.code, "judge with --model openai/llm alone" in " ".join(done.err.split())) == (2, True)
