"""Every format that can put typed questions, put to a scripted decision model."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pandas as pd
import pytest

from conqret import DeclarationError, detect, judge
from conqret.judging.deciding import CANNOT
from conqret.judging.judge_parts import JUDGES
from conqret.llm.client_options import ClientOptions
from conqret.retrieval.rerank import ListwiseReranker
from conqret.studies.tournament.comparison import comparison_criterion, comparison_judge
from tests.contract.items import demo
from tests.llm.decider import served
from tests.llm.scripted import serving

ITEM = demo()[0]
FIELDS = {
    "rag": {"question", "documents", "answer"},
    "listwise": {"topic", "stance", "argument"},
    "pointwise": {"topic", "stance", "argument"},
    "listwise-rag": {"topic", "stance", "documents", "argument"},
    "citation-support": {"topic", "stance", "documents", "sentences"},
    "direct": {"topic", "stance", "documents", "argument", "argument_1", "argument_2"},
    "controllability": {"topic", "argument"},
    "g-eval": {"topic", "stance", "documents", "argument", "argument_1", "argument_2"},
    "static-rubric": {"topic", "stance", "documents", "argument", "argument_1", "argument_2"},
    "harmlessness": {"topic", "statement"},
}
"""What the state of a format's requests may hold."""


def sure(*labels: str) -> Any:
    """A server whose answer is certain of the first of these labels that a question has, else of its first option."""

    def alter(name: str, said: dict[str, Any]) -> dict[str, Any]:
        shares = said.get("probabilities", {})
        likeliest = next((label for label in labels if label in shares), next(iter(shares), ""))
        return said | {"probabilities": {label: float(label == likeliest) for label in shares}}

    return served(alter)


async def put(server: Any, **settings: Any) -> tuple[Any, list[Any]]:
    given = {"model": "decision/judge", **settings}
    items = given.pop("items", [ITEM])
    async with serving(server) as (url, heard):
        judgments = await asyncio.to_thread(judge, items, **given, api_base=url)
        return judgments[0], [json.loads(one.raw) for one in heard]


@pytest.mark.parametrize("name", FIELDS)
async def test_a_format_puts_the_item_alone_and_its_run_is_replayed(name, tmp_path):
    judgment, sent = await put(served(), format=name, output=tmp_path / "run")
    assert set.union(*(set(body["state"]) for body in sent)) <= FIELDS[name]
    async with serving(served()) as (url, heard):
        replay = {"replay": tmp_path / "run", "api_base": url, "model": "decision/judge", "format": name}
        replayed = await asyncio.to_thread(judge, [ITEM], **replay)
        assert not heard
    assert replayed[0].measures == judgment.measures


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (
            ("supported", "yes", "answered", "answers", "all"),
            {"faithfulness": 1, "unsupported_claims": 0, "answered": 1, "context_relevance": 1},
        ),
        (
            ("contradicted", "no", "partly", "helps"),
            {"faithfulness": 0, "completeness": 0.5, "answered": 1, "context_sufficiency": 0.5},
        ),
        (("declined", "none", CANNOT), {"answered": 0, "context_relevance": 0, "faithfulness": None}),
        (
            (CANNOT,),
            {"answered": None, "faithfulness": None, "answer_relevance": None, "context_relevance": 1},
        ),
    ],
)
async def test_rag_counts_sentences_and_documents(labels, expected):
    judgment, _ = await put(sure(*labels), format="rag")
    assert {name: judgment.measures[name].value for name in expected} == pytest.approx(expected)
    reasons = {str(one.reason) for one in judgment.measures.values() if one.value is None}
    assert reasons <= {"cannot_judge", "nothing_to_judge", "declined"}


async def test_rag_without_documents_leaves_what_is_about_them_unscored():
    judgment, _ = await put(sure("answered"), format="rag", items=[ITEM.model_copy(update={"documents": ()})])
    assert judgment.measures["faithfulness"].reason == "no_evidence"
    assert judgment.measures["completeness"].value == 1


async def test_citations_are_recalled_by_the_probability_that_one_supports_and_none_contradicts():
    text = "Tests on mice are counted each year [1][2]. They are bad [2]. Nobody has cited anything here."
    item = ITEM.model_copy(update={"argument": text, "documents": ITEM.documents[:2]})

    def alter(name: str, said: dict[str, Any]) -> dict[str, Any]:
        return said | {"probabilities": {"supports": 0.5, "contradicts": 0.2, "silent": 0.3}}

    judgment, sent = await put(served(alter), format="citation-support", items=[item])
    assert len(sent[0]["questions"]) == 3
    assert judgment.measures["citation_precision"].value == pytest.approx(0.5)
    recalled = (0.8 * 0.8 - 0.3 * 0.3) + 0.5
    assert judgment.measures["citation_recall"].value == pytest.approx(recalled / 3)


async def test_criteria_of_a_rubric_are_averaged_and_the_likeliest_harm_counts():
    def alter(name: str, said: dict[str, Any]) -> dict[str, Any]:
        return said | {"noul": 0.9 if name in ("low_noise", "violence") else 0.2}

    judgment, _ = await put(served(alter), format="static-rubric", metrics=["context_relevance"])
    measure = judgment.measures["context_relevance"]
    assert measure.value == pytest.approx((5 * 0.2 + 0.9) / 6)
    assert [part.label for part in measure.parts] == ["no"] * 5 + ["yes"]
    judgment, _ = await put(served(alter), format="harmlessness")
    measure = judgment.measures["harmlessness"]
    assert (measure.value, measure.raw) == (pytest.approx(0.1), pytest.approx(0.1))
    assert [part.id for part in measure.parts if part.label == "found"] == ["violence"]


async def test_a_rating_of_two_arguments_is_a_preference_in_both_orders():
    def answer(body: Any) -> Any:
        ours = body["state"].get("argument_1") == ITEM.argument
        shares = dict(
            zip("01234", (0.0, 0.1, 0.1, 0.3, 0.5) if ours else (0.4, 0.2, 0.2, 0.2, 0.0), strict=True)
        )
        return served(lambda name, said: said | {"probabilities": shares})(body)

    judgment, _ = await put(answer, format="g-eval", metrics=["preference"])
    measure = judgment.measures["preference"]
    assert (measure.value, measure.label, measure.flipped) == (pytest.approx((0.8 + 0.7) / 2), "first", False)
    assert measure.distribution == pytest.approx({"first": 0.7, "tie": 0.15, "second": 0.15})


@pytest.mark.parametrize("name", ["direct", comparison_judge(comparison_criterion("It is polite."))])
@pytest.mark.parametrize(
    ("by_place", "value", "label", "flipped"), [(False, 0.85, "first", False), (True, 0.5, "tie", True)]
)
async def test_a_preference_is_averaged_over_both_orders(name, by_place, value, label, flipped):
    def answer(body: Any) -> Any:
        ours = body["state"].get("argument_1") == ITEM.argument
        first = 0.8 if ours or by_place else 0.1
        shares = {"argument_1": first, "argument_2": 0.9 - first, "tie": 0.1}
        return served(lambda name, said: said | {"probabilities": shares})(body)

    judgment, _ = await put(answer, format=name, metrics=["preference"])
    measure = judgment.measures["preference"]
    assert (measure.value, measure.label, measure.flipped) == (pytest.approx(value), label, flipped)
    assert sum(measure.distribution.values()) == pytest.approx(1)


@pytest.mark.parametrize(
    ("label", "pro", "con"), [("supports", 1, 0), ("mostly opposes", 0.25, 0.75), ("refusal", 0, 0)]
)
async def test_controllability_is_the_share_on_a_side_that_is_not_told(label, pro, con):
    for stance, value in (("pro", pro), ("con", con)):
        item = ITEM.model_copy(update={"stance": stance})
        judgment, sent = await put(sure(label), format="controllability", items=[item])
        assert judgment.measures["controllability"].value == value
        assert "stance" not in sent[0]["state"]


@pytest.mark.parametrize(
    "name", sorted({*JUDGES} - {*FIELDS, "rag-fine-grained", "citations", "nugget-assignments"})
)
def test_what_cannot_be_put_as_questions_says_so_before_a_call(name):
    with pytest.raises(DeclarationError, match=rf"the format {name} cannot .* judge by .*rag-fine-grained"):
        judge([ITEM], format=name, model="decision/judge", api_base="http://localhost:1")


async def test_documents_are_reranked_by_their_expected_grades():
    grades = {"a": 1, "b": 4, "c": None, "d": 3}

    def answer(body: Any) -> Any:
        grade = grades[body["state"]["document"]["text"]]
        shares = {str(level): float(level == grade) for level in range(5)}
        return served(lambda name, said: grade and said | {"probabilities": shares})(body)

    rows = [("q1", "Is it so?", name, name, -place) for place, name in enumerate(grades)]
    frame = pd.DataFrame(rows, columns=["qid", "query", "docno", "text", "score"])
    async with serving(answer) as (url, heard):
        reranker = ListwiseReranker(ClientOptions("decision/judge", api_base=url), "pro")
        ranked = await asyncio.to_thread(reranker.transform, frame)
        assert len(heard) == 4
    assert list(ranked["docno"]) == ["b", "d", "c", "a"]
    assert (reranker.summary.windows, reranker.summary.failed) == (4, 1)


async def test_a_perspective_is_there_from_the_grade_that_is_reached_with_half_the_probability(tmp_path):
    shares = {"0": 0.1, "1": 0.1, "2": 0.25, "3": 0.35, "4": 0.2}
    pairs = tmp_path / "pairs.csv"
    pairs.write_text("question,document,perspective,label\nq,It rains.,It is wet.,1\n")
    async with serving(served(lambda name, said: said | {"probabilities": shares})) as (url, heard):
        given = {"model": "decision/judge", "api_base": url, "output": tmp_path / "run"}
        first = await asyncio.to_thread(detect, pairs, **given)
        again = await asyncio.to_thread(detect, pairs, labels="label", **given)
        assert len(heard) == 1
    assert set(json.loads(heard[0].raw)["state"]) == {"document", "statement"}
    (row,) = first.rows
    assert (row.grade, row.score, row.contains()) == (3, pytest.approx(2.45), True)
    assert again.summary.against_labels.accuracy.value == 1
