"""What requests that were not made yet will take, counted by a client that calls no model, for dry runs.

Nothing that is recorded already is taken off.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from pydantic import BaseModel

from conqret.data import Reason
from conqret.llm.client import Client
from conqret.llm.client_options import ClientOptions
from conqret.llm.expected_cost import ExpectedCost, expected
from conqret.llm.prompt_fitting import ANSWER_ROOM, MESSAGE_OVERHEAD
from conqret.llm.request import IMAGE_TOKENS, Answer, Request, request_key

SIZED = 100
"""Prompts of a judge whose tokens are counted; those of others are estimated by their characters."""

TEXT_TOKENS, VALUE_TOKENS = 40, 8
"""What a sentence and a rating take of an answer, with the names of their fields: of 85 answers of a large hosted model
to all formats, recorded over the demo items, listwise took 37 for the two, rag-fine-grained 36, pointwise 43."""


class Counted(Exception):  # noqa: N818 - nothing is wrong
    """An exception that ends a dry run and carries its expected ``costs``, and the lines ``shown`` before
    them.
    """

    def __init__(self, costs: list[ExpectedCost], **shown: Any) -> None:
        self.costs, self.shown = costs, shown


def costs_of(study: Callable[[], object]) -> list[ExpectedCost]:
    """Run ``study`` as a dry run and return the costs that it raises with :class:`Counted`; an empty list
    without one.
    """
    try:
        study()
    except Counted as counted:
        return counted.costs
    return []


@dataclass(frozen=True)
class RunPrompt:
    """One prompt that a run uses, with what a dry run needs to estimate its cost.

    ``response`` is the type of its responses, and ``task`` the kind of work. ``tokens`` is the expected length
    of a response in tokens, or a function that returns it for a request. ``shown_later`` is True if later
    prompts contain the response, so that offline responses are lengthened to ``tokens``. ``file`` is False
    where the prompt does not come from a prompt file.
    """

    response: type[BaseModel]
    task: str
    tokens: int | Callable[[Request[Any]], int]
    by: str = ""
    shown_later: bool = False
    file: bool = True


class CountingClient(Client):
    """A client for dry runs: it calls no model, but counts each request ``weight`` times.

    The offline baseline answers the requests of ``prompts``. Every other request belongs to ``work`` (task,
    judge, system), is counted once, and gets no answer; of many such requests the first :data:`SIZED` say how
    many tokens a character has, and how many a response.

    ``counts`` are those of each work, and ``notes`` what is said of it, with why it is impossible (else empty).
    """

    def __init__(
        self, options: ClientOptions, prompts: Mapping[str, RunPrompt] | None = None, **store: Any
    ) -> None:
        super().__init__(replace(options, budget_usd=None), store=None)
        self._prompts, self.weight, self.sampled = prompts or {}, 1.0, 1.0
        self.work = ("judge", "", "")
        self.written: Callable[[Request[Any]], int] = answer_tokens
        self.counts: dict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)
        self.notes: dict[tuple[str, str, str], tuple[tuple[str, ...], str]] = {}
        self._seen = set[str]()

    async def request(self, request: Request[Any]) -> Answer[Any]:
        """Count a request, and return the offline baseline's answer, so that later requests can be counted. A request
        whose prompt is not listed, or that has no baseline, gets a placeholder without a value."""
        prompt = self._prompts.get(request.ask)
        if prompt is None:
            self._count_once(request)
            return _ONLY_COUNTED
        written = prompt.tokens if isinstance(prompt.tokens, int) else prompt.tokens(request)
        read = sum(self.count_tokens(message.content) for message in request.messages)
        if self.context_window is not None:
            read = min(read, max(0, self.context_window - ANSWER_ROOM - MESSAGE_OVERHEAD))
        counts = self.counts[prompt.task, prompt.by, ""]
        counts.update({"calls": self.weight, "read": self.weight * read, "written": self.weight * written})
        if request.baseline is None:
            return _ONLY_COUNTED
        value = request.baseline()
        plain = {"text": value} if request.plain else value
        answer = request.response.model_validate(plain, context=dict(request.context))
        if prompt.shown_later:
            more = written - self.count_tokens(str(value))
            answer = answer.model_copy(update=_lengthened(dict(answer), more))
        return Answer(answer, ())

    def _count_once(self, request: Request[Any]) -> None:
        key = request_key(self.model_id, request)
        if key in self._seen:
            return
        self._seen.add(key)
        counts, reading = self.counts[self.work], request.reading
        texts = [message.content for message in request.messages]
        if reading is not None:
            texts = [text for context, targets in reading.pairs for text in (context, *targets)]
        counts["asked"] += 1
        characters = sum(map(len, texts))
        if counts["sized"] < SIZED:
            images = sum(len(message.images) for message in request.messages)
            read = sum(map(self.count_tokens, texts)) + IMAGE_TOKENS * images
            written = 0 if reading is not None else self.written(request)
            counts.update({"sized": 1, "characters": characters, "tokens": read, "answers": written})
        else:
            read = round(characters * counts["tokens"] / counts["characters"])
            written = round(counts["answers"] / counts["sized"])
        counts.update({"calls": self.weight, "read": self.weight * read, "written": self.weight * written})

    def costs(self, sampled: float = 1.0) -> Iterator[ExpectedCost]:
        """Yield one expected cost for each kind of work counted so far.

        Args:
            sampled: the share of the work that was counted, in (0, 1].
        """
        for work, counts in self.counts.items():
            task, by, of = work
            share = min(sampled, self.sampled) * (counts["sized"] / counts["asked"] if counts["asked"] else 1)
            notes, impossible = self.notes.get(work, ((), ""))
            more: Any = {"of": of, "by": by, "sampled": share, "notes": notes, "impossible": impossible}
            calls, read, written = (round(counts[what]) for what in ("calls", "read", "written"))
            yield expected(task, self._options, calls, read, written * self._backend.writes, **more)


_ONLY_COUNTED: Answer[Any] = Answer(None, (), reason=Reason.NOTHING_TO_JUDGE, detail="only counted")


def answer_tokens(request: Request[Any]) -> int:
    """Estimate the tokens of a response from the length of the offline baseline's response; 0 without a
    baseline.
    """
    return 0 if request.baseline is None else _length(request.baseline())


def _length(answer: object) -> int:
    """Return the estimated tokens of plain data; a text without a space counts as a verdict."""
    if isinstance(answer, Mapping):
        return sum(TEXT_TOKENS if name == "explanation" else _length(value) for name, value in answer.items())
    if isinstance(answer, list | tuple):
        return sum(map(_length, answer))
    return TEXT_TOKENS if isinstance(answer, str) and " " in answer else VALUE_TOKENS


def _lengthened(value: Any, tokens: int) -> Any:
    """Return the answer with its longest text so many tokens longer, searched through nested objects and lists; without
    a text it is unchanged. The answer itself is not altered."""
    if isinstance(value, str):
        return value + " so" * tokens
    if not value or not isinstance(value, dict | list):
        return value
    parts: Any = value.copy()
    places = parts if isinstance(value, dict) else range(len(parts))
    longest = max(places, key=lambda place: len(str(parts[place])))
    parts[longest] = _lengthened(parts[longest], tokens)
    return parts
