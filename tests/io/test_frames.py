"""Frames in, and frames of the same kind out."""

import polars
import pytest

from conqret.errors import DeclarationError
from conqret.io import frame_kind, open_items, to_frame

pandas = pytest.importorskip("pandas")
pyarrow = pytest.importorskip("pyarrow")

TABLE = {
    "topic": ["T?", "U?", "V?"],
    "id": [1, None, 3],
    "argument": ["a", None, float("nan")],
    "documents": [["x"], [{"id": "d", "text": "y"}], None],
}


@pytest.mark.parametrize("make", [pandas.DataFrame, lambda table: polars.DataFrame(table, strict=False)])
def test_a_frame(make):
    frame = make({**TABLE, "argument": ["a", None, None], "documents": [["x"], ["y"], None]})
    source = open_items(frame)
    items = list(source)
    assert [item.id for item in items] == ["1", items[1].id, "3"]
    assert items[1].id.startswith("u-")
    assert [item.argument for item in items] == ["a", None, None]
    assert [len(item.documents) for item in items] == [1, 1, 0]
    assert source.frame_kind == source.name.split()[0] == frame_kind(frame)


def test_a_missing_topic_in_a_frame(fault_of):
    fault = fault_of(pandas.DataFrame({"topic": ["T?", float("nan")]}))
    assert (fault.file, fault.line, fault.field, fault.problem) == ("pandas frame", 2, "topic", "is missing")


def test_wrong_objects():
    with pytest.raises(DeclarationError, match=r"call \.collect\(\)"):
        open_items(polars.DataFrame(TABLE, strict=False).lazy())
    with pytest.raises(DeclarationError, match="put it into a list"):
        open_items({"topic": "T?"})
    with pytest.raises(DeclarationError, match="items must be a path, a frame or a list, not a number"):
        open_items(3)


@pytest.mark.parametrize("kind", ["polars", "pandas", "pyarrow"])
def test_a_result_is_of_the_kind_that_came_in(kind):
    frame = to_frame([{"id": "a", "score": 0.5}, {"id": "b", "reason": "refused"}], kind)
    assert frame_kind(frame) == kind
    assert list(frame.column_names if kind == "pyarrow" else frame.columns) == ["id", "score", "reason"]
    assert len(frame) == 2
