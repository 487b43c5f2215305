"""Decision models: typed questions about data over HTTP, in the wire of System One or of OpenAI's Decisions.

``decision/NAME`` is a model of a provider in ``decision_providers.toml``, of a server of one's own (``--api-base``), or
of a provider that litellm knows.
"""

from __future__ import annotations

import functools
import itertools
import os
import time
import tomllib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from conqret.data import Reason
from conqret.errors import DeclarationError
from conqret.io.jsonl import compact
from conqret.llm.client_options import PER_MILLION, Backend, ClientOptions, Connection, ModelFacts, stated
from conqret.llm.decisions import NO, YES, Decided, Decision, UnansweredError, answered
from conqret.llm.failed_requests import ProviderError
from conqret.llm.hosted.connection import stated_by
from conqret.llm.hosted.direct_http import Poster
from conqret.llm.hosted.response_bodies import mapping, usage_of
from conqret.llm.hosted.servers import Server, checked_key
from conqret.llm.provider_errors import provider_error
from conqret.llm.providers import address, check_address, is_provider, listed, missing_key
from conqret.llm.request import MAX_NAME, Completion, Request

PREFIX = "decision/"
OWN_KEYS = ("SYSTEMONE_API_KEY",)
"""The environment variable of the key of a server of one's own."""


SYSTEM_ONE, DECISIONS = "systemone", "decisions"


@dataclass(frozen=True, slots=True)
class DecisionWire:
    """How questions stand in the body of a request, and answers in that of a response.

    ``path`` is the end of its address. ``body`` returns the body for a model and a decision, ``answers`` the
    answer to each question from a body, None where there is none.
    """

    path: str
    body: Callable[[str, Decision], Mapping[str, Any]]
    answers: Callable[[Any, Decision], Mapping[str, Any]]

    def read(self, body: Mapping[str, Any], decision: Decision) -> Decided:
        """Return the answers in the body of a response.

        Raises:
            ProviderError: the body has no answers at all.
        """
        sent = body.get("answers")
        if not isinstance(sent, list | Mapping):
            raise ProviderError(Reason.SERVER_ERROR, "the server's response contains no answers")
        answers, faults = dict[str, dict[str, float]](), dict[str, tuple[Reason, str]]()
        for name, answer in self.answers(sent, decision).items():
            try:
                answers[name] = answered(decision.questions[name], name, answer)
            except UnansweredError as error:
                faults[name] = error.reason, str(error)
        return Decided.model_construct(answers=answers, faults=faults)


def _systemone(model: str, decision: Decision) -> Mapping[str, Any]:
    questions = {}
    for name, question in decision.questions.items():
        put: dict[str, Any] = {"type": question.kind, "instructions": question.text}
        meanings: dict[str, str | None] = {label: meaning or None for label, meaning in question.options}
        if question.kind == "score":
            put["criteria"] = [meaning or label for label, meaning in question.options]
        elif question.kind == "choice":
            put["criteria"] = meanings
        else:
            put["type"] = "noul"
            if any(meanings.values()):
                put["criteria"] = {"true": meanings[YES], "false": meanings[NO]}
        questions[name] = put
    return {"model": model, "state": decision.state, "questions": questions}


def _openai(model: str, decision: Decision) -> Mapping[str, Any]:
    questions = []
    for name, question in decision.questions.items():
        put: dict[str, Any] = {"type": question.kind, "name": name, "instructions": question.text}
        if question.kind == "yes_no":
            put["type"] = "predicate"
            rules = (f"Answer {label} if: {meaning}" for label, meaning in question.options if meaning)
            put["instructions"] = "\n".join((question.text, *rules))
        else:
            label, listed = ("label", "levels") if question.kind == "score" else ("value", "choices")
            put[listed] = [
                {label: word, **({"description": meaning} if meaning else {})}
                for word, meaning in question.options
            ]
        questions.append(put)
    return {"model": model, "input": decision.texts[1], "questions": questions}


def _by_name(sent: Any, decision: Decision) -> Mapping[str, Any]:
    named = sent if isinstance(sent, Mapping) else {}
    return {name: named.get(name) for name in decision.questions}


def _in_order(sent: Any, decision: Decision) -> Mapping[str, Any]:
    listed = sent if isinstance(sent, list) else []
    return dict(itertools.zip_longest(decision.questions, listed[: len(decision.questions)]))


WIRES = {
    SYSTEM_ONE: DecisionWire("/systemone", _systemone, _by_name),
    DECISIONS: DecisionWire("/decisions", _openai, _in_order),
}
"""The wires by name: that of System One, and that of OpenAI's Decisions."""


@dataclass(frozen=True, slots=True)
class Provider:
    """A provider of decision models, or a server of one's own: wire, address, keys, prices and limits.

    ``keys`` are environment variables, ``models`` the start of its models' names, and ``prices`` US dollars
    for a million input tokens by a part of a model's name. ``question_tokens`` bounds the state with one
    question, ``request_tokens`` all of a request, and ``questions`` their number (None: no limit is known).
    """

    wire: str = SYSTEM_ONE
    url: str = ""
    keys: tuple[str, ...] = OWN_KEYS
    models: str = ""
    prices: Mapping[str, float] = field(default_factory=dict)
    question_tokens: int | None = None
    request_tokens: int | None = None
    questions: int | None = None


@functools.cache
def providers() -> Mapping[str, Provider]:
    """Return the providers of ``decision_providers.toml`` by name."""
    text = Path(__file__).parent.with_name("decision_providers.toml").read_text(encoding="utf-8")
    return {
        name: Provider(**{**row, "keys": tuple(row["keys"])}) for name, row in tomllib.loads(text).items()
    }


def provider_of(model: str) -> tuple[str, Provider, str]:
    """Return the provider's name (empty: a server of one's own), the provider, and the model's name there.

    The name before a slash decides (``decision/NAME/MODEL``), else the start of the model's name.
    """
    name = model.removeprefix(PREFIX)
    first, _, rest = name.partition("/")
    if rest and first in providers():
        return first, providers()[first], rest
    for provider, row in providers().items():
        if row.models and name.startswith(row.models):
            return provider, row, name
    return "", Provider(), name


class DecisionConnection(Connection):
    """A connection to the server of a decision model."""

    def __init__(self, options: ClientOptions) -> None:
        self._options, self._facts = options, facts(options)
        self._name, self._provider, self._model = provider_of(options.model)
        self._wire, self._url = WIRES[self._provider.wire], self._provider.url
        if base := options.api_base:
            self._wire, self._url = _placed(base, self._provider)
        self._poster = Poster(self._server)

    async def prepare(self) -> None:
        """Check that the model has an address and a key, and that a server of one's own listens.

        Raises:
            DeclarationError: it has none, or no server listens at the address.
        """
        await self._poster.opened()

    async def _server(self) -> Server:
        if not self._url:
            raise DeclarationError(
                f"the model {self._options.model} has no address: give that of its server (--api-base "
                f"http://localhost:8000), or name a model of {', '.join(providers())}, or of another provider "
                "of litellm (decision/PROVIDER/MODEL)"
            )
        given = (self._options.api_key, *map(os.environ.get, self._provider.keys))
        key = next((key.strip() for key in given if key and key.strip()), "")
        if self._options.api_base:
            await check_address(self._options.api_base)
        elif not key:
            missing_key(self._options.model, self._name, self._provider.keys)
        headers = {"Authorization": f"Bearer {checked_key(key, self._name)}"} if key else {}
        return Server(self._name, self._model, self._url, headers)

    async def complete(self, request: Request[Any]) -> Completion:
        """Send the questions of a request's ``decision``, and return the answers as the JSON of
        :class:`Decided`, with the reason for each question that has none.

        Raises:
            ProviderError: no response came, or one without answers.
        """
        return await _completed(request, self._exchange, self._wire, self._facts, address(self._url))

    async def _exchange(self, decision: Decision) -> Mapping[str, Any]:
        try:
            return await self._poster.post(compact(self._wire.body(self._model, decision)))
        except ProviderError as error:
            if error.code is Reason.NOT_FOUND:
                raise ProviderError(error.code, f"404 at {address(self._url)}: {error}") from None
            raise

    async def close(self) -> None:
        """Close the connections."""
        await self._poster.close()


async def _completed(
    request: Request[Any],
    exchange: Callable[[Decision], Awaitable[Mapping[str, Any]]],
    wire: DecisionWire,
    known: ModelFacts,
    where: str,
) -> Completion:
    """Return the answers to a request's questions as a completion to record, from the body that ``exchange``
    returns.

    An error that is the model's verdict on the request becomes a completion; ``where`` is the address for
    messages.

    Raises:
        ProviderError: no response came, or one without answers.
        DeclarationError: the request has no typed questions.
    """
    decision = request.decision
    if decision is None:
        raise DeclarationError(f"{request.ask} {CANNOT}")
    began = time.perf_counter()
    try:
        body = await exchange(decision)
        decided = wire.read(body, decision)
    except Exception as error:  # noqa: BLE001  whatever a connection raises becomes a reason
        failure = provider_error(error)
        if (completion := stated_by(failure)) is not None:
            return completion
        if failure.code is Reason.CONNECTION:
            failure = ProviderError(failure.code, f"the connection to {where} failed: {failure}")
        raise failure from None
    refused = not decided.answers and {reason for reason, _ in decided.faults.values()} == {Reason.REFUSAL}
    tokens, _, cached = usage_of({"prompt_tokens": mapping(body.get("usage")).get("input_tokens")})
    return Completion(
        decided.model_dump_json(),
        refusal="the model refuses to answer any of the questions" if refused else None,
        model=str(body.get("model") or "").encode("utf-8", "replace").decode()[:MAX_NAME],
        prompt_tokens=tokens,
        completion_tokens=0,
        cost_usd=known.cost(tokens, 0, cached),
        seconds=time.perf_counter() - began,
    )


def _open(options: ClientOptions) -> Connection:
    name, _, model = provider_of(options.model)
    first, _, rest = model.partition("/")
    if name and options.client == "litellm":
        return _through_litellm(options, f"{name}/{model}")
    if not name and rest and is_provider(first):
        return _through_litellm(options, model)
    return DecisionConnection(options)


def _through_litellm(options: ClientOptions, model: str) -> Connection:
    """Return a connection through litellm, which writes the questions in the wire of each provider that it
    knows.
    """
    from conqret.llm.hosted.through_litellm import ThroughLitellm

    class LitellmDecisions(ThroughLitellm):
        async def complete(self, request: Request[Any]) -> Completion:
            await self.prepare()
            where = self.options.api_base or self.provider
            return await _completed(request, self._exchange, WIRES[SYSTEM_ONE], self.facts, where)

        async def _exchange(self, decision: Decision) -> Mapping[str, Any]:
            settings = {name: self._fixed[name] for name in ("api_base", "api_key", "timeout", "num_retries")}
            asked = WIRES[SYSTEM_ONE].body(model, decision)
            answer = await self._litellm.asystemone(**asked, **settings, max_retries=0, caching=False)
            body: dict[str, Any] = answer.model_dump(warnings="none")
            return body

    return LitellmDecisions(replace(options, model=model))


def _placed(base: str, provider: Provider) -> tuple[DecisionWire, str]:
    """Return the wire and the address of requests for a base address, which may be whole, end in /v1, or have
    neither.
    """
    path = urlsplit(base).path.rstrip("/") if "://" in base else ""
    for wire in WIRES.values():
        if path.endswith(wire.path):
            return (WIRES[provider.wire] if provider.url else wire), base.rstrip("/")
    wire = WIRES[provider.wire]
    return wire, f"{base.rstrip('/')}{'' if path.endswith('/v1') else '/v1'}{wire.path}"


def facts(options: ClientOptions) -> ModelFacts:
    """Return the prices and limits of a decision model; prices and the context window that the options set
    take precedence.

    Without a known price, ``input_price`` and ``output_price`` are None; with one, responses cost nothing.
    """
    name, provider, model = provider_of(options.model)
    set_facts = stated(options)
    if not name and is_provider(model.partition("/")[0]):
        return replace(listed(replace(options, model=model)), vision=False)
    price = next((price for part, price in provider.prices.items() if part in model), None)
    return ModelFacts(
        context_window=set_facts.context_window or provider.question_tokens or provider.request_tokens,
        input_price=set_facts.input_price if set_facts.priced else price and price * PER_MILLION,
        output_price=set_facts.output_price if set_facts.priced else None if price is None else 0.0,
        listed=bool(provider.url),
        vision=False,
        request_tokens=provider.request_tokens,
        questions=provider.questions,
    )


CANNOT = (
    "cannot be put as typed questions, which is all that a decision model answers: name a model that writes"
)


def _notes(options: ClientOptions) -> tuple[str, ...]:
    if not options.model.endswith(("latest", "preview")):
        return ()
    return (
        f"{options.model} names whatever version is served at the time: name a version, so that scores of several "
        "runs are of the same judge",
    )


BACKEND = Backend(
    prefix=PREFIX, open=_open, writes=False, decides=True, cannot=CANNOT, facts=facts, notes=_notes
)
