"""Opening, checking whole, and reading again."""

import json
from dataclasses import replace

import pytest

from conqret.errors import DeclarationError, ItemsError
from conqret.io import open_items
from conqret.io import source as item_source
from conqret.io.rows import MAX_KEPT


def test_faults_that_are_alike_are_one_line_with_a_count_and_three_examples():
    bare = [{"topic": "T?", "documents": [{"id": "x", "text": "a"}] * (n % 2)} for n in range(MAX_KEPT + 500)]
    bare[1]["documents"] = [{"text": "a"}, {"id": "x"}]
    bare[3]["documents"] = [{"id": "x"}]
    with pytest.raises(ItemsError) as caught:
        open_items(bare).check({"documents": "format x rates documents"})
    head, *lines = str(caught.value).splitlines()
    assert head == "752 faults in the items:"
    assert lines == [
        "  items:1, 3, 5 and 747 more [documents] is missing or empty, and format x rates documents. Add it, or choose "
        "another format (conqret info formats)",
        "  items:2, 4 [documents[…].text] is missing. Add its text, name its column (--columns documents="
        "COLUMN.FIELD), or delete the document",
    ]


FAULTY = [
    {"id": "a", "topic": "T?", "documents": ["a"]},
    {"id": "b", "topic": "T?"},
    {"id": "a", "topic": "U?", "documents": ["a"]},
    {"id": "c", "topic": 3, "documents": ["a"]},
    7,
    {"id": "d", "topic": "V?", "documents": ["b"]},
]


def test_items_with_faults_can_be_left_out_and_are_counted_with_reasons():
    source = replace(open_items(FAULTY, skip_invalid=True), needs={"documents": "x rates them"})
    checked = source.check()
    assert [item.id for item in source] == ["a", "d"]
    assert (checked.count, checked.left_out) == (2, 4)
    assert [reason.partition(". ")[0] for reason in checked.reasons] == [
        "items:2 [documents] is missing or empty, and x rates them",
        "items:3 [id] is 'a', as in line 1",
        "items:4 [topic] is a number, and a text is expected",
        "items:5 is a number",
    ]
    assert checked.digest == open_items([FAULTY[0], FAULTY[-1]]).check().digest


def test_where_nothing_is_left_or_the_file_is_wrong_the_faults_are_raised(tmp_path):
    with pytest.raises(ItemsError, match="2 faults"):
        open_items([{"topic": 3}, {"topic": 4}], skip_invalid=True).check()
    with pytest.raises(ItemsError, match="is not a column of this input"):
        open_items([{"topic": "T?"}, {"topic": 4}], skip_invalid=True, columns={"stance": "side"}).check()
    with pytest.raises(DeclarationError, match="of which no row can be left out"):
        open_items([{"qid": "1", "query": "T?", "docno": "d", "text": "x"}], skip_invalid=True)


@pytest.mark.parametrize(("kept", "whole"), [(1 << 20, True), (400, False)])
def test_checked_items_are_kept_in_memory_or_read_again(write, monkeypatch, kept: int, whole: bool):
    rows = [{"id": f"{n}", "topic": "Ünd?", "documents": ["a"], "argument": "b" * 40} for n in range(9)]
    path = write("a.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    source = open_items(path)
    monkeypatch.setattr(item_source, "KEPT", kept)
    checked = source.check()
    assert (checked.lines is not None) is whole
    assert list(checked.items(source)) == list(source)
