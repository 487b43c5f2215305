"""Planted biases are found, and a judge without any raises no alarm."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conqret.data import Document, Item, Judgment, Measure, Reason
from conqret.errors import DeclarationError, UnknownNameError
from conqret.judging.base import JudgeOptions
from conqret.judging.setup import Setup, set_up
from conqret.llm.options import ClientOptions
from conqret.perturb import records
from conqret.perturb.injections import INJECTIONS
from conqret.perturb.kinds.padding import FILLERS
from conqret.reliability.bias.contrast import AS_IS, Contrast, Ground, Key
from conqret.reliability.bias.folder import BiasFolder
from conqret.reliability.bias.matching import compared
from conqret.reliability.bias.probes import authority
from conqret.reliability.bias.probes.authority import INVENTED
from conqret.reliability.bias.probes.self_preference import family, warning
from conqret.reliability.bias.run import BiasPlan, estimate, plan_bias, run_bias
from conqret.reliability.bias.study import bias
from conqret.reliability.bias.table import BiasRow, BiasTable, bias_rows, spanned
from conqret.reliability.judged import Conduct
from conqret.stats.effects import Paired, paired_effects, sign_flip_p

METRICS = ("context_relevance", "answer_relevance", "groundedness", "preference")
TOPICS = 12
Bias = Callable[[Item], float]


@functools.cache
def setup(model: str = "offline", name: str = "rag-direct") -> Setup:
    return set_up(name, ClientOptions(model), JudgeOptions(METRICS if name == "rag-direct" else ()))


def items(generators: tuple[str, ...] = ("claude-x", "gpt-x")) -> tuple[Item, ...]:
    """Two pros and two cons on each topic, all of the same human quality."""
    text = (
        "Buses are cheap [1]. They run often [2]. People like them [3]. Nobody pays. It works elsewhere [1]."
    )
    return tuple(
        Item(
            id=f"{topic}-{stance}-{number}",
            topic=f"Topic {topic}?",
            stance=stance,
            documents=tuple(Document(id=f"{n}", text=f"Document {n} of topic {topic}.") for n in range(4)),
            argument=f"{text} So much on {topic}.",
            second_argument=f"{text} And more on {topic}.",
            metadata={"generator": {"model": generators[number]}},
        )
        for topic in range(TOPICS)
        for stance in ("pro", "con")
        for number in range(2)
    )


def ground(model: str = "offline") -> Ground:
    found = items()
    return Ground(found, setup(model), {"overall_quality": {item.id: 0.5 for item in found}})


@pytest.fixture(scope="module")
def plan() -> BiasPlan:
    return plan_bias(ground("openai/gpt-4o-mini"))


@functools.cache
def measure(value: float | Reason) -> Measure:
    return Measure.missing(value) if isinstance(value, Reason) else Measure.model_construct(value=value)


def judgment(values: Mapping[str, float | Reason]) -> Judgment:
    return Judgment.model_construct(measures={name: measure(one) for name, one in values.items()})


def judged(
    plan: BiasPlan, seed: int, bias: Bias = lambda item: 0.0, noise: float = 0.1
) -> dict[Key, Judgment]:
    """A noisy judge: topics differ, and each reading has chance of its own; scores lie on a scale of twentieths."""
    rng = np.random.default_rng(seed)
    topic = {f"Topic {n}?": rng.normal(0.5, 0.1) for n in range(TOPICS)}
    found = {}
    for way, versions in plan.versions.items():
        for item in versions:
            shift = bias(item)
            values: dict[str, float | Reason] = {}
            for metric in METRICS:
                level = 0.5 if metric == "preference" else topic[item.topic]
                value = level + shift + rng.normal(0, noise)
                values[metric] = float(np.clip(np.round(value * 20) / 20, 0, 1))
            found[way, item.id] = judgment(values)
    return found


def rows(plan: BiasPlan, readings: dict[Key, Judgment], resamples: int = 300) -> tuple[BiasRow, ...]:
    return bias_rows(plan.contrasts, readings, seed=13)


def alarms(found: tuple[BiasRow, ...]) -> set[str]:
    return {row.probe for row in found if row.verdict == "alarm"}


def favoured(item: Item, texts: Iterable[str]) -> float:
    """By .1 for the argument that holds one of the texts, wherever it stands."""
    first, second = (
        any(one in (text or "") for one in texts) for text in (item.argument, item.second_argument)
    )
    return 0.1 * (first - second)


def padded(item: Item) -> float:
    return favoured(item, FILLERS)


def injected(item: Item) -> float:
    texts = (item.argument or "", *(document.text for document in item.documents))
    return 0.1 * any(one in text for text in texts for one in INJECTIONS)


def learned(item: Item) -> float:
    return favoured(item, INVENTED)


def shuffled(item: Item) -> float:
    """The argument that is not turned round with the documents."""
    return 0.1 * item.id.endswith("+shuffle-100") - 0.1 * item.id.endswith("+shuffle-100+swapped")


def side(item: Item) -> float:
    """Whose argument stands first: what favours an argument goes with it when the two change places."""
    return -0.15 if item.id.endswith("+swapped") else 0.15


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


def test_a_judge_without_bias_raises_no_alarm_in_95_percent_of_200_seeds(plan: BiasPlan) -> None:
    quiet = sum(not alarms(rows(plan, judged(plan, seed))) for seed in range(200))
    assert quiet >= 190


def test_a_short_argument_gets_as_many_references() -> None:
    item = items()[0].model_copy(update={"argument": "Buses are cheap [1]. They run often [2]."})
    made = authority.PERTURBATION.apply(item, 3)
    assert sum(made.argument.count(one) for one in INVENTED) == 3  # type: ignore[union-attr]
    assert records(made)[0].reached == 3


def test_damage_that_lowers_the_score_is_no_bias(plan: BiasPlan) -> None:
    found = rows(plan, judged(plan, 1, lambda item: -padded(item)))
    length = [row for row in found if row.probe == "length"]
    assert {(row.primary, row.verdict) for row in length} == {(True, "clear"), (False, "exploratory")}
    length = [row for row in length if row.primary]
    assert all(row.words.startswith("lowers") for row in length)


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
    small = plan_bias(Ground(few, setup()), ["length"])
    found = rows(small, judged(small, 1, padded))
    assert {(row.primary, row.verdict) for row in found} == {(True, "inconclusive"), (False, "exploratory")}
    assert {row.words for row in found} == {"5 topics: at least 6 are needed for a test"}


def test_one_row_of_each_probe_is_declared_before_anything_is_judged(plan: BiasPlan) -> None:
    found = rows(plan, judged(plan, 1, padded))
    primary = [(row.probe, row.metric) for row in found if row.primary]
    assert len({probe for probe, _ in primary}) == len(primary) == 7
    assert dict(primary) | {"stance": "", "self-preference": ""} == {
        "document order": "preference",
        "position": "preference",
        "length": "preference",
        "authority": "preference",
        "injection": "preference",
        "stance": "",
        "self-preference": "",
    }
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
    assert (answer(0.0).verdict, answer(0.0).words) == ("clear", "nothing moved")
    clear, unsure = answer(0.03), answer(0.5)
    assert (clear.verdict, clear.words) == ("clear", "rises by less than 0.05")
    assert unsure.verdict == "inconclusive"
    assert unsure.words == f"could have missed up to {unsure.missable:.2f}"
    assert clear.missable is not None
    assert unsure.missable is not None
    assert clear.missable < 0.05 < unsure.missable
    example = answer(0.1, padded).example
    assert example is not None
    assert example.changed > example.base


def test_what_could_have_been_missed_is_found_in_about_80_percent(plan: BiasPlan) -> None:
    alone = replace(plan, contrasts=tuple(one for one in plan.contrasts if one.probe == "position"))
    sizes = [rows(alone, judged(alone, seed, noise=0.08))[0].missable for seed in range(40)]
    size = float(np.median([one for one in sizes if one is not None]))
    found = [
        rows(alone, judged(alone, seed, lambda item: size / 2, noise=0.08))[0].verdict == "alarm"
        for seed in range(60)
    ]
    assert 0.6 <= np.mean(found) <= 0.95


def test_places_are_compared_in_what_other_probes_change_and_nothing_more_is_asked() -> None:
    """Position costs nothing beside probes that ask in both orders anyway. What tells the judge what to say does not
    count, and what that is held against does; a turned question stays with its topic."""
    few = items()[:8]
    found = plan_bias(Ground(few, setup()), ["injection", "position", "length", "yes-bias"])
    (places,) = (one for one in found.contrasts if one.mirrored)
    versions = [pair.base[1] for pair in places.pairs]
    changes = {name.partition("+")[2] for name in versions}
    assert set(versions[:8]) == {one.id for one in few}
    assert "padding-5" in changes
    assert {change for change in changes if change.startswith("inject")} == {
        "inject-argument-control-1",
        "inject-document-control-100",
    }
    assert len(versions) == len(set(versions))
    assert {pair.cluster for pair in places.pairs} == {one.topic for one in few}
    assert {pair.item or pair.base[1] for pair in places.pairs} == {one.id for one in few}
    assert places.notes == (f"position: {len(versions) - 8} versions of pairs by other probes count, too",)
    without = plan_bias(found.ground, ["injection", "length", "yes-bias"])
    table = run_bias(found)
    sent = sum(one.calls for one in estimate(found))
    assert table.session.sent == sent == sum(one.calls for one in estimate(without))
    assert table.session.recorded >= 2 * len(versions)
    (row,) = (one for one in table.rows if one.probe == "position")
    assert row.effect is not None
    assert row.effect.n == len(versions)
    (alone,) = plan_bias(found.ground, ["position"]).contrasts
    assert [pair.base[1] for pair in alone.pairs] == [one.id for one in few]


def test_a_place_is_found_more_often_where_more_is_judged(plan: BiasPlan) -> None:
    kinds = {"position": ("position",), "all": ("position", "length", "authority", "document order")}
    right = {
        name: sum(
            "position" in alarms(rows(made, judged(made, seed, lambda item: 0.025, noise=0.12)))
            for seed in range(30)
        )
        for name, made in ((name, plan_bias(plan.ground, probes)) for name, probes in kinds.items())
    }
    assert right["all"] > right["position"] + 5


def test_a_rise_is_looked_for_on_one_side_alone() -> None:
    rng = np.random.default_rng(0)
    falls = Paired([-0.1] * 8, list("abcdefgh"), rising=True)
    rises = Paired([0.1] * 8, list("abcdefgh"), rising=True)
    assert sign_flip_p([falls], rng) == [1.0]
    assert sign_flip_p([rises], rng) == [pytest.approx(1 / 256)]


def test_groups_are_paired_without_a_look_at_quality() -> None:
    found = tuple(item for item in items() if item.id != "0-con-1")
    people = {"overall_quality": {item.id: 0.9 if item.id == "0-pro-0" else 0.5 for item in found}}
    contrast = plan_bias(Ground(found, setup(), people), ["stance"]).contrasts[0]
    first = [(pair.base[1], pair.changed[1]) for pair in contrast.pairs if pair.cluster == "Topic 0?"]
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
        Ground(found, setup(), people), lambda item: item.stance == "pro", name="pro minus con", up="pro"
    )
    return tuple(one for one in contrasts if one.metrics == ("answer_relevance",)), said


def test_a_group_that_is_better_is_not_favoured_by_who_finds_it_better() -> None:
    """A true gap of .2 behind noisy labels: pairs matched on the labels found 85 to 99 % of unbiased judges biased."""
    wrong = sum(
        bias_rows(*unlike(seed, gap=0.2, bias=0, noise=0.05), seed=13)[0].verdict == "alarm"
        for seed in range(60)
    )
    assert wrong <= 4
    right = sum(
        bias_rows(*unlike(seed, gap=0, bias=0.3), seed=13)[0].verdict == "alarm" for seed in range(20)
    )
    assert right >= 16


def test_a_judge_that_does_not_follow_people_cannot_be_held_to_them() -> None:
    contrasts, said = unlike(1, gap=0, bias=0.3)
    against = {
        key: judgment({"answer_relevance": 1 - one.value("answer_relevance")}) for key, one in said.items()
    }
    (row,) = bias_rows(contrasts, against, seed=13)
    assert (row.verdict, row.effect) == ("no value", None)
    assert row.words == "scores do not rise with people's labels: quality cannot be allowed for"
    assert not BiasTable.model_construct(rows=(row,)).missing


def test_probes_that_cannot_be_made_say_why() -> None:
    found = plan_bias(Ground(items(), setup()))
    assert "give labels" in found.left_out["stance"]
    assert "family (offline baseline)" in found.left_out["self-preference"]
    assert "several dimensions" in found.left_out["dimension order"]
    with pytest.raises(DeclarationError, match="no probe can be made: stance"):
        plan_bias(Ground(items(), setup()), ["stance"])
    with pytest.raises(UnknownNameError, match="length"):
        plan_bias(ground(), ["lenght"])


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("openai/gpt-4o-mini", "GPT (OpenAI)"),
        ("o3-mini", "GPT (OpenAI)"),
        ("anthropic/claude-3-5-haiku", "Claude (Anthropic)"),
        ("hosted_vllm/meta-llama/Meta-Llama-3.1-8B", "Llama (Meta)"),
        ("together/mixtral-8x7b", "Mistral"),
        ("olmo-2", "OLMo (Ai2)"),
        ("something-new", "something-new"),
    ],
)
def test_families(model: str, expected: str) -> None:
    assert family(model) == expected


def test_one_family_is_named() -> None:
    said = warning(ground("openai/gpt-4o-mini"))
    assert said is not None
    assert "judges 24 arguments by gpt-x" in said
    assert warning(ground("gemini/gemini-2.0-flash")) is None


def test_a_run_of_probes_is_kept_resumed_and_told_apart(tmp_path: Path) -> None:
    few = items()[:8]
    folder = BiasFolder(tmp_path / "bias")
    plan = plan_bias(Ground(few, setup()), ["repeatability", "position"])
    seen = 0

    def stop(one: Judgment) -> None:
        nonlocal seen
        seen += 1
        if seen == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_bias(plan, folder, Conduct(on_judgment=stop))
    with pytest.raises(DeclarationError, match="holds no finished run"):
        folder.table()
    table = run_bias(plan, folder)
    whole = run_bias(plan, BiasFolder(tmp_path / "whole"))
    assert (table.session.kept, table.judgments) == (5, plan.judgments)
    assert table.rows == whole.rows == folder.table().rows
    again = run_bias(plan, folder)
    assert (again.session.sent, again.session.recorded, again.session.kept) == (0, 0, plan.judgments)
    assert table.record.fingerprint == plan.ground.setup.fingerprint
    ways = {one.fingerprint.removeprefix(table.record.fingerprint) for one in folder.judgments()}
    assert ways == {"", "/again 1", "/again 2", "/one order"}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"format": "direct"}, "format"),
        ({"probes": ["injection"]}, "probes"),
        ({"seed": 7}, "seed"),
        ({"items": items()[:6]}, "items, labels, or what is asked of them differ"),
    ],
)
def test_another_run_in_the_same_folder_is_refused(
    tmp_path: Path, change: dict[str, Any], words: str
) -> None:
    given = {"items": items()[:8], "format": "rag-direct", "probes": ["length"], **change}

    def probed(items: Any, **more: Any) -> BiasTable:
        return bias(items, folder=tmp_path / "run", **more)

    probed(items()[:8], format="rag-direct", probes=["length"])
    before = (tmp_path / "run" / "bias.json").read_bytes()
    with pytest.raises(DeclarationError, match=words) as caught:
        probed(**given)
    assert "--overwrite" in str(caught.value)
    assert (tmp_path / "run" / "bias.json").read_bytes() == before
    assert probed(**given, overwrite=True).judgments


def test_what_the_slope_leaves_open_stays_within_the_scale() -> None:
    """People's labels that tell little leave steep slopes possible; scores differ by 1 at most all the same."""
    rng = np.random.default_rng(0)
    topics = [place % 8 for place in range(40)]
    apart, judged = rng.normal(0, 0.4, 40), rng.normal(0.3, 0.3, 40)
    series = [Paired((judged - slope * apart).tolist(), topics) for slope in (0.1, 9.0)]
    wide = paired_effects(series, rng)[1]
    found = spanned(paired_effects(series, rng))
    assert wide.high > 1
    assert -1 <= found.low < found.value < found.high == 1
