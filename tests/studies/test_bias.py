"""Planted biases are found, and a judge without any raises no alarm."""

from __future__ import annotations

import numpy as np
import pytest

from conqret.data import Reason
from conqret.stats.effects import PairedEffects, paired_effects
from conqret.studies.bias.bias_effects import _DetectionLimit, _verdict, widest_effect
from conqret.studies.bias.bias_run import BiasPlan, plan_bias
from conqret.studies.bias.contrast import ProbeContext
from conqret.studies.bias.result import BiasRow
from tests.studies.planted import (
    Bias,
    alarms,
    injected,
    items,
    judged,
    judgment,
    learned,
    padded,
    probe_context,
    rows,
    setup,
    shuffled,
    side,
)


@pytest.fixture(scope="module")
def plan() -> BiasPlan:
    return plan_bias(probe_context("openai/gpt-4o-mini"))


@pytest.mark.parametrize(
    ("probe", "bias"),
    [
        ("position", lambda item: 0.1),
        ("length", padded),
        ("stance", lambda item: side(item) * (item.stance == "pro")),
        ("injection", injected),
        ("authority", learned),
        ("self-preference", lambda item: side(item) * ("gpt" in item.metadata["generator"]["model"])),
        ("document order", shuffled),
    ],
)
def test_a_planted_bias_is_found(plan: BiasPlan, probe: str, bias: Bias) -> None:
    found = rows(plan, judged(plan, 1, bias))
    own = [row for row in found if row.probe == probe and row.verdict == "alarm"]
    assert own
    assert all(row.effect is not None and row.effect.low > 0 for row in own)
    assert alarms(found) == {probe}


def test_a_judge_without_bias_raises_few_alarms(plan: BiasPlan) -> None:
    quiet = sum(not alarms(rows(plan, judged(plan, seed))) for seed in range(12))
    assert quiet >= 11


def test_repeatability_is_measured_and_never_an_alarm(plan: BiasPlan) -> None:
    found = [row for row in rows(plan, judged(plan, 1)) if row.probe == "repeatability"]
    assert {row.verdict for row in found} == {"measured"}
    assert all(row.effect is not None and row.effect.p is None and row.effect.share > 0.5 for row in found)
    same = [row for row in rows(plan, judged(plan, 1, noise=0)) if row.probe == "repeatability"]
    assert {row.words for row in same} == {"says the same every time"}


def test_what_has_no_value_is_counted_with_its_reason(plan: BiasPlan) -> None:
    readings = judged(plan, 1)
    lost = next(key for key in readings if key[1].endswith("+padding-5"))
    readings[lost] = judgment({"groundedness": Reason.REFUSAL})
    found = next(row for row in rows(plan, readings) if (row.probe, row.metric) == ("length", "groundedness"))
    assert found.missing == {"refusal": 1}
    assert found.effect is not None
    assert found.effect.n == len(items()) - 1


def test_five_topics_are_too_few_for_a_verdict() -> None:
    few = tuple(item for item in items() if item.topic in {f"Topic {n}?" for n in range(5)})
    small = plan_bias(ProbeContext(few, setup()), ["length"])
    found = rows(small, judged(small, 1, padded))
    assert {(row.primary, row.verdict) for row in found} == {(True, "inconclusive"), (False, "exploratory")}
    assert {row.words for row in found} == {"5 topics: at least 6 are needed for a test"}


def test_nothing_larger_than_scores_can_differ_by_is_said_to_be_missed(plan: BiasPlan) -> None:
    """Two topics that say the opposite: an effect of 2 would be found, and there is none."""
    contrast = next(contrast for contrast in plan.contrasts if contrast.probe == "length")
    wild = PairedEffects([0.9, -0.9, 0.8, -0.8, 0.9, -0.9], list("abcdef"), True)
    answer = _DetectionLimit.from_effects(contrast, [wild], 7)
    assert answer.missable is None
    effect = widest_effect(paired_effects([wild], np.random.default_rng(1)))
    verdict = _verdict(contrast, effect, {}, answer)
    assert verdict == ("inconclusive", "cannot be told: an effect of any size could have been missed")


def test_one_row_of_each_probe_is_declared_before_anything_is_judged(plan: BiasPlan) -> None:
    found = rows(plan, judged(plan, 1, padded))
    primary = [(row.probe, row.metric) for row in found if row.primary]
    assert len({probe for probe, _ in primary}) == len(primary) == 7
    assert sum(metric == "preference" for _, metric in primary) == 5, "groups are compared by other metrics"
    other = rows(plan, judged(plan, 2, injected))
    assert [(row.probe, row.metric) for row in other if row.primary] == primary
    hints = [row for row in found if row.probe == "length" and not row.primary]
    assert {row.verdict for row in hints} == {"exploratory"}
    assert any(row.words == "a hint: higher with padding" for row in hints)


def test_three_answers(plan: BiasPlan) -> None:
    def answer(noise: float, by: Bias = lambda item: 0.0) -> BiasRow:
        return next(
            row for row in rows(plan, judged(plan, 1, by, noise)) if row.probe == "length" and row.primary
        )

    assert answer(0.1, padded).verdict == "alarm"
    assert answer(0.0).words == "no score changed"
    clear, unsure = answer(0.03), answer(0.5)
    assert (clear.verdict, clear.words) == ("clear", "a rise of 0.05 or more is ruled out")
    falls = answer(0.03, lambda item: -0.12 * padded(item))
    assert (falls.verdict, falls.words) == (clear.verdict, clear.words)
    assert unsure.verdict == "inconclusive"
    assert unsure.words == f"could have missed up to {unsure.missable:.2f}"
    assert (clear.missable or 1) < 0.05 < (unsure.missable or 0)
    example = answer(0.1, padded).example
    assert example is not None
    assert example.changed > example.base
