"""conqret's metrics as evaluators of LlamaIndex, its nodes as documents."""

import pytest

pytest.importorskip("llama_index.core", reason="the extra llamaindex is not installed")

from llama_index.core.base.response.schema import Response
from llama_index.core.evaluation import BatchEvalRunner
from llama_index.core.schema import NodeWithScore, TextNode

from conqret.adapters.llamaindex import ConqretEvaluator, documents_of
from tests.adapters import referred
from tests.adapters.examples import run_example
from tests.adapters.referred import LOOKS_AT_A_REFERENCE

QUERY = "Should zoos be banned?"
ANSWER = "Yes: cages are small, and animals suffer [1]."
CAGES = TextNode(id_="cages", text="Cages are small, and animals suffer.", metadata={"file_name": "zoos.txt"})
NODES = [
    NodeWithScore(node=CAGES, score=0.9),
    NodeWithScore(node=TextNode(id_="keepers", text="Keepers care.")),
]
RESPONSE = Response(ANSWER, source_nodes=NODES)


def test_a_response_has_score_and_parts_by_its_nodes():
    found = ConqretEvaluator("context_relevance", "rag-fine-grained").evaluate_response(QUERY, RESPONSE)
    assert 0 <= found.score <= 1
    assert not found.invalid_result
    assert found.passing is None
    assert found.contexts == [CAGES.text, "Keepers care."]
    assert [part["id"] for part in found.measure["parts"]] == ["cages", "keepers"]


def test_what_has_no_score_is_invalid_and_says_why():
    found = ConqretEvaluator("controllability", "controllability", 0.5).evaluate_response(QUERY, RESPONSE)
    assert found.invalid_result
    assert found.score is None
    assert found.passing is None
    assert found.invalid_reason.startswith("no score: there was nothing to judge")
    assert found.measure["reason"] == "nothing_to_judge"


async def test_a_response_without_what_the_format_needs_is_invalid_and_ends_no_batch():
    runner = BatchEvalRunner({"groundedness": ConqretEvaluator("groundedness", "direct", 0.5)}, workers=2)
    bare = Response(ANSWER, source_nodes=[])
    found = await runner.aevaluate_responses(queries=[QUERY, QUERY], responses=[RESPONSE, bare])
    first, second = found["groundedness"]
    assert first.score == 1.0
    assert (second.score, second.passing, second.invalid_result) == (None, None, True)
    assert second.invalid_reason.startswith("no score: documents is missing or empty")


def test_nodes_as_documents():
    assert (
        list(documents_of([NODES[0], CAGES]))
        == [{"id": "cages", "text": "Cages are small, and animals suffer.", "title": "zoos.txt"}] * 2
    )


def test_the_example_of_the_page():
    assert run_example("LlamaIndex")["found"].passing


@LOOKS_AT_A_REFERENCE
async def test_the_reference_in_a_batch(format_, metric):
    runner = BatchEvalRunner({"own": ConqretEvaluator(metric, format_)}, workers=1)
    found = await runner.aevaluate_responses(
        queries=[referred.TOPIC], responses=[RESPONSE], reference=[referred.REFERENCE], stance=["pro"]
    )
    assert found["own"][0].score == referred.value_of(format_, metric)
