"""``conqret serve mcp``: judging, explaining and comparing as tools of an assistant."""

from __future__ import annotations

import contextlib
import os
import re
import threading
from io import BufferedReader, FileIO
from pathlib import Path

from conqret.console import shared_options as options
from conqret.console.option_groups import grouped
from conqret.console.printing import tell

STORE = Path("mcp/recordings.sqlite")
"""Where answers are recorded, in the folder of runs, if nothing else is said."""

_HALF = re.compile(rb"\\u[dD][89a-fA-F]")
_ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(?P<half>u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)
"""Escapes of surrogates. The SDK of MCP reads no message in which half a pair stands, as a text has it that was cut
within an emoji, and answers none: who sent it would wait for ever."""


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


def whole_characters(line: bytes) -> bytes:
    """A line of JSON with U+FFFD for each escape that is half of a surrogate pair."""
    if not _HALF.search(line):
        return line
    return _ESCAPE.sub(lambda match: rb"\ufffd" if match["half"] else match[0], line)


def mend_input() -> None:
    """From now on this process reads its standard input with :func:`whole_characters`, a line at a time."""
    before, (reads, writes) = os.dup(0), os.pipe()
    source, target = os.fdopen(before, "rb"), os.fdopen(writes, "wb", buffering=0)
    os.dup2(reads, 0)
    os.close(reads)
    threading.Thread(target=_pass_on, args=(source, target), daemon=True).start()


def _pass_on(source: BufferedReader, target: FileIO) -> None:
    with contextlib.suppress(OSError, ValueError), target:  # nobody reads on
        for line in source:
            data = memoryview(whole_characters(line))
            while data:
                data = data[target.write(data) :]
