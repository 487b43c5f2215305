"""Rewrite sentences with a model: one request per item for all levels, checked and recorded.

The sentences are drawn here, not by the model: so levels are nested, and the answer can be checked to change
exactly those. The model sees documents and argument as data, and returns each new sentence by its number.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import partial
from typing import Annotated, Any

from pydantic import AfterValidator, ValidationInfo

from conqret.data import Item
from conqret.judging.responses import Typed, Written, once_each
from conqret.llm.client import Client
from conqret.llm.request import Request, messages
from conqret.perturb.perturbation import (
    SEED,
    Draw,
    InapplicableError,
    Materials,
    Perturbation,
    UnreachedError,
)
from conqret.perturb.sentence_edits import Rewriting
from conqret.perturb.versions import LeftOutItem
from conqret.prompts import Library, RenderedPrompt
from conqret.runs.trials import collect
from conqret.text.citations import citations
from conqret.text.language import NAMES, language_of
from conqret.text.sentences import sentences

IN_FLIGHT = 16
"""The most items requested at a time: the client has its own limit, this one bounds the memory."""


class Rewritten(Typed):
    """One sentence in its new words, by its number."""

    sentence: int
    rewritten: Written


def _exactly_those(rewrites: list[Rewritten], info: ValidationInfo) -> list[Rewritten]:
    wanted: dict[int, str] = (info.context or {}).get("sentences", {})
    once_each((rewrite.sentence for rewrite in rewrites), list(wanted), "sentence")
    faults = []
    for rewrite in rewrites:
        before, after = wanted[rewrite.sentence], rewrite.rewritten.strip()
        if after == before.strip():
            faults.append(f"sentence {rewrite.sentence} is unchanged")
        if citations(after) != citations(before):
            faults.append(f"sentence {rewrite.sentence} must keep its citations {list(citations(before))}")
        if len(sentences(after)) != 1:
            faults.append(f"sentence {rewrite.sentence} must stay one sentence")
    if (language := (info.context or {}).get("language")) and rewrites:
        written = language_of(" ".join(rewrite.rewritten for rewrite in rewrites))
        if written == "en":
            faults.append(f"write the sentences in {NAMES.get(language, language)}, not in English")
    if faults:
        raise ValueError("; ".join(faults))
    return [rewrite.model_copy(update={"rewritten": rewrite.rewritten.strip()}) for rewrite in rewrites]


class Rewrites(Typed):
    """The asked-for sentences, each exactly once, each changed, each with its citations."""

    rewrites: Annotated[list[Rewritten], AfterValidator(_exactly_those)]


async def rewrite_items(
    items: Iterable[Item],
    perturbation: Perturbation,
    levels: Sequence[float],
    client: Client,
    *,
    seed: int = SEED,
    library: Library | None = None,
) -> tuple[Materials, list[LeftOutItem]]:
    """Have a model rewrite the sentences that the highest reachable of ``levels`` changes, for each item.

    Return materials with the rewritten sentences, and the items that cannot be perturbed or have no valid
    response, with the reason. Leave these items out, since rules would otherwise rewrite them. ``library``
    has the prompts (None: conqret's own).
    """
    library, rewriting = library or Library(), perturbation.rewriting

    async def one(item: Item) -> dict[int, str] | LeftOutItem:
        try:
            draw, numbers = _highest(item, perturbation, levels, seed)
        except InapplicableError as error:
            return LeftOutItem.from_error(item.id, error)
        if not numbers:
            return {}
        answer = await client.request(rewrite_request(item, numbers, rewriting, draw, library))
        if answer.value is None:
            return LeftOutItem(item.id, f"item {item.id}: {answer.reason}: {answer.detail}")
        return {rewrite.sentence: rewrite.rewritten for rewrite in answer.value.rewrites}

    items = list(items)
    works = ((item.id, partial(one, item)) for item in items)
    results = await collect(works, in_flight=IN_FLIGHT)
    rewrites = {item.id: made for item, made in zip(items, results, strict=True) if isinstance(made, dict)}
    return Materials(rewrites=rewrites, by_model=True), [
        made for made in results if isinstance(made, LeftOutItem)
    ]


def _highest(
    item: Item, perturbation: Perturbation, levels: Sequence[float], seed: int
) -> tuple[Draw, list[int]]:
    """Return the draw of the highest level that ``item`` reaches, and the sentences that it chooses, in their order.
    There must be a level above 0.

    Raises:
        UnreachedError: the item does not reach the lowest level either.
    """
    ways = [
        Draw(item, item.id, perturbation.name, level, seed, Materials(by_model=True))
        for level in sorted(levels)
        if level
    ]
    for draw in reversed(ways[1:]):
        with suppress(UnreachedError):
            return draw, sorted(perturbation.rewriting.chosen(draw))
    return ways[0], sorted(perturbation.rewriting.chosen(ways[0]))


LANGUAGE = "perturb/language"
"""The prompt that follows the instructions where the item is in a language other than English."""


def rewrite_request(
    item: Item, numbers: Sequence[int], rewriting: Rewriting, draw: Draw, library: Library
) -> Request[Rewrites]:
    """Build the request to a model that rewrites the argument's sentences with these numbers (from 1).

    The offline baseline rewrites them by the perturbation's rules.
    """
    spans = sentences(item.argument or "")
    wanted = {number: spans[number - 1].text for number in numbers}
    rendered = library[rewriting.prompt].render(
        {
            "topic": item.topic,
            "stance": item.stance,
            "documents": item.documents,
            "argument": item.argument,
            "chosen": [{"number": number, "text": text} for number, text in wanted.items()],
        }
    )

    if draw.language:
        words = library[LANGUAGE].render({}, {"language": NAMES.get(draw.language, "its language")}).system
        rendered = RenderedPrompt(f"{rendered.system}\n\n{words}", rendered.user)

    def baseline() -> dict[str, Any]:
        made = sorted(rewriting.by_rules(draw).items())
        return {"rewrites": [{"sentence": number, "rewritten": text} for number, (text, _) in made]}

    return Request(
        ask=rewriting.prompt,
        item=item.id,
        messages=messages(rendered),
        response=Rewrites,
        context={"sentences": wanted, "language": draw.language},
        baseline=baseline,
    )
