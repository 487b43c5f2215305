"""What calls that were not made yet will take, and the model that says so: it is not asked, but counts.

Nothing that is recorded already is taken off.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import BaseModel

from conqret.data import Item, Reason
from conqret.errors import number
from conqret.judging.instrument import judge_item
from conqret.judging.setup import Setup
from conqret.llm.client import Client
from conqret.llm.client_options import ClientOptions
from conqret.llm.prompt_fitting import ANSWER_ROOM, MESSAGE_OVERHEAD
from conqret.llm.request import IMAGE_TOKENS, Answer, Request, request_key
from conqret.runs.trials import Loop

MOST = 200
"""Items of one judge whose prompts are counted; of more, those of every so many topics stand for all."""

SIZED, EVERY = 100, 7
"""Prompts of a judge whose tokens are counted; after these every so many, and the others by their characters."""

TEXT_TOKENS, VALUE_TOKENS = 40, 8
"""What a sentence and a rating take of an answer, with the names of their fields: of 85 answers of a frontier model to
all formats, recorded over the demo items, listwise took 37 for the two, rag-fine-grained 36, pointwise 43."""


@dataclass(frozen=True, slots=True)
class ExpectedCost:
    """What one piece of work is expected to ask of one model.

    ``task`` names it ("judge", "damage", "rerank", "generate", "rewrite"), ``of`` the system or ranking whose it
    is, ``by`` the judge or the perturbation. ``sampled`` is the share of its prompts that were counted, where
    not all were (else 1). ``cost_usd`` is None where the price is unknown. ``notes`` say what the work would do with
    what it was given: leave out, trim. ``impossible`` says why none of it could be done, where that is so.
    """

    task: str
    model: str
    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float | None
    of: str = ""
    by: str = ""
    sampled: float = 1.0
    notes: tuple[str, ...] = ()
    impossible: str = ""

    @property
    def stage(self) -> str:
        """All in one line: ``judge bm25+writer by rag-fine-grained-gpt-4o``."""
        joint = "for" if self.task in ("rewrite", "curate") else "by"
        return " ".join(filter(None, (self.task, self.of, f"{joint} {self.by}" if self.by else "")))


def batch_price(cost: ExpectedCost, client: ClientOptions) -> ExpectedCost:
    """The same in batches. Raises DeclarationError where the model cannot be asked in them."""
    from conqret.llm.batch_services import SHARE
    from conqret.llm.batches import service_of

    service_of(client)
    return replace(cost, cost_usd=None if cost.cost_usd is None else SHARE * cost.cost_usd)


def expected(
    task: str, client: ClientOptions, calls: int, prompt: int, completion: int, **more: Any
) -> ExpectedCost:
    """The price of ``calls`` with ``prompt`` and ``completion`` tokens in all; ``more`` are further fields."""
    cost = client.facts.cost(prompt, completion)
    return ExpectedCost(task, client.model, calls, prompt, completion, cost, **more)


class Counted(Exception):  # noqa: N818 - nothing is wrong
    """Ends a dry run, with the expected ``costs``, and what is ``shown`` before them."""

    def __init__(self, costs: list[ExpectedCost], **shown: Any) -> None:
        self.costs, self.shown = costs, shown


def costs_of(study: Callable[[], object]) -> list[ExpectedCost]:
    """What the dry run that ``study`` does is expected to cost."""
    try:
        study()
    except Counted as counted:
        return counted.costs
    return []


@dataclass(frozen=True)
class RunPrompt:
    """A prompt of a run: the type of its answers, and for a dry run what the work is called, how many tokens an answer
    has, and whether offline answers are lengthened to that because later prompts show them. ``file`` is False where the
    prompt is no file, but comes whole from elsewhere."""

    response: type[BaseModel]
    task: str
    tokens: int | Callable[[Request[Any]], int]
    by: str = ""
    shown_later: bool = False
    file: bool = True


class CountingClient(Client):
    """A model that is not asked: its prompts are counted, each ``weight`` times.

    Those of ``prompts`` the offline baseline answers. Of others, which are those of the ``work`` (task, by whom, of
    what), each is counted once, and no answer comes.
    """

    def __init__(
        self, options: ClientOptions, prompts: Mapping[str, RunPrompt] | None = None, **store: Any
    ) -> None:
        super().__init__(replace(options, budget_usd=None), store=None)
        self._prompts, self.weight, self.sampled = prompts or {}, 1.0, 1.0
        self.work = ("judge", "", "")
        self.written: Callable[[Request[Any]], int] = answer_tokens
        self._counts: dict[tuple[str, str, str], Counter[str]] = {}
        self._notes: dict[tuple[str, str, str], tuple[tuple[str, ...], str]] = {}
        self._seen = set[str]()

    async def ask(self, request: Request[Any]) -> Answer[Any]:
        """What the offline baseline answers; the question is counted."""
        prompt = self._prompts.get(request.ask)
        if prompt is None:
            self._count_once(request)
            return _ONLY_COUNTED
        written = prompt.tokens if isinstance(prompt.tokens, int) else prompt.tokens(request)
        read = sum(self.count_tokens(message.content) for message in request.messages)
        if self.context_window is not None:
            read = min(read, max(0, self.context_window - ANSWER_ROOM - MESSAGE_OVERHEAD))
        counts = self._counts.setdefault((prompt.task, prompt.by, ""), Counter())
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
        """Count a question that is not counted yet, and of most the tokens by their characters."""
        key = request_key(self.model_id, request)
        if key in self._seen:
            return
        self._seen.add(key)
        counts, reading = self._counts.setdefault(self.work, Counter()), request.reading
        texts = [message.content for message in request.messages]
        if reading is not None:
            texts = [text for context, targets in reading.pairs for text in (context, *targets)]
        characters = sum(map(len, texts))
        counts.update({"asked": 1, "calls": self.weight, "characters": self.weight * characters})
        if counts["sized"] >= SIZED and len(self._seen) % EVERY:
            return
        images = sum(len(message.images) for message in request.messages)
        read = sum(map(self.count_tokens, texts)) + IMAGE_TOKENS * images
        written = 0 if reading is not None else self.written(request)
        counts.update({"sized": 1, "sized characters": characters, "read": read, "written": written})

    async def count_judging(
        self,
        setup: Setup,
        items: Sequence[Item],
        topics: frozenset[str],
        *,
        work: tuple[str, str, str],
        first_sample: int = 0,
        repeated: int = 1,
    ) -> None:
        """Count what is asked about ``items``, so often; those of ``topics`` stand for all. What is only computed of
        them is not."""
        taken = [item for item in items if item.topic in topics] or items[:MOST]
        share = len(taken) / len(items) if items else 1.0
        self.work, self.weight, self.sampled = work, repeated / share, min(self.sampled, share)
        judge = replace(setup.judge, computed=(), combined=None)
        instrument = replace(setup.instrument(self), judge=judge, first_sample=first_sample)
        judged = [await judge_item(item, instrument) for item in taken]
        reasons = [{measure.reason for measure in each.measures.values()} for each in judged]
        lost = sum(Reason.CONTEXT_OVERFLOW in each for each in reasons)
        trimmed = lost + sum(bool(each.trims) for each in judged)
        room, notes, impossible = f"{self.context_window or 0:,} tokens", setup.notes, ""
        counts = self._counts.setdefault(work, Counter())
        if lost and not counts["calls"]:
            by = work[1]
            impossible = f"no prompt of {by} fits into the model's window ({room}), even without documents"
        elif trimmed:
            which = f"the prompts of {trimmed:,} of {number(len(taken), 'item')}"
            notes += (
                f"{which} are longer than the model's window ({room}): their documents will be trimmed",
            )
        self._notes[work] = notes, impossible

    def costs(self, sampled: float = 1.0) -> Iterator[ExpectedCost]:
        """What was counted, a line for each kind of work."""
        sampled = min(sampled, self.sampled)
        for work, counts in self._counts.items():
            task, by, of = work
            calls, read, written = (float(counts[what]) for what in ("calls", "read", "written"))
            share = sampled
            if sized := counts["sized"]:
                read *= counts["characters"] / counts["sized characters"]
                written, share = written * calls / sized, sampled * sized / counts["asked"]
            notes, impossible = self._notes.get(work, ((), ""))
            more: Any = {"of": of, "by": by, "sampled": share, "notes": notes, "impossible": impossible}
            tokens = round(read), round(written) * self._backend.writes
            yield expected(task, self._options, round(calls), *tokens, **more)


_ONLY_COUNTED: Answer[Any] = Answer(None, (), reason=Reason.NOTHING_TO_JUDGE, detail="only counted")


def answer_tokens(request: Request[Any]) -> int:
    """The tokens of an answer that has all that the offline baseline's has."""
    return 0 if request.baseline is None else _length(request.baseline())


def _length(answer: object) -> int:
    """Tokens of plain data; words without a space are verdicts."""
    if isinstance(answer, Mapping):
        return sum(TEXT_TOKENS if name == "explanation" else _length(value) for name, value in answer.items())
    if isinstance(answer, list | tuple):
        return sum(map(_length, answer))
    return TEXT_TOKENS if isinstance(answer, str) and " " in answer else VALUE_TOKENS


def _lengthened(value: Any, tokens: int) -> Any:
    """The answer with its longest text so many tokens longer."""
    if isinstance(value, str):
        return value + " so" * tokens
    parts = (
        dict(value)
        if isinstance(value, Mapping)
        else dict(enumerate(value))
        if isinstance(value, list)
        else {}
    )
    if not parts:
        return value
    longest = max(parts, key=lambda name: len(str(parts[name])))
    parts[longest] = _lengthened(parts[longest], tokens)
    return parts if isinstance(value, Mapping) else list(parts.values())


def topics_counted(parts: Iterable[Sequence[Item]]) -> frozenset[str]:
    """The topics whose items are counted: all, or every so many where a judge has more than :data:`MOST`."""
    every = list(parts)
    topics = list(dict.fromkeys(item.topic for items in every for item in items))
    return frozenset(topics[:: max(1, -(-max(map(len, every), default=0) // MOST))])


def expected_judging(
    setup: Setup, items: Iterable[Item], *, task: str = "judge", of: str = "", by: str = "", repeated: int = 1
) -> ExpectedCost:
    """The calls, tokens and dollars of judging ``items``; ``by`` names the judge where its format does not."""
    client, every, work = CountingClient(setup.client), list(items), (task, by or setup.judge.name, of)
    with Loop() as loop:
        topics = topics_counted([every])
        loop.run(client.count_judging(setup, every, topics, work=work, repeated=repeated))
    return next(client.costs())
