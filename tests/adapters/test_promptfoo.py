"""conqret's metrics as Python assertions of promptfoo, by its protocol, and by promptfoo itself where it is there."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from conqret.adapters.promptfoo import get_assert
from conqret.errors import DeclarationError
from tests.adapters import referred
from tests.adapters.examples import block
from tests.adapters.metered import DOCUMENTS, ITEMS, MeteredServer
from tests.adapters.referred import LOOKS_AT_A_REFERENCE

SAID = "Yes: cages are small, and animals suffer [1]."
VARS = {
    "question": "Should zoos be banned?",
    "documents": ["Cages are small, and animals suffer.", "Keepers care."],
    "reference": "No, keepers care.",
}


def asserted(said=SAID, variables=VARS, **config):
    return get_assert(said, {"vars": variables, "config": config, "prompt": "p"})


def test_a_result_as_promptfoo_wants_it():
    found = asserted(format="rag-fine-grained", metric="groundedness", threshold=0.3)
    assert set(found) == {"pass", "score", "reason", "namedScores", "metadata"}
    assert found["pass"] is (found["score"] >= 0.3)
    assert found["namedScores"] == {"conqret rag-fine-grained groundedness": found["score"]}
    assert found["reason"]
    assert found["metadata"]["conqret"]["fingerprint"]
    assert json.loads(json.dumps(found)) == found


def test_what_does_not_apply_passes_without_a_score_and_says_why():
    found = asserted(format="controllability", metric="controllability", threshold=0)
    assert (found["pass"], found["score"]) == (True, 1)
    assert found["namedScores"] == {}
    assert found["reason"].startswith("no score: there was nothing to judge")
    assert "value" not in found["metadata"]["conqret"]


@pytest.mark.parametrize(
    ("config", "variables", "wrong"),
    [
        (
            {"format": "direct", "metric": "groundedness"},
            {"topic": "T"},
            "no variable 'question', but 'topic'",
        ),
        ({"format": "direct", "metric": "groundedness", "budget_usd": 1}, VARS, "needs recordings"),
    ],
)
def test_what_is_wrong_is_said(config, variables, wrong):
    with pytest.raises(DeclarationError, match=wrong):
        asserted(variables=variables, **config)


def test_one_budget_holds_for_the_assertions_of_a_program(tmp_path):
    config = {"format": "direct", "metric": "groundedness", "threshold": 0}
    with MeteredServer() as server:
        config |= server.settings(recordings=str(tmp_path / "answers.sqlite"))
        found = [
            asserted(said, {"question": topic, "documents": DOCUMENTS}, **config) for topic, said in ITEMS
        ]
        server.check()
    assert sum(one["pass"] for one in found) == 5
    lost = [one["reason"] for one in found if not one["pass"]]
    assert all(reason.startswith("no score: the budget") for reason in lost)


def evaluated(folder):
    command = shutil.which("promptfoo")
    if command is None:
        pytest.skip("promptfoo, a package of npm that wants Node 22, is not installed")
    quiet = {f"PROMPTFOO_DISABLE_{one}": "1" for one in ("TELEMETRY", "UPDATE", "REMOTE_GENERATION")}
    places = {"PROMPTFOO_PYTHON": sys.executable, "PROMPTFOO_CONFIG_DIR": str(folder / "home")}
    done = subprocess.run(
        [command, "eval", "--no-cache", "--no-table", "--no-share", "-o", "out.json"],
        cwd=folder,
        env={**os.environ, **quiet, **places},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    return done, json.loads((folder / "out.json").read_text())["results"]["results"]


def test_the_example_of_the_page_in_promptfoo(tmp_path):
    (tmp_path / "conqret_assert.py").write_text(block("promptfoo", "python"))
    (tmp_path / "promptfooconfig.yaml").write_text(block("promptfoo", "yaml"))
    done, (result,) = evaluated(tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert result["success"]
    assert result["namedScores"]["conqret direct groundedness"] > 0.3


@LOOKS_AT_A_REFERENCE
def test_the_reference_by_the_protocol(format_, metric):
    values = {"question": referred.TOPIC, "documents": referred.DOCUMENTS, "gold": referred.REFERENCE}
    config = {"format": format_, "metric": metric, "reference": "gold"}
    context = {"vars": values, "config": config, "test": {"metadata": {"stance": "pro"}}}
    assert get_assert(referred.ANSWER, context)["score"] == pytest.approx(referred.value_of(format_, metric))
