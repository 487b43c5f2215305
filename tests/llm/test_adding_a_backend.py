"""The backend of the example plug-in (docs/adding-parts.md), installed and asked: ``--model command/./my-judge``."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from conqret.errors import DeclarationError
from conqret.llm.client_options import BACKENDS, Backend, backend_of
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


class Plugged(dict[str, Backend]):
    """Backends as a registry has them that two packages bring."""

    def plugged(self, name: str) -> str:
        return "a package"


def test_two_backends_with_the_same_names_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    hosted = BACKENDS["hosted"]
    both = Plugged(one=replace(hosted, prefix="x/"), other=replace(hosted, prefix="x/"), hosted=hosted)
    monkeypatch.setattr("conqret.llm.client_options.BACKENDS", both)
    assert backend_of("x") is hosted
    with pytest.raises(DeclarationError, match="the backends 'one' and 'other' both claim the model 'x/y'"):
        backend_of("x/y")
