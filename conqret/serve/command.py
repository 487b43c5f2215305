"""``conqret serve http``: a judge as a service, for pipelines in any language."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from conqret.console import shared_options as options
from conqret.console.option_groups import OptionGroup, grouped
from conqret.console.printing import named, say
from conqret.judging.command_options import JudgingOptions, OwnCriteria
from conqret.options import Within

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conqret.judging.judge_parts import Judge
    from conqret.serve.access import ServedRequest

NETWORK = "Network"
STORE = Path("runs/serve/recordings.sqlite")
"""Where answers are recorded, if nothing else is said."""


@dataclass(frozen=True, kw_only=True)
class ServiceAddress(OptionGroup):
    """Where it listens, and who may ask.

    Network:
        host: The address to listen on; one that other machines reach needs a key.
        port: The port to listen on; 0 takes any that is free.
        api_key_env: The environment variable with the key that requests must bring.
        api_key_file: A file of API keys, one per line; a request must bring one of them.
    """

    host: str = "127.0.0.1"
    port: Annotated[int, Within(0, 65535)] = 8766
    api_key_env: str | None = None
    api_key_file: Path | None = None


@dataclass(frozen=True, kw_only=True)
class ServiceLimits(OptionGroup):
    """What is answered at most.

    Limits:
        max_body: The largest request body that the server accepts, in MiB; larger ones are refused. A request has one
            item.
        queue: How many items may wait in the queue; further requests get HTTP status 429.
    """

    max_body: Annotated[int, Within(1)] = 4
    queue: Annotated[int, Within(0)] = 128


@grouped
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
    bounds: ServiceLimits,
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
    from conqret.runs.session import Session
    from conqret.serve.access import read_keys
    from conqret.serve.intake import MIB, IntakeLimits
    from conqret.serve.service_server import serve as served

    wanted = list(format or ())
    made_of = next((name for name in (CRITERIA, RUBRIC) if name in wanted), None)
    own = chosen_format({**criteria.given(), "format": made_of})
    formats: list[str | Judge] = [name for name in wanted if name not in (CRITERIA, RUBRIC)]
    formats += [] if own is None else [own]
    keys = read_keys(listening.api_key_env, listening.api_key_file)
    limits = IntakeLimits(bounds.max_body * MIB, queue=bounds.queue)
    store = None if answers.replay is not None else (answers.recordings or STORE)
    session = Session(calls.of(model), recordings=store, replay=answers.replay, prompts=prompts)

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

    def heard(request: ServedRequest) -> None:
        if shown.json_output:
            say(json.dumps(told(request)))
        else:
            shown.tell(line(request))

    served(
        session,
        formats,
        judging.given(),
        limits=limits,
        keys=keys,
        host=listening.host,
        port=listening.port,
        on_start=started,
        heard=heard,
    )
    shown.session(session.counts)


def told(request: ServedRequest) -> dict[str, object]:
    """A request as it stands in the log."""
    from conqret.runs.run_folder import now

    fields = asdict(request)
    del fields["began"]
    return {"at": now(), **fields, "seconds": round(request.seconds, 4)}


def line(entry: ServedRequest) -> str:
    """The same for people."""
    from conqret.runs.run_folder import now

    cost = "cost unknown" if entry.cost_usd is None else f"${entry.cost_usd:.4f}"
    asked = (
        f"{entry.sent} sent, {entry.recorded} recorded, {cost}"
        if entry.status == 200 and entry.format
        else entry.code
    )
    words = f"{now()} {entry.id} {entry.method} {entry.format or '-'} {entry.status} {entry.seconds:.3f} s {asked}"
    return words.rstrip()
