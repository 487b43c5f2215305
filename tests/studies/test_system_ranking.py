"""Judges as rankers of systems: auto-judge-evaluate's figures, and intervals and tests, which it lacks."""

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import ttest_rel

from conqret.errors import DeclarationError
from conqret.io.leaderboards import leaderboard, read_leaderboard
from conqret.studies.systems.meta_evaluation import meta_evaluate
from conqret.studies.systems.result import MetaSettings

FILES = Path(__file__).parent / "leaderboards"
RECORDED = json.loads((FILES / "recorded.json").read_text())["cases"]
BY_TOPIC = "topic by topic"


@pytest.fixture(scope="module")
def read():
    """The leaderboards by name, read once."""
    return {name: read_leaderboard(FILES / f"{name}.eval.txt") for name in ("truth", "first", "second")}


def found(read, case):
    settings = MetaSettings(**RECORDED[case]["settings"])
    return meta_evaluate(read["truth"], [read[name] for name in RECORDED[case]["judges"]], settings)


@pytest.mark.parametrize("case", RECORDED)
def test_the_figures_of_auto_judge_evaluate(read, case):
    rows = found(read, case).rows
    for row, one in zip(rows, RECORDED[case].get("rows", ()), strict=case != BY_TOPIC):
        assert (row.truth_measure, row.measure) == (one["truth_measure"], one["measure"])
        values = {name: estimate.value for name, estimate in row.overall.items()}
        assert values == pytest.approx(one["values"], abs=1e-12)
    for row, one in zip(rows, RECORDED[case].get("topics", ()), strict=case == BY_TOPIC):
        for topic, values in one["topics"].items():
            assert {name: row.topics[name][topic] for name in values} == pytest.approx(values, abs=1e-12)


def board(name, scores, topics=4, means=True):
    cells = [
        ("m", run, f"t{n}", value[n % len(value)]) for run, value in scores.items() for n in range(topics)
    ]
    found = leaderboard(name, cells)
    return found.recomputed() if means else found


RIGHT = {"a": [0.1, 0.2], "b": [0.3, 0.5], "c": [0.6, 0.4], "d": [0.9, 0.8]}
ERRS = {"a": [0.2, 0.3, 0.1, 0.6], "b": [0.3, 0.2], "c": [0.4, 0.5], "d": [0.6, 0.5, 0.9]}
TRUTH, NOISY = board("truth", RIGHT), board("noisy", ERRS)


def only(*judges, truth=TRUTH, **settings):
    return meta_evaluate(truth, judges, MetaSettings(methods=("kendall",), **settings))


def test_what_has_no_interval_or_no_value_says_why():
    (row,) = only(NOISY).rows
    topics = list(row.topics["kendall"].values())
    assert row.by_topic["kendall"].value == pytest.approx(np.mean(topics))
    assert row.by_topic["kendall"].low < np.mean(topics) < row.by_topic["kendall"].high
    assert row.overall["kendall"].value == pytest.approx(2 / 3)
    (row,) = only(board("flat", {run: [0.5] for run in "abcd"})).rows
    assert (row.tied, row.overall["kendall"].value) == (True, None)
    assert row.overall["kendall"].reason == "one side gives all systems the same score"
    (row,) = only(leaderboard("totals", [cell for cell in NOISY.cells() if cell[2] == "all"])).rows
    assert row.overall["kendall"].value == pytest.approx(2 / 3)
    for estimate in (row.overall["kendall"], row.by_topic["kendall"]):
        assert "there are no scores by topic" in estimate.reason
    cells = [(*cell[:3], cell[3] + 0.1 if cell[2] == "all" else cell[3]) for cell in NOISY.cells()]
    for shared in (False, True):
        (row,) = only(leaderboard("weighted", cells), shared=shared).rows
        assert ("not the means of the topics" in row.overall["kendall"].reason) is not shared
    (row,) = only(board("less", {"a": [0.2], "b": [0.3], "d": [0.6]}, topics=3), shared=True).rows
    assert (row.runs, sorted(row.topics["kendall"])) == (3, ["t0", "t1", "t2"]), "of both sides"


def test_a_judge_that_merely_measures_length():
    words = {(run, f"t{n}"): 10 * place + n for place, run in enumerate("bacd") for n in range(4)}
    long = board("long", {run: [words[run, f"t{n}"] / 100 for n in range(4)] for run in "abcd"})
    result = meta_evaluate(TRUTH, [long, NOISY], MetaSettings(methods=("kendall",)), lengths=words)
    by_name = {row.judge: row for row in result.rows}
    assert by_name["long"].with_length.value == 1.0
    assert by_name["noisy"].with_length.value < 1
    assert by_name["length"].with_length is None
    assert by_name["long"].overall["kendall"].value == by_name["length"].overall["kendall"].value
    assert [(one.judge, one.other) for one in result.from_length] == [("long", "length"), ("noisy", "length")]
    assert result.from_length[0].difference.value == 0
    assert all(one.judge != "length" for one in result.from_best)


@pytest.mark.parametrize(
    ("truth", "judge", "settings", "wrong"),
    [
        (board("two", {"a": [1], "b": [2]}), NOISY, {}, "two has 2 runs: a ranking needs at least 3"),
        (TRUTH, NOISY.of_runs("abc"), {}, "noisy has no 'd', which truth has. Write --only-shared"),
        (TRUTH, leaderboard("x", [*NOISY.cells()][1:]), {}, "a has no m for 't0'. Write --on-missing skip"),
        (TRUTH, NOISY, {"measures": ("n",)}, "no measure in noisy 'n'"),
    ],
)
def test_what_is_refused(truth, judge, settings, wrong):
    with pytest.raises(DeclarationError) as raised:
        only(judge, truth=truth, **settings)
    assert wrong in str(raised.value)


def test_the_best_is_chosen_by_the_same_topics_so_all_pairs_count():
    rng = np.random.default_rng(5)
    runs = "abcdef"
    truth = board("truth", {run: [float(place)] for place, run in enumerate(runs)}, topics=12)
    judges = [
        board(
            name, {run: (place + rng.normal(0, 3, 12)).tolist() for place, run in enumerate(runs)}, topics=12
        )
        for name in ("one", "two", "three", "four")
    ]
    result = only(*judges, truth=truth)
    topics = [list(row.topics["kendall"].values()) for row in result.rows]
    raw = [ttest_rel(topic, other).pvalue for topic, other in combinations(topics, 2)]
    assert len(result.from_best) == 3
    least = min(result.from_best, key=lambda one: one.p)
    assert least.p == pytest.approx(min(raw)), "the best and the worst are furthest apart here"
    assert least.p_holm == pytest.approx(6 * least.p)
