"""Where the requests of a run are sent: by this process, or by the workers of a Ray cluster.

A worker is a connection to the model in a process of its own, perhaps on another machine. All else stays in the driver:
prompts, limits, retries, recordings, so that a killed process loses no more than the requests under way.
"""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import signal
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Literal, get_args
from urllib.parse import urlsplit

from conqret._optional import require
from conqret.data import Reason
from conqret.errors import DeclarationError, check_positive
from conqret.llm.client import Client
from conqret.llm.client_options import ClientOptions, Connection
from conqret.llm.failed_requests import ProviderError
from conqret.llm.providers import is_loopback
from conqret.llm.request import Completion, Request

Engine = Literal["process", "ray"]
"""The engines by their names."""

RESTARTS = 20
"""How often a worker may die and come again: a machine that kills one more often is short of something."""
STORE_BYTES = 200 * 2**20
"""Ray's object store on this machine: requests and responses are smaller than what goes through it."""

SETTINGS = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_DEDUP_LOGS_SKIP_REGEX": "."}
"""Of Ray, where nothing else is said: it sends no reports, and prints none of its messages among our results."""
MODE, TOKEN, TOKEN_FILE = "RAY_AUTH_MODE", "RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH"
HOME_TOKEN = Path("~/.ray/auth_token")
"""Where Ray itself looks for the token that a cluster requires, apart from the two variables."""
LOCAL = "local"
CLOSED = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", MODE: "token"}
"""Any process that reaches a port of Ray runs code as us and reads our keys. So a Ray that is started here listens on
the loopback address alone, as it does by itself on macOS and Windows, and requires a token that no other program
has."""


def clients_of(engine: Engine = "process", workers: int | None = None) -> Callable[..., Client]:
    """Return the callable that makes the clients of a run: the class ``Client``, or a :class:`Cluster` for
    Ray.

    Args:
        engine: ``process``, or ``ray``: the cluster at ``RAY_ADDRESS``, the one that this program has joined,
            or else one on this machine that ends with its last client.
        workers: the number of processes that send requests, for ``ray`` only; default: one per processor, at
            least two.

    Raises:
        DeclarationError: the engine is unknown, ``workers`` is invalid, or Ray would be open to others.
        MissingDependencyError: Ray is not installed.
    """
    if engine not in get_args(Engine):
        raise DeclarationError(f"the engine is {engine!r}, but it must be process or ray")
    if engine == "process":
        if workers is not None:
            raise DeclarationError("workers need the engine ray: add --engine ray")
        return Client
    check_positive({"workers": workers})
    return Cluster(workers)


def _close_to_others(address: str) -> None:
    """Have Ray, which reads these variables when it is imported, require a token, and listen here alone.

    Raises:
        DeclarationError: it was imported before, or no token is set for a cluster that others can reach.
    """
    token = os.environ.get(TOKEN) or os.environ.get(TOKEN_FILE)
    if address == LOCAL:
        if "ray" not in sys.modules:
            os.environ.update(CLOSED)
            if not token:
                os.environ[TOKEN] = secrets.token_hex(32)
        elif not sys.modules["ray"].is_initialized() and not CLOSED.items() <= os.environ.items():
            raise DeclarationError(
                "this program imported Ray before conqret, so a Ray started now would be open to the network: import "
                f"Ray later, or start it yourself (ray.init) with {MODE}=token"
            )
        return
    host = urlsplit(address if "://" in address else f"//{address}").hostname or ""
    if address == "auto" or is_loopback(host) or os.environ.get(MODE) == "disabled":
        return
    if not token and not HOME_TOKEN.expanduser().is_file():
        raise DeclarationError(
            f"the Ray cluster at {address} is on another machine, and no token is set for it: anyone who reaches such "
            f"a cluster without a token can run code there and read your keys. Set its token in {TOKEN} or "
            f"{TOKEN_FILE}; if only you use its network, set {MODE}=disabled"
        )
    os.environ[MODE] = CLOSED[MODE]


class Cluster:
    """A factory of clients whose requests are sent by ``workers`` processes on a Ray cluster.

    Raises:
        DeclarationError: Ray would be open to others.
        MissingDependencyError: Ray is not installed.
    """

    def __init__(self, workers: int | None = None) -> None:
        os.environ.update({**SETTINGS, **os.environ})
        self._address = os.environ.get("RAY_ADDRESS") or LOCAL
        _close_to_others(self._address)
        self.ray: Any = require("ray", extra="ray")
        self.workers = workers or max(2, os.cpu_count() or 2)

    def __call__(
        self, options: ClientOptions, *, replay: bool = False, batch: bool = False, **more: Any
    ) -> Client:
        """Return a client with the same arguments as :class:`Client`, whose connection is :class:`Workers`.

        The offline baseline answers in this process.

        Raises:
            DeclarationError: it is a replay or a batch, or no other process can call the model.
        """
        if options.backend.baseline:
            return Client(options, **more)
        if replay or batch or options.backend.here:
            raise DeclarationError(
                "a replay, a batch, or a model that runs in this process only cannot be distributed: "
                "leave out the engine ray"
            )
        return Client(options, connect=partial(Workers, self), connections=self.workers, **more)

    def join(self) -> None:
        """Join the cluster at ``RAY_ADDRESS``, or start one on this machine that ends with this program.

        Does nothing if the program has already joined a cluster.

        Raises:
            DeclarationError: Ray cannot be started, or no cluster at the address accepts the token.
        """
        if self.ray.is_initialized():
            return
        own = {"num_cpus": self.workers, "object_store_memory": STORE_BYTES, "include_dashboard": False}
        before = signal.getsignal(signal.SIGTERM)
        try:
            more = own if self._address == LOCAL else {}
            self.ray.init(self._address, log_to_driver=False, logging_level=logging.ERROR, **more)
        except (ConnectionError, ValueError, RuntimeError, self.ray.exceptions.RayError) as error:
            raise DeclarationError(f"Ray cannot be reached at {self._address}: {error}") from error
        if threading.current_thread() is threading.main_thread():
            # Ray would end the program; responses that arrived are kept
            signal.signal(signal.SIGTERM, before)


class Worker:
    """A Ray actor with a connection to the model of ``options``."""

    def __init__(self, options: ClientOptions) -> None:
        self._connection = options.backend.open(options)

    async def prepare(self) -> None:
        """Load the model, or check that it can be called."""
        await self._connection.prepare()

    async def complete(self, request: Request[Any]) -> Completion | tuple[Reason, str, float | None]:
        """Send a request once; return the completion, or the arguments of the :class:`ProviderError`."""
        try:
            return await self._connection.complete(request)
        except ProviderError as error:
            return error.code, str(error), error.retry_after


class Workers(Connection):
    """A connection that sends each request through the worker with the fewest requests under way."""

    def __init__(self, cluster: Cluster, options: ClientOptions) -> None:
        self._cluster, self._options = cluster, options
        self._workers: list[Any] = []
        self._under_way: list[int] = []
        self._ready: asyncio.Future[list[None]] | None = None

    async def prepare(self) -> None:
        """Start the workers, and wait until each can call the model.

        Raises:
            DeclarationError: Ray cannot be reached, or the model cannot be called.
        """
        if self._ready is None:
            self._start()
            self._ready = asyncio.gather(*(worker.prepare.remote() for worker in self._workers))
        try:
            await asyncio.shield(self._ready)
        except self._cluster.ray.exceptions.RayTaskError as error:
            raise (error.cause if isinstance(error.cause, DeclarationError) else error) from None

    async def complete(self, request: Request[Any]) -> Completion:
        """Send a request once through a worker.

        Raises:
            ProviderError: no response came, or the worker died.
        """
        number = self._under_way.index(min(self._under_way))
        self._under_way[number] += 1
        try:  # the baseline is a function, which another process cannot get
            response = await self._workers[number].complete.remote(replace(request, baseline=None))
        except self._cluster.ray.exceptions.RayActorError as error:
            raise ProviderError(Reason.CONNECTION, f"a Ray worker died: {error}") from error
        finally:
            self._under_way[number] -= 1
        if isinstance(response, Completion):
            return response
        reason, message, retry_after = response
        raise ProviderError(reason, message, retry_after=retry_after)

    async def close(self) -> None:
        """End the workers."""
        for worker in self._workers:
            self._cluster.ray.kill(worker)
        self._workers, self._ready = [], None

    def _start(self) -> None:
        self._cluster.join()
        ray, count, facts = self._cluster.ray, self._cluster.workers, self._options.facts
        local = facts.in_flight is not None
        actor = ray.remote(Worker).options(
            num_cpus=0,
            num_gpus=int(local and ray.cluster_resources().get("GPU", 0) >= count),
            scheduling_strategy="SPREAD",
            max_restarts=RESTARTS,
            max_concurrency=1 + (facts.in_flight or self._options.max_concurrency),
        )
        self._workers = [actor.remote(self._options) for _ in range(count)]
        self._under_way = [0] * count
