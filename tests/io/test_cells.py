"""Values as tables hold them."""

import datetime
from decimal import Decimal

import pytest

from conqret.data import Document
from conqret.errors import ItemsError
from conqret.io import cell_values as cells
from conqret.io import open_items
from conqret.io.cell_values import as_list, canonical, is_missing, list_in_text, plain
from conqret.io.faults import Unfit

numpy = pytest.importorskip("numpy")


@pytest.mark.parametrize("value", [None, float("nan"), numpy.float64("nan")])
def test_nothing(value):
    assert is_missing(value)


@pytest.mark.parametrize("value", [0, "", False, [], "nan", float("inf")])
def test_something(value):
    assert not is_missing(value)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (numpy.int64(3), 3),
        (numpy.float32(0.5), 0.5),
        (numpy.bool_(True), True),
        (numpy.array([[1, 2]]), [[1, 2]]),
        (Decimal("1.10"), "1.10"),
        (datetime.datetime(2024, 5, 1, 12, tzinfo=datetime.UTC), "2024-05-01T12:00:00+00:00"),
        ({1: None, 2: [None, float("nan")]}, {"2": [None, None]}),
    ],
)
def test_plain(value, expected):
    assert plain(value) == expected
    assert type(plain(value)) is type(expected)


def test_lists_of_other_libraries():
    assert as_list((1, 2)) == [1, 2]
    assert as_list(numpy.array(["a", "b"])) == ["a", "b"]
    assert as_list("ab") == "ab"
    assert as_list({"a": 1}) == {"a": 1}


def test_canonical_bytes_do_not_depend_on_order_or_number_type():
    assert canonical({"b": 1.0, "a": [{"d": 2, "c": 0.5}]}) == canonical(
        {"a": [{"c": 0.5, "d": 2.0}], "b": 1}
    )
    assert canonical({"a": 1}) != canonical({"a": 1.5})


def test_printed_lists():
    assert list_in_text("['a', 'b',]") == ["a", "b"]
    with pytest.raises(Unfit, match="is a text, and a list is expected"):
        list_in_text("('a', 'b')")
    with pytest.raises(Unfit, match="begins like a list"):
        list_in_text("['a'] + 1")


def test_a_printed_list_that_is_too_long(monkeypatch):
    monkeypatch.setattr(cells, "MAX_LITERAL", 10)
    with pytest.raises(Unfit, match="begins like a list"):
        list_in_text("['" + "a" * 20 + "']")


def test_objects_in_text():
    (item,) = open_items([{"topic": "T?", "metadata": '{"a": 1}'}])
    assert item.metadata == {"a": 1}
    with pytest.raises(ItemsError, match="is a list, and an object is expected"):
        list(open_items([{"topic": "T?", "metadata": "[1]"}]))


def test_documents_as_objects_of_ours():
    (item,) = open_items([{"topic": "T?", "documents": (Document(id="x", text="a"),)}])
    assert item.documents == (Document(id="x", text="a"),)
