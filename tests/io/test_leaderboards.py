"""Leaderboards in every form that evaluation tools write."""

import json

import pytest

from conqret.errors import DeclarationError
from conqret.io.leaderboards import SHAPES, read_leaderboard
from conqret.io.reports import report_lengths

SCORES = [("m", "a", "t1", 0.5), ("m", "a", "all", 0.5), ("m", "b", "t1", 1.0), ("m", "b", "all", 1.0)]


def line(shape, measure, run, topic, value):
    named = {"measure": measure, "run": run, "topic": topic, "value": value, "Q0": "Q0", "rank": 1}
    if shape == "jsonl":
        return json.dumps({"run_id": run, "topic_id": topic, "measure": measure, "value": value})
    return "\t".join(str(named[name]) for name in SHAPES[shape])


@pytest.mark.parametrize("shape", [name for name in SHAPES if name != "trec_eval"])
def test_every_form(tmp_path, shape):
    path = tmp_path / "x.eval.txt"
    path.write_text("\n".join(line(shape, *score) for score in SCORES) + "\n")
    found = read_leaderboard(path, shape)
    assert list(found.cells()) == sorted(SCORES, key=lambda score: score[2] == "all")
    assert (found.name, found.measures, found.runs, found.topics) == ("x.eval", ("m",), ("a", "b"), ("t1",))


def test_files_name_the_runs_of_trec_eval(tmp_path):
    for run in "ab":
        lines = [line("trec_eval", *score) for score in SCORES if score[1] == run]
        (tmp_path / run).write_text("\n".join(lines))
    (tmp_path / ".hidden").write_text("no scores")
    assert sorted(read_leaderboard(tmp_path, "trec_eval").cells()) == sorted(SCORES)


def test_a_head_is_no_score_and_words_are_no_numbers(tmp_path):
    path = tmp_path / "x"
    path.write_text("run topic measure value\na t1 m 0.5\na t1 word tree\na t2 word 3\na t1 bad nan\n")
    found = read_leaderboard(path)
    assert list(found.cells()) == [("m", "a", "t1", 0.5)]
    assert found.notes == (
        "word is left out: it is 'tree' somewhere, no number",
        "bad is left out: it is 'nan' somewhere, no number",
    )


@pytest.mark.parametrize(
    ("text", "shape", "wrong"),
    [
        ("a t1 m\n", "ir_measures", "x:1 is not “run topic measure value”: 'a t1 m'"),
        ("a t1 m 0.5\na t1 m 0.6\n", "ir_measures", "has m of a for t1 twice"),
    ],
)
def test_what_is_no_leaderboard(tmp_path, text, shape, wrong):
    path = tmp_path / "x"
    path.write_text(text)
    with pytest.raises(DeclarationError) as raised:
        read_leaderboard(path, shape)
    assert wrong in str(raised.value)


def test_lengths_of_reports_and_of_the_items_made_of_them(tmp_path):
    own = {"team_id": "t", "run_id": "r", "topic_id": 7}
    report = {"metadata": own, "responses": [{"text": "Three short words.", "citations": ["d"]}]}
    item = {
        "id": "r:7",
        "topic": "T",
        "argument": "Three short words [1].",
        "metadata": {"run_id": "r", "topic_id": "7"},
    }
    for name, record in (("reports", report), ("items", item)):
        path = tmp_path / f"{name}.jsonl"
        path.write_text(json.dumps(record) + "\n")
        assert report_lengths(path) == {("r", "7"): 3}
    path.write_text(json.dumps({"topic": "T", "argument": "a"}) + "\n")
    with pytest.raises(DeclarationError, match="names no run and topic"):
        report_lengths(path)
