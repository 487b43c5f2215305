"""What a model is told: chats, instructions, topics with a side, and every way in which a row is no instruction."""

import json

import pytest

from conqret.debate.debatune.debate_files import read_instructions
from conqret.errors import ItemsError

USER = {"role": "user", "content": "Argue."}
SAID = {"role": "assistant", "content": "So it is."}


def read(tmp_path, *rows, **more):
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return read_instructions(path, **more)


def test_the_three_ways_to_say_it(tmp_path):
    system = {"role": "system", "content": "Be brief."}
    chat, plain, made = read(
        tmp_path,
        {"messages": [system, USER, SAID], "topic": "Trams", "side": "affirmative", "argument": "cheap"},
        {"instruction": "Argue.", "input": "On trams.", "output": "So it is.", "id": 7},
        {"topic": "Trams", "side": "con", "argument": "dear", "response": "No."},
    )
    assert [message.role for message in chat.messages] == ["system", "user"]
    assert (chat.response, chat.topic, chat.stance, chat.argument) == ("So it is.", "Trams", "pro", "cheap")
    assert (plain.id, plain.text, plain.response) == ("7", "Argue.\n\nOn trams.", "So it is.")
    assert made.text == 'Argue for the negative side of the topic "Trams", with this argument: "dear".'
    assert (made.id, made.place) == ("row-3", f"{tmp_path / 'rows.jsonl'}:3")


def test_without_responses_where_none_are_needed(tmp_path):
    found = read(
        tmp_path, {"messages": [USER]}, {"messages": [USER, SAID]}, {"instruction": "Argue."}, answered=False
    )
    assert {one.text for one in found} == {"Argue."}


def test_topics_as_they_are_released_are_written_on(tmp_path):
    (tmp_path / "topics.json").write_text(json.dumps(["Ban it?", "Keep it?"]))
    found = read_instructions(tmp_path / "topics.json", answered=False)
    assert [one.id for one in found] == ["1-affirmative-1", "1-negative-1", "2-affirmative-1", "2-negative-1"]
    assert found[1].text == 'Argue for the negative side of the topic "Ban it?".'
    sides = {"Affirmative": {"arguments": ["a", "b"]}, "Negative": {"arguments": ["c", "d"]}}
    argued = read(tmp_path, {"topic": "Ban it?", **sides}, answered=False)
    assert [(one.stance, one.argument) for one in argued] == [
        *(("pro", one) for one in "ab"),
        *(("con", one) for one in "cd"),
    ]


FAULTS = [
    ({"messages": [USER]}, r"\[messages\] lacks a response"),
    ({"messages": [{"role": "usr", "content": "?"}]}, r"\[messages\[1\].role\] is 'usr', which is not"),
    ({"topic": "Trams", "output": "So it is."}, r"\[instruction\] lacks an instruction.*side"),
]


@pytest.mark.parametrize(("row", "told"), FAULTS)
def test_faults_have_file_and_line(tmp_path, row, told):
    with pytest.raises(ItemsError, match=r"rows.jsonl:2 " + told):
        read(tmp_path, {"instruction": "Argue.", "output": "So."}, row)
