"""What people say of arguments and counter-arguments, in the layout of Table 7."""

import json
from pathlib import Path

import pytest

from conqret.debate.two_turn.text_grades import (
    annotation_tables,
    read_annotations,
    summarize_annotations,
)
from conqret.debate.two_turn.two_turn_files import read_two_turn
from conqret.errors import ItemsError

FIXTURE = Path(__file__).parents[2] / "fixtures" / "two_turn_debates.jsonl"


@pytest.fixture(scope="module")
def questions():
    return read_two_turn(FIXTURE)


def said(question="ferry-1", text="argument", option=1, annotator="Ann", **fields):
    return {"question": question, "text": text, "option": option, "annotator": annotator, **fields}


def write(tmp_path, *rows):
    path = tmp_path / "annotations.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_ratings_differences_and_strategies_are_by_kind_and_option(tmp_path):
    counter = {"text": "counter-argument", "option": 2}  # the first option is right in ferry-1
    rows = [
        said(quality=9, strategies="Facts; quotes "),
        said(annotator="Bob", quality=6, strategies=["facts"]),
        said("ferry-2", option=2, quality=8),  # the second is right there
        said(option=2, quality=4, strategies="out of context"),
        said(**counter, quality=7, responds="yes"),
        said(**counter, annotator="Bob", responds="no"),
    ]
    found = summarize_annotations(write(tmp_path, *rows), questions=FIXTURE)
    assert [(one.kind, one.for_right, one.texts) for one in found] == [
        ("argument", True, 2),
        ("argument", False, 1),
        ("counter-argument", False, 1),
    ]
    right, wrong, answered = found
    assert right.quality.value == pytest.approx((9 + 6 + 8) / 3)
    assert right.difference.value == 3
    assert right.strategies == {"facts": 1, "quotes": 1}
    assert right.responds.reason == "nobody was asked"
    assert wrong.difference.reason == "nobody rated what another one rated"
    assert answered.responds.value == 0.5
    texts, strategies = annotation_tables(found)
    assert [row[0] for row in texts.rows][:2] == [
        "argument for the right option",
        "argument for the wrong option",
    ]
    assert strategies.rows[-1] == ("out of context", "argument for the wrong option", "1 of 1")


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (said("ferry-9", quality=5), r"jsonl:1 \[question\] is 'ferry-9', which is none of the questions"),
        (said(quality=11), r"\[quality\] is 11. Write a whole number from 1 to 10"),
        (said(), "nothing else is said"),
    ],
)
def test_what_is_wrong_is_named_with_file_and_line(tmp_path, questions, row, message):
    with pytest.raises(ItemsError, match=message):
        read_annotations(write(tmp_path, row), questions)


def test_a_person_says_once_what_a_text_is_like(tmp_path, questions):
    rows = [said(quality=5), said(quality=6), said(quality=6, annotator="Bob")]
    with pytest.raises(ItemsError, match=r"as in line 1\. Keep one row") as caught:
        read_annotations(write(tmp_path, *rows), questions)
    assert len(caught.value.faults) == 1
