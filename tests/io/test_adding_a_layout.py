"""The label layout of the example plug-in (docs/adding-parts.md), installed and read; a dialect beside it."""

import json
import sys

import pytest

from conqret.io import open_items
from conqret.io.columns import PLUGGED
from conqret.io.labels import read_labels
from tests.contract.plug_in import install, looking_again

DIALECT = """
from conqret.io import Dialect
MINE = Dialect("mine", {"topic": ("frage",), "argument": ("antwort",)}, (frozenset({"frage"}),))
"""


@pytest.fixture
def plugin(tmp_path, monkeypatch):
    """The example plug-in and a package with a dialect are installed."""
    folder = tmp_path / "site"
    about = folder / "german-1.0.dist-info"
    about.mkdir(parents=True)
    install(folder)
    (folder / "german.py").write_text(DIALECT)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: german\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[conqret.adapters]\nmine = german:MINE\n")
    monkeypatch.syspath_prepend(folder)
    with looking_again():
        PLUGGED.__dict__.pop("_homes", None)
        yield
    PLUGGED.__dict__.pop("_homes", None)
    for name in [name for name in sys.modules if name.partition(".")[0] in ("conqret_example", "german")]:
        del sys.modules[name]


def test_the_examples_are_recognised_and_read(plugin, write):
    tasks = [("zoos-pro", "anna", "4"), ("zoos-pro", "ben", "5"), ("zoos-con", "ben")]
    rows = [
        {
            "meta": {"item": item, "question": "clarity"},
            "accept": accept,
            "answer": "accept" if accept else "ignore",
            "_task_hash": 17,
            "_annotator_id": annotator,
        }
        for item, annotator, *accept in tasks
    ]
    answers = write("answers.jsonl", "".join(f"{json.dumps(row)}\n" for row in rows))
    for layout in (None, "prodigy"):
        found = read_labels(answers, layout=layout)
        assert found.layout == "Prodigy"
        assert [
            (label.unit.item, label.dimension, label.annotator, label.value, label.absence)
            for label in found.labels
        ] == [
            ("zoos-pro", "clarity", "anna", 4, None),
            ("zoos-pro", "clarity", "ben", 5, None),
            ("zoos-con", "clarity", "ben", None, "cannot_judge"),
        ]
    source = open_items([{"frage": "Warum?", "antwort": "Darum."}])
    (item,) = source
    assert (source.layout.name, item.topic, item.argument) == ("mine", "Warum?", "Darum.")
