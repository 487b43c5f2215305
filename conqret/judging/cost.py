"""What calls that were not made yet will take, counted by a client that calls no model, and its table for dry runs.

Nothing that is recorded already is taken off.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import groupby
from typing import Any

from pydantic import BaseModel

from conqret.console.printing import NONE, complain, note, result
from conqret.data import Item, Reason
from conqret.errors import DeclarationError, number
from conqret.judging.instrument import judge_item
from conqret.judging.setup import Setup
from conqret.llm.backends.hosted import BACKEND
from conqret.llm.batch_services import SHARE
from conqret.llm.batches import service_of
from conqret.llm.client import Client
from conqret.llm.client_options import ClientOptions
from conqret.llm.prompt_fitting import ANSWER_ROOM, MESSAGE_OVERHEAD
from conqret.llm.request import IMAGE_TOKENS, Answer, Request, request_key
from conqret.runs.session import Session
from conqret.runs.trials import Loop
from conqret.show.table import Cell, Column, Table
from conqret.show.words import money

MAX_ITEMS_COUNTED = 200
"""Items of one judge whose prompts are counted; of more, those of every so many topics stand for all."""

SIZED, EVERY = 100, 7
"""Prompts of a judge whose tokens are counted; after these every so many, and the others by their characters."""

TEXT_TOKENS, VALUE_TOKENS = 40, 8
"""What a sentence and a rating take of an answer, with the names of their fields: of 85 answers of a large hosted model
to all formats, recorded over the demo items, listwise took 37 for the two, rag-fine-grained 36, pointwise 43."""


@dataclass(frozen=True, slots=True)
class ExpectedCost:
    """The expected requests of one piece of work to one model.

    ``task`` names it ("judge", "perturb", "rerank", "generate", "rewrite"), ``of`` the system or ranking whose it
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
    """The same in batches. Raises DeclarationError where the model cannot be called in them."""
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
    """A model that is not called: its prompts are counted, each ``weight`` times.

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

    async def request(self, request: Request[Any]) -> Answer[Any]:
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
        """Count the requests about ``items``, so often; those of ``topics`` stand for all. What is only computed of
        them is not."""
        taken = [item for item in items if item.topic in topics] or items[:MAX_ITEMS_COUNTED]
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
    if not value or not isinstance(value, dict | list):
        return value
    parts: Any = value.copy()
    places = parts if isinstance(value, dict) else range(len(parts))
    longest = max(places, key=lambda place: len(str(parts[place])))
    parts[longest] = _lengthened(parts[longest], tokens)
    return parts


def topics_counted(parts: Iterable[Sequence[Item]]) -> frozenset[str]:
    """The topics whose items are counted: all, or every nth where a judge has more than :data:`MAX_ITEMS_COUNTED`."""
    every = list(parts)
    topics = list(dict.fromkeys(item.topic for items in every for item in items))
    return frozenset(topics[:: max(1, -(-max(map(len, every), default=0) // MAX_ITEMS_COUNTED))])


def expected_judging(
    setup: Setup,
    items: Iterable[Item],
    *,
    task: str = "judge",
    system: str = "",
    by: str = "",
    repeated: int = 1,
) -> ExpectedCost:
    """The calls, tokens and dollars of judging ``items``; ``by`` names the judge where its format does not."""
    client, every, work = CountingClient(setup.client), list(items), (task, by or setup.judge.name, system)
    with Loop() as loop:
        topics = topics_counted([every])
        loop.run(client.count_judging(setup, every, topics, work=work, repeated=repeated))
    return next(client.costs())


WORK = {
    "rewrite": "rewriting",
    "generate": "writing",
    "judge": "judging",
    "score": "scoring",
    "detect": "detecting",
    "curate": "collecting",
    "make": "writing perspectives",
    "check": "checking",
    "answer": "answering",
}
"""What each task is called that has a budget of its own."""


def tell_cost(
    estimates: Sequence[ExpectedCost],
    *,
    as_json: bool | None,
    budget: float | None = None,
    facts: Mapping[str, Any] = NONE,
    lines: Iterable[str] = (),
    called: Iterable[ClientOptions] = (),
) -> None:
    """Print what is expected, after ``lines`` (for a machine: ``facts``; the sums have ``cost_usd`` null where a price
    is unknown), what is assumed in it, and what a ``budget``
    (dollars) would do to the run; end with exit code 2 where the run is impossible: a model that is to be ``called``
    cannot be, its price is unknown under a budget, or no prompt fits."""
    stop, refused = budget_words(estimates, budget), refusal(estimates, budget, called)
    stages = [{"stage": estimate.stage, **asdict(estimate)} for estimate in estimates]
    costs = {"stages": stages, **total(estimates), "budget_usd": budget, "budget_note": stop}
    shown = {**facts, **costs, "refusal": refused}
    result(shown, [*lines, cost_table(estimates)], as_json=as_json)
    share = min((estimate.sampled for estimate in estimates), default=1.0)
    if share < 1:
        note(
            f"prompt tokens are estimated from a sample of at least {share:.0%} of the prompts of each format"
        )
    if any(estimate.completion_tokens for estimate in estimates):
        note("the lengths of responses are assumptions, based on what each response must contain")
    note("responses that are already recorded cost nothing")
    note(*dict.fromkeys(remark for each in estimates for remark in each.notes))
    if stop is not None:
        note(stop)
    if refused is not None:
        complain(refused)
        sys.exit(2)


def refusal(
    estimates: Sequence[ExpectedCost], budget: float | None, called: Iterable[ClientOptions]
) -> str | None:
    """Why a run would come to nothing, as a user has to correct something first; None where it would not."""
    unknown = sorted({estimate.model for estimate in estimates if estimate.cost_usd is None})
    if budget is not None and unknown:
        return f"the run would refuse --budget-usd: the price of {', '.join(unknown)} is unknown"
    impossible = [estimate.impossible for estimate in estimates if estimate.impossible]
    return next(filter(None, (*map(_refused_model, called), *impossible)), None)


def _refused_model(called: ClientOptions) -> str | None:
    """Why a hosted model cannot be called; None where it can."""
    try:
        if called.backend is BACKEND:
            Session(replace(called, budget_usd=None)).check()
    except DeclarationError as error:
        return f"the run would refuse: {error}"
    return None


def budget_words(estimates: Sequence[ExpectedCost], budget: float | None) -> str | None:
    """What the budget would do to the run, if it would do anything."""
    if budget is None:
        return None
    costs: dict[str, float] = {}
    for estimate in estimates:
        work = WORK.get(estimate.task, "all of it")
        costs[work] = costs.get(work, 0.0) + (estimate.cost_usd or 0.0)
    for work, cost in costs.items():
        if cost > budget:
            return (
                f"the budget of {money(budget)} would stop the run before its end: {work} is expected to cost "
                f"{money(cost)}"
            )
    return None


def cost_table(estimates: Sequence[ExpectedCost]) -> Table:
    """A line for each piece of work, under the system whose it is, and the sums."""
    rows: list[tuple[Cell, ...]] = []
    for system, parts in groupby(estimates, key=lambda cost: cost.of):
        rows += [(system,)] if system else []
        rows += [(_words(part), *_figures(asdict(part))) for part in parts]
    columns = (Column("prompt", "text"), "calls", "prompt tokens", "answer tokens", "price")
    return Table("", columns, rows, foot=[("all", *_figures(total(estimates)))])


def total(parts: Sequence[ExpectedCost]) -> dict[str, Any]:
    """The sums of several; the price is None if any price is unknown."""
    sums: dict[str, Any] = {
        name: sum(getattr(part, name) for part in parts)
        for name in ("calls", "prompt_tokens", "completion_tokens")
    }
    costs = [part.cost_usd for part in parts]
    return {**sums, "cost_usd": None if None in costs else sum(cost or 0.0 for cost in costs)}


def _figures(cost: Mapping[str, Any]) -> tuple[Cell, ...]:
    return cost["calls"], cost["prompt_tokens"], cost["completion_tokens"], money(cost["cost_usd"])


def _words(expected: ExpectedCost) -> str:
    """``judge by direct with gpt-4o``; a judge whose label ends with the model's name needs no second mention."""
    words = expected.stage.replace(f" {expected.of}", "", 1) if expected.of else expected.stage
    slug = re.sub(r"[^A-Za-z0-9.]+", "-", expected.model).strip("-.")
    return words if expected.by.endswith(f"-{slug}") else f"{words} with {expected.model}"
