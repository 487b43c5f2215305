"""The format rag: figures derived by hand from one response, and what the baseline says of plain answers."""

from __future__ import annotations

from typing import Any

import pytest

import conqret
from conqret import Document, Item
from conqret.judging.build_gate import check_required, parse_mean
from tests.judging.scripted import measures

ITEM = Item(
    id="token",
    topic="How do I rotate the API token, and who may do it?",
    documents=(
        Document(
            id="tokens",
            text="To rotate a token, choose Rotate next to it. Only workspace owners can rotate tokens.",
        ),
        Document(id="sso", text="Single sign-on is available on the Enterprise plan."),
    ),
    argument="Choose Rotate next to the token. Only workspace owners can rotate tokens.",
)


def part(in_documents: str, in_answer: str, name: str = "how") -> dict[str, str]:
    return {"part": name, "explanation": "why", "in_documents": in_documents, "in_answer": in_answer}


def claim(verdict: str, point: str = "yes", name: str = "") -> dict[str, Any]:
    entry = {"claim": name or verdict, "explanation": "why", "document": None}
    return {**entry, "verdict": verdict, "to_the_point": point}


def response(parts: list[Any], claims: list[Any], *uses: str) -> dict[str, Any]:
    documents = [
        {"document": number, "explanation": "", "use": use}
        for number, use in enumerate(uses or ("answers", "none"), start=1)
    ]
    return {"question_parts": parts, "documents": documents, "claims": claims}


def test_shares_of_claims_parts_and_documents() -> None:
    claims = [claim("supported"), claim("partly"), claim("contradicted"), claim("not_in_documents", "no")]
    parts = [part("all", "answered", "how"), part("partly", "partly", "who"), part("none", "missing", "when")]
    found = measures("rag", response(parts, claims, "none", "helps"), item=ITEM)
    assert found["faithfulness"].value == pytest.approx((1 + 0.5 + 0 + 0) / 4)
    assert found["unsupported_claims"].value == pytest.approx(1 - 2 ** -(0.5 + 2 + 1))
    assert found["unsupported_claims"].raw == 3
    assert [each.label for each in found["unsupported_claims"].parts] == [
        "partly",
        "contradicted",
        "not in documents",
    ]
    assert found["answer_relevance"].value == pytest.approx(3 / 4)
    # what documents and answer both leave open is not counted: (answered 1 + partly .5) / 2
    assert found["completeness"].value == pytest.approx(1.5 / 2)
    assert found["context_sufficiency"].value == pytest.approx((1 + 0.5 + 0) / 3)
    assert found["context_relevance"].value == pytest.approx(0.25)
    assert [each.id for each in found["context_relevance"].parts] == ["tokens", "sso"]
    # the one document of use, by half, stands second: precision there is .5 / 2
    assert found["context_precision"].value == pytest.approx(0.25)
    assert (found["answered"].value, found["answered"].label) == (1.0, "answered")


@pytest.mark.parametrize(
    ("parts", "value", "label", "completeness"),
    [
        ([part("none", "declined")], 0.0, "declined rightly", None),
        ([part("all", "declined")], 0.0, "declined wrongly", 0.0),
        ([part("all", "answered"), part("none", "declined", "who")], 1.0, "declined rightly in part", 1.0),
        ([part("all", "answered"), part("partly", "declined", "who")], 1.0, "declined wrongly in part", 0.5),
        ([part("all", "missing")], 0.0, "not answered", 0.0),
    ],
)
def test_declining_is_right_where_the_documents_hold_nothing(
    parts: list[Any], value: float, label: str, completeness: float | None
) -> None:
    found = measures("rag", response(parts, []), item=ITEM)
    assert (found["answered"].value, found["answered"].label) == (value, label)
    assert found["completeness"].value == completeness
    reason = "declined" if label in ("declined rightly", "declined wrongly") else "nothing_to_judge"
    assert {found[name].reason for name in ("faithfulness", "unsupported_claims")} == (
        {reason} if "in part" not in label else {"declined"}
    )


def test_without_documents_what_needs_them_is_unscored_and_no_gate_passes_by_it() -> None:
    alone = ITEM.model_copy(update={"documents": ()})
    answer = {
        "question_parts": [{"part": "how", "explanation": "", "in_answer": "answered"}],
        "claims": [{"claim": "Choose Rotate.", "explanation": "", "to_the_point": "yes"}],
    }
    found = measures("rag", answer, item=alone)
    assert (found["answer_relevance"].value, found["completeness"].value) == (1.0, 1.0)
    assert found["faithfulness"].status == "unscored"


@pytest.mark.parametrize(
    ("answer", "faithfulness"),
    [
        ("1. Choose Rotate next to the token.\n2. Only workspace owners can rotate tokens.", 1.0),
        ("Dazu liegen mir leider keine Informationen vor.", None),
        ("Thanks for asking! The context says nothing about this. Please write to sales.", None),
        ("The archive does not include invoices. I found nothing about exchanges.", 0.0),
    ],
)
def test_the_baseline_needs_no_citation_and_knows_what_declines(
    answer: str, faithfulness: float | None
) -> None:
    (judgment,) = conqret.judge([ITEM.model_copy(update={"argument": answer})], format="rag")
    measure = judgment.measures["faithfulness"]
    assert measure.value == faithfulness
    if faithfulness is None:
        assert measure.reason == ("language" if answer.startswith("Dazu") else "declined")


SHEDS = Item(
    id="shed",
    topic="Is my garden shed insured?",
    documents=(
        Document(
            id="sheds", text="Garden sheds are covered against fire and storm only if they were locked."
        ),
        Document(
            id="team",
            text="Our service team answers calls from Monday to Friday. A colleague replies by e-mail.",
        ),
    ),
    argument="",
)


@pytest.mark.parametrize(
    ("answer", "verdicts"),
    [
        ("I don't have enough information to answer that question. Please contact our service team.", None),
        ("I don't know that exactly, but every shed is covered for one million euros.", ["partly"]),
        ("Sheds are covered against fire; there is no information about theft.", ["supported"]),
        ("I cannot say. The moon is made of cheese; it weighs 5 kg.", ["not in documents"]),
    ],
)
def test_hints_beside_a_decline_are_no_claims_and_clauses_that_claim_it_are(
    answer: str, verdicts: list[str] | None
) -> None:
    (judgment,) = conqret.judge([SHEDS.model_copy(update={"argument": answer})], format="rag")
    measure = judgment.measures["faithfulness"]
    assert [part.label for part in measure.parts] == (verdicts or [])
    assert measure.reason == (None if verdicts else "declined")
    assert judgment.measures["answered"].label == ("answered" if verdicts else "declined")


def test_a_decline_without_documents_is_no_case_of_missing_documents() -> None:
    alone = SHEDS.model_copy(update={"documents": ()})
    declining = alone.model_copy(update={"argument": "I could not find an article. Please call us."})
    claiming = alone.model_copy(update={"argument": "Yes, it is covered up to 900 euros."})
    (declined,) = conqret.judge([declining], format="rag")
    (claimed,) = conqret.judge([claiming], format="rag")
    for name in ("faithfulness", "unsupported_claims"):
        lost, missing = declined.measures[name], claimed.measures[name]
        assert (lost.status, lost.reason) == ("inapplicable", "declined")
        assert (missing.status, missing.reason) == ("unscored", "no_evidence")


def test_the_baseline_cannot_tell_if_declining_is_right_and_says_what_it_looked_at() -> None:
    documents = (
        Document(id="d1", text="Recordings are kept for 90 days."),
        Document(id="d2", text="The TV option includes 90 channels."),
    )
    item = ITEM.model_copy(
        update={
            "topic": "Does the TV option include sports?",
            "documents": documents,
            "argument": "I don't know.",
        }
    )
    judgments = conqret.judge([item], format="rag")
    answered = judgments[0].measures["answered"]
    assert (answered.value, answered.label) == (0.0, "declined")
    assert "Document 2 is the closest: of the question's words it has \u201ctv\u201d" in answered.explanation
    assert "lacks \u201csports\u201d" in answered.explanation
    wanted = parse_mean("declined_wrongly <= 0.5", judgments.summary.metrics)
    (outcome,) = check_required([wanted], judgments.summary, judgments)
    assert (outcome.met, outcome.value) == (False, None)
    assert "cannot tell whether 1 answer declines rightly" in outcome.reason


@pytest.mark.parametrize(
    ("answer", "claims", "faithfulness"),
    [("No, sorry. The TV option includes 90 channels.", 1, 1.0), ("Yes.", 0, None)],
)
def test_a_yes_or_no_is_no_claim(answer: str, claims: int, faithfulness: float | None) -> None:
    documents = (Document(id="d", text="The TV option includes 90 channels."),)
    item = Item(id="tv", topic="Is there TV?", documents=documents, argument=answer, language="en")
    (judgment,) = conqret.judge([item], format="rag")
    measure = judgment.measures["faithfulness"]
    assert (len(measure.parts), measure.value) == (claims, faithfulness)
    assert judgment.measures["answered"].label == "answered"
