"""``conqret serve``: a judge as a service, as tools of an assistant, and a folder of runs in a browser."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from annotated_types import Interval

from conqret._optional import require
from conqret.console import shared_options as options
from conqret.console.option_groups import OptionGroup
from conqret.console.printing import named, say, tell
from conqret.errors import DeclarationError
from conqret.judging.command import JudgingOptions, OwnCriteria

if TYPE_CHECKING:
    from conqret.judging.judge_parts import Judge
    from conqret.serve.intake import ServedRequest


STORE = Path("runs/serve/recordings.sqlite")
"""The default store of recordings of ``conqret serve http``."""


@dataclass(frozen=True, kw_only=True)
class ServiceAddress(OptionGroup):
    """Where it listens, who may send requests, and how many.

    Network:
        host: The address to listen on; one that other machines reach needs a key.
        port: The port to listen on; 0 takes any that is free.
        api_key_file: A file of API keys, one per line; a request must bring one of them, or the key in the environment
            variable CONQRET_SERVER_KEY, where it is set.
        max_body: The largest request body that the server accepts, in MiB; larger ones are refused. A request has one
            item.
    """

    host: str = "127.0.0.1"
    port: Annotated[int, Interval(ge=0, le=65535)] = 8766
    api_key_file: Path | None = None
    max_body: Annotated[int, Interval(ge=1)] = 4


def serve(
    *,
    format: list[str] | None = None,  # noqa: A002 - the option's name
    criteria: OwnCriteria,
    model: options.Model = None,
    judging: JudgingOptions,
    prompts: options.Prompts = None,
    calls: options.Calls,
    answers: options.RecordingOptions,
    listening: ServiceAddress,
    shown: options.OutputOptions,
) -> None:
    """Serve judges over HTTP: a request brings an item and gets a judgment. There is one address for each judge format,
    and one for criteria or a rubric of your own, described by OpenAPI.

    Only this machine can reach it, unless `--host` says otherwise. Every answer of the model is recorded (in
    runs/serve/, unless `--recordings` says where), and used again when the same question comes. SIGTERM or
    Ctrl-C ends it, after requests under way are answered. The log has a line for each request, with its id and
    none of its contents; with `--json` each line is JSON.

    Judging:
        format (--format, -f): Only this format; may be repeated. Default: all formats that the model can answer.

    Examples:

    conqret serve http

    curl -s localhost:8766/v1/judge/direct -H 'Content-Type: application/json' -d '{"topic": "Ban zoos?",
    "argument": "Cages are small [1].", "documents": ["Cages are small."]}'

    conqret serve http --format rag-fine-grained --model gpt-4o-mini --budget-usd 5

    conqret serve http --criterion "The answer names a source" --model gpt-4o-mini

    conqret serve http --rubric rubric.toml --model gpt-4o-mini

    conqret serve http --host 0.0.0.0 --api-key-file keys.txt
    """
    from conqret.judging.judge_options import CRITERIA, RUBRIC
    from conqret.judging.judge_settings import chosen_format
    from conqret.judging.setup import NO_CRITERIA
    from conqret.runs.run_folder import now
    from conqret.runs.session import Session
    from conqret.serve.intake import MIB, IntakeLimits, read_keys
    from conqret.serve.service import service_server

    wanted = list(format or ())
    made_of = next((name for name in (CRITERIA, RUBRIC) if name in wanted), None)
    own = chosen_format({**criteria.given(), "format": made_of})
    formats: list[str | Judge] = [name for name in wanted if name not in (CRITERIA, RUBRIC)]
    formats += [] if own is None else [own]
    keys = read_keys(listening.api_key_file)
    store = None if answers.replay is not None else (answers.recordings or STORE)
    session = Session(calls.for_model(model), recordings=store, replay=answers.replay, prompts=prompts)

    def started(address: str, formats: Sequence[str]) -> None:
        if store is not None:
            store.parent.mkdir(parents=True, exist_ok=True)
        say(f"judged by {named(session.options.model, session.options.backend.baseline)}")
        if own is not None and session.options.backend.baseline:
            shown.note(NO_CRITERIA)
        for name in formats:
            say(f"  POST {address}/v1/judge/{name}")
        say(f"described in {address}/openapi.json; Ctrl-C or SIGTERM ends it")
        if store is not None:
            shown.note(f"responses are recorded in {store} and reused for the same request")

    def on_request(request: ServedRequest) -> None:
        if shown.json_output:
            fields = {"at": now(), **asdict(request), "seconds": round(request.seconds, 4)}
            del fields["began"]
            say(json.dumps(fields))
        else:
            shown.tell(log_line(request, now()))

    session.check()
    limits = IntakeLimits(listening.max_body * MIB)
    address: dict[str, Any] = {"host": listening.host, "port": listening.port}
    server, offered = service_server(
        session, formats, judging.given(), limits=limits, keys=keys, on_request=on_request, **address
    )
    server.run(lambda address: started(address, offered))
    shown.session(session.counts)


def log_line(entry: ServedRequest, at: str) -> str:
    """Return the text log line of a request that was answered at time ``at`` (ISO 8601): id, method,
    format, status, seconds, and calls with cost or the code of the refusal.
    """
    cost = "cost unknown" if entry.cost_usd is None else f"${entry.cost_usd:.4f}"
    judged = entry.status == 200 and entry.format
    asked = f"{entry.sent} sent, {entry.recorded} recorded, {cost}" if judged else entry.code
    words = (
        f"{at} {entry.id} {entry.method} {entry.format or '-'} {entry.status} {entry.seconds:.3f} s {asked}"
    )
    return words.rstrip()


MCP_STORE = Path("mcp/recordings.sqlite")
"""The default store of recordings of ``conqret serve mcp``, in the folder of runs."""


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
    from conqret.runs.session import Session

    require("mcp", extra="mcp")
    from conqret.serve.mcp_tools import mcp_server

    if not runs.is_dir():
        raise DeclarationError(f"{runs}: there is no such folder; create it, or give a folder of runs")
    store = None if answers.replay is not None else (answers.recordings or runs / MCP_STORE)
    session = Session(calls.for_model(model), recordings=store, replay=answers.replay, prompts=prompts)
    served = mcp_server(session, runs)
    if store is not None:
        store.parent.mkdir(parents=True, exist_ok=True)
    tell(f"an assistant may now judge with {session.options.model}, and read the runs in {runs}")
    served.run("stdio")


def view(folder: Path = Path("runs"), *, port: Annotated[int, Interval(ge=0, le=65535)] = 8765) -> None:
    """Serve a folder of runs to a browser, read only: reports, prompts and raw responses.

    Only this machine can reach it, and no other page in the browser can read it. Ctrl-C ends it.

    Args:
        folder: A folder of runs, or one run; finished or going on.
        port: The port of this machine to listen on; 0 takes any that is free.

    Examples:

    conqret serve view runs

    conqret serve view runs/first --port 0
    """
    from conqret.serve.view_app import view_server

    def started(address: str) -> None:
        say(f"the runs in {folder} are at {address}/")
        say("open it in a browser; Ctrl-C ends it")

    view_server(folder, port).run(started)
