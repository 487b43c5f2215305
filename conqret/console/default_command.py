"""A command that has others beside it: ``conqret retrieve CORPUS`` is ``conqret retrieve run CORPUS``."""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup

DEFAULT = "run"


class RunByDefault(TyperGroup):
    """What is no command of the group is an argument of :data:`DEFAULT`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the default command in front where none is named."""
        if args and args[0] not in self.commands and args[0] not in self.get_help_option_names(ctx):
            args = [DEFAULT, *args]
        return super().parse_args(ctx, args)
