"""What a user may set about the client; every default is a named constant with its reason."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypedDict

from annotated_types import Interval

from conqret.errors import DeclarationError, check_positive
from conqret.options import check_ranges

if TYPE_CHECKING:
    from conqret.llm.backend import Backend, ModelFacts


OFFLINE_MODEL = "offline"
"""The model that is asked where none is named, the lexical baseline: no key, no network, no price."""

NO_MODEL = "no-model"
"""What stands in the place of a model's name where metrics are computed from the items."""

Way = Literal["direct", "litellm"]
"""How hosted models are asked."""

DEFAULT_MAX_CONCURRENCY = 16
"""Well under what hosted providers and one vLLM instance take at once; it sinks by itself on a 429."""

DEFAULT_TIMEOUT = 300.0
"""Seconds: a 4,000-token answer at 20 tokens a second takes 200, which leaves room for some retries."""

DEFAULT_MAX_ATTEMPTS = 6
"""With the backoff of :mod:`conqret.llm.retry`, about 8 seconds of trying against a server that is down."""


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
        api_base: The address of an OpenAI-compatible server, as `http://localhost:8000/v1`. The key comes from the
            environment.
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
    def of(cls, model: str | ClientOptions) -> ClientOptions:
        """The settings themselves, or those that a model's name alone stands for."""
        return model if isinstance(model, ClientOptions) else cls(model)

    def __post_init__(self) -> None:
        if not self.model.strip():
            raise DeclarationError("model is empty; give a litellm model name, or 'offline'")
        if self.model.endswith("/") and self.model == self.backend.prefix:
            raise DeclarationError(
                f"{self.model} lacks the model: write its folder, or its name on a hub, after the prefix"
            )
        check_positive({"max_attempts": self.max_attempts})
        check_ranges(self)
        if (self.input_price is None) != (self.output_price is None):
            raise DeclarationError("give both input_price and output_price (per million tokens), or neither")

    @property
    def backend(self) -> Backend:
        """What answers for the model: its abilities, and whether it is a baseline."""
        from conqret.llm.backend import backend_of

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
        """What identifies the judge configuration on the side of the model: its identity, and ``max_tokens``.

        Nothing that is merely asked for (time limits, concurrency, prices, a budget), no key and no address.

        Raises:
            DeclarationError: there is no such model.
        """
        settings = self.resolved()
        return {"max_tokens": self.max_tokens, "model": settings.backend.identity(settings.model)}


def resolving(replay: bool) -> AbstractContextManager[None]:
    """To be held while options are resolved: a ``replay`` asks no hub, as it may be a stranger's and name any model."""
    if not replay:
        return contextlib.nullcontext()
    from conqret.local.model_identity import without_hub

    return without_hub()


DEFAULT_TEMPERATURE = 0.0
"""At 0 each token is the likeliest, and a run can be repeated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """How a model draws tokens; what takes further options extends it.

    Model:
        temperature: The model's temperature. Default: 0.
    """

    temperature: Annotated[float | None, Interval(ge=0)] = None

    @property
    def sampling_temperature(self) -> float:
        """The temperature that requests are sent with."""
        return DEFAULT_TEMPERATURE if self.temperature is None else self.temperature


@dataclass(frozen=True, slots=True, kw_only=True)
class NucleusSampling(Sampling):
    """The same, perhaps only from the likeliest tokens (Holtzman et al. 2020).

    Model:
        top_p: Nucleus sampling: draw only from the likeliest tokens that together have this probability.
    """

    top_p: Annotated[float | None, Interval(gt=0, le=1)] = None


GREEDY = NucleusSampling()
"""Nothing is drawn: each token is the likeliest."""


class SamplingSettings(TypedDict, total=False):
    """:class:`Sampling` as functions take it by keyword."""

    temperature: float | None
