"""Groups of options: declared once, one parameter of a command, all of them wherever a model is called."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import pytest

from conqret.cli.commands import Command
from conqret.cli.main import read_arguments
from conqret.console import shared_options as options
from conqret.console.option_groups import OptionGroup, command_of, option
from conqret.errors import DeclarationError


@dataclass(frozen=True)
class Size(OptionGroup):
    width: Annotated[int | None, option("Size", "How wide.", "--width", "-w")] = None
    height: int = 2


@dataclass(frozen=True)
class Box(Size):
    height: Annotated[int, option(None, "How high a box is.")] = 3
    depth: int = 1


def seen(*arguments: str) -> tuple[str, Box, bool]:
    """What a command with the group gets, in the middle of parameters of its own."""
    found: list[tuple[str, Box, bool]] = []

    def command(name: str, *, box: Box, loud: bool = False) -> None:
        """Do nothing."""
        found.append((name, box, loud))

    app = Command()
    app.default(command_of(command))
    read_arguments(app, arguments)()
    return found[0]


def test_a_command_gets_the_group_filled() -> None:
    assert seen("a", "-w", "7", "--depth", "5", "--loud") == ("a", Box(width=7, height=3, depth=5), True)
    assert seen("a") == ("a", Box(), False)


def test_calls_become_the_settings_of_a_client() -> None:
    assert options.Calls().for_model(None).backend.baseline
    client = options.Calls(timeout=7.0, input_price=1.0, output_price=2.0).for_model("gpt-4o-mini")
    assert (client.model, client.timeout, client.output_price) == ("gpt-4o-mini", 7.0, 2.0)
    with pytest.raises(DeclarationError, match="rpm is 0"):
        options.Calls(rpm=0).for_model(None)
    with pytest.raises(DeclarationError, match="model is empty"):
        options.Calls().for_model("")
