"""conqret's metrics as Python assertions of promptfoo, by its protocol, and by promptfoo itself where it is there."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from conqret.adapters.promptfoo import get_assert
from conqret.errors import DeclarationError
from tests.adapters.examples import block

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


def test_what_has_no_score_fails_has_no_named_score_and_says_why():
    found = asserted(format="controllability", metric="controllability", threshold=0)
    assert found["pass"] is False
    assert found["namedScores"] == {}
    assert found["reason"].startswith("no score: there was nothing to ask about")
    assert "value" not in found["metadata"]["conqret"]


def test_formats_that_compare_and_other_names_of_variables():
    own = {"q": VARS["question"], "ctx": "Cages are small.", "rival": "No, keepers care."}
    names = {"topic": "q", "documents": "ctx", "second_argument": "rival"}
    found = asserted(variables=own, format="rag-direct", metric="preference", **names)
    assert 0 <= found["score"] <= 1


@pytest.mark.parametrize(
    ("config", "variables", "wrong"),
    [
        ({"metric": "groundedness"}, VARS, "config lacks format"),
        ({"format": "direct", "metric": "groundednes"}, VARS, "did you mean 'groundedness'"),
        ({"format": "direct", "metric": "groundedness", "smaples": 2}, VARS, "did you mean 'samples'"),
        (
            {"format": "direct", "metric": "groundedness"},
            {"topic": "T"},
            "no variable 'question', but 'topic'",
        ),
        ({"format": "direct", "metric": "groundedness"}, {"question": "T"}, "documents"),
    ],
)
def test_what_is_wrong_is_said(config, variables, wrong):
    with pytest.raises(DeclarationError, match=wrong):
        asserted(variables=variables, **config)


def test_the_example_of_the_page_in_promptfoo(tmp_path):
    command = shutil.which("promptfoo")
    if command is None:
        pytest.skip("promptfoo, a package of npm that wants Node 22, is not installed")
    (tmp_path / "conqret_assert.py").write_text(block("promptfoo", "python"))
    (tmp_path / "promptfooconfig.yaml").write_text(block("promptfoo", "yaml"))
    quiet = {f"PROMPTFOO_DISABLE_{one}": "1" for one in ("TELEMETRY", "UPDATE", "REMOTE_GENERATION")}
    places = {"PROMPTFOO_PYTHON": sys.executable, "PROMPTFOO_CONFIG_DIR": str(tmp_path / "home")}
    done = subprocess.run(
        [command, "eval", "--no-cache", "--no-table", "--no-share", "-o", "out.json"],
        cwd=tmp_path, env={**os.environ, **quiet, **places}, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    (result,) = json.loads((tmp_path / "out.json").read_text())["results"]["results"]
    assert result["success"]
    assert result["namedScores"]["conqret direct groundedness"] > 0.3
