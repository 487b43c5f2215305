"""``conqret judges systems`` beside the tool that it shall agree with, on the same files."""

import json
import os
from pathlib import Path

import pytest

from conqret.io.leaderboards import read_leaderboard
from conqret.studies.systems.meta_evaluation import meta_evaluate
from conqret.studies.systems.result import MetaSettings
from tests.adapters.reports import stop_words

FILES = Path(__file__).parents[1] / "studies" / "leaderboards"

ZEROS = {"on_missing": "default", "methods": ("tau_gap",)}


@pytest.fixture(scope="module")
def command(tmp_path_factory):
    """AutoJudge's command."""
    os.environ.setdefault("NLTK_DATA", str(stop_words(tmp_path_factory.mktemp("words"))))
    return pytest.importorskip("autojudge_evaluate", reason="autojudge-evaluate is not installed").main


@pytest.mark.parametrize(
    ("name", "options", "settings"),
    [
        ("first", [], {}),
        ("second", ["--on-missing", "default", "--correlation", "tau_gap"], ZEROS),
        ("second", ["--on-missing", "skip", "--only-shared-runs"], {"on_missing": "skip"}),
    ],
)
def test_the_same_figures(command, tmp_path, name, options, settings):
    from click.testing import CliRunner

    judge, truth, out = FILES / f"{name}.eval.txt", FILES / "truth.eval.txt", tmp_path / "out.jsonl"
    forms = [
        *("--truth-leaderboard", str(truth), "--truth-format", "ir_measures"),
        *("--eval-format", "ir_measures"),
    ]
    done = CliRunner().invoke(
        command,
        [
            *("meta-evaluate", "--truth-leaderboard", str(truth), *forms, "--output", str(out), *options),
            str(judge),
        ],
    )
    assert done.exit_code == 0, done.output
    mine = meta_evaluate(read_leaderboard(truth), [read_leaderboard(judge)], MetaSettings(**settings)).rows
    theirs = [json.loads(line) for line in out.read_text().splitlines()]
    assert len(mine) == len(theirs)
    for row, one in zip(mine, theirs, strict=True):
        values = {method: round(estimate.value, 10) for method, estimate in row.overall.items()}
        assert {
            "Judge": row.judge,
            "TruthMeasure": row.truth_measure,
            "EvalMeasure": row.measure,
            **values,
        } == one
