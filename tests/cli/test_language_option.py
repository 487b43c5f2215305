"""``--language`` wherever items are read, and what comes of it."""

from __future__ import annotations

import json
from pathlib import Path

from conqret.debate.debatune.debate_files import read_statements
from conqret.labels.study_screens import items_of

ROOT = Path(__file__).parents[2]
ITEM = {"topic": "Tram?", "argument": "Ja, gern [1].", "documents": ["Ein Text."]}


def test_it_reaches_the_items_that_are_labelled_and_debated(tmp_path: Path) -> None:
    path = tmp_path / "items.jsonl"
    path.write_text(json.dumps({"id": "a", "stance": "pro", **ITEM}) + "\n", encoding="utf-8")
    (item,) = items_of(path, "rating", language="German")
    assert item.language == "de"
    (statement,) = read_statements([path], language="de")
    assert statement.language == "de"
