"""Parquet, by either engine."""

import polars
import pytest

from conqret.io.files import parquet_rows
from conqret.io.rows import Row

RECORDS = [
    {
        "id": str(n),
        "topic": "T?",
        "documents": [{"id": "x", "text": "a", "title": None}],
        "metadata": {"n": n},
    }
    for n in range(700)
]


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "items.parquet"
    polars.DataFrame(RECORDS).write_parquet(path)
    return path


def test_damaged_inside(path, tmp_path):
    data = bytearray(path.read_bytes())
    data[4:200] = b"\xff" * 196
    broken = tmp_path / "broken.parquet"
    broken.write_bytes(data)
    faults = [row for row in parquet_rows(broken, "broken.parquet") if not isinstance(row, Row)]
    assert faults[0].problem.startswith("is a corrupt Parquet file: 0 rows can be read")
