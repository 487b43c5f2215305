"""Metrics as scorers of MLflow."""

import os

import pytest

os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")
os.environ.setdefault("DO_NOT_TRACK", "true")
mlflow = pytest.importorskip("mlflow", reason="the extra mlflow is not installed")

import conqret  # noqa: E402
from conqret.adapters.mlflow import ConqretScorer  # noqa: E402
from tests.adapters import referred  # noqa: E402
from tests.adapters.examples import run_example_alone  # noqa: E402
from tests.adapters.judged import METRIC, WHY  # noqa: E402
from tests.adapters.referred import LOOKS_AT_A_REFERENCE  # noqa: E402

DOCUMENTS = ["Cages are small, and animals suffer.", "Keepers care."]
ROW = {
    "inputs": {"question": "Should zoos be banned?"},
    "outputs": {"answer": "Yes: cages are small [1].", "documents": DOCUMENTS},
    "expectations": {"expected_response": "No, keepers care."},
}


@pytest.fixture(scope="module", autouse=True)
def tracking(tmp_path_factory):
    place = tmp_path_factory.mktemp("mlflow")
    mlflow.set_tracking_uri(f"sqlite:///{place}/mlflow.db")
    mlflow.create_experiment("conqret", artifact_location=(place / "artifacts").as_uri())
    mlflow.set_experiment("conqret")


def test_in_an_evaluation():
    scorers = [
        ConqretScorer(format="direct", metric="groundedness"),
        ConqretScorer(format="controllability", metric=METRIC),
    ]
    bare = {"inputs": {"question": ""}, "outputs": "Yes."}
    found = mlflow.genai.evaluate(data=[ROW, bare], scorers=scorers)
    table = found.result_df
    values = dict(zip(table["request"].map(str), table["conqret_direct_groundedness/value"], strict=True))
    own = conqret.judge(
        {"topic": ROW["inputs"]["question"], "argument": ROW["outputs"]["answer"], "documents": DOCUMENTS},
        format="direct",
    )[0].values["groundedness"]
    assert own in values.values()
    assert found.metrics["conqret_direct_groundedness/mean"] == pytest.approx(own), (
        "what has no score is no 0"
    )


def test_feedback_has_a_value_or_an_error():
    scored = ConqretScorer(format="direct", metric="groundedness")(**ROW)
    assert 0 <= scored.value <= 1
    assert scored.metadata["status"] == "scored"
    assert scored.source.source_type == "LLM_JUDGE"
    lost = ConqretScorer(format="controllability", metric=METRIC)(**ROW)
    assert lost.value is None
    assert (lost.error.error_code, WHY in lost.error.error_message) == ("NOTHING_TO_JUDGE", True)
    faulty = ConqretScorer(format="rag-direct", metric="preference")(inputs={"question": "T"}, outputs="Yes.")
    assert faulty.value is None
    assert (faulty.error.error_code, "documents" in faulty.error.error_message) == ("FAULTY_ROW", True)
    beside = ConqretScorer(format="rag-direct", metric="preference")(**ROW)
    assert 0 <= beside.value <= 1


def test_the_example_of_the_page(tmp_path):
    scored = "names['found'].metrics['conqret_direct_groundedness/mean']"
    run_example_alone("MLflow", tmp_path, f"assert {scored} == 1")


@LOOKS_AT_A_REFERENCE
@pytest.mark.parametrize(
    "expected",
    [{"expected_response": referred.REFERENCE}, {"expected_facts": referred.REFERENCE.split(". ")}],
)
def test_expectations_are_the_reference(expected, format_, metric):
    row = {
        "inputs": {"question": referred.TOPIC},
        "outputs": {"answer": referred.ANSWER, "documents": referred.DOCUMENTS},
        "expectations": {**expected, "stance": "pro"},
    }
    found = mlflow.genai.evaluate(
        data=[row], scorers=[ConqretScorer(format=format_, metric=metric, name="own")]
    )
    assert found.metrics["own/mean"] == pytest.approx(referred.value_of(format_, metric))
