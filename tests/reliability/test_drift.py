"""A judge on dated waves: what is charted, what is told of it, and what is refused."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from conqret import drift, judge
from conqret.errors import DeclarationError, UnknownNameError
from conqret.judging.judge_folder import JudgeRecord
from conqret.studies.drift.drift_requirements import check_drift_requirement, parse_drift_requirement
from conqret.studies.drift.drift_study import judge_wave
from conqret.studies.drift.page import chart_tables, drift_junit, drift_screen, drift_sheet
from conqret.studies.drift.result import Drift, WavePlan, chart_waves, read_drift
from conqret.studies.drift.waves import Wave, WaveJudgments, changes_between, few

ANCHORS = [
    {"id": f"a{n}", "topic": f"topic {n % 8}", "argument": f"argument {n} " + "because " * (n % 5)}
    for n in range(24)
]


def record(**more: object) -> JudgeRecord:
    given = {
        "format": "direct", "model": "m", "baseline": False, "fingerprint": "f", "identity": {"model": "m"},
        "metrics": ["clarity"], "options": {}, "model_options": {}, "items_name": "a.jsonl", "items_layout": "conqret",
        "items_count": 24, "items_digest": "d", "created": "2026-01-01T06:00:00+00:00",
    }  # fmt: skip
    return JudgeRecord.model_validate(given | more)


def wave(day: int, values: dict[str, float], **more: object) -> WaveJudgments:
    given = {
        "name": f"day {day}", "place": f"drift/day {day}", "date": f"2026-01-{day:02}T06:00:00+00:00", "model": "m",
        "fingerprint": "f", "conqret": "0.1", "anchors": len(values), "missing": 0, "usd": None, "tokens": None,
        "seconds": None,
    }  # fmt: skip
    topics = {str(anchor["id"]): str(anchor["topic"]) for anchor in ANCHORS}
    scores = {item: {"clarity": value} for item, value in values.items()}
    return WaveJudgments(Wave.model_validate(given | more), record(), topics, scores)


def series(
    count: int, change: Callable[[int, float], float] = lambda day, value: value
) -> list[WaveJudgments]:
    rng = random.Random(7)
    levels = {str(anchor["id"]): rng.uniform(0.3, 0.7) for anchor in ANCHORS}
    return [
        wave(day, {item: change(day, level) + rng.gauss(0, 0.03) for item, level in levels.items()})
        for day in range(1, count + 1)
    ]


@pytest.fixture(scope="module")
def stricter() -> Drift:
    return chart_waves(series(12, lambda day, value: value - 0.06 * (day > 7)), WavePlan())


def test_a_judge_that_became_stricter_is_found_and_when(stricter: Drift) -> None:
    severity, spread = stricter.charts
    assert stricter.alarms == (severity,)
    assert severity.alarm is not None
    assert severity.alarm.wave in {"day 8", "day 9"}
    assert not any(point.alarm for point in severity.points[:4])
    assert severity.newest is not None
    assert severity.newest.shift == pytest.approx(-0.06, abs=0.02)
    assert spread.verdict == "no alarm"
    assert spread.missable is not None
    assert 0.01 <= spread.missable < 0.05
    lines = list(drift_screen(stricter))
    assert max(map(len, lines)) <= 80
    said = " ".join(" ".join(lines).split())
    assert (
        "1 alarm in severity and spread of 1 metric (24 anchors, 8 topics; 12 waves, from “day 1” to" in said
    )
    alarms, others = chart_tables(stricter)
    assert [table.rows[0][1] for table in (alarms, others)] == ["severity (mean)", "spread (SD)"]
    assert alarms.rows[0][3] == f"{severity.level:.3f}"
    assert alarms.rows[0][2] == f"alarm since {severity.alarm.wave}"
    assert others.rows[0][2:4] == ("no alarm", f"{spread.level:.3f}")
    assert "a lower mean is a more severe judge" in others.note
    assert not alarms.note
    assert f"ALARM clarity, severity: more severe, first alarm on {severity.alarm.wave}" in said
    assert "conqret runs diff drift/day 1 drift/day 12" in said
    sheet = drift_sheet(stricter)
    for chart in sheet.sections[0].charts:
        assert chart.ends is not None
        assert chart.ends[0] in {0, -chart.ends[1]}
        values = [abs(point.y) for line in chart.lines for point in line.points]
        assert chart.ends[1] / 2.5 <= max(*values, 0.02 / 2.5) <= chart.ends[1]
    page = "".join(sheet.html())
    assert page.count('<svg class="chart"') == 5
    (control,) = sheet.picture
    names = [line.name for line in control.lines]
    assert names[0] == "baseline"
    assert names[-1] == "alarm"
    assert [point.x for point in control.lines[0].points] == [1, 2, 3], "the baseline is drawn as well"
    assert sheet.answer[0].startswith("The judge has drifted: it is more severe on ")
    assert "A change that all topics share" in drift_sheet(stricter).markdown()
    assert b'failures="1"' in drift_junit(stricter)


def test_a_judge_that_uses_less_of_its_scale_is_found() -> None:
    found = chart_waves(
        series(12, lambda day, value: 0.5 + (value - 0.5) * (0.4 if day > 5 else 1)), WavePlan()
    )
    assert "spread" in {alarm.quantity for alarm in found.alarms}
    assert "uses less of the scale" in " ".join(" ".join(drift_screen(found)).split())


def test_a_judge_that_stands_still_and_one_that_always_says_the_same() -> None:
    for found in (chart_waves(series(20), WavePlan()), chart_waves([series(1)[0]] * 6, WavePlan())):
        assert not found.alarms
        assert drift_junit(found).count(b"<failure") == 0
        (table,) = chart_tables(found)
        assert "limit 0.000" not in "".join(map(str, table.rows)), "no move of less than .01 is an alarm"
    assert "no drift was detected" in " ".join(drift_screen(found))
    assert "no mean or spread of any topic changed" in drift_sheet(found).answer[0]
    one_anchor = [series(1)[0]] * 6
    values = dict(one_anchor[0].values) | {"a1": {"clarity": 0.9}}
    moved = WaveJudgments(one_anchor[0].wave, one_anchor[0].record, one_anchor[0].topics, values)
    assert not chart_waves([*one_anchor[:5], moved], WavePlan()).alarms  # one of 24, and no drift


def test_noise_that_carries_over_is_said_beside_the_alarms() -> None:
    """The rate of false alarms is promised for noise that is independent between waves."""
    apart = chart_waves(series(12), WavePlan())
    assert apart.carried == ()
    assert "autocorrelation" not in " ".join(drift_screen(apart))
    rng, noise = random.Random(3), dict.fromkeys((str(anchor["id"]) for anchor in ANCHORS), 0.0)
    waves = []
    for day, each in enumerate(series(12), start=1):
        noise = {item: 0.8 * value + rng.gauss(0, 0.05) for item, value in noise.items()}
        waves.append(
            wave(day, {item: scores["clarity"] + noise[item] for item, scores in each.values.items()})
        )
    clinging = chart_waves(waves, WavePlan())
    assert "severity" in {chart.quantity for chart in clinging.carried}
    assert 0.3 < clinging.carried[0].autocorrelation <= 1
    assert "autocorrelation" in " ".join(drift_screen(clinging))
    assert "autocorrelation" in drift_sheet(clinging).markdown()


def test_before_the_baseline_is_there_nothing_is_charted() -> None:
    found = chart_waves(series(2), WavePlan())
    assert [chart.verdict for chart in found.charts] == ["baseline", "baseline"]
    said = " ".join(" ".join(drift_screen(found)).split())
    assert "2 of 3 waves of the baseline are judged, and there is nothing to compare yet" in said
    assert "".join(drift_sheet(found).html()).count('<svg class="chart"') == 0


def test_what_has_no_score_is_no_score_and_is_told() -> None:
    nothing = [wave(day, {}, anchors=0, missing=24) for day in range(1, 6)]
    found = chart_waves(nothing, WavePlan())
    assert [chart.verdict for chart in found.charts] == ["no value", "no value"]
    assert "no chart" in " ".join(drift_screen(found))
    lost = [*series(4), wave(5, {}, anchors=0, missing=24)]
    found = chart_waves(lost, WavePlan())
    assert found.charts[0].newest is not None
    assert found.charts[0].newest.shift is None
    assert found.charts[0].points[1].ewma == found.charts[0].points[0].ewma
    outcome = check_drift_requirement(parse_drift_requirement("coverage >= 0.9"), found)
    assert (outcome.met, outcome.value) == (False, 0.0)


def test_what_changed_is_told() -> None:
    before = wave(1, {}, answered_by=("m-1",), usd=0.01, seconds=1.0, system_fingerprints=("fp_1",))
    now = wave(
        2, {}, answered_by=("m-2",), usd=0.02, seconds=3.0, conqret="0.2", system_fingerprints=("fp_2",)
    )
    now = WaveJudgments(now.wave, record(identity={"model": "m", "prompt a": "2"}), now.topics, now.values)
    assert list(changes_between(before, now)) == [
        "prompt a: added",
        "the model answers as m-2, and m-1 before",
        "the provider's system is fp_2, and fp_1 before",
        "conqret 0.2, and 0.1 before",
        "an anchor costs $0.02, and $0.01 before",
        "an anchor takes 3 s of the model, and 1 s before",
    ]
    assert list(changes_between(before, before)) == []
    assert few([f"m-{n}" for n in range(5)]) == "m-0, m-1, m-2 and 2 more"


def test_requirements(stricter: Drift) -> None:
    for text, met in (
        ("alarms == 0", False), ("alarms <= 1", True), ("severity[clarity] > -0.02", False),
        ("spread[clarity] > -0.02", True), ("coverage >= 1", True),
    ):  # fmt: skip
        assert check_drift_requirement(parse_drift_requirement(text), stricter).met is met
    with pytest.raises(UnknownNameError, match="clarity"):
        check_drift_requirement(parse_drift_requirement("severity[clarety] < 1"), stricter)
    for text, message in (
        ("severity < 1", "names no metric"), ("alarms[clarity] == 0", "names a metric"), ("alarms", "cannot be read"),
        ("drift == 0", "there is no quantity"), ("severity.low[clarity] < 1", "has no interval"),
    ):  # fmt: skip
        with pytest.raises(DeclarationError, match=message):
            parse_drift_requirement(text)


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four waves of a function, the last of them stricter."""
    folder = tmp_path_factory.mktemp("drift")
    rng, less = random.Random(1), 0.0

    def grade(item: dict[str, str]) -> float:
        return 0.3 + 0.1 * item["argument"].count("because") + rng.gauss(0, 0.01) - less

    for day in range(1, 5):
        less = 0.2 if day == 4 else 0.0
        judge_wave(ANCHORS, folder / "all", f"day-{day}", judge=grade)
        file = folder / "all" / f"day-{day}" / "run.json"
        file.write_text(
            file.read_text().replace(json.loads(file.read_text())["created"], f"2026-01-0{day}T06:00:00")
        )
    return folder / "all"


def test_waves_are_read_by_their_dates(judged: Path) -> None:
    runs = [judged / f"day-{day}" for day in (4, 2, 1, 3)]
    found = drift(*runs)
    assert [one.name for one in found.waves] == ["day-1", "day-2", "day-3", "day-4"]
    assert [alarm.quantity for alarm in found.alarms] == ["severity"]
    assert drift(judged).charts == found.charts
    assert drift(judged, since="day-2").waves[0].name == "day-2"
    assert len(drift(judged, since="2026-01-03").waves) == 2
    assert found.waves[0].answered_by == (found.waves[0].model,)
    for since, message in (("day-9", "since must be a wave"), ("2027-01-01", "no wave is dated 2027-01-01")):
        with pytest.raises(DeclarationError, match=message):
            drift(judged, since=since)


def test_an_wave_of_other_anchors_or_a_second_format_is_refused_before_anything_is_asked(
    judged: Path,
) -> None:
    other = [ANCHORS[0] | {"argument": "another"}, *ANCHORS[1:]]
    with pytest.raises(DeclarationError, match="has other anchors than the first wave"):
        judge_wave(other, judged, "day-5", judge=lambda item: 0.5)
    with pytest.raises(DeclarationError, match="use one format"):
        judge_wave(ANCHORS, judged, "day-5", format="pointwise", metrics=["clarity"])
    for name in ("../day-5", "", "a/b"):
        with pytest.raises(DeclarationError, match="the name of a wave"):
            judge_wave(ANCHORS, judged, name)
    with pytest.raises(DeclarationError, match="contains a run"):
        judge_wave(ANCHORS, judged / "day-1", "day-5")
    assert not (judged / "day-5").exists()


def test_logs_of_what_a_judge_said_are_waves(tmp_path: Path) -> None:
    for day, less in enumerate((0.0, 0.0, 0.1), 1):
        said = [
            {"id": anchor["id"], "score": 0.5 + 0.01 * place % 0.2 - less}
            for place, anchor in enumerate(ANCHORS)
        ]
        judge_wave(ANCHORS, tmp_path, f"log-{day}", verdicts=said)
    found = drift(tmp_path, baseline=2)
    assert [alarm.quantity for alarm in found.alarms] == ["severity"]
    assert [one.changes for one in found.waves] == [
        (),
        (),
        (),
    ]  # another log each time, and the same judge


def test_runs_of_others_and_too_few_topics_are_refused(judged: Path, tmp_path: Path) -> None:
    few = [anchor | {"topic": "one"} for anchor in ANCHORS]
    judge(few[:4], format="pointwise", metrics=["clarity"], output=tmp_path / "few")
    with pytest.raises(DeclarationError, match="1 topics cannot be charted"):
        drift(tmp_path / "few")
    with pytest.raises(DeclarationError, match="use one format"):
        drift(judged, tmp_path / "few")
    (tmp_path / "none").mkdir()
    with pytest.raises(DeclarationError, match="there is no judged run"):
        drift(tmp_path / "none")
    summary = tmp_path / "few" / "summary.json"
    summary.unlink()
    with pytest.raises(DeclarationError, match="contains no finished run"):
        drift(tmp_path / "few")


def test_a_series_is_read_again(stricter: Drift, tmp_path: Path) -> None:
    with pytest.raises(DeclarationError, match="does not exist: run conqret judges drift"):
        read_drift(tmp_path)
    (tmp_path / "drift.json").write_text(stricter.model_dump_json())
    assert read_drift(tmp_path) == stricter
    (tmp_path / "drift.json").write_text("{}")
    with pytest.raises(DeclarationError, match="is not in the format that conqret judges drift writes"):
        read_drift(tmp_path)
