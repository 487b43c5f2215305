"""Planted biases are found, a judge without any raises no alarm; what a run compares, asks, keeps and refuses."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from conqret.data import Judgment, Reason
from conqret.errors import DeclarationError
from conqret.runs.dry_run import costs_of
from conqret.stats.effects import PairedDifferences, paired_effects
from conqret.studies.bias.bias_effects import bias_rows, widest_effect
from conqret.studies.bias.bias_run import BiasFolder, BiasPlan, plan_bias, run_bias
from conqret.studies.bias.contrast import AS_IS, Contrast, Key, ProbeContext
from conqret.studies.bias.probes.groups import compared, family, warning
from conqret.studies.bias.result import BiasRow, BiasTable
from tests.studies.planted import (
    TOPICS,
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
from tests.studies.sensitivity_plans import Stopping


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
    quiet = sum(not alarms(rows(plan, judged(plan, seed))) for seed in range(6))
    assert quiet >= 5


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


def test_places_are_compared_in_what_other_probes_change_and_nothing_more_is_asked() -> None:
    """Position costs nothing beside probes that ask in both orders anyway. What tells the judge what to say does not
    count, and what that is held against does; a turned question stays with its topic."""
    few = items()[:4]
    found = plan_bias(ProbeContext(few, setup()), ["injection", "position", "length", "yes-bias"])
    (places,) = (contrast for contrast in found.contrasts if contrast.mirrored)
    versions = [pair.base.item.id for pair in places.pairs]
    changes = {name.partition("+")[2] for name in versions}
    assert set(versions[:4]) == {one.id for one in few}
    assert "padding-5" in changes
    assert {change for change in changes if change.startswith("inject")} == {
        "inject-argument-control-1",
        "inject-document-control-100",
    }
    assert len(versions) == len(set(versions))
    assert {(pair.original, pair.cluster) for pair in places.pairs} == {(one.id, one.topic) for one in few}
    assert places.notes == (f"position: {len(versions) - 4} versions of pairs by other probes count, too",)
    without = plan_bias(found.context, ["injection", "length", "yes-bias"])
    sent, fewer = (
        sum(one.calls for one in costs_of(lambda plan=plan: run_bias(plan, dry_run=True)))
        for plan in (found, without)
    )
    assert sent == fewer
    table = run_bias(found)
    assert table.session.sent == sent
    (row,) = (row for row in table.rows if row.probe == "position")
    assert row.effect is not None
    assert row.effect.n == len(versions)


def test_a_run_of_probes_is_kept_resumed_and_told_apart(tmp_path: Path) -> None:
    few = items()[:8]
    folder = BiasFolder(tmp_path / "bias")
    plan = plan_bias(ProbeContext(few, setup()), ["repeatability", "position"])
    with pytest.raises(KeyboardInterrupt):
        run_bias(plan, folder.path, watch=Stopping(5))
    with pytest.raises(DeclarationError, match="contains no finished run"):
        folder.table()
    table = run_bias(plan, folder.path)
    whole = run_bias(plan, tmp_path / "whole")
    assert (table.session.kept, table.judgments) == (5, plan.judgments)
    assert table.rows == whole.rows == folder.table().rows
    ways = {judgment.fingerprint.removeprefix(table.record.fingerprint) for judgment in folder.judgments()}
    assert ways == {"", "/again 1", "/again 2", "/one order"}


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


def test_what_the_slope_leaves_open_stays_within_the_scale() -> None:
    """People's labels that tell little leave steep slopes possible; scores differ by 1 at most all the same."""
    rng = np.random.default_rng(0)
    topics = [place % 8 for place in range(40)]
    apart, judged = rng.normal(0, 0.4, 40), rng.normal(0.3, 0.3, 40)
    series = [PairedDifferences((judged - slope * apart).tolist(), topics) for slope in (0.1, 9.0)]
    wide = paired_effects(series, rng)[1]
    found = widest_effect(paired_effects(series, rng))
    assert wide.high > 1
    assert -1 <= found.low < found.value < found.high == 1
