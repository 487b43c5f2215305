"""A judge on dated waves: what is compared, what is told of it, and what is refused."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from conqret import drift, judge
from conqret.errors import DeclarationError
from conqret.judging.judge_folder import JudgeFolder
from conqret.studies.drift.result import Drift, changes_between, drift_page
from tests.cli.conftest import Cli

ANCHORS = [
    {"id": f"a{n}", "topic": f"topic {n % 8}", "argument": f"argument {n} " + "because " * (n % 5)}
    for n in range(24)
]


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four waves of a function, the last of them stricter."""
    folder = tmp_path_factory.mktemp("drift") / "all"
    rng, less = random.Random(1), 0.0

    def grade(item: dict[str, str]) -> float:
        return 0.3 + 0.1 * item["argument"].count("because") + rng.gauss(0, 0.01) - less

    for day in range(1, 5):
        less = 0.2 if day == 4 else 0.0
        judge(ANCHORS, judge=grade, output=folder / f"day-{day}")
        dated(folder / f"day-{day}", day)
    return folder


def dated(run: Path, day: int) -> None:
    """Date a run."""
    file = run / "run.json"
    text = file.read_text()
    file.write_text(text.replace(json.loads(text)["created"], f"2026-01-0{day}T06:00:00"))


@pytest.fixture(scope="module")
def stricter(judged: Path) -> Drift:
    return drift(judged)


def test_a_judge_that_became_stricter_is_found_and_when(judged: Path, stricter: Drift) -> None:
    assert [wave.name for wave in stricter.waves] == ["day-1", "day-2", "day-3", "day-4"]
    assert (stricter.reference, stricter.anchors, stricter.topics) == ("day-1", 24, 8)
    (alarm,) = stricter.alarms
    assert (alarm.wave, alarm.metric, alarm.pairs) == ("day-4", "overall_quality", 24)
    assert alarm.difference.value == pytest.approx(-0.2, abs=0.02)
    runs = [judged / f"day-{day}" for day in (4, 2, 1, 3)]
    assert drift(*runs).differences == stricter.differences
    assert {row.wave for row in drift(judged, reference="day-4").alarms} == {"day-1", "day-2", "day-3"}
    (chart,) = drift_page(stricter).picture
    assert [point.x for point in chart.lines[0].points] == [2, 3, 4]


def test_what_changed_is_told(judged: Path, stricter: Drift) -> None:
    wave, record = stricter.waves[0], JudgeFolder(judged / "day-1").record()
    waves = [
        wave.model_copy(
            update={"answered_by": (f"m-{n}",), "conqret": f"0.{n}", "system_fingerprints": (f"fp_{n}",)}
        )
        for n in (1, 2)
    ]
    records = [
        record.model_copy(update={"identity": {"model": "m", **more}}) for more in ({}, {"prompt a": "2"})
    ]
    assert list(changes_between(waves[0], records[0], waves[1], records[1])) == [
        "prompt a: added",
        "the model answers as m-2, and m-1 before",
        "the provider's system is fp_2, and fp_1 before",
        "conqret 0.2, and 0.1 before",
    ]
    assert list(changes_between(waves[0], records[0], waves[0], records[0])) == []


def test_logs_of_what_a_judge_said_are_waves(tmp_path: Path) -> None:
    for day, less in enumerate((0.0, 0.1), 1):
        said = [
            {"id": anchor["id"], "score": 0.5 + 0.01 * place % 0.2 - less}
            for place, anchor in enumerate(ANCHORS)
        ]
        judge(ANCHORS, verdicts=said, output=tmp_path / f"log-{day}")
    found = drift(tmp_path)
    assert [alarm.wave for alarm in found.alarms] == ["log-2"]
    assert [one.changes for one in found.waves] == [(), ()]  # another log each time, and the same judge


def test_the_command(cli: Cli, judged: Path, tmp_path: Path) -> None:
    page = tmp_path / "drift.html"
    conditions = ("--require", "difference[overall-quality] > -0.02", "--require", "coverage >= 1")
    done = cli("judges", "drift", judged, *conditions, "-o", page)
    assert done.code == 1
    assert "The judge has drifted: overall quality is lower on day-4" in " ".join(done.out.split())
    assert "not met: difference[overall-quality] > -0.02" in done.err
    assert "Has the judge drifted?" in page.read_text()
    assert cli("judges", "drift", judged / "day-1", judged / "day-2", "--json").code == 0


def test_what_cannot_be_compared(cli: Cli, judged: Path, tmp_path: Path) -> None:
    judge(ANCHORS[:4], format="pointwise", metrics=["clarity"], output=tmp_path / "few")
    judge(
        [ANCHORS[0] | {"argument": "another"}, *ANCHORS[1:]],
        judge=lambda item: 0.5,
        output=tmp_path / "other",
    )
    for arguments, message in (
        ((judged, tmp_path / "few"), "use one format"),
        ((judged, tmp_path / "other"), "has other anchors than the first wave"),
        ((judged / "day-1",), "at least two finished waves"),
        ((judged, "--reference", "day-9"), "day-9"),
        ((judged, "--require", "difference < 1"), "names no metric"),
    ):
        done = cli("judges", "drift", *arguments)
        assert done.code == 2
        assert message in " ".join(done.err.split())
    (tmp_path / "few" / "summary.json").unlink()
    with pytest.raises(DeclarationError, match="contains no finished run"):
        drift(tmp_path / "few")
