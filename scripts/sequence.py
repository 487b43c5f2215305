"""Commands of conqret one after another in this process, each printed as one could type it."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from conqret.cli.main import main


def run(*arguments: object) -> None:
    """Run one command, ``debate hold`` or any other.

    Raises:
        SystemExit: it failed; its exit code is the exception's.
    """
    words = ["conqret", *map(str, arguments)]
    print(f"$ {shlex.join(words)}", flush=True)
    before, sys.argv = sys.argv, words
    try:
        main()
    except SystemExit as end:
        if end.code:
            raise
    finally:
        sys.argv = before


def as_options(table: Mapping[str, Any]) -> Iterator[str]:
    """``{"epochs": 3, "lora": true}`` as ``--epochs 3 --lora``; what is false is left away."""
    for name, value in table.items():
        if value is not False:
            yield f"--{name}"
            yield from () if value is True else (str(value),)
