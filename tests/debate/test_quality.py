"""Response quality: two statements to one instruction in both orders, and the figures of DEBATunE's tables."""

import pytest

from conqret import Item, judge
from conqret.data import Measure, Reason
from conqret.debate.debatune.debate_files import read_statements
from conqret.debate.debatune.statement_scores import pair, quality_by_system, quality_table
from conqret.errors import DeclarationError
from conqret.judges.response_quality import Ratings, score
from conqret.judging.judge_parts import Case, JudgeReply
from conqret.judging.scales import both_orders, swap_item
from tests.debate.made import judgment

PRINTED = [
    (43, 101, 16, 1.17, 0.005),  # DEBATunE 13B against 7B (Table 1)
    (5, 36, 119, 0.29, 0.005),  # Vicuna 13B
    (99, 76, 43, 1.257, 0.0005),  # Vicuna with three arguments (Table 4)
]
"""Win, tie and lose, and the win score as printed, to so many places."""


@pytest.mark.parametrize(("win", "tie", "lose", "printed", "places"), PRINTED)
def test_the_printed_scores_follow_from_the_printed_counts(win, tie, lose, printed, places):
    measures = [preference((8, 6), (8, 6))] * win + [preference((5, 5), (5, 5))] * tie
    measures += [preference((4, 6), (4, 6))] * lose
    count = win + tie + lose
    items = pair([statement(one, f"Topic {n}?") for n in range(count) for one in ("base", "ours")])
    (found,) = quality_by_system(items, list(map(judged, items, measures)))
    assert found.score.value == pytest.approx(printed, abs=places + 1e-9)


def statement(system, topic="Trams?", stance="pro", argument="cheap", text="Yes.", instruction=""):
    extra = {"instruction": instruction} if instruction else {}
    return Item(
        id=f"{system}-{topic}-{stance}-{argument}",
        topic=topic,
        stance=stance,
        argument=text,
        metadata={"system": system, "argument": argument, **extra},
    )


def preference(given, swapped):
    """What the ratings (own, the other's) in the two orders come to."""
    item = Item(id="1", topic="?", stance="pro", argument="a", second_argument="b")
    first = score(JudgeReply(Ratings(explanation="", response_1=given[0], response_2=given[1])), Case(item))
    turned = Case(swap_item(item), swapped=True)
    second = score(JudgeReply(Ratings(explanation="", response_1=swapped[1], response_2=swapped[0])), turned)
    return both_orders(first, second)["preference"]


def judged(item, measure):
    return judgment(item, "response-quality", {"preference": measure})


def test_counts_score_flips_and_what_is_missing():
    win, tie, lose, turned = ((8, 6), (8, 6)), ((5, 5), (5, 5)), ((4, 6), (4, 6)), ((8, 6), (6, 8))
    measures = [
        *(preference(*one) for one in (win, win, win, tie, lose, turned)),
        Measure.missing(Reason.TIMEOUT),
    ]
    items = [statement(one, f"Topic {n}?") for n in range(7) for one in ("base", "ours")]
    pairs = pair(items)
    (found,) = quality_by_system(pairs, list(map(judged, pairs, measures)))
    assert (found.system, found.win, found.tie, found.lose, found.unanswered) == ("ours", 3, 2, 1, 1)
    assert found.score.value == pytest.approx(4 / 3)
    assert found.score.low < 4 / 3 < found.score.high
    assert found.flip_rate == 1 / 6
    table = quality_table([found], "base")
    assert table.title == "Response quality against base"
    assert table.rows[0][:4] == ("ours", "3", "2", "1")


def test_statements_to_one_instruction_make_a_pair():
    items = [
        statement("base", text="B1"),
        statement("base", argument="loud", text="B2"),
        statement("ours", text="O1"),
        statement("theirs", argument="loud", text="T2", instruction=""),
        statement("ours", stance="con", text="O3"),
    ]
    pairs = pair(items)
    assert [(one.argument, one.second_argument) for one in pairs] == [("O1", "B1"), ("T2", "B2")]
    assert (
        pairs[0].topic == 'Argue for the affirmative side of the topic "Trams?", with this argument: "cheap".'
    )
    given = pair([statement("base", instruction="Speak!"), statement("ours", instruction="Speak!")])
    assert given[0].topic == "Speak!"
    assert given[0].metadata["topic"] == "Trams?"


@pytest.mark.parametrize(
    ("items", "baseline", "error", "fault"),
    [
        ([statement("a")], None, DeclarationError, "a is the only system"),
        ([statement("a"), statement("b", "Dogs?")], None, DeclarationError, "b and a have no instruction"),
    ],
)
def test_what_makes_no_pairs_is_told(items, baseline, error, fault):
    with pytest.raises(error, match=fault):
        pair(items, baseline)


def test_the_baseline_finds_the_tuned_model_better_than_the_others_as_table_1_does(data_dir):
    names = ("DEBATunE_7b", "vicuna_7b_15", "Llama_2_7b_chat")
    items = read_statements([data_dir / "debatune" / f"statements_{name}.jsonl.gz" for name in names])
    pairs = pair(items)[::3]  # the first argument of each topic and side, as the released code takes them
    for found in quality_by_system(pairs, judge(pairs, format="response-quality-any-side")):
        assert found.score.high < 1, found.system
