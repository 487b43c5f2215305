"""``check``: the figures of each kind of verdicts are those of scikit-learn and of hand, and when none is claimed."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.metrics import (
    brier_score_loss,
    cohen_kappa_score,
    confusion_matrix,
    precision_recall_fscore_support,
    roc_auc_score,
)

from conqret.stats.agreement import krippendorff_alpha
from conqret.studies.check.api import check_requirement, parse_requirement
from conqret.studies.check.checked_table import CheckedTable, JudgeColumn, Kind
from conqret.studies.check.figures import check_table
from conqret.studies.check.page import check_page
from conqret.studies.check.result import TITLES, CheckResult

NAN = np.nan


def column(name="judge", values=(), **more):
    return JudgeColumn(name=name, values=np.asarray(values, dtype=float), **more)


def table(kind: Kind, judges, *labels, **more) -> CheckedTable:
    """A table whose labels are those of one annotator or several."""
    n = len(judges[0].values)
    return CheckedTable(
        source="my results.csv",
        kind=kind,
        judges=tuple(judges),
        labels=np.array(labels, dtype=float).T.reshape(n, len(labels)),
        annotators=tuple(f"annotator{number}" for number in range(len(labels))),
        **{"texts": {"id": tuple(map(str, range(n)))}, **more},
    )


def verdicts(n=2000, *, passes=0.7, tpr=0.93, tnr=0.53, seed=0):
    """Human labels and verdicts of a judge with these rates."""
    rng = np.random.default_rng(seed)
    human = (rng.random(n) < passes).astype(float)
    return human, np.where(human == 1, rng.random(n) < tpr, rng.random(n) >= tnr).astype(float)


@pytest.fixture(scope="module")
def first_hundred() -> CheckResult:
    """70 good answers of which 5 are failed, 30 failures of which 14 pass, and 900 rows without a label."""
    human = np.array([1.0] * 70 + [0.0] * 30 + [NAN] * 900)
    judge = np.array([0.0] * 5 + [1.0] * 65 + [1.0] * 14 + [0.0] * 16 + [1.0] * 711 + [0.0] * 189)
    texts = {"id": tuple(f"q{row}" for row in range(1000)), "output": ("word " * 200,) * 1000}
    return check_table(table("pass_fail", [column(values=judge)], human, texts=texts))


def test_labels_of_one_value_leave_one_rate_unknown():
    result = check_table(table("pass_fail", [column(values=[1.0] * 40)], [1.0] * 40))
    assert result.tnr.value is None
    assert "no failure is labeled: good so far, too few labels for a gate (TNR is unknown" in result.answer


def test_pass_and_fail_has_both_rates_first(first_hundred):
    result = first_hundred
    assert list(result.judges[0].figures)[:5] == ["tnr", "tpr", "judge_mean", "corrected", "kappa"]
    assert result.tnr.value == pytest.approx(16 / 30)
    assert result.tpr.value == pytest.approx(65 / 70)
    assert result.tnr.low < 16 / 30 < result.tnr.high < 0.8
    human, judge = [1] * 70 + [0] * 30, [0] * 5 + [1] * 65 + [1] * 14 + [0] * 16
    assert result.kappa.value == pytest.approx(cohen_kappa_score(human, judge))
    assert np.array_equal(result.judges[0].confusion, confusion_matrix(human, judge))
    assert (result.precision.value, result.precision.n) == (pytest.approx(65 / 79), 79)
    # q a1 + (1 - q) a0, with the judge's pass rate of all rows
    assert result.corrected.value == pytest.approx(0.79 * 65 / 79 + 0.21 * 5 / 21)


def test_false_passes_come_first_with_short_texts(first_hundred):
    rows = first_hundred.disagreements
    assert [(row.judge, row.human) for row in rows] == [("pass", "fail")] * 14 + [("fail", "pass")] * 5
    assert (rows[0].row, rows[0].id, first_hundred.disagreements_in_all) == (71, "q70", 19)
    assert len(rows[0].texts["output"]) == 400
    assert CheckResult.model_validate_json(first_hundred.model_dump_json()) == first_hundred


@pytest.mark.parametrize(
    ("tpr", "tnr", "labels", "usable", "words"),
    [
        (0.97, 0.95, 1000, "usable", "good enough for a gate (both intervals lie above "),
        (0.9, 0.88, 60, "not shown", "good so far, too few labels for a gate (the interval of "),
        (0.9, 0.7, 60, "not shown", "probably too weak for a gate (TNR is "),
        (0.95, 0.5, 300, "not usable", "too weak for a gate (TNR is at most "),
    ],
)
def test_the_bar_is_held_against_intervals(tpr, tnr, labels, usable, words):
    human, judge = verdicts(tpr=tpr, tnr=tnr, seed=1)
    human[labels:] = NAN
    result = check_table(table("pass_fail", [column(values=judge)], human))
    assert result.usable == usable
    assert f": {words}" in result.answer


@pytest.mark.parametrize("kind", ["pass_fail", "ratings", "classes"])
def test_labels_drawn_by_verdict_claim_nothing_until_it_is_stated(kind):
    human, judge = verdicts()
    drawn = np.concatenate([np.flatnonzero(judge == side)[:50] for side in (0, 1)])
    labels = np.full(len(human), NAN)
    labels[drawn] = human[drawn]
    more = {"classes": ("refund", "order")} if kind == "classes" else {}
    silent = check_table(table(kind, [column(values=judge)], labels, **more))
    assert silent.guard.fired
    assert silent.guard.p < 0.001
    assert "conqret check 'my results.csv' --drawn-by verdict  #" in silent.next
    for name in ("tnr", "tpr", "corrected", "kappa", "agreement", "bias"):
        if name in silent.judges[0].figures:
            assert silent.figure(name).value is None
            assert "--drawn-by" in silent.figure(name).reason
    stated = check_table(table(kind, [column(values=judge)], labels, drawn_by="verdict", **more))
    assert not stated.guard.fired
    if kind == "classes":
        assert stated.agreement.low < np.mean(human == judge) < stated.agreement.high
    else:
        assert stated.corrected.low < human.mean() < stated.corrected.high
    if kind == "pass_fail":
        assert stated.tnr.low < 0.53 < stated.tnr.high
        assert "% of failures pass" in stated.answer


def test_a_stated_draw_that_the_verdicts_contradict_is_said():
    human, judge = verdicts(passes=0.9, seed=3)
    labels = np.full(len(human), NAN)
    for side in (0, 1):
        labels[np.flatnonzero(judge == side)[:50]] = human[judge == side][:50]
    by_label, at_random, by_verdict = (
        check_table(table("pass_fail", [column(values=judge)], labels, drawn_by=how))
        for how in ("label", "random", "verdict")
    )
    assert by_label.guard.fired
    assert by_label.answer.startswith("The 100 labeled rows were not drawn by label: with their TPR of 0.")
    assert "not drawn by label" in by_label.kappa.reason
    assert not at_random.guard.fired
    assert at_random.notes[0].startswith(
        "the 100 labeled rows count as random, as stated, but the judge passes 50%"
    )
    passed = int(judge.sum())
    assert by_verdict.notes[0] == (
        f"figures are weighted by verdict: the 50 labeled rows that the judge passes stand for {passed:,}, "
        f"the 50 that it fails for {2000 - passed:,}"
    )
    balanced = np.full(len(human), NAN)
    for side in (0, 1):
        balanced[np.flatnonzero(human == side)[:50]] = side
    fitting = check_table(table("pass_fail", [column(values=judge)], balanced, drawn_by="label"))
    assert fitting.corrected.low < 0.9 < fitting.corrected.high


def test_rows_without_a_majority_count_as_labeled():
    # The judge passes 60 of 100 labeled rows, 20 of which are disputed and pass, and 60 of 100 others.
    judge = np.array([1.0] * 60 + [0.0] * 40 + [1.0] * 60 + [0.0] * 40)
    first = np.where(np.arange(200) < 100, judge, NAN)
    second = np.where(np.arange(200) < 20, 1 - first, first)
    result = check_table(table("pass_fail", [column(values=judge)], first, second))
    assert not result.guard.fired
    assert result.guard.p == 1
    note = next(note for note in result.notes if note.startswith("20 rows are left out"))
    assert note.endswith(
        "this flatters the judge: its agreement is 1.00, and 0.90 if they count as half right"
    )


def test_labels_of_errors_alone_claim_nothing():
    judge = np.array([1.0] * 60 + [0.0] * 40)
    labels = np.full(100, NAN)
    labels[[3, 17, 44, 80]] = 1 - judge[[3, 17, 44, 80]]
    result = check_table(table("pass_fail", [column(values=judge)], labels))
    assert result.answer.startswith(
        "All 4 labels differ from the verdicts of the judge: only rows where it erred"
    )
    assert result.tnr.value is None
    assert result.next.startswith("label rows on which the judge is right, too: ")
    assert check_table(table("pass_fail", [column(values=judge)], labels, drawn_by="random")).tnr.value == 0


def rated(n=200, seed=1):
    """Ratings of two annotators, and of a judge that is half a point too kind."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(1, 6, n)
    first, second = (np.clip(truth + rng.integers(-1, 2, n), 1, 5).astype(float) for _ in range(2))
    return first, second, np.clip(truth + rng.integers(0, 2, n), 1, 5).astype(float)


def test_ratings_have_bias_in_points_and_agreement_beside_one_annotator():
    first, second, judge = rated()
    runs = np.stack([judge, np.roll(judge, 1), judge], axis=1)
    result = check_table(table("ratings", [column(values=judge, runs=runs)], first, second, scale=(1.0, 5.0)))
    human = (first + second) / 2
    figures, check = result.judges[0].figures, result.judges[0]
    assert result.bias.value == pytest.approx(np.mean(judge - human))
    expected = ((judge[:, None] - human) ** 2).mean()
    assert result.weighted_kappa.value == pytest.approx(1 - ((judge - human) ** 2).mean() / expected)
    one = check_table(table("ratings", [column(values=judge)], first, scale=(1.0, 5.0)))
    assert one.weighted_kappa.value == pytest.approx(cohen_kappa_score(first, judge, weights="quadratic"))
    assert result.alpha.value == pytest.approx(krippendorff_alpha([human, judge], "ordinal"))
    assert figures["one_annotator"].value == pytest.approx(krippendorff_alpha([first, second], "ordinal"))
    assert result.annotators.alpha.value == figures["one_annotator"].value
    stand_in = np.mean([krippendorff_alpha([judge, other], "ordinal") for other in (first, second)])
    assert figures["judge_as_annotator"].value == pytest.approx(stand_in)
    assert result.spearman.value == pytest.approx(spearmanr(human, judge).statistic)
    assert figures["error"].value == pytest.approx(np.abs(judge - human).mean())
    assert figures["changed"].value == pytest.approx(np.mean(judge != np.roll(judge, 1)))
    assert figures["run_sd"].value == pytest.approx(np.std(runs, axis=1, ddof=1).mean())
    assert sum(level.rows for level in check.by_human) == sum(level.rows for level in check.by_judge) == 200
    assert check.by_human[0].bias.value == pytest.approx(np.mean((judge - human)[human == human.min()]))
    assert result.answer.startswith("The judge (run 1 of 3) rates ")
    apart = [abs(float(row.judge) - float(row.human)) for row in result.disagreements]
    assert all(earlier >= later for earlier, later in pairwise(apart))


def test_the_judge_is_compared_with_annotators_on_all_rows_with_two_labels():
    rng = np.random.default_rng(4)
    truth = rng.random(400) < 0.6
    first, second, judge = ((truth ^ (rng.random(400) < wrong)).astype(float) for wrong in (0.2, 0.2, 0.05))
    second[:50], judge[60:70] = NAN, NAN
    figures = check_table(table("pass_fail", [column(values=judge)], first, second)).judges[0].figures
    there = ~np.isnan(second + judge)
    assert (first != second)[there].sum() > 50  # without a majority
    alone, first, second = (values[there] for values in (judge, first, second))
    among = krippendorff_alpha([first, second], "nominal")
    stand_in = np.mean([krippendorff_alpha([alone, other], "nominal") for other in (first, second)])
    assert figures["one_annotator"].value == pytest.approx(among)
    assert figures["judge_minus_annotator"].value == pytest.approx(stand_in - among)
    assert figures["judge_minus_annotator"].sign == 1
    assert figures["judge_minus_annotator"].n == there.sum()
    ones, zeros = np.ones(9), np.zeros(9)
    figures = check_table(table("pass_fail", [column(values=ones)], zeros, zeros)).judges[0].figures
    assert figures["judge_minus_annotator"].value is None


def test_scores_beside_labels_of_two_values_have_auroc_and_alpha():
    rng = np.random.default_rng(2)
    scores = rng.random(150)
    human = (rng.random(150) < scores).astype(float)
    result = check_table(table("scores", [column(values=scores, probabilities=scores)], human))
    assert result.figure("auroc").value == pytest.approx(roc_auc_score(human, scores))
    assert result.figure("brier").value == pytest.approx(brier_score_loss(human, scores))
    assert result.alpha.value == pytest.approx(krippendorff_alpha([human, scores], "interval"))
    error, noise = result.figure("calibration_error"), result.figure("calibration_noise")
    assert 0 < noise.low < error.value < noise.high < 0.2
    (note,) = (note for note in result.notes if note.startswith("stated probabilities"))
    assert f"off by {error.value:.2f} on average (ECE), within noise: a perfectly calibrated judge" in note
    overconfident = np.where(scores > 0.5, 0.99, 0.01)
    result = check_table(table("scores", [column(values=scores, probabilities=overconfident)], human))
    assert "beyond noise: " in result.notes[0]
    assert "rarely above 0.0" in result.notes[0]
    assert "it is overconfident" in result.notes[0]
    assert result.figure("overconfidence").value == pytest.approx(0.99 - np.mean((scores > 0.5) == human))


def test_pairs_count_flips_apart_from_agreement():
    orders = np.array([[1, 1]] * 40 + [[0, 0]] * 40 + [[1, 0]] * 20, dtype=float)
    human = np.array([1.0] * 36 + [0.0] * 4 + [0.0] * 30 + [1.0] * 10 + [1.0] * 20)
    both = check_table(table("pairs", [column(values=orders.mean(axis=1), orders=orders)], human))
    assert both.agreement.value == pytest.approx(66 / 80)
    assert both.disagreements_in_all == 14
    assert both.flip_rate.value == pytest.approx(0.2)
    assert both.flip_rate.low < 0.2 < both.flip_rate.high
    assert both.figure("first_share").value == pytest.approx(0.6)
    assert both.figure("agreement_with_flips").value == pytest.approx(0.76)
    assert both.judges[0].confusion == ((30, 0, 4), (0, 0, 0), (10, 20, 36))
    orders[80:90, 1], orders[90:, 0] = 0.5, 0.5  # from A to a tie, and from a tie to B: ties, all the same
    half = check_table(table("pairs", [column(values=orders.mean(axis=1), orders=orders)], human))
    assert half.judges[0].confusion == both.judges[0].confusion
    assert "a flip is a tie." in check_page(half).markdown()
    single = check_table(table("pairs", [column(values=orders[:, 0])], human))
    assert "a flip is" not in check_page(single).markdown()
    assert single.flip_rate.value is None
    assert "flips cannot be seen" in single.answer


def test_classes_have_a_confusion_matrix_and_recall_of_each():
    rng = np.random.default_rng(3)
    human = rng.integers(0, 3, 120)
    judge = np.where(rng.random(120) < 0.7, human, rng.integers(0, 3, 120))
    names = ("refund", "order", "other")
    check = check_table(table("classes", [column(values=judge)], human, classes=names)).judges[0]
    assert np.array_equal(check.confusion, confusion_matrix(human, judge))
    assert check.kappa.value == pytest.approx(cohen_kappa_score(human, judge))
    precision, recall, *_ = precision_recall_fscore_support(human, judge)
    assert [one.recall.value for one in check.classes] == pytest.approx(recall)
    assert [one.precision.value for one in check.classes] == pytest.approx(precision)


def test_several_judges_are_compared_on_the_rows_that_all_judged():
    human, bad = verdicts(400)
    _, good = verdicts(400, tpr=0.95, tnr=0.9)
    good[:3] = NAN
    judges = [column("bad", bad), column("good", good, failed=3, failures=("line 2: 'ERROR'",))]
    result = check_table(table("pass_fail", judges, human))
    assert (result.best, result.best_judge.name, result.usable) == ("good", "good", "usable")
    assert result.answer.startswith("The best of 2 judges, good, lets ")
    assert result.disagreements[0].judge == "pass"
    assert result.disagreements_in_all == int((good != human)[3:].sum())
    (comparison,) = result.comparisons
    assert (comparison.rows, comparison.better) == (397, "good")
    assert result.judges[1].coverage == pytest.approx(397 / 400)
    assert (result.judges[1].failed, result.judges[1].failures) == (3, ("line 2: 'ERROR'",))
    assert check_requirement(parse_requirement("tnr[good] >= 0.8"), result).status == "met"
    first = check_requirement(parse_requirement("tnr >= 0.8"), result)
    assert (first.status, first.reason) == ("not met", "of bad")
    assert check_table(table("pass_fail", judges[:1] * 2, human)).comparisons[0].better == ""


def test_systems_have_corrected_means_and_paired_differences():
    rng = np.random.default_rng(4)
    systems, ids = ("A", "B") * 400, tuple(str(row // 2) for row in range(800))
    truth = (rng.random(800) < np.where(np.array(systems) == "A", 0.8, 0.5)).astype(float)
    kind = np.where(np.array(systems) == "B", 0.9, 0.1)  # the judge is kind to B
    judge = np.where(truth == 1, 1.0, rng.random(800) < kind)
    human = np.where(rng.random(800) < 0.3, truth, NAN)
    result = check_table(
        table("pass_fail", [column(values=judge)], human, systems=systems, texts={"id": ids})
    )
    first, second = result.judges[0].systems
    assert (first.name, second.name) == ("A", "B")
    assert second.judge.value > first.judge.value
    (difference,) = result.judges[0].differences
    assert (difference.first, difference.second, difference.pairs) == ("A", "B", 400)
    assert difference.judge.high < 0 < difference.corrected.low < 0.3 < difference.corrected.high
    assert "rows of one id count as one group, as systems share ids" in result.notes


@pytest.mark.parametrize("kind", ["pass_fail", "pairs", "classes"])
def test_without_labels_the_next_step_is_to_collect_some(kind):
    values = np.array([0.0, 1.0, 1.0, 0.0])
    orders = np.stack([values, values], axis=1) if kind == "pairs" else None
    more = {"classes": ("no", "yes")} if kind == "classes" else {}
    texts = dict.fromkeys(("id", "output", "answer_a", "answer_b"), ("a", "b", "c", "d"))
    result = check_table(table(kind, [column(values=values, orders=orders)], texts=texts, **more))
    assert "human label yet" in result.answer
    assert {figure.reason for figure in result.judges[0].figures.values() if figure.value is None} <= {
        "no row has a human label",
        "judged in one order: flips cannot be seen",
        "",
    }
    command = "conqret labels collect 'my results.csv' --sample 4 -o 'my results-labels'"
    assert result.next == f"label a sample: {command}"
    assert set(result.judges[0].figures) <= set(TITLES)
    failed = check_table(table(kind, [column(values=[NAN] * 4, failed=4)], values, **more))
    assert "all 4 verdicts failed" in failed.answer


def test_runs_have_rates_of_their_own_and_one_that_is_weak_counts():
    human = np.array([1.0, 0.0] * 100)
    weak = np.where(np.arange(200) % 8 == 1, 1.0, human)  # TNR 0.75
    runs = np.stack([human, weak], axis=1)
    result = check_table(table("pass_fail", [column(values=human, runs=runs)], human))
    assert [run.tnr.value for run in result.judges[0].by_run] == [1.0, 0.75]
    assert result.usable == "not shown"
    assert "probably too weak for a gate (TNR is 0.75 in run 2, below" in result.answer
    assert result.next.startswith("make the judge steady")


@pytest.mark.parametrize(
    ("right_fails", "wrong_passes", "right_passes", "first"),
    [
        (10, 4, 65, "label "),
        (81, 19, 99, "read the 19 false passes and edit the judge's prompt: TNR 0.81"),
        (100, 0, 100, "hold the judge to it in a build"),
    ],
)
def test_the_next_step_fits_the_intervals(right_fails, wrong_passes, right_passes, first):
    human = np.array([0.0] * (right_fails + wrong_passes) + [1.0] * right_passes)
    judge = np.array([0.0] * right_fails + [1.0] * (wrong_passes + right_passes))
    assert check_table(table("pass_fail", [column(values=judge)], human)).next.startswith(first)


@pytest.mark.parametrize(
    ("fails_among_old", "drawn_by", "pooled"),
    [(10, None, True), (30, None, False), (30, "verdict", True), (10, "label", False)],
)
def test_labels_of_before_count_with_drawn_ones_where_they_can_be_random(fails_among_old, drawn_by, pooled):
    judge = np.array([0.0] * 60 + [1.0] * 240)
    human, before = np.full(300, np.nan), np.zeros(300, dtype=bool)
    before[:fails_among_old] = before[100:150] = True
    human[before] = np.where(np.arange(before.sum()) % 5 == 0, 1 - judge[before], judge[before])
    drawn = [58, 59, 297, 298, 299]
    human[drawn] = 1.0
    chances = np.where(before, 1.0, np.nan)
    chances[drawn] = [2 / (60 - fails_among_old)] * 2 + [3 / 190] * 3
    result = check_table(
        table(
            "pass_fail",
            [column(values=judge)],
            human,
            chances=chances,
            labeled_before=before,
            drawn_by=drawn_by,
        )
    )
    passed = np.nanmean(human[judge == 1]), np.nanmean(human[judge == 0])
    corrected = result.judges[0].figures["corrected"]
    by_verdict = 0.8 * passed[0] + 0.2 * passed[1]
    assert bool(corrected.value == pytest.approx(by_verdict)) is pooled
    assert pooled or (corrected.high or 0) - (corrected.low or 0) > 0.25  # of five labels for most rows
    assert any("stand for themselves alone" in note for note in result.notes) is not pooled
    assert result.drawn == 5


def test_known_probabilities_weigh_agreement_as_scikit_learn_does():
    human, judge = verdicts(1000)
    chances = np.where(judge == 1, 0.2, 0.6)
    labels = np.where(np.random.default_rng(6).random(len(human)) < chances, human, NAN)
    ratings = check_table(table("ratings", [column(values=judge)], labels, chances=chances))
    there = ~np.isnan(labels)
    weighted = cohen_kappa_score(human[there], judge[there], sample_weight=1 / chances[there])
    assert ratings.weighted_kappa.value == pytest.approx(weighted)
    assert ratings.corrected.low < human.mean() < ratings.corrected.high
