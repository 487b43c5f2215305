"""The public face of debates: what the commands call, for files and for items."""

import json

import pytest

import conqret
from conqret import Item


@pytest.fixture
def files(tmp_path):
    for name, text in (("ours", "Trams are good, useful and right."), ("theirs", "Trams are bad and wrong.")):
        row = {"topic": "Trams?", "side": "pro", "statement": text}
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(row) + "\n")
    return [tmp_path / "ours.jsonl", tmp_path / "theirs.jsonl"]


def test_controllability_of_files_and_of_items(files, tmp_path):
    found = conqret.controllability(files, output=tmp_path / "run")
    assert [(system.system, system.positive.value) for system in found.systems] == [
        ("ours", 1),
        ("theirs", 0),
    ]
    again = conqret.controllability(files, good_from=60, output=tmp_path / "run")
    assert (again.session.sent, again.session.kept, again.missing) == (0, 2, ())
    item = Item(id="1", topic="Trams?", stance="con", argument="Trams are bad and wrong.")
    assert conqret.controllability([item]).systems[0].negative.value == 1


def test_response_quality_of_the_second_system_against_the_first(files):
    (found,) = conqret.response_quality(files).systems
    assert (found.system, found.win + found.tie + found.lose) == ("theirs", 1)
    (other,) = conqret.response_quality(files, against="theirs").systems
    assert (other.system, other.win, other.lose) == ("ours", found.lose, found.win)
