"""Requests to a model, the keys under which responses are recorded, and the responses."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any, Generic, NamedTuple, TypeVar

from annotated_types import Interval
from pydantic import BaseModel, TypeAdapter

from conqret.data import Call, Reason, Status
from conqret.errors import shortened
from conqret.llm.decisions import Decided, Decision
from conqret.llm.failed_requests import ProviderError
from conqret.prompts import RenderedPrompt

if TYPE_CHECKING:
    from conqret.local.likelihoods import TargetScore


Response = TypeVar("Response", bound=BaseModel)

MAX_NAME = 100
"""The most characters of a model's name that are kept."""

KEPT = 256
"""The most digests of schemas in the cache; a run has a handful."""


@dataclass(frozen=True, slots=True)
class Message:
    """One chat message; ``role`` is system, user or assistant.

    ``images`` follow its text: URLs (``data:`` or ``https:``), each with the number that the text refers to.
    """

    role: str
    content: str
    images: tuple[tuple[int, str], ...] = ()


IMAGE_TOKENS = 1_000
"""Tokens that an image takes, where they are estimated: OpenAI and Anthropic count some 770 to 1,600."""


def messages(rendered: RenderedPrompt, images: tuple[tuple[int, str], ...] = ()) -> tuple[Message, Message]:
    """Return the system and user messages of a filled prompt, the latter with the prompt's images."""
    return Message("system", rendered.system), Message("user", rendered.user, images)


def image_name(number: int) -> str:
    """Return the tag before an image, so that a model can match the image with the same tag in the text."""
    return f'<image number="{number}"/>'


class Plain(BaseModel, frozen=True):
    """An answer that is a text as it stands, in no shape, and whether the room for it ended before it did."""

    text: str
    cut: bool = False


@dataclass(frozen=True, slots=True)
class Reading:
    """Texts whose log-probabilities answer a request, for a model that is read and does not write.

    ``pairs`` are contexts, each with the targets that may follow it. ``answer`` computes the response as
    plain data from the scores, which are one list per context with one score per target. ``logprobs``
    converts the scores to log-probabilities of a written response, where a verdict is a choice. Both are pure
    functions.
    """

    pairs: tuple[tuple[str, tuple[str, ...]], ...]
    answer: Callable[[Sequence[Sequence[TargetScore]]], Any]
    logprobs: Callable[[Sequence[Sequence[TargetScore]]], tuple[TokenLogprobs, ...]] | None = None


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
        """The temperature of requests: the one set, or else the default."""
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


@dataclass(frozen=True, slots=True)
class Request(NucleusSampling, Generic[Response]):
    """One request to a model for a response of a given type.

    ``messages`` start with the static text, so that a provider can cache it. ``response`` is the pydantic
    model of the response (:class:`Plain` for unstructured text), and ``context`` its validation context.
    ``sample`` numbers repetitions of the same request. ``logprobs`` requests log-probabilities of tokens
    where the provider has them. ``baseline`` returns the offline baseline's response as plain data;
    without it, the request cannot be answered offline. ``reading`` says how log-probabilities answer it;
    without it, a local model cannot. ``decision`` are the typed questions of a request to a decision
    model, whose response is :class:`~conqret.llm.decisions.Decided`. ``written`` is True if a model that
    writes can answer it. ``widened`` is True if a response that was cut off is requested again with more
    than ``max_tokens``. ``ask`` and ``item`` are labels for readers (``rag-fine-grained``,
    ``voting-age-pro``).
    """

    ask: str
    item: str
    messages: Sequence[Message]
    response: type[Response]
    context: Mapping[str, Any] = field(default_factory=dict)
    max_tokens: int | None = None
    widened: bool = True
    sample: int = 0
    logprobs: bool = False
    baseline: Callable[[], Any] | None = None
    reading: Reading | None = None
    decision: Decision | None = None
    written: bool = True

    @property
    def plain(self) -> bool:
        """True if unstructured text is requested."""
        return issubclass(self.response, Plain)


class TokenLogprobs(NamedTuple):
    """One generated token with the log-probabilities of its alternatives (itself among them)."""

    token: str
    alternatives: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Completion:
    """One raw response, as every backend returns it and as recordings store it.

    ``text`` is its content (usually JSON). ``finish_reason`` is the provider's: ``stop``, ``length``,
    ``content_filter`` … ``refusal`` is set where the provider reports one. ``model`` is the name that the
    response reports. Tokens and ``cost_usd`` are None where unknown (``cached_tokens`` are those of the
    prompt in the provider's cache), ``seconds`` is the time that it took, and ``logprobs`` are None unless
    requested. ``system_fingerprint`` is OpenAI's identifier of the serving system. ``reasoning`` is stored
    where a server sent only that, because its parser may have mistaken the response for reasoning.
    """

    text: str
    finish_reason: str = "stop"
    refusal: str | None = None
    model: str = ""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None
    cost_usd: float | None = None
    seconds: float = 0.0
    logprobs: tuple[TokenLogprobs, ...] | None = None
    system_fingerprint: str | None = None
    reasoning: str | None = None


def decision_request(name: str, item: str, decision: Decision, sample: int = 0) -> Request[Decided]:
    """Return the request that puts the questions of a decision to a decision model.

    Args:
        name: the name of the request.
        item: the id of the item.
        decision: the questions and the state.
        sample: the number of the repetition.
    """
    questions, state = decision.texts
    texts = Message("system", questions), Message("user", state)
    return Request(name, item, texts, Decided, sample=sample, decision=decision, written=False)


@dataclass(frozen=True, slots=True)
class Answer(Generic[Response]):
    """The outcome of a request: a validated ``value``, or the reason why there is none.

    A failed request raises no exception. ``given`` then is the last invalid object of the model, of which
    parts may be valid, or empty, and ``detail`` describes the failure. ``calls`` are all calls behind it,
    repeated ones included; ``logprobs`` are those of the last response (None: none).
    """

    value: Response | None
    calls: tuple[Call, ...]
    logprobs: tuple[TokenLogprobs, ...] | None = None
    reason: Reason | None = None
    detail: str = ""
    given: Mapping[str, Any] = field(default_factory=dict)

    @property
    def status(self) -> Status:
        """The status: scored where there is a value, else the status of the reason."""
        return Status.SCORED if self.reason is None else self.reason.status


def answered_call(request: Request[Any], key: str, completion: Completion, attempts: int) -> Call:
    """Return the record of a call for a judgment, with tokens, dollars and seconds; ``attempts`` of 0 marks
    a recorded response.
    """
    return Call(
        key=key,
        ask=request.ask,
        sample=request.sample,
        attempts=attempts,
        prompt_tokens=completion.prompt_tokens,
        completion_tokens=completion.completion_tokens,
        cached_tokens=completion.cached_tokens,
        cost_usd=completion.cost_usd,
        seconds=completion.seconds,
        finish_reason=completion.finish_reason,
        recorded=not attempts,
        answered_by=shortened(completion.model, MAX_NAME) or None,
        system_fingerprint=shortened(completion.system_fingerprint or "", MAX_NAME) or None,
    )


def failed_call(request: Request[Any], key: str, error: ProviderError) -> Call:
    """Return the record of a call without a response for a judgment; its cost is unknown (None) if anything
    was sent, else 0.
    """
    return Call(
        key=key,
        ask=request.ask,
        sample=request.sample,
        attempts=error.attempts,
        cost_usd=0.0 if not error.attempts else None,
        error=f"{error.code}: {error}",
    )


KEY_VERSION = 1
"""Changes whenever keys are made in another way, so that old recordings are never mistaken for new."""

_encode = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode
_TEXTS: TypeAdapter[list[Any]] = TypeAdapter(list[Any])


def parameters(request: Request[Any], *, read: bool) -> Mapping[str, Any]:
    """Return the settings that affect the response, for its key and its recording.

    For a model that is read (``read``) it is only ``logprobs``; for a decision, nothing.
    """
    if request.decision is not None:
        return {}
    if read:
        return {"logprobs": request.logprobs}
    return {
        "logprobs": request.logprobs,
        "max_tokens": request.max_tokens,
        "seed": None,  # none is ever set, but the keys of all recordings so far were made with it
        "temperature": request.sampling_temperature,
        **({} if request.top_p is None else {"top_p": request.top_p}),
    }


def request_key(model: str, request: Request[Any], *, read: bool = False) -> str:
    """Return the key of a request: the sha256 (hex) of canonical JSON of everything that affects the
    response.

    This is the model, parameters, messages (with images' digests), response schema and sample. A retry with a
    re-prompt or with more tokens therefore has another key. Texts to be read are included. For a model that
    is read (``read``), the key has no sample, temperature or max_tokens, because its results are
    deterministic.
    """
    response: type[BaseModel] = request.response
    texts = []
    for message in request.messages:
        text: list[Any] = [message.role, message.content]
        if message.images:  # the sha256 of an image's URL stands for its megabytes
            urls = ((number, url.encode("utf-8", "surrogatepass")) for number, url in message.images)
            text.append([[number, hashlib.sha256(url).hexdigest()] for number, url in urls])
        texts.append(text)
    try:
        encoded = _TEXTS.dump_json(texts)  # the same as below, and for long texts quicker
    except ValueError:  # half a surrogate pair
        encoded = _encode(texts).encode("utf-8", "surrogatepass")
    before = _encode([KEY_VERSION, model, parameters(request, read=read)])
    after: list[Any] = [schema_digest(response), 0 if read else request.sample]
    if request.reading is not None:
        after.append(request.reading.pairs)
    end = _encode(after).encode("utf-8", "surrogatepass")
    return hashlib.sha256(
        b"%s,%s,%s" % (before.encode("utf-8", "surrogatepass")[:-1], encoded, end[1:])
    ).hexdigest()


@lru_cache(maxsize=KEPT)
def schema_digest(response: type[BaseModel]) -> str:
    """Return the sha256 (hex) of the JSON schema of ``response``, computed once for each class."""
    return hashlib.sha256(_encode(response.model_json_schema()).encode("utf-8", "surrogatepass")).hexdigest()
