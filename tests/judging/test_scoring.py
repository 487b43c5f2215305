"""Each format's scores from a constructed answer, worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest

from conqret import Measure, judge
from conqret.baseline import Evidence
from conqret.data import Reason
from conqret.judges.citation_support import measures as citation_measures
from conqret.judging.dimensions import DIMENSIONS
from tests.contract.items import demo
from tests.judging.scripted import ITEM, measures

NAMES = [dimension.name for dimension in DIMENSIONS]


def dimensions(*ratings: int) -> dict[str, Any]:
    given = dict(zip(NAMES, (*ratings, *[2] * 15), strict=False))
    return {name: {"explanation": f"why {name}", "rating": rating} for name, rating in given.items()}


def fine_grained(*ratings: int) -> dict[str, Any]:
    return {
        "context_relevance": [
            {"document": number, "explanation": f"doc {number}", "rating": rating}
            for number, rating in enumerate(ratings, start=1)
        ],
        "answer_relevance": {"explanation": "to the point", "rating": 4},
        "groundedness": {"explanation": "one slip", "rating": 1},
        **dimensions(5, 0, 1),
    }


def test_rag_fine_grained_divides_by_five() -> None:
    found = measures("rag-fine-grained", fine_grained(5, 3, 0))
    assert found["context_relevance"].value == pytest.approx(8 / 15)  # (5 + 3 + 0) / 3 / 5
    assert found["context_relevance"].raw == pytest.approx(8 / 3)
    assert [(part.id, part.value, part.raw) for part in found["context_relevance"].parts] == [
        ("a", 1.0, 5),
        ("b", pytest.approx(0.6), 3),
        ("c", 0.0, 0),
    ]
    assert found["answer_relevance"].value == pytest.approx(4 / 5)
    assert found["answer_relevance"].explanation == "to the point"
    assert found["groundedness"].value == pytest.approx(1 / 5)
    assert [found[name].value for name in NAMES[:4]] == [1.0, 0.0, pytest.approx(1 / 5), pytest.approx(2 / 5)]


@pytest.mark.parametrize(("threshold", "expected"), [(0, 1), (3, 2 / 3), (4, 1 / 3)])
def test_predicted_precision_is_the_share_at_or_above_the_threshold(threshold: int, expected: float) -> None:
    found = measures("rag-fine-grained", fine_grained(5, 3, 0), relevant_from=threshold)
    assert found["predicted_precision"].value == pytest.approx(expected)
    assert f"rated {threshold} or higher" in found["predicted_precision"].explanation


def test_listwise_and_pointwise_go_from_one_to_three() -> None:
    found = measures("listwise", dimensions(1, 2, 3))
    assert [found[name].value for name in NAMES[:3]] == [0.0, 0.5, 1.0]
    assert list(found) == NAMES
    one = measures("pointwise", {"explanation": "so so", "rating": 2}, "clarity")
    assert (one["clarity"].value, one["clarity"].raw, one["clarity"].explanation) == (0.5, 2, "so so")


def test_what_cannot_be_judged_is_unscored_and_never_the_lowest_rating() -> None:
    rated = {"explanation": "", "rating": 3}
    whole = {"context_relevance": rated, "groundedness": rated, **dimensions(4)}
    for name, answer, lowest in (("listwise-rag", whole, 0), ("listwise", dimensions(), 1)):
        answer["clarity"] = {"explanation": "a low one", "rating": lowest}
        answer["arrangement"] = {"explanation": "a single sentence", "rating": None}
        found = measures(name, answer)
        assert (found["clarity"].value, found["clarity"].reason) == (0.0, None)
        arrangement = found["arrangement"]
        assert (arrangement.value, arrangement.reason) == (None, Reason.CANNOT_JUDGE)
        assert arrangement.detail == "a single sentence"
    assert measures("listwise-rag", whole)["context_relevance"].value == pytest.approx(0.6)
    one = measures("pointwise", {"explanation": "no premise", "rating": None}, "local_relevance")
    assert one["local_relevance"].reason is Reason.CANNOT_JUDGE


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("direct", {"score": None}),
        ("rag-direct", {"groundedness": {"explanation": "a cheer", "argument_1": None, "argument_2": 4}}),
    ],
)
def test_groundedness_of_an_argument_without_a_fact_is_unscored(name: str, answer: Any) -> None:
    found = measures(name, answer, "groundedness")
    assert (found["groundedness"].value, found["groundedness"].reason) == (None, Reason.CANNOT_JUDGE)
    if name == "rag-direct":
        assert found["second.groundedness"].value == 0.75
        assert found["groundedness"].detail == "a cheer"


def test_direct_divides_by_ten() -> None:
    assert measures("direct", {"score": 7}, "groundedness")["groundedness"].value == pytest.approx(0.7)
    assert measures("direct", {"score": 0}, "context_relevance")["context_relevance"].value == 0.0
    verdict = measures("direct", {"preference": "argument_2"}, "preference")["preference"]
    assert (verdict.label, verdict.value) == ("second", 0.0)


def test_static_rubric_is_the_share_of_true() -> None:
    from conqret.judges.static_rubric import GROUNDEDNESS, PREFERENCE

    met = dict(zip(GROUNDEDNESS, [True, True, False, True, False, False], strict=True))
    found = measures("static-rubric", {"explanation": "e", "criteria": met}, "groundedness")["groundedness"]
    assert found.value == pytest.approx(3 / 6)
    assert [part.label for part in found.parts] == ["yes", "yes", "no", "yes", "no", "no"]
    said = ["argument_1", "argument_2", "tie", "argument_1", "tie", "tie"]
    answer = {"explanation": "e", "criteria": dict(zip(PREFERENCE, said, strict=True))}
    preferred = measures("static-rubric", answer, "preference")["preference"]
    assert (preferred.label, preferred.value) == ("tie", 0.5)  # tie 3, first 2, second 1


def test_g_eval_takes_the_rating_or_its_expectation() -> None:
    plain = measures("g-eval", {"rating": 4}, "groundedness")["groundedness"]
    assert (plain.value, plain.raw, plain.method) == (0.75, 4.0, "rating")
    skewed = measures(
        "g-eval", {"rating": 4}, "context_relevance", distribution={1: 0.1, 2: 0.2, 3: 0.3, 4: 0.4, 5: 0}
    )["context_relevance"]
    assert (skewed.raw, skewed.method) == (pytest.approx(0.1 + 0.4 + 0.9 + 1.6), "logprobs")  # 3.0
    assert skewed.value == pytest.approx(0.5)


def test_g_eval_preference_is_a_side_of_the_middle() -> None:
    for rating, label, value in ((2, "second", 0.25), (3, "tie", 0.5), (5, "first", 1)):
        found = measures("g-eval", {"rating": rating}, "preference")["preference"]
        assert (found.label, found.value) == (label, value)


def nuggets(**columns: list[Any]) -> list[dict[str, Any]]:
    return [
        {"nugget": f"point {n}", **{name: values[n % len(values)] for name, values in columns.items()}}
        for n in range(20)
    ]


def test_query_rubric_is_the_mean_over_the_nuggets() -> None:
    found = measures("query-rubric", {"nuggets": nuggets(coverage=[1, 5, 3, 2])}, "groundedness")[
        "groundedness"
    ]
    assert found.value == pytest.approx((0 + 1 + 0.5 + 0.25) / 4)
    assert found.raw == pytest.approx(11 / 4)
    assert len(found.parts) == 20
    better = nuggets(better=["argument_2", "both", "argument_2", "argument_1"])
    preferred = measures("query-rubric", {"nuggets": better}, "preference")["preference"]
    assert (preferred.label, preferred.value) == ("second", 0.0)  # second 10, tie 5, first 5


def test_rag_rubric() -> None:
    answer = {
        "topic_nuggets": nuggets(
            documents=[5, 3], argument_1=[2], argument_2=[4], better=["argument_2", "both"]
        ),
        "document_nuggets": nuggets(argument_1=[1, 1, 1, 5], argument_2=[5]),
    }
    found = measures("rag-rubric", answer)
    assert found["context_relevance"].value == pytest.approx(0.75)
    assert found["answer_relevance"].value == pytest.approx(0.25)
    assert found["second.answer_relevance"].value == pytest.approx(0.75)
    assert found["groundedness"].value == pytest.approx(0.25)
    assert found["second.groundedness"].value == 1.0
    assert found["preference"].label == "second"  # 10 to 0, and 10 ties: not more than them


def verdicts(*labels: str) -> dict[str, Any]:
    pairs = [(1, 1), (2, 2), (2, 3)]
    return {
        "verdicts": [
            {"sentence": sentence, "document": document, "explanation": "e", "verdict": label}
            for (sentence, document), label in zip(pairs, labels, strict=True)
        ]
    }


@pytest.mark.parametrize(
    ("labels", "precision", "recall"),
    [
        (("supports", "supports", "supports"), 3 / 3, 2 / 3),  # the third sentence cites nothing
        (("supports", "contradicts", "supports"), 2 / 3, 1 / 3),  # a contradicted sentence is not supported
        (("silent", "silent", "silent"), 0, 0),
    ],
)
def test_citation_precision_and_recall(labels: tuple[str, ...], precision: float, recall: float) -> None:
    found = measures("citation-support", verdicts(*labels))
    assert found["citation_precision"].value == pytest.approx(precision)
    assert found["citation_recall"].value == pytest.approx(recall)
    assert found["citation_precision"].parts[1].id == "sentence 2, document 2"


def settled(argument: str) -> tuple[Measure, Measure]:
    found = citation_measures(ITEM.model_copy(update={"argument": argument}), {})
    return found["citation_precision"], found["citation_recall"]


def test_citations_of_nothing_support_nothing() -> None:
    precision, recall = settled("Bears are known to pace [7]. They also sway a lot [9][12].")
    assert (precision.value, recall.value) == (0.0, 0.0)
    assert {part.label for part in precision.parts} == {"no such document"}
    precision, recall = settled("Bears are known to pace. They also sway a lot.")
    assert (precision.reason, recall.value) == (Reason.NOTHING_TO_JUDGE, 0.0)
    assert settled("Oh dear.")[1].reason == Reason.NOTHING_TO_JUDGE


def test_several_samples_of_the_offline_judge_are_finer_than_its_scale() -> None:
    for judgment, item in zip(judge(demo()[:3], format="listwise", samples=9), demo()[:3], strict=True):
        exact = Evidence(item).dimensions()["cogency"].value
        assert judgment.measures["cogency"].value == pytest.approx(exact, abs=0.5 / 9)
