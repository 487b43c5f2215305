"""conqret's metrics as scorers of inspect_ai, and its logs as items."""

import math
import subprocess
import sys
from pathlib import Path

import pytest

inspect_ai = pytest.importorskip("inspect_ai", reason="the extra inspect is not installed")

from inspect_ai.dataset import Sample  # noqa: E402
from inspect_ai.log import read_eval_log  # noqa: E402
from inspect_ai.model import (  # noqa: E402
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    ModelOutput,
)
from inspect_ai.solver import solver  # noqa: E402
from inspect_ai.tool import ToolCall  # noqa: E402

import conqret  # noqa: E402
from conqret.adapters.inspect import conqret_metric, items_of  # noqa: E402
from conqret.io import open_items  # noqa: E402
from tests.adapters import referred  # noqa: E402
from tests.adapters.examples import run_example  # noqa: E402
from tests.adapters.metered import DOCUMENTS, ITEMS, MeteredServer  # noqa: E402
from tests.adapters.referred import LOOKS_AT_A_REFERENCE  # noqa: E402

SAMPLES = [
    Sample(
        id="a-zoos",
        input="Should zoos be banned?",
        target="No, keepers care.",
        metadata={"documents": ["Cages are small, and animals suffer.", "Keepers care."], "part": "a"},
    ),
    Sample(
        id="b-age", input="Should the voting age be lowered?", metadata={"documents": ["They pay taxes."]}
    ),
]
RELEVANCE = "conqret_rag_fine_grained_context_relevance"
SAID = "Yes: cages are small, and animals suffer [1]."


@solver
def answered(messages=()):
    """What a model says, without asking one; after these messages."""

    async def solve(state, generate):
        if messages:
            state.messages = list(messages)
        state.output = ModelOutput.from_content("m", SAID)
        return state

    return solve


def evaluated(folder, samples, *scorers, messages=(), **more):
    task = inspect_ai.Task(dataset=samples, solver=answered(messages), scorer=list(scorers))
    (found,) = inspect_ai.eval(task, model="mockllm/model", log_dir=str(folder), display="none", **more)
    assert found.status == "success", found.error
    return read_eval_log(found.location)


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    """The log of a task with three of our metrics, the last of which has no score."""
    metrics = (
        conqret_metric("groundedness", "direct"),
        conqret_metric("context_relevance", "rag-fine-grained"),
        conqret_metric("controllability", "controllability"),
    )
    return evaluated(tmp_path_factory.mktemp("logs"), SAMPLES, *metrics)


def test_scores_have_explanations_and_parts(log):
    first = log.samples[0].scores
    grounded, relevance = first["conqret_direct_groundedness"], first[RELEVANCE]
    assert 0 < grounded.value <= 1
    assert grounded.metadata["fingerprint"]
    assert [part["id"] for part in relevance.metadata["parts"]] == ["d1", "d2"]


def test_what_has_no_score_is_unscored_and_in_no_mean(log):
    lost = log.samples[0].scores["conqret_controllability_controllability"]
    assert math.isnan(lost.value)
    assert lost.reason == "scoring_failed"
    assert lost.explanation.startswith("no score: there was nothing to judge")
    summary = log.results.scores[2]
    assert (summary.scored_samples, summary.unscored_samples) == (0, 2)
    assert math.isnan(summary.metrics["mean"].value)


def test_a_log_as_items(log):
    items = list(items_of(log))
    assert items[0] == {
        "id": "a-zoos",
        "topic": "Should zoos be banned?",
        "argument": SAID,
        "reference": "No, keepers care.",
        "documents": SAMPLES[0].metadata["documents"],
        "metadata": {"part": "a", "model": "mockllm/model"},
    }
    found = conqret.judge(items, format="direct", metrics=["groundedness"])
    assert found["a-zoos"].value("groundedness") == log.samples[0].scores["conqret_direct_groundedness"].value


CONVERSATION = [
    ChatMessageSystem(content="Be brief."),
    ChatMessageUser(content="Zoos?"),
    ChatMessageAssistant(
        content="", tool_calls=[ToolCall(id="c1", function="look", arguments={"at": "zoos"})]
    ),
    ChatMessageTool(content="Cages are small.", tool_call_id="c1", function="look"),
    ChatMessageAssistant(content="Some are cruel [1]."),
    ChatMessageUser(content="Should they be banned?"),
    ChatMessageAssistant(content=SAID),
]


@pytest.mark.parametrize("suffix", ["json", "eval"])
def test_a_conversation_is_judged_by_its_last_answer(tmp_path, suffix):
    sample, scorer = Sample(id="c", input="Zoos?"), conqret_metric("groundedness", "direct")
    log = evaluated(tmp_path, [sample], scorer, messages=CONVERSATION, log_format=suffix)
    assert log.samples[0].scores["conqret_direct_groundedness"].value is not None
    (item,) = conqret.judge(items_of(log), format="direct", metrics=["groundedness"]).source
    assert (item.topic, item.argument) == ("Should they be banned?", SAID)
    assert [turn.role for turn in item.messages] == ["system", "user", "assistant", "tool", "assistant"]
    assert [document.text for document in item.documents] == ["Cages are small."]
    if suffix == "json":  # which is read as it is
        (same,) = open_items(log.location)
        assert (same.topic, same.argument, same.messages) == (item.topic, item.argument, item.messages)


def test_a_sample_that_lacks_something_is_unscored_with_the_reason(tmp_path):
    samples = [*SAMPLES, Sample(id="c-bare", input="Should zoos be banned?")]
    found = evaluated(tmp_path, samples, conqret_metric("groundedness", "direct"))
    lost = found.samples[2].scores["conqret_direct_groundedness"]
    assert math.isnan(lost.value)
    assert lost.reason == "scoring_failed"
    assert lost.explanation.startswith("no score: documents is missing or empty, and format direct rates")
    (summary,) = found.results.scores
    assert (summary.scored_samples, summary.unscored_samples) == (2, 1)


def test_one_budget_for_all_samples_and_the_tokens_in_the_log(tmp_path):
    samples = [Sample(input=one, metadata={"documents": DOCUMENTS}) for one, _ in ITEMS]
    with MeteredServer() as server:
        scorer = conqret_metric("groundedness", "direct", **server.settings())
        found = evaluated(tmp_path, samples, scorer)
        server.check()
    assert found.results.scores[0].scored_samples == 5
    used = found.stats.model_usage["openai/mine"]
    assert (used.input_tokens, used.output_tokens, used.total_tokens) == (5, 5, 10)
    assert used.total_cost == pytest.approx(0.5)
    assert found.stats.role_usage["grader"].total_tokens == 10
    each = [sample.model_usage.get("openai/mine") for sample in found.samples]
    assert sorted(one.total_tokens if one else 0 for one in each) == [0] * 5 + [2] * 5


def test_a_log_holds_no_key(tmp_path):
    with MeteredServer() as server:
        scorer = conqret_metric("groundedness", "direct", **server.settings(api_key="sk-none-of-logs"))
        found = evaluated(tmp_path, SAMPLES, scorer)
        assert {request.headers["Authorization"] for request in server.requests} == {"Bearer sk-none-of-logs"}
    assert found.eval.scorers[0].options["api_base"] == server.url
    assert "sk-none-of-logs" not in found.model_dump_json()


TASK = """
from inspect_ai import Task, task
from inspect_ai.dataset import Sample

from conqret.adapters.inspect import conqret_metric

@task
def zoos():
    sample = Sample(input="Should zoos be banned?", metadata={"documents": ["Cages are small."]})
    return Task(dataset=[sample], scorer=conqret_metric("groundedness", "direct"))
"""


def test_on_the_command_line_and_a_log_scored_by_name(tmp_path):
    (tmp_path / "zoos.py").write_text(TASK)
    inspect = str(Path(sys.executable).with_name("inspect"))

    def run(*command):
        more = ["--display", "none"]
        done = subprocess.run(
            [inspect, *command, *more], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        (log,) = (tmp_path / "logs").glob("*.eval")
        return log, [score.name for score in read_eval_log(str(log)).results.scores]

    log, names = run("eval", "zoos.py", "--model", "mockllm/model", "--log-dir", "logs")
    assert names == ["conqret_direct_groundedness"]
    _, names = run("score", str(log), "--scorer", f"conqret/{RELEVANCE}", "--overwrite", "--action", "append")
    assert names == ["conqret_direct_groundedness", RELEVANCE]


def test_the_example_of_the_page():
    assert len(run_example("inspect_ai")["task"].scorer) == 2


@LOOKS_AT_A_REFERENCE
def test_the_target_is_the_reference(format_, metric, tmp_path):
    sample = Sample(
        input=referred.TOPIC,
        target=referred.REFERENCE,
        metadata={"documents": referred.DOCUMENTS, "stance": "pro"},
    )
    found = evaluated(tmp_path, [sample], conqret_metric(metric, format_))
    (score,) = found.samples[0].scores.values()
    assert score.value == referred.value_of(format_, metric)
    (item,) = items_of(found)
    assert (item["reference"], item["stance"]) == (referred.REFERENCE, "pro")
    if metric != "preference":
        again = conqret.judge([item], format=format_, metrics=[metric])
        assert again[0].values[metric] == score.value
