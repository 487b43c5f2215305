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
import json
import sys

from conqret.io import open_items
from conqret.io.labels import read_labels

for layout in (None, "prodigy"):
    found = read_labels(sys.argv[1], layout=layout)
    labels = [[*one.unit, one.dimension, one.annotator, one.value, one.absence] for one in found.labels]
    print(json.dumps([found.layout, labels]))
source = open_items([{"frage": "Warum?", "antwort": "Darum."}])
(item,) = source
print(json.dumps([source.layout.name, item.topic, item.argument]))
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


def test_the_examples_are_recognised_and_read(plugin, write):
    code = f"import sys; sys.path[:0] = {[str(plugin), str(ROOT)]!r}\n{READ}"
    answers = str(write("answers.jsonl", block("json")))
    done = subprocess.run([sys.executable, "-c", code, answers], capture_output=True, text=True)
    assert not done.returncode, done.stderr
    by_recognition, by_name, dialect = map(json.loads, done.stdout.splitlines())
    wanted = [
        ["zoos-pro", "", "clarity", "anna", 4, None],
        ["zoos-pro", "", "clarity", "ben", 5, None],
        ["zoos-con", "", "clarity", "ben", None, "cannot_judge"],
    ]
    assert by_recognition == by_name == ["Prodigy", wanted]
    assert dialect == ["mine", "Warum?", "Darum."]
