"""``--dry-run``: what a command would ask, before anything is asked or written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conqret.console.shared_options import Calls
from tests.cli.score_files import lines, questions_file
from tests.commands import Cli, leaves, options_of
from tests.contract.items import demo
from tests.generation.corpora import write_corpus
from tests.judging.runs import write_items
from tests.server import FaultServer

PRICED = ("--model", "openai/mine", "--input-price", 2, "--output-price", 10)
SAYS_SO = (
    "generate perturbations",
    "info doctor",
    "info prompt",
    "retrieve run",
    "retrieve evaluate",
    "serve http",
    "serve mcp",
)
"""Commands that ask a model and have no dry run: one question, what depends on a ranking, or what others will ask."""

TRAINS = ("debate tune", "perspectives tune")
"""Their models are trained here, and asked nothing."""


@pytest.fixture
def commands(tmp_path: Path) -> dict[str, tuple[object, ...]]:
    """Each command that has a dry run, on small files."""
    items = write_items(tmp_path / "items.jsonl", demo()[:4])
    references = questions_file(tmp_path)
    texts = {"zoos": "Some say so.", "cars": "Others do not.", "cigars": ""}
    rows = [{"id": one, "generation": text} for one, text in texts.items()]
    answers = lines(tmp_path / "mine.jsonl", rows)
    return {
        "judge": ("judge", items, "--format", "direct"),
        "tournament": ("tournament", items, "--comparisons", "2"),
        "sensitivity": ("sensitivity", items, "--format", "rag-direct", "--perturb", "irrelevant:0,50"),
        "baselines": (
            f"debateqa score {answers} --references {references} --metric direct-score,g-eval,acknowledge"
        ).split(),
    }


@pytest.mark.parametrize("name", ["judge", "sensitivity", "baselines"])
def test_as_many_calls_as_will_be_made_and_nothing_written(
    cli: Cli, commands: dict[str, tuple[object, ...]], tmp_path: Path, name: str
) -> None:
    with FaultServer(length=2) as server:
        asked = (*commands[name], *PRICED, "--api-base", server.url, "-o", tmp_path / "out")
        done = cli(*asked, "--dry-run", "--json")
        assert done.code == 0, done.err
        assert server.requests == []
        assert not (tmp_path / "out").exists()
        facts = json.loads(done.out)
        cli(*asked)
        first = [request for request in server.requests if len(request.body["messages"]) == 2]
        assert len(first) == facts["calls"]
    assert facts["calls"] == sum(one["calls"] for one in facts["stages"])
    assert facts["cost_usd"] == pytest.approx(
        (2 * facts["prompt_tokens"] + 10 * facts["completion_tokens"]) / 1e6
    )
    assert facts["prompt_tokens"] > 100 * facts["calls"]


def test_what_the_run_would_trim_or_leave_out(cli: Cli, tmp_path: Path) -> None:
    items = write_items(tmp_path / "items.jsonl", demo()[:2])
    with items.open("a", encoding="utf-8") as file:
        file.write('{"id": "bare", "topic": "Is it?"}\n')
    asked = ("judge", items, "--format", "direct", "--metric", "groundedness", "--skip-invalid", "--dry-run")
    with FaultServer() as server:
        done = cli(*asked, *PRICED, "--api-base", server.url, "--context-window", 6000, "--json")
        assert server.requests == []
    assert "left out: " in done.err
    facts = json.loads(done.out)
    assert facts["refusal"] is None
    assert any(
        "the prompts of 2 of 2 items are longer than the model's window" in one
        for one in facts["stages"][0]["notes"]
    )


def test_a_key_is_not_needed(
    cli: Cli, commands: dict[str, tuple[object, ...]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    done = cli(*commands["tournament"], "--model", "gpt-4o-mini", "--dry-run", "--json")
    assert (done.code, json.loads(done.out)["refusal"]) == (0, None), done.err
    assert "the run will need a key: the model gpt-4o-mini needs a key of" in " ".join(done.err.split())


def test_a_window_into_which_nothing_fits_is_exit_2(
    cli: Cli, commands: dict[str, tuple[object, ...]]
) -> None:
    with FaultServer() as server:
        asked = (*commands["judge"], *PRICED, "--api-base", server.url, "--context-window", 400, "--dry-run")
        done = cli(*asked)
    assert (done.code, "no prompt of direct fits into the model's window" in done.err) == (2, True)


def test_whoever_asks_a_model_takes_the_same_options() -> None:
    all_options = {
        name: {option for argument in options_of(command) for option in argument.names}
        for name, command in leaves()
    }
    asking = {
        name: options
        for name, options in all_options.items()
        if {"--model", "--rerank"} & options and name not in TRAINS
    }
    assert {"judge", "bias", "sensitivity", "generate arguments", "debateqa score"} <= asking.keys()
    wanted = {f"--{name.replace('_', '-')}" for name in vars(Calls())}
    for name, options in asking.items():
        assert wanted <= options, name
        assert ("--dry-run" in options) == (name not in SAYS_SO), name


def test_an_experiment_that_cannot_be_done_is_exit_2(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    write_corpus(tmp_path / "corpus")
    judge = '[[judges]]\nformat = "direct"\nmodel = "offline"\n'
    cases = (
        (500, 2, "do not fit: the prompt needs"),
        (100_000, 0, "the run will need a key: the model gpt-4o-mini"),
    )
    for window, code, words in cases:
        file = tmp_path / f"{window}.toml"
        file.write_text(
            'name = "small"\ncorpus = "corpus"\n[retrievers.bm25]\n[rerankers]\n'
            '[generators.g]\nmodel = "gpt-4o-mini"\nshots = 0\n'
            f'[models."gpt-4o-mini"]\ncontext_window = {window}\n'
            '[[systems]]\nretriever = ["bm25"]\nreranker = ["none"]\ngenerator = ["g"]\n' + judge
        )
        done = cli("experiment", file, "--dry-run")
        assert (done.code, words in " ".join(done.err.split())) == (code, True), done.err
