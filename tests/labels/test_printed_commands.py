"""The commands that the screens of check and collect print, run as they are printed: each goes on from the figures that
were seen."""

from __future__ import annotations

import csv
import json
import re
import shlex
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conqret.labels import collect_command
from conqret.labels.answer_ledger import Ledger
from conqret.labels.screens import CANNOT_JUDGE, Screen
from tests.commands import run_conqret

pytest.importorskip("starlette")
Cells = dict[str, object]
ROWS = 90
COMMAND = re.compile(r"conqret (?:check|labels collect) .*")


def printed(text: str) -> list[list[str]]:
    """The commands in an output, but for those on files that are still to be made."""
    lines = [shlex.split(line, comments=True)[1:] for line in COMMAND.findall(text)]
    return [words for words in lines if "NEW.csv" not in words]


def write(file: str, row: Callable[[int], Cells], count: int = ROWS) -> None:
    rows = [row(number) for number in range(count)]
    with Path(file).open("w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def cell(value: object, labeled: bool) -> object:
    return value if labeled else ""


def ratings(number: int) -> Cells:
    """Ratings of a judge and of two annotators, who share some rows and differ on some."""
    rng = np.random.default_rng(number)
    anna, ben, judge = np.clip(rng.integers(1, 6) + rng.integers(-1, 2, size=3), 1, 5).tolist()
    shown = {"item no": f"R {number}", "The reply": f"The shop opens at {number % 24}, on all days."}
    shown |= {"The rating": judge}
    return {**shown, "anna": cell(anna, number % 5 == 0), "ben, too": cell(ben, number % 5 in (0, 1))}


def verdicts(number: int) -> Cells:
    """Pass and fail of two judges, and a label of every third row."""
    human, first, second = np.random.default_rng(number).random(3)
    passed = [human < 0.6, (human < 0.6) ^ (first < 0.2), (human < 0.6) ^ (second < 0.1)]
    human, first, second = (("fail", "pass")[int(value)] for value in passed)
    shown = {"id": number, "topic": f"t{number // 5}", "answer": f"Answer {number}", "judge_a": first}
    return {**shown, "judge_b": second, "human": cell(human, number % 3 == 0)}


def scores(number: int) -> Cells:
    row, rng = verdicts(number), np.random.default_rng(number)
    score = round(float(rng.uniform(0.55, 1) if row["judge_a"] == "pass" else rng.uniform(0, 0.6)), 3)
    shown = {"Ticket #": f"T {number}", "The reply": row["answer"], "faith score": score}
    return {**shown, "Marta says (Y/N)": {"pass": "Y", "fail": "N"}.get(str(row["human"]), "")}


def percents(number: int) -> Cells:
    score = round(100 * float(str(scores(number)["faith score"])))
    return {"id": number, "summary": f"Answer {number}", "llm_score": score}


def label_all(folder: Path, answer: Callable[[Screen], str]) -> list[Screen]:
    """Have each annotator label all that there is; the screens that got a label."""
    labeled = []
    with closing(Ledger(folder)) as ledger:
        for annotator in ledger.annotators():
            while (turn := ledger.next(annotator)) is not None:
                value = answer(turn.screen)
                ledger.answer(annotator, turn, {"verdict": value}, "", turn.revision)
                labeled += [turn.screen] if value != CANNOT_JUDGE else []
    return labeled


def any_choice(screen: Screen) -> str:
    """A choice by the item; now and then it is skipped."""
    values = [CANNOT_JUDGE, *(choice.value for choice in screen.questions[0].choices * 3)]
    return values[sum(screen.item.encode()) % len(values)]


def collected(
    words: Sequence[str], monkeypatch: pytest.MonkeyPatch, answer: Callable[[Screen], str] = any_choice
) -> tuple[list[str], list[Screen]]:
    """Run a command that collects labels; the next command that it prints, and what was labeled."""
    labeled, folder = list[Screen](), Path(words[words.index("-o") + 1])
    monkeypatch.setattr(
        collect_command, "serve_pages", lambda *a, **k: labeled.extend(label_all(folder, answer))
    )
    done = run_conqret(*words)
    assert done.code == 0, done.output
    (next_words,) = printed(done.out)
    return next_words, labeled


def checked(words: Sequence[str]) -> tuple[dict[str, Any], list[list[str]]]:
    """The result of a check, and the commands that its screen prints."""
    screen, result = run_conqret(*words), run_conqret(*words, "--json")
    assert screen.code in (0, 1, 3), screen.output
    return json.loads(result.out), printed(screen.output)


SCREENS = {
    "a cut and two annotators": (ratings, "--human anna --human 'ben, too' --pass '>=4'"),
    "two judges": (verdicts, "--judge judge_a --judge judge_b --drawn-by verdict --by topic"),
    "labels in a second file": (verdicts, "--judge judge_a --labels 'own labels.csv'"),
    "spaces": (scores, "--pass '>=0.6' --human 'Marta says (Y/N)' --columns 'output=The reply,id=Ticket #'"),
}


@pytest.mark.parametrize("screen", SCREENS)
def test_printed_commands_go_on_from_the_figures_that_were_seen(
    screen: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    row, options = SCREENS[screen]
    write("my table.csv", row)
    if "own labels" in options:
        write("own labels.csv", lambda number: {"id": number, "human": row(number)["human"]}, 40)
        write("my table.csv", lambda number: {**row(number), "human": ""})
    words, rounds = ["check", "my table.csv", *shlex.split(options)], 0
    result, commands = checked(words)
    while rounds < 2:
        for command in commands:
            if command[0] == "check":
                checked(command)
        collecting = next((command for command in commands if command[0] == "labels"), None)
        if collecting is None:
            break
        words, labeled = collected(collecting, monkeypatch)
        before, (result, commands), rounds = result, checked(words), rounds + 1
        old, new = before["judges"][0], result["judges"][0]
        assert [judge["name"] for judge in result["judges"]] == [judge["name"] for judge in before["judges"]]
        for name in ("kind", "by", "confidence"):
            assert result[name] == before[name]
        assert new["runs"] == old["runs"]
        assert new["compared"] == old["compared"] + len(labeled)
        if result["kind"] == "pass_fail":
            drawn = Counter(one.stratum.name for one in labeled if one.stratum is not None)
            more = np.array(new["confusion"]) - old["confusion"]
            assert more.sum(axis=0).tolist() == [drawn["fail"], drawn["pass"]]
            values = Counter(any_choice(one) for one in labeled)
            assert more.sum(axis=1).tolist() == [values["0"], values["1"]]
    assert rounds


def test_scores_get_a_cut_for_the_check_and_the_study_goes_on_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write("table.csv", percents)
    _, (command,) = checked(["check", "table.csv"])
    words, labeled = collected([*command[:-4], "--sample", "40", *command[-2:]], monkeypatch)
    assert words[-4:-1] == ["--pass", ">=70", "--labels"]
    assert checked(words)[0]["judges"][0]["compared"] == len(labeled)
    further = ["labels", "collect", "table.csv", "--pass", ">=70", "--sample", "60", *command[-2:]]
    words, more = collected(further, monkeypatch)
    result, _ = checked(words)
    assert (result["kind"], result["judges"][0]["compared"]) == ("pass_fail", len(labeled) + len(more))
    assert len(more) > 10


def test_where_a_verdict_was_skipped_whenever_it_was_drawn_its_rates_are_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write("table.csv", lambda number: verdicts(number) | {"human": "", "judge_b": ""})
    _, (command,) = checked(["check", "table.csv"])

    def skip_fails(screen: Screen) -> str:
        return CANNOT_JUDGE if screen.stratum and screen.stratum.name == "fail" else "1"

    words, labeled = collected([*command[:-4], "--sample", "20", *command[-2:]], monkeypatch, skip_fails)
    result, (further,) = checked(words)
    assert result["labeled"] == len(labeled)
    tnr = result["judges"][0]["figures"]["tnr"]
    assert (tnr["value"], tnr["reason"]) == (None, "no row with the verdict fail is labeled")
    assert further[-2:] == command[-2:]
    words, _ = collected(further, monkeypatch)
    assert checked(words)[0]["judges"][0]["figures"]["tnr"]["value"] is not None
