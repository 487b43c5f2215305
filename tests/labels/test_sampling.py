"""Which items to label, and sheets that go out safely and come back whole."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conqret.data import Document, Flag, Item, Judgment, Measure, Status
from conqret.errors import DeclarationError
from conqret.io.label_set import RANDOM_SAMPLE
from conqret.io.labels import Unit, read_labels
from conqret.io.safe_files import FORMULA, MAX_CELL, guarded, unguarded
from conqret.labels.sampling import LabelPlan, plan_labels
from conqret.labels.task import AnnotationForm

TASK = "rate the argument on each dimension, given the texts next to it"
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
    return [entry.item.id for entry in plan.chosen]


def test_the_sample_is_spread_over_bands_and_says_what_is_unsure() -> None:
    plan = plan_labels(items(), 15, judged())
    assert Counter(entry.band for entry in plan.chosen) == {f"band {n} of 3": TOPICS for n in (1, 2, 3)}
    unsure = [entry for entry in plan.chosen if int(entry.item.id[-1]) % 2]
    assert all("samples differ by 0.08" in row.reasons for row in unsure)
    flagged = plan_labels(items()[:1], 1, [judgment(items()[0], (0.5,), flags=True)]).chosen[0]
    assert "a text addresses the judge" in flagged.reasons


def test_each_item_has_the_same_chance_in_every_beginning() -> None:
    """Topics of one item and of ten: 200 draws of 6 of 21, and of these the first 3."""
    found = [Item(id=f"{topic}-{n}", topic=f"{topic}?", argument="x") for topic, size in ((0, 1), (1, 10), (2, 10))
             for n in range(size)]  # fmt: skip
    whole: Counter[str] = Counter()
    first: Counter[str] = Counter()
    for seed in range(200):
        chosen = ids(plan_labels(found, 6, seed=seed))
        assert len(set(chosen)) == 6
        whole.update(chosen)
        first.update(chosen[:3])
    for counts, chance in ((whole, 6 / 21), (first, 3 / 21)):
        error = (chance * (1 - chance) / 200) ** 0.5
        assert all(abs(counts[item.id] / 200 - chance) < 4 * error for item in found)


def test_of_topics_of_two_items_neither_band_comes_in_step() -> None:
    """A good and a bad item in each topic: every second of them in order was all the good ones, or none."""
    found = [Item(id=f"{topic}-{n}", topic=f"{topic}?", argument="x") for topic in range(40) for n in (0, 1)]
    judgments = [judgment(item, (0.9,) if item.id.endswith("1") else (0.1,)) for item in found]
    for wanted in (40, 80):
        plans = [ids(plan_labels(found, wanted, judgments, seed=seed))[:40] for seed in range(60)]
        good = [sum(name.endswith("1") for name in plan) for plan in plans]
        assert {len({name.partition("-")[0] for name in plan}) for plan in plans} == {40}
        assert np.mean(good) == pytest.approx(20, abs=4 * (10 / 60) ** 0.5)
        assert np.std(good) == pytest.approx(10**0.5, rel=0.4)


def test_the_most_uncertain_are_no_sample() -> None:
    plan = plan_labels(items(), 7, judged(), uncertain_first=True)
    rest = [
        one.uncertainty for one in plan_labels(items(), 30, judged()).chosen if one.item.id not in ids(plan)
    ]
    assert len(plan.chosen) == 7
    assert min(entry.uncertainty for entry in plan.chosen) >= max(rest)
    assert plan.probability is None
    with pytest.raises(DeclarationError, match="give one with --run"):
        plan_labels(items(), 7, uncertain_first=True)


def test_unsure_items_are_drawn_more_often_with_a_probability_that_is_kept() -> None:
    drawn, chances = Counter(), {}
    for seed in range(150):
        plan = plan_labels(items(), 10, judged(), oversample_uncertain=True, seed=seed)
        assert len(set(ids(plan))) == 10
        drawn.update(ids(plan))
        chances |= {entry.item.id: entry.probability for entry in plan.chosen}
    assert plan.unequal
    assert plan.probability is None
    assert sum(chances.values()) == pytest.approx(10, abs=1e-3)
    for name, chance in chances.items():
        error = (chance * (1 - chance) / 150) ** 0.5
        assert drawn[name] / 150 == pytest.approx(chance, abs=4 * error)
    unsure = {entry.item.id: entry.uncertainty for entry in plan_labels(items(), 30, judged()).chosen}
    likely = max(chances, key=chances.get)
    assert unsure[likely] == max(unsure.values())
    assert max(chances.values()) <= 4.001 * min(chances.values())
    with pytest.raises(DeclarationError, match="give one of --uncertain"):
        plan_labels(items(), 7, judged(), oversample_uncertain=True, uncertain_first=True)


def answered(form: str, text: str, folder: Path, dimension: str) -> Path:
    """The form with an annotator's label 3 of each item."""
    path = folder / ("sheet.csv" if form == "csv" else "export.json")
    if form == "csv":
        rows = [{**row, "annotator": "anna", dimension: "3"} for row in csv.DictReader(io.StringIO(text))]
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
        return path
    records = json.loads(text)
    for record in records:
        choice = {"from_name": dimension, "value": {"choices": ["3"]}}
        record["annotations"] = [{"completed_by": "anna", "result": [choice]}]
        record["responses"] = {dimension: [{"value": 3, "user_id": "anna"}]}
    path.write_text(json.dumps(records), encoding="utf-8")
    return path


@pytest.mark.parametrize("form", ["csv", "label_studio", "argilla"])
def test_each_form_keeps_probabilities_and_what_is_no_sample(tmp_path: Path, form: str) -> None:
    """Labels of the most uncertain are refused, by the mark that each form carries there and back."""
    own = {item.id: (place + 1) / 10 for place, item in enumerate(items()[:3])}
    text = getattr(AnnotationForm(TASK, items()[:3], ["clarity"], probability=own), form)()[""]
    assert read_labels(answered(form, text, tmp_path, "clarity"), scales=["1:5"]).chances == pytest.approx(
        own
    )
    for for_estimation in (False, True):
        marked = AnnotationForm(TASK, items()[:2], ["overall_quality"], 1, 5, for_estimation, 0.25)
        path = answered(form, getattr(marked, form)()[""], tmp_path, "overall_quality")
        if for_estimation:
            labels = read_labels(path, scales=["1:5"])
            assert [(label.dimension, label.value) for label in labels.labels] == [("overall_quality", 3)] * 2
            assert RANDOM_SAMPLE in labels.notes
        else:
            with pytest.raises(DeclarationError, match="marks 2 items as not for estimation"):
                read_labels(path, scales=["1:5"])


def test_the_seed_decides_and_what_is_labelled_is_left_out() -> None:
    assert ids(plan_labels(items(), 10, seed=1)) == ids(plan_labels(items(), 10, seed=1))
    assert ids(plan_labels(items(), 10, seed=1)) != ids(plan_labels(items(), 10, seed=2))
    done = {item.id for item in items()[:25]}
    rest = plan_labels(items(), 10, labeled=done)
    assert len(rest.chosen) == 5
    assert not done & set(ids(rest))
    with pytest.raises(DeclarationError, match="no items are left"):
        plan_labels(items(), 10, labeled={item.id for item in items()})


def sheet(chosen: list[Item], *dimensions: str) -> AnnotationForm:
    return AnnotationForm(TASK, chosen, dimensions or ("overall_quality",), 1, 3)


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


@settings(max_examples=30)
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
    rows[1][-2:], rows[2][-2:] = ["3", "?"], ["5", ""]
    path = tmp_path / "sheet.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    labels = read_labels(path, scales=["1:5"])
    assert labels.layout == "sheet of conqret labels sample"
    assert labels.units == (Unit(HOSTILE.id), Unit("0-0"))
    assert [label.value for label in labels.labels] == [3, None, 5, None]
    assert labels.absent() == {"cannot_judge": 1, "missing": 1}
    assert labels.annotators == ("anna",)
