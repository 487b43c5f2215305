"""`conqret debate sample` and `conqret debate agreement`, from a run to a sheet and back."""

import csv
import json

import pytest


@pytest.fixture
def run(cli, tmp_path):
    path = tmp_path / "mine.jsonl"
    texts = [
        ("T1", "pro", "=T1 is good, useful and right."),
        ("T1", "con", "T1 is good, useful and right."),
        ("T2", "pro", "T2 is good and right."),
        ("T3", "con", "T3 is bad, harmful and wrong."),
    ]
    keys = ("topic", "side", "statement")
    path.write_text("".join(json.dumps(dict(zip(keys, row, strict=True))) + "\n" for row in texts))
    out = tmp_path / "run"
    assert cli("debate", "score", path, "-o", out, "--quiet").code == 0
    return out


def filled(path, say):
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        row["controllability"], row["annotator"] = say(row), "anna"
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return rows


def test_a_sheet_is_drawn_filled_in_and_compared(cli, run, tmp_path):
    sheet = tmp_path / "sheets" / "sheet.csv"
    done = cli("debate", "sample", run, "--good", 2, "-o", sheet)
    assert done.code == 0, done.err
    assert "Statements to inspect" in done.out
    text = sheet.read_text()
    assert "verdict" not in text
    assert "probability" not in text
    plan = json.loads(sheet.with_name("sheet.csv.plan.json").read_text())
    verdicts = {one["item"]: one["verdict"] for one in plan["drawn"]}
    rows = filled(sheet, lambda row: verdicts[row["item"]].upper())
    assert len(rows) == 3  # one bad, two of three good
    agreed = cli("debate", "agreement", sheet)
    assert agreed.code == 0, agreed.err
    assert "corrected for the sampling" in agreed.out
    found = json.loads(cli("debate", "agreement", sheet, "--json").out)
    (system,) = found["systems"]
    assert (system["agreement"]["value"], system["kappa"]["value"]) == (1, 1)
    assert system["good_by_people"]["value"] == pytest.approx(3 / 4)
    renamed = sheet.rename(tmp_path / "anna.csv")
    assert "--plan" in cli("debate", "agreement", renamed).err.replace("\n", " ")
    again = cli("debate", "agreement", renamed, "--plan", sheet.with_name("sheet.csv.plan.json"), "--json")
    assert json.loads(again.out) == found


def test_a_word_that_is_none_of_the_three_is_told_with_its_line(cli, run, tmp_path):
    sheet = tmp_path / "sheet.csv"
    assert cli("debate", "sample", run, "-o", sheet).code == 0
    filled(sheet, lambda row: "")
    assert "is not filled in: none of its 4 cells contains a label" in cli(
        "debate", "agreement", sheet
    ).err.replace("\n", " ")
    filled(sheet, lambda row: "fine")
    done = cli("debate", "agreement", sheet)
    assert done.code == 2
    assert "sheet.csv:2" in done.err
    assert "none of the labels good, tie, bad" in done.err.replace("\n", " ")
    mapped = cli("debate", "agreement", sheet, "--map", "fine=1,tie=0.5,bad=0", "--json")
    assert mapped.code == 0, mapped.err


@pytest.mark.parametrize("words", [("{tmp}",), ("{run}", "--good", 0), ("{run}", "--good-from", 40)])
def test_a_wrong_call_is_told_and_writes_nothing(cli, run, tmp_path, words):
    shown = (str(word).format(run=run, tmp=tmp_path) for word in words)
    done = cli("debate", "sample", *shown, "-o", tmp_path / "sheet.csv")
    assert done.code == 2
    assert not (tmp_path / "sheet.csv").exists()
