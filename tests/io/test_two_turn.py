"""Questions of two-turn debates: conqret's own layout, and single_turn_debate as it was released."""

import gzip
import json

import pytest

from conqret.debate.two_turn.two_turn_files import SideArgument, read_two_turn
from conqret.errors import ItemsError

PASSAGE = "Kane woke. The ship hummed,\nand nobody\nelse was on board."
OWN = {
    "id": "q1",
    "question": "Who is on board?",
    "options": ["Kane alone", "A crew"],
    "right": 1,
    "passage_id": "p1",
    "passage": PASSAGE,
    "arguments": [
        {"option": 2, "text": "Ships have crews (#1).", "snippets": ["The ship hummed"]},
        {"option": 1, "text": "Nobody else is named (#1).", "snippets": ["and nobody else was on board."]},
    ],
    "counter_arguments": [
        {"against": 1, "text": "He may be wrong."},
        {"against": 2, "text": "This one has none.", "snippets": ["nobody  else"]},
    ],
}


def own(tmp_path, *changes):
    path = tmp_path / "debates.jsonl"
    path.write_text("".join(json.dumps({**OWN, **change}) + "\n" for change in changes))
    return path


def side(number, **change):
    return {**OWN["arguments"][2 - number], **change}


def released(number, right, text="Because.", **change):
    return {
        "passage_id": "61499",
        "question_id": "1",
        "question_text": "Why?",
        "argue_for": f"option {number}",
        "argue_against": f"option {1 - number}",
        "argue_for_id": number,
        "argue_for_correct": right,
        "selected_snippets": ["One.", ""],
        "argument": text,
        **change,
    }


def as_released(tmp_path, *rows):
    path = tmp_path / "all_arguments.jsonl.gz"
    lines = (json.dumps({"index": n, "output_data": row}) for n, row in enumerate(rows))
    path.write_bytes(gzip.compress("\n".join(lines).encode()))
    return path


def test_sides_find_their_arguments_and_counter_arguments(tmp_path):
    (one,) = read_two_turn(own(tmp_path, {}))
    first, second = one.sides
    assert (one.right, first.option, second.option) == (1, "Kane alone", "A crew")
    assert first.argument == SideArgument("Nobody else is named (#1).", ("and nobody else was on board.",))
    assert first.counter == SideArgument("He may be wrong.")
    assert second.counter.snippets == ("nobody  else",)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"arguments": [side(1)]}, r"jsonl:1 \[arguments\] has none for option 2"),
        (
            {"arguments": [side(1), side(2, snippets=["The ship hummed", "The crew sang"])]},
            r"\[arguments\[2\].snippets\[2\]\] is 'The crew sang', which is not in the passage",
        ),
        ({"options": ["Kane", "Kane"]}, "has 2 options, 1 of them different"),
    ],
)
def test_what_is_wrong_is_named_with_file_and_line(tmp_path, change, message):
    with pytest.raises(ItemsError, match=message):
        read_two_turn(own(tmp_path, change))


def test_the_released_file_brings_both_sides_together(tmp_path):
    rows = [[released(1, False, "It was two.")], [released(0, True)]]
    (one,) = read_two_turn(as_released(tmp_path, *rows))
    assert (one.id, one.right, one.passage_id, one.passage) == ("61499-1", 1, "61499", "")
    assert [each.option for each in one.sides] == ["option 0", "option 1"]
    assert one.sides[1].argument == SideArgument("It was two.", ("One.",))
    assert one.sides[0].counter is None


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[released(0, True)]], "gz:1 .output_data, question '61499-1'. has 1 arguments"),
        ([[released(0, True), released(1, False, question_text="How?")]], "is worded differently"),
    ],
)
def test_a_released_file_with_a_fault_is_refused(tmp_path, rows, message):
    with pytest.raises(ItemsError, match=message):
        read_two_turn(as_released(tmp_path, *rows))


def test_all_of_single_turn_debate_reads(data_dir):
    two_turn = read_two_turn(data_dir / "single_turn_debate" / "all_arguments.jsonl.gz")
    assert len(two_turn) == 1472
    assert len({one.passage_id for one in two_turn}) == 112
    assert sum(one.right == 1 for one in two_turn) == 760
    assert all(side.argument.snippets for one in two_turn for side in one.sides)
