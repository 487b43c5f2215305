"""``conqret debate``: what people type and see."""

import json

import pytest

from tests.debate.made import study
from tests.io.test_two_turn import OWN


def test_payoffs_show_the_thresholds_of_both_instructions(cli):
    done = cli("debate", "two-turn", "outcomes")
    assert done.code == 0
    assert all(seen in done.out for seen in ("0.571", "0.712", "60%", "48.0 *"))
    found = json.loads(cli("debate", "two-turn", "outcomes", "--json").out)
    assert [one["instruction"] for one in found] == ["simple", "encourage-abstain"]


@pytest.fixture
def answers(tmp_path):
    path = tmp_path / "answers.jsonl"
    rows = [
        {name: getattr(one, name) for name in one.__slots__}
        for one in study({"PS": 0.6, "PSA": 0.9}, judges=4)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_a_table_ends_with_one_sentence(cli, answers, tmp_path):
    done = cli("debate", "two-turn", "outcomes", answers, "--plot", tmp_path / "confidence.svg")
    assert done.code == 0
    assert "correct : incorrect" in done.out
    assert "Debate helps these 4 judges" in done.out
    assert (tmp_path / "confidence.svg").read_text().startswith("<?xml")
    found = json.loads(cli("debate", "two-turn", "outcomes", answers, "--json").out)
    assert found["verdict"].startswith("Debate helps")
    assert len(found["cells"]) == 8


def test_anova_shows_each_effect(cli, answers):
    pytest.importorskip("statsmodels")
    done = cli("debate", "two-turn", "outcomes", answers, "--anova")
    assert done.code == 0
    assert "F(1,3)=" in done.out


def test_questions_are_checked(cli, tmp_path):
    source = tmp_path / "debates.jsonl"
    source.write_text(json.dumps({**OWN, "passage": "Another story."}) + "\n")
    done = cli("debate", "two-turn", "write", "--check", source)
    assert done.code == 2
    assert "debates.jsonl:1 [arguments[1].snippets[1]] is 'The ship hummed', which is not in" in done.err
