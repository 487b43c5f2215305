import math
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conqret.baseline import By, Evidence, Which
from conqret.baseline.evidence import GROUNDEDNESS, RELEVANCE, prefer
from conqret.baseline.text_quality import FITTED
from tests.baseline.items import ELSEWHERE, UNIFORMS, item

CAREFUL = (
    "School uniforms should be worn. First, they reduce bullying: in Larkfield reports fell from 90 to 30 [2]. "
    "Although critics say that uniforms cost money [1], a school may help families, because the sum is small. "
    "Therefore students benefit."
)
RANT = "OMG only IDIOTS hate uniforms!!! Everybody knows it, lol, you stupid liars!"


@pytest.mark.parametrize("dimension", FITTED)
def test_with_documents_the_three_are_writing_truth_and_topic_in_equal_parts(dimension: str) -> None:
    bare, grounded = Evidence(item(argument=CAREFUL)), Evidence(item(*UNIFORMS, argument=CAREFUL))
    parts = (
        bare.dimensions()[dimension].value,
        grounded.groundedness().value,
        grounded.answer_relevance().value,
    )
    assert grounded.dimensions()[dimension].value == pytest.approx(sum(parts) / 3)


def test_preference_by_hand() -> None:
    verdict = prefer(
        {"writing": 0.0, "groundedness": GROUNDEDNESS * 0.5, "relevance": RELEVANCE * 0.5},
        {"writing": 0.5, "groundedness": GROUNDEDNESS * 0.25, "relevance": RELEVANCE * 0.5},
    )
    assert verdict.label == "first"
    assert verdict.strength == pytest.approx(math.tanh((4 * 0.25 - 0.5) / 2))
    assert verdict.explanation == "The first is ahead (62% sure), mostly in groundedness."
    assert prefer({"writing": 1.0}, {"writing": 1.005}).label == "tie"


def test_swapping_the_arguments_swaps_the_preference() -> None:
    one = Evidence(item(*UNIFORMS, argument=CAREFUL, second=RANT)).preference()
    other = Evidence(item(*UNIFORMS, argument=RANT, second=CAREFUL)).preference()
    assert (one.label, other.label) == ("first", "second")
    assert one.strength == other.strength
    assert Evidence(item(*UNIFORMS, argument=CAREFUL, second=CAREFUL)).preference().label == "tie"


def test_topic_nuggets_are_distinct_and_name_the_topic() -> None:
    found = Evidence(item()).topic_nuggets(600)
    assert len(set(found)) == 600
    assert all("wear school uniforms" in nugget for nugget in found)


def test_document_nuggets_are_distinct_and_come_from_the_documents() -> None:
    one = item(*UNIFORMS, *ELSEWHERE)
    found = Evidence(one).document_nuggets(20)
    assert len(set(found)) == 20
    texts = " ".join(" ".join(document.text.split()) for document in one.documents)
    assert all(nugget in texts for nugget in found)
    assert "uniform" in found[0].lower()


ODD = ["?", "[1] [2]", "\u4e0d\u662f\u3002", "\u202e\u0661%", "1" * 400, "A\u0301 \U0001f600", "NOT [99]"]
TEXTS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=40).filter(str.strip) | st.sampled_from(
    ODD
)


@settings(max_examples=25, deadline=None)
@given(topic=TEXTS, documents=st.lists(TEXTS, max_size=3), argument=TEXTS, second=TEXTS)
def test_any_item_is_answered_within_range(
    topic: str, documents: list[str], argument: str, second: str
) -> None:
    one = item(*documents, argument=argument, second=second).model_copy(update={"topic": topic})
    assert all(0 <= value <= 1 for value in everything(Evidence(one)))


def everything(evidence: Evidence) -> list[float]:
    """Every value that the evidence has, in a fixed order."""
    found = [finding.value for finding in evidence.document_relevances]
    found += [evidence.context_relevance().value, evidence.preference().strength]
    found += [finding.value for finding in evidence.criteria.values()]
    sides: tuple[Which, ...] = get_args(Which)
    for which in sides:
        found += [evidence.answer_relevance(which).value, evidence.groundedness(which).value]
        found += [finding.value for finding in evidence.dimensions(which).values()]
        assert all(verdict.document >= 0 for verdict in evidence.citation_support(which))
    readers: tuple[By, ...] = get_args(By)
    for by in readers:
        found += [
            evidence.coverage(n, by) for n in (*evidence.topic_nuggets(5), *evidence.document_nuggets(5))
        ]
    return found
