"""Rows of a table of verdicts: which are drawn, what annotators see, and how probable each was."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from conqret.errors import DeclarationError
from conqret.labels.answer_ledger import VERDICT, Ledger
from conqret.labels.exporting import export_labels
from conqret.labels.row_sampling import draw_rows, drawn_before, table_screens
from conqret.labels.screens import CANNOT_JUDGE, Screen, study_of
from conqret.studies.check.checked_table import CheckedTable, JudgeColumn
from conqret.studies.check.read_table import read_checked_table
from tests.commands import run_conqret
from tests.labels.verdict_rows import written_table

ROWS = 500


def table(kind: str = "pass_fail", **more: object) -> CheckedTable:
    """A table of 500 rows: of pass and fail the judge fails a tenth."""
    numbers = np.arange(ROWS)
    values = {
        "pass_fail": (numbers % 10 > 0).astype(float),
        "ratings": numbers % 5 + 1.0,
        "scores": numbers / ROWS,
        "pairs": (numbers % 3) / 2,
        "classes": numbers % 3 + 0.0,
    }[kind]
    texts = {"id": [f"r{n}" for n in numbers], "input": ["Why?"] * ROWS, "reason": ["judged so"] * ROWS}
    outputs = ("answer_a", "answer_b") if kind == "pairs" else ("output",)
    texts |= {name: [f"{name} {n}" for n in numbers] for name in outputs}
    made = CheckedTable(
        source="results.csv",
        kind=kind,  # type: ignore[arg-type]
        judges=(JudgeColumn(name="judge", values=values),),
        labels=np.empty((ROWS, 0)),
        annotators=(),
        classes=("billing", "bug", "other") if kind == "classes" else (),
        scale=(1, 5) if kind == "ratings" else (0, 1),
        texts={name: tuple(column) for name, column in texts.items()},
    )
    return replace(made, **more)  # type: ignore[arg-type]


def screens(wanted: int, of: CheckedTable) -> list[Screen]:
    return table_screens(of, draw_rows(of, wanted))


def test_each_verdict_is_drawn_with_its_share_and_an_equal_share() -> None:
    drawn = draw_rows(table(), 60)
    assert Counter(row.stratum.name for row in drawn) == {"fail": 18, "pass": 42}
    assert {row.stratum.rows for row in drawn if row.stratum.name == "fail"} == {50}
    assert len({row.place for row in drawn}) == 60
    assert {row.place for row in drawn} < {row.place for row in draw_rows(table(), 100)}
    assert draw_rows(table(), 60) == drawn
    assert len(draw_rows(table(), 9_000)) == ROWS
    assert Counter(row.stratum.name for row in drawn[:20])["fail"] >= 5


def test_labeled_rows_and_failed_verdicts_are_not_drawn() -> None:
    values = table().judges[0].values.copy()
    values[1] = np.nan
    labels = np.full((ROWS, 1), np.nan)
    labels[2:] = 1.0
    of = table(labels=labels, annotators=("human",), judges=(JudgeColumn(name="judge", values=values),))
    assert [row.place for row in draw_rows(of, 60)] == [0]
    labels[0] = 0.0
    with pytest.raises(DeclarationError, match="no row left to label"):
        draw_rows(of, 60)


@pytest.mark.parametrize(
    ("kind", "strata", "keys"),
    [
        ("pass_fail", {"pass", "fail"}, {"p": "1", "f": "0"}),
        ("ratings", {f"rated {n}" for n in range(1, 6)}, dict(zip("12345", "12345", strict=True))),
        ("scores", {"band 1", "band 2", "band 3"}, {"p": "1", "f": "0"}),
        ("pairs", {"first", "tie", "second"}, {"a": "first", "n": "tie", "b": "second"}),
        ("classes", {"billing", "bug", "other"}, {"1": "billing", "2": "bug", "3": "other"}),
    ],
)
def test_annotators_answer_on_the_judges_scale_and_see_nothing_of_it(
    kind: str, strata: set[str], keys: dict[str, str]
) -> None:
    drawn = screens(30, table(kind))
    assert {screen.stratum.name for screen in drawn if screen.stratum} == strata
    assert all(screen.one_key for screen in drawn)
    assert {choice.key: choice.value for choice in drawn[0].questions[0].choices} == keys
    shown = {passage.title for screen in drawn for passage in screen.passages}
    assert shown == ({"A", "B", "Input"} if kind == "pairs" else {"Input", "Output"})
    if kind == "pairs":
        assert 5 < sum(screen.swapped for screen in drawn) < 25
        left = next(screen for screen in drawn if screen.swapped)
        assert left.passages[0].text.startswith("answer_b")
        assert left.written({"verdict": "first"}) == {"verdict": "second"}


def test_a_study_goes_on_grows_and_says_how_probable_each_row_was(tmp_path: Path) -> None:
    source = written_table(tmp_path / "results.csv", 50, labeled=5)
    of, labels = read_checked_table(source), tmp_path / "labels"
    for wanted in (6, 10):
        chosen = screens(wanted, of)
        study = study_of(VERDICT, chosen, ["ann"], overlap=1)
        with_labels = Ledger.open(labels, study, chosen, ["ann"])
        annotator = with_labels.annotator("ann")
        for _ in range(4):
            turn = with_labels.next(annotator)
            assert turn is not None
            answer = CANNOT_JUDGE if turn.number == 1 else "1"
            with_labels.answer(annotator, turn, {"verdict": answer}, "", turn.revision)
        with_labels.close()
        assert len(drawn_before(labels, of)) == wanted
    export_labels(labels, labels / "labels.csv")
    read = read_checked_table(source, labels=labels / "labels.csv")
    assert read.chances is not None
    labeled = ~np.isnan(read.labels).all(axis=1)
    assert int(labeled.sum()) == 5 + 7
    assert read.chances[labeled][:5] == pytest.approx(1.0)
    assert float((1 / read.chances[labeled]).sum()) == pytest.approx(50)
    other = read_checked_table(written_table(tmp_path / "other.csv", 3))
    with pytest.raises(DeclarationError, match="another file"):
        drawn_before(labels, other)


@pytest.mark.parametrize("to", ["label-studio", "argilla"])
def test_labels_in_words_come_back_from_annotation_tools(tmp_path: Path, to: str) -> None:
    words = ["billing", "bug & <crash>", "other"]
    source, form = tmp_path / "results.csv", tmp_path / "form.json"
    rows = (f"r{n},output {n},{words[n % 3]},{words[n % 3] if n < 6 else ''}\n" for n in range(40))
    source.write_text("id,output,judge,human\n" + "".join(rows))
    assert run_conqret("labels", "sample", source, "--plan", 9, "--to", to, "-o", form).code == 0
    tasks = json.loads(form.read_text())
    if to == "label-studio":
        page = ElementTree.parse(f"{form}.config.xml")
        assert [choice.get("value") for choice in page.iter("Choice")] == [*words, "cannot judge"]
    for number, task in enumerate(tasks, start=1):
        label = words[number % 3]
        if to == "label-studio":
            value = {"type": "choices", "from_name": VERDICT, "value": {"choices": [label]}}
            task |= {"id": number, "annotations": [{"completed_by": 1, "result": [value]}]}
        else:
            task["responses"] = {VERDICT: [{"value": label, "user_id": "ann"}]}
    form.write_text(json.dumps(tasks))
    read = read_checked_table(source, labels=form)
    assert set(read.classes) == set(words)
    assert read.chances is not None
    labeled = ~np.isnan(read.labels).all(axis=1)
    assert int(labeled.sum()) == 6 + 9
    assert float((1 / read.chances[labeled]).sum()) == pytest.approx(40)
