"""What editors see of the options (typed dictionaries) is what is declared of them (dataclasses)."""

from __future__ import annotations

from dataclasses import fields
from typing import get_type_hints

from conqret.judging import judge_settings
from conqret.judging.judge_options import JudgeOptions, SampleSettings
from conqret.llm.client_options import ClientOptions, ClientSettings


def test_settings_of_a_client_are_those_that_are_declared() -> None:
    options = {name: kind for name, kind in get_type_hints(ClientOptions).items() if name != "model"}
    assert get_type_hints(ClientSettings) == options


def test_settings_of_a_judge_hold_every_option_of_judging() -> None:
    settings = judge_settings.JudgeSettings.__annotations__
    assert {field.name for field in fields(JudgeOptions)} <= settings.keys()
    sampling = get_type_hints(SampleSettings)
    assert sampling == {name: get_type_hints(JudgeOptions)[name] for name in sampling}
