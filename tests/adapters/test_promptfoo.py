"""conqret's metrics as Python assertions of promptfoo, by its protocol, and by promptfoo itself where it is there."""

import json
import os
import shutil
import stat
import subprocess
import sys
import time
from pathlib import Path

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
        ({"format": "direct", "metric": "groundednes"}, VARS, "did you mean 'groundedness'"),
        (
            {"format": "direct", "metric": "groundedness"},
            {"topic": "T"},
            "no variable 'question', but 'topic'",
        ),
    ],
)
def test_what_is_wrong_is_said(config, variables, wrong):
    with pytest.raises(DeclarationError, match=wrong):
        asserted(variables=variables, **config)


WRAPPER = """
import json, sys
from conqret.adapters.promptfoo import get_assert
given = json.load(sys.stdin)
try:
    print(json.dumps(get_assert(given["output"], given["context"])))
except Exception as error:
    print(json.dumps({"error": f"{type(error).__name__}: {error}"}))
"""
PROGRAM = """
import json, subprocess, sys
from concurrent.futures import ThreadPoolExecutor

def asserted(given):
    done = subprocess.run([sys.executable, sys.argv[1]], input=json.dumps(given), capture_output=True, text=True)
    return json.loads(done.stdout or json.dumps({"error": done.stderr}))

with ThreadPoolExecutor(4) as pool:
    print(json.dumps(list(pool.map(asserted, json.load(sys.stdin)))))
"""


@pytest.fixture
def program(tmp_path, monkeypatch):
    """What promptfoo does, without it: a program that starts a Python for each of many assertions, four at a time."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    wrapper = tmp_path / "promptfoo" / "wrapper.py"
    wrapper.parent.mkdir()
    wrapper.write_text(WRAPPER)

    def run(config, *cases):
        given = [{"output": said, "context": {"vars": values, "config": config}} for said, values in cases]
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, str(wrapper)],
            input=json.dumps(given),
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
            cwd=tmp_path,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


def case(topic, said):
    return said, {"question": topic, "documents": DOCUMENTS}


def ended(folder):
    """Wait until the judge's process has seen that the program is gone; it takes its files away."""
    deadline = time.monotonic() + 20
    while (
        left := [one for one in folder.glob("conqret-*/*") if one.name != "lock"]
    ) and time.monotonic() < deadline:
        time.sleep(0.1)
    return not left


def test_all_assertions_of_a_program_share_one_judge(program, tmp_path):
    config = {"format": "direct", "metric": "groundedness", "threshold": 0}
    with MeteredServer() as server:
        found = program(config | server.settings(), *(case(*item) for item in ITEMS))
        server.check()
    assert sum(one["pass"] for one in found) == 5
    lost = [one["reason"] for one in found if not one["pass"]]
    assert all(measure.startswith("no score: the budget") for measure in lost)
    assert stat.S_IMODE(next(tmp_path.glob("conqret-*")).stat().st_mode) == 0o700
    assert ended(tmp_path)


def test_what_is_wrong_is_said_through_the_process_too(program, tmp_path):
    bare = ("Yes.", {"question": "T"})
    (wrong,) = program({"format": "dircet", "metric": "groundedness"}, bare)
    assert "did you mean 'direct'" in wrong["error"]
    lacks, scored = program({"format": "direct", "metric": "groundedness"}, bare, case(*ITEMS[0]))
    assert "documents" in lacks["error"]
    assert scored["namedScores"]
    assert ended(tmp_path)


def test_a_folder_that_is_open_to_others_is_not_used(program, tmp_path):
    (tmp_path / f"conqret-{os.getuid()}").mkdir(mode=0o755)
    (wrong,) = program({"format": "direct", "metric": "groundedness"}, case(*ITEMS[0]))
    assert "other users can read" in wrong["error"]


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


def test_one_budget_for_all_assertions_in_promptfoo(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    (tmp_path / "conqret_assert.py").write_text(block("promptfoo", "python"))
    with MeteredServer() as server:
        config = {"format": "direct", "metric": "groundedness", "threshold": 0, **server.settings()}
        check = {"type": "python", "value": "file://conqret_assert.py", "config": config}
        tests = [
            {"vars": {"question": topic, "answer": said, "documents": DOCUMENTS}, "assert": [check]}
            for topic, said in ITEMS
        ]
        whole = {
            "prompts": ["{{answer}}"],
            "providers": ["echo"],
            "tests": tests,
            "defaultTest": {"options": {"disableVarExpansion": True}},
        }
        (tmp_path / "promptfooconfig.json").write_text(json.dumps(whole))
        _, found = evaluated(tmp_path)
        server.check()
    assert sum(one["success"] for one in found) == 5
    assert sum(bool(one["namedScores"]) for one in found) == 5
    assert ended(tmp_path)


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
