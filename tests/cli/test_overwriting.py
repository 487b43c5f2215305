"""Sheets, prompts and lists on which people work are not written over without a word."""

from __future__ import annotations

import csv
import re
from pathlib import Path

from tests.cli.conftest import Cli

ROOT = Path(__file__).parents[2]
DEMO = ROOT / "fixtures/demo/items.jsonl"
ALREADY = "already exists with other content"


def fill_in(sheet: Path, column: str, cell: str) -> bytes:
    """What a person does with a sheet."""
    with sheet.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    with sheet.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows({**row, column: cell} for row in rows)
    return sheet.read_bytes()


def test_a_filled_in_sheet_survives_the_command_that_made_it(cli: Cli, tmp_path: Path) -> None:
    words = ("labels", "sample", DEMO, "--plan", 4)
    sheet = tmp_path / "sheet.csv"
    assert cli(*words, "-o", sheet).code == 0
    assert cli(*words, "-o", sheet).code == 0  # the same once more: nothing is lost
    made, filled = sheet.read_bytes(), fill_in(sheet, "overall_quality", "1")
    plan = tmp_path / "sheet.csv.plan.json"
    before = plan.read_bytes()
    for more in ((), ("--seed", 7)):
        again = cli(*words, *more, "-o", sheet)
        assert (again.code, again.out) == (2, "")
        assert ALREADY in again.err
        assert "--overwrite to replace it" in again.err
        assert (sheet.read_bytes(), plan.read_bytes()) == (filled, before)
    assert cli(*words, "-o", sheet, "--overwrite").code == 0
    assert sheet.read_bytes() == made


def test_a_list_and_a_text_that_people_edit_are_kept(cli: Cli, tmp_path: Path) -> None:
    run, text = tmp_path / "run", tmp_path / "methods.md"
    assert cli("judge", DEMO, "-o", run, "-q").code == 0
    assert cli("runs", "methods", run, "-o", text).code == 0
    text.write_text("Our own words.", encoding="utf-8")
    assert (cli("runs", "methods", run, "-o", text).code, text.read_text(encoding="utf-8")) == (
        2,
        "Our own words.",
    )
    assert cli("runs", "methods", run, "-o", text, "--overwrite").code == 0
    topics = tmp_path / "topics.txt"
    topics.write_text("https://example.org/mine\n", encoding="utf-8")
    assert ALREADY in cli("corpus", "topics", tmp_path / "saved.html", "-o", topics).err
    assert topics.read_text(encoding="utf-8") == "https://example.org/mine\n"


def test_no_result_takes_the_place_of_a_sheet(cli: Cli, tmp_path: Path) -> None:
    """Where a command writes pages, pictures, conditions, recordings, maps or items: they replace their like alone."""
    run, labels, sheets = tmp_path / "run", ROOT / "fixtures/demo/labels.jsonl", tmp_path / "sheets"
    assert cli("judge", DEMO, "--format", "listwise", "-o", run, "-q").code == 0
    sheets.mkdir()
    assert cli("labels", "sample", DEMO, "--plan", 4, "-o", sheets / "anna.csv").code == 0
    filled = fill_in(sheets / "anna.csv", "overall_quality", "1")
    mine = tmp_path / "mine.jsonl"
    mine.write_bytes(DEMO.read_bytes())
    before = (run / "report.html").stat().st_mtime_ns
    for words in (
        ("runs", "report", run, "--to"),
        ("runs", "diff", run, run, "--junit"),
        ("judge", DEMO, "--format", "listwise", "-o", run, "--junit"),
        ("judges", "calibrate", run, "--labels", sheets, "-o"),
        ("runs", "recordings", "export", run),
        ("generate", "perturbations", "irrelevant", DEMO, "-o"),
    ):
        for there in (sheets / "anna.csv", mine):
            done = cli(*words, there)
            assert (done.code, done.out) == (2, ""), words
            assert re.search(rf"{there.name} (already exists|ends in)", " ".join(done.err.split())), done.err
    assert (sheets / "anna.csv").read_bytes() == filled
    assert mine.read_bytes() == DEMO.read_bytes()
    assert (run / "report.html").stat().st_mtime_ns == before
    calibrate = (
        *("judges", "calibrate", run, "--labels", labels, "--scale", "1:3"),
        *("--dimension", "overall_quality"),
    )
    for words, file in (
        ((*calibrate, "-o"), "maps.json"),
        (("runs", "recordings", "export", run), "recordings.jsonl"),
        (("generate", "perturbations", "irrelevant", DEMO, "-o"), "perturbed.jsonl"),
        (("judge", DEMO, "--format", "listwise", "-o", run, "-q", "--junit"), "junit.json"),
    ):
        for _ in range(2):  # over its own result a command may write again
            done = cli(*words, tmp_path / file)
            assert done.code == 0, done.err
    empty = tmp_path / "empty.csv"
    empty.touch()
    assert cli("runs", "report", run, "--to", empty).code == 0


def test_an_import_replaces_no_scraped_corpus(cli: Cli, tmp_path: Path) -> None:
    corpus, passages = tmp_path / "corpus", tmp_path / "passages.jsonl"
    corpus.mkdir()
    (corpus / "debates.jsonl").write_text("{}\n", encoding="utf-8")
    (corpus / "documents.jsonl").write_text("fetched", encoding="utf-8")
    passages.write_text('{"id": "a", "text": "A text."}\n', encoding="utf-8")
    done = cli("corpus", "import", passages, "-o", corpus)
    assert (done.code, "contains a scraped corpus" in done.err) == (2, True)
    assert (corpus / "documents.jsonl").read_text(encoding="utf-8") == "fetched"
    for _ in range(2):  # over an import one may import again
        assert cli("corpus", "import", passages, "-o", tmp_path / "other").code == 0
