"""``conqret serve view``: a folder of runs in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from conqret.console.printing import say


def view(
    folder: Annotated[
        Path, typer.Argument(help="A folder of runs, or one run; finished or going on.")
    ] = Path("runs"),
    port: Annotated[
        int,
        typer.Option(
            help="The port of this machine to listen on; 0 takes any that is free.", min=0, max=65535
        ),
    ] = 8765,
) -> None:
    """Serve a folder of runs to a browser, read only: reports, prompts and raw responses.

    Only this machine can reach it, and no other page in the browser can read it. Ctrl-C ends it.

    Examples:

    conqret serve view runs

    conqret serve view runs/first --port 0
    """
    from conqret.serve.view_app import view as shown

    def started(address: str) -> None:
        say(f"the runs in {folder} are at {address}")
        say("open it in a browser; Ctrl-C ends it")

    shown(folder, port, on_start=started)
