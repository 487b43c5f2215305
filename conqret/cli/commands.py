"""The subcommands by name: a module is imported when its command is called, and not for the list of them."""

from __future__ import annotations

import contextlib
import inspect
import re
import tomllib
from collections import ChainMap
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Final, get_args, get_origin, get_type_hints

from cyclopts import App, Group, Parameter
from cyclopts.argument import Argument

from conqret._version import __version__
from conqret.console.option_groups import FIELDS, declare
from conqret.console.printing import out
from conqret.errors import DeclarationError, did_you_mean
from conqret.options import OptionHelps

Parts = Mapping[str, "str | Parts"]
"""The commands of a group by name: ``module:function`` within the package, or a group of them."""

_TEXTS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
PANELS: Mapping[str, Mapping[str, str]] = _TEXTS["panels"]
"""What each command does, under the headings of the help and in the order of the work: listing them imports none of
them."""

ABOUT: Final = "Judge retrieval-augmented arguments with LLMs, and measure how far the judge can be trusted."

COMMANDS: Mapping[str, str] = ChainMap(*map(dict, PANELS.values()))


HOMES: Parts = _TEXTS["homes"]
"""The module and function of each command, within the package."""

GROUPS: Mapping[str, str] = _TEXTS["groups"]
"""What the groups of commands within a group do."""
EXAMPLES: Mapping[str, str] = _TEXTS["examples"]
"""What the help of a group shows."""
ARGUMENTS, OPTIONS = "Arguments", "Options"
"""The panels of a help that its parts without another stand in."""

MEANT: Mapping[str, str] = _TEXTS["other_words"]
"""Of some commands the beginnings of words that other tools use for them."""


class Command(App):
    """A command or a group of commands of the command line.

    ``--help`` shows only the options whose parameters are in ``common``, if any are named there.
    """

    common: Sequence[str] = ()
    arguments: Sequence[Argument] = ()

    def assemble_argument_collection(self, *, parse_docstring: bool = False, **settings: Any) -> Any:
        """Return the arguments and options; they have values once the command line is parsed.

        For a help text (``parse_docstring``) panels are ordered as the command's parameters.
        """
        found: Any = super().assemble_argument_collection(**settings)
        self.arguments = found
        panels: dict[str, Any] = {ARGUMENTS: self.group_arguments, OPTIONS: self.group_parameters}
        for argument in found if parse_docstring else ():
            (panel,) = argument.parameter.group
            shown = Parameter(
                group=panels.setdefault(panel.name, Group(panel.name, sort_key=len(panels))),
                help=rich_markup(argument.parameter.help or ""),
                show=None if self._is_shown(argument) else False,
            )
            argument.parameter = Parameter.combine(argument.parameter, shown)
        return found

    def _is_shown(self, argument: Argument) -> bool:
        """Whether a help shows it."""
        return not self.common or argument.index is not None or argument.field_info.name in self.common

    def usage_line(self) -> str:
        """Return the usage line of the command, such as ``judge [OPTIONS] ITEMS``."""
        words = [self.name[0], "[OPTIONS]"]
        for argument in self.assemble_argument_collection():
            if argument.index is not None:
                name = f"{argument.name}{'...' if get_origin(argument.hint) is list else ''}"
                words.append(name if argument.required else f"[{name}]")
        return " ".join(words)

    def help_print(self, tokens: Any = None, *, console: Any = None) -> None:
        """Print the help text of the command or group. Changes the texts of the object: print it once."""
        if self.default_command is not None:
            self.usage = f"Usage: {self.usage_line()}"
            if hidden := sum(not self._is_shown(one) for one in self.arguments if not one.children):
                self.help += f"\n\nThese are the most used options; `--help-all` shows {hidden} more."
        self.help_epilogue = rich_markup(f"{self.help_epilogue}\n")
        for app in (self, *self.subapps):
            app.help = rich_markup(app.help)
        super().help_print(tokens, console=console)


def rich_markup(text: str) -> str:
    """Convert a help text to Rich markup: text in backquotes is highlighted, and brackets are escaped."""
    parts = text.replace("[", r"\[").split("`")
    return "".join(f"[bold cyan]{part}[/]" if place % 2 else part for place, part in enumerate(parts))


def find(words: Sequence[str], *, everything: bool = False) -> tuple[Command, list[str]]:
    """Find the command or group that the first words name, and return it with the remaining words.

    If ``everything`` is true, its help shows all options.

    Raises:
        DeclarationError: the command does not exist; the message suggests one.
    """
    home: str | Parts = HOMES
    path, rest = ["conqret"], list(words)
    while rest and not rest[0].startswith("-") and not isinstance(home, str):
        name = rest.pop(0)
        if name not in home:
            raise DeclarationError(f"No such command '{name}'. {_suggested(name, home, path)}")
        path.append(name)
        home = home[name]
    return _leaf(path, home, everything=everything) if isinstance(home, str) else _group(path, home), rest


def tree() -> Command:
    """Return the root command with all commands and all their options."""
    return _group(["conqret"], HOMES, whole=True)


def _suggested(name: str, known: Parts, path: Sequence[str]) -> str:
    """Return advice on a word that is no command of a group: a command that is perhaps meant, or where all
    are listed.
    """
    parts = name.lower().replace("_", "-").split("-")
    for part in parts:
        for command, beginnings in MEANT.items():
            if part.startswith(tuple(beginnings.split())):
                return f"Did you mean '{command if len(path) == 1 else f'conqret {command}'}'?"
    return did_you_mean(name, known) or f"{' '.join(path)} --help lists all"


def _group(path: Sequence[str], parts: Parts, *, whole: bool = False) -> Command:
    """Return a group with its commands. In the group of all commands each is only a line of help, unless the ``whole``
    tree is wanted, since a command's module is imported for its options."""
    first = len(path) == 1
    app = _command(
        path,
        help=ABOUT if first else {**COMMANDS, **GROUPS}[path[-1]],
        help_epilogue=f"Example: {EXAMPLES[path[-1]]}",
    )
    if first:
        for function in (version, install_completion, show_completion):
            app.command(function, name=f"--{function.__name__.replace('_', '-')}", group=app.group_parameters)
    panels = {panel: Group(panel, sort_key=place) for place, panel in enumerate(PANELS)}
    for place, (name, home) in enumerate(parts.items()):
        below = [*path, name]
        if first and not whole:
            child = Command(help=COMMANDS[name], help_flags=(), version_flags=())
        else:
            child = _leaf(below, home, everything=True) if isinstance(home, str) else _group(below, home)
        child.sort_key = place
        if first:
            child.group = next(panels[panel] for panel, names in PANELS.items() if name in names)
        app.command(child, name=name)
    return app


_LINE_BREAK = re.compile(r"(?<!\n)\n(?!\n) *")
"""A line break within a paragraph."""


def _leaf(path: Sequence[str], home: str, *, everything: bool) -> Command:
    """Import the module of a command, and return the command; ``home`` is ``module:function``. Its help is the
    docstring, with the examples at the end. Without ``everything``, only the module's common options are listed."""
    module_name, name = home.split(":")
    module = import_module(f"conqret.{module_name}")
    function = getattr(module, name)
    what, example, examples = OptionHelps(function).rest.partition("\n\nExample")
    app = _command(
        path,
        help=_LINE_BREAK.sub(" ", what.strip()),
        help_epilogue=example.strip() + examples,
        config=getattr(module, "SETTINGS", None),
    )
    # Positional arguments get no option name, and a group of optional options gets a default.
    hints = get_type_hints(declare(function), include_extras=True)
    parameters = []
    for one in inspect.signature(function).parameters.values():
        kind = get_args(hints[one.name])[0]
        if hasattr(kind, FIELDS) and one.default is one.empty:
            with contextlib.suppress(TypeError):  # something in it is required
                one = one.replace(default=kind())
        if one.kind is one.POSITIONAL_OR_KEYWORD:
            one = one.replace(kind=one.POSITIONAL_ONLY)
        parameters.append(one.replace(annotation=hints[one.name]))
    function.__dict__["__signature__"] = inspect.Signature(parameters)
    app.default(function)
    app.common = () if everything else getattr(module, "COMMON", ())
    return app


def _command(path: Sequence[str], **settings: Any) -> Command:
    app = Command(
        name=" ".join(path),
        help_format="rich",
        help_flags="--help",
        version_flags=(),
        group_arguments=Group(ARGUMENTS, sort_key=-2),
        group_parameters=Group(OPTIONS, sort_key=-1),
        default_parameter=Parameter(negative=(), json_list=False, json_dict=False),
        **settings,
    )
    app["--help"].group = app.group_parameters
    return app


def version() -> None:
    """Print the version and exit."""

    out().out(f"conqret {__version__}")


def install_completion() -> None:
    """Install completion for the current shell."""
    out().out(f"written to {tree().install_completion()}; it works in new shells")


def show_completion() -> None:
    """Show completion for the current shell, to copy it or customize the installation."""
    out().out(tree().generate_completion())
