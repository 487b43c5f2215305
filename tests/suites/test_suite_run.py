"""A judge on a suite: samples, figures, results, and who is ahead."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import conqret
from conqret.errors import DeclarationError, UnknownNameError
from conqret.show.report_page import CollapsedTable
from conqret.stats.resampling import mean
from conqret.suites.leaderboard_page import FEW, board_table, leaderboard_page, verdict_table
from conqret.suites.result import SuiteResult, read_result
from conqret.suites.suite import PublishedFigure
from conqret.suites.suite_report import SuiteReport, suite_report
from conqret.suites.suite_run import prepared_suite
from conqret.suites.suite_statistics import sampled, suite_figures
from tests.server import FaultServer
from tests.suites import small

ROOT = Path(__file__).parents[2]


def judged_by(item):
    """A judge that is nearly always right: the text with a reason."""
    return "first" if "because" in item["argument"] else "second"


def wrong(item):
    return "second" if "because" in item["argument"] else "first"


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """What a right and a wrong judge reach on the whole suite."""
    source = small.write(tmp_path_factory.mktemp("suite") / "small")
    return [
        conqret.run_suite(small.suite(), source=source, judge=judge).result for judge in (judged_by, wrong)
    ]


def test_a_sample_has_its_share_of_each_cluster_and_of_each_gold_label(small_suite):
    suite = small.suite()
    data = suite.data(small_suite)
    drawn = sampled(suite, data, 16, 1)
    assert Counter(data.clusters[item.id] for item in drawn.items) == dict.fromkeys(data.clusters.values(), 2)
    gold = [data.gold["preference"][item.id] for item in drawn.items]
    assert 6 <= sum(gold) <= 10
    assert [item.id for item in drawn.items] == [item.id for item in sampled(suite, data, 16, 1).items]
    assert [item.id for item in drawn.items] != [item.id for item in sampled(suite, data, 16, 2).items]
    assert [item.id for item in sampled(suite, data, 40, 1).items] == [item.id for item in data.items]
    for size in (0, 41):
        with pytest.raises(DeclarationError, match="has only 40 items"):
            sampled(suite, data, size, 1)


def test_the_interval_of_a_share_is_that_of_a_mean_over_clusters(small_suite):
    suite = small.suite()
    data = suite.data(small_suite)
    verdicts = data.logs[small.LONGER]["preference"]
    (figure,) = suite_figures(suite, data, {"preference": verdicts})
    right = [float(verdicts[name] == gold) for name, gold in sorted(data.gold["preference"].items())]
    expected = mean(right, [data.clusters[name] for name in sorted(data.gold["preference"])], scale="share")
    ours, theirs = figure.jackknifed.estimate(), expected.estimate()
    assert (figure.items, figure.n, figure.jackknifed.clusters) == (40, 40, 8)
    assert np.allclose([ours.value, ours.low, ours.high], [theirs.value, theirs.low, theirs.high])
    verdicts = {  # items without a verdict are counted, and in no figure
        name: None if name.startswith("0-") else gold for name, gold in data.gold["preference"].items()
    }
    (figure,) = suite_figures(suite, data, {"preference": verdicts}, [item.id for item in data.items])
    assert (figure.items, figure.n, figure.jackknifed.clusters) == (40, 35, 7)


def test_a_run_writes_a_small_result_without_texts(small_suite, tmp_path):
    made = conqret.run_suite("small", source=small_suite, sample=24, output=tmp_path / "run", judge=judged_by)
    result = made.result
    assert read_result(tmp_path / "run") == result
    assert (result.main.value, result.judged, result.sample.of, result.sample.n) == (1.0, 24, 40, 24)
    text = (tmp_path / "run" / "suite.json").read_text("utf-8")
    assert len(text) < 5000
    for item in made.data.items:
        assert item.argument not in text
        assert f'"{item.id}"' not in text
    assert result.files == {"pairs.csv": hashlib.sha256(small.table()).hexdigest()}
    again = conqret.run_suite(
        "small", source=small_suite, sample=24, output=tmp_path / "run", judge=judged_by
    )
    assert again.session.kept == 24
    assert again.result.figures == result.figures
    with pytest.raises(DeclarationError, match="other"):
        conqret.run_suite("small", source=small_suite, sample=25, output=tmp_path / "run", judge=judged_by)


def test_a_judge_is_the_suites_where_none_is_named(small_suite):
    made = conqret.run_suite("small", source=small_suite)
    assert (made.result.judge.format, made.result.judge.model) == ("direct", "offline")
    other = conqret.run_suite("small", source=small_suite, format="static-rubric", sample=8)
    assert other.result.judge.format == "static-rubric"
    by_criterion = conqret.run_suite(
        "small", source=small_suite, criteria=["The text has a reason"], sample=8
    )
    assert by_criterion.result.judge.format == "comparison"
    with pytest.raises(DeclarationError, match="by one criterion"):
        conqret.run_suite("small", source=small_suite, criteria=["It is short", "It is clear"])
    with pytest.raises(DeclarationError, match="metric"):
        conqret.run_suite("small", source=small_suite, format="listwise")
    with pytest.raises(UnknownNameError, match="did you mean 'small'"):
        conqret.run_suite("smal", source=small_suite)


def test_no_winner_is_called_where_none_is_shown(small_suite, results, tmp_path):
    right, false = results
    report = suite_report([right, false], source=small_suite)
    (board,) = report.boards
    assert [one.judge.model for one in board.results] == [right.judge.model, small.LONGER, false.judge.model]
    by_model = {one.judge.model: against for one, against in board.compared}
    assert by_model[false.judge.model].shown
    assert by_model[small.LONGER].difference.value == pytest.approx(0.25)
    assert [one.who for one in board.figures] == ["a model"]
    offline = conqret.run_suite("small", source=small_suite).result
    level = suite_report([offline], source=small_suite).boards[0]
    assert level.winner is None or level.against_leader[0].shown
    alone = suite_report([right], source=tmp_path)
    assert alone.boards[0].winner is None


def test_the_page_shows_a_human_yardstick_and_folds_many_printed_figures(small_suite, results):
    (board,) = suite_report(results[:1], source=small_suite).boards
    human = PublishedFigure(
        "one annotator", "accuracy", 81.5, 1, "Table 1", judge=False, times=100, human=True
    )
    beside = replace(board, suite=replace(board.suite, published=(*board.suite.published, human)))
    assert board_table(beside).rows[-1][0] == "one annotator"
    assert "0.815" in board_table(beside).rows[-1]
    assert "0.815" in verdict_table(SuiteReport((beside,))).rows[0][2]
    (chart,) = leaderboard_page(SuiteReport((beside,))).picture
    assert chart.rows[0].others == {"one annotator": 0.815}
    many = replace(board, figures=board.figures * (FEW + 1))
    page = leaderboard_page(SuiteReport((many,)))
    parts = next(section for section in page.sections if section.title == board.suite.title).parts
    assert isinstance(parts[-1], CollapsedTable)


def test_judges_of_other_items_are_not_compared(small_suite, tmp_path):
    one = conqret.run_suite("small", source=small_suite, judge=judged_by, sample=24).result
    half = conqret.run_suite("small", source=small_suite, judge=wrong, sample=24, sample_seed=2).result
    (board,) = suite_report([one, half]).boards
    assert board.against_leader == (None,)
    assert board.winner is None
    (log,) = suite_report([], suites=["small"], source=small_suite).boards[0].results
    report = suite_report([log, half], source=tmp_path)
    assert report.boards[0].against_leader == (None,)
    assert "conqret judges suites small --fetch" in report.notes[0]


def test_a_folder_of_runs_is_a_folder_of_results(small_suite, results, tmp_path):
    for number, result in enumerate(results):
        (tmp_path / f"{number}.json").write_text(result.model_dump_json(), encoding="utf-8")
    (board,) = suite_report([tmp_path], source=tmp_path).boards
    assert len(board.results) == 2
    with pytest.raises(DeclarationError, match="contains no result"):
        suite_report([small_suite])


def test_a_result_of_others_cannot_break_the_report(small_suite, results):
    result = results[0]
    older = result.model_copy(update={"created": result.created.replace(year=2000)})
    (board,) = suite_report([older, result, older]).boards
    assert [one.created for one in board.results if not one.judge.published] == [result.created]
    figure = result.main.model_copy(update={"sizes": result.main.sizes[:3], "value": 0.9})
    strange = result.model_copy(
        update={"figures": (figure,), "judge": result.judge.model_copy(update={"fingerprint": "f" * 16})}
    )
    (board,) = suite_report([result, strange]).boards
    assert board.against_leader == (None,)


def test_the_price_of_a_detection_is_known_however_its_answers_came(tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    made_up = ROOT / "tests" / "fixtures" / "suites"

    def judged(run: str, url: str = "http://127.0.0.1:9", **more: object) -> SuiteResult:
        return conqret.run_suite(
            "berds", source=made_up, model="openai/gpt-4o-mini", api_base=url, output=tmp_path / run, **more
        ).result

    with FaultServer() as server:
        first = judged("run", server.url)
        sent = len(server.requests)
        assert judged("run", server.url).cost == first.cost
        assert (
            judged("again", server.url, recordings=tmp_path / "run" / "recordings.sqlite").cost == first.cost
        )
        assert len(server.requests) == sent == first.cost.calls
    assert not list((tmp_path / "run").glob("*-wal"))
    assert judged("replayed", replay=tmp_path / "run").cost == first.cost
    assert first.cost.prompt_tokens > 0
    assert first.cost.usd > 0
    (tmp_path / "run" / "recordings.sqlite").unlink()
    assert judged("run").cost is None


@pytest.mark.parametrize(
    ("old", "new", "field"),
    [
        ('"format":"', '"format":"x\\u202egpj', "judge.format"),
        ('"suite":"small"', '"suite":"../../etc"', "suite"),
        ('"layout":1', '"layout":2', "layout"),
    ],
    ids=str,
)
def test_a_result_of_a_stranger_is_refused_by_its_field(results, tmp_path, old, new, field):
    file, text = tmp_path / "suite.json", results[0].model_dump_json()
    assert old in text
    file.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(DeclarationError, match=rf"is not a result of conqret judges test \({field}: "):
        read_result(file)


def test_a_copy_that_is_not_whole_is_told(small_suite):
    (small_suite / "pairs.csv").write_bytes(small.table(4))
    (note,) = prepared_suite("small", source=small_suite).notes
    assert "32 of 40 items" in note
    made = conqret.run_suite("small", source=small_suite, judge=judged_by)
    assert made.result.lacking == ("32 of 40 items",)


def test_a_run_that_begins_afresh_takes_the_old_result_away(small_suite, tmp_path, monkeypatch):
    conqret.run_suite("small", source=small_suite, sample=8, output=tmp_path / "run", judge=judged_by)

    def killed(*arguments: object, **more: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("conqret.judging.judge.judge_items", killed)
    with pytest.raises(KeyboardInterrupt):
        conqret.run_suite(
            "small", source=small_suite, sample=9, output=tmp_path / "run", judge=judged_by, overwrite=True
        )
    assert not (tmp_path / "run" / "suite.json").exists()
