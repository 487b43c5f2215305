"""Items with faults are treated alike wherever items are read: refused with their lines, or left out and counted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conqret.io import CheckedItems
from conqret.labels.study_screens import items_of, planned_screens
from tests.cli.conftest import Cli
from tests.contract.items import DEMO

SOUND = 8
FAULTY = [
    {"id": "no-topic", "topic": "", "argument": "x [1].", "documents": ["t"]},
    {"id": "no-argument", "topic": "T?", "documents": ["t"]},
]
MIXED = (
    ("bias", "--format", "direct", "--probe", "length"),
    ("labels sample",),
    ("generate perturbations drop-citations",),
)
"""Commands that read arguments."""


@pytest.fixture
def items(tmp_path: Path) -> Path:
    """Eight items on as many topics, and three with faults among them."""
    rows = {(row := json.loads(line))["topic"]: row for line in DEMO.read_text(encoding="utf-8").splitlines()}
    sound = list(rows.values())[:SOUND]
    assert len(sound) == SOUND
    every = [*sound[:2], *FAULTY, *sound[2:], {**sound[1], "topic": "Another one?"}]
    path = tmp_path / "items.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in every), encoding="utf-8")
    return path


def command(words: tuple[str, ...], items: Path, out: Path) -> tuple[object, ...]:
    name, *more = words
    files = {
        "labels sample": out / "sheet.csv",
        "generate perturbations drop-citations": out / "changed.jsonl",
    }
    output = ("-o", files.get(name, out / "run"))
    return (*name.split(), items, *more, *output)


@pytest.mark.parametrize("words", MIXED, ids=lambda words: words[0])
def test_every_command_refuses_them_or_leaves_them_out(
    cli: Cli, items: Path, tmp_path: Path, words: tuple[str, ...]
) -> None:
    out = tmp_path / "out"
    out.mkdir()
    given = command(words, items, out)
    refused = cli(*given)
    assert refused.code == 2
    for line, field in ((3, "topic"), (4, "argument"), (11, "id")):
        assert f"items.jsonl:{line} [{field}]" in refused.err
    assert "--skip-invalid (skip_invalid=True in Python) leaves such items out" in refused.err
    assert not list(out.iterdir())
    done = cli(*given, "--skip-invalid")
    assert done.code == 0, done.err
    said = done.err + done.out
    assert "items.jsonl:4 [argument] is missing or empty" in said
    assert ("3 of 11 items left out" in said) or ("11 items: 8 scored" in said)


def test_people_get_what_a_judge_gets(cli: Cli, items: Path, tmp_path: Path) -> None:
    refused = cli("labels", "collect", items, "--annotators", "anna", "-o", tmp_path / "study")
    assert refused.code == 2
    assert "items.jsonl:4 [argument] is missing or empty, and the task rating shows it" in refused.err
    assert not (tmp_path / "study").exists()
    checked_items: list[CheckedItems] = []
    sound = items_of(items, "rating", skip_invalid=True, on_check=checked_items.append)
    assert checked_items[0].warning == "3 of 11 items left out, because they have faults"
    assert len(planned_screens(sound, "rating").screens) == SOUND


def test_statements_with_faults_are_left_out_and_kept_files_hold_the_others(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "statements.jsonl"
    rows = [
        {"id": "a", "topic": "Zoos are good", "side": "pro", "statement": "Zoos save species."},
        {"id": "b", "topic": "Zoos are good", "side": "sideways", "statement": "Zoos are prisons."},
        {"id": "c", "topic": "Zoos are good", "side": "con", "statement": "Cages hurt animals."},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    for name, *run in (
        ("score",),
        ("filter", "--run", tmp_path / "run"),
        ("topics", "--run", tmp_path / "t"),
    ):
        given = ("debate", name, path, "-o", tmp_path / f"kept-{name}", *run)
        refused = cli(*given)
        assert (refused.code, "--skip-invalid" in refused.err) == (2, True), refused.err
        done = cli(*given, "--skip-invalid")
        assert (done.code, "1 of 3 items left out, because it has faults" in done.err) == (0, True), done.err
    kept = (tmp_path / "kept-filter").read_text(encoding="utf-8")
    assert ("Cages" in kept, "sideways" in kept) == (True, False)


def test_a_log_may_lack_items_and_has_no_rows_left_out(cli: Cli, items: Path, tmp_path: Path) -> None:
    ids = [json.loads(line)["id"] for line in items.read_text(encoding="utf-8").splitlines()]
    log = tmp_path / "log.jsonl"
    log.write_text("".join(json.dumps({"id": one, "score": 0.5}) + "\n" for one in dict.fromkeys(ids)))
    done = cli("judge", items, "--verdicts", log, "-o", tmp_path / "r", "--skip-invalid")
    assert done.code == 0, done.err
    assert "items.jsonl:3 [topic] is empty" in done.err
    refused = cli("judge", "--verdicts", log, "-o", tmp_path / "s", "--skip-invalid")
    assert "not in the log of verdicts" in refused.err
