"""Requests to a model, the keys under which responses are recorded, and the responses."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from pydantic import BaseModel, TypeAdapter

from conqret.data import Call, Reason, Status
from conqret.errors import shortened
from conqret.llm.sampling import NucleusSampling
from conqret.prompts import RenderedPrompt

if TYPE_CHECKING:
    from conqret.llm.retry import ProviderError
    from conqret.local.likelihoods import TargetScore


Response = TypeVar("Response", bound=BaseModel)

MAX_NAME = 100
"""Characters of a model's name that are kept."""

KEPT = 256
"""So many digests of schemas are kept; a run has a handful."""


@dataclass(frozen=True, slots=True)
class Message:
    """One chat message; ``role`` is system, user or assistant. ``images`` follow its text: URLs (``data:`` or
    ``https:``), each with the number by which the text names it."""

    role: str
    content: str
    images: tuple[tuple[int, str], ...] = ()


IMAGE_TOKENS = 1_000
"""Tokens that an image takes, where they are estimated: OpenAI and Anthropic count some 770 to 1,600."""


def messages(rendered: RenderedPrompt, images: tuple[tuple[int, str], ...] = ()) -> tuple[Message, Message]:
    """The messages of a prompt, with the images that it shows."""
    return Message("system", rendered.system), Message("user", rendered.user, images)


def image_name(number: int) -> str:
    """What stands before an image, so that a model knows which mark of the text it belongs to."""
    return f'<image number="{number}"/>'


class Plain(BaseModel, frozen=True):
    """An answer that is a text as it stands, in no shape, and whether the room for it ended before it did."""

    text: str
    cut: bool = False


@dataclass(frozen=True, slots=True)
class Reading:
    """Texts whose log-probabilities answer a request, for a model that is read and does not write.

    ``pairs`` are contexts with the targets that may follow each. ``answer`` makes the answer's plain JSON data of
    the scores, one list a context with one score a target, none of which failed; a pure function, and so is
    ``logprobs``, which says the same as the log-probabilities of a written answer where a verdict is a choice.
    """

    pairs: tuple[tuple[str, tuple[str, ...]], ...]
    answer: Callable[[Sequence[Sequence[TargetScore]]], Any]
    logprobs: Callable[[Sequence[Sequence[TargetScore]]], tuple[TokenLogprobs, ...]] | None = None


@dataclass(frozen=True, slots=True)
class Request(NucleusSampling, Generic[Response]):
    """One typed question to a model.

    ``messages`` start with the static text (so that a provider's prompt cache helps). ``response`` is the
    pydantic model of the answer (:class:`Plain` for a text in no shape), and ``context`` what its validators need
    (pydantic's validation context: the number of documents, say). ``sample`` numbers repetitions of the same question.
    ``logprobs`` requests the tokens' log-probabilities where the provider has them. ``baseline`` returns
    the offline model's answer as plain JSON data; without it the request cannot be answered offline. ``reading``
    says how log-probabilities answer it; without it the request cannot be sent to a local model. ``written``
    says whether a model that writes can answer it, too.
    ``widened`` says whether an answer that was cut off is requested again with more room than ``max_tokens``.
    ``ask`` and ``item`` label the request for readers (``rag-fine-grained``, ``voting-age-pro``).
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
    written: bool = True

    @property
    def plain(self) -> bool:
        """Whether a text in no shape is requested."""
        return issubclass(self.response, Plain)


class TokenLogprobs(NamedTuple):
    """One generated token with the log-probabilities of its alternatives (itself among them)."""

    token: str
    alternatives: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Completion:
    """One raw answer, as every backend returns it and as a recording keeps it.

    ``text`` is the answer's content (JSON, it is hoped). ``finish_reason`` is the provider's: ``stop``,
    ``length``, ``content_filter`` … ``refusal`` is set where the provider says so itself. ``system_fingerprint``
    is what OpenAI and servers like it call the state of the system that answered. ``reasoning`` is kept where a server
    sent nothing else: its parser of thoughts may have taken the answer for them.
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


@dataclass(frozen=True, slots=True)
class Answer(Generic[Response]):
    """The outcome of a request: a validated ``value``, or the reason why there is none.

    A failed request is no exception but an answer without a value. ``given`` is then the last object that the model
    gave, of which parts may be valid; empty where it gave none.
    """

    value: Response | None
    calls: tuple[Call, ...]
    logprobs: tuple[TokenLogprobs, ...] | None = None
    reason: Reason | None = None
    detail: str = ""
    given: Mapping[str, Any] = field(default_factory=dict)

    @property
    def status(self) -> Status:
        """Scored where there is a value, else what the reason leads to."""
        return Status.SCORED if self.reason is None else self.reason.status


def answered_call(request: Request[Any], key: str, completion: Completion, attempts: int) -> Call:
    """What a judgment keeps of an answer; ``attempts`` of 0 marks one that was not sent for now."""
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
    """What a judgment keeps of a request that had no answer."""
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
    """The settings that change the answer; none of those of a writer change what a model reads (``read``)."""
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
    """sha256 (hex) over canonical JSON of model, parameters, messages (with images' digests), response schema, sample.

    The request is the one that is sent: a retry (with its fault named, or with more room) has another key. Where it has
    texts to be read, they are part of the key: the messages need not hold them. What a model reads (``read``) is the
    same each time, so a reading's key has neither sample nor temperature and max_tokens: one recording answers them
    all.
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
    """sha256 (hex) of the JSON schema of ``response``, computed once for each class."""
    return hashlib.sha256(_encode(response.model_json_schema()).encode("utf-8", "surrogatepass")).hexdigest()
