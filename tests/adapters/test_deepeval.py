"""conqret's metrics in DeepEval's own runs."""

import os

import pytest

os.environ.setdefault("DEEPEVAL_TELEMETRY_OPT_OUT", "YES")
deepeval = pytest.importorskip("deepeval", reason="the extra deepeval is not installed")

from deepeval.evaluate import AsyncConfig, DisplayConfig, ErrorConfig  # noqa: E402
from deepeval.test_case import ConversationalTestCase, LLMTestCase, Turn  # noqa: E402

from conqret.adapters.deepeval import ConqretMetric  # noqa: E402
from tests.adapters import referred  # noqa: E402
from tests.adapters.examples import run_example  # noqa: E402
from tests.adapters.referred import LOOKS_AT_A_REFERENCE  # noqa: E402

DOCUMENTS = ["Cages are small, and animals suffer.", "Keepers care."]
CASE = LLMTestCase(
    input="Should zoos be banned?",
    actual_output="Yes: cages are small, and animals suffer [1].",
    expected_output="No, keepers care.",
    retrieval_context=DOCUMENTS,
)
BARE = LLMTestCase(input="Should zoos be banned?", actual_output="Yes.")
QUIET = {"display_config": DisplayConfig(show_indicator=False, print_results=False)}


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_a_metric_has_score_reason_and_parts():
    metric = ConqretMetric("context_relevance", "rag-fine-grained", threshold=0.1)
    score = metric.measure(CASE)
    assert score == metric.score
    assert metric.success == (score >= 0.1)
    assert metric.error is None
    assert [part["id"] for part in metric.score_breakdown["parts"]] == ["d1", "d2"]


@pytest.mark.parametrize("run_async", [True, False])
def test_in_an_evaluation(run_async):
    metrics = [ConqretMetric("groundedness", "direct", 0.3), ConqretMetric("preference", "rag-direct")]
    found = deepeval.evaluate([CASE], metrics, async_config=AsyncConfig(run_async=run_async), **QUIET)
    by_name = {metrics_entry.name: metrics_entry for metrics_entry in found.test_results[0].metrics_data}
    assert by_name["conqret direct groundedness"].score > 0.3
    assert by_name["conqret direct groundedness"].success
    assert 0 <= by_name["conqret rag-direct preference"].score <= 1


def test_what_has_no_score_is_an_error_and_no_zero():
    metric = ConqretMetric("controllability", "controllability")
    found = deepeval.evaluate([BARE], [metric], **QUIET)
    (data,) = found.test_results[0].metrics_data
    assert data.score is None
    assert not data.success
    assert data.error.startswith("no score: there was nothing to judge")


@pytest.mark.parametrize("run_async", [True, False])
def test_a_case_without_what_the_format_needs_is_skipped_where_that_is_wanted(run_async):
    found = deepeval.evaluate(
        [BARE, CASE],
        [ConqretMetric("groundedness", "direct"), ConqretMetric("context_relevance", "rag-fine-grained")],
        error_config=ErrorConfig(skip_on_missing_params=True),
        async_config=AsyncConfig(run_async=run_async),
        **QUIET,
    )
    assert [[data.error for data in test_result.metrics_data] for test_result in found.test_results] == [
        [],
        [None, None],
    ]


def test_the_example_of_the_page():
    assert run_example("DeepEval")["case"].retrieval_context


@LOOKS_AT_A_REFERENCE
def test_what_it_expects_is_the_reference(format_, metric):
    given = {
        "input": referred.TOPIC,
        "actual_output": referred.ANSWER,
        "metadata": {"stance": "pro", "language": "python"},
    }
    case = LLMTestCase(**given, expected_output=referred.REFERENCE, retrieval_context=referred.DOCUMENTS)
    found = deepeval.evaluate([case], [ConqretMetric(metric, format_)], **QUIET)
    assert found.test_results[0].metrics_data[0].score == referred.value_of(format_, metric)


@LOOKS_AT_A_REFERENCE
def test_the_expected_outcome_of_turns_is_the_reference(format_, metric):
    turns = [Turn(role="user", content=referred.TOPIC), Turn(role="assistant", content=referred.ANSWER)]
    case = ConversationalTestCase(
        turns=turns,
        expected_outcome=referred.REFERENCE,
        context=referred.DOCUMENTS,
        metadata={"stance": "pro"},
    )
    assert ConqretMetric(metric, format_).measure(case) == referred.value_of(format_, metric)
