"""`conqret debateqa rank --stability` from tables to matrices and plots."""

import json

import pytest

from conqret.debateqa.score_table import AWARENESS, DIVERSITY, DIVERSITY_MEAN, ScoreRow, write_table
from tests.commands import run_conqret

pytest.importorskip("scipy", reason="the extra stats is not installed: scipy is missing")
LONG = "Qwen2-0.5B-Instruct, prompt {}, paper (1a2b3c4{})"


@pytest.fixture
def tables(tmp_path):
    found = []
    for place, system in enumerate(("good", "fair", "poor")):
        rows = []
        for prompt in range(1, 6):
            turned = 2 - place if prompt == 5 else place
            rows += [
                ScoreRow(system, one, DIVERSITY, LONG.format(prompt, prompt), turned + 2.0) for one in "xy"
            ]
        rows += [ScoreRow(system, one, AWARENESS, "phi, few-shot", 1.0) for one in "xy"]
        rows += [ScoreRow(system, one, AWARENESS, "gemma, few-shot", float(one == "x")) for one in "xy"]
        rows.append(ScoreRow(system, "x", DIVERSITY_MEAN, "alone", 1.0))
        write_table(rows, tmp_path / system / "scores.parquet")
        found.append(str(tmp_path / system / "scores.parquet"))
    return found


def test_matrices_for_people(tables, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    done = run_conqret("debateqa", "rank", "--stability", "systems", *tables)
    assert done.code == 0, done.output
    lines = done.out.splitlines()
    assert max(map(len, lines)) <= 80
    assert "5 -1.00 -1.00 -1.00 -1.00 1.00".split() in [line.split() for line in lines]
    assert "mean of 10 pairs 0.20, lowest -1.000 (1 and 5)" in lines
    assert "1 and 2: 0.500" in lines  # of two questions there is no interval
    assert "no interval: 2 clusters, and 3 are needed" in lines
    assert "measured them: mean_perplexity" in done.err
    command = ["debateqa", "rank", "--stability", "systems", *tables, "--json"]
    (found,) = (one for one in json.loads(run_conqret(*command).out) if one["metric"] == AWARENESS)
    assert (found["statistic"], found["answers"]) == ("agreement", 6)
    assert found["matrix"] == [[1.0, 0.5], [0.5, 1.0]]
