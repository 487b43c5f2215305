"""What judging items will ask of a model: every question of a judge about every item, before the first call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from conqret.data import Item
from conqret.errors import number
from conqret.judging.conversation import images_in
from conqret.judging.cost import (
    ExpectedCost,
    Sizes,
    answer_tokens,
    capped,
    counter,
    covers,
    expected,
    judged_tokens,
    times,
)
from conqret.judging.instrument import case_of, filled
from conqret.judging.judge_parts import Ask, Case
from conqret.judging.setup import Setup
from conqret.llm.client import Client

SAMPLE = 200
"""Prompts of one question that are counted at most: with lengths that vary by a third, their mean is within 5%
of that of all (two standard errors, 2 * 0.33 / sqrt(200))."""


def asked(setup: Setup, items: Iterable[Item], client: Client) -> list[tuple[Ask[Any], list[Item]]]:
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
        parts = [part for case in cases if ask.unasked(case) is None for part in ask.cases(case)]
        if client.baseline:
            parts = [part for part in parts if ask.offline(part)[0] is not None]
        about = [part.item for part in parts]
        if client.blind:
            about = [item for item in about if not _shows_images(item, ask, setup)]
        asks.append((ask, about))
    return asks


def _shows_images(item: Item, ask: Ask[Any], setup: Setup) -> bool:
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
    asks: Iterable[tuple[Ask[Any], Sequence[Item]]],
    client: Client,
    sizes: Sizes,
    *,
    of: str = "",
    by: str,
    repeated: int = 1,
    unwritten: Callable[[Ask[Any]], int] = lambda ask: 0,
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


def _is_full(ask: Ask[Any], tokens: int, client: Client) -> bool:
    """Whether a prompt of so many tokens fills the model's window, so that it is cut."""
    return ask.reading is None and tokens == capped(tokens + 1, client)


def spread(items: Sequence[Item], most: int) -> Sequence[Item]:
    """``most`` of ``items`` at even distances; all of them where there are no more."""
    if len(items) <= most:
        return items
    return [items[(2 * place + 1) * len(items) // (2 * most)] for place in range(most)]
