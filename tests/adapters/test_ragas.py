"""conqret's metrics as ragas's own, its datasets both ways."""

import os

import pytest

os.environ.setdefault("RAGAS_DO_NOT_TRACK", "true")
pytest.importorskip("ragas", reason="the extra ragas is not installed")

from ragas import Dataset, EvaluationDataset, MultiTurnSample, SingleTurnSample
from ragas.messages import AIMessage, HumanMessage, ToolCall, ToolMessage

import conqret
from conqret.adapters.ragas import ConqretMetric, as_dataset, items_of
from tests.adapters import referred
from tests.adapters.examples import run_example
from tests.adapters.referred import LOOKS_AT_A_REFERENCE

SAMPLE = {
    "user_input": "Should zoos be banned?",
    "response": "Yes: cages are small, and animals suffer [1].",
    "retrieved_contexts": ["Cages are small, and animals suffer.", "Keepers care."],
}
ITEM = conqret.Item(
    id="zoos",
    topic="Should zoos be banned?",
    stance="pro",
    documents=(
        {"id": "cages", "text": "Cages are small, and animals suffer.", "title": "Zoos"},
        {"id": "keepers", "text": "Keepers care."},
    ),
    argument="Yes: cages are small, and animals suffer [1].",
    second_argument="No, keepers care.",
    reference="It depends.",
    metadata={"part": "a"},
)


def test_a_result_has_value_reason_and_parts():
    metric = ConqretMetric("context_relevance", "rag-fine-grained")
    found = metric.score(**SAMPLE)
    assert 0 <= found.value <= 1
    assert metric.validate_result_value(found.value) is None
    assert [part["id"] for part in found.traces["output"]["parts"]] == ["d1", "d2"]
    assert found.traces["input"]["topic"] == SAMPLE["user_input"]


def test_what_has_no_score_is_none_and_says_why():
    found = ConqretMetric("controllability", "controllability").score(**SAMPLE)
    assert found.value is None
    assert found.reason.startswith("no score: there was nothing to judge")
    assert found.traces["output"]["reason"] == "nothing_to_judge"
    with pytest.raises(TypeError):  # in a mean it is an error, and no 0
        float(found)


async def test_a_sample_without_what_the_format_needs_has_no_value_and_ends_no_batch():
    metric = ConqretMetric("groundedness", "direct")
    bare = {"user_input": "T", "response": "A"}
    first, second = await metric.abatch_score([SAMPLE, bare])
    assert first.value is not None
    assert second.value is None
    assert second.reason == metric.score(**bare).reason
    assert second.reason.startswith("no score: documents is missing or empty")


def test_items_come_back_from_a_dataset():
    dataset = as_dataset([ITEM])
    assert isinstance(dataset, Dataset)
    (item,) = conqret.judge(items_of(dataset), format="pointwise").source
    titles = {"documents": {"cages": {"title": "Zoos"}}}  # for which ragas has no column
    assert item.metadata == {"part": "a", **titles}
    untitled = [document.model_copy(update={"title": ""}) for document in ITEM.documents]
    assert item == ITEM.model_copy(update={"metadata": item.metadata, "documents": tuple(untitled)})


def test_an_evaluation_dataset():
    dataset = EvaluationDataset.from_list(
        [{**SAMPLE, "retrieved_context_ids": [7, 8], "persona_name": "Ann"}, SAMPLE]
    )
    first, second = conqret.judge(items_of(dataset), format="direct", metrics=["groundedness"]).source
    assert [document.id for document in first.documents] == ["7", "8"]
    assert first.metadata == {"persona_name": "Ann"}
    assert [document.id for document in second.documents] == ["d1", "d2"]
    again = EvaluationDataset.from_list(as_dataset([first]).to_pandas().to_dict("records"))
    assert again[0].retrieved_context_ids == ["7", "8"]
    assert not {"id", "stance", "second_argument", "metadata"} & set(again[0].to_dict()), "ragas drops them"


def test_a_conversation_is_judged_by_its_last_answer():
    turns = [
        HumanMessage(content="Zoos?"),
        AIMessage(content="", tool_calls=[ToolCall(name="look", args={"at": "zoos"})]),
        ToolMessage(content="Cages are small."),
        AIMessage(content="Some are cruel [1]."),
        HumanMessage(content="Should they be banned?"),
        AIMessage(content="Yes, for cages are small [1]."),
    ]
    dataset = EvaluationDataset(samples=[MultiTurnSample(user_input=turns)])
    (item,) = conqret.judge(items_of(dataset), format="direct", metrics=["groundedness"]).source
    assert (item.topic, item.argument) == ("Should they be banned?", "Yes, for cages are small [1].")
    assert [document.text for document in item.documents] == ["Cages are small."]
    assert [turn.role for turn in item.messages] == ["user", "assistant", "tool", "assistant"]
    assert ConqretMetric("groundedness", "direct").score(turns).value is not None
    (again,) = conqret.judge(items_of(as_dataset([item])), format="direct", metrics=["groundedness"]).source
    assert again.messages == item.messages


def test_the_example_of_the_page():
    names = run_example("ragas")
    assert 0 < names["found"].value <= 1


@LOOKS_AT_A_REFERENCE
async def test_the_reference_of_a_sample(format_, metric):
    sample = SingleTurnSample(
        user_input=referred.TOPIC,
        response=referred.ANSWER,
        retrieved_contexts=referred.DOCUMENTS,
        retrieved_context_ids=["cages", "keepers"],
        reference=referred.REFERENCE,
    )
    row = {**sample.model_dump(exclude_none=True), "stance": "pro"}
    found = ConqretMetric(metric, format_).score(**row)
    assert found.value == (await ConqretMetric(metric, format_).ascore(**row)).value
    assert found.value == referred.value_of(format_, metric)
    assert [document["id"] for document in found.traces["input"]["documents"]] == ["cages", "keepers"]
