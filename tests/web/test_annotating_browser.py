"""People in a real browser, by keyboard, with a broken connection and the back button: every label as it was meant, and
agreement and validation as a file written by hand gives them."""

from __future__ import annotations

from pathlib import Path

import krippendorff
import numpy as np
import pytest

import conqret
from conqret.annotation.export import as_table
from conqret.annotation.labels import agreement, reading_options
from conqret.annotation.screens import CANNOT_JUDGE
from conqret.io.labels import read_labels
from conqret.reliability.validation.people import people_agreement
from tests.annotation.studies import items
from tests.report.chromium import Chromium
from tests.web.annotators import PEOPLE, label

COUNT = 8


@pytest.mark.parametrize("task", ["rating", "preference"])
def test_what_people_meant_is_in_the_file(browser: Chromium, tmp_path: Path, task: str) -> None:
    ledger, people = label(browser, tmp_path, task, COUNT)
    kept = {(one.person.name, one.screen.item): dict(one.answers) for one in ledger.given()}
    assert kept == {(one.name, unit[0]): answers for one in people for unit, answers in one.said.items()}
    assert len(kept) == COUNT * len(PEOPLE)

    found = agreement(ledger.given())
    assert found is not None
    written = {(one.person.name, one.screen.item): one.screen.written(one.answers) for one in ledger.given()}
    (question,) = next(ledger.given()).screen.questions
    values = [choice.value for choice in question.choices]
    table = np.array(
        [
            [
                np.nan
                if (said := written[name, item.id][question.name]) == CANNOT_JUDGE
                else values.index(said)
                for item in items(COUNT)
            ]
            for name in PEOPLE
        ]
    )
    level = "ordinal" if task == "rating" else "nominal"
    expected = krippendorff.alpha(table, level_of_measurement=level)
    assert found.rows[0].alpha.value == pytest.approx(expected, abs=1e-12)

    file = tmp_path / "labels.csv"
    file.write_bytes(as_table(ledger.given()).encode())
    flags = reading_options({question.name: question})
    options = dict(zip(flags[::2], flags[1::2], strict=True))
    read = read_labels(
        file,
        level=options.get("--level"),  # type: ignore[arg-type]
        scales=[options["--scale"]] if "--scale" in options else (),
        words=[options["--map"]] if "--map" in options else (),
    )
    assert people_agreement(read).rows[0].alpha == found.rows[0].alpha
    if task == "rating":
        _same_as_by_hand(tmp_path, file, written)


def _same_as_by_hand(folder: Path, file: Path, written: dict[tuple[str, str], dict[str, str]]) -> None:
    """``validate`` finds the same in the export as in a file of the same labels."""
    by_hand = folder / "by-hand.csv"
    rows = [
        f"{item},overall_quality,{said['overall_quality']},p{PEOPLE.index(name) + 1:02}"
        for (name, item), said in written.items()
    ]
    by_hand.write_text("\n".join(["item,dimension,value,annotator", *rows]) + "\n")
    run = folder / "run"
    conqret.judge(items(COUNT), model="offline", output=run)
    one, other = (
        conqret.validate(run, labels=read_labels(path, scales=["1:5"])).validation for path in (file, by_hand)
    )
    found, expected = (each.dimensions["overall_quality"].model_dump_json() for each in (one, other))
    assert found == expected
