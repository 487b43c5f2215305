"""The backend of the example plug-in (docs/adding-parts.md), installed and asked: ``--model command/./my-judge``."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.contract.plug_in import ROOT, install

PROGRAM = f"""#!{sys.executable}
import json, sys
asked = json.load(sys.stdin)
if "capital punishment" in asked["messages"][-1]["content"]:
    sys.exit("that I cannot say")
print(json.dumps({{name: 7 for name in asked["schema"]["properties"]}}))
"""

JUDGED = """
import conqret, json, sys
items = [conqret.Item(id=str(n), topic=f"Should {what} end?", argument="Yes [1].",
                      documents=(conqret.Document(id="1", text="So it should."),))
         for n, what in enumerate(["zoos", "capital punishment"])]
found = conqret.judge(items, format="direct", metrics=["groundedness"], model=sys.argv[1])
print(json.dumps([[str(one.status), one.measures["groundedness"].value, one.measures["groundedness"].detail]
                  for one in found]))
"""


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    """A folder in which the example lies as an installed package."""
    install(tmp_path)
    return tmp_path


def run(plugin: Path, code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        cwd=plugin,
        env={"PYTHONPATH": f"{plugin}:{ROOT}"},
    )


def test_the_example_judges(plugin: Path) -> None:
    program = plugin / "my-judge"
    program.write_text(PROGRAM)
    program.chmod(0o755)
    done = run(plugin, JUDGED, "command/./my-judge")
    assert done.returncode == 0, done.stderr
    good, bad = json.loads(done.stdout)
    assert good == ["scored", 0.7, ""]
    assert bad[:2] == ["failed", None]
    assert "./my-judge failed: that I cannot say" in bad[2]
