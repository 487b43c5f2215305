"""Opening, checking whole, and reading again."""

import json

import pytest

from conqret.data import Item
from conqret.errors import MAX_SHOWN, ItemsError
from conqret.io import open_items
from conqret.io.faults import MAX_KEPT, quoted

FULL = {"topic": "T?", "stance": "pro", "documents": ["a"], "argument": "b", "second_argument": "c"}


def lines(*records: object) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def test_what_a_check_returns(write):
    path = write("a.jsonl", lines({**FULL, "id": "1"}, {"topic": "U?", "id": "2", "argument": "b"}))
    checked = open_items(path).check()
    assert (checked.count, checked.documents, checked.longest_document) == (2, 1, 1)
    assert checked.has == {
        "stance": "some",
        "documents": "some",
        "argument": "all",
        "second_argument": "some",
    }
    assert checked.layout == "conqret"
    assert len(checked.digest) == 64


def test_all_and_none(write):
    checked = open_items([{"topic": "T?", "documents": ["a"]}]).check()
    assert checked.has == {
        "stance": "none",
        "documents": "all",
        "argument": "none",
        "second_argument": "none",
    }


@pytest.mark.parametrize("field", ["documents", "argument", "second_argument", "stance"])
def test_what_a_format_needs(field, fault_of):
    reason = "format rag-direct compares two arguments"
    record = {key: value for key, value in FULL.items() if key != field}
    fault = fault_of([{**FULL, "id": "1"}, {**record, "id": "2"}], {field: reason})
    assert (fault.line, fault.field) == (2, field)
    assert fault.problem == f"is missing or empty, and {reason}"


def test_a_needed_field_is_named_as_in_the_file(fault_of):
    fault = fault_of([{"question": "T?", "answer": "a"}], {"documents": "context relevance judges documents"})
    assert fault.field == "contexts"


def test_duplicate_ids(write, faults_of):
    one = {"topic": "T?", "id": "x"}
    faults = faults_of(write("a.jsonl", lines(one, {"topic": "T?", "id": "y"}, one, one)))
    assert [(fault.line, fault.problem) for fault in faults] == [
        (3, "is 'x', as in line 1"),
        (4, "is 'x', as in line 1"),
    ]


def test_all_faults_in_file_order(write, faults_of):
    content = lines({"topic": "T?", "stance": "?"}) + "broken\n" + lines({"topic": 3}) + '{"topic": "cut'
    path = write("a.jsonl", content)
    faults = faults_of(path)
    assert [fault.line for fault in faults] == [1, 2, 3, 4]
    assert {fault.file for fault in faults} == {str(path)}


def test_many_faults_are_counted_and_the_first_are_shown():
    with pytest.raises(ItemsError) as caught:
        open_items([{"topic": "T?", "stance": "?", "id": str(n)} for n in range(MAX_KEPT + 7)]).check()
    message = str(caught.value)
    assert message.startswith("1007 faults in the items:\n")
    assert message.count("\n") == MAX_SHOWN + 1
    assert message.endswith(f"  and {MAX_KEPT + 7 - MAX_SHOWN} more")
    assert len(caught.value.faults) == MAX_KEPT


def test_a_source_can_be_read_again():
    source = open_items(record for record in [{"topic": "T?"}, {"topic": "U?"}])
    assert source.check().count == 2
    assert list(source) == list(source)
    assert all(isinstance(item, Item) for item in source)


def test_wrong_objects_in_a_list(faults_of):
    faults = faults_of([{"topic": "T?"}, 3, None])
    assert [fault.problem for fault in faults] == ["is a number", "is null"]


def test_the_digest_is_of_the_items():
    base = [{"topic": "T?", "documents": ["a"]}]
    digest = open_items(base).check().digest
    assert open_items([{"question": "T?", "contexts": ["a"], "answer": None}]).check().digest == digest
    assert open_items(list(open_items(base))).check().digest == digest
    assert open_items([{"topic": "T?", "documents": ["b"]}]).check().digest != digest
    assert open_items(base * 1 + [{"topic": "U?"}]).check().digest != digest


def test_quoted():
    assert quoted("a") == "'a'"
    assert quoted("x" * 100) == "'" + "x" * 59 + "…'"
    assert quoted("\x1b[1m\n") == r"'\x1b[1m\n'"
