"""Charts: effects with their intervals, and axes with round numbers that hold what is there."""

import re

import pytest

from conqret.show.charts import Chart, ChartLine, Point, round_numbers
from conqret.show.forest import MARKS, Forest, ForestRow

ROWS = [
    ForestRow("position", 0.31, 0.12, 0.5, "alarm", "alarm", 0.2),
    ForestRow("length <b>", -0.02, -0.05, 0.01, "clear", "clear", 0.1),
    ForestRow("stance", 0.04, None, None, "inconclusive", "unsure"),
]


def test_places_follow_the_axis():
    forest = Forest("Effects", "difference", ROWS)
    ticks = {tick.text: tick.at for tick in forest.across()}
    assert list(ticks) == ["-0.4", "-0.2", "0", "0.2", "0.4", "0.6"], "further than what is shaded"
    shaded = ticks["-0.2"], ticks["0.2"]
    x = f"{ticks['0']:g}"
    assert forest.zero == f"M{x},18v20M{x},56v20M{x},94v20V118", "it leaves out the words of the rows"
    position, length, stance = forest.drawn()
    assert position.shade == f"M{shaded[0]:g},18H{shaded[1]:g}v16H{shaded[0]:g}z"
    assert (length.shade[:1], stance.shade) == ("M", "")
    low, high = map(float, re.fullmatch(r"M([\d.]+),26H([\d.]+)", position.line).groups())
    assert ticks["0"] < low < ticks["0.2"]
    assert ticks["0.4"] < high == pytest.approx((ticks["0.4"] + ticks["0.6"]) / 2, abs=0.02)
    assert position.said == "alarm 0.310 [0.120, 0.500]"
    assert stance.said == "unsure 0.040"
    assert re.fullmatch(r"M([\d.]+),102H\1", stance.line)  # no interval: a point
    assert length.text == 51


def test_what_a_row_is_compared_with_has_a_small_mark_and_a_line_of_the_key():
    rows = [
        ForestRow("a", 0.4, others={"length": 0.1, "constant": -0.2}),
        ForestRow("b", 0.2, others={"length": 0.3}),
    ]
    forest = Forest("Agreement", "alpha", rows)
    assert forest.compared == ["length", "constant"]
    first, second = forest.drawn()
    assert [(mark.name, mark.place) for mark in first.others] == [("length", 1), ("constant", 2)]
    assert [mark.name for mark in second.others] == ["length"]
    assert [mark.name for mark, _ in forest.key()] == forest.compared
    assert "a: 0.400, length 0.100, constant -0.200;" in forest.description
    assert forest.svg().count('class="c1 hollow"') == 3


def test_what_was_concluded_is_told_by_more_than_colour():
    drawn = [(mark.path, mark.filled, mark.dashes) for mark in MARKS.values()]
    assert len(set(drawn)) == len(MARKS)
    forest = Forest("Effects", "difference", ROWS)
    assert "position: 0.310 [0.120, 0.500], alarm;" in forest.description
    with pytest.raises(KeyError):
        list(Forest("Effects", "x", [ForestRow("a", 0.1, verdict="maybe")]).drawn())


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
