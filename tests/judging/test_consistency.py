"""Self-consistency: several samples of one question."""

from __future__ import annotations

from typing import Any

import pytest

from conqret.data import Measure, Reason, Status
from conqret.judging.instrument import judge_item
from conqret.judging.scales import ONE_TO_FIVE, combine_samples, majority, preferred, rated
from conqret.llm.request import Request
from tests.judging.scripted import ITEM, Scripted, instrument

MISSING = Measure.missing(Reason.INVALID_JSON, "no JSON")


def test_mean_and_majority_stand_beside_every_sample() -> None:
    found = combine_samples([rated(ONE_TO_FIVE, rating) for rating in (5, 2, 2)])
    assert found.value == pytest.approx((1 + 0.25 + 0.25) / 3)
    assert found.raw == pytest.approx(3.0)
    assert found.majority == 0.25
    assert found.samples == (1.0, 0.25, 0.25)


@pytest.mark.parametrize(("values", "expected"), [([0, 1, 1], 1), ([1, 1, 0.2, 0.2], 0.6)])
def test_majority_is_the_median_of_the_tied(values: list[float], expected: float) -> None:
    assert majority(values) == pytest.approx(expected)


def test_a_sample_without_a_value_is_none_and_counts_for_nothing() -> None:
    found = combine_samples([MISSING, rated(ONE_TO_FIVE, 3), rated(ONE_TO_FIVE, 5)])
    assert found.samples == (None, 0.5, 1.0)
    assert found.value == pytest.approx(0.75)
    assert found.status is Status.SCORED
    assert found.detail == "2 of 3 samples gave a value"


def test_no_sample_with_a_value_is_no_score() -> None:
    found = combine_samples([MISSING, Measure.missing(Reason.TIMEOUT)])
    assert (found.status, found.reason, found.value) == ("unscored", Reason.INVALID_JSON, None)
    assert found.samples == (None, None)


def test_preferences_flips_and_methods() -> None:
    samples = [
        preferred("first").model_copy(update={"flipped": False, "method": "rating"}),
        preferred("tie").model_copy(update={"flipped": True, "method": "logprobs"}),
        preferred("first").model_copy(update={"flipped": False, "method": "rating"}),
    ]
    found = combine_samples(samples)
    assert (found.label, found.flipped, found.method) == ("first", True, "mixed")
    assert found.value == pytest.approx(2.5 / 3)


async def test_each_sample_is_a_request_of_its_own() -> None:
    def answer(request: Request[Any]) -> Any:
        rating = {"explanation": f"sample {request.sample}", "rating": 1 + request.sample}
        return dict.fromkeys(request.response.model_fields, rating)

    tool = instrument("listwise", answer, samples=3)
    judgment = await judge_item(ITEM, tool)
    assert isinstance(tool.client, Scripted)
    assert [request.sample for request in tool.client.requests] == [0, 1, 2]
    assert {request.temperature for request in tool.client.requests} == {0.7}
    assert len({request.messages[0].content for request in tool.client.requests}) == 3
    assert len({request.messages[1].content for request in tool.client.requests}) == 1
    assert judgment.measures["clarity"].samples == (0.0, 0.5, 1.0)
    assert judgment.trace.cost_usd == pytest.approx(0.75)
