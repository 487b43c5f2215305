"""Answers against references: claims of both, what they count, and items that have no reference."""

from __future__ import annotations

import pytest

import conqret
from conqret import Document, Item
from conqret.data import Reason, Status
from tests.contract.items import demo
from tests.judging.scripted import measures

ITEM = Item(
    id="capital",
    topic="What is the capital of France?",
    documents=(Document(id="a", text="Paris is the capital of France. It has 2 million inhabitants."),),
    argument="The capital of France is Paris.",
    reference="The capital of France is Paris. It lies on the Seine. It has 2 million inhabitants.",
)


def claims(*verdicts: str) -> list[dict[str, str]]:
    return [
        {"claim": f"claim {number}", "explanation": "", "verdict": verdict}
        for number, verdict in enumerate(verdicts)
    ]


def test_shares_of_claims_and_their_harmonic_mean() -> None:
    answer = {
        "reference_claims": claims("stated", "stated", "partly", "left_out", "contradicted"),
        "answer_claims": claims("borne_out", "not_in_reference", "partly", "contradicted"),
    }
    found = measures("answer-correctness", answer)
    assert found["completeness"].value == pytest.approx(2.5 / 5)
    assert found["correctness"].value == pytest.approx(1.5 / 4)
    assert found["correctness_f1"].value == pytest.approx(2 * 0.5 * 0.375 / 0.875)
    assert [(part.id, part.value, part.label) for part in found["correctness"].parts] == [
        ("claim 0", 1.0, "borne out"),
        ("claim 1", 0.0, "not in reference"),
        ("claim 2", 0.5, "partly"),
        ("claim 3", 0.0, "contradicted"),
    ]


def test_an_answer_that_claims_nothing_has_no_precision() -> None:
    found = measures(
        "answer-correctness", {"reference_claims": claims("left_out", "left_out"), "answer_claims": []}
    )
    assert (found["correctness"].status, found["correctness"].reason) == (
        Status.INAPPLICABLE,
        Reason.NOTHING_TO_JUDGE,
    )
    assert found["completeness"].value == 0.0


def test_context_recall_is_the_share_that_is_borne_out() -> None:
    found = measures(
        "context-recall",
        {"reference_claims": claims("borne_out", "partly", "not_in_documents", "contradicted")},
    )
    assert found["context_recall"].value == pytest.approx(1.5 / 4)


@pytest.mark.parametrize("name", ["answer-correctness", "context-recall"])
def test_a_reference_that_is_lacking_makes_a_metric_inapplicable(name: str) -> None:
    items = [ITEM, ITEM.model_copy(update={"id": "none", "reference": None})]
    result = conqret.judge(items, format=name)
    scored, missing = result
    assert scored.status == "scored"
    assert {(measure.reason, measure.detail) for measure in missing.measures.values()} == {
        ("nothing_to_judge", "the item has no reference")
    }
    assert missing.trace.calls == ()


def test_the_baseline_goes_by_words() -> None:
    (judgment,) = conqret.judge([ITEM], format="answer-correctness")
    assert judgment.values == pytest.approx(
        {"correctness": 1.0, "completeness": 1 / 3, "correctness_f1": 0.5}
    )
    (judgment,) = conqret.judge([ITEM], format="context-recall")
    wanted = ["borne out", "not in documents", "borne out"]
    assert [part.label for part in judgment.measures["context_recall"].parts] == wanted


@pytest.mark.parametrize("name", ["direct", "rag-fine-grained"])
def test_hallucination_is_the_complement_of_groundedness(name: str) -> None:
    both = conqret.judge(demo()[:3], format=name, metrics=["hallucination", "groundedness"])
    alone = conqret.judge(demo()[:3], format=name, metrics=["hallucination"])
    for judgment, other in zip(both, alone, strict=True):
        assert list(judgment.measures) == ["groundedness", "hallucination"]
        assert list(other.measures) == ["hallucination"]
        grounded = judgment.measures["groundedness"].value
        assert grounded is not None
        assert judgment.measures["hallucination"].value == pytest.approx(1 - grounded)
        assert other.values == {"hallucination": judgment.measures["hallucination"].value}
    grounded_alone = conqret.judge(demo()[:3], format=name, metrics=["groundedness"])
    assert {judgment.fingerprint for judgment in (*alone, *both, *grounded_alone)} == {alone[0].fingerprint}


@pytest.mark.parametrize(
    ("name", "format_name", "typed"),
    [
        ("faithfulness", "rag-fine-grained", "--metric faithfulness"),
        ("contextual-recall", "rag-fine-grained", "--metric context_recall"),
        ("GEval", "direct", "--criterion"),
    ],
)
def test_other_tools_names_name_what_to_type(name: str, format_name: str, typed: str) -> None:
    with pytest.raises(conqret.DeclarationError) as caught:
        conqret.judge(demo()[:1], format=format_name, metrics=[name])
    assert typed in str(caught.value)
