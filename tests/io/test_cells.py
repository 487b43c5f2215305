"""Values as tables hold them."""

import datetime
from decimal import Decimal

import pytest

from conqret.io.cell_values import plain

numpy = pytest.importorskip("numpy")


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
