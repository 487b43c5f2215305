"""The worked example of docs/adding-a-label-layout.md, installed as a plug-in and read; a dialect beside it."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/adding-a-label-layout.md").read_text(encoding="utf-8")
READ = """
import json, pathlib, sys
from conqret.errors import LabelsError
from conqret.io import open_items
from conqret.io.labels import read_labels
try:
    found = read_labels(sys.argv[1], layout=sys.argv[2] if len(sys.argv) > 2 else None)
    labels = [[*one.unit, one.dimension, one.annotator, one.value, one.absence] for one in found.labels]
    print(json.dumps([found.layout, labels]))
except LabelsError as error:
    print(json.dumps([str(fault) for fault in error.faults]))
"""
DIALECT = """
from conqret.io import Dialect
MINE = Dialect("mine", {"topic": ("frage",), "argument": ("antwort",)}, (frozenset({"frage"}),))
"""


def block(kind: str) -> str:
    (found,) = re.findall(rf"^```{kind}\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    return found


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    """A folder in which the example lies as an installed package."""
    ((group, names),) = tomllib.loads(block("toml"))["project"]["entry-points"].items()
    ((name, target),) = names.items()
    (tmp_path / f"{target.partition(':')[0]}.py").write_text(block("python"))
    (tmp_path / "german.py").write_text(DIALECT)
    about = tmp_path / "example-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: example\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(
        f"[{group}]\n{name} = {target}\na-site = math:pi\n[conqret.adapters]\nmine = german:MINE\n"
    )
    return tmp_path


def run(plugin: Path, code: str, *arguments: str) -> list:
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            f"import sys; sys.path[:0] = {[str(plugin), str(ROOT)]!r}\n{code}",
            *arguments,
        ],
        capture_output=True,
        text=True,
    )
    assert not done.returncode, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("layout", [[], ["prodigy"]])
def test_the_example_is_recognised_and_read(plugin, write, layout):
    found = run(plugin, READ, str(write("answers.jsonl", block("json"))), *layout)
    assert found == [
        "Prodigy",
        [
            ["zoos-pro", "", "clarity", "anna", 4, None],
            ["zoos-pro", "", "clarity", "ben", 5, None],
            ["zoos-con", "", "clarity", "ben", None, "cannot_judge"],
        ],
    ]


def test_a_dialect_of_a_plug_in_is_recognised(plugin):
    code = """
import json
from conqret.io import open_items
source = open_items([{"frage": "Warum?", "antwort": "Darum."}])
(item,) = source
print(json.dumps([source.layout.name, item.topic, item.argument]))
"""
    assert run(plugin, code) == ["mine", "Warum?", "Darum."]
