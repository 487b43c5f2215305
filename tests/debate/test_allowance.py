"""Tokens in place of time: what a judge is told, what it is given, and what the passage loses."""

from dataclasses import replace
from pathlib import Path

import pytest

from conqret.debate.two_turn.debate_judge import (
    CUT,
    DebateRequest,
    check_allowance,
    debate_requests,
    prompt,
    shortened,
)
from conqret.debate.two_turn.two_turn_files import read_two_turn
from conqret.errors import DeclarationError
from conqret.llm.tokens import O200K, count_tokens, encoder
from conqret.prompts import Library

FIXTURE = Path(__file__).parents[2] / "fixtures" / "two_turn_debates.jsonl"


@pytest.fixture(scope="module")
def questions():
    return read_two_turn(FIXTURE)


def test_each_paragraph_loses_the_same_share(questions):
    long = "\n\n".join(f"Paragraph {n} begins. " + "It goes on and on. " * 40 for n in range(4))
    found, lost = shortened([replace(questions[0], passage=long)], 200, "gpt-4o-mini")
    kept = found[0].passage.split("\n")
    assert len(kept) == 4
    assert all(part.startswith(f"Paragraph {n}") and part.endswith(CUT) for n, part in enumerate(kept))
    before, after = lost["ferry"]
    assert before == sum(count_tokens(part, encoder(O200K)) for part in long.split("\n\n"))
    assert 120 < after <= 200


def test_questions_on_one_passage_are_cut_alike_and_short_ones_not_at_all(questions):
    found, lost = shortened(questions, 40, "gpt-4o-mini")
    assert set(lost) == {"ferry", "piano"}
    assert found[0].passage == found[1].passage
    assert CUT in found[0].passage
    assert found[0].sides == questions[0].sides
    same, lost = shortened(questions, 10_000, "gpt-4o-mini")
    assert (same, lost) == (questions, {})


def test_a_judge_is_told_its_allowance_and_that_the_passage_is_shortened(questions):
    one = debate_requests(questions[:1], allowance=300)[0]
    assert one.allowance == 300
    assert "You have 300 tokens in all" in prompt(one, Library()).system
    short = shortened(questions, 40, "offline")[0][0]
    system = prompt(DebateRequest(short, "PS", 1, "simple", False), Library()).system
    assert f"{CUT} stands where" in system
    plain = prompt(DebateRequest(questions[0], "PS", 1, "simple", False), Library()).system
    assert "tokens in all" not in plain
    assert CUT not in plain


@pytest.mark.parametrize(
    ("work", "message"),
    [
        (lambda found: check_allowance(200, 300), "leave --max-tokens out"),
        (
            lambda found: shortened([replace(found[0], passage="A line of it.\n" * 9)], 1, "offline"),
            "leaves nothing of the passage 'ferry'",
        ),
    ],
)
def test_what_leaves_no_room_is_refused(questions, work, message):
    with pytest.raises(DeclarationError, match=message):
        work(questions)
