"""What comes of labels, computed from what people meant to say: the file, agreement, the export, and validation."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

import krippendorff
import numpy as np
import pytest

import conqret
from conqret.data import Item
from conqret.io.label_set import LabelSet
from conqret.io.labels import read_labels
from conqret.labels.answer_ledger import Ledger
from conqret.labels.exporting import as_table, reading_options, scale_of
from conqret.labels.page import agreement_so_far, label_set
from conqret.labels.screens import CANNOT_JUDGE, Screen
from conqret.studies.agreement.annotator_agreement import agreement

Meant = dict[tuple[str, str, str], dict[str, str]]
"""What everybody meant, by person, item and part, as they chose it on the screen."""


def differing(ledger: Ledger, meant: Meant) -> int:
    """How many screens do not stand in the file as they were meant, and nothing besides."""
    kept = {
        (record.annotator.name, record.screen.item, record.screen.part): dict(record.answers)
        for record in ledger.given()
    }
    return sum(kept.get(unit) != meant.get(unit) for unit in kept | meant)


def check(ledger: Ledger, meant: Meant, people: Sequence[str], items: Sequence[Item], folder: Path) -> None:
    """Check agreement, the export, and what ``validate`` makes of it, to the last decimal.

    Raises:
        AssertionError: something comes out otherwise.
    """
    found = agreement_so_far(label_set(ledger.given()))
    assert found is not None
    screens = {(record.screen.item, record.screen.part): record.screen for record in ledger.given()}
    expected = _alphas(meant, people, screens)
    assert {row.name for row in found.rows} == set(expected)
    for row in found.rows:
        assert row.alpha.value == pytest.approx(expected[row.name], abs=1e-12), row.name
    file, by_hand = folder / "labels.csv", folder / "by-hand.csv"
    file.write_bytes(as_table(ledger.given()).encode())
    with by_hand.open("w", newline="") as opened:
        rows = csv.writer(opened)
        rows.writerow(["item", "part", "dimension", "value", "annotator", "topic", "scale"])
        for (item, part), screen in screens.items():
            scales = {one.name: scale_of(one) for one in screen.questions}
            written_as = {
                name: "" if scale.words else f"{scale.low:g} to {scale.high:g}"
                for name, scale in scales.items()
            }
            for person, name in enumerate(people, start=1):
                said = screen.written(meant[name, item, part])
                rows.writerows(
                    [item, part, question, value, f"p{person:02}", screen.topic, written_as[question]]
                    for question, value in said.items()
                )
    options = reading_options(
        {question.name: question for screen in screens.values() for question in screen.questions}
    )
    exported, written = (_read(path, options) for path in (file, by_hand))
    assert agreement(exported).rows == agreement(written).rows == found.rows
    run = folder / "run"
    conqret.judge(items, format="rag-fine-grained", model="offline", output=run)
    one, other = (conqret.validate(run, labels=read).validation for read in (exported, written))
    assert one.dimensions
    for name, figures in one.dimensions.items():
        assert figures.model_dump_json() == other.dimensions[name].model_dump_json()


def _alphas(meant: Meant, people: Sequence[str], screens: dict[tuple[str, str], Screen]) -> dict[str, float]:
    """Krippendorff's alpha of each question, by the package of that name."""
    found = {}
    for question in {one.name: one for screen in screens.values() for one in screen.questions}.values():
        values = [choice.value for choice in question.choices]
        asked = [unit for unit, screen in screens.items() if question in screen.questions]

        def place(name: str, unit: tuple[str, str], question: str = question.name) -> float:
            said = screens[unit].written(meant[name, *unit])[question]
            return np.nan if said == CANNOT_JUDGE else values.index(said)  # noqa: B023 (called at once)

        table = np.array([[place(name, unit) for unit in asked] for name in people])
        level = "ordinal" if all(value.isdecimal() for value in values) else "nominal"
        found[question.name] = float(krippendorff.alpha(table, level_of_measurement=level))
    return found


def _read(file: Path, flags: Sequence[str]) -> LabelSet:
    """The file, as the options of ``conqret labels agreement`` say."""
    options = list(zip(flags[::2], flags[1::2], strict=True))
    level = dict(options).get("--level")
    return read_labels(
        file,
        level=level,  # type: ignore[arg-type]
        words=[value for name, value in options if name == "--map"],
    )
