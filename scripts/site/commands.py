"""Make the reference of the commands, a page each, from the tree that the command line is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cyclopts.argument import ArgumentCollection
from cyclopts.help import create_parameter_help_panel
from mkdocs.structure.files import File, Files

from conqret.cli.commands import HOMES, PANELS, Command, Parts, find

FOLDER = "commands"


def on_files(files: Files, config: Any) -> Files:
    """The files of the site, with a page for each command; the navigation lists them under the headings of the help."""
    listed = []
    for panel, names in PANELS.items():
        places = {name: f"{FOLDER}/{name}.md" for name in names}
        for name, place in places.items():
            text = "\n\n".join(described([name], HOMES[name]))
            files.append(File.generated(config, place, content=text + "\n"))
        listed.append({panel: [{f"conqret {name}": place} for name, place in places.items()]})
    for entry in config.nav:
        if entry.get("Commands") == f"{FOLDER}/":
            entry["Commands"] = listed
    return files


def described(path: list[str], home: str | Parts) -> Iterator[str]:
    """The blocks of Markdown that say what a command is for, what it takes, and the same of its subcommands."""
    command, _ = find(path, everything=True)
    yield f"{'#' * min(len(path), 4)} {command.name[0]}"
    yield plain(command.help)
    if isinstance(home, str):
        yield f"```\n{command.usage_line()}\n```"
        yield from tables(command)
    yield from examples(command.help_epilogue or "")
    for child, below in home.items() if not isinstance(home, str) else ():
        yield from described([*path, child], below)


def tables(command: Command) -> Iterator[str]:
    """A table of the arguments, and one of the options of each panel of the help."""
    panels: dict[str, list[str]] = {}
    for argument in command.assemble_argument_collection():
        if argument.children:
            continue
        (group,) = argument.parameter.group
        (entry,) = create_parameter_help_panel(group, ArgumentCollection([argument]), "plaintext").entries
        means = argument.parameter.help + (f" [default: {entry.default}]" if entry.default else "")
        written = " ".join(entry.display_labels_with_metavar)
        panels.setdefault(group.name, []).append(f"| `{written}` | {cell(means)} |")
    for panel, rows in panels.items():
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
