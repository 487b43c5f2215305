"""``conqret tournament``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from tests.judging.runs import write_items
from tests.server import FaultServer
from tests.studies.test_tournament import arguments


@pytest.fixture
def items(tmp_path: Path) -> Path:
    return write_items(tmp_path / "items.jsonl", arguments(5))


def test_a_tournament_is_held_and_validated(cli: Cli, items: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    held = cli("tournament", items, "--by", "topic", "--design", "adaptive", "--comparisons", "4", "-o", run)
    assert held.code == 0
    assert "Scale separation reliability" in held.out
    assert (run / "tournament.html").is_file()
    again = cli("tournament", items, "--comparisons", "4", "-o", run, "--json")
    found = json.loads(again.out)
    assert (found["planned"], found["answered"], found["session"]["sent"]) == (20, 20, 0)
    labels = tmp_path / "labels.csv"
    rows = [
        f"{item.id},strength,{who},{len(item.argument or '') % 3 + 1}"
        for item in arguments(5)
        for who in "ab"
    ]
    labels.write_text("item,dimension,annotator,rating\n" + "\n".join(rows), encoding="utf-8")
    assert cli("validate", run, "--labels", labels, "--scale", "1:3", "-o", tmp_path / "card").code == 0
    assert "standard_error" in cli("runs", "show", run, "0-1").out


def test_a_budget_ends_it_and_more_of_it_goes_on(cli: Cli, items: Path, tmp_path: Path) -> None:
    with FaultServer() as server:
        prices = ("--input-price", 1000, "--output-price", 1000)
        how = ("--model", "openai/judge", "--api-base", server.url, *prices)
        call = ("tournament", items, "--comparisons", "4", "--max-concurrency", 1, *how)
        dry = cli(*call, "--dry-run", "-o", tmp_path / "run", "--json")
        assert (json.loads(dry.out)["calls"], len(server.requests)) == (20, 0)
        short = cli(*call, "--budget-usd", 3, "-o", tmp_path / "run", "--json")
        assert short.code == 1
        found = json.loads(short.out)
        assert 0 < found["answered"] < found["planned"] < 20
        whole = cli(*call, "-o", tmp_path / "run", "--json")
        assert whole.code == 0, whole.err
        again = json.loads(whole.out)
        assert again["answered"] == again["planned"] == 20
        assert len(server.requests) == 20
        ids = [each["id"] for each in found["comparisons"]]
        assert [each["id"] for each in again["comparisons"]][: len(ids)] == ids


@pytest.mark.filterwarnings("error:invalid value:RuntimeWarning")
def test_groups_of_two_are_compared_however_few_comparisons_there_are(cli: Cli, tmp_path: Path) -> None:
    pair = [item.model_copy(update={"id": f"pair-{item.id}"}) for item in arguments(2, ("t",))]
    items = write_items(tmp_path / "pair.jsonl", [*pair, *arguments(5)])
    call = ("tournament", items, "--comparisons", "1", "--both-orders", "--json")
    done = cli(*call, "-o", tmp_path / "mixed")
    assert done.code == 0
    assert [each["comparisons"] for each in json.loads(done.out)["groups"][0]["items"]] == [2, 2]
    write_items(items, pair)
    alone = cli(*call, "-o", tmp_path / "alone")
    found = json.loads(alone.out)
    assert (alone.code, found["planned"]) == (0, 2)
