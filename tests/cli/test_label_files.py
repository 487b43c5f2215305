"""Labels as people send them back: a filled-in sheet each, in a folder, from a spreadsheet; and dimensions that are
broken beside the one that is asked for."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from conqret import judge
from tests.cli.conftest import Cli

ROOT = Path(__file__).parents[2]
DEMO = ROOT / "fixtures/demo/items.jsonl"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("judged") / "run"
    judge(DEMO, format="listwise", output=folder)
    return folder


def rows_of(sheet: Path) -> list[dict[str, str]]:
    with sheet.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def fill_in(
    sheet: Path,
    target: Path,
    label: Callable[[int], object],
    *,
    who: str = "",
    delimiter: str = ",",
    encoding: str = "utf-8",
    end: str = "\r\n",
) -> None:
    """What an annotator does: opens a copy, writes into the column, and saves it as the spreadsheet does."""
    rows = rows_of(sheet)
    with target.open("w", newline="", encoding=encoding) as file:
        writer = csv.DictWriter(file, list(rows[0]), delimiter=delimiter, lineterminator=end)
        writer.writeheader()
        for place, row in enumerate(rows):
            writer.writerow({**row, "annotator": who, "overall_quality": label(place)})


def anna(place: int) -> int:
    return 1 + place % 5


def ben(place: int) -> int:
    return 1 + (place + place // 4) % 5


@pytest.fixture
def sheets(cli: Cli, tmp_path: Path) -> Path:
    """A folder with the sheets of two people: the one as conqret wrote it, the other from a European spreadsheet."""
    sheet, folder = tmp_path / "sheet.csv", tmp_path / "sheets"
    assert cli("labels", "sample", DEMO, "--plan", 20, "-o", sheet).code == 0
    folder.mkdir()
    fill_in(sheet, folder / "anna.csv", anna, end="\n")
    fill_in(sheet, folder / "ben.csv", ben, delimiter=";", encoding="utf-8-sig")
    return folder


def test_two_people_send_their_sheets_back(cli: Cli, run: Path, sheets: Path, tmp_path: Path) -> None:
    both = ("--labels", sheets / "anna.csv", "--labels", sheets / "ben.csv")
    done = cli("validate", run, *both, "-o", tmp_path / "card")
    assert done.code == 0, done.err
    notes = " ".join(done.err.split())
    assert "2 files are joined; annotators: anna, ben" in notes
    assert "overall_quality: ordinal, 1 to 5; as stated in the annotation form" in notes
    found = json.loads((tmp_path / "card/validation.json").read_text(encoding="utf-8"))
    (row,) = found["dimensions"].values()
    assert row["alpha"]["value"] is not None
    assert row["people"]["value"] is not None
    assert json.loads((tmp_path / "card/card.json").read_text(encoding="utf-8"))["annotators"] == 2


def test_several_files_a_folder_and_a_pattern_are_the_same(cli: Cli, sheets: Path) -> None:
    (sheets / "sheet.csv.plan.json").write_text("{}", encoding="utf-8")
    (sheets / "README.md").write_text("Ours.", encoding="utf-8")
    answers = []
    for given in ([sheets], [f"{sheets}/*.csv"], [sheets / "anna.csv", f"{sheets}/b*"]):
        done = cli("labels", "agreement", *given, "--json")
        assert done.code == 0, done.err
        answers.append(json.loads(done.out))
    found = answers[0]
    assert answers == [found] * 3
    assert "2 files are joined; annotators: anna, ben" in found["basis"]["notes"]
    assert (found["rows"][0]["annotators"], found["rows"][0]["units"]) == (2, 20)
    (sheets / "cat.xlsx").write_bytes(b"PK\x03\x04")
    done = cli("labels", "agreement", sheets)
    assert (done.code, "Save it as CSV" in done.err) == (2, True)


def test_what_is_wrong_with_several_files(cli: Cli, run: Path, sheets: Path, tmp_path: Path) -> None:
    study = tmp_path / "study"
    study.mkdir()
    (study / "labels.sqlite").touch()
    labels = tmp_path / "more.csv"
    labels.write_text("item,annotator,overall_quality\nx,anna,9\n", encoding="utf-8")
    again = tmp_path / "again.csv"
    fill_in(tmp_path / "sheet.csv", again, ben, who="anna")
    other = tmp_path / "other.csv"
    assert cli("labels", "sample", DEMO, "--plan", 3, "--scale", "1:3", "-o", other).code == 0
    fill_in(other, other, lambda place: 1)
    for given, said in (
        ([sheets / "anna.csv", sheets], "anna.csv is given twice"),
        ([study], "is a study of conqret labels collect: run conqret labels export"),
        ([run], "contains a run and no labels"),
        ([f"{sheets}/*.tsv"], "no file matches the pattern"),
        ([sheets, other], "overall_quality on different scales (ordinal, 1 to 5; ordinal, 1 to 3)"),
        ([sheets, labels], "more.csv:2 [overall_quality] says '9': it lies outside the scale from 1 to 5"),
        ([sheets, again], f"the first is in line 2 of {sheets / 'anna.csv'}"),
    ):
        done = cli("labels", "agreement", *given)
        assert (done.code, said in " ".join(done.err.split())) == (2, True), done.err
    # The shell has made these files of a pattern.
    done = cli("validate", run, "--labels", sheets / "anna.csv", sheets / "ben.csv")
    said = f"{sheets / 'ben.csv'} follows no option: write --labels before each file"
    assert (done.code, said in " ".join(done.err.split())) == (2, True), done.err


BROKEN = ("2.5", "quite good", "77", "")
"""What stands in the dimension that nobody asks for: a fraction, a word, a label off the scale, nothing."""


def table(file: Path, *, broken: bool) -> Path:
    """Labels of overall quality by two people; and of clarity, in which all is wrong that can be."""
    lines = ["item,dimension,annotator,value,topic"]
    demo = [json.loads(line) for line in DEMO.read_text(encoding="utf-8").splitlines()]
    for place, item in enumerate(demo):
        for who, label in (("anna", anna), ("ben", ben)):
            lines.append(f'{item["id"]},overall quality,{who},{label(place)},"{item["topic"]}"')
        if broken:
            annotator = "" if place % 5 == 0 else "anna"
            line = f"{item['id']},clarity,{annotator},{BROKEN[place % 4]},another topic"
            lines += [line, line]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


COMMANDS: dict[str, tuple[Any, ...]] = {
    "validate": ("validate", "RUN", "--labels", "LABELS", "-o", "OUT"),
    "agree": ("labels", "agreement", "LABELS"),
    "calibrate": ("judges", "calibrate", "RUN", "--labels", "LABELS", "-o", "OUT/calibration.json"),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_broken_dimension_stands_in_nobodys_way(cli: Cli, run: Path, tmp_path: Path, command: str) -> None:
    """What was asked of one dimension is the same as if the file had no other."""
    results = []
    for broken in (False, True):
        out = tmp_path / str(broken)
        out.mkdir()
        places = {"RUN": run, "OUT": out, "LABELS": table(tmp_path / "labels.csv", broken=broken)}
        words = [
            str(places[word]) if word in places else str(word).replace("OUT/", f"{out}/")
            for word in COMMANDS[command]
        ]
        done = cli(*words, "--dimension", "overall-quality", "--scale", "1:5", "--json")
        assert done.code in (0, 1), done.err
        assert "fault" not in done.err
        results.append((done.code, done.out.replace(str(out), "OUT")))
    assert results[0] == results[1]
    assert "overall_quality" in results[0][1]
    without = cli(*words, "--scale", "1:5")
    assert (without.code, "faults in the labels" in without.err) == (2, True)


def test_a_line_that_is_too_long_is_told_as_such(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.setenv("CONQRET_MAX_LINE", "2000")
    request.addfinalizer(partial(csv.field_size_limit, csv.field_size_limit()))  # the process's own
    long = "x" * 3000
    head = "item,dimension,annotator,value\n"
    for name, text, line in (
        ("head.csv", f"item,{long}\na,clarity,anna,1\n", 1),
        ("row.csv", f"{head}a,clarity,anna,1\nb,clarity,anna,{long}\n", 3),
        ("one.jsonl", json.dumps({"item": "a", "dimension": "clarity", "value": 1, "note": long}) + "\n", 1),
    ):
        (tmp_path / name).write_text(text, encoding="utf-8")
        done = cli("labels", "agreement", tmp_path / name, "--scale", "1:5")
        said = " ".join(done.err.split())
        assert (done.code, f"{tmp_path / name}:{line} " in said, "column" in said) == (2, True, False), said
        assert "longer than 2,000 bytes" in said
