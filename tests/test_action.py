"""What action.yml runs judges a file, and fails where a mean is under what is required."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[1]
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
ITEM = {"id": "a", "topic": "T?", "documents": ["Cages are small."], "argument": "Cages are small [1]."}
ORDER = "\n::set-output name=x::y"
"""A text that would be a command to the runner."""
PAUSE = re.compile(r"::stop-commands::([0-9a-f]{32})\n(.*)::\1::\n(.*)", re.DOTALL)


def run_steps(folder: Path, given: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """The composite action's own steps, one after the other as the runner does, until one fails.

    ``folder`` is the workspace and holds the temporary files, too. The conqret of this interpreter stands where the
    step "Install" would put one.
    """
    known = {f"inputs.{name}": spec.get("default", "") for name, spec in ACTION["inputs"].items()}
    known |= {f"inputs.{name}": value for name, value in given.items()}
    known["steps.python.outputs.python-path"] = sys.executable
    runner = {
        **os.environ,
        "GITHUB_ACTION_PATH": str(ROOT),
        "GITHUB_ACTIONS": "true",
        "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
        "PYTHONPATH": str(ROOT),
        "RUNNER_TEMP": str(folder / "temp"),
    }
    conqret = folder / "temp" / "conqret" / "bin" / "conqret"
    conqret.parent.mkdir(parents=True)
    conqret.symlink_to(Path(sys.executable).parent / "conqret")
    done: subprocess.CompletedProcess[str] | None = None
    for step in ACTION["runs"]["steps"]:
        if "uses" in step or step["name"] == "Install":
            continue
        env = {
            name: re.sub(r"\$\{\{\s*(\S+)\s*\}\}", lambda one: known[one[1]], text)
            for name, text in step["env"].items()
        }
        script = folder / "temp" / "step.sh"
        script.write_text(step["run"], encoding="utf-8")
        bash = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", script]
        done = subprocess.run(bash, cwd=folder, env=runner | env, capture_output=True, text=True, timeout=600)
        if done.returncode:
            break
    assert done is not None
    return done


def summary(folder: Path) -> str:
    return (folder / "summary.md").read_text(encoding="utf-8")


def test_what_is_met_stands_in_the_summary_whatever_the_inputs_are_called(tmp_path: Path) -> None:
    name = """--it's "a" $(touch x) `touch x`; touch x.jsonl"""
    (tmp_path / name).write_text(json.dumps(ITEM), encoding="utf-8")
    given = {"items": name, "format": "direct", "output": "out $(touch x)"}
    given["arguments"] = "--metric\ngroundedness\n"
    given["require"] = "groundedness >= 0\n\n  \ncoverage >= 1\n"
    done = run_steps(tmp_path, given)
    assert done.returncode == 0, done.stdout
    assert sorted(one.name for one in tmp_path.iterdir()) == sorted(
        [name, "out $(touch x)", "summary.md", "temp"]
    )
    assert (tmp_path / given["output"] / "report.html").exists()
    told = summary(tmp_path)
    assert told.startswith("### conqret judge: every condition is met\n\n")
    assert "\n| coverage >= 1 | met | 1.000 |\n" in told
    assert "::error" not in done.stdout


def test_what_is_not_met_fails_the_step_and_is_an_annotation(tmp_path: Path) -> None:
    (tmp_path / "items.jsonl").write_text(json.dumps(ITEM), encoding="utf-8")
    given = {"items": "items.jsonl", "format": "direct", "arguments": "--metric\ngroundedness"}
    done = run_steps(tmp_path, {**given, "require": "groundedness > 1\ncoverage >= 1"})
    assert (done.returncode, (tmp_path / "runs" / "action" / "report.html").exists()) == (1, True)
    paused = PAUSE.fullmatch(done.stdout)
    assert paused
    assert "error: not met: groundedness > 1 (" in paused[2]
    assert paused[3].startswith("::error title=conqret judge::not met: groundedness > 1 (")
    told = summary(tmp_path)
    assert told.startswith("### conqret judge: not every condition is met, or not every item is judged\n")
    assert "\n| groundedness > 1 | **not met** | " in told


def test_a_wrong_input_is_said_and_no_text_commands_the_runner(tmp_path: Path) -> None:
    item = ITEM | {ORDER: ORDER, "stance": f"{ORDER}%"}
    (tmp_path / "items.jsonl").write_text(json.dumps(item), encoding="utf-8")
    done = run_steps(tmp_path, {"items": "items.jsonl", "format": "direct"})
    assert (done.returncode, (tmp_path / "runs").exists()) == (2, False)
    paused = PAUSE.fullmatch(done.stdout)
    assert paused
    assert paused[3].startswith("::error title=conqret judge::")
    assert "1 fault in the items:%0A  items.jsonl:1 [stance] is " in paused[3]
    assert "%25" in paused[3]
    assert paused[3].count("\n") == 1
    told = summary(tmp_path).splitlines()
    assert told[0] == "### conqret judge: nothing was judged"
    assert all(line.startswith("    ") for line in told[1:] if line)


def test_no_input_stands_in_a_script_where_the_shell_would_evaluate_it() -> None:
    assert not [step for step in ACTION["runs"]["steps"] if "${{" in step.get("run", "")]
