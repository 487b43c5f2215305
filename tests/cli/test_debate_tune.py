"""`conqret debate tune`: what it says before, what it writes, and what it refuses."""

import json

import pytest

from tests.debate.tunable import ROWS, row, save_model, write_rows

QUICK = ("--epochs", "1", "--batch-size", "8", "--learning-rate", "0.01")


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return save_model(tmp_path_factory.mktemp("model") / "tiny")


@pytest.fixture
def data(tmp_path):
    return write_rows(tmp_path / "train.jsonl", ROWS)


def test_a_run_and_the_same_command_again(cli, data, model, tmp_path):
    out = tmp_path / "tuned"
    test = write_rows(tmp_path / "test.jsonl", [row("Bicycles", "con", "it is fair")])
    command = ("debate", "tune", data, "--test", test, "--model", model, "-o", out, *QUICK)
    done = cli(*command)
    assert done.code == 0, done.err
    assert "held-out loss" in done.out
    assert "Trained in float32 on cpu" in done.out or "cuda" in done.out
    assert "debate-tune" in (listed := cli("runs", "list", out).out)
    assert "not finished" not in listed
    again = cli(*command, "--json")
    assert "2 of 2 steps were done in an earlier run" in again.err
    found = json.loads(again.out)
    assert found["model"] == str(out / "model")
    assert len(found["steps"]) == 2
    refused = cli(*command, "--seed", "4")
    assert refused.code == 2
    assert "What differs: a setting of the training" in refused.err
