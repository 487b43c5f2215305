"""conqret's metrics as evaluators of LangSmith, LangChain's documents as ours. Nothing is sent anywhere."""

import os
from datetime import UTC, datetime
from uuid import uuid4

import pytest

pytest.importorskip("langsmith", reason="the extra langchain is not installed")
pytest.importorskip("langchain_core", reason="the extra langchain is not installed")
os.environ.setdefault("LANGSMITH_API_KEY", "none")
os.environ["LANGSMITH_TRACING"] = "false"

from langchain_core.documents import Document
from langchain_core.load import dumpd
from langsmith import Client, evaluate
from langsmith.schemas import Example, Run

from conqret.adapters.langchain import ConqretEvaluator, documents_of
from conqret.errors import DeclarationError
from tests.adapters import referred
from tests.adapters.examples import run_example
from tests.adapters.referred import LOOKS_AT_A_REFERENCE

CAGES = Document(
    id="cages",
    page_content="Cages are small, and animals suffer.",
    metadata={"title": "Zoos", "source": "https://zoos.example", "page": 3},
)
DOCUMENTS = [CAGES, Document(page_content="Keepers care.")]
OUTPUTS = {"answer": "Yes: cages are small, and animals suffer [1].", "documents": DOCUMENTS}
EXAMPLE = Example(
    id=uuid4(),
    dataset_id=uuid4(),
    inputs={"question": "Should zoos be banned?"},
    outputs={"answer": "No, keepers care."},
    created_at=datetime(2026, 1, 1, tzinfo=UTC),
)
OFFLINE = Client(api_url="http://127.0.0.1:9", api_key="none", auto_batch_tracing=False)


def a_run(**outputs):
    return Run(
        id=uuid4(),
        name="rag",
        run_type="chain",
        trace_id=uuid4(),
        inputs=EXAMPLE.inputs,
        start_time=datetime(2026, 1, 1, tzinfo=UTC),
        outputs=outputs or OUTPUTS,
    )


def test_a_result_has_score_and_parts():
    found = ConqretEvaluator("context_relevance", "rag-fine-grained").evaluate_run(a_run())
    assert found.key == "conqret rag-fine-grained context_relevance"
    assert 0 <= found.score <= 1
    assert [part["id"] for part in found.extra["conqret"]["parts"]] == ["cages", "d2"]
    assert found.feedback_config == {"type": "continuous", "min": 0, "max": 1}


def results_of(found):
    return {one.key: one for row in found for one in row["evaluation_results"]["results"]}


EVALUATORS = [
    ConqretEvaluator("groundedness", "direct"),
    ConqretEvaluator("preference", "rag-direct"),
    ConqretEvaluator("controllability", "controllability"),
]


def test_in_an_evaluation():
    found = evaluate(
        lambda inputs: OUTPUTS, data=[EXAMPLE], evaluators=EVALUATORS, client=OFFLINE, upload_results=False
    )
    by_key = results_of(found)
    assert by_key["conqret direct groundedness"].score > 0.3
    assert 0 <= by_key["conqret rag-direct preference"].score <= 1
    lost = by_key["conqret controllability controllability"]
    assert (lost.score, lost.extra["conqret"]["reason"]) == (None, "nothing_to_judge")
    assert lost.comment.startswith("no score: there was nothing to judge")


def test_a_run_without_what_the_format_needs_is_an_error_of_that_metric():
    found = evaluate(
        lambda inputs: {"answer": "Yes."},
        data=[EXAMPLE],
        evaluators=EVALUATORS[:1],
        client=OFFLINE,
        upload_results=False,
    )
    (result,) = results_of(found).values()
    assert result.score is None
    assert "documents" in result.comment


def test_a_key_that_is_not_there_is_named():
    evaluator = ConqretEvaluator("clarity", "pointwise", argument="response")
    with pytest.raises(
        DeclarationError, match=r"outputs have no 'response', but 'answer', 'documents'.*argument=…"
    ):
        evaluator.evaluate_run(a_run())


@pytest.mark.parametrize("written", [lambda one: one, lambda one: one.model_dump(), dumpd])
def test_documents_as_objects_and_as_traces_hold_them(written):
    assert list(documents_of([written(CAGES), "Keepers care."])) == [
        {"id": "cages", "text": CAGES.page_content, "title": "Zoos", "url": "https://zoos.example"},
        {"text": "Keepers care."},
    ]


def test_the_example_of_the_page():
    assert run_example("LangChain and LangSmith")["result"].score > 0.3


@LOOKS_AT_A_REFERENCE
@pytest.mark.parametrize("outputs", [{"answer": "", "n": 1}, {"expected": ""}], ids=["its key", "alone"])
def test_the_outputs_of_an_example_are_the_reference(outputs, format_, metric):
    first = next(iter(outputs))
    example = EXAMPLE.model_copy(
        update={"outputs": {**outputs, first: referred.REFERENCE}, "metadata": {"stance": "pro"}}
    )
    evaluator = ConqretEvaluator(metric, format_)
    found = evaluate(
        lambda inputs: {"answer": referred.ANSWER, "documents": referred.DOCUMENTS},
        data=[example],
        evaluators=[evaluator],
        client=OFFLINE,
        upload_results=False,
    )
    (result,) = results_of(found).values()
    assert result.score == referred.value_of(format_, metric)
