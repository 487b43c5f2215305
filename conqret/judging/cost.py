"""What calls that were not made yet will take: tokens of their prompts, tokens of their answers, dollars.

Prompts are counted by their own text; documents once each, up to a length from which they are scaled. Answers are
assumed to be as long as what they have to hold asks for. Nothing that is recorded already is taken off.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from conqret.data import Document, Item, Nugget
from conqret.errors import number
from conqret.judging.conversation import images_in
from conqret.judging.instrument import answer_room, case_of, filled
from conqret.judging.judge_parts import Case, JudgePrompt
from conqret.judging.setup import PROBE, Setup
from conqret.llm.client import Client
from conqret.llm.client_options import ClientOptions
from conqret.llm.prompt_fitting import ANSWER_ROOM, MESSAGE_OVERHEAD, prompt_tokens
from conqret.llm.request import IMAGE_TOKENS
from conqret.prompts import RenderedPrompt

COUNTED = 20_000
"""Characters of a document that are counted; a longer one is scaled up from them."""

STAND_IN = "."
"""One token in place of a text that is counted apart, or is still to be written."""


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
    of: str
    by: str
    model: str
    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float | None
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
    from conqret.llm.batches.batch_service import SHARE
    from conqret.llm.batches.batches import service_of

    service_of(client)
    return replace(cost, cost_usd=None if cost.cost_usd is None else SHARE * cost.cost_usd)


@dataclass(frozen=True, slots=True)
class Total:
    """The sums of several; ``cost_usd`` is None if any price is unknown."""

    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float | None

    @classmethod
    def of(cls, parts: Sequence[ExpectedCost]) -> Total:
        """The sums of ``parts``."""
        costs = [part.cost_usd for part in parts]
        return cls(
            sum(part.calls for part in parts),
            sum(part.prompt_tokens for part in parts),
            sum(part.completion_tokens for part in parts),
            None if None in costs else sum(cost for cost in costs if cost is not None),
        )


def expected(
    task: str,
    client: ClientOptions,
    calls: int,
    prompt: int,
    completion: int,
    *,
    of: str = "",
    by: str = "",
    sampled: float = 1.0,
    notes: tuple[str, ...] = (),
    impossible: str = "",
) -> ExpectedCost:
    """The price of ``calls`` with ``prompt`` and ``completion`` tokens in all."""
    cost = client.facts.cost(prompt, completion)
    return ExpectedCost(
        task, of, by, client.model, calls, prompt, completion, cost, sampled, notes, impossible
    )


def expected_asking(
    task: str, options: ClientOptions, prompts: Iterable[RenderedPrompt], answer_tokens: int, *, by: str = ""
) -> ExpectedCost:
    """The price of asking each of ``prompts`` for an answer of so many tokens, where the model writes one."""
    client = counter(options)
    used = [capped(prompt_tokens(prompt, client), client) for prompt in prompts]
    written = answer_tokens * len(used) if options.backend.writes else 0
    return expected(task, options, len(used), sum(used), written, by=by)


class Sizes:
    """The tokens of documents, each text counted once for a model."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, int, str], int] = {}

    def of(self, document: Document, client: Client) -> int:
        """Its tokens; of a long document scaled up from its beginning."""
        text = document.text
        key = (hash(text), len(text), client.model_id)  # not the text itself: corpora are large
        if key not in self._known:
            counted = client.count_tokens(text[:COUNTED])
            self._known[key] = round(counted * max(1.0, len(text) / COUNTED))
        return self._known[key]

    def all(self, documents: Iterable[Document], client: Client) -> int:
        """The tokens of all of them."""
        return sum(self.of(document, client) for document in documents)


def times(ask: JudgePrompt[Any], setup: Setup) -> int:
    """How often a question is asked about one item: both orders, and every sample."""
    return (2 if ask.both_orders else 1) * setup.options.samples


def answer_tokens(ask: JudgePrompt[Any], items: Sequence[Item]) -> int:
    """The tokens of an answer to ``ask`` about one of ``items``: those of the sentences and ratings that it has to hold
    for as many nuggets and documents, each cited once. 0 where none is written because log-probabilities are read."""
    if ask.reading is not None or not items:
        return 0
    count = max(1, round(sum(len(item.documents) for item in items) / len(items)))
    places = range(1, count + 1)
    item = PROBE.model_copy(
        update={
            "id": items[0].id,  # by which its rubric is found, and by its topic and its metadata
            "topic": items[0].topic,
            "metadata": items[0].metadata,
            "documents": tuple(Document(id=str(place), text=STAND_IN) for place in places),
            "argument": " ".join(f"So it is [{place}]." for place in places),
            "nuggets": (Nugget(text=STAND_IN),)
            * round(sum(len(item.nuggets) for item in items) / len(items)),
        }
    )
    return _length(ask.baseline(Case(item)))


def _length(answer: object) -> int:
    """Tokens of plain data; words without a space are verdicts."""
    if isinstance(answer, Mapping):
        return sum(TEXT_TOKENS if name == "explanation" else _length(value) for name, value in answer.items())
    if isinstance(answer, list | tuple):
        return sum(map(_length, answer))
    return TEXT_TOKENS if isinstance(answer, str) and " " in answer else VALUE_TOKENS


def judged_tokens(
    item: Item, ask: JudgePrompt[Any], setup: Setup, client: Client, sizes: Sizes, *, unwritten: int = 0
) -> int:
    """Tokens of the prompt that asks ``ask`` about ``item``, its documents counted apart.

    Where log-probabilities are read, the argument is read behind two prompts, with the documents and without.
    ``unwritten`` are tokens that arguments will add for which the item holds a :data:`STAND_IN`.
    """
    covered = item.model_copy(update={"documents": covers(item.documents)})
    prompt = setup.library[ask.prompt]
    rendered = filled(prompt, ask, case_of(covered, setup.options))
    used = prompt_tokens(rendered, client) + IMAGE_TOKENS * len(images_in(rendered, covered))
    if "documents" in setup.library.used(ask.prompt)["user"] and "documents" in ask.needs | ask.optional:
        used += sizes.all(item.documents, client)
    if ask.reading is None:
        return capped(used + unwritten, client)
    argument = answer_room(ask, item, client) + unwritten
    bare = filled(prompt, ask, case_of(item.model_copy(update={"documents": ()}), setup.options))
    contexts = (used, prompt_tokens(bare, client))
    return sum(capped(context, client, argument) + argument for context in contexts)


def counter(options: ClientOptions) -> Client:
    """A client that counts tokens and is never asked; a budget without a price is no fault of it."""
    return Client(replace(options, budget_usd=None), store=None)


def capped(tokens: int, client: Client, room: int = ANSWER_ROOM) -> int:
    """Not more than the window holds beside ``room`` tokens: documents are trimmed to fit."""
    window = client.context_window
    return tokens if window is None else min(tokens, max(0, window - room - MESSAGE_OVERHEAD))


def covers(documents: Iterable[Document]) -> tuple[Document, ...]:
    """The documents with all that a prompt shows of them but their texts."""
    return tuple(document.model_copy(update={"text": STAND_IN}) for document in documents)


SAMPLE = 200
"""Prompts of one question that are counted at most: with lengths that vary by a third, their mean is within 5%
of that of all (two standard errors, 2 * 0.33 / sqrt(200))."""


def asked(setup: Setup, items: Iterable[Item], client: Client) -> list[tuple[JudgePrompt[Any], list[Item]]]:
    """Each question of ``setup`` with the items about which it is really asked.

    Items that differ in nothing but fields that a question does not show make one request, for the recordings answer
    the second; where there is nothing to ask, or an image to be shown that the model cannot see, none is made.
    """
    every, asks = list(items), []
    for ask in setup.asks:
        distinct: dict[Any, Item] = {}
        for item in every:
            looked_at = (*sorted(ask.looked_at), "messages", "images")
            shown = tuple(hash(getattr(item, name)) for name in looked_at)
            distinct.setdefault((item.topic, item.stance, shown), item)
        cases = [Case(item, setup.options) for item in distinct.values()]
        parts = [case for case in cases if ask.unasked(case) is None]
        if ask.cases is not None:
            parts = [part for case in parts for part in ask.cases(case)]
        if client.baseline:
            parts = [part for part in parts if ask.offline(part)[0] is not None]
        about = [part.item for part in parts]
        if client.blind:
            about = [item for item in about if not _shows_images(item, ask, setup)]
        asks.append((ask, about))
    return asks


def _shows_images(item: Item, ask: JudgePrompt[Any], setup: Setup) -> bool:
    """Whether the prompt that asks ``ask`` about ``item`` has images."""
    if not item.pictures:
        return False
    covered = item.model_copy(update={"documents": covers(item.documents)})
    return bool(images_in(filled(setup.library[ask.prompt], ask, case_of(covered, setup.options)), covered))


def expected_judging(
    setup: Setup, items: Iterable[Item], sizes: Sizes, *, by: str = "", sample: int = SAMPLE
) -> ExpectedCost:
    """The calls, tokens and dollars of judging ``items``; ``by`` names the judge where its format does not.

    Where a question is asked about more than ``sample`` items, so many of them, evenly spread, stand for all.
    """
    client, by = counter(setup.client), by or setup.judge.name
    return expected_asks("judge", setup, asked(setup, items, client), client, sizes, by=by, sample=sample)


def expected_asks(
    task: str,
    setup: Setup,
    asks: Iterable[tuple[JudgePrompt[Any], Sequence[Item]]],
    client: Client,
    sizes: Sizes,
    *,
    of: str = "",
    by: str,
    repeated: int = 1,
    unwritten: Callable[[JudgePrompt[Any]], int] = lambda ask: 0,
    sample: int = SAMPLE,
) -> ExpectedCost:
    """The same for these questions, each about its items as often as ``repeated`` says; to a prompt come as many tokens
    as are ``unwritten`` for its question."""
    calls = completion = counted = count = trimmed = unfit = 0
    prompt = 0.0
    for ask, about in asks:
        if not about:
            continue
        chosen, each, more = spread(about, sample), repeated * times(ask, setup), unwritten(ask)
        tokens = [judged_tokens(item, ask, setup, client, sizes, unwritten=more) for item in chosen]
        full = [item for item, token in zip(chosen, tokens, strict=True) if _is_full(ask, token, client)]
        trimmed += len(full)
        bare = (item.model_copy(update={"documents": ()}) for item in full)
        unfit += sum(_is_full(ask, judged_tokens(item, ask, setup, client, sizes), client) for item in bare)
        prompt += each * sum(tokens) * len(about) / len(chosen)
        calls += each * len(about)
        completion += each * len(about) * answer_tokens(ask, about)
        counted, count = counted + len(chosen), count + len(about)
    share = counted / count if count else 1.0
    notes = setup.notes
    room, impossible = f"{client.context_window or 0:,} tokens", ""
    if counted and unfit == counted:
        impossible = f"no prompt of {by} fits into the model's window ({room}), even without documents"
    elif trimmed:
        which = f"{trimmed:,} of {number(counted, 'prompt')}"
        notes += (f"{which} are longer than the model's window ({room}): their documents will be trimmed",)
    return expected(
        task,
        setup.client,
        calls,
        round(prompt),
        completion,
        of=of,
        by=by,
        sampled=share,
        notes=notes,
        impossible=impossible,
    )


def _is_full(ask: JudgePrompt[Any], tokens: int, client: Client) -> bool:
    """Whether a prompt of so many tokens fills the model's window, so that it is cut."""
    return ask.reading is None and tokens == capped(tokens + 1, client)


def spread(items: Sequence[Item], most: int) -> Sequence[Item]:
    """``most`` of ``items`` at even distances; all of them where there are no more."""
    if len(items) <= most:
        return items
    return [items[(2 * place + 1) * len(items) // (2 * most)] for place in range(most)]
