"""Axes of charts have round numbers that hold what is there."""

import pytest

from conqret.show.charts import Chart, ChartLine, Point, round_numbers


def test_what_is_below_0_stands_below_0_in_the_chart():
    low, high = ChartLine("a", [Point(0.013343, -0.4, -0.7, 0.1)]), ChartLine("b", [Point(12345, 0.5)])
    chart = Chart("t", "cost", "alpha", [low, high])
    at = {tick.text: tick.at for tick in chart.up()}
    assert list(at) == ["-1", "-0.5", "0", "0.5", "1"]
    first, second = chart.drawn()
    assert at["0"] < float(first.dots[0].split(",")[1].split("m")[0]) < at["-0.5"]
    assert float(second.dots[0].split(",")[1].split("m")[0]) == at["0.5"]
    assert [tick.text for tick in chart.across()] == ["0.0133", "12345"]
    (beyond,) = Chart("t", "x", "y", [ChartLine("one", [Point(100, 1.4), Point(0, -3.0)])]).drawn()
    assert [pair.split(",")[1] for pair in beyond.path.split()] == ["200", "26"], "no further than -1 and 1"
    assert chart.svg().index(">cost</text>") < chart.svg().index(">alpha</text>"), "a label for each axis"


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (0.041, 0.19, [0, 0.05, 0.1, 0.15, 0.2]),
        (-1, 1, [-1, -0.5, 0, 0.5, 1]),
        (0.411, 1, [0.4, 0.6, 0.8, 1]),
        (3, 3, [3]),
    ],
)
def test_round_numbers_hold_what_is_there(low, high, ticks):
    assert round_numbers(low, high) == ticks
