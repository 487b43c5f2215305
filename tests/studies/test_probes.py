"""Each probe finds a judge that has its bias, and clears one that has none: judges of one's own, on plain pairs."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conqret import bias
from conqret.errors import DeclarationError
from conqret.io import open_items
from conqret.perturb.kinds.added_texts import MATCHED
from conqret.studies.bias.bias_effects import bias_value, parse_bias_requirement
from conqret.studies.bias.contrast import PROBES, TEXTS
from conqret.studies.bias.probes.changed_texts import FORMATTING_PERTURBATION
from conqret.studies.bias.result import BiasRow, BiasTable, bias_page, headlines, mark, screen

DOCS = Path(__file__).resolve().parents[2] / "docs"
ItemFields = dict[str, Any]
PAIRS = [
    {
        "id": f"pair-{n}",
        "topic": f"Should thing {n} be banned?",
        "stance": ("pro", "con")[n % 2],
        "argument": f"Reason {n} holds. It is cheap. People like it. Nothing else is known.",
        "second_argument": f"Reason {n + 50} is the stronger one. It costs money. Nobody wants it. So it is.",
    }
    for n in range(8)
]
SINGLES = [{**pair, "second_argument": None} for pair in PAIRS]


def length(told: ItemFields) -> float:
    """It rewards length, by characters and by words, and nothing else."""
    return min(1.0, len(told["argument"]) / 2000 + len(told["argument"].split()) / 500)


def steady(told: ItemFields) -> float:
    """It has no bias, and differs over topics."""
    return 0.4 + int(re.findall(r"thing (\d+)", told["topic"])[0]) / 50


def noisy(told: ItemFields) -> float:
    """It has no bias, and an error of its own for each text."""
    text = json.dumps(told, sort_keys=True)
    return 0.4 + 0.2 * zlib.crc32(text.encode()) / 2**32


def primary(table: BiasTable, probe: str) -> BiasRow:
    (found,) = [row for row in table.primary if row.probe == probe]
    return found


def shown_of(table: Any) -> str:
    """The words of the terminal."""
    lines = [line if isinstance(line, str) else str(list(line.rows)) for line in screen(table)]
    return " ".join(" ".join(lines).split())


def found_in(name: str) -> Callable[[ItemFields], bool]:
    (pairs,) = (row["pairs"] for row in TEXTS["remark"] if row["name"] == name)
    return lambda told: any(text in told["argument"] for text, _ in pairs)


def says_yes(told: ItemFields) -> bool:
    """Of each pair the argument with the even number is for what the topic says."""
    number = int(re.findall(r"Reason (\d+)", told["argument"])[0])
    return ((number + number // 50) % 2 == 0) != ('"no"' in told["topic"])


ALIKE: dict[str, Callable[[ItemFields], bool]] = {
    "bandwagon": found_in("bandwagon"),
    "refinement": found_in("refinement"),
    "concreteness": lambda told: len(re.findall(r"\d", told["argument"])) > 3,
    "sentiment": found_in("sentiment"),
    "identity": found_in("identity"),
    "model-name": lambda told: "Claude" in told["argument"] or "GPT" in told["argument"],
    "formatting": lambda told: "**" in told["argument"],
    "distraction": lambda told: told["topic"].endswith(")") and "cheap" in told["argument"],
    "yes-bias": says_yes,
}
"""What a judge that has exactly the bias of the probe looks at."""


def test_a_judge_that_rewards_length_alone_falls_for_length_alone() -> None:
    table = bias(SINGLES, judge=length, probes=["length", "authority", "injection"])
    assert [row.probe for row in table.alarms] == ["length"]
    assert primary(table, "authority").words == primary(table, "injection").words == "no score changed"
    neutral = "neutral text of the same length in the same place: authority, injection."
    assert neutral in bias_page(table).markdown()


@pytest.mark.parametrize("probe", ALIKE)
def test_a_probe_that_is_named_finds_its_bias_on_plain_pairs_and_on_single_arguments(probe: str) -> None:
    def alone(told: ItemFields) -> float:
        return 0.5 + 0.2 * ALIKE[probe](told)

    def beside(told: ItemFields) -> float:
        return 0.5 + (alone(told) - alone({**told, "argument": told["second_argument"]})) / 2

    for judge, items, metric in ((beside, PAIRS, "preference"), (alone, SINGLES, "overall_quality")):
        found = primary(bias(items, judge=judge, probes=[probe]), probe)
        assert (found.metric, found.verdict) == (metric, "alarm")
        assert found.effect is not None
        assert found.effect.value > 0.02


@pytest.mark.parametrize("judge", [steady, noisy])
def test_judges_without_any_of_these_biases_raise_no_alarm(judge: Callable[[ItemFields], float]) -> None:
    table = bias(SINGLES, judge=judge, probes=list(ALIKE))
    assert not table.left_out
    assert not table.alarms
    if judge is not noisy:
        assert {row.words for row in table.primary} == {"no score changed"}


def test_a_fall_is_a_bias_of_the_tone_and_none_of_a_majority() -> None:
    def against(told: ItemFields) -> float:
        return noisy(told) - 0.2 * ALIKE["sentiment"](told) - 0.2 * ALIKE["bandwagon"](told)

    table = bias(SINGLES, judge=against, probes=["sentiment", "bandwagon"])
    assert [row.probe for row in table.alarms] == ["sentiment"]
    fallen = primary(table, "bandwagon")
    assert (fallen.verdict, mark(fallen)) == ("clear", "falls")
    counted, _ = headlines(table)
    assert counted.startswith("Bias detected by 1 of 2 probes")
    assert counted.endswith("falls: bandwagon.")
    assert "equivalent" not in counted
    assert {row.name: row.verdict for row in bias_page(table).picture[0].rows} == {
        "Sentiment": "alarm",
        "Bandwagon": "",
    }


def test_what_cannot_be_probed_is_said() -> None:
    unstated = [{**pair, "stance": "none"} for pair in PAIRS]
    with pytest.raises(DeclarationError, match="yes-bias: no item with an argument states its stance"):
        bias(unstated, judge=steady, probes=["yes-bias"])
    with pytest.raises(DeclarationError, match="bandwagon says nothing about the metrics of this judge"):
        bias(SINGLES, judge=steady, metrics=["context_relevance"], probes=["bandwagon"])


def test_a_control_is_as_long_as_what_it_stands_for() -> None:
    for pairs in (MATCHED, *(row["pairs"] for row in TEXTS["remark"])):
        for text, neutral in pairs:
            assert (len(text), len(text.split())) == (len(neutral), len(neutral.split())), text


def test_a_list_says_the_same_sentences_in_as_many_characters() -> None:
    item = next(iter(open_items([{**SINGLES[0], "argument": "[1] Yes, of course. No.\n\nSo it is [2]."}])))
    control = FORMATTING_PERTURBATION.controlled
    assert control is not None
    listed, plain = FORMATTING_PERTURBATION.apply(item, 1).argument, control.apply(item, 1).argument
    assert listed == "- [1] **Yes**, of course.\n- **No**.\n- **So it** is [2]."
    assert plain is not None
    assert len(plain) == len(listed)
    assert plain.split() == "- [1] Yes, of course. - No. - So it is [2].".split()


def test_a_question_is_turned_round_and_the_stance_with_it() -> None:
    callbacks: list[ItemFields] = []
    judge = {"judge": lambda item: callbacks.append(item) or 0.5, "metrics": ["overall_quality"]}
    bias(SINGLES[:2], probes=["yes-bias"], **judge)
    asked = {
        (callback["topic"].split(chr(34))[1], callback["stance"], callback["argument"][:8])
        for callback in callbacks[1:]  # the first asks for the metrics of an item as it is
    }
    assert asked == {
        ("yes", "pro", "Reason 0"),
        ("no", "con", "Reason 0"),
        ("no", "pro", "Reason 1"),
        ("yes", "con", "Reason 1"),
    }


@pytest.mark.parametrize("name", PROBES)
def test_each_has_a_line_in_the_documentation(name: str) -> None:
    probe = PROBES[name]
    assert f"`{probe.name}`" in (DOCS / "judge-card.md").read_text(encoding="utf-8")


def chance(noise: float, wording: float = 0.0, seed: int = 0) -> Callable[[ItemFields], float]:
    """It errs anew each time, and a wording other than the plain one moves it up or down."""
    rng = np.random.default_rng(seed)

    def judge(told: ItemFields) -> float:
        shift = wording * (-1) ** zlib.crc32(told["topic"].encode()) if ":" in told["topic"] else 0.0
        return float(np.clip(0.5 + shift + rng.normal(0, noise), 0, 1))

    return judge


def test_wording_counts_beyond_noise_in_whichever_direction_it_moves() -> None:
    found = primary(bias(SINGLES, judge=chance(0.03, 0.3), probes=["wording"]), "wording")
    assert found.verdict == "alarm"
    assert found.example is not None
    assert abs(found.example.changed - found.example.base) > 0.15
    assert primary(bias(PAIRS, judge=steady, probes=["wording"]), "wording").words == "no score changed"


def test_severity_on_questions_that_divide_people_needs_no_items_of_their_kind() -> None:
    def severe(told: ItemFields) -> float:
        return 0.6 - 0.2 * any(one in told["topic"] for _, one, _ in TEXTS["severity"]["subjects"])

    table = bias(SINGLES, judge=severe, probes=["severity"])
    found = primary(table, "severity")
    assert (found.metric, found.verdict) == ("overall_quality", "alarm")
    assert found.effect is not None
    assert found.effect.value == pytest.approx(0.2)
    assert found.effect.clusters == len(TEXTS["severity"]["subjects"])
    with pytest.raises(DeclarationError, match="rates no single argument"):
        bias(PAIRS, judge=steady, probes=["severity"])


TRANSLATED = DOCS.parent / "fixtures" / "languages" / "items.jsonl"


def test_translations_of_an_item_are_held_against_it_a_row_a_language() -> None:
    def worse_in_hindi(told: ItemFields) -> float:
        return len(told["documents"]) / 5 - 0.2 * ("क" in told["argument"])

    table = bias(TRANSLATED, judge=worse_in_hindi, probes=["language"])
    languages = "Arabic Chinese French German Hindi Japanese Portuguese Russian Spanish".split()
    assert {row.probe for row in table.primary} == {f"language ({language})" for language in languages}
    assert [(row.probe, round(row.effect.value, 3)) for row in table.alarms if row.effect] == [
        ("language (Hindi)", -0.2)
    ]
    assert {row.verdict for row in table.primary if "Hindi" not in row.probe} == {"clear"}
    requirement = parse_bias_requirement("effect[language] > -0.1")
    assert bias_value(requirement, table) == pytest.approx(-0.2)
    assert PROBES["language"].advice in shown_of(table)
