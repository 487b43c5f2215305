"""Where the requests of a run are sent: in this process, or by the workers of a Ray cluster, which get a shard of the
items each.

Ray's actors are used and not its data sets: each response and each judgment is kept as it comes, by the same loop and
into the same files as in one process. The limits of the model are divided among the workers. A request keeps its place
among them until the driver has recorded its response, so a kill loses at most as many responses as may be under way.
"""

from __future__ import annotations

import asyncio
import copy
import logging
import os
import secrets
import signal
import sys
import threading
from collections.abc import Callable, Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast, get_args
from urllib.parse import urlsplit

from conqret._optional import require
from conqret.data import Item, Judgment
from conqret.errors import ConqretError, DeclarationError, ExecutionError, check_positive
from conqret.judging.instrument import Instrument, judge_item
from conqret.llm.client import GRACE, Client
from conqret.llm.client_options import ClientOptions
from conqret.llm.quota import SpendingLedger
from conqret.llm.recordings import Recordings
from conqret.llm.request import Answer, Completion, Request, Response
from conqret.llm.sender import Progress
from conqret.web.local_server import is_loopback

Engine = Literal["process", "ray"]
"""The engines by their names."""

AHEAD = 8
"""Items that wait at each worker beyond those that it judges, so that it is never idle."""
RESTARTS = 20
"""How often a worker may die and come again: a machine that kills one more often is short of something."""
STORE_BYTES = 200 * 2**20
"""Ray's object store on this machine: items and judgments are smaller than what goes through it."""

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
        """A client as :class:`Client` is one, with the same arguments.

        Raises:
            DeclarationError: a replay or a batch is wanted, which is nothing to be spread, or no other process can call
                the model.
        """
        if replay or batch or options.backend.here:
            raise DeclarationError(
                "a replay, a batch, or a model that runs in this process only cannot be distributed: "
                "leave out the engine ray"
            )
        return SpreadClient(self, options, **more)

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
            signal.signal(
                signal.SIGTERM, before
            )  # Ray would end the program; responses that arrived are kept


class WorkerResult(NamedTuple):
    """The result of one call to a worker: a value, and its progress counts now and at its previous result."""

    value: Any
    now: Progress
    before: Progress


class Worker(Client):
    """A Ray actor that judges items and sends requests in a process of its own; ``options`` hold its share of
    limits.

    It is its own store of recordings: it reads what the run has recorded, where ``run`` is readable, and
    holds new responses until the driver takes them.
    """

    __class_getitem__ = None  # Ray would take it for a method

    def __init__(self, options: ClientOptions, run: Path | None) -> None:
        super().__init__(options, store=cast("Recordings", self))
        self._instruments: dict[str, Instrument] = {}
        self._before, self._run = Progress(), Recordings(run, read_only=True) if run else None
        self._new: list[tuple[str, Completion, dict[str, Any]]] = []
        self._arrived, self._taken, self._next = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self._places = asyncio.Semaphore(self.in_flight)

    def record_in(self, store: Recordings | None) -> None:
        """Set the store of recordings that this worker reads and writes."""
        self._store = store

    def get(self, key: str) -> Completion | None:
        """Return the completion that the run has recorded under ``key``, or None."""
        return None if self._run is None else self._run.get(key)

    def put(self, key: str, completion: Completion, **about: Any) -> Completion:
        """Hold a completion until the driver records it with :meth:`Recordings.put`, and return the
        completion.
        """
        self._new.append((key, completion, about))
        self._arrived.set()
        return completion

    async def responses(self) -> WorkerResult:
        """Wait for new responses and return them; after :meth:`stop`, return none.

        A call confirms that the caller has recorded the responses of the previous call.
        """
        self._taken.set()
        await self._arrived.wait()
        self._arrived.clear()
        self._taken, self._next = self._next, asyncio.Event()
        new, self._new = self._new, []
        return self._result(new)

    async def judgment(self, item: Item, instrument: list[Any]) -> WorkerResult:
        """Judge an item in this worker; ``instrument`` holds Ray's reference to the judge configuration."""
        if (name := instrument[0].hex()) not in self._instruments:
            self._instruments[name] = await instrument[0]
        return await self._done(judge_item(item, replace(self._instruments[name], client=self)))

    async def answer(self, request: Request[Any]) -> WorkerResult:
        """Send a request to the model and return its answer."""
        return await self._done(self.request(request))

    async def stop(self) -> WorkerResult:
        """Stop sending requests, and record the responses under way that arrive within the grace period."""
        self._places = asyncio.Semaphore(0)  # where all other requests wait
        await self.close()
        await self._recorded()
        self._arrived.set()
        return self._result(None)

    async def _send(self, *request: Any, **more: Any) -> tuple[Completion, int]:
        async with self._places:
            received = await super()._send(*request, **more)
            await self._recorded()
        return received

    async def _recorded(self) -> None:
        """Wait until the driver has recorded all that is here now."""
        await (self._next if self._new else self._taken).wait()

    async def _done(self, work: Coroutine[Any, Any, Any]) -> WorkerResult:
        value = await work
        await self._recorded()
        return self._result(value)

    def _result(self, value: Any) -> WorkerResult:
        before, self._before = self._before, copy.deepcopy(self.progress)
        return WorkerResult(value, self._before, before)


class SpreadClient(Client):
    """A client that passes whole items and all other requests to Ray workers."""

    def __init__(self, cluster: Cluster, options: ClientOptions, **more: Any) -> None:
        self._cluster, self._under_way = cluster, list[int]()
        self._workers: list[tuple[Any, asyncio.Future[Any]]] = []
        """Each worker with what receives its responses."""
        self._named: dict[int, tuple[Instrument, Any]] = {}
        super().__init__(options, **more)
        self._ledger: SpendingLedger | None = None
        self._remote = self._facts.in_flight is None
        limits = (options.max_concurrency, options.rpm, options.tpm) if self._remote else ()
        self._count = min([cluster.workers, *(limit for limit in limits if limit is not None)])
        self.in_flight = self._count * AHEAD + (self.in_flight if self._remote else self._count)

    async def prepare(self) -> None:
        """Check that a remote model can be called; a local model is loaded only by the workers."""
        if self._remote:
            await super().prepare()

    async def judge(self, item: Item, instrument: Instrument) -> Judgment:
        """Judge an item in a worker and return the judgment."""
        if id(instrument) not in self._named:
            self._start()
            alone = replace(instrument, client=None)  # type: ignore[arg-type]
            self._named[id(instrument)] = (instrument, self._cluster.ray.put(alone))
        _, reference = self._named[id(instrument)]
        return await self._done(lambda worker: worker.judgment.remote(item, [reference]))  # type: ignore[no-any-return]

    async def request(self, request: Request[Response]) -> Answer[Response]:
        """Send a request through a worker and return the answer, as :meth:`Client.request`.

        The offline baseline answers in this process, because its inputs may not be serializable.
        """
        if self.baseline:
            return await super().request(request)
        bare = replace(request, baseline=None)
        return await self._done(lambda worker: worker.answer.remote(bare))  # type: ignore[no-any-return]

    async def close(self) -> None:
        """Stop all workers and record the responses under way."""
        workers, self._workers = self._workers, []
        if stopping := [asyncio.ensure_future(one.stop.remote()) for one, by in workers if not by.done()]:
            for ended in (await asyncio.wait([*stopping, *(by for _, by in workers)], timeout=2 * GRACE))[0]:
                if ended in stopping and ended.exception() is None:  # else it died before
                    self._book(ended.result())
        for worker, receiver in workers:
            receiver.cancel()
            self._cluster.ray.kill(worker)
        await super().close()

    async def _done(self, work: Callable[[Any], Any]) -> Any:
        """What comes of work that is given to the worker with the least to do.

        Raises:
            DeclarationError: the run has no store of answers, or what the worker says.
            ExecutionError: the workers die again and again.
        """
        self._start()
        number = self._under_way.index(min(self._under_way))
        self._under_way[number] += 1
        errors = self._cluster.ray.exceptions
        worker, receiver = self._workers[number]
        value = asyncio.ensure_future(work(worker))
        try:
            await asyncio.wait([value, receiver], return_when=asyncio.FIRST_COMPLETED)
            done = await (value if value.done() else receiver)
        except errors.RayError as error:
            cause = getattr(error, "cause", error)
            if not isinstance(cause, errors.RayError):
                raise (cause if isinstance(cause, ConqretError) else error) from None
            lost = f"a Ray worker died for good ({cause}): all responses are kept; run the command again"
            raise ExecutionError(lost, reason="worker lost", retryable=False) from error
        finally:
            value.cancel()
            self._under_way[number] -= 1
        self._book(done)
        return done.value

    async def _receive(self, worker: Any, store: Recordings) -> None:
        """Record the responses of a worker as they come."""
        while (done := await worker.responses.remote()).value:
            for key, completion, about in done.value:
                store.put(key, completion, **about)
            self._book(done)

    def _book(self, done: WorkerResult) -> None:
        """Count and book what a worker did."""
        self.progress.count_on(done.now, done.before)
        if self._ledger is not None:
            spent = (done.now.cost_usd or 0.0) - (done.before.cost_usd or 0.0)
            self._ledger.settle(0.0, max(0.0, spent))

    def _start(self) -> None:
        """Start the workers, each with its share of the limits, if they are not there."""
        if self._workers:
            return
        if self._store is None:
            raise DeclarationError("the engine ray records responses in a run's folder: give one (output)")
        self._cluster.join()
        ray, options, count = self._cluster.ray, self._options, self._count
        budget = options.budget_usd
        if budget is not None:
            self._ledger = SpendingLedger(self._store, self.model_id)
            budget = max(0.0, budget - sum(self._ledger.total())) / count
        restarts = RESTARTS if budget is None else 0  # a new one would get its whole share once more
        actor = ray.remote(Worker).options(
            num_cpus=0,
            num_gpus=0 if self._remote else int(ray.cluster_resources().get("GPU", 0) >= count),
            scheduling_strategy="SPREAD",
            max_restarts=restarts,
            max_task_retries=restarts,
            max_concurrency=self.in_flight + 2,  # two more calls: responses and stop
        )
        machines = sum(node["Alive"] for node in ray.nodes())  # others cannot read what is written here
        run = self._store.path.absolute() if machines == 1 else None
        least, more = divmod(options.max_concurrency, count)
        for number in range(count):
            share = replace(
                options,
                max_concurrency=max(1, least + (number < more)),
                rpm=options.rpm and options.rpm // count,
                tpm=options.tpm and options.tpm // count,
                budget_usd=budget,
            )
            worker = actor.remote(share, run)
            self._workers.append((worker, asyncio.ensure_future(self._receive(worker, self._store))))
        self._under_way = [0] * count
