"""``conqret bias``, the card of ``conqret validate``, ``conqret judge --card`` and ``conqret label``."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from tests.reliability.cards import write_gold

ITEMS = Path(__file__).resolve().parents[2] / "fixtures" / "demo" / "items.jsonl"


@pytest.fixture
def few(tmp_path: Path) -> Path:
    lines = ITEMS.read_text(encoding="utf-8").splitlines(keepends=True)[:8]
    path = tmp_path / "items.jsonl"
    path.write_text("".join(lines), encoding="utf-8")
    return path


def test_from_judge_to_card_and_back(cli: Cli, few: Path, tmp_path: Path) -> None:
    labels = write_gold(tmp_path / "labels.csv", people=2)
    judge = ("--format", "rag-fine-grained", "--model", "offline")
    assert cli("judge", few, *judge, "-o", tmp_path / "run", "-q").code == 0
    done = cli("bias", few, *judge, "--probe", "length", "-o", tmp_path / "bias")
    assert done.code == 0, done.err
    assert "raise an alarm" in done.out
    done = cli(
        "validate", tmp_path / "run", "--labels", labels, "--scale", "1:3", "--bias", tmp_path / "bias",
        "-o", tmp_path / "card",
    )  # fmt: skip
    assert done.code == 0, done.err
    assert {"card.html", "card.md", "card.json"} <= {path.name for path in (tmp_path / "card").iterdir()}
    card = tmp_path / "card" / "card.json"
    fits = cli("judge", few, *judge, "-o", tmp_path / "again", "--card", card)
    assert "the judge card fits" in fits.err
    stale = cli("judge", few, *judge, "-o", tmp_path / "more", "--samples", "2", "--card", card)
    assert stale.code == 0
    assert "the judge card is stale" in stale.err
    assert "samples: 2, and 1 on the card" in stale.err


def test_bias_as_json_and_errors(cli: Cli, few: Path, tmp_path: Path) -> None:
    done = cli(
        "bias", few, "--format", "rag-direct", "--probe", "position", "-o", tmp_path / "bias", "--json", "-q"
    )
    assert done.code == 0
    table = json.loads(done.out)
    assert [row["probe"] for row in table["rows"]] == ["position"]
    assert (tmp_path / "bias" / "bias.md").read_text(encoding="utf-8").startswith("# Consistency and bias")
    assert cli("bias", few, "--probe", "lenght").code == 2
    assert "give labels" in cli("bias", few, "--probe", "stance", "-o", tmp_path / "stance").err


def test_label_writes_sheets(cli: Cli, few: Path, tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.csv"
    done = cli("label", few, "--plan", "4", "--dimension", "clarity", "-o", sheet)
    assert done.code == 0, done.err
    with sheet.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 4
    assert len({row["topic"] for row in rows}) == 4
    assert rows[0]["clarity"] == ""
    plan = json.loads((tmp_path / "sheet.csv.plan.json").read_text(encoding="utf-8"))
    assert plan["total"] == 8
    assert [one["item"] for one in plan["chosen"]] == [row["item"] for row in rows]
    tasks = tmp_path / "tasks.json"
    assert cli("label", few, "--to", "label-studio", "-o", tasks).code == 0
    assert (tmp_path / "tasks.json.config.xml").exists()
    assert len(json.loads(tasks.read_text(encoding="utf-8"))) == 8
    assert cli("label", few, "--scale", "1-5").code == 2
    assert "give one with --run" in cli("label", few, "--uncertain-first", "-o", sheet).err
    assert cli("label", few, "--run", tmp_path / "nothing").code == 2
