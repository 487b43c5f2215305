"""``conqret serve mcp``: judging, explaining and comparing as tools of an assistant."""

from __future__ import annotations

from pathlib import Path

from conqret.console import shared_options as options
from conqret.console.option_groups import grouped
from conqret.console.printing import tell

STORE = Path("mcp/recordings.sqlite")
"""Where answers are recorded, in the folder of runs, if nothing else is said."""


@grouped
def mcp(
    runs: Path = Path("runs"),
    *,
    model: options.Model = None,
    prompts: options.Prompts = None,
    calls: options.Calls,
    answers: options.RecordingOptions,
) -> None:
    """Give an AI assistant tools to judge items, explain a score and compare runs, by the Model Context Protocol over
    standard input and output.

    The assistant starts and ends this server. Responses of the judge's model are recorded (in mcp/ below the folder of
    runs, or where `--recordings` says). `--budget-usd` limits what one session may spend on model calls, in US dollars.

    Args:
        runs: The folder of runs that the assistant may read; it can read nothing outside it.

    Examples:

    conqret serve mcp runs --model gpt-4o-mini --budget-usd 2

    An assistant's settings: {"mcpServers": {"conqret": {"command": "conqret", "args": ["serve", "mcp",
    "/home/me/runs"]}}}
    """
    from conqret._optional import require
    from conqret.errors import DeclarationError
    from conqret.runs.session import Session

    require("mcp", extra="mcp")
    from conqret.serve.mcp_tools import mcp_server
    from conqret.serve.standard_input import mend_input

    if not runs.is_dir():
        raise DeclarationError(f"{runs}: there is no such folder; create it, or give a folder of runs")
    store = None if answers.replay is not None else (answers.recordings or runs / STORE)
    session = Session(calls.of(model), recordings=store, replay=answers.replay, prompts=prompts)
    served = mcp_server(session, runs)
    if store is not None:
        store.parent.mkdir(parents=True, exist_ok=True)
    tell(f"an assistant may now judge with {session.options.model}, and read the runs in {runs}")
    mend_input()
    served.run("stdio")
