"""`conqret debate score --sample` and `--plan`, from statements to a sheet and back."""

import csv
import json

import pytest


@pytest.fixture
def statements(tmp_path):
    path = tmp_path / "mine.jsonl"
    texts = [
        ("T1", "pro", "=T1 is good, useful and right."),
        ("T1", "con", "T1 is good, useful and right."),
        ("T2", "pro", "T2 is good and right."),
        ("T3", "con", "T3 is bad, harmful and wrong."),
    ]
    keys = ("topic", "side", "statement")
    path.write_text("".join(json.dumps(dict(zip(keys, row, strict=True))) + "\n" for row in texts))
    return path


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


def test_a_sheet_is_drawn_filled_in_and_compared(cli, statements, tmp_path):
    sheet = tmp_path / "sheets" / "sheet.csv"
    plan = sheet.with_name("sheet.csv.plan.json")
    done = cli("debate", "score", statements, "-o", tmp_path / "run", "--sample", sheet)
    assert done.code == 0, done.err
    assert "verdict" not in sheet.read_text()
    verdicts = {one["item"]: one["verdict"] for one in json.loads(plan.read_text())["drawn"]}
    filled(sheet, lambda row: "fine")
    wrong = cli("debate", "score", sheet, "--plan", plan)
    assert (wrong.code, "sheet.csv:2" in wrong.err) == (2, True)
    assert len(filled(sheet, lambda row: verdicts[row["item"]].upper())) == 4
    agreed = cli("debate", "score", sheet, "--plan", plan, "--json")
    assert agreed.code == 0, agreed.err
    (system,) = json.loads(agreed.out)["systems"]
    assert (system["agreement"]["value"], system["kappa"]["value"]) == (1, 1)
    assert system["good_by_people"]["value"] == pytest.approx(3 / 4)
    kept = cli("debate", "score", statements, "-o", tmp_path / "run", "--sample", sheet)
    assert (kept.code, "already exists" in kept.err) == (2, True)
