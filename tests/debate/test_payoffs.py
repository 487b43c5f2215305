"""The slider's bonuses, and what follows from them: Parrish et al. 2022, Tables 4 to 6 and section A.3."""

from fractions import Fraction

import pytest

from conqret.debate.two_turn.slider_answers import (
    ENCOURAGE_ABSTAIN,
    RESPONSES,
    SIMPLE,
    PayoffInstruction,
    writers_bonus,
)

TABLE_5 = {
    0: [30, 30, 30, 30, 30, 30],
    1: [25, 28.5, 32, 35.5, 39, 42.5],
    2: [15, 22.5, 30, 37.5, 45, 52.5],
    3: [0, 12, 24, 36, 48, 60],
}
TABLE_6 = {
    0: [40, 40, 40, 40, 40, 40],
    1: [33.6, 38.8, 44, 49.2, 54.4, 59.6],
    2: [28.9, 36.2, 43.5, 50.8, 58.1, 65.4],
    3: [20, 30, 40, 50, 60, 70],
}


@pytest.mark.parametrize(("given", "printed"), [(SIMPLE, TABLE_5), (ENCOURAGE_ABSTAIN, TABLE_6)])
def test_the_expected_bonuses_are_those_of_the_paper(given, printed):
    for strength, row in printed.items():
        earned = [RESPONSES * given.expected(strength, Fraction(share, 100)) for share in given.grid]
        assert [float(one) for one in earned] == row


def test_the_thresholds_follow_exactly_from_table_4():
    simple, encourage = SIMPLE.pays_from(), ENCOURAGE_ABSTAIN.pays_from()
    assert (simple[1], simple[3]) == (Fraction(4, 7), Fraction(2, 3))  # .571 and .667
    assert (encourage[1], encourage[3]) == (Fraction(37, 52), Fraction(22, 27))  # .712 and .815
    assert (simple[2], encourage[2]) == (Fraction(5, 8), Fraction(16, 21))
    assert simple[0] == encourage[0] == Fraction(1, 2)


def test_what_never_pays_has_no_threshold():
    flat = PayoffInstruction("flat", tuple(map(Fraction, (2, 0, 1, "0.5", -1, 0, -2))))
    assert flat.pays_from() == {0: Fraction(1, 2), 3: Fraction(5, 8)}  # 4p - 2 = .5; 2p - 1 is always below
    assert flat.first_winner(3) == 65
    assert PayoffInstruction("none", (Fraction(0),) * 7).pays_from() == {0: Fraction(1, 2)}


def test_writers_earn_by_the_last_answers_and_abstaining_counts_for_the_wrong_side():
    answers = [3, 1, 0, -2]
    assert writers_bonus(True, answers) == Fraction("0.40")
    assert writers_bonus(False, answers) == Fraction("1.50")
    assert writers_bonus(True, []) == 0
