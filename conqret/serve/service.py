"""The web application of ``conqret serve http``: one address for each format, which takes an item and
returns its judgment, and one for metrics of any formats.

All requests share one session: one client, one store of recordings, one budget.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from typing import Any

from pydantic import ValidationError
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from conqret._version import __version__
from conqret.data import Judgment
from conqret.errors import (
    DeclarationError,
    Fault,
    FaultsError,
    UnknownNameError,
    check_known,
    metric_name,
    number,
)
from conqret.io.jsonl import compact
from conqret.io.rows import kind
from conqret.judging.judge import ajudge
from conqret.judging.judge_options import CRITERIA, JudgeOptions
from conqret.judging.judge_parts import DEFAULT_FORMAT, JUDGES, Judge
from conqret.judging.judge_settings import chosen_format
from conqret.judging.judgments import Judgments
from conqret.judging.known_as import elsewhere
from conqret.judging.setup import set_up
from conqret.llm.providers import is_loopback
from conqret.llm.replies import describe
from conqret.runs.background_loop import BackgroundLoop
from conqret.runs.session import Session
from conqret.serve.contract import JUDGE_PATH, METRICS_PATH, MetricsRequest, needed, openapi
from conqret.serve.intake import (
    KEY,
    PAUSE_SECONDS,
    Access,
    Intake,
    IntakeLimits,
    Refusal,
    ServedRequest,
    check_size,
    not_answered,
)
from conqret.web.local_server import LOOPBACK, LocalServer, local_server, own_hosts

METRIC = "metric"
"""The query parameter that names the requested metrics."""

READY_SECONDS = 2.0
"""Seconds after which ``/readyz`` answers that the service is busy."""

_log = logging.getLogger(__name__)


def offered(
    session: Session, formats: Sequence[str | Judge] = (), judging: Mapping[str, Any] | None = None
) -> dict[str, Judge]:
    """Return the formats of a service by name.

    Args:
        session: the session with the model.
        formats: the formats to offer; by default all that the model can answer.
        judging: settings of :func:`conqret.judge` that say how a judge is run.

    Raises:
        DeclarationError: a format, metric or prompt does not exist, or the model cannot answer a named
            format.
    """
    options = JudgeOptions(**(judging or {}))
    judges = {}
    for name in formats or JUDGES:
        judge = JUDGES.resolve(name)
        try:
            set_up(judge, session.options, options, session.library)
        except DeclarationError:
            if formats:
                raise
            continue
        judges[judge.name] = judge
    if not judges:
        raise DeclarationError(
            f"{session.options.model} can judge none of the formats by default: name one with --format"
        )
    return judges


SERVICE_PORT = 8766
"""The default port; the viewer has another."""
SERVICE_GRACE = 30
"""Seconds for judgments under way when the service is stopped, as service managers wait."""
MORE_CONNECTIONS = 64
"""Connections in addition to one for each place in the queue: for refusals and health checks."""


def service_server(
    session: Session,
    formats: Sequence[str | Judge] = (),
    judging: Mapping[str, Any] | None = None,
    *,
    limits: IntakeLimits | None = None,
    keys: tuple[str, ...] = (),
    host: str = LOOPBACK,
    port: int = SERVICE_PORT,
    on_request: Callable[[ServedRequest], object] = lambda served: None,
) -> tuple[LocalServer, list[str]]:
    """Return the server of ``conqret serve http``, not yet running, and the names of the formats that it
    offers.

    On shutdown, requests in progress have :data:`SERVICE_GRACE` seconds.

    Args:
        session: the session with the model.
        formats: the formats to offer, as in :func:`offered`.
        judging: settings of :func:`conqret.judge`, as in :func:`offered`.
        limits: the limits of body size and queue.
        keys: the accepted API keys.
        host: the address to listen on.
        port: the port to listen on.
        on_request: called with the record of each request.

    Raises:
        DeclarationError: as :func:`offered`; other machines can reach ``host`` and there is no key;
            the port is taken or not allowed; or the extra ``web`` is missing.
    """
    alone = is_loopback(host)
    if not alone and not keys:
        raise DeclarationError(
            f"other machines can reach {host}, so requests need a key: give --api-key-file, or set {KEY}"
        )
    limits = limits or IntakeLimits()
    judges = offered(session, formats, judging)

    def app(port: int) -> ASGIApp:
        hosts = own_hosts(port, host) if alone else None  # a key keeps pages of others out, too
        return Access(
            service_app(session, judges, judging, limits, keyed=bool(keys)), hosts, keys, on_request
        )

    most = 2 * (limits.at_once + limits.queue) + MORE_CONNECTIONS
    settings = {"timeout_graceful_shutdown": SERVICE_GRACE, "limit_concurrency": most}
    return local_server(app, host, port, lifespan="on", **settings), list(judges)


def service_app(
    session: Session,
    judges: Mapping[str, Judge],
    judging: Mapping[str, Any] | None = None,
    limits: IntakeLimits | None = None,
    *,
    keyed: bool = False,
) -> Starlette:
    """Return the web application that judges with ``judges`` (from :func:`offered`).

    ``judging`` and ``limits`` are as in :func:`service_server`. ``keyed`` states in its OpenAPI document
    that requests need a key, which :class:`conqret.serve.intake.Access` checks. The extra ``web`` must be
    installed.
    """
    service = _Service(session, judges, dict(judging or {}), limits or IntakeLimits())
    document = compact(openapi(judges.values(), keyed=keyed))
    routes = [
        Route("/", service.index),
        Route("/healthz", service.health),
        Route("/readyz", service.ready),
        Route("/openapi.json", lambda request: _json(document)),
        Route(JUDGE_PATH, service.judge, methods=["POST"]),
        Route(METRICS_PATH, service.judge_metrics, methods=["POST"]),
    ]
    handlers: Any = {Refusal: _refused, HTTPException: _nowhere, Exception: _broken}
    return Starlette(routes=routes, exception_handlers=handlers, lifespan=service.open)


class _Service:
    def __init__(
        self, session: Session, judges: Mapping[str, Judge], judging: dict[str, Any], limits: IntakeLimits
    ) -> None:
        self.session, self.judges, self.judging = session, judges, judging
        self.intake = Intake(limits)
        self._loop = (
            BackgroundLoop()
        )  # judging computes, and would keep all others waiting in the server's own

    @contextlib.asynccontextmanager
    async def open(self, app: Starlette) -> AsyncGenerator[None, None]:
        """Hold the one client as long as the service is there; in the end what is under way is recorded."""
        with self._loop:
            await self._loop.arun(self.session.__aenter__())
            try:
                yield
            finally:
                await self._loop.arun(self.session.__aexit__(None, None, None))

    async def judge(self, request: Request) -> Response:
        """Answer with the judgment of the item in the body; an item without an id gets the request's.

        Raises:
            Refusal: the format or the item cannot be used, or every metric failed.
        """
        name = request.path_params["format"]
        if (judge := self.judges.get(name)) is None:
            raise Refusal(404, "unknown_format", str(UnknownNameError("format", name[:100], self.judges)))
        _served(request).format = name
        metrics = _metrics(request, judge)
        async with self.intake.place():
            item = _object(await self.intake.read(request))
            check_size(item)
            served = _served(request)
            if item.get("id") is None:
                item["id"] = served.id
            wanted: dict[str, Any] = {"format": judge, **({"metrics": metrics} if metrics else {})}
            async with self.intake.turn(request):
                (judgment,), (content,) = await self._loop.arun(self._judged([item], wanted))
        _count(served, [judgment])
        if (problem := not_answered(judgment)) is not None:
            raise problem
        return _json(content)

    async def judge_metrics(self, request: Request) -> Response:
        """Answer with the judgments of the items in the body, in their order, by its metrics and criteria. A judgment
        in which every metric failed is among them.

        Raises:
            Refusal: 422 if the request, a name or an item is faulty.
        """
        async with self.intake.place():
            try:
                body = MetricsRequest.model_validate(_object(await self.intake.read(request)))
                wanted: dict[str, Any] = {"metrics": body.metrics}
                if body.criteria:
                    wanted["criteria"] = body.criteria
                judge = JUDGES.resolve(chosen_format(wanted) or DEFAULT_FORMAT)
                formats = {member.judge.name for member in judge.members} or {judge.name}
                check_known("format", {*self.judges, CRITERIA}, *sorted(formats))
            except ValidationError as error:
                raise Refusal(422, "faulty_request", f"the request is faulty: {describe(error)}") from None
            except DeclarationError as error:
                raise Refusal(422, "unknown_name", str(error)) from None
            served = _served(request)
            served.format = judge.name
            for number, item in enumerate(body.items, start=1):
                check_size(item)
                if item.get("id") is None:
                    item["id"] = f"{served.id}-{number}"
            async with self.intake.turn(request):
                judgments, contents = await self._loop.arun(self._judged(body.items, wanted))
        _count(served, judgments)
        return _json(b'{"judgments":[' + b",".join(contents) + b"]}")

    async def _judged(
        self, items: list[dict[str, Any]], wanted: dict[str, Any]
    ) -> tuple[list[Judgment], list[bytes]]:
        """Return the judgments, and each as JSON. A model that was given up is tried again after a pause.

        Raises:
            Refusal: 422 if an item is faulty or cannot be judged, 503 if the provider cannot be reached.
        """
        self.session.resume_after(PAUSE_SECONDS)
        settings = {**self.judging, **wanted}
        try:
            judgments: Judgments = await ajudge(items, session=self.session, **settings)
        except FaultsError as error:
            raise _faulty([fault if fault.line else _NO_ITEM for fault in error.faults]) from None
        except DeclarationError as error:
            if why := await self._unaskable():
                raise Refusal(503, "provider_down", why, retry_after=PAUSE_SECONDS) from None
            raise Refusal(422, "cannot_judge", str(error)) from None
        finally:
            self.session.resume_after(PAUSE_SECONDS)
        return list(judgments), [judgment.model_dump_json().encode() for judgment in judgments]

    async def _unaskable(self) -> str:
        """Return why the model cannot be called at all, such as no server at its address; empty if it can."""
        try:
            await self.session.client.prepare()
        except DeclarationError as error:
            return str(error)
        return ""

    async def index(self, request: Request) -> Response:
        """Answer with version, model and formats: of each its address, summary, metrics and the fields that
        it needs.
        """
        formats = {
            judge.name: {
                "judge": JUDGE_PATH.format(format=judge.name),
                "summary": judge.summary,
                "metrics": judge.metrics,
                "needs": sorted(needed(judge)),
            }
            for judge in self.judges.values()
        }
        facts = {"conqret": __version__, "model": self.session.options.model, "openapi": "/openapi.json"}
        return _json(compact({**facts, "formats": formats}))

    async def health(self, request: Request) -> Response:
        """Answer with status 200: the service runs."""
        return _json(b'{"status":"ok"}')

    async def ready(self, request: Request) -> Response:
        """Answer with 200 if an item could be judged now, else with 503 and the reason: a full queue, a missing
        provider, or a computation that takes long."""
        try:
            why = await asyncio.wait_for(self._loop.arun(self._unready()), READY_SECONDS)
        except TimeoutError:
            why = "an item is computed that takes long"
        places = self.intake.limits.at_once + self.intake.limits.queue
        if self.intake.inside >= places:
            why = "the queue is full"
        state = {"ready": not why, "why": why, "inside": self.intake.inside, "places": places}
        return _json(compact(state), 503 if why else 200)

    async def _unready(self) -> str:
        """Return why no item could be judged now; empty if one could."""
        self.session.resume_after(PAUSE_SECONDS)
        if self.session.client.out_of_money:
            return "the budget is spent"
        if self.session.client.halt_reason:
            return "the provider is given up for a while"
        return await self._unaskable()


def _count(served: ServedRequest, judgments: Sequence[Judgment]) -> None:
    """Note what the judgments took."""
    calls = [call for judgment in judgments for call in judgment.trace.calls]
    costs = [call.cost_usd for call in calls if not call.recorded]
    served.sent = sum(call.attempts for call in calls)
    served.recorded = sum(call.recorded for call in calls)
    served.cost_usd = None if None in costs else sum(filter(None, costs))


def _metrics(request: Request, judge: Judge) -> list[str]:
    """Return the metrics that the query of the address names, each once; empty for all.

    Raises:
        Refusal: there is no such metric, or another parameter.
    """
    try:
        check_known("parameter", [METRIC], *(name[:100] for name in request.query_params))
        metrics = [metric_name(name) for name in request.query_params.getlist(METRIC)]
        check_known(
            f"metric of format {judge.name}",
            {*judge.metrics, *judge.derived},
            *(name[:100] for name in metrics),
            elsewhere=elsewhere,
        )
    except UnknownNameError as error:
        raise Refusal(422, "unknown_name", str(error)) from None
    return list(dict.fromkeys(metrics))


def _object(body: object) -> dict[str, Any]:
    """The item that a body is.

    Raises:
        Refusal: it is no object.
    """
    if not isinstance(body, dict):
        raise _faulty([Fault("", 1, "the body", f"is {kind(body)}, and an object is expected", _SHAPE)])
    return body


_SHAPE = 'Send an item: {"topic": "…", "documents": ["…"], "argument": "…"}'
_NO_ITEM = Fault("", 0, "the body", "has not the fields of an item", _SHAPE)


def _faulty(faults: Sequence[Fault]) -> Refusal:
    first = f"{faults[0].field} {faults[0].problem}. {faults[0].remedy}"
    message = f"the item has {number(len(faults), 'fault')}: {first}"
    return Refusal(422, "invalid_item", message, faults=faults)


def _served(request: Request) -> ServedRequest:
    served: ServedRequest = request.state.served
    return served


async def _refused(request: Request, refusal: Exception) -> Response:
    assert isinstance(refusal, Refusal)  # noqa: S101 - what it is registered for
    served = _served(request)
    served.code = refusal.code
    return refusal.response(served.id)


async def _nowhere(request: Request, error: Exception) -> Response:
    status = getattr(error, "status_code", 404)
    messages = {405: ("wrong_method", "a format takes POST, with an item; all else takes GET")}
    refusal = Refusal(status, *messages.get(status, ("nowhere", "nothing is here; / says what there is")))
    refusal.headers |= dict(getattr(error, "headers", None) or {})
    return await _refused(request, refusal)


async def _broken(request: Request, error: Exception) -> Response:
    _log.error("request %s ended with %s", _served(request).id, type(error).__name__)
    detail = "the service failed; its log has a line with this request's id"
    return await _refused(request, Refusal(500, "internal_error", detail))


def _json(content: bytes, status: int = 200) -> Response:
    return Response(content, status, media_type="application/json")
