"""The table of docs/you-know-it-as.md, from what conqret answers names of other tools with.

    python scripts/known_as.py --write

A test holds page and table equal.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from conqret.judging.known_as import KNOWN_AS

PAGE = Path(__file__).parents[1] / "docs" / "you-know-it-as.md"
METRICS = "metrics"


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


def with_tables(page: str) -> str:
    """The page with its table as it is to be."""
    opening, closing = f"<!-- {METRICS} -->\n", f"\n<!-- end of {METRICS} -->"
    before, _, rest = page.partition(opening)
    _, _, after = rest.partition(closing)
    return before + opening + "\n" + "\n".join(metrics()) + "\n" + closing + after


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
