"""Make the reference of the commands, a page each, from the tree that the command line is."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any

import typer
from mkdocs.structure.files import File, Files
from typer.main import get_command

from conqret.cli.commands import PANELS
from conqret.cli.main import app

FOLDER = "commands"
REPEATED = re.compile(r"<list\[str\]>")
"""Of an option that may be repeated, which its help says in words."""


def on_files(files: Files, config: Any) -> Files:
    """The files of the site, with a page for each command; the navigation lists them under the headings of the help."""
    tree = get_command(app)
    listed = []
    for panel, names in PANELS.items():
        places = {name: f"{FOLDER}/{name}.md" for name in names}
        for name, place in places.items():
            text = "\n\n".join(described(f"conqret {name}", tree.commands[name], level=1))
            files.append(File.generated(config, place, content=text + "\n"))
        listed.append({panel: [{f"conqret {name}": place} for name, place in places.items()]})
    for entry in config.nav:
        if entry.get("Commands") == f"{FOLDER}/":
            entry["Commands"] = listed
    return files


def described(name: str, command: Any, level: int) -> Iterator[str]:
    """The blocks of Markdown that say what a command is for, what it takes, and the same of its subcommands."""
    context = typer.Context(command, info_name=name)
    subcommands = getattr(command, "commands", {})
    yield f"{'#' * level} {name}"
    yield plain(inspect.cleandoc(command.help or ""))
    if not subcommands:
        usage = " ".join(command.collect_usage_pieces(context))
        yield f"```\n{name} {usage}\n```"
    yield from tables(command, context)
    yield from examples(command.epilog or "")
    for child, subcommand in subcommands.items():
        yield from described(f"{name} {child}", subcommand, min(level + 1, 4))


def tables(command: Any, context: typer.Context) -> Iterator[str]:
    """A table of the arguments, and one of the options of each panel of the help."""
    panels: dict[str, list[tuple[str, str]]] = {}
    for param in command.params:
        usual = "Arguments" if param.param_type_name == "argument" else "Options"
        if record := param.get_help_record(context):
            panels.setdefault(getattr(param, "rich_help_panel", None) or usual, []).append(record)
    for panel, records in panels.items():
        rows = (
            f"| `{' '.join(REPEATED.sub('<str>', written).split())}` | {cell(means)} |"
            for written, means in records
        )
        yield "\n".join([f"| {panel} | |", "|---|---|", *rows])


def cell(text: str) -> str:
    """A help text on one line of a table; what would end the cell does not."""
    return outside_code(" ".join(plain(text).split()), "|", r"\|")


def examples(epilog: str) -> Iterator[str]:
    """The examples at the end of a help page, as a block of code under what is said of them."""
    heading, _, rest = epilog.partition(":")
    lines = [line.strip() for line in rest.splitlines() if line.strip()]
    if lines:
        yield f"{plain(heading)}:"
        yield "\n".join(["```bash", *lines, "```"])


def plain(text: str) -> str:
    """A help text as Markdown: what would be a tag stays a text."""
    return outside_code(text, "<", "&lt;")


def outside_code(text: str, old: str, new: str) -> str:
    """The text with ``new`` for ``old``, but where it is code."""
    parts = text.split("`")
    return "`".join(part if number % 2 else part.replace(old, new) for number, part in enumerate(parts))
