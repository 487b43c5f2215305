"""Every fault of a record has its own words, and says the field."""

import re

import pytest

from conqret.data import Document
from conqret.io import open_items
from conqret.io.cell_values import MAX_TEXT

GOOD = {
    "id": "a",
    "topic": "Should zoos be banned?",
    "stance": "pro",
    "documents": [{"id": "x", "text": "Cages."}],
}

FAULTS = {
    "no topic": ({"topic": None}, "topic", "is missing"),
    "blank topic": ({"topic": " \n"}, "topic", "is empty"),
    "argument true": ({"argument": True}, "argument", "is true or false, and a text is expected"),
    "argument an object": ({"argument": {"text": "x"}}, "argument", "is an object, and a text"),
    "stance": ({"stance": "maybe"}, "stance", "is 'maybe', which is not a known stance"),
    "documents an object": ({"documents": {"id": "x"}}, "documents", "is an object, and a list is expected"),
    "document a number": ({"documents": [7]}, "documents[1]", "is a number, and a document is expected"),
    "document without text": ({"documents": [{"id": "x"}]}, "documents[1].text", "is missing"),
    "document empty": ({"documents": [{"text": "  "}]}, "documents[1].text", "is an empty text"),
    "document ids": (
        {"documents": [{"id": "x", "text": "a"}, {"id": "x", "text": "b"}]},
        "documents[2].id",
        "is 'x', as that of document 1 of the same item",
    ),
    "NUL": ({"topic": "a\0b"}, "topic", "contains the NUL character U+0000 at position 1"),
    "escape": (
        {"argument": "red \x1b[31m"},
        "argument",
        "contains the control character U+001B at position 4",
    ),
    "surrogate": (
        {"topic": "x\ud83d"},
        "topic",
        "contains half of a character (a lone surrogate, U+D83D) at position 1",
    ),
    "long text": ({"argument": "a" * (MAX_TEXT + 1)}, "argument", "has 10,000,001 characters"),
    "id empty": ({"id": " "}, "id", "is empty"),
    "id long": ({"id": "i" * 201}, "id", "has 201 characters, and 200 is the most"),
    "id turned around": ({"id": "a\u202eb"}, "id", "contains the character U+202E"),
    "id a list": ({"id": ["a"]}, "id", "is a list, and a text is expected"),
    "id huge": ({"id": 10**5000}, "id", "is a number of hundreds of digits"),
    "metadata a list": ({"metadata": [1]}, "metadata", "is a list, and an object is expected"),
    "metadata a text": ({"metadata": "hello"}, "metadata", "is not a valid JSON object"),
    "metadata a set": ({"metadata": {"a": {1, 2}}}, "metadata", "contains a set"),
    "metadata infinite": ({"metadata": {"a": float("inf")}}, "metadata", "contains an infinite number"),
    "column and metadata": ({"metadata": {"a": 1}, "a": 2}, "a", "stands both as a column and in metadata"),
    "slip": ({"arguement": "x"}, "arguement", "is not a field of an item: did you mean 'argument'"),
}


@pytest.mark.parametrize("case", FAULTS)
def test_a_fault_says_field_and_problem(case, fault_of):
    change, field, problem = FAULTS[case]
    fault = fault_of([{**GOOD, **change}])
    assert fault.field == field
    assert problem in fault.problem
    assert (fault.line, fault.file) == (1, "items")
    assert fault.remedy


def test_all_faults_of_a_record_are_listed(faults_of):
    faults = faults_of([{"id": "", "topic": 3, "stance": "?", "documents": [1, {"text": ""}], "argument": 2}])
    fields = [fault.field for fault in faults]
    assert fields == ["id", "topic", "stance", "documents[1]", "documents[2].text", "argument"]


def test_a_misnamed_document_text_is_named(fault_of):
    assert fault_of([{**GOOD, "documents": [{"texts": "a"}]}]).remedy == "Rename 'texts' to 'text'"


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (" Support ", "pro"),
        ("against", "con"),
        ("neutral", "none"),
        ("", "none"),
    ],
)
def test_words_for_a_stance(written, read):
    source = open_items([{"topic": "T?", "stance": written}])
    assert next(iter(source)).stance == read
    noted = any("is read as" in note for note in source.check().notes)
    assert noted == (isinstance(written, str) and written not in ("", read))


def test_plain_texts_are_documents_and_ids_are_made():
    source = open_items([{"topic": "T?", "documents": ["a", "b"]}, {"topic": "U?", "id": 7}])
    first, second = source
    assert (re.sub("[0-9a-f]{6}$", "…", first.id), second.id) == ("t-…", "7")
    assert first.documents == (Document(id="d1", text="a"), Document(id="d2", text="b"))
    assert source.check().notes == (
        "documents without an id are called by their place: d1, d2, … (2 times, first: line 1)",
        "items without an id are called by topic and stance (line 1)",
    )


def test_a_made_id_stays_where_rows_are_sorted_or_added():
    rows = [
        {"topic": "Should zoos be banned, and why or why not?", "stance": "pro"},
        {"topic": "Should zoos be banned, and why or why not?", "stance": "con"},
        {"topic": "¿?"},
        {"topic": "動物園は禁止すべきか"},
    ]
    made = {item.topic + item.stance: item.id for item in open_items(rows)}
    assert [re.sub("[0-9a-f]{6}$", "", one) for one in made.values()] == [
        "should-zoos-be-banned-and-why-pro-",
        "should-zoos-be-banned-and-why-con-",
        "item-",
        "動物園は禁止すべきか-",
    ]
    other = [{"topic": "Should cars be banned?"}, *reversed(rows)]
    assert made.items() <= {item.topic + item.stance: item.id for item in open_items(other)}.items()


def test_an_empty_argument_counts_as_absent():
    source = open_items([{**GOOD, "argument": " "}])
    assert next(iter(source)).argument is None
    assert source.check().notes == ("an empty argument counts as absent (line 1)",)


def test_metadata_nested_too_deeply(fault_of):
    value: object = 1
    for _ in range(40):
        value = [value]
    assert "more than 32 levels" in fault_of([{**GOOD, "metadata": {"a": value}}]).problem


def test_hostile_values_are_escaped_in_messages(faults_of):
    faults = faults_of(
        [{**GOOD, "stance": "\x1b[2J" + "x" * 500}, {**GOOD, "id": "b", "stance": "a\nb" * 90}]
    )
    for fault in faults:
        assert str(fault).isprintable()
        assert len(str(fault)) < 300
