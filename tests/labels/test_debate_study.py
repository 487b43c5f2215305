"""Who judges which debate how, the time that is kept, and the answers as they are exported."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conqret.debate.two_turn.judge_answers import (
    GRACE_SECONDS,
    LIMIT_SECONDS,
    TIME_UP,
    answer_outcomes,
    as_slider_answers,
    bonus,
    close_overdue,
    give,
    judged,
    left,
    planned_judgments,
)
from conqret.debate.two_turn.slider_answers import SIMPLE, Design, SliderAnswer, read_slider_answers
from conqret.debate.two_turn.two_turn_files import read_two_turn
from conqret.errors import DeclarationError
from conqret.labels.answer_ledger import Ledger
from conqret.labels.screens import ScreenTurn, StaleAnswerError
from tests.labels.debates import BOTH, DEBATES, Clock, begun_debate, made


@settings(max_examples=40, deadline=None)
@given(
    judges=st.integers(1, 9),
    count=st.integers(1, 12),
    passages=st.integers(1, 4),
    design=st.sampled_from(("main", "pilot")),
    instructions=st.sampled_from((BOTH, BOTH[:1], BOTH[1:])),
    seed=st.integers(0, 99),
)
def test_each_meets_each_question_once_and_all_is_balanced(
    judges: int, count: int, passages: int, design: Design, instructions: tuple[str, ...], seed: int
) -> None:
    questions = made(count, passages)
    screens = planned_judgments(questions, judges, design, instructions, seed)
    turns = 3 if design == "pilot" else 2
    assert len(screens) == judges * count * turns
    first = [(screen, screen.judging) for screen in screens if screen.part == "1"]
    assert {(one.person, one.item) for one, _ in first} == {
        (judge, question.id) for judge in range(1, judges + 1) for question in questions
    }
    home = {question.id: question.passage_id for question in questions}
    groups: dict[tuple[object, ...], Counter[object]] = {}
    for one, how in first:
        for group in (("judge", one.person), ("question", one.item), (one.person, home[one.item])):
            groups.setdefault(group, Counter()).update([(how.condition, how.instruction)] if how else [])
    for group, counted in groups.items():
        fewest = min(counted.values()) if len(counted) == 2 * len(instructions) else 0
        assert max(counted.values()) - fewest <= 1, group
    for judge in range(1, judges + 1):
        own = [screen for screen in screens if screen.person == judge]
        assert [one.part for one in own] == [str(turn + 1) for _ in range(count) for turn in range(turns)]
        told = [one.judging.instruction for one in own if one.judging]
        assert sum(a != b for a, b in pairwise(told)) <= 1
        for one, other in pairwise(own):
            assert other.part == "1" or (one.item, one.judging.swapped) == (other.item, other.judging.swapped)  # type: ignore[union-attr]


def test_the_main_design_needs_passages(tmp_path: Path) -> None:
    bare = [replace(one, passage="") for one in made(2)]
    with pytest.raises(DeclarationError, match="has none"):
        begun_debate(tmp_path, questions=bare)
    assert {one.part for one in planned_judgments(bare, 1, "pilot", ("simple",))} == {"1", "2"}


def started(ledger: Ledger, name: str = "ann") -> ScreenTurn:
    person = ledger.annotator(name)
    close_overdue(ledger, person)
    turn = ledger.next(person)
    assert turn is not None
    ledger.start(person, turn)
    found = ledger.turn(person, turn.number)
    assert found is not None
    return found


def test_the_time_is_kept_and_begins_once(tmp_path: Path) -> None:
    clock = Clock()
    ledger = begun_debate(tmp_path, clock=clock)
    ann = ledger.annotator("ann")
    with pytest.raises(DeclarationError, match="press Start"):
        give(ledger, ann, ledger.next(ann), "1")  # type: ignore[arg-type]
    turn = started(ledger)
    clock.now += 100
    ledger.start(ann, turn)
    assert left(ledger, started(ledger)) == LIMIT_SECONDS - 100
    clock.now -= 1_000  # the clock is set back
    assert left(ledger, started(ledger)) == LIMIT_SECONDS
    clock.now += 1_000
    clock.now += LIMIT_SECONDS - 100 + GRACE_SECONDS - 1
    close_overdue(ledger, ann)
    give(ledger, ann, started(ledger), "2")
    with pytest.raises(StaleAnswerError):
        give(ledger, ann, turn, "-2")

    late = started(ledger)
    assert late.number != turn.number
    clock.now += LIMIT_SECONDS + GRACE_SECONDS + 1
    assert started(ledger).number != late.number
    found = {row.turn: row for row in exported(ledger, tmp_path)}
    assert (found[1].slider, found[1].reason) == (2, "")
    assert (found[2].slider, found[2].reason) == (None, TIME_UP)
    with pytest.raises(DeclarationError, match="points"):
        give(ledger, ann, started(ledger), "4")


def exported(ledger: Ledger, folder: Path) -> tuple[SliderAnswer, ...]:
    file = folder / "answers.csv"
    file.write_bytes(as_slider_answers(ledger).encode())
    return read_slider_answers(file)


def test_answers_are_exported_of_the_options_as_they_stood_and_earn_their_bonus(tmp_path: Path) -> None:
    clock = Clock()
    ledger = begun_debate(tmp_path, ("ann", "bob"), "main", BOTH, clock=clock)
    right = {one.id: one.right for one in read_two_turn(DEBATES)}
    sure = {}
    for person in ledger.annotators():
        while ledger.next(person) is not None:
            turn = started(ledger, person.name)
            clock.now += 30
            assert turn.screen.judging is not None
            first = (right[turn.screen.item] == 1) != turn.screen.judging.swapped
            give(ledger, person, turn, "-3" if first else "3")
            sure[turn.screen.judging.instruction] = turn.screen
    rows = exported(ledger, tmp_path)
    assert len(rows) == 2 * 4 * 2
    assert {(row.toward_right, row.judge) for row in rows} == {(3, "p01"), (3, "p02")}
    assert "30.0" in (tmp_path / "answers.csv").read_text()
    bob = ledger.annotator("bob")
    mine = judged(ledger, bob, sure["simple"])
    assert [(one.turn, bonus(one)) for one in mine] == [(1, SIMPLE.bonus(3)), (2, SIMPLE.bonus(3))]
    outcomes = answer_outcomes(ledger, bob)
    assert [outcome.toward_right for outcome in outcomes] == [3] * 4
    assert sum(outcome.dollars for outcome in outcomes) == sum(
        bonus(row) or 0 for row in rows if row.judge == "p02"
    )


def test_nobody_else_gets_what_is_planned_for_a_judge(tmp_path: Path) -> None:
    ledger = begun_debate(tmp_path)
    ann = ledger.annotator("ann")
    assert ledger.counts(ann) == (0, 8)
    give(ledger, ann, started(ledger), "0")
    with pytest.raises(DeclarationError, match="planned for this annotator only"):
        ledger.reassign(ann)
    ledger.set_state(ann, "dropped")
    assert ledger.counts(ledger.annotator("bob")) == (0, 8)
    assert list(ledger.finished_answers()) == []
    ledger.set_state(ledger.annotator("ann"), "active")
    assert exported(ledger, tmp_path)[0].slider == 0
