"""Which items to label, and sheets that go out safely and come back whole."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conqret.data import Document, Flag, Item, Judgment, Measure, Status
from conqret.errors import DeclarationError
from conqret.io.label_sheets import (
    FORMULA,
    MAX_CELL,
    Sheet,
    guarded,
    unguarded,
)
from conqret.io.labels import LabelsError, Unit, read_labels
from conqret.reliability.labelling import TASKS, LabelPlan, plan_labels

TOPICS = 5


def items() -> list[Item]:
    return [
        Item(id=f"{topic}-{number}", topic=f"Topic {topic}?", argument="So it is.")
        for topic in range(TOPICS)
        for number in range(6)
    ]


def judgment(item: Item, samples: tuple[float, ...], *, flags: bool = False) -> Judgment:
    value = sum(samples) / len(samples)
    return Judgment(
        item=item.id,
        topic=item.topic,
        stance="none",
        format="g-eval",
        model="m",
        fingerprint="f",
        measures={"overall_quality": Measure(status=Status.SCORED, value=value, samples=samples)},
        flags=(Flag(where="argument", kind="demand", excerpt="x"),) if flags else (),
    )


def judged() -> list[Judgment]:
    """In each topic two items score low, two in the middle and two high; of each two, one is uncertain."""
    found = []
    for place, item in enumerate(items()):
        base = (0.1, 0.1, 0.5, 0.5, 0.9, 0.9)[place % 6]
        spread = 0.1 if place % 2 else 0.0
        found.append(judgment(item, (base - spread, base, base + spread)))
    return found


def ids(plan: LabelPlan) -> list[str]:
    return [one.item.id for one in plan.chosen]


def test_every_beginning_is_spread_over_topics() -> None:
    plan = plan_labels(items(), 12)
    counts = Counter(one.topic for one in plan.chosen)
    assert max(counts.values()) - min(counts.values()) <= 1
    assert len({one.topic for one in plan.chosen[:TOPICS]}) == TOPICS
    assert {one.reasons for one in plan.chosen} == {("not judged yet",)}


def test_bands_take_turns_and_the_uncertain_come_first() -> None:
    plan = plan_labels(items(), 15, judged())
    assert Counter(one.band for one in plan.chosen) == {f"band {n} of 3": TOPICS for n in (1, 2, 3)}
    assert all(int(one.item.id[-1]) % 2 for one in plan.chosen)
    assert all("samples differ by 0.08" in one.reasons for one in plan.chosen)


def test_flags_weigh_too() -> None:
    found = [judgment(item, (0.5,), flags=item.id == "0-3") for item in items()]
    chosen = plan_labels(items(), TOPICS, found).chosen
    assert "0-3" in {one.item.id for one in chosen}


def test_the_seed_decides_and_what_is_labelled_is_left_out() -> None:
    assert ids(plan_labels(items(), 10, seed=1)) == ids(plan_labels(items(), 10, seed=1))
    assert ids(plan_labels(items(), 10, seed=1)) != ids(plan_labels(items(), 10, seed=2))
    done = {item.id for item in items()[:25]}
    rest = plan_labels(items(), 10, labelled=done)
    assert len(rest.chosen) == 5
    assert not done & set(ids(rest))
    with pytest.raises(DeclarationError, match="no item left"):
        plan_labels(items(), 10, labelled={item.id for item in items()})
    with pytest.raises(DeclarationError, match="1 or more"):
        plan_labels(items(), 0)


def sheet(chosen: list[Item], *dimensions: str) -> Sheet:
    return Sheet(TASKS["rating"], chosen, dimensions or ("overall_quality",), 1, 3)


HOSTILE = Item(
    id="=cmd|' /C calc'!A1",
    topic='@SUM(1,1),"x"',
    argument='\t=HYPERLINK("http://x","y")',
    documents=(Document(id="1", text="+1\n-2", title="-T"),),
)


def test_no_cell_is_a_formula() -> None:
    text = sheet([HOSTILE]).csv()[""]
    rows = list(csv.reader(io.StringIO(text, newline="")))
    assert len(rows) == 2
    assert not any(cell[:1] in FORMULA for cell in rows[1] if cell)
    assert rows[1][0] == "'=cmd|' /C calc'!A1"
    assert len(guarded("x" * 50_000)) == MAX_CELL
    assert guarded("  =1") == "'  =1"


@given(st.text())
def test_guarding_is_taken_back(text: str) -> None:
    kept = "".join(char for char in text if char.isprintable() or char in "\t\r\n")
    assert guarded(text)[:1] not in FORMULA or not guarded(text)
    if not kept.startswith("'"):
        assert unguarded(guarded(text)) == kept


def test_a_sheet_comes_back(tmp_path: Path) -> None:
    rows = list(
        csv.reader(io.StringIO(sheet([HOSTILE, *items()[:1]], "overall_quality", "clarity").csv()[""]))
    )
    rows[1][1] = rows[2][1] = "anna"
    rows[1][6:], rows[2][6:] = ["3", "?"], ["5", ""]
    path = tmp_path / "sheet.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    found = read_labels(path, scales=["1:5"])
    assert found.layout == "sheet of conqret label"
    assert found.units == (Unit(HOSTILE.id), Unit("0-0"))
    assert [label.value for label in found.labels] == [3, None, 5, None]
    assert found.absent() == {"cannot_judge": 1, "missing": 1}
    assert found.annotators == ("anna",)


def test_label_studio_there_and_back(tmp_path: Path) -> None:
    files = sheet(items()[:2]).label_studio()
    tasks, config = json.loads(files[""]), files[".config.xml"]
    assert tasks[0]["data"]["item"] == "0-0"
    assert '<Choices name="overall_quality" toName="argument"' in config
    answers = [{"from_name": "overall_quality", "type": "choices", "value": {"choices": ["3"]}},
               {"from_name": "clarity", "type": "rating", "value": {"rating": 2}}]  # fmt: skip
    for task, person in zip(tasks, ({"email": "anna@example.org"}, 7), strict=True):
        task["annotations"] = [{"completed_by": person, "result": answers},
                               {"completed_by": 9, "was_cancelled": True, "result": answers}]  # fmt: skip
    path = tmp_path / "export.json"
    path.write_text(json.dumps(tasks), encoding="utf-8")
    found = read_labels(path, scales=["1:3"])
    assert found.layout == "Label Studio"
    assert found.annotators == ("anna@example.org", "7")
    assert [label.value for label in found.labels] == [3, 2, 3, 2]
    assert "2 skipped annotations are left out" in found.notes
    tasks[0]["data"].pop("item")
    path.write_text(json.dumps(tasks), encoding="utf-8")
    with pytest.raises(LabelsError, match=r"data\.item"):
        read_labels(path, scales=["1:3"], layout="label-studio")


def test_argilla_there_and_back(tmp_path: Path) -> None:
    records = json.loads(sheet(items()[:2]).argilla()[""])
    for record, person in zip(records, ("anna", "ben"), strict=True):
        record["responses"] = {"overall_quality": [{"value": 2, "user_id": person}]}
    path = tmp_path / "records.json"
    path.write_text(json.dumps(records), encoding="utf-8")
    found = read_labels(path, scales=["1:5"])
    assert found.layout == "Argilla"
    assert [(str(label.unit), label.annotator, label.value) for label in found.labels] == [
        ("0-0", "anna", 2),
        ("0-1", "ben", 2),
    ]
    assert set(found.topics.values()) == {"Topic 0?"}
