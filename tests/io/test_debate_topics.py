"""Topics of debates: what is read, and what is wrong with file and line."""

import json

import pytest

from conqret.debate.debatune.debate_files import read_debate_topics
from conqret.errors import ItemsError


def read(tmp_path, *rows):
    path = tmp_path / "topics.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return read_debate_topics(path)


def test_own_and_published_rows(tmp_path):
    found = read(
        tmp_path,
        {"topic": "Ban  it?", "affirmative": ["It harms."], "negative": "It helps."},
        {"id": "x", "topic": "Keep it?"},
        {"topic": "Mend it?", "Affirmative": {"arguments": ["a"]}, "Negative": {"arguments": ["c"]}},
    )
    assert [one.id for one in found] == ["1", "x", "3"]
    assert found[0].topic == "Ban it?"
    assert found[0].arguments == {"affirmative": ("It harms.",), "negative": ("It helps.",)}
    assert found[1].arguments == {"affirmative": (), "negative": ()}
    assert found[2].arguments == {"affirmative": ("a",), "negative": ("c",)}


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ({"topic": "  "}, r"\[topic\] is blank"),
        ({"topic": "T", "affirmative": ["a", "b"], "negative": ["c"]}, r"\(1\) than affirmative \(2\)"),
        ({"topic": "T", "affirmative": ["a"], "neutral": ["b"]}, "no side of a debate"),
    ],
)
def test_faults_have_file_and_line(tmp_path, row, fault):
    with pytest.raises(ItemsError, match=fault) as error:
        read(tmp_path, {"topic": "First?"}, row)
    assert "topics.jsonl:2" in str(error.value)
