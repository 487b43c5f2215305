"""How sure a judge is of a score, by what says so."""

import pytest

from conqret.data import Measure, Reason, Status
from conqret.judging.scales import both_orders, combine_samples, confidences, preferred


def scored(value, **more):
    return Measure(status=Status.SCORED, value=value, **more)


def test_samples_that_agree_are_sure():
    assert confidences(scored(0.5)) == {}
    assert confidences(scored(0.5, samples=(0.5, None))) == {}  # one sample agrees with nothing
    assert confidences(scored(0.5, samples=(0.5, 0.5, None)))["samples"] == 1.0
    assert confidences(scored(0.5, samples=(0.0, 1.0)))["samples"] == 0.0
    assert confidences(scored(0.5, samples=(0.25, 0.75)))["samples"] == pytest.approx(0.5)


def test_a_verdict_that_flips_is_not():
    given, swapped = {"preference": preferred("first")}, {"preference": preferred("first")}
    assert confidences(both_orders(given, swapped)["preference"]) == {"orders": 0.0}
    swapped = {"preference": preferred("second")}
    assert confidences(both_orders(given, swapped)["preference"]) == {"orders": 1.0}


def test_what_becomes_one_measure_has_the_mean_of_what_all_have():
    one = scored(0.5, confidence={"logprobs": 0.6, "odd": 1.0})
    two = scored(1.0, confidence={"logprobs": 0.8})
    found = combine_samples([one, two, Measure.missing(Reason.REFUSAL)])
    assert found.confidence == {"logprobs": pytest.approx(0.7)}
    rated = both_orders({"quality": one}, {"quality": two})["quality"]
    assert rated.confidence == {"logprobs": pytest.approx(0.7)}
