"""What editors see of the options (typed dictionaries) is what is declared of them (dataclasses)."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, get_type_hints

import pytest

from conqret.debateqa.answering.rag_session import AnswerPlan
from conqret.errors import DeclarationError
from conqret.generation.generator import GenerateOptions
from conqret.judging import judge_settings
from conqret.judging.judge_options import JudgeOptions, SampleSettings
from conqret.llm.client_options import ClientOptions, ClientSettings
from conqret.options import OptionHelps, check_ranges


def plain(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def test_settings_of_a_client_are_those_that_are_declared() -> None:
    options = {name: kind for name, kind in plain(ClientOptions).items() if name != "model"}
    assert plain(ClientSettings) == options


def test_settings_of_a_judge_hold_every_option_of_judging() -> None:
    settings = judge_settings.JudgeSettings.__annotations__
    assert {field.name for field in fields(JudgeOptions)} <= settings.keys()
    sampling = plain(SampleSettings)
    assert sampling == {name: plain(JudgeOptions)[name] for name in sampling}


@pytest.mark.parametrize("kind", [ClientOptions, JudgeOptions, GenerateOptions, AnswerPlan])
def test_every_option_says_what_it_sets(kind: type) -> None:
    for name, (_, _, text) in OptionHelps(kind).helps.items():
        assert text.endswith("."), name


@pytest.mark.parametrize(
    ("settings", "option"),
    [
        ({"samples": 0}, "--samples"),
        ({"order": "sorted"}, "--order"),
        ({"relevant_from": 6}, "--relevant-from"),
        ({"temperature": float("nan")}, "--temp"),
    ],
)
def test_a_value_out_of_its_range_is_refused(settings: dict[str, Any], option: str) -> None:
    with pytest.raises(DeclarationError, match=option):
        check_ranges(JudgeOptions(**settings))
