"""DebateQA's layout, other columns, and what is wrong with a file."""

import json

import pytest

from conqret.debateqa.debateqa_files import (
    PartialAnswer,
    read_answers,
    read_questions,
)
from conqret.errors import DeclarationError, ItemsError

QUESTION = {
    "id": "q1",
    "question": "Should zoos be closed?",
    "partial_answers": [{"point_of_view": "Zoos save species", "explanation": "They breed."}],
}


def written(path, *records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def test_answers_and_other_columns(tmp_path):
    answers = written(
        tmp_path / "a.jsonl", {"id": "q1", "generation": "Opinions differ."}, {"id": "q3", "generation": ""}
    )
    assert read_answers(answers) == {"q1": "Opinions differ.", "q3": ""}
    other = written(tmp_path / "b.jsonl", {"qid": "q1", "text": "So?"})
    assert read_answers(other, {"id": "qid", "answer": "text"}) == {"q1": "So?"}
    table = tmp_path / "q.csv"
    table.write_text('n,q,refs\nq1,Why?,"[{""view"": ""Yes"", ""why"": ""So.""}]"\n')
    names = {"id": "n", "question": "q", "partial_answers": "refs"}
    names |= {"point_of_view": "view", "explanation": "why"}
    assert read_questions(table, names)["q1"].partial_answers == (PartialAnswer("Yes", "So."),)


def test_every_fault_is_listed(tmp_path):
    path = written(
        tmp_path / "q.jsonl", QUESTION, QUESTION, {"question": "?"}, {"id": "q4", "partial_answers": "none"}
    )
    with pytest.raises(ItemsError) as caught:
        read_questions(path)
    wanted = [(2, "id"), (3, "id"), (4, "partial_answers")]
    assert [(fault.line, fault.field) for fault in caught.value.faults] == wanted
    with pytest.raises(ItemsError, match="a text is expected"):
        read_answers(written(tmp_path / "a.jsonl", {"id": "q1", "generation": 3}))
    with pytest.raises(DeclarationError, match="no field 'topics' of answers and questions"):
        read_questions(path, {"topics": "q"})
