"""Each probe finds a judge that has its bias, and clears one that has none: judges of one's own, on plain pairs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from conqret import bias
from conqret.errors import DeclarationError
from conqret.perturb.added import among_sentences, matched
from conqret.perturb.injections import INJECTIONS
from conqret.perturb.kinds.padding import FILLERS
from conqret.reliability.bias.probes.authority import INVENTED
from conqret.reliability.bias.registry import PROBES, default_probes
from conqret.reliability.bias.table import BiasRow, BiasTable

Told = dict[str, Any]
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
SINGLES = [{**one, "second_argument": None} for one in PAIRS]


def length(told: Told) -> float:
    """It rewards length, by characters and by words, and nothing else."""
    return min(1.0, len(told["argument"]) / 2000 + len(told["argument"].split()) / 500)


def longer(told: Told) -> float:
    one, other = len(told["argument"]), len(told["second_argument"])
    return 0.5 + (one - other) / 2 / (one + other)


def steady(told: Told) -> float:
    """It has no bias, and differs over topics."""
    return 0.4 + int(told["topic"].split()[2]) / 50 if told["topic"].startswith("Should thing") else 0.5


def moved_by(*texts: str) -> Callable[[Told], float]:
    return lambda told: 0.5 + 0.2 * any(text in told["argument"] for text in texts)


def primary(table: BiasTable, probe: str) -> BiasRow:
    (found,) = [row for row in table.primary if row.probe == probe]
    return found


@pytest.mark.parametrize(("judge", "items"), [(length, SINGLES), (longer, PAIRS)])
def test_a_judge_that_rewards_length_alone_falls_for_length_alone(judge: Any, items: Any) -> None:
    table = bias(items, judge=judge, probes=["length", "authority", "injection"])
    assert [row.probe for row in table.alarms] == ["length"]
    assert primary(table, "authority").words == primary(table, "injection").words == "nothing moved"
    assert primary(table, "injection").against == "with neutral text of the same length"


@pytest.mark.parametrize(("probe", "texts"), [("authority", INVENTED), ("injection", INJECTIONS)])
def test_what_is_added_is_found_beyond_its_length(probe: str, texts: tuple[str, ...]) -> None:
    assert primary(bias(SINGLES, judge=moved_by(*texts), probes=[probe]), probe).verdict == "alarm"
    padded = bias(SINGLES, judge=moved_by(*FILLERS), probes=[probe])
    assert primary(padded, probe).verdict == "clear"


def test_documents_get_instructions_and_neutral_text_of_the_same_length() -> None:
    """Documents that ask for a better score."""
    cited = [{**one, "documents": ["A text.", "Another."]} for one in SINGLES]

    def reads(told: Told) -> float:
        return min(1.0, sum(len(one["text"]) for one in told["documents"]) / 1000)

    table = bias(cited, judge=reads, probes=["injection"])
    assert {row.effect and row.effect.value for row in table.rows if row.probe == "injection"} == {0.0}


def test_a_control_of_another_length_is_refused() -> None:
    with pytest.raises(DeclarationError, match="4 characters and 1 words against 3 and 1"):
        matched(among_sentences, [("one", "four")])


def test_the_default_family_is_what_it_was() -> None:
    assert default_probes() == [
        "repeatability", "dimension-order", "document-order", "position", "length", "authority", "stance",
        "self-preference", "injection",
    ]  # fmt: skip


@pytest.mark.parametrize("name", PROBES)
def test_each_says_what_it_compares_and_what_a_bias_is(name: str) -> None:
    probe = PROBES[name]
    assert probe.compares
    assert probe.finds
    assert probe.source
