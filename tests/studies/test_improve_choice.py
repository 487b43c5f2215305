"""What is chosen among variants by hand, and what examples and proposals are taken over."""

from __future__ import annotations

import numpy as np
import pytest

from conqret.data import Item
from conqret.errors import DeclarationError
from conqret.studies.improve.improve_run import CrossFitted, choose
from conqret.studies.improve.improved_prompt import (
    AnchorAnswer,
    LabelledItem,
    ShownScale,
    WordingAnswer,
    chosen_examples,
    observed,
    worded,
)

LEAST = (0.04, 0.04, 0.04)


def chosen(*more: float) -> tuple[str, float]:
    """What is chosen where the judge as it is errs by so much ``more`` than a wording on three topics, and the standard
    error of the difference."""
    items = [f"i{place}" for place in range(len(LEAST))]
    topics = {item: f"topic {item}" for item in items}
    labels = dict.fromkeys(items, 0.0)
    as_it_is, wording = (
        {item: float(error**0.5) for item, error in zip(items, errors, strict=True)}
        for errors in (np.add(LEAST, more), LEAST)
    )
    choice = choose({"as_it_is": CrossFitted(as_it_is), "wording": CrossFitted(wording)}, labels, topics)
    return choice.variant, choice.candidates[0].error_of_worse


def test_the_simplest_within_one_standard_error_is_chosen() -> None:
    """Equal clusters: the standard error is the deviation of the topics' differences over the root of their number."""
    assert chosen(0.03, -0.02, 0.02) == ("as_it_is", pytest.approx((0.0014 / 2 / 3) ** 0.5))
    assert chosen(0.03, 0.02, 0.025) == ("wording", pytest.approx((0.00005 / 2 / 3) ** 0.5))


def labelled(label: float, score: float | None, topic: str, name: str) -> LabelledItem:
    return LabelledItem(Item(id=name, topic=topic, stance="pro", argument=f"Text {name}."), label, score)


def test_examples_spread_over_labels_and_topics() -> None:
    items = [labelled(place / 19, None, f"T{place % 10}", f"{place:02}") for place in range(20)]
    examples = chosen_examples(items, ShownScale(1, 5))
    assert len({one.question for one in examples}) == 4
    assert [one.label for one in examples] == sorted(one.label for one in examples)
    assert examples[0].label == "1.2 on a scale from 1 to 5"
    assert examples[-1].label == "4.8 on a scale from 1 to 5"


def test_of_a_long_proposal_only_a_part_is_taken_over() -> None:
    anchor = AnchorAnswer(rating=1, meaning="word " * 1000)
    answer = WordingAnswer(observations=["word " * 1000] * 50, wording="word " * 5000, anchors=[anchor])
    seen, proposed = observed(answer), worded(answer, "“clarity”", [1])
    assert len(seen) == 6
    assert max(map(len, (*seen, proposed.anchors[0].meaning))) <= 410
    assert len(proposed.wording) <= 4010


def test_candidates_are_compared_on_what_all_scored() -> None:
    labels = {"a": 0.0, "b": 0.0}
    scores = {"as_it_is": CrossFitted({"a": 0.5}), "wording": CrossFitted({"a": 0.1, "b": 0.9})}
    choice = choose(scores, labels, {"a": "one", "b": "two"})
    assert (choice.items, choice.variant) == (1, "wording")
    with pytest.raises(DeclarationError, match="no labeled item has a score"):
        choose({"as_it_is": CrossFitted({})}, labels, {"a": "one", "b": "two"})
