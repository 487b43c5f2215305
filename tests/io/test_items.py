"""Every fault of a record has its own words, and says the field."""

import datetime
import re
from decimal import Decimal

import numpy
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
    "argument an object": ({"argument": {"text": "x"}}, "argument", "is an object, and a text"),
    "stance": ({"stance": "maybe"}, "stance", "is 'maybe', which is not a known stance"),
    "documents an object": ({"documents": {"id": "x"}}, "documents", "is an object, and a list is expected"),
    "document without text": ({"documents": [{"id": "x"}]}, "documents[1].text", "is missing"),
    "document ids": (
        {"documents": [{"id": "x", "text": "a"}, {"id": "x", "text": "b"}]},
        "documents[2].id",
        "is 'x', as that of document 1 of the same item",
    ),
    "NUL": ({"topic": "a\0b"}, "topic", "contains the NUL character U+0000 at position 1"),
    "surrogate": (
        {"topic": "x\ud83d"},
        "topic",
        "contains half of a character (a lone surrogate, U+D83D) at position 1",
    ),
    "long text": ({"argument": "a" * (MAX_TEXT + 1)}, "argument", "has 10,000,001 characters"),
    "id long": ({"id": "i" * 201}, "id", "has 201 characters, and 200 is the most"),
    "id turned around": ({"id": "a\u202eb"}, "id", "contains the character U+202E"),
    "id huge": ({"id": 10**5000}, "id", "is a number of hundreds of digits"),
    "metadata a text": ({"metadata": "hello"}, "metadata", "is not a valid JSON object"),
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


def test_words_for_a_stance():
    words = (" Support ", "against", "neutral", "")
    source = open_items(
        [{"id": word, "topic": "T?", "stance": word} for word in words[:3]] + [{"topic": "U?"}]
    )
    assert [item.stance for item in source] == ["pro", "con", "none", "none"]
    assert sum("is read as" in note for note in source.check().notes) == 3


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


def test_metadata_nested_too_deeply(fault_of):
    value: object = 1
    for _ in range(40):
        value = [value]
    assert "more than 32 levels" in fault_of([{**GOOD, "metadata": {"a": value}}]).problem


def test_values_of_tables_become_plain_ones():
    time = datetime.datetime(2024, 5, 1, 12, tzinfo=datetime.UTC)
    metadata = {"n": numpy.float32(0.5), "a": numpy.array([[1]]), "d": Decimal("1.10"), "t": time}
    (item,) = open_items([{**GOOD, "metadata": metadata}])
    plain = {"n": 0.5, "a": [[1]], "d": "1.10", "t": "2024-05-01T12:00:00+00:00"}
    assert item.metadata == plain


def test_hostile_values_are_escaped_in_messages(faults_of):
    faults = faults_of(
        [{**GOOD, "stance": "\x1b[2J" + "x" * 500}, {**GOOD, "id": "b", "stance": "a\nb" * 90}]
    )
    for fault in faults:
        assert str(fault).isprintable()
        assert len(str(fault)) < 300
