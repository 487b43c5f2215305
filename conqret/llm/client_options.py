"""The settings of a client (``ClientOptions``), the facts about a model (``ModelFacts``: abilities, limits,
prices and ``cost``), and the backends that reach models (``Backend``, ``Connection``).

``backend_of`` finds the backend for a model's name. All other code queries the backend for its abilities and
facts, and never which one it is.
"""

from __future__ import annotations

import contextlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypedDict

from annotated_types import Interval

from conqret.errors import DeclarationError
from conqret.llm.tokens import Encode, encoder_for
from conqret.options import among, check_ranges
from conqret.registry import Registry

if TYPE_CHECKING:
    from conqret.llm.request import Completion, Request

OFFLINE_MODEL = "offline"
"""The default model, the lexical baseline: no key, no network, no price."""

NO_MODEL = "no-model"
"""The model's name where metrics are computed from the items, without a model."""

Way = Literal["direct", "litellm"]
"""How hosted models are called."""

DEFAULT_MAX_CONCURRENCY = 16
"""Well under what hosted providers and one vLLM instance take at once; it sinks by itself on a 429."""

DEFAULT_TIMEOUT = 300.0
"""Seconds: a 4,000-token answer at 20 tokens a second takes 200, which leaves room for some retries."""

DEFAULT_MAX_ATTEMPTS = 6
"""With the backoff of :mod:`conqret.llm.failed_requests`, about 8 seconds of trying against a server that is down."""


STOP_AFTER = 0.5
"""The share of questions without a usable answer at which a run stops: half of what it takes is lost by then."""


@dataclass(frozen=True, slots=True)
class ClientOptions:
    """The settings of one client, declared once for Python, the command line and files.

    ``model`` is any litellm model name, ``offline``, or ``local/`` and a transformers model's folder or hub's name,
    of which log-probabilities are read and which never writes. ``api_key`` is used for the calls and nowhere else:
    it is in no repr, error, recording or key. ``max_attempts`` bounds the requests sent for one question, but for those
    that a rate limit turns away: these are sent again for a minute, or until the time limit where it names a delay. A
    time limit counts from the first request sent; a retry after an invalid response is a request of its own. ``client``
    changes no response.

    Model:
        api_base: The address of an OpenAI-compatible server, as `http://localhost:8000/v1`, or of a decision model's.
            The key comes from the environment.
        max_tokens: The most tokens of a response; a response that is cut off is requested again with twice as many.
            Default: the provider's own limit.
        context_window: The model's context window in tokens, for a model that conqret does not know.
        input_price: US dollars for a million prompt tokens, for a model whose price conqret does not know.
        output_price: US dollars for a million completion tokens, for a model whose price conqret does not know.
        vision (--vision/--no-vision): Say that the model accepts images (`--no-vision`: that it accepts none). Items
            with images get no score from a model that accepts none. Default: what conqret knows of the model, and no
            images for an unknown model.
        client: `direct`: conqret calls OpenAI-compatible servers itself, and uses litellm for the rest. `litellm`:
            everything goes through litellm.
    Limits:
        max_concurrency: The most requests at the same time; conqret lowers this number when the provider answers 429
            (too many requests).
        rpm: The most requests to the model in a minute. Default: no limit.
        tpm: The most tokens in a minute, of prompts and responses together. Default: no limit.
        budget_usd: The most money to spend on model calls, in US dollars. When it is spent, the run stops, and the
            remaining items have no score (reason: `budget`).
        timeout: The most seconds for one request, including all its retries.
        stop_after_failures: Stop the run once this share of the requests to the model (0 to 1) has failed, after at
            least 20 requests.
        retry_unscored (--retry-unscored/--no-retry-unscored): When a run is continued, request again (once) what
            earlier got an invalid response or a refusal. `--no-retry-unscored` switches this off.

    Raises:
        DeclarationError: a value is out of its range.
    """

    model: str
    api_base: str | None = None
    api_key: str | None = field(default=None, repr=False)
    max_tokens: Annotated[int | None, Interval(ge=1)] = None
    max_concurrency: Annotated[int, Interval(ge=1)] = DEFAULT_MAX_CONCURRENCY
    rpm: Annotated[int | None, Interval(ge=1)] = None
    tpm: Annotated[int | None, Interval(ge=1)] = None
    budget_usd: Annotated[float | None, Interval(ge=0)] = None
    timeout: Annotated[float, Interval(gt=0)] = DEFAULT_TIMEOUT
    max_attempts: int = DEFAULT_MAX_ATTEMPTS
    context_window: Annotated[int | None, Interval(ge=1)] = None
    input_price: Annotated[float | None, Interval(ge=0)] = None
    output_price: Annotated[float | None, Interval(ge=0)] = None
    stop_after_failures: Annotated[float, Interval(gt=0, le=1)] = STOP_AFTER
    retry_unscored: bool = True
    client: Way = "direct"
    vision: bool | None = None

    @classmethod
    def from_model(cls, model: str | ClientOptions) -> ClientOptions:
        """Return ``model`` if it already is client options, else the default options for a model of this
        name.
        """
        return model if isinstance(model, ClientOptions) else cls(model)

    def __post_init__(self) -> None:
        if not self.model.strip():
            raise DeclarationError("model is empty; give a litellm model name, or 'offline'")
        if self.model.endswith("/") and self.model == self.backend.prefix:
            raise DeclarationError(
                f"{self.model} lacks the model: write its folder, or its name on a hub, after the prefix"
            )
        if self.max_attempts < 1:
            raise DeclarationError(f"max_attempts is {self.max_attempts}, but it must be at least 1")
        check_ranges(self)
        if (self.input_price is None) != (self.output_price is None):
            raise DeclarationError("give both input_price and output_price (per million tokens), or neither")

    @property
    def backend(self) -> Backend:
        """The backend that serves the model."""
        return backend_of(self.model)

    @property
    def facts(self) -> ModelFacts:
        """The known facts about the model, such as its prices; facts set in these options take precedence."""
        return self.backend.facts(self)

    def resolved(self) -> ClientOptions:
        """Return the options with the identity of the model's weights in its name, and its context window.

        Raises:
            DeclarationError: the model does not exist.
        """
        return self.backend.resolve(self)

    @property
    def identity(self) -> Mapping[str, Any]:
        """The model's part of a judge configuration's identity: the model's identity and ``max_tokens``.

        Settings that do not affect responses are left out: time limits, concurrency, prices, budget, key and
        address.

        Raises:
            DeclarationError: the model does not exist.
        """
        settings = self.resolved()
        return {"max_tokens": self.max_tokens, "model": settings.backend.identity(settings.model)}


def resolving(replay: bool) -> AbstractContextManager[None]:
    """Return a context in which options are resolved; in a ``replay``, no hub is called.

    A replay may come from a stranger and name any model.
    """
    if not replay:
        return contextlib.nullcontext()
    from conqret.local.model_identity import without_hub

    return without_hub()


PER_MILLION = 1e-6
"""Prices are given for a million tokens."""

PATIENCE = 7 * 86_400.0
"""Seconds: no request is given up because a machine of one's own is slow. A week stands for ever."""


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """Facts about a model; a fact is None where it is unknown.

    ``context_window`` and ``max_output`` are in tokens, prices in US dollars per token (``cached_price``: for
    prompt tokens in the provider's cache). ``tiered`` is True if the price depends on the prompt's length.
    ``listed`` is True if anything is known of the model; ``schema`` and ``tools`` if it accepts a JSON schema
    or functions. ``in_flight`` is the useful number of concurrent requests and ``timeout`` the seconds for
    one; None means those of the client. ``vision`` is True if it accepts images; None counts as False.
    ``request_tokens`` and ``questions`` bound one request to a decision model, whose ``context_window`` is
    that of a single question.
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
    request_tokens: int | None = None
    questions: int | None = None

    @property
    def priced(self) -> bool:
        """True if the prices of prompt and response tokens are known."""
        return self.input_price is not None and self.output_price is not None

    def cost(self, prompt: int | None, completion: int | None, cached: int | None = None) -> float | None:
        """Return the dollars for a call: (prompt - cached) * input + cached * cached_price + completion *
        output.

        The result is None where a price or a token count is unknown. A model whose prices are both 0 always
        costs 0.
        """
        if self.input_price == self.output_price == 0:
            return 0.0
        if self.input_price is None or self.output_price is None or prompt is None or completion is None:
            return None
        hits = min(cached or 0, prompt) if self.cached_price is not None else 0
        saved = hits * (self.input_price - (self.cached_price or 0.0))
        return prompt * self.input_price - saved + completion * self.output_price


def stated(options: ClientOptions) -> ModelFacts:
    """Return the facts that the options set themselves: context window (tokens) and prices (dollars per
    token); None where they set none.
    """
    prices = (options.input_price, options.output_price)
    per_token = [None if price is None else price * PER_MILLION for price in prices]
    return ModelFacts(options.context_window, input_price=per_token[0], output_price=per_token[1])


def on_this_machine(options: ClientOptions) -> ModelFacts:
    """Return the facts about a model on this machine: price 0, one request at a time, a timeout of a week."""
    free = ModelFacts(options.context_window, input_price=0.0, output_price=0.0, listed=True)
    return replace(free, in_flight=1, timeout=PATIENCE)


class Connection(ABC):
    """One client's open connection to a model.

    A subclass without anything to load or close implements only :meth:`complete`.
    """

    async def prepare(self) -> None:  # noqa: B027  often there is nothing
        """Load what is needed, and check that the model can be called; does nothing after the first time.

        Raises:
            DeclarationError: the model cannot be called.
        """

    @abstractmethod
    async def complete(self, request: Request[Any]) -> Completion:
        """Send a request once and return the completion; the sender handles retries.

        Raises:
            ProviderError: no response came.
        """

    async def close(self) -> None:  # noqa: B027  often there is nothing
        """Close the connection."""


@dataclass(frozen=True, kw_only=True)
class Backend:
    """One route to models: how models whose names have its prefix are called.

    A backend is a module of ``conqret/llm/backends/`` whose ``BACKEND`` is an instance of this class, or an
    entry point of the group ``conqret.backends``. Each function gets a model of this backend, and none of
    them sends anything.

    Attributes:

    prefix: the start of its models' names (``local/``). Without a final slash it is the whole name
    (``offline``); the empty prefix matches names that no other backend has. The longest matching prefix wins.

    open: opens a client's connection from resolved options; slow work is left to ``prepare``.

    writes: True if its models write structured responses to messages.

    texts: True if models that do not write structured responses write plain text.

    reads: True if they return log-probabilities of given texts (a request's ``reading``).

    decides: True if they answer typed questions with probabilities (a request's ``decision``).

    cannot: the end of the error message about a request that they cannot answer.

    here: True if it answers from data of this process only, so that no other process can call it.

    baseline: True if it is a baseline and not a model; reports say so.

    resolve: completes the options: weights pinned by their identity, the context window.

    identity: converts a resolved name to the one in keys and fingerprints; it changes with anything that
    affects responses, and contains no path.

    notes: returns what a user should know of the model of the options before a run.

    pinned: splits a resolved name into the name and the identity of the weights (None without one).

    facts: returns what is known of the model of the options.

    encoder: returns the function that counts tokens for a model's name.

    anchored: resolves a name that is a path relative to a folder; other names are unchanged.

    reaches: the address or program to which a name leads, or an empty text. Files from others may not name
    such a model, unless the user trusts them.
    """

    prefix: str
    open: Callable[[ClientOptions], Connection]
    writes: bool = True
    texts: bool = False
    reads: bool = False
    decides: bool = False
    cannot: str = "cannot be used with this model"
    here: bool = False
    baseline: bool = False
    resolve: Callable[[ClientOptions], ClientOptions] = lambda options: options
    identity: Callable[[str], str] = lambda model: model
    notes: Callable[[ClientOptions], tuple[str, ...]] = lambda options: ()
    pinned: Callable[[str], tuple[str, str | None]] = lambda model: (model, None)
    facts: Callable[[ClientOptions], ModelFacts] = stated
    encoder: Callable[[str], Encode] = encoder_for
    anchored: Callable[[str, Path], str] = lambda model, folder: model
    reaches: Callable[[str], str] = lambda model: ""

    def check_can_request(
        self,
        question: str,
        *,
        read: bool = False,
        written: bool = True,
        plain: bool = False,
        decided: bool = False,
    ) -> None:
        """Check that the models can answer a request.

        Args:
            question: the name of the request, for the error message.
            read: True if log-probabilities of given texts answer it.
            written: True if a structured response answers it.
            plain: True if unstructured text answers it.
            decided: True if answers to typed questions answer it.

        Raises:
            DeclarationError: the models can do none of these.
        """
        able = (self.reads and read, self.writes and written, self.texts and plain, self.decides and decided)
        if not any(able):
            raise DeclarationError(f"{question} {self.cannot}")


BACKENDS = Registry(
    "backend", "conqret.backends", Backend, package="conqret.llm.backends", attribute="BACKEND"
)
"""Every backend by the name of its module or entry point."""
_REST = "hosted"
"""The one that takes every name that is no other backend's."""


def backend_of(model: str) -> Backend:
    """Return the backend for a model's name: the one with the longest matching prefix.

    Raises:
        DeclarationError: a plug-in's backend cannot be loaded, or two backends match equally well.
    """
    by_length: dict[int, list[str]] = {}
    for name in BACKENDS:
        # A module of conqret's own has the name of its prefix, so that no other is loaded.
        if name == model.partition("/")[0] or BACKENDS.plugged(name):
            prefix = BACKENDS[name].prefix
            if model.startswith(prefix) if prefix.endswith("/") else prefix in ("", model):
                by_length.setdefault(len(prefix), []).append(name)
    best, *others = by_length[max(by_length)] if by_length else [_REST]
    if others:
        raise DeclarationError(
            f"the backends {best!r} and {others[0]!r} both claim the model {model!r}: uninstall one of them"
        )
    return BACKENDS[best]


class ClientSettings(TypedDict, total=False):
    """Keyword settings of a model's client, each as in :class:`ClientOptions`.

    They set the server and its key, the token limits, prices, rate limits, the budget, the timeout, and when
    to stop after failures.
    """

    api_base: str | None
    api_key: str | None
    client: Way
    max_tokens: int | None
    context_window: int | None
    input_price: float | None
    output_price: float | None
    vision: bool | None
    max_concurrency: int
    max_attempts: int
    rpm: int | None
    tpm: int | None
    budget_usd: float | None
    timeout: float
    stop_after_failures: float
    retry_unscored: bool


def client_options(model: str | ClientOptions | None, settings: Mapping[str, Any]) -> ClientOptions:
    """Return the client options for a model (None: offline), overridden by the client settings in
    ``settings``.

    Raises:
        DeclarationError: a value is out of range.
    """
    options = ClientOptions.from_model(OFFLINE_MODEL if model is None else model)
    return replace(options, **among(settings, ClientSettings.__annotations__))
