"""A file of a RAG system with columns of its own, from the gate to labels and bias."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from tests.cli.conftest import Cli

NAMED = "topic=ask,documents=found,argument=reply,reference=gold,id=no"
WRONG = "P-7"
"""The row that declines although a document states its reference."""


def reply(number: int) -> dict[str, str]:
    fact = f"Parking permit {number} costs {number + 3} crowns per month and is issued at counter {number}."
    return {
        "no": f"P-{number}",
        "ask": f"What is the price of parking permit {number}?",
        "found": f"{fact} The office opens at eight.",
        "reply": f"Parking permit {number} costs {number + 3} crowns per month.",
        "gold": f"It costs {number + 3} crowns per month.",
    }


@pytest.fixture
def items(tmp_path: Path) -> Path:
    rows = [reply(number) for number in range(7)]
    rows.append(
        {
            "no": WRONG,
            "ask": "Will you return what I paid?",
            "found": "Refunds are granted until the last day of the month.",
            "reply": "Sorry, I have no information about refunds.",
            "gold": "Yes, refunds are granted until the last day of the month.",
        }
    )
    path = tmp_path / "replies.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, rows[0], delimiter=";")
        table.writeheader()
        table.writerows(rows)
    return path


def test_a_gate_finds_what_is_declined_wrongly_and_labels_fit_the_run(
    cli: Cli, items: Path, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    named = ("--columns", NAMED)
    metrics = ("--metric", "faithfulness", "--metric", "answered")
    unnamed = cli("judge", items, "-o", run, *metrics)
    assert unnamed.code == 2
    assert all(f"{field}=YOUR_" in unnamed.err for field in ("topic", "documents", "reference", "id"))
    gate = cli("judge", items, *named, *metrics, "-o", run, "--require", "declined_wrongly <= 0.02")
    assert gate.code == 1
    assert f"{WRONG}  declined wrongly" in gate.err
    assert "word statistics of the offline baseline decide" in gate.err
    form = tmp_path / "form.csv"
    assert cli("labels", "sample", items, *named, "--plan", "8", "--run", run, "-o", form).code == 0
    rows = list(csv.DictReader(form.open(encoding="utf-8")))
    assert list(rows[0])[-2:] == ["faithfulness", "answered"]
    assert "stance" not in rows[0]
    assert rows[0]["scale"] == "0 to 1"
    assert all("Reference:" in row["text"] for row in rows)


def test_what_is_known_of_a_metric_decides_what_can_be_studied(cli: Cli, items: Path, tmp_path: Path) -> None:
    named = ("--columns", NAMED)
    bias = cli("bias", items, *named, "--metric", "faithfulness", "-o", tmp_path / "bias")
    assert bias.code == 0, bias.err  # that an answer declines is no fault of the run
    assert "judged by rag with offline: faithfulness" in bias.err
    assert "no rise: " in bias.out
    refused = cli("bias", items, *named, "--metric", "answered", "-o", tmp_path / "none")
    assert (refused.code, "no probe can find a bias in answered" in refused.err) == (2, True)
    assert not (tmp_path / "none").exists()
    uncited = ("--perturb", "hallucinate:50%,100%")
    fell = cli("sensitivity", items, *named, "--metric", "faithfulness", *uncited, "-o", tmp_path / "sens")
    assert (fell.code, "1 of 1 curves that should fall" in fell.out) == (0, True), fell.err
    refused = cli("sensitivity", items, *named, "--metric", "answered", *uncited, "-o", tmp_path / "none")
    assert (refused.code, "it is not known how answered should change" in refused.err) == (2, True)
    assert not (tmp_path / "none").exists()
