"""Training data: balanced, divided by topics, and without what is no statement."""

import pytest

from conqret import Item
from conqret.debate.debatune.statement_filters import SEED, training_data
from conqret.errors import DeclarationError


def item(topic, stance, text, **metadata):
    return Item(
        id=f"{topic}-{stance}-{text}"[:200], topic=topic, stance=stance, argument=text, metadata=metadata
    )


def both(topic, count=1):
    return [
        item(topic, stance, f"{stance} says {n}.", argument=f"Reason {n}.")
        for stance in ("pro", "con")
        for n in range(count)
    ]


def topics_of(examples):
    return {example.topic for example in examples}


@pytest.mark.parametrize("shape", ["chat", "instruction"])
def test_a_row_has_instruction_and_response(shape):
    (one, _) = training_data(both("Ban it."), test_share=0).train
    told = 'Argue for the affirmative side of the topic "Ban it.", with this argument: "Reason 0.".'
    said = {"topic": "Ban it.", "side": "affirmative", "argument": "Reason 0."}
    assert (
        one.row(shape)
        == {
            "chat": {
                "messages": [
                    {"role": "user", "content": told},
                    {"role": "assistant", "content": "pro says 0."},
                ],
                **said,
            },
            "instruction": {"instruction": told, "input": "", "output": "pro says 0.", **said},
        }[shape]
    )


def test_no_topic_is_trained_on_and_tested_on_however_it_is_spelled():
    found = [one for n in range(20) for one in both(f"Topic {n}")]
    found += [one for n in range(20) for one in both(f" topic  {n} ".upper())]
    data = training_data(found, test_share=0.25)
    tested = {" ".join(topic.casefold().split()) for topic in topics_of(data.test)}
    trained = {" ".join(topic.casefold().split()) for topic in topics_of(data.train)}
    assert len(tested) == 5
    assert not tested & trained
    assert data.numbers()["test_topics"] == 5
    assert len(data.train) + len(data.test) == 80


def test_the_division_depends_on_topics_and_seed_alone():
    found = [one for n in range(30) for one in both(f"Topic {n}", 2)]
    tested = topics_of(training_data(found).test)
    assert len(tested) == 3  # 80 of 710 are 11%
    assert topics_of(training_data(found[::-1]).test) == tested
    assert topics_of(training_data(found, seed=SEED + 1).test) != tested


def test_each_topic_has_as_many_of_either_side_and_the_rest_is_counted():
    found = [
        *both("T", 2),
        item("T", "pro", "One more."),
        item("T", "pro", "One more."),
        item("T", "con", "I cannot argue for that side, as it is harmful."),
        item("T", "con", None),
        item("T", "con", "  "),
        item("Other", "con", "Nobody speaks for it."),
    ]
    data = training_data(found, test_share=0)
    assert sorted(one.side for one in data.train) == ["affirmative"] * 2 + ["negative"] * 2
    assert data.left_out == {"repeated": 1, "refusal": 1, "empty": 2, "unbalanced": 2}


@pytest.mark.parametrize(
    ("statements", "share", "fault"),
    [
        ([item("T", "pro", "Alone.")], 0.1, "more than the other side"),
        (both("T"), 1, "--test-share"),
    ],
)
def test_what_cannot_be_divided_is_told(statements, share, fault):
    with pytest.raises(DeclarationError, match=fault):
        training_data(statements, test_share=share)
