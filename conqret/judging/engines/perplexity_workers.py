"""Perplexity on a Ray cluster: each worker holds the model, and reads some tens of contexts at a time."""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import cycle, islice
from typing import TYPE_CHECKING, Any, NamedTuple

from conqret.judging.engines import Engine, clients_of
from conqret.judging.engines.cluster import RESTARTS, Cluster
from conqret.local.scorer import LOOK_AHEAD, KnownTargets, Pair

if TYPE_CHECKING:
    from conqret.local.definitions import TargetScore
    from conqret.local.scorer import ConditionalPerplexity

AHEAD = 2
"""Chunks at a time for each worker: one that it reads, and one that waits."""


@contextlib.contextmanager
def scorer_of(
    model: str, *, engine: Engine = "process", workers: int | None = None, **settings: Any
) -> Iterator[ConditionalPerplexity | SpreadPerplexity]:
    """A scorer in this process, or on so many ``workers`` of a Ray cluster, to be held with ``with``.

    Raises:
        DeclarationError: as :func:`conqret.judging.engines.clients_of` and
        :class:`conqret.local.scorer.ConditionalPerplexity`.
    """
    from conqret.local.scorer import ConditionalPerplexity

    clients = clients_of(engine, workers)
    if not isinstance(clients, Cluster):
        yield ConditionalPerplexity(model, **settings)
        return
    clients.begin()
    try:
        yield SpreadPerplexity(clients, model, **settings)
    finally:
        clients.end()


class About(NamedTuple):
    """What is to be known of a scorer that is elsewhere."""

    model: str
    definition: str
    wrapping: int
    fingerprint: str


class Scorer:
    """An actor: the model is loaded with the first question, and stays."""

    def __init__(self, model: str, settings: dict[str, Any]) -> None:
        self._model, self._settings = model, settings

    @cached_property
    def _scorer(self) -> ConditionalPerplexity:
        from conqret.local.scorer import ConditionalPerplexity

        return ConditionalPerplexity(self._model, **self._settings)

    def about(self) -> About:
        """What the scorer is."""
        scorer = self._scorer
        return About(scorer.model, scorer.definition, scorer.wrapping, scorer.fingerprint)

    def rows(self, pairs: Sequence[Pair]) -> list[list[TargetScore]]:
        """The rows of these contexts, which are read in the order of their lengths."""
        return list(self._scorer.stream(pairs))


class _Chunk(NamedTuple):
    begin: int
    pairs: list[Pair]
    known: list[dict[int, TargetScore]]
    rows: Any


class SpreadPerplexity:
    """As :class:`conqret.local.scorer.ConditionalPerplexity`, which takes the same ``settings``, on the workers of a
    cluster. Where it has as many GPUs as there are workers, each has one.

    Raises:
        DeclarationError: as there, or Ray cannot be had.
    """

    def __init__(self, cluster: Cluster, model: str, **settings: Any) -> None:
        self._cluster = cluster
        actor = cluster.ray.remote(Scorer).options(
            num_cpus=0, num_gpus=cluster.gpus, scheduling_strategy="SPREAD", max_restarts=RESTARTS,
            max_task_retries=RESTARTS,
        )  # fmt: skip
        self._workers = [actor.remote(model, settings) for _ in range(cluster.workers)]
        with cluster.heard():
            about: About = cluster.ray.get(self._workers[0].about.remote())
        self.model, self.definition, self.wrapping, self.fingerprint = about

    def stream(
        self,
        pairs: Iterable[Pair],
        *,
        store: KnownTargets | None = None,
        on_context: Callable[[int], None] = lambda number: None,
    ) -> Iterator[list[TargetScore]]:
        """The rows of each context, in order, as there; a context of which ``store`` lacks a row is read whole."""
        source, workers, begin = iter(pairs), cycle(self._workers), 0
        under_way: deque[_Chunk] = deque()
        while chunk := list(islice(source, LOOK_AHEAD)):
            known = [
                _known(store, answer, targets, begin + place) for place, (answer, targets) in enumerate(chunk)
            ]
            lacking = [
                pair for pair, row_scores in zip(chunk, known, strict=True) if len(row_scores) < len(pair[1])
            ]
            under_way.append(_Chunk(begin, chunk, known, next(workers).rows.remote(lacking)))
            begin += len(chunk)
            if len(under_way) == AHEAD * len(self._workers):
                yield from self._read(under_way.popleft(), store, on_context)
        while under_way:
            yield from self._read(under_way.popleft(), store, on_context)

    def _read(
        self, chunk: _Chunk, store: KnownTargets | None, on_context: Callable[[int], None]
    ) -> Iterator[list[TargetScore]]:
        with self._cluster.heard():
            fresh = iter(self._cluster.ray.get(chunk.rows))
        for number, ((answer, targets), known_scores) in enumerate(
            zip(chunk.pairs, chunk.known, strict=True), chunk.begin
        ):
            for row in next(fresh) if len(known_scores) < len(targets) else ():
                if row.target not in known_scores:
                    known_scores[row.target] = replace(row, context=number)
                    if store is not None:
                        store.keep(answer, targets[row.target], known_scores[row.target])
            on_context(number)
            yield [known_scores[target] for target in sorted(known_scores)]


def _known(
    store: KnownTargets | None, answer: str | None, targets: Sequence[str], context: int
) -> dict[int, TargetScore]:
    """The rows of a context that are there from before."""
    rows = (
        {}
        if store is None
        else {n: store.find(answer, target, context, n) for n, target in enumerate(targets)}
    )
    return {number: row for number, row in rows.items() if row is not None}
