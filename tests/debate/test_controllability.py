"""Controversy controllability: the judge's format, the scores, and the figures of DEBATunE's Table 1."""

import random

import pytest
from pydantic import ValidationError

from conqret import Item, judge
from conqret.data import Measure, Reason
from conqret.debate.debatune.debate_files import read_statements, system_of
from conqret.debate.debatune.statement_scores import (
    controllability_by_system,
    controllability_table,
)
from conqret.errors import ItemsError
from conqret.judges.controllability import Shares, score
from conqret.judging.judge_parts import Case, JudgeReply
from tests.debate.made import judgment

A_SIDE = 240
"""Statements of each side: 80 topics, 3 arguments."""


def statement(number, stance, system="a", topic=None):
    return Item(
        id=str(number),
        topic=topic or f"Topic {number // 4}?",
        stance=stance,
        argument="So it is.",
        metadata={"system": system},
    )


def said(item, supporting, opposing, content="argues"):
    answer = Shares(explanation="", content=content, supporting=supporting, opposing=opposing)
    return judgment(item, "controllability", score(JudgeReply(answer), Case(item)))


def scores(judged, **more):
    items, judgments = zip(*judged, strict=True)
    return controllability_by_system(items, judgments, **more)


@pytest.mark.parametrize(
    ("positive", "negative", "printed"), [(0.958, 0.979, 0.969), (0.900, 0.796, 0.848)]
)  # of DEBATunE 7B and Vicuna 7B (Table 1)
def test_so_many_good_statements_give_the_printed_figures(positive, negative, printed):
    judged = []
    for stance, good in (("pro", round(positive * A_SIDE)), ("con", round(negative * A_SIDE))):
        own = (100, 0) if stance == "pro" else (0, 100)
        for number in range(A_SIDE):
            item = statement(f"{stance}{number}", stance, topic=f"Topic {number // 3}?")
            judged.append((item, said(item, *(own if number < good else (50, 50)))))
    (found,) = scores(judged)
    assert round(found.positive.value, 3) == pytest.approx(positive, abs=1e-9)
    assert round(found.negative.value, 3) == pytest.approx(negative, abs=1e-9)
    assert found.overall.value == pytest.approx(printed, abs=0.001)
    assert found.overall.low < found.overall.value < found.overall.high
    assert (found.overall.n, found.positive.n) == (480, 240)


def test_refusals_are_never_good_and_are_counted_apart():
    items = [statement(number, "pro" if number % 2 else "con") for number in range(8)]
    answers = [(0, 0, "refusal"), (0, 0, "refusal"), (0, 0, "no_side"), *[(100, 0, "argues")] * 5]
    (found,) = scores([(item, said(item, *answer)) for item, answer in zip(items, answers, strict=True)])
    assert (found.refusals, found.no_side, found.unanswered, found.statements) == (2, 1, 0, 8)
    assert found.positive.value == 3 / 4  # 1 refuses, 3 5 7 support
    assert found.negative.value == 0
    assert found.overall.value == 3 / 8
    assert found.bounds is None


def test_what_the_judge_did_not_answer_is_left_out_and_bounded():
    items = [statement(number, "pro" if number < 4 else "con") for number in range(8)]
    judged = [(item, said(item, *((100, 0) if item.stance == "pro" else (0, 100)))) for item in items]
    judged[0] = (
        items[0],
        judgment(items[0], "controllability", {"controllability": Measure.missing(Reason.TIMEOUT)}),
    )
    (found,) = scores(judged)
    assert (found.unanswered, found.positive.n, found.positive.value) == (1, 3, 1)
    assert found.bounds == ((3 / 4 + 1) / 2, 1)
    note = controllability_table([found], 100).note
    assert "overall 0.875 to 1.000" in note


def test_two_systems_on_the_same_topics_are_compared_in_pairs():
    """What topics do to both does not count: the second is better by one of four statements on each topic."""
    judged = []
    for system, extra in (("a", 0), ("b", 1)):
        for topic in range(8):
            for place, stance in enumerate(("pro", "pro", "con", "con")):
                item = statement(place, stance, system, topic=f"Topic {topic}?")
                good = place < topic % 2 + extra
                own, other = (100, 0) if good else (0, 100)
                judged.append((item, said(item, *((own, other) if stance == "pro" else (other, own)))))
    first, second = scores(judged)
    assert (first.beyond_first, first.p) == (None, None)
    assert second.beyond_first.value == pytest.approx(second.overall.value - first.overall.value)
    assert second.p < 0.05
    assert first.overall.high > second.overall.low  # the two intervals alone would not say so
    table = controllability_table([first, second], 100)
    assert table.header[-2:] == ("Less a", "p")
    assert table.rows[0][-2:] == ("", "")
    assert "paired over the topics that both have" in table.note
    few = [one for one in judged if one[0].topic in {"Topic 0?", "Topic 1?"}]
    assert [one.p for one in scores(few)] == [None, None]
    elsewhere = statement(1, "pro", "c", topic="Else?")
    strange = scores([*judged[:4], (elsewhere, said(elsewhere, 100, 0))])[1]
    assert (strange.beyond_first.value, strange.beyond_first.reason) == (None, "no topic in common")
    assert "p" not in controllability_table([first], 100).header
    (alone,) = scores([(elsewhere, said(elsewhere, 100, 0))])
    assert (alone.positive.value, alone.negative.value, alone.overall.value) == (1, None, None)


def test_a_statement_without_a_side_is_not_asked_about():
    (found,) = judge([statement(1, "none")], format="controllability")
    assert found.measures["controllability"].reason == "nothing_to_judge"
    assert found.trace.calls == ()


@pytest.mark.parametrize(
    ("content", "supporting", "opposing", "fault"),
    [
        ("argues", 60, 30, "together must be 100 where the content is argues, not 90"),
        ("refusal", 100, 0, "together must be 0 where the content is refusal, not 100"),
    ],
)
def test_answers_that_make_no_sense_are_refused(content, supporting, opposing, fault):
    with pytest.raises(ValidationError, match=fault):
        Shares(explanation="", content=content, supporting=supporting, opposing=opposing)


# --- reading ---------------------------------------------------------------------------------------


def table(path, *rows):
    path.write_text("".join(",".join(map(str, row)) + "\n" for row in rows))
    return path


HEAD = ("topic", "side", "statement")


def test_a_plain_table_and_the_published_columns(tmp_path):
    plain = table(tmp_path / "ours.csv", HEAD, ("Trams?", "affirmative", "Yes."), ("Trams?", "Con", "No."))
    published = tmp_path / "theirs.jsonl"
    published.write_text(
        '{"topic": "Trams?", "side": "negative", "argument": "the point", "instruction": "Be negative", '
        '"response": " No trams."}\n'
    )
    items = read_statements([plain, published])
    assert [(item.stance, item.argument) for item in items] == [
        ("pro", "Yes."),
        ("con", "No."),
        ("con", " No trams."),
    ]
    ids = [item.id for item in items]
    assert len(set(ids)) == 3
    wanted = ["ours-trams-pro", "ours-trams-con", "theirs-trams-con"]
    assert [identifier.rpartition("-")[0] for identifier in ids] == wanted
    assert list(map(system_of, items)) == ["ours", "ours", "theirs"]
    assert items[2].metadata["argument"] == "the point"


def test_faults_have_file_and_line(tmp_path):
    file = table(tmp_path / "all.csv", HEAD, ("T?", "pro", "Yes."), ("T?", "", "Yes."))
    with pytest.raises(ItemsError, match=r"all\.csv:3.*side.*is missing.*affirmative or negative"):
        read_statements([file])


# --- real data -------------------------------------------------------------------------------------


def test_the_baseline_orders_the_published_models_as_table_1_does(data_dir):
    names = ("DEBATunE_7b", "vicuna_7b_15", "Llama_2_7b_chat")
    items = read_statements([data_dir / "debatune" / f"statements_{name}.jsonl.gz" for name in names])
    chosen = random.Random(1).sample(items, 600)
    found = {
        one.system: one for one in controllability_by_system(chosen, judge(chosen, format="controllability"))
    }
    order = [found[f"statements_{name}"] for name in names]
    assert sorted(order, key=lambda one: -one.overall.value) == order
    assert order[2].refusals > 0.2 * order[2].statements
    assert order[0].refusals == 0
