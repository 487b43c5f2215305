"""SQuAD's nested file and BEIR's folder are read as items; what is wrong with them is said with its place."""

import json

import pytest

from conqret.errors import ItemsError
from conqret.io import open_items

QUESTIONS = [
    {"id": "a", "question": "What do zoos keep?", "answers": [{"text": "animals"}, {"text": "a"}]},
    {"id": "b", "question": "Why?", "answers": [], "is_impossible": True},
]


def test_squad(write):
    entry = {"title": "Zoo", "paragraphs": [{"context": "Zoos keep animals.", "qas": QUESTIONS}]}
    source = open_items(write("train.json", json.dumps({"version": "v2.0", "data": [entry]})))
    first, second = source
    assert source.check().layout == "SQuAD"
    assert (first.id, first.topic, first.reference) == ("a", "What do zoos keep?", "animals")
    assert [document.text for document in first.documents] == ["Zoos keep animals."]
    assert (second.id, second.reference, second.argument) == ("b", None, None)


@pytest.fixture
def beir(tmp_path):
    """A folder of two questions, one of which has grades."""
    (tmp_path / "qrels").mkdir()
    (tmp_path / "corpus.jsonl").write_text(
        '{"_id": "d1", "title": "Zoo", "text": "Cages."}\n{"_id": "d2", "title": "", "text": "Keepers."}\n'
    )
    (tmp_path / "queries.jsonl").write_text(
        '{"_id": "q1", "text": "Ban zoos?"}\n{"_id": "q2", "text": "Why?"}\n'
    )
    (tmp_path / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td2\t0\nq1\td1\t2\n")
    return tmp_path


def test_beir(beir):
    source = open_items(beir)
    (item,) = source
    assert source.check().layout == "BEIR"
    assert (item.id, item.topic, item.metadata) == ("q1", "Ban zoos?", {"grades": {"d2": 0, "d1": 2}})
    assert [(document.id, document.title, document.text) for document in item.documents] == [
        ("d2", "", "Keepers."),
        ("d1", "Zoo", "Cages."),
    ]


def test_beir_splits(beir, fault_of):
    (beir / "qrels" / "dev.tsv").write_text("query-id\tcorpus-id\tscore\nq2\td1\tmuch\n")
    assert open_items(beir).check().count == 1  # the test split
    (beir / "qrels" / "test.tsv").unlink()
    with pytest.raises(ItemsError, match=r"dev.tsv:2 \[score\] is 'much', and a finite number is expected"):
        open_items(beir).check()
    (beir / "qrels" / "train.tsv").write_text("query-id\tcorpus-id\tscore\n")
    assert "not exactly one other (dev.tsv, train.tsv)" in fault_of(beir).problem
