"""``conqret check`` as it is typed: the first screen, the page, JSON, and the exit codes of a gate."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import pytest

import conqret
from tests.commands import Cli, run_conqret

RESULTS = "fixtures/examples/results.csv"


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch) -> Cli:
    monkeypatch.setenv("COLUMNS", "100")
    return run_conqret


def write(file: Path, header: str, rows: Sequence[Sequence[object]]) -> Path:
    """A CSV with the columns of ``header``."""
    with file.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(header.split())
        writer.writerows(rows)
    return file


def write_cells(file: Path, *counts: int) -> Path:
    """A CSV with so many rows of each verdict (pass, fail, none) with each label (pass, fail, none)."""
    cells = product(("pass", "fail", ""), repeat=2)
    every = [cell for cell, count in zip(cells, counts, strict=False) for _ in range(count)]
    return write(file, "id judge human", [(number, *cell) for number, cell in enumerate(every)])


def test_the_first_screen_answers_in_a_sentence_and_four_figures(cli: Cli) -> None:
    done = cli("check", RESULTS)
    assert done.code == 0
    sentence, *lines = done.out.splitlines()
    assert sentence == (
        "The judge lets 14 of 30 failures pass (47%) and fails 5 of 70 good answers (7%): too weak for a gate (TNR "
        "is at most 0.70, below the bar of 0.80; another bar: --require)."
    )
    assert [line.split("  ")[1] for line in lines[:4]] == [
        "catches failures (TNR)",
        "keeps good answers (TPR)",
        "pass rate of all rows",
        "right passes (precision)",
    ]
    assert "0.53 [0.36, 0.70]" in lines[0]
    assert "judge 0.79, corrected 0.70 [0.61, 0.78]" in lines[2]
    assert "0.82 [0.73, 0.90]" in lines[3]
    assert "kappa 0.51 [0.29, 0.66]" in lines[3]
    assert lines[4].startswith("  next: read the 14 false passes and edit the judge's prompt")
    assert lines[5].startswith(
        "  then: judge 317 rows that you did not read (the 100 unlabeled ones here, and about 217 new)"
    )
    assert "judge pass, human fail" in lines[8]
    assert done.err.startswith('judge is column "judge", labels are column "human"')
    assert done.out.strip() in Path("docs/check.md").read_text(encoding="utf-8")
    assert "\n".join([sentence, *lines[:6]]) in Path("README.md").read_text(encoding="utf-8")


def test_a_folder_gets_the_page_with_the_disagreements(cli: Cli, tmp_path: Path) -> None:
    done = cli("check", RESULTS, "-o", tmp_path / "out")
    page, result = (
        (tmp_path / "out" / name).read_text(encoding="utf-8") for name in ("check.html", "check.json")
    )
    assert str(tmp_path / "out" / "check.html") in done.err
    assert "It should be with you soon." in page
    assert json.loads(result)["judges"][0]["confusion"] == [[16, 14], [5, 65]]
    assert (tmp_path / "out" / "check.md").read_text(encoding="utf-8").startswith("# How good is the judge")


@pytest.mark.parametrize(
    ("conditions", "code", "said"),
    [
        (["tpr.low >= 0.8"], 0, "met: tpr.low >= 0.8 (0.849)"),
        (["tpr.low >= 0.8", "tnr.low >= 0.8"], 1, "error: not met: tnr.low >= 0.8 (0.356)"),
        (["tpr.low >= 0.9"], 3, "undecided: tpr.low >= 0.9 (0.849, the interval 0.849 to 0.973 contains 0.9"),
        (["tpr.low >= 0.9", "tnr >= 0.8"], 1, "error: not met: tnr >= 0.8 (0.533)"),
        (["tpr.high <= 0.9"], 3, "more labeled rows would decide it"),
        (["trn.low >= 0.8"], 2, "there is no figure to require 'trn'"),
        (["recall >= 0.5"], 2, "names no class"),
    ],
)
def test_a_gate_has_three_outcomes(cli: Cli, conditions: list[str], code: int, said: str) -> None:
    done = cli("check", RESULTS, *(word for text in conditions for word in ("--require", text)))
    assert (done.code, said in done.err) == (code, True), done.err


def test_json_has_the_outcomes_and_latex_the_tables(cli: Cli) -> None:
    (outcome,) = json.loads(cli("check", RESULTS, "--json", "--require", "tpr.low >= 0.9").out)[
        "requirements"
    ]
    assert (outcome["met"], outcome["undecided"], outcome["labels"] > 0) == (False, True, True)
    assert "\\begin{tabular}" in cli("check", RESULTS, "--latex").out


def test_labels_that_are_no_random_sample_bear_no_rate_until_it_is_said_how_they_were_drawn(
    cli: Cli, tmp_path: Path
) -> None:
    file = write_cells(tmp_path / "drawn.csv", 45, 5, 850, 18, 32, 50)
    done = cli("check", file, "--require", "tnr.low >= 0.8")
    assert done.code == 1
    assert "not a random sample" in done.out
    assert "TNR)" not in done.out
    assert f"    conqret check {file} --drawn-by verdict  # " in done.out
    by_verdict = cli("check", file, "--drawn-by", "verdict", "--json")
    (judge,) = json.loads(by_verdict.out)["judges"]
    # all rows: 90% of 900 passes are right, 36% of 100 fails are wrong
    assert judge["figures"]["corrected"]["value"] == pytest.approx((900 * 0.9 + 100 * 0.36) / 1000)
    assert judge["figures"]["tnr"]["value"] == pytest.approx(64 / (64 + 90))


def test_labels_that_may_be_no_random_sample_bear_rates_where_these_hardly_change(
    cli: Cli, tmp_path: Path
) -> None:
    done = cli("check", write_cells(tmp_path / "drawn.csv", 45, 5, 16, 5, 45, 34))
    assert "TNR)" in done.out
    assert "the 100 labeled rows may be no random sample, as the judge passes 50% of them and 32%" in done.err


@pytest.mark.parametrize(
    ("header", "rows", "said"),
    [
        (
            "id score human",
            [(n, 1 + n % 5, max(1, n % 5)) for n in range(60)],
            ["judge minus annotators", "quadratic weighted kappa", "error by human label"],
        ),
        (
            "id judge_ab judge_ba human",
            [(n, "AB"[n % 2], "AB"[(n % 2) ^ (n % 8 == 0)], "AB"[(n % 2) ^ (n % 9 == 0)]) for n in range(80)],
            [
                "flips its verdict with the order of the answers on 12% of 80 pairs",
                "160 verdicts; 0.50 is no preference",
            ],
        ),
        (
            "id judge human",
            [
                (n, "billing refund other".split()[n % 3], "billing refund other".split()[n % 3 * (n % 2)])
                for n in range(60)
            ],
            ["kappa", "recall of each class", "confused most"],
        ),
        (
            "id judge_a judge_b human",
            [
                (n, *(("pass", "fail")[n % step == 0] for step in (7, 3, 3 + (n % 10 == 0))))
                for n in range(90)
            ],
            ["The best of 2 judges, judge_b,", "judge_b is better"],
        ),
        (
            "id system judge human",
            [
                (n // 2, "new old".split()[n % 2], "pass" if n % 5 else "fail", "pass" if n % 3 else "fail")
                for n in range(120)
            ],
            ["Systems", "Corrected, new minus old is"],
        ),
    ],
)
def test_every_shape_has_its_figures(
    cli: Cli, tmp_path: Path, header: str, rows: list[tuple[object, ...]], said: list[str]
) -> None:
    done = cli("check", write(tmp_path / "table.csv", header, rows))
    assert done.code == 0
    assert [words for words in said if words not in done.out] == []


def test_the_page_of_several_annotators_says_whether_the_judge_can_replace_one(
    cli: Cli, tmp_path: Path
) -> None:
    rows = [
        (n, *(min(5, max(1, n % 5 + shift)) for shift in (1 + n % 2, n % 3 % 2, n % 7 % 2, 1)))
        for n in range(80)
    ]
    file = write(tmp_path / "t.csv", "id judge human_anna human_ben human_carl", rows)
    done = cli("check", file, "-o", tmp_path / "out")
    assert "alpha, replacing one annotator" in done.out
    page = (tmp_path / "out/check.html").read_text(encoding="utf-8")
    assert "Can the judge replace an annotator?" in page
    assert "annotators among themselves" in page
    assert "ordinal alpha, replacing one annotator" in page


def test_it_is_a_function_and_a_test(tmp_path: Path) -> None:
    result = conqret.check(RESULTS, require=["tnr.low >= 0.8"], output=tmp_path)
    assert result.tpr.low is not None
    assert result.tpr.low >= 0.8
    assert not result.met
    assert repr(result).startswith("not met: tnr.low >= 0.8")  # what pytest shows
    assert (tmp_path / "check.html").exists()
    rows = [{"judge": "pass", "human": "pass"}, {"judge": "fail", "human": "fail"}]
    assert conqret.check(rows * 20).tnr.value == 1.0
    assert conqret.check(rows * 20, require="tnr >= 0.8").met


def test_a_page_escapes_what_strangers_wrote(cli: Cli, tmp_path: Path) -> None:
    rows = [(n, "<script>alert(1)</script>", "pass", "fail" if n % 2 else "pass") for n in range(20)]
    cli("check", write(tmp_path / "t.csv", "id output judge human", rows), "-o", tmp_path / "out")
    assert "<script>alert" not in (tmp_path / "out/check.html").read_text(encoding="utf-8")


def test_a_pass_rate_counts_the_rows_that_have_a_verdict(cli: Cli, tmp_path: Path) -> None:
    done = cli("check", write_cells(tmp_path / "table.csv", 20, 0, 0, 0, 7, 0, 0, 3))
    (line,) = (line for line in done.out.splitlines() if "pass rate" in line)
    assert line.endswith("   27 rows with a verdict")
    assert "of all rows" not in line


def test_the_scores_of_a_run_are_checked_by_metric(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    Path("rule_of_a_test.py").write_text("def rule(item):\n    return {'kind': 0.5, 'brief': 1.0}\n", "utf-8")
    items = [{"id": f"t{n}", "topic": f"Why {n}?", "argument": "Because."} for n in range(6)]
    Path("items.jsonl").write_text("\n".join(map(json.dumps, items)), "utf-8")
    write(Path("labels.csv"), "ticket kind_human", [(f"t{n}", int(n > 1)) for n in range(6)])
    judged = ("judge", "items.jsonl", "--judge", "rule_of_a_test:rule", "-o", "run")
    assert cli(*judged).code == 0
    checked = ("check", "run", "--labels", "labels.csv", "--columns", "id=ticket")
    several = cli(*checked)
    assert several.code == 2
    assert "several metrics (kind, brief): check one with --judge METRIC" in several.err
    done = cli(*checked, "--judge", "kind", "--json")
    assert json.loads(done.out)["judges"][0]["confusion"] == [[0, 2], [0, 4]]
    assert "another cut: conqret check run --judge kind" in done.err
    higher = json.loads(cli(*checked, "--judge", "kind", "--pass", ">=0.7", "--json").out)
    assert higher["judges"][0]["confusion"] == [[2, 0], [4, 0]]
    assert cli(*judged, "--require", "kind <= 1").code == 0
    done = cli(*checked, "--judge", "kind")
    assert done.code == 2
    assert "lower scores of kind are better: set the bar, --pass" in done.err
