"""Heat maps of instruments compared by pairs."""

import re

import pytest

from conqret.debateqa.stability import PairMatrix, heat_maps, labels
from conqret.stats.estimate import Estimate

pytest.importorskip("matplotlib", reason="the extra plots is not installed: matplotlib is missing")


def matrix(value, statistic="tau", metric="perspective_diversity"):
    estimate = Estimate(value, n=5, reason="" if value is not None else "one of the two does not vary")
    names = ("gpt2, prompt 1, paper (1a2b3c4d)", "gpt2, prompt 2, paper (5e6f7a8b)")
    over = "systems" if statistic == "tau" else "answers"
    return PairMatrix(names, 5, {names: estimate}, statistic, metric, over, tuple("abcde"), 1500)


def test_each_cell_says_its_value_and_each_row_its_instrument():
    page = heat_maps([matrix(-0.25), matrix(0.875, "agreement", "dispute_awareness")], "svg").decode()
    texts = re.findall(r">([^<>]+)</text>", page)
    assert texts.count("1.00") == 5  # four on the diagonals, one at the end of the second scale
    assert texts.count("-0.25") == 2
    assert texts.count("0.88") == 2
    assert texts.count("gpt2, prompt 1, paper  1") == 2
    assert {"Perspective diversity", "5 systems, 1,500 answers", "Dispute awareness"} <= set(texts)
    assert "Kendall's tau-b" in page
    assert "share of equal verdicts" in page


def test_a_pair_without_a_value_says_none():
    page = heat_maps([matrix(None)], "svg").decode()
    assert page.count(">none<") == 2
    assert ">nan<" not in page


def test_fingerprints_stay_where_names_are_the_same_without_them():
    assert labels(["gpt2 (1a2b3c4d)", "qwen2 (1a2b3c4d)"]) == ["gpt2  1", "qwen2  2"]
    assert labels(["gpt2 (1a2b3c4d)", "gpt2 (5e6f7a8b)"]) == ["gpt2 (1a2b3c4d)  1", "gpt2 (5e6f7a8b)  2"]
