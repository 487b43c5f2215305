"""What a user may set about the client; every default is a named constant with its reason."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from conqret.errors import DeclarationError, check_positive
from conqret.llm.backend import Backend, ModelFacts, backend_of
from conqret.llm.brake import SEEN, STOP_AFTER

OFFLINE_MODEL = "offline"
"""The model that is asked where none is named, the lexical baseline: no key, no network, no price."""

Way = Literal["direct", "litellm"]
"""How hosted models are asked."""

DEFAULT_MAX_CONCURRENCY = 16
"""Well under what hosted providers and one vLLM instance take at once; it sinks by itself on a 429."""

DEFAULT_TIMEOUT = 300.0
"""Seconds: a 4,000-token answer at 20 tokens a second takes 200, which leaves room for some retries."""

DEFAULT_MAX_ATTEMPTS = 6
"""With the backoff of :mod:`conqret.llm.retry`, about 8 seconds of trying against a server that is down."""


@dataclass(frozen=True, slots=True)
class ClientOptions:
    """The settings of one client.

    ``model`` is any litellm model name, ``offline``, or ``local/`` and a transformers model's folder or hub's name,
    of which log-probabilities are read and which never writes. ``api_key`` is used for the calls and nowhere else:
    it is in no repr, error, recording or key. ``max_tokens`` holds where a request sets none of its own.
    ``rpm`` and ``tpm`` limit requests and tokens a minute, ``budget_usd`` the money this client may spend,
    ``timeout`` the seconds for one request with all its retries (from the first one sent; an answer that
    was invalid is asked for again in a request of its own), ``max_attempts`` the requests sent for it.
    From a share of ``stop_after_failures`` (above 0, at most 1) of questions without a valid answer on, nothing more is
    asked (see :class:`conqret.llm.brake.Brake`).
    ``retry_unscored``: a recorded answer that could not be used (a refusal, no valid JSON) is asked for once more, in
    its place, by the next run that needs it.
    ``client`` is the way to hosted models: ``direct`` asks OpenAI-compatible servers without litellm, and all others
    through it, ``litellm`` asks all through it. It changes no answer.
    ``context_window`` (tokens) and the prices (US dollars per million tokens) override the price list.

    Raises:
        DeclarationError: a value is out of its range.
    """

    model: str
    api_base: str | None = None
    api_key: str | None = field(default=None, repr=False)
    max_tokens: int | None = None
    max_concurrency: int = DEFAULT_MAX_CONCURRENCY
    rpm: int | None = None
    tpm: int | None = None
    budget_usd: float | None = None
    timeout: float = DEFAULT_TIMEOUT
    max_attempts: int = DEFAULT_MAX_ATTEMPTS
    context_window: int | None = None
    input_price: float | None = None
    output_price: float | None = None
    stop_after_failures: float = STOP_AFTER
    retry_unscored: bool = True
    client: Way = "direct"

    @classmethod
    def of(cls, model: str | ClientOptions) -> ClientOptions:
        """The settings themselves, or those that a model's name alone stands for."""
        return model if isinstance(model, ClientOptions) else cls(model)

    def __post_init__(self) -> None:
        if not self.model.strip():
            raise DeclarationError("model is empty; give a litellm model name, or 'offline'")
        if self.model.endswith("/") and self.model == self.backend.prefix:
            raise DeclarationError(f"{self.model} must be followed by a model's folder or its name on a hub")
        counts = ("max_tokens", "rpm", "tpm", "context_window", "max_concurrency", "max_attempts")
        check_positive({name: getattr(self, name) for name in counts})
        for name in ("budget_usd", "input_price", "output_price"):
            number = getattr(self, name)
            if number is not None and not (math.isfinite(number) and number >= 0):
                raise DeclarationError(f"{name} is {number}; it must be a finite number, 0 or more")
        if self.client not in get_args(Way):
            raise DeclarationError(f"client is {self.client!r}; it must be direct or litellm")
        if not self.timeout > 0:
            raise DeclarationError(f"timeout is {self.timeout}; it must be a positive number of seconds")
        if not 0 < self.stop_after_failures <= 1:
            raise DeclarationError(
                f"stop_after_failures is {self.stop_after_failures}; it must be a share above 0 and at most 1 "
                f"(1 stops where all of {SEEN} questions or more have failed)"
            )
        if (self.input_price is None) != (self.output_price is None):
            raise DeclarationError("give both input_price and output_price (per million tokens), or neither")

    @property
    def backend(self) -> Backend:
        """What answers for the model: its abilities, and whether it is a baseline."""
        return backend_of(self.model)

    @property
    def facts(self) -> ModelFacts:
        """What is known of the model, with what is set here before all else."""
        return self.backend.facts(self)

    def resolved(self) -> ClientOptions:
        """The same with what the model's name leaves open filled in: the identity of its weights, its window.

        Raises:
            DeclarationError: there is no such model.
        """
        return self.backend.resolve(self)

    @property
    def identity(self) -> Mapping[str, Any]:
        """What identifies the instrument behind the answers: the model, and how long they may be.

        Nothing that is merely asked for (time limits, concurrency, prices, a budget), no key and no address.

        Raises:
            DeclarationError: there is no such model.
        """
        settings = self.resolved()
        return {"max_tokens": self.max_tokens, "model": settings.backend.identity(settings.model)}
