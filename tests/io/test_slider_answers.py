"""Answers on the slider, from tables."""

import json

import pytest

from conqret.debate.two_turn.slider_answers import read_slider_answers
from conqret.errors import DeclarationError, ItemsError

ROW = {
    "question": "q1",
    "passage": "p1",
    "judge": "Ann",
    "condition": "PSA",
    "turn": 1,
    "instruction": "simple",
    "right": 2,
    "slider": -2,
}


def file(tmp_path, *rows):
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps({**ROW, **row}) + "\n" for row in rows))
    return path


def test_the_slider_is_turned_toward_the_right_option(tmp_path):
    slider_answers = read_slider_answers(file(tmp_path, {}, {"right": 1}, {"turn": 2, "slider": 0}))
    assert [answer.toward_right for answer in slider_answers] == [-2, 2, 0]
    assert slider_answers[0].condition == "PSA"


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"slider": None}], r"jsonl:1 \[slider\] is missing, and no reason is given"),
        ([{}, {"turn": 2, "slider": 4}], r"jsonl:2 \[slider\] is 4. Write where the slider stands"),
    ],
)
def test_rows_that_cannot_be_used_are_named(tmp_path, rows, message):
    with pytest.raises(ItemsError, match=message):
        read_slider_answers(file(tmp_path, *rows))


def test_designs_are_never_mixed(tmp_path):
    path = file(tmp_path, {}, {"condition": "SA", "turn": 3})
    with pytest.raises(DeclarationError, match="--design main or --design pilot"):
        read_slider_answers(path)
    assert [slider_answer.turn for slider_answer in read_slider_answers(path, "pilot")] == [3]
