"""A backend: one way to have models answer, declared in one object.

Which backend a model's name means is looked up here. Everybody else asks the backend what it can do, whether it is a
baseline, or for its facts, and never which one it is.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conqret.errors import DeclarationError
from conqret.llm.tokens import Encode, encoder_for
from conqret.registry import Registry

if TYPE_CHECKING:
    from conqret.llm.client_options import ClientOptions
    from conqret.llm.request import Completion, Request


PER_MILLION = 1e-6
"""Prices are given for a million tokens."""

PATIENCE = 7 * 86_400.0
"""Seconds: no request is given up because a machine of one's own is slow. A week stands for ever."""


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """Facts about a model; None where they are not known.

    ``context_window`` and ``max_output`` in tokens, prices in US dollars a token (``cached_price`` for prompt tokens
    that the provider had cached). ``tiered`` marks models whose price depends on the prompt's length. ``listed`` says
    whether anything is known of the model, ``schema`` and ``tools`` whether it takes a JSON schema or functions.
    ``in_flight`` is how many requests at a time make sense, ``timeout`` how many seconds one may take; None leaves it
    to the client's ``max_concurrency`` and ``timeout``. ``vision`` says whether it takes images; None, which counts as
    no, where that is not known.
    """

    context_window: int | None = None
    max_output: int | None = None
    input_price: float | None = None
    output_price: float | None = None
    cached_price: float | None = None
    tiered: bool = False
    listed: bool = False
    schema: bool = False
    tools: bool = False
    in_flight: int | None = None
    timeout: float | None = None
    vision: bool | None = None

    @property
    def priced(self) -> bool:
        """Whether the cost of a call can be told."""
        return self.input_price is not None and self.output_price is not None

    def cost(self, prompt: int | None, completion: int | None, cached: int | None = None) -> float | None:
        """Dollars for a call: (prompt - cached) * input + cached * cached_price + completion * output.

        None where a price or a count is unknown.
        """
        if self.input_price is None or self.output_price is None or prompt is None or completion is None:
            return None
        hits = min(cached or 0, prompt) if self.cached_price is not None else 0
        saved = hits * (self.input_price - (self.cached_price or 0.0))
        return prompt * self.input_price - saved + completion * self.output_price


def stated(options: ClientOptions) -> ModelFacts:
    """What the options themselves say of the model: its window and its prices, where they are given."""
    prices = (options.input_price, options.output_price)
    price_per_token = [None if price is None else price * PER_MILLION for price in prices]
    return ModelFacts(options.context_window, input_price=price_per_token[0], output_price=price_per_token[1])


def on_this_machine(options: ClientOptions) -> ModelFacts:
    """The facts about a model on this machine: it is free, and answers one question after another, at its own pace."""
    free = ModelFacts(options.context_window, input_price=0.0, output_price=0.0, listed=True)
    return replace(free, in_flight=1, timeout=PATIENCE)


class Connection(ABC):
    """One client's open way to a model; one with nothing to prepare or to close has :meth:`complete` alone."""

    async def prepare(self) -> None:  # noqa: B027  often there is nothing
        """Load what is needed, and check that the model can be asked; free after the first time.

        Raises:
            DeclarationError: it cannot be.
        """

    @abstractmethod
    async def complete(self, request: Request[Any]) -> Completion:
        """Send once; a retry is the sender's.

        Raises:
            ProviderError: no answer came.
        """

    async def close(self) -> None:  # noqa: B027  often there is nothing
        """Let go of connections."""


@dataclass(frozen=True, kw_only=True)
class Backend:
    """One way to have models answer.

    A backend is a module of ``conqret/llm/backends/`` whose ``BACKEND`` is one of these, or an entry point of the
    group ``conqret.backends``. Every function is called with a model of its own, and none of them sends anything.

    Attributes:
        prefix: how the names of its models begin (``local/``). Without a slash at its end it is the whole name
            (``offline``); the empty one takes every name that is nobody else's. The longest that fits counts. A module
            of conqret's own is called as its prefix.
        open: the connection of a client, from its resolved options; what takes time is left to ``prepare``.
        writes: whether its models write an answer to messages, in the shape that is asked for.
        texts: whether those that do not write plain texts all the same.
        reads: whether they give log-probabilities of texts that are handed to them (a request's ``reading``).
        cannot: what follows the name of a question that they cannot be asked, and why (``is answered in …``).
        here: whether it answers from what this process alone holds, so that no other can ask it.
        baseline: whether it is a floor to be beaten and no model; reports say so.
        resolve: the options with what a name leaves open filled in: weights pinned by their identity, the window.
        identity: from a resolved name to the one in keys and fingerprints: it changes with whatever changes answers,
            and with no place on a disk.
        pinned: a resolved name without what pins its weights, and what pins them; None where the name is all.
        facts: what is known of the model of the options.
        encoder: from a name to the function by which its tokens are counted.
        anchored: a name that is a path in a file of this folder, made absolute; every other name stays as it is.
        reaches: the address or the program that a name itself leads to, empty where it leads to none. A file that
            may be a stranger's names no such model, unless its user says that it is trusted.
    """

    prefix: str
    open: Callable[[ClientOptions], Connection]
    writes: bool = True
    texts: bool = False
    reads: bool = False
    cannot: str = "cannot be used with this model"
    here: bool = False
    baseline: bool = False
    resolve: Callable[[ClientOptions], ClientOptions] = lambda options: options
    identity: Callable[[str], str] = lambda model: model
    pinned: Callable[[str], tuple[str, str | None]] = lambda model: (model, None)
    facts: Callable[[ClientOptions], ModelFacts] = stated
    encoder: Callable[[str], Encode] = encoder_for
    anchored: Callable[[str, Path], str] = lambda model, folder: model
    reaches: Callable[[str], str] = lambda model: ""

    def takes(self, model: str) -> bool:
        """Whether the name is one of its models'."""
        if self.prefix.endswith("/") or not self.prefix:
            return model.startswith(self.prefix)
        return model == self.prefix

    def check_can_ask(
        self, question: str, *, read: bool = False, written: bool = True, plain: bool = False
    ) -> None:
        """Check that a question can be asked which log-probabilities answer (``read``), or a text (``written``) which
        need not have any shape (``plain``).

        Raises:
            DeclarationError: its models do neither; the message begins with ``question``.
        """
        if not ((self.reads and read) or (self.writes and written) or (self.texts and plain)):
            raise DeclarationError(f"{question} {self.cannot}")


BACKENDS = Registry(
    "backend", "conqret.backends", Backend, package="conqret.llm.backends", attribute="BACKEND"
)
"""Every backend by the name of its module or entry point."""
_REST = "hosted"
"""The one that takes every name that is nobody else's."""


def backend_of(model: str) -> Backend:
    """The backend that a model's name means, by the longest prefix.

    Raises:
        DeclarationError: a plug-in's backend cannot be loaded, or two of them want the same names.
    """
    # One of conqret's own is called as the names of its models begin, so that no other is loaded.
    prefix = model.partition("/")[0]
    named = {name: BACKENDS[name] for name in BACKENDS if name == prefix or BACKENDS.plugged(name)}
    fitting = {name: backend for name, backend in named.items() if backend.takes(model)} or {
        _REST: BACKENDS[_REST]
    }
    longest = max(len(backend.prefix) for backend in fitting.values())
    best, *others = [name for name, backend in fitting.items() if len(backend.prefix) == longest]
    if others:
        raise DeclarationError(
            f"the backends {best!r} and {others[0]!r} both claim the model {model!r}: uninstall one of them"
        )
    return fitting[best]
