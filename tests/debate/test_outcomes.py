"""What comes of judging debates: Table 2 of Parrish et al. 2022, and figures derived by hand."""

import pytest

from conqret.debate.two_turn.outcome_page import outcome_tables, verdict
from conqret.debate.two_turn.outcomes import debate_outcomes
from tests.debate.made import NAMES, answer, study

# correct, incorrect, abstain in percent, and the printed ratio
TABLE_2 = {
    ("PS", 1, "simple"): (74.8, 17.1, 8.0, 4.4),
    ("PS", 1, "encourage-abstain"): (63.3, 13.7, 23.0, 4.6),
    ("PS", 2, "simple"): (74.8, 17.5, 7.7, 4.3),
    ("PS", 2, "encourage-abstain"): (66.7, 13.7, 19.6, 4.9),
    ("PSA", 1, "simple"): (72.8, 20.4, 6.8, 3.6),
    ("PSA", 1, "encourage-abstain"): (60.6, 13.3, 26.1, 4.5),
    ("PSA", 2, "simple"): (72.2, 20.7, 7.1, 3.5),
    ("PSA", 2, "encourage-abstain"): (64.7, 13.3, 22.0, 4.9),
}


def came_of(answers):
    return debate_outcomes(list(answers))


@pytest.fixture(scope="module")
def printed():
    """A thousand answers for each cell of Table 2, with its shares."""
    return came_of(
        (
            answer(point, question=f"{number}", condition=condition, turn=turn, instruction=name)
            for (condition, turn, name), shares in TABLE_2.items()
            for point, share in zip((2, -1, 0), shares, strict=False)
            for number in range(round(10 * share))
        )
    )


def test_every_ratio_of_table_2_follows_from_its_shares(printed):
    for cell in printed.cells:
        correct, incorrect, abstain, ratio = TABLE_2[cell.condition, cell.turn, cell.instruction]
        assert 100 * cell.correct.value == pytest.approx(correct, abs=0.1)
        assert 100 * cell.incorrect.value == pytest.approx(incorrect, abs=0.1)
        assert 100 * cell.abstained.value == pytest.approx(abstain, abs=0.1)
        assert cell.ratio.value == pytest.approx(correct / incorrect)
        # what rounded to the printed shares may have any ratio between these
        low, high = (correct - 0.05) / (incorrect + 0.05), (correct + 0.05) / (incorrect - 0.05)
        assert low < ratio + 0.05
        assert high > ratio - 0.05
        if (cell.condition, cell.turn, cell.instruction) != ("PSA", 1, "encourage-abstain"):
            assert round(cell.ratio.value, 1) == ratio
        else:
            assert cell.ratio.value == pytest.approx(4.556, abs=0.001)  # printed 4.5


def test_the_table_has_table_2s_layout(printed):
    table = next(outcome_tables(printed))
    assert table.header == ("", *(f"{nth}, {name}" for nth in ("1st", "2nd") for name in NAMES))
    assert table.rows[0] == ("passage + snippets",)
    assert table.rows[1] == ("correct", "74.9", "63.3", "74.8", "66.7")  # 74.8 + 17.1 + 8.0 is 99.9
    assert table.rows[9] == ("correct : incorrect", "3.6", "4.6", "3.5", "4.9")


def test_shares_accuracy_and_pay_off_by_hand():
    points = {"a": 3, "b": 1, "c": 0, "d": -2}
    found = came_of([answer(point, question=name, condition="PSA") for name, point in points.items()])
    (one,) = found.cells
    assert (one.correct.value, one.incorrect.value, one.abstained.value) == (0.5, 0.25, 0.25)
    assert (one.ratio.value, one.accuracy.value) == (2, pytest.approx(2 / 3))
    assert one.payoff.value == pytest.approx((0.60 + 0.30 + 0.15 - 0.30) / 4)
    assert one.points == {-3: 0, -2: 1, -1: 0, 0: 1, 1: 1, 2: 0, 3: 1}
    assert one.accuracy.low is None  # one passage only
    assert found.writers == {"right": pytest.approx(0.2 * 2 / 4), "wrong": pytest.approx(0.75 * 2 / 4)}
    assert came_of([answer(3)]).writers == {}  # without arguments


def test_what_was_not_answered_is_in_no_share():
    found = came_of([answer(3), answer(None, question="b"), answer(None, question="c", condition="PSA")])
    first, second = found.cells
    assert (first.correct.value, first.abstained.value, first.missing) == (1, 0, 1)
    assert (second.correct.value, second.missing) == (None, 1)
    assert second.correct.reason == "no answer was given"
    assert first.ratio.reason == "nobody answered wrong"
    assert "cannot be said" in verdict(found)


def test_calibration_says_how_often_each_strength_was_right():
    points = [3, 3, 3, -3, 1, -1]
    found = came_of(answer(point, question=str(place)) for place, point in enumerate(points))
    by_strength = {one.strength: one for one in found.confidence}
    assert by_strength[3].right.value == 0.75
    assert by_strength[1].right.value == 0.5
    assert by_strength[2].right.reason == "no answer is this sure"
    assert by_strength[3].pays_from == pytest.approx(2 / 3)


def test_changes_are_paired_over_cells_that_are_alike_otherwise():
    # with arguments only the simple instruction: the other one must not enter
    rows = [
        answer(1),
        answer(-1, question="b"),
        answer(1, condition="PSA"),
        answer(1, question="b", condition="PSA"),
    ]
    rows += [answer(-1, question=name, instruction="encourage-abstain") for name in "abcd"]
    found = came_of(rows)
    arguments = next(change for change in found.changes if change.factor == "arguments")
    assert (arguments.without.value, arguments.having.value, arguments.cells) == (0.5, 1.0, 1)
    assert arguments.difference.value == 0.5
    assert [change.factor for change in found.changes] == ["arguments", "instruction"]


@pytest.mark.parametrize(
    ("chances", "says"),
    [
        ({"PS": 0.6, "PSA": 0.9}, "Debate helps these 6 judges"),
        ({"PS": 0.9, "PSA": 0.6}, "Debate harms these 6 judges"),
        ({"PS": 0.8, "PSA": 0.8}, "Debate makes no clear difference to these 6 judges"),
    ],
)
def test_one_sentence_says_whether_debate_helps(chances, says):
    found = came_of(study(chances, seed=7))
    told = verdict(found)
    assert told.startswith(says)
    change = found.debate.difference
    assert f"{100 * change.value:+.1f} points [{100 * change.low:+.1f}, {100 * change.high:+.1f}]" in told
