"""A judged run in MLflow, and metrics as its scorers."""

import os

import pytest

os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")
os.environ.setdefault("DO_NOT_TRACK", "true")
mlflow = pytest.importorskip("mlflow", reason="the extra mlflow is not installed")

import conqret  # noqa: E402
from conqret.adapters.mlflow import ConqretScorer, log_run  # noqa: E402
from tests.adapters import referred  # noqa: E402
from tests.adapters.examples import run_example_alone  # noqa: E402
from tests.adapters.judged import METRIC, WHY, judged  # noqa: E402
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


def test_a_run_with_intervals_bounds_and_reasons():
    run = judged()
    found = mlflow.get_run(log_run(run, run_name="first"))
    one = run.summary.metrics[METRIC]
    metrics = found.data.metrics
    assert found.info.run_name == "first"
    assert found.info.status == "FINISHED"
    assert metrics[METRIC] == pytest.approx(one.mean)
    assert (metrics[f"{METRIC}.scored"], metrics[f"{METRIC}.missing"]) == (3, 1)
    assert metrics[f"{METRIC}.worst_case"] == pytest.approx(one.worst_case)
    assert metrics[f"{METRIC}.best_case"] == pytest.approx(one.best_case)
    if one.low is None:
        assert f"{METRIC}.low" not in metrics
    assert found.data.params["fingerprint"] == run.record.fingerprint
    assert found.data.tags[f"conqret.no_number.{METRIC}.missing"] == f"{WHY} (1)"
    files = {artifact.path for artifact in mlflow.MlflowClient().list_artifacts(found.info.run_id, "conqret")}
    assert files == {"conqret/report.html", "conqret/summary.json", "conqret/scores.parquet"}


def test_into_the_run_that_is_going_on():
    with mlflow.start_run() as going_on:
        assert log_run(judged()) == going_on.info.run_id
        assert mlflow.active_run().info.run_id == going_on.info.run_id


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
    logged = "names['mlflow'].get_run(names['run_id']).data.metrics['groundedness']"
    scored = "names['found'].metrics['conqret_direct_groundedness/mean']"
    run_example_alone("MLflow", tmp_path, f"assert {logged} == {scored} == 1")


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
