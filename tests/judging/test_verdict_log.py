"""What was judged before, elsewhere, as a judge: its rows, its runs, and what of each probe it can answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from conqret import bias, judge
from conqret.errors import DeclarationError, FaultsError
from conqret.studies.bias.bias_run import bias_plan

TEXTS = [
    {
        "id": f"pair-{n}",
        "topic": f"Should thing {n % 8} be banned?",
        "argument": f"Yes, since reason {n} holds.",
        "second_argument": f"No, as reason {n} is weak, and because nobody has asked for it.",
    }
    for n in range(24)
]


def swapped(row: dict[str, Any]) -> dict[str, Any]:
    return {**row, "argument": row["second_argument"], "second_argument": row["argument"]}


def log(verdict: str, other: str | None = None) -> list[dict[str, Any]]:
    given = [{**row, "verdict": verdict} for row in TEXTS]
    return given if other is None else [*given, *({**swapped(row), "verdict": other} for row in TEXTS)]


def test_one_order_says_how_often_a_side_won_and_what_a_probe_lacks() -> None:
    table = bias(verdicts=log("A"))
    rows = {row.probe: row for row in table.rows}
    assert set(rows) == {"first place", "longer argument"}
    assert (rows["first place"].verdict, rows["longer argument"].verdict) == ("exploratory", "exploratory")
    assert [rows[name].effect and rows[name].effect.value for name in rows] == [1.0, -1.0]
    assert table.left_out["position"] == "needs the pair in both orders, and 0 of 24 have it"
    assert table.left_out["repeatability"] == "needs the same item judged again, and 0 of 24 have it"
    assert "5 empty sentences added" in table.left_out["length"]
    assert not table.alarms
    assert any("drawn by chance" in note for note in table.notes)


def test_both_orders_are_a_test_of_the_place() -> None:
    table = bias(verdicts=log("first", "first"))
    assert [row.probe for row in table.alarms] == ["position"]
    assert [row.probe for row in table.rows if row.observed] == ["longer argument"]
    with pytest.raises(DeclarationError, match="judged in both orders"):
        bias(verdicts=log("first", "first"), probes=["first place"])
    fair = bias(verdicts=log("first", "second"))
    assert not fair.alarms
    some = bias(verdicts=[*log("first"), {**swapped(TEXTS[0]), "verdict": "first"}], probes=["position"])
    assert some.rows[0].effect is not None
    assert some.rows[0].effect.n == 1
    assert "1 of 24 have it" in some.notes[0]


def test_a_run_says_which_order_counts() -> None:
    one = judge(None, verdicts=log("A"))
    assert one.summary.metrics["preference"].mean == 1.0
    assert one.record.notes[0].startswith("24 verdicts of 24 pairs, 0 of them in both orders")
    both = judge(None, verdicts=log("A", "A"))
    assert [one.measures["preference"].flipped for one in both] == [True] * 24
    assert both.summary.metrics["preference"].mean == 0.5


def test_ids_name_the_items_of_a_file(tmp_path: Path) -> None:
    items, rows = tmp_path / "items.jsonl", tmp_path / "log.csv"
    items.write_text("\n".join(map(json.dumps, TEXTS)), encoding="utf-8")
    lines = [f"{row['id']},no,10\n{row['id']},yes,1" for row in TEXTS[:20]]
    rows.write_text("\n".join(["doc,turned,stars", *lines, "nobody,no,3"]), encoding="utf-8")
    columns = {"id": "doc", "swapped": "turned", "score": "stars"}
    run = judge(items, verdicts=rows, verdict_scale="1:10", columns=columns)
    assert [judgment.measures["overall_quality"].value for judgment in run][:2] == [1.0, 1.0]
    assert "1 verdict of unknown items, such as nobody" in run.notes
    assert run.summary.reasons == {"not_recorded": 4}


def test_a_row_again_is_the_next_sample_and_an_empty_cell_no_value() -> None:
    rows = [{**TEXTS[0], "clarity": 5}, {**TEXTS[0], "clarity": 1}, {**TEXTS[1], "clarity": None}]
    settings = {"metrics": ["clarity"], "verdict_scale": "clarity=1:5"}
    first, second = judge(None, verdicts=rows, samples=2, **settings)
    assert first.measures["clarity"].value == 0.5
    assert second.measures["clarity"].value is None
    plan = bias_plan(verdicts=rows, metrics=["clarity"], verdict_scale="1:5")
    assert [(contrast.probe, len(contrast.pairs)) for contrast in plan.contrasts] == [("repeatability", 1)]


def test_pairs_of_one_question_that_share_its_id_are_told_apart() -> None:
    rows = [{**row, "id": "question", "verdict": "tie"} for row in TEXTS[:3]]
    assert list(judge(None, verdicts=rows).ids) == ["question", "question#2", "question#3"]


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        ({"verdict": "0"}, "is '0', which is not a valid verdict"),
        ({"score": 7}, "--verdict-scale 1:10"),
        ({"score": "nan"}, "a finite number"),
        ({"score": 10**400}, "outside of 0 to 1|finite"),
        ({"marks": 1}, "no verdict and no score"),
    ],
)
def test_what_is_no_verdict_is_refused_with_its_line(cell: dict[str, Any], words: str) -> None:
    with pytest.raises((FaultsError, DeclarationError), match=words):
        judge(None, verdicts=[{**row, **cell} for row in TEXTS])


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({}, "nothing is given to be judged"),
        ({"items": TEXTS, "verdict_scale": "1:10"}, "add --verdicts"),
        ({"verdicts": log("A"), "judge": "mine:better"}, "judge and verdicts each define the judge"),
        ({"verdicts": log("A"), "metrics": ["clarity"]}, "has no column for clarity"),
        ({"verdicts": log("A"), "probes": ["length"]}, "no probe fits these items"),
    ],
)
def test_what_cannot_be_asked_of_a_log(asked: dict[str, Any], words: str) -> None:
    with pytest.raises(DeclarationError, match=words):
        bias(**asked)
