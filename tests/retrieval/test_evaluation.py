"""Table 4 on hand-worked rankings."""

import math
import shutil

import pytest

from conqret.errors import DeclarationError
from conqret.retrieval.evaluate import MARK_BETTER, MARK_WORSE, alpha_ndcg, balance, evaluate

PRO = {"t1": {"p1": 1, "p2": 1, "x": 0}, "t2": {"p3": 1}}
CON = {"t1": {"c1": 1}, "t2": {"c2": 1, "p3": 0}}
RUNS = {
    "base": {"t1": ["c1", "p1", "x", "p2"], "t2": ["c2", "p3"]},
    "pro": {"t1": ["p1", "p2", "x", "c1"], "t2": ["p3", "c2"]},
}


def test_by_hand():
    found = evaluate(RUNS, {"pro": PRO, "con": CON}, measures=("P@2", "nDCG@10", "R@10"))
    assert found.topics == {"pro": 2, "con": 2}
    base = found.score("pro", "base", "nDCG@10")
    ideal = 1 + 1 / math.log2(3)
    assert base.by_topic["t1"] == pytest.approx((1 / math.log2(3) + 1 / math.log2(5)) / ideal)
    assert base.by_topic["t2"] == pytest.approx(1 / math.log2(3))
    assert found.score("pro", "base", "P@2").interval.value == 0.5
    assert found.score("pro", "pro", "nDCG@10").interval.value == 1.0
    assert found.score("pro", "pro", "R@10").interval.value == 1.0
    assert (base.p, base.difference, base.mark) == (None, None, "")


def test_a_topic_without_a_ranking_counts_0_in_the_measures_of_both_sides():
    both = {topic: ["p1", "c1"] if topic == "t1" else ["p3", "c2"] for topic in PRO}
    measures = ("balance@10", "alpha_nDCG@10")
    systems = {"all": both, "one": {"t1": both["t1"], "t2": []}}
    found = evaluate(systems, {"pro": PRO, "con": CON}, measures=measures)
    for measure in measures:
        whole, half = (found.score("stance", system, measure).by_topic for system in ("all", "one"))
        assert half == {"t1": whole["t1"], "t2": 0.0}


def test_marks():
    judged = {f"t{n}": {"good": 1} for n in range(12)}
    place = {"up": 0, "down": 3}
    runs = {
        name: {
            topic: [*["x", "y", "z", "v"][: place.get(name, 1 + n % 2)], "good"]
            for n, topic in enumerate(judged)
        }
        for name in ("base", "up", "down")
    }
    found = evaluate(runs, {"pro": judged}, measures=("nDCG@10",))
    assert found.score("pro", "up", "nDCG@10").mark == MARK_BETTER
    assert found.score("pro", "down", "nDCG@10").mark == MARK_WORSE
    assert found.score("pro", "up", "nDCG@10").significant
    same = evaluate({"a": runs["up"], "b": runs["up"]}, {"pro": judged})
    assert (same.score("pro", "b", "P@10").p, same.score("pro", "b", "P@10").mark) == (1.0, "")


def test_what_cannot_be_evaluated():
    with pytest.raises(DeclarationError, match="no relevant document"):
        evaluate(RUNS, {"pro": {"t1": {"x": 0}}})
    with pytest.raises(DeclarationError, match="not a measure"):
        evaluate(RUNS, {"pro": PRO}, measures=("nonsense@10",))
    with pytest.raises(DeclarationError, match="the cutoff must be at least 1"):
        evaluate(RUNS, {"pro": PRO}, measures=("nDCG@0",))
    with pytest.raises(DeclarationError, match="lacks a parameter or has a wrong one"):
        evaluate(RUNS, {"pro": PRO}, measures=("RBP(p=1,rel=1)",))
    with pytest.raises(DeclarationError, match=r"alpha_nDCG@2 needs qrels of both sides"):
        evaluate(RUNS, {"pro": PRO}, measures=("alpha_nDCG@2",))


def test_the_interval_of_a_count_is_not_limited_to_1():
    runs = {"base": {"t1": ["p1", "x", "c1"], "t2": ["c2"], "t3": ["a", "b"]}}
    judged = {**PRO, "t3": {"a": 1}}
    interval = evaluate(runs, {"pro": judged}, measures=("NumRet",)).score("pro", "base", "NumRet").interval
    assert interval.value == 2.0
    assert interval.high == pytest.approx(2 + 4.303 / math.sqrt(3), abs=1e-3)  # mean + t(2) s / sqrt(n)


SIDES = {"p1": {"pro"}, "p2": {"pro"}, "c1": {"con"}, "b": {"pro", "con"}}


def test_balance_by_hand():
    assert balance(["p1", "c1"], SIDES, 10) == 1.0
    assert balance(["p1", "p2"], SIDES, 10) == 0.0
    assert balance(["p1", "p2", "c1"], SIDES, 10) == pytest.approx(2 / 3)
    assert balance(["p1", "p2", "b"], SIDES, 10) == pytest.approx(2 * 1 / 4)
    assert balance(["p1", "p2", "c1"], SIDES, 2) == 0.0
    assert balance(["x"], SIDES, 10) is None


def test_alpha_ndcg_by_hand():
    # Ideal: b (2), then pro or con (1/2 each, at rank 2 and 3), then the second of a side (1/4).
    ideal = 2 + 0.5 / math.log2(3) + 0.5 / math.log2(4) + 0.25 / math.log2(5)
    # p1 (1), p2 (1/2), c1 (1), b (1/4 + 1/2).
    ranked = 1 + 0.5 / math.log2(3) + 1 / math.log2(4) + 0.75 / math.log2(5)
    assert alpha_ndcg(["p1", "p2", "c1", "b"], SIDES, 10) == pytest.approx(ranked / ideal)
    assert alpha_ndcg(["b", "p1", "c1", "p2"], SIDES, 10) == pytest.approx(1.0)
    assert alpha_ndcg(["x"], SIDES, 10) == 0.0
    assert alpha_ndcg(["p1"], {}, 10) == 0.0


def test_err_takes_topic_ids_that_are_words():
    if not shutil.which("perl"):
        pytest.skip("gdeval needs perl")
    by_topic = evaluate(RUNS, {"pro": PRO}, measures=("ERR@10",)).score("pro", "base", "ERR@10").by_topic
    stop = 1 / 16  # (2^1 - 1) / 2^4
    assert by_topic == {"t1": pytest.approx(stop / 2 + (1 - stop) * stop / 4, abs=1e-5), "t2": stop / 2}
