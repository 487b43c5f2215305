"""The tables of docs/you-know-it-as.md, from what conqret answers names of other tools with.

    python scripts/known_as.py --write

A test holds page and tables equal.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from conqret.cli.commands import MEANT
from conqret.judging.known_as import KNOWN_AS

PAGE = Path(__file__).parents[1] / "docs" / "you-know-it-as.md"
METRICS, COMMANDS = "metrics", "commands"


def metrics() -> Iterator[str]:
    """The rows of what is measured."""
    yield "| here | elsewhere | options of `conqret judge` | what differs |"
    yield "|---|---|---|---|"
    for row in KNOWN_AS:
        names = "; ".join(
            f"{tool} {', '.join(f'`{name}`' for name in theirs)}" for tool, theirs in row.names.items()
        )
        here = f"`{row.metric}`" if row.metric else "a [criterion](criteria.md) of your own"
        yield f"| {here} | {names} | `{row.typed}` | {row.differs} |"


def commands() -> Iterator[str]:
    """The rows of commands: how words begin that stand for them."""
    yield "| words that begin so | stand for |"
    yield "|---|---|"
    for command in dict.fromkeys(MEANT.values()):
        stems = ", ".join(f"`{word}`" for word, meant in MEANT.items() if meant == command)
        yield f"| {stems} | `conqret {command}` |"


def with_tables(page: str) -> str:
    """The page with its tables as they are to be."""
    for name, rows in ((METRICS, metrics()), (COMMANDS, commands())):
        opening, closing = f"<!-- {name} -->\n", f"\n<!-- end of {name} -->"
        before, _, rest = page.partition(opening)
        _, _, after = rest.partition(closing)
        page = before + opening + "\n" + "\n".join(rows) + "\n" + closing + after
    return page


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--write", action="store_true", help="write the tables into the page")
    page = with_tables(PAGE.read_text(encoding="utf-8"))
    if parser.parse_args().write:
        PAGE.write_text(page, encoding="utf-8")
    else:
        print(page)


if __name__ == "__main__":
    main()
