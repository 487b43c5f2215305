"""Opening, checking whole, and reading again."""

import json
from dataclasses import replace

import pytest

from conqret.data import Item
from conqret.errors import MAX_SHOWN, DeclarationError, ItemsError
from conqret.io import item_check, open_items
from conqret.io.faults import MAX_KEPT, quoted

FULL = {
    "topic": "T?",
    "stance": "pro",
    "documents": ["a"],
    "argument": "b",
    "second_argument": "c",
    "reference": "d",
}

NUGGETS = ("nuggets", "nuggets.importance", "nuggets.sub_narrative", "nuggets.assignment")


def lines(*records: object) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def test_what_a_check_returns(write):
    path = write("a.jsonl", lines({**FULL, "id": "1"}, {"topic": "U?", "id": "2", "argument": "b"}))
    checked = open_items(path).check()
    assert (checked.count, checked.documents) == (2, 1)
    assert checked.has == {
        "stance": "some",
        "documents": "some",
        "argument": "all",
        "second_argument": "some",
        "reference": "some",
        **dict.fromkeys(NUGGETS, "none"),
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
        "reference": "none",
        **dict.fromkeys(NUGGETS, "none"),
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


def test_many_kinds_of_faults_are_counted_and_the_first_are_shown():
    with pytest.raises(ItemsError) as caught:
        open_items([{"topic": "T?", "stance": f"?{n}"} for n in range(MAX_KEPT + 7)]).check()
    message = str(caught.value)
    assert message.startswith("1,007 faults in the items:\n")
    assert message.count("\n") == MAX_SHOWN + 1
    assert message.endswith(f"  and {MAX_KEPT + 7 - MAX_SHOWN} more")
    assert len(caught.value.faults) == MAX_KEPT


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


def test_the_lack_of_a_field_names_the_columns_that_hold_none(fault_of):
    fault = fault_of(
        [{"user_input": "T?", "response": "x", "contexts": ["a"]}], needs={"documents": "format x rates them"}
    )
    assert fault.remedy == (
        "Add it, name its column (--columns documents=…; unused are 'contexts'), or choose another format "
        "(conqret info formats)"
    )


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


@pytest.mark.parametrize(("kept", "whole"), [(1 << 20, True), (400, False)])
def test_checked_items_are_kept_in_memory_or_read_again(write, monkeypatch, kept: int, whole: bool):
    path = write("a.jsonl", lines(*({**FULL, "id": f"{n}", "topic": "Ünd?"} for n in range(9))))
    source = open_items(path)
    monkeypatch.setattr(item_check, "KEPT", kept)
    checked = source.check()
    assert (checked.lines is not None) is whole
    assert list(checked.items(source)) == list(source)


def test_a_language_that_is_said_for_all_items_holds_over_a_column_that_names_none() -> None:
    row = {"topic": "t", "argument": "a", "language": "en/de"}
    (item,) = open_items([row], language="de")
    assert item.language == "de"
    with pytest.raises(ItemsError, match="language"):
        list(open_items([row]))
