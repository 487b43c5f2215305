"""Whom judges follow: the writers' Elo and bonuses, the better half of the judges, and one side heard alone."""

import json
from pathlib import Path

import pytest

from conqret.debate.two_turn.debate_judge import DebateRequest, debate_requests, prompt
from conqret.debate.two_turn.outcome_page import outcome_tables, verdict
from conqret.debate.two_turn.outcomes import debate_outcomes
from conqret.debate.two_turn.slider_answers import read_slider_answers
from conqret.debate.two_turn.two_turn_files import read_two_turn
from conqret.debate.two_turn.writer_scores import score_writers, writers_table
from conqret.errors import ItemsError
from conqret.prompts import Library
from tests.debate.made import answer

FIXTURE = Path(__file__).parents[2] / "fixtures" / "two_turn_debates.jsonl"
LIBRARY = Library()
ROW = {
    "question": "q",
    "passage": "p",
    "judge": "Ann",
    "condition": "PSA",
    "turn": 1,
    "slider": 1,
    "right": 1,
}
ROW["instruction"] = "simple"


def debate(point, number, one="A", other="B", **fields):
    """An answer to a debate that ``one`` writes for the right option and ``other`` for the wrong one."""
    fields = {"question": f"q{number}", "passage": f"p{number}", "condition": "PSA", **fields}
    return answer(point, for_right=one, for_wrong=other, **fields)


def consulted(point, number, consultant, **fields):
    fields = {"question": f"q{number}", "passage": f"p{number}", "condition": "PSC", **fields}
    return answer(point, consultant=consultant, **fields)


def test_who_wins_nine_of_ten_games_has_odds_of_nine_to_one():
    games = [debate(2, n) for n in range(45)] + [debate(-2, n, "B", "A") for n in range(45, 90)]
    lost = [debate(-2, n) for n in range(90, 95)] + [debate(2, n, "B", "A") for n in range(95, 100)]
    first, second = score_writers(games + lost)
    assert (first.writer, second.writer) == ("A", "B")
    assert first.rating.value + second.rating.value == pytest.approx(3000)
    assert first.rating.value - second.rating.value == pytest.approx(
        382, abs=6
    )  # 400 log10(9), but for the prior
    assert first.rating.low < first.rating.value < first.rating.high
    assert second.rating.high < first.rating.low
    assert first.right.followed.value == pytest.approx(0.9)
    assert first.wrong.followed.value == pytest.approx(0.9)
    assert first.right.dollars == pytest.approx(0.20 * 45)
    assert first.wrong.dollars == pytest.approx(0.75 * 45)
    assert second.wrong.dollars == pytest.approx(0.75 * 5)


def test_abstaining_is_a_tie_and_earns_the_wrong_side_its_bonus():
    first, second = score_writers([debate(0, n) for n in range(4)])
    assert first.rating.value == pytest.approx(1500)
    by_name = {one.writer: one for one in (first, second)}
    assert by_name["B"].wrong.dollars == 3
    assert by_name["A"].right.dollars == 0
    assert by_name["A"].right.followed.reason == "no answer takes a side"


def test_who_argues_against_itself_has_no_rating():
    (one,) = score_writers([debate(2, n, "A", "A") for n in range(3)])
    assert one.rating.value is None
    assert one.right.followed.value == 1
    assert one.wrong.followed.value == 0
    assert "Elo is undefined" in writers_table([one]).note


@pytest.fixture(scope="module")
def question():
    return read_two_turn(FIXTURE)[0]


def test_one_side_alone_is_all_that_a_consultancy_shows(question):
    one, two = question.sides
    for option, heard, other in ((1, one, two), (2, two, one)):
        for turn in (1, 2):
            text = prompt(DebateRequest(question, "PSC", turn, "simple", False, option), LIBRARY, 0)
            assert heard.argument.text in text.user
            assert other.argument.text not in text.user
            assert (other.counter.text in text.user) == (
                turn == 2
            )  # what the heard side says against the other
            assert heard.counter.text not in text.user
            assert text.user.count("<counter") == turn - 1
            assert one.option in text.user
            assert two.option in text.user
            assert "nobody speaks for the other one" in text.system
    assert "nobody speaks" not in prompt(DebateRequest(question, "PSA", 1, "simple", False), LIBRARY).system


def test_consultancies_are_asked_for_either_option(question):
    plain, more = debate_requests([question]), debate_requests([question], consultancy=True)
    assert set(plain) < set(more)
    alone = [one for one in more if one.consulted]
    assert len(alone) == 2 * 2 * 2
    assert len({one.key for one in more}) == len(more)
    assert {
        asking.condition
        for asking in debate_requests([question], "pilot", consultancy=True)
        if asking.consulted
    } == {"SC"}


def test_consultancy_is_held_against_debate_and_whom_judges_follow_is_told():
    rows = [debate(2 if n % 10 else -2, n) for n in range(20)]  # 18 of 20 right
    rows += [consulted(2, n, "right") for n in range(20)]
    rows += [consulted(-2 if n % 4 else 2, n, "wrong") for n in range(20)]  # misled in 15 of 20
    found = debate_outcomes(rows)
    assert found.consultancy.without.value == pytest.approx(25 / 40)
    assert found.consultancy.having.value == pytest.approx(0.9)
    assert [(one.condition, one.argued, one.consultant) for one in found.followed] == [
        ("PSA", "right", False),
        ("PSC", "right", True),
        ("PSC", "wrong", True),
    ]
    assert [one.rate.value for one in found.followed] == [0.9, 1, 0.75]
    assert "Hearing both sides helps this judge: 90.0%" in verdict(found)
    assert "+27.5 points" in verdict(found)
    assert any("Whom judges go with" in table.title for table in outcome_tables(found))
    assert found.writers["right"] == pytest.approx(0.2 * 18 / 20)  # of debates alone


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"condition": "PSC"}, r"jsonl:1 \[consultant\] is missing"),
        ({"condition": "PSC", "consultant": "right", "turn": 3}, "the main design .PSC. has two judgments"),
    ],
)
def test_answers_that_do_not_say_who_was_heard_are_named(tmp_path, change, message):
    path = tmp_path / "answers.jsonl"
    path.write_text(json.dumps({**ROW, **change}) + "\n")
    with pytest.raises(ItemsError, match=message):
        read_slider_answers(path)
