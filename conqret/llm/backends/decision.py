"""Decision models: typed questions about data over HTTP, in the wire of System One or of OpenAI's Decisions.

``decision/NAME`` is a model of a provider in ``decision_providers.toml``, of a server of one's own (``--api-base``), or
of a provider that litellm knows.
"""

from __future__ import annotations

import asyncio
import functools
import os
import time
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from conqret.data import Reason
from conqret.errors import DeclarationError
from conqret.io.jsonl import compact
from conqret.llm.client_options import PER_MILLION, Backend, ClientOptions, Connection, ModelFacts, stated
from conqret.llm.decisions import NO, YES, Decided, Decision, Question, UnansweredError, distribution
from conqret.llm.provider_errors import provider_error
from conqret.llm.providers import address, check_address, missing_key
from conqret.llm.request import Completion, Request
from conqret.llm.retry import ProviderError

PREFIX = "decision/"
SYSTEM_ONE, DECISIONS = "systemone", "decisions"
OWN_KEYS = ("SYSTEMONE_API_KEY",)
"""The environment variable of the key of a server of one's own."""

Answers = Mapping[str, Any]


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
    """Return the provider of a model with its name (empty: a server of one's own), and the model's name there."""
    name = model.removeprefix(PREFIX)
    first, _, rest = name.partition("/")
    if rest and first in providers():
        return first, providers()[first], rest
    for provider, row in providers().items():
        if row.models and name.startswith(row.models):
            return provider, row, name
    return "", Provider(), name


@dataclass(frozen=True, slots=True)
class Wire:
    """How questions are put into a body, and read from one."""

    path: str
    body: Callable[[str, Decision], Mapping[str, Any]]
    answers: Callable[[Mapping[str, Any], Decision], Iterator[tuple[str, Question, Any]]]


def _systemone_body(model: str, decision: Decision) -> Mapping[str, Any]:
    def put(question: Question) -> Mapping[str, Any]:
        options: Any = {label: meaning or None for label, meaning in question.options}
        if question.kind == "score":
            return {
                "type": "score",
                "instructions": question.text,
                "criteria": [meaning or label for label, meaning in question.options],
            }
        if question.kind == "choice":
            return {"type": "choice", "instructions": question.text, "criteria": options}
        noul = {"type": "noul", "instructions": question.text}
        described = {"true": options[YES], "false": options[NO]}
        return noul | ({"criteria": described} if any(described.values()) else {})

    questions = {name: put(question) for name, question in decision.questions.items()}
    return {"model": model, "state": decision.state, "questions": questions}


def _systemone_answers(body: Mapping[str, Any], decision: Decision) -> Iterator[tuple[str, Question, Any]]:
    answers = body.get("answers")
    if not isinstance(answers, Mapping):
        raise ProviderError(Reason.SERVER_ERROR, "the server's response contains no answers")
    for name, question in decision.questions.items():
        yield name, question, answers.get(name)


def _openai_body(model: str, decision: Decision) -> Mapping[str, Any]:
    def put(name: str, question: Question) -> Mapping[str, Any]:
        text, options = question.text, question.options
        if question.kind == "yes_no":
            rules = [f"Answer {label} if {meaning}" for label, meaning in options if meaning]
            return {"type": "predicate", "name": name, "instructions": "\n".join((text, *rules))}
        kind, plural, label = ("score", "levels", "label") if question.kind == "score" else _CHOICE
        listed = [{label: word, **({"description": about} if about else {})} for word, about in options]
        return {"type": kind, "name": name, "instructions": text, plural: listed}

    _, state = decision.texts
    questions = [put(name, question) for name, question in decision.questions.items()]
    return {"model": model, "input": state, "questions": questions}


_CHOICE = ("choice", "choices", "value")


def _openai_answers(body: Mapping[str, Any], decision: Decision) -> Iterator[tuple[str, Question, Any]]:
    answers = body.get("answers")
    if not isinstance(answers, list):
        raise ProviderError(Reason.SERVER_ERROR, "the server's response contains no answers")
    for place, (name, question) in enumerate(decision.questions.items()):
        yield name, question, answers[place] if place < len(answers) else None


WIRES = {
    SYSTEM_ONE: Wire("/systemone", _systemone_body, _systemone_answers),
    DECISIONS: Wire("/decisions", _openai_body, _openai_answers),
}


def read(question: Question, name: str, answer: Any) -> dict[str, float]:
    """Return the distribution that an answer of either wire gives to a question.

    Raises:
        UnansweredError: the model refuses the question, or the answer is missing or invalid.
    """
    if not isinstance(answer, Mapping):
        raise UnansweredError(Reason.INVALID_ANSWER, "the response lacks the answer to this question")
    if answer.get("type") == "refusal" or answer.get("refusal"):
        raise UnansweredError(Reason.REFUSAL, "the model refuses to answer this question")
    if answer.get("name") not in (None, name):
        other = str(answer["name"])[:60]
        raise UnansweredError(Reason.INVALID_ANSWER, f"the answer is to another question ({other})")
    if question.kind == "yes_no":
        yes = answer.get("noul", answer.get("probability"))
        if not isinstance(yes, int | float):
            raise UnansweredError(Reason.INVALID_ANSWER, "the answer has no probability of yes")
        return distribution(question, {YES: yes, NO: 1 - yes})
    listed = answer.get("probabilities")
    if isinstance(listed, list):  # OpenAI's; a score's value is the index of the level
        listed = {str(row.get("value")): row.get("probability") for row in listed if isinstance(row, Mapping)}
    if not isinstance(listed, Mapping):
        raise UnansweredError(Reason.INVALID_ANSWER, "the answer has no probabilities")
    if question.kind == "score":
        listed = _by_label(question, listed)
    return distribution(question, listed)


def _by_label(question: Question, listed: Mapping[str, Any]) -> Mapping[str, Any]:
    """A score's probabilities, which come by the index of the level, or by its text."""
    indexes = {str(place): label for place, label in enumerate(question.labels)}
    texts = {meaning or label: label for label, meaning in question.options}
    names = indexes if indexes.keys() >= listed.keys() else texts
    return {names.get(name, name): value for name, value in listed.items()}


class DecisionConnection(Connection):
    """A connection to the server of a decision model."""

    def __init__(self, options: ClientOptions) -> None:
        self._options, self._facts = options, facts(options)
        self._name, self._provider, self._model = provider_of(options.model)
        self._wire, self._url = WIRES[self._provider.wire], self._provider.url
        if base := options.api_base:
            self._wire, self._url = _placed(base, self._provider)
        self._open: Any = None
        self._preparing = asyncio.Lock()

    async def prepare(self) -> None:
        """Check that the model has an address and a key, and that a server of one's own listens.

        Raises:
            DeclarationError: it has none, or no server listens at the address.
        """
        await self._prepared()

    async def _prepared(self) -> Any:
        from conqret.llm.hosted.direct_http import session_of  # aiohttp, which most runs need not
        from conqret.llm.hosted.servers import Server, checked_key

        async with self._preparing:
            if self._open is None:
                if not self._url:
                    raise DeclarationError(
                        f"the model {self._options.model} has no address: give that of its server (--api-base "
                        f"http://localhost:8000), or name a model of {', '.join(providers())}"
                    )
                given = (self._options.api_key, *map(os.environ.get, self._provider.keys))
                key = next((key.strip() for key in given if key and key.strip()), "")
                if self._options.api_base:
                    await check_address(self._options.api_base)
                elif not key:
                    missing_key(self._options.model, self._name, self._provider.keys)
                headers = {"Authorization": f"Bearer {checked_key(key, self._name)}"} if key else {}
                server = Server(self._name, self._model, self._url, headers)
                self._open = server, session_of(server)
            return self._open

    async def complete(self, request: Request[Any]) -> Completion:
        """Put the questions of a request to the model, and return the answers as JSON (:class:`Decided`).

        Raises:
            ProviderError: no response came, or one without answers.
        """
        from conqret.llm.hosted.connection import stated_by

        if request.decision is None:
            raise DeclarationError(f"{request.ask} {CANNOT}")
        began = time.perf_counter()
        try:
            body = await self._exchange(request.decision)
        except Exception as error:  # noqa: BLE001  whatever a connection raises becomes a reason
            failure = provider_error(error)
            if (completion := stated_by(failure)) is not None:
                return completion
            if failure.code is Reason.CONNECTION:
                where = f"the connection to {address(self._url)} failed"
                raise ProviderError(failure.code, f"{where}: {failure}") from None
            raise failure from None
        return self._completion(body, request.decision, time.perf_counter() - began)

    async def _exchange(self, decision: Decision) -> Mapping[str, Any]:
        from conqret.llm.hosted.direct_http import body_of, parsed, refused

        server, session = await self._prepared()
        data = compact(self._wire.body(self._model, decision))
        sent = session.post(server.url, data=data, headers=server.headers, allow_redirects=False)
        async with sent as response:
            raw = await body_of(response)
        if response.status != 200:
            error = refused(server, response.status, response.headers, raw)
            if error.code is Reason.NOT_FOUND:
                raise ProviderError(error.code, f"{response.status} at {address(server.url)}: {error}")
            raise error
        return parsed(raw)

    def _completion(self, body: Mapping[str, Any], decision: Decision, seconds: float) -> Completion:
        from conqret.llm.hosted.response_bodies import mapping, usage_of

        answers, faults = dict[str, dict[str, float]](), dict[str, tuple[Reason, str]]()
        for name, question, answer in self._wire.answers(body, decision):
            try:
                answers[name] = read(question, name, answer)
            except UnansweredError as error:
                faults[name] = error.reason, str(error)
        refused = not answers and all(reason is Reason.REFUSAL for reason, _ in faults.values())
        usage = mapping(body.get("usage"))
        tokens, _, _ = usage_of({"prompt_tokens": usage.get("input_tokens")})
        return Completion(
            Decided.model_construct(answers=answers, faults=faults).model_dump_json(),
            refusal="the model refuses to answer any of the questions" if refused else None,
            model=str(body.get("model") or ""),
            prompt_tokens=tokens,
            completion_tokens=0,
            cost_usd=self._facts.cost(tokens, 0),
            seconds=seconds,
        )

    async def close(self) -> None:
        """Close the connections."""
        opened, self._open = self._open, None
        if opened is not None:
            await opened[1].close()


def _placed(base: str, provider: Provider) -> tuple[Wire, str]:
    """The wire and the address at a base, which may name the interface, or end in /v1 or before it."""
    path = urlsplit(base).path.rstrip("/") if "://" in base else ""
    for wire in WIRES.values():
        if path.endswith(wire.path):
            return (WIRES[provider.wire] if provider.url else wire), base.rstrip("/")
    wire = WIRES[provider.wire]
    return wire, f"{base.rstrip('/')}{'' if path.endswith('/v1') else '/v1'}{wire.path}"


def facts(options: ClientOptions) -> ModelFacts:
    """Return the price and the limits of a model; what the options set takes precedence."""
    _, provider, model = provider_of(options.model)
    set_facts = stated(options)
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
    prefix=PREFIX,
    open=DecisionConnection,
    writes=False,
    decides=True,
    cannot=CANNOT,
    facts=facts,
    notes=_notes,
)
