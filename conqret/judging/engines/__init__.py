"""Where the questions of a run are asked: in this process, or by the workers of a Ray cluster."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, get_args

from conqret.errors import DeclarationError, check_positive
from conqret.llm.client import Client

Engine = Literal["process", "ray"]
"""The engines by their names."""


def clients_of(engine: Engine = "process", workers: int | None = None) -> Callable[..., Client]:
    """What makes the clients of a run's sessions.

    Args:
        engine: ``process``, or ``ray``: the cluster at ``RAY_ADDRESS``, or the one that this program has joined, or
            else one on this machine, until its last client is closed.
        workers: how many processes ask, with ``ray`` alone; by default one a processor of this machine, two at least.

    Raises:
        DeclarationError: there is no such engine, or its workers are said wrongly.
        MissingDependencyError: Ray is not installed.
    """
    if engine not in get_args(Engine):
        raise DeclarationError(f"the engine is {engine!r}, but it must be process or ray")
    if engine == "process":
        if workers is not None:
            raise DeclarationError("workers need the engine ray: add --engine ray")
        return Client
    check_positive({"workers": workers})
    from conqret.judging.engines.cluster import Cluster  # Ray takes seconds to import

    return Cluster(workers)
