"""A run's work on a Ray cluster: what is judged or asked goes to workers, whose limits one governor holds.

Ray's actors are used and not its data sets. A data set hands on blocks of rows and does a block again when a worker
dies, and it knows nothing of trials that wait for others; here each judgment is kept as it comes, by the same loop and
into the same file as in one process, and what was answered comes from the recordings.
"""

from __future__ import annotations

import contextlib
import logging
import os
import secrets
import signal
import sys
import threading
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from conqret._optional import require
from conqret.data import Item, Judgment
from conqret.errors import ConqretError, DeclarationError, ExecutionError
from conqret.judging.engines.governor import Governor, SharedQuota
from conqret.judging.engines.ray_worker import Worker, WorkerResult
from conqret.judging.engines.shards import gather, shard_names
from conqret.judging.instrument import Instrument
from conqret.llm.client import GRACE, Client
from conqret.llm.client_options import ClientOptions
from conqret.llm.progress import Progress
from conqret.llm.provider_check import is_loopback
from conqret.llm.recordings import Recordings
from conqret.llm.request import Answer, Request, Response
from conqret.llm.spending import SpendingLedger

AHEAD = 8
"""Items that wait at each worker beyond those that it asks about, so that it is never idle."""

RESTARTS = 20
"""How often a worker may die and come again: a machine that kills one more often is short of something."""

STORE_BYTES = 200 * 2**20
"""Ray's object store on this machine: items and judgments are smaller than what goes through it."""


SETTINGS = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_DEDUP_LOGS_SKIP_REGEX": "."}
"""Of Ray, where nothing else is said and it is not imported yet: it reports to nobody, and prints none of its own
messages among our results on standard output."""

ADDRESS, MODE, TOKEN, TOKEN_FILE = "RAY_ADDRESS", "RAY_AUTH_MODE", "RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH"
HOME_TOKEN = Path("~/.ray/auth_token")
"""Where Ray itself looks for the token that a cluster asks for, beside the two variables."""

LOCAL = "local"
CLOSED = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", MODE: "token"}
"""Whoever reaches a port of Ray runs code as us and reads our keys. So a Ray that is started here listens on the
loopback address alone, as it does by itself on macOS and Windows, and asks for a token that nobody else has."""

_log = logging.getLogger(__name__)


def _close_to_others() -> bool:
    """Have the Ray of this process listen here alone, and ask for a token. Ray reads these when it is imported: returns
    whether it does so, where a program imported it before."""
    if "ray" in sys.modules:
        return all(os.environ.get(name) == value for name, value in CLOSED.items())
    os.environ.update(CLOSED)
    if not os.environ.get(TOKEN_FILE) and not os.environ.get(TOKEN):
        os.environ[TOKEN] = secrets.token_hex(32)
    return True


def _beyond(address: str) -> bool:
    """Whether a cluster is one that others can reach, and nobody said that it need ask for no token."""
    host = urlsplit(address if "://" in address else f"//{address}").hostname or ""
    return not (address in (LOCAL, "auto") or is_loopback(host) or os.environ.get(MODE) == "disabled")


def _show_token(address: str) -> None:
    """Have Ray show its token to a cluster that others can reach.

    Raises:
        DeclarationError: there is no token, and nobody said that there need be none.
    """
    if (
        not any(os.environ.get(name) for name in (TOKEN, TOKEN_FILE))
        and not HOME_TOKEN.expanduser().is_file()
    ):
        raise DeclarationError(
            f"the Ray cluster at {address} is on another machine, and no token is set for it: "
            "anyone who reaches such a "
            "cluster without a token can run code there and read your keys. Set its token in "
            f"{TOKEN} or {TOKEN_FILE}; if "
            f"only you use its network, set {MODE}=disabled"
        )
    os.environ[MODE] = CLOSED[MODE]


def _asks_for_token() -> bool:
    """Whether the cluster of the worker that calls this asks for tokens: none of its processes could speak else."""
    from ray import _raylet

    raylet: Any = _raylet  # its stub lacks these names
    return bool(raylet.get_authentication_mode() != raylet.AuthenticationMode.DISABLED)


class Cluster:
    """Makes clients whose questions are asked by ``workers`` on a Ray cluster.

    Raises:
        MissingDependencyError: Ray is not installed.
    """

    def __init__(self, workers: int | None = None) -> None:
        for name, value in SETTINGS.items():
            os.environ.setdefault(name, value)
        self._address = os.environ.get(ADDRESS) or LOCAL
        self._closed = self._address != LOCAL or _close_to_others()
        if _beyond(self._address):
            _show_token(self._address)
        self.ray: Any = require("ray", extra="ray")
        self.workers = workers or max(2, os.cpu_count() or 2)
        self._own = False
        self._users = 0

    def __call__(
        self,
        options: ClientOptions,
        *,
        store: Recordings | None,
        replay: bool = False,
        progress: Progress | None = None,
        batch: bool = False,
    ) -> Client:
        """A client as :class:`Client` is one.

        Raises:
            DeclarationError: a replay or a batch is wanted, which is nothing to be spread, or nobody else can ask.
        """
        if replay or batch:
            what = (
                "a replay sends no requests" if replay else "a batch is answered by the provider, all at once"
            )
            raise DeclarationError(f"{what}: leave out the engine ray")
        if options.backend.here:
            raise DeclarationError(f"{options.model} runs in this process only: leave out the engine ray")
        return SpreadClient(self, options, store=store, progress=progress)

    def begin(self) -> None:
        """Join the cluster at ``RAY_ADDRESS``, or start one here, until as many have called :meth:`end`; nothing, where
        this program has joined one.

        Raises:
            DeclarationError: Ray cannot be started, or not closed to others; nobody is at the address who takes our
                token, or who asks for it.
        """
        if not self.ray.is_initialized():
            address = self._address
            if not self._closed:
                settings = " ".join(f"{name}={value}" for name, value in CLOSED.items())
                raise DeclarationError(
                    "this program imported Ray before conqret, so a Ray started now would be open "
                    "to the network: import "
                    f"Ray later, set {settings} and {TOKEN} first, or start Ray yourself (ray.init)"
                )
            local_options = {
                "num_cpus": self.workers,
                "object_store_memory": STORE_BYTES,
                "include_dashboard": False,
            }
            try:
                with _signals_kept():
                    self.ray.init(
                        address,
                        log_to_driver=False,
                        logging_level=logging.ERROR,
                        **local_options if address == LOCAL else {},
                    )
            except (ConnectionError, ValueError, RuntimeError, self.ray.exceptions.RayError) as error:
                raise DeclarationError(f"Ray cannot be reached at {address}: {error}") from error
            self._own = True
            if _beyond(address) and not self.ray.get(
                self.ray.remote(_asks_for_token).options(num_cpus=0).remote()
            ):
                self._own = False
                self.ray.shutdown()
                raise DeclarationError(
                    f"the Ray cluster at {address} is on another machine and requires no token: anyone who reaches it "
                    f"can run code there and read your keys. Start it with {MODE}=token; if only you use its "
                    f"network, set {MODE}=disabled"
                )
        self._users += 1

    def end(self) -> None:
        """Leave the cluster, which ends with the last where it was started here."""
        self._users -= 1
        if self._own and not self._users:
            self._own = False
            self.ray.shutdown()

    @property
    def gpus(self) -> int:
        """How many GPUs a worker gets that reads a model on its own machine: one, where there are enough for all."""
        return int(self.ray.cluster_resources().get("GPU", 0) >= self.workers)

    @contextlib.contextmanager
    def heard(self) -> Iterator[None]:
        """What a worker raised, as it raised it.

        Raises:
            ExecutionError: the workers die again and again, or the governor does.
        """
        try:
            yield
        except self.ray.exceptions.RayError as error:
            cause = getattr(error, "cause", error)
            if not isinstance(cause, self.ray.exceptions.RayError):
                raise (cause if isinstance(cause, ConqretError) else error) from None
            lost = "a Ray worker, or the process that enforces the shared limits, died and could not be restarted"
            again = "all responses are kept; run the command again"
            raise ExecutionError(
                f"{lost} ({cause}): {again}", reason="worker lost", retryable=False
            ) from error


@dataclass(slots=True)
class _Hand:
    """A worker as the driver sees it."""

    actor: Any
    under_way: int = 0
    counted: dict[int, Progress] = field(default_factory=dict)


class SpreadClient(Client):
    """A client that has workers judge whole items, and ask whatever else is asked."""

    def __init__(
        self, cluster: Cluster, options: ClientOptions, *, store: Recordings | None, progress: Progress | None
    ) -> None:
        self._cluster, self._hands = cluster, list[_Hand]()
        self._named: dict[int, tuple[Instrument, str, Any]] = {}
        super().__init__(options, store=store, progress=progress)
        self._ledger: SpendingLedger | None = None
        self._booked = 0.0
        self._shared = self._facts.in_flight is None
        self._workers = min(cluster.workers, options.max_concurrency) if self._shared else cluster.workers

    @property
    def in_flight(self) -> int:
        """How many items or questions at a time make sense."""
        return self._workers * AHEAD + (super().in_flight if self._shared else self._workers)

    async def prepare(self) -> None:
        """Make sure that the model can be asked; one on this machine is loaded by the workers alone."""
        if self._shared:
            await super().prepare()

    async def judge(self, item: Item, instrument: Instrument) -> Judgment:
        """What the instrument says of the item, as a worker finds."""
        return await self._done(lambda worker: worker.judge.remote(item, *self._sent(instrument)))  # type: ignore[no-any-return]

    async def ask(self, request: Request[Response]) -> Answer[Response]:
        """As :meth:`Client.ask`, by a worker; the offline baseline answers here, as what it answers from may hold
        anything."""
        if self.baseline:
            return await super().ask(request)
        bare = replace(request, baseline=None)
        return await self._done(lambda worker: worker.ask.remote(bare))  # type: ignore[no-any-return]

    async def _done(self, work: Callable[[Any], Any]) -> Any:
        """What comes of work that is given to the worker with the least to do.

        Raises:
            DeclarationError: the run has no store of answers, or what the worker says.
            ExecutionError: the workers die again and again.
        """
        if not self._hands:
            self._hands = self._begin()
        hand = min(self._hands, key=lambda worker: worker.under_way)
        hand.under_way += 1
        try:
            with self._cluster.heard():
                done: WorkerResult = await work(hand.actor)
        finally:
            hand.under_way -= 1
        if hand.counted and done.process not in hand.counted:
            _log.warning("a worker died and was replaced by another")
        before = hand.counted.get(done.process, Progress())
        if done.progress.calls + done.progress.recorded >= before.calls + before.recorded:
            hand.counted[done.process] = done.progress
            self.progress.count_on(done.progress, before)
        self._book()
        return done.value

    async def close(self) -> None:
        """Have the workers end, and put what they recorded into the one store."""
        hands, self._hands = self._hands, []
        stopping = [hand.actor.stop.remote() for hand in hands]
        self._cluster.ray.wait(stopping, num_returns=len(stopping), timeout=2 * GRACE) if stopping else None
        for hand in hands:
            self._cluster.ray.kill(hand.actor)
        self._book()
        if hands:
            if self._store is not None:
                gather(self._store)
            self._cluster.end()
        await super().close()

    def _book(self) -> None:
        """Book what was spent since the last time, by the workers and here."""
        if self._ledger is not None:
            spent = self.progress.cost_usd or 0.0
            self._ledger.settle(0.0, max(0.0, spent - self._booked))
            self._booked = spent

    def _begin(self) -> list[_Hand]:
        """The workers, each with its share of what may be asked at a time."""
        if self._store is None:
            raise DeclarationError(
                "the engine ray records its workers' responses in a run's folder: give one (output)"
            )
        gather(self._store)  # what the workers of a run left that was killed
        self._cluster.begin()
        ray, options, workers = self._cluster.ray, self._options, self._workers
        budget, governor = options.budget_usd, None
        if budget is not None:
            self._ledger = self._store.ledger(self.model_id)
            budget = max(0.0, budget - sum(self._ledger.total()))
            self._booked = self.progress.cost_usd or 0.0
        limits = (options.rpm, options.tpm, budget)
        if any(limit is not None for limit in limits):
            waiting = 3 * options.max_concurrency + workers  # some reserve, while others settle
            governor = ray.remote(Governor).options(num_cpus=0, max_concurrency=waiting).remote(*limits)
            if self._sender is not None:
                self._sender.quota = SharedQuota(governor, "driver")  # it lives as long as somebody holds it
        actor = ray.remote(Worker).options(
            num_cpus=0, num_gpus=0 if self._shared else self._cluster.gpus, scheduling_strategy="SPREAD",
            max_restarts=RESTARTS, max_task_retries=RESTARTS, max_concurrency=self.in_flight,
        )  # fmt: skip
        least, more = divmod(options.max_concurrency, workers)
        store = self._store.path.absolute()
        shards = shard_names(store, workers)
        alone = sum(node["Alive"] for node in ray.nodes()) == 1  # no machine reads what another is writing
        others = [store, *shards] if alone else [store]
        return [
            _Hand(
                actor.remote(
                    replace(options, max_concurrency=max(1, least + (number < more))),
                    shard,
                    others,
                    None
                    if governor is None
                    else SharedQuota(governor, shard.name),  # Ray warns of a bare one
                )
            )
            for number, shard in enumerate(shards)
        ]

    def _sent(self, instrument: Instrument) -> tuple[str, list[Any]]:
        """A name for the instrument, and where the workers find it."""
        if id(instrument) not in self._named:
            alone = replace(instrument, client=None)  # type: ignore[arg-type]
            self._named[id(instrument)] = (instrument, uuid.uuid4().hex, self._cluster.ray.put(alone))
        _, name, reference = self._named[id(instrument)]
        return name, [reference]


@contextlib.contextmanager
def _signals_kept() -> Iterator[None]:
    """Ray ends the program on SIGTERM; whoever had an answer to it keeps it."""
    main = threading.current_thread() is threading.main_thread()
    before = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        if main:
            signal.signal(signal.SIGTERM, before)
