"""Finished rows in a file: found by key, the better of two kept, torn lines cut, arranged in the end."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import BaseModel

from conqret.errors import DeclarationError
from conqret.runs.trials import RowStore


class Row(BaseModel):
    key: str
    value: int | None = None


def store(path: Path, foreign: str = "") -> RowStore[Row]:
    return RowStore(
        path, Row, lambda row: row.key or None, finished=lambda row: row.value is not None, foreign=foreign
    )


def test_a_row_that_failed_counts_until_a_better_one_comes(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    with store(path) as rows:
        rows.add(Row(key="a"))
        assert ("a" in rows, rows.get("a")) == (False, Row(key="a"))
        rows.add(Row(key="a", value=1))
        rows.add(Row(key="a"))
    with store(path) as rows:
        assert ("a" in rows, rows.get("a"), len(rows)) == (True, Row(key="a", value=1), 1)
        rows.add(Row(key="a", value=2))
        assert rows.get("a") == Row(key="a", value=2)


def test_foreign_lines_are_passed_over_or_refused_with_their_place(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"key": "a", "value": 1}\n{"other": true}\n{"key": ""}\n{"key": "b", "value": 2}\n')
    with store(path) as rows:
        assert [row.key for row in rows.rows()] == ["a", "b"]
    with pytest.raises(DeclarationError, match=r"rows.jsonl:2 is no row of ours"):
        store(path, foreign="is no row of ours")


def test_arranged_rows_stand_in_the_order_that_is_asked_for_and_no_others(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    with store(path) as rows:
        for key in ("c", "x", "a", "b"):
            rows.add(Row(key=key, value=1))
        rows.arrange(["a", "b", "c", "nowhere"])
        assert [row.key for row in rows.rows()] == ["a", "b", "c"]
        assert rows.get("b") == Row(key="b", value=1)
        assert "x" not in rows
        rows.add(Row(key="d", value=4))
        assert rows.get("d") == Row(key="d", value=4)
    with store(path) as rows:
        assert [row.key for row in rows.rows()] == ["a", "b", "c", "d"]
