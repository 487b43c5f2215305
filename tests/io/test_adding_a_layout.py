"""The label layout of the example plug-in (docs/adding-parts.md), installed and read; a dialect beside it."""

import json
import subprocess
import sys

import pytest

from tests.contract.plug_in import ROOT, install

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


def task(item, annotator, *accept):
    return {
        "meta": {"item": item, "question": "clarity"},
        "accept": list(accept),
        "answer": "accept" if accept else "ignore",
        "_task_hash": 17,
        "_annotator_id": annotator,
    }


TASKS = [task("zoos-pro", "anna", "4"), task("zoos-pro", "ben", "5"), task("zoos-con", "ben")]


@pytest.fixture
def plugin(tmp_path):
    """A folder in which the example plug-in and a package with a dialect are installed."""
    install(tmp_path)
    (tmp_path / "german.py").write_text(DIALECT)
    about = tmp_path / "german-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: german\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[conqret.adapters]\nmine = german:MINE\n")
    return tmp_path


def test_the_examples_are_recognised_and_read(plugin, write):
    code = f"import sys; sys.path[:0] = {[str(plugin), str(ROOT)]!r}\n{READ}"
    answers = str(write("answers.jsonl", "".join(f"{json.dumps(row)}\n" for row in TASKS)))
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
