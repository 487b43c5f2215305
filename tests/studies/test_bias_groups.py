"""Groups of arguments, beyond what people find of them; families of models."""

from __future__ import annotations

import numpy as np

from conqret.data import Judgment
from conqret.stats.effects import PairedEffects, paired_effects
from conqret.studies.bias.bias_effects import bias_rows, widest_effect
from conqret.studies.bias.bias_run import plan_bias
from conqret.studies.bias.contrast import AS_IS, Contrast, Key, ProbeContext
from conqret.studies.bias.probes.groups import compared, family, warning
from conqret.studies.bias.result import BiasTable
from tests.studies.planted import TOPICS, items, judgment, probe_context, setup


def test_groups_are_paired_without_a_look_at_quality() -> None:
    found = tuple(item for item in items() if item.id != "0-con-1")
    people = {"overall_quality": {item.id: 0.9 if item.id == "0-pro-0" else 0.5 for item in found}}
    contrast = plan_bias(ProbeContext(found, setup(), people), ["stance"]).contrasts[0]
    first = [
        (pair.base.item.id, pair.changed.item.id) for pair in contrast.pairs if pair.cluster == "Topic 0?"
    ]
    assert first == [("0-con-0", "0-pro-0"), ("0-con-0", "0-pro-1")]
    assert len(contrast.pairs) == 2 * TOPICS


def unlike(
    seed: int, *, gap: float, bias: float, noise: float = 0.1
) -> tuple[tuple[Contrast, ...], dict[Key, Judgment]]:
    """Pros better than cons by ``gap``, people who err by .2 and a judge that favours pros by ``bias``."""
    rng = np.random.default_rng(seed)
    found = items()
    truth = {item.id: 0.4 + gap * (item.stance == "pro") + rng.normal(0, 0.15) for item in found}
    people = {"answer_relevance": {name: value + rng.normal(0, 0.2) for name, value in truth.items()}}
    said = {
        (AS_IS, item.id): judgment(
            {"answer_relevance": truth[item.id] + bias * (item.stance == "pro") + rng.normal(0, noise)}
        )
        for item in found
    }
    contrasts = compared(
        ProbeContext(found, setup(), people),
        lambda item: item.stance == "pro",
        name="pro minus con",
        up="pro",
    )
    return tuple(contrast for contrast in contrasts if contrast.metrics == ("answer_relevance",)), said


def test_a_group_that_is_better_is_not_favoured_by_who_finds_it_better() -> None:
    """A true gap of .2 behind noisy labels: pairs matched on the labels found 85 to 99% of unbiased judges biased."""
    wrong = sum(
        bias_rows(*unlike(seed, gap=0.2, bias=0, noise=0.05), seed=13)[0].verdict == "alarm"
        for seed in range(15)
    )
    assert wrong <= 1
    right = sum(
        bias_rows(*unlike(seed, gap=0, bias=0.3), seed=13)[0].verdict == "alarm" for seed in range(10)
    )
    assert right >= 8


def test_a_judge_that_does_not_follow_people_cannot_be_held_to_them() -> None:
    contrasts, said = unlike(1, gap=0, bias=0.3)
    against = {
        key: judgment({"answer_relevance": 1 - one.value("answer_relevance")}) for key, one in said.items()
    }
    (row,) = bias_rows(contrasts, against, seed=13)
    assert (row.verdict, row.effect) == ("no value", None)
    assert row.words == "scores do not rise with human labels: quality cannot be allowed for"
    assert not BiasTable.model_construct(rows=(row,)).lost


def test_what_the_slope_leaves_open_stays_within_the_scale() -> None:
    """People's labels that tell little leave steep slopes possible; scores differ by 1 at most all the same."""
    rng = np.random.default_rng(0)
    topics = [place % 8 for place in range(40)]
    apart, judged = rng.normal(0, 0.4, 40), rng.normal(0.3, 0.3, 40)
    series = [PairedEffects((judged - slope * apart).tolist(), topics) for slope in (0.1, 9.0)]
    wide = paired_effects(series, rng)[1]
    found = widest_effect(paired_effects(series, rng))
    assert wide.high > 1
    assert -1 <= found.low < found.value < found.high == 1


def test_one_family_is_named() -> None:
    named = {
        "o3-mini": "GPT (OpenAI)",
        "hosted_vllm/meta-llama/Meta-Llama-3.1-8B": "Llama (Meta)",
        "something-new": "something-new",
    }
    assert {model: family(model) for model in named} == named
    said = warning(probe_context("openai/gpt-4o-mini"))
    assert said is not None
    assert "judges 24 arguments by gpt-x" in said
    assert warning(probe_context("gemini/gemini-2.0-flash")) is None
