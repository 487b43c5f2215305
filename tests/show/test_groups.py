"""Means of groups with their intervals, and which metadata makes groups."""

from dataclasses import astuple

import pytest

from conqret.data import Item, Judgment, Measure, Reason, Status
from conqret.judging.tally import Tally, group_table
from conqret.stats.resampling import mean_interval

VALUES = (0.25, 0.5, 0.75, 0.5, 1.0, 0.0, 0.75, 0.25)


def judgment(place: int, value: float | None) -> Judgment:
    measure = Measure.missing(Reason.TIMEOUT) if value is None else Measure(status=Status.SCORED, value=value)
    return Judgment(
        item=f"i{place}",
        topic=f"topic {place // 2}",
        stance="pro" if place % 2 else "con",
        format="direct",
        model="m",
        fingerprint="f",
        measures={"clarity": measure},
    )


@pytest.fixture
def scores() -> Tally:
    found = Tally()
    for place, value in enumerate(VALUES):
        found.add(judgment(place, value))
    return found


def test_means_stand_with_intervals_over_topics(scores: Tally) -> None:
    topics = [f"topic {place // 2}" for place in range(8)]
    assert astuple(scores.mean("clarity")) == pytest.approx(
        astuple(mean_interval(VALUES, topics, scale="share"))
    )
    table = group_table(scores, ["clarity"])
    pro = mean_interval(VALUES[1::2], topics[1::2], scale="share")
    assert table.rows[0] == ("Stance",)
    assert ("pro", "4", f"{pro.value:.3f} [{pro.low:.3f}, {pro.high:.3f}]") in table.rows
    assert ("topic 0", "2", "0.375") in table.rows, "one topic has no interval"


def test_metadata_groups_where_it_has_few_values_and_divides_otherwise(scores: Tally) -> None:
    for n in range(8):
        metadata = {"source": "ab"[n > 4], "id": n, "slug": f"s{n // 2}", "same": 1, "list": []}
        scores.add_item(Item(id=f"i{n}", topic="t", argument="a", metadata=metadata))
    titles = [row[0] for row in group_table(scores, ["clarity"]).rows if len(row) == 1]
    assert titles == ["Stance", "Topic", "Source"], "slug divides like topic, id into items, same not at all"
