"""Topics made two-sided: the format, what is dropped, and what is the same topic."""

import pytest
from pydantic import ValidationError

from conqret import Item
from conqret.data import Measure, Reason
from conqret.debate.debatune.statement_filters import DUPLICATE, NO_ANSWER, SAME, shared, two_sided
from conqret.judges.two_sided import Sides, score
from conqret.judging.judge_parts import Case, JudgeReply
from conqret.text.analysis import Text
from tests.debate.made import judgment


def topic(number, text):
    return Item(id=f"t{number}", topic=text)


def judged(item, verdict="two_sided", claim=None):
    claim = (item.topic if claim is None else claim) if verdict == "two_sided" else ""
    answer = Sides(explanation="so", verdict=verdict, claim=claim)
    return judgment(item, "two-sided", score(JudgeReply(answer), Case(item)))


def test_claims_are_kept_and_the_rest_is_dropped_with_its_reason():
    items = [
        topic(1, "Should we ban zoos, and how?"),
        topic(2, "Zoos"),
        topic(3, "We should ban all zoos"),
        topic(4, "We should ban zoos"),
        topic(5, "Trams should be free"),
    ]
    judgments = [
        judged(items[0], claim="Zoos should be banned"),
        judged(items[1], "no_claim"),
        judgment(items[2], "two-sided", {"two_sided": Measure.missing(Reason.TIMEOUT, "after 60 s")}),
        judged(items[3]),
        judged(items[4]),
    ]
    found = two_sided(items, judgments)
    assert found.kept == [
        {"id": "t1", "topic": "Zoos should be banned", "collected": "Should we ban zoos, and how?"},
        {"id": "t5", "topic": "Trams should be free"},
    ]
    assert [(one.id, one.reason, one.detail) for one in found.dropped] == [
        ("t2", "no_claim", "so"),
        ("t3", NO_ANSWER, "timeout: after 60 s"),
        ("t4", DUPLICATE, "as t1: Zoos should be banned"),
    ]
    assert found.reasons == {"no_claim": 1, NO_ANSWER: 1, DUPLICATE: 1}


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [  # overlooked doubles among DEBATunE's own topics, and pairs that are none
        ("Legalization of same-sex marriage.", "We should legalize same sex marriage", True),
        ("Mandatory vaccinations for children.", "Making Vaccination Mandatory for All Children", True),
        ("Should College Be for Everyone?", "Should College Be Free?", False),
        ("?", "Why?", False),
    ],
)
def test_the_same_topic_is_known_by_its_words(one, other, same):
    first, second = Text(one).terms, Text(other).terms
    assert (shared(first, second) >= SAME) is same
    assert shared(first, second) == shared(second, first)


@pytest.mark.parametrize(("verdict", "claim"), [("two_sided", " \n"), ("no_claim", "Zoos are good.")])
def test_a_claim_stands_where_there_are_two_sides_and_nowhere_else(verdict, claim):
    with pytest.raises(ValidationError):
        Sides(explanation="", verdict=verdict, claim=claim)
    assert Sides(explanation="", verdict="two_sided", claim=" a\n b ").claim == "a b"
