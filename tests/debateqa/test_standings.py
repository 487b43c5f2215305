"""Standings over common questions, and instruments that cannot stand together."""

import pytest

from conqret.debateqa.score_table import AWARENESS, DIVERSITY, ScoreRow, frame_of
from conqret.debateqa.standings import standings
from conqret.errors import DeclarationError

AWARE = [ScoreRow(system, "x", AWARENESS, "phi", float(system == "a")) for system in "ab"]


def diversity(values, instrument="gpt2, prompt 1, paper (1a2b3c4d)"):
    return [
        ScoreRow(system, one, DIVERSITY, instrument, value, n=2)
        for system, own in values.items()
        for one, value in own.items()
    ]


def test_an_easy_question_more_makes_no_system_better():
    rows = diversity({"a": {"x": 10.0}, "b": {"x": 12.0, "easy": 2.0}})
    found = standings(frame_of([*rows, *AWARE]))
    assert found.mean_diversity == {"a": 10.0, "b": 12.0}
    assert found.diversity_ranks == {"a": "1", "b": "2"}
    (one,) = found.diversity.values()
    assert (one.questions, one.left_out) == (1, 1)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            [*diversity({"a": {"x": 1.0}, "b": {"y": 2.0}}), *AWARE],
            "no question has a perspective_diversity of all",
        ),
        ([*diversity({"a": {"x": 1.0}}), *AWARE], "b lacks one"),
    ],
)
def test_what_cannot_stand_together(rows, message):
    with pytest.raises(DeclarationError, match=message):
        standings(frame_of(rows))
