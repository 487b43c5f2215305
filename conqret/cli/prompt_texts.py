"""What ``conqret info prompt --item`` shows: a prompt as it is sent for an item."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from conqret.data import Item
from conqret.errors import DeclarationError
from conqret.judging.instrument import filled
from conqret.judging.judge_parts import Ask, Case
from conqret.prompts import Library, RenderedPrompt
from conqret.text.sentences import sentences

_STANDS_IN = {
    "question": ("topic", "the item's topic stands for the question"),
    "answer": ("argument", "the item's argument stands for the answer"),
    "perspective": ("topic", "the item's topic stands for the perspective"),
    "document": ("documents", "only the first document is shown: each document has a request of its own"),
    "chosen": (
        "argument",
        "every sentence is listed: those to be rewritten are drawn by perturbation and level",
    ),
    "examples": (
        "topic",
        "shown without examples, which --shots of conqret generate arguments takes from a corpus",
    ),
    "most": ("topic", ""),
}
"""What an item has for a variable that no judge fills: the field that it is taken from, and what to say of it."""


def shown(
    library: Library, identifier: str, ask: Ask[Any] | None, item: Item
) -> tuple[RenderedPrompt, Sequence[str]]:
    """The prompt filled with ``item``, and what a reader has to know about it.

    Args:
        ask: the question of a judge that asks it; None where no judge does.

    Raises:
        DeclarationError: the item lacks what the prompt shows, or the prompt shows nothing that items have.
    """
    used = library.used(identifier)
    user = {"topic", "stance", "documents", "argument", "second_argument", "reference", *_STANDS_IN} & set(
        used["user"]
    )
    needs = (
        ask.needs | ask.against
        if ask
        else {_STANDS_IN.get(name, (name,))[0] for name in user - {"reference"}}
    )
    if not needs:
        raise DeclarationError(f"prompt {identifier!r} takes nothing from items: leave out --item")
    if lacking := [need for need in sorted(needs) if not getattr(item, need)]:
        raise DeclarationError(f"{identifier}: item {item.id} has no {' and no '.join(lacking)}")
    if ask is not None:
        return filled(library[identifier], ask, Case(item)), _asked_again(ask, used["system"])
    try:
        rendered = library[identifier].render(_variables(item), _settings(item, used["system"]))
    except DeclarationError as lacking_more:
        raise DeclarationError(
            f"prompt {identifier!r} needs more than an item: leave out --item ({lacking_more})"
        ) from None
    return rendered, [words for name in sorted(user) if (words := _STANDS_IN.get(name, ("", ""))[1])]


def _asked_again(ask: Ask[Any], system: Sequence[str]) -> list[str]:
    if "dimension" not in system:
        return []
    return [
        f"{ask.prompt} is sent once for each metric; this is {ask.metrics[0]}, and --metric shows another"
    ]


def _variables(item: Item) -> dict[str, Any]:
    listed = enumerate(sentences(item.argument or ""), start=1)
    return {
        "topic": item.topic,
        "documents": item.documents,
        "argument": item.argument,
        "second_argument": item.second_argument,
        "reference": item.reference,
        "question": item.topic,
        "answer": item.argument,
        "perspective": item.topic,
        "document": _whole(item),
        "chosen": [{"number": number, "text": sentence.text} for number, sentence in listed],
        "examples": (),
    }


def _settings(item: Item, names: Sequence[str]) -> dict[str, Any]:
    if "most" not in names:
        return {"stance": item.stance}
    from conqret.retrieval.expansion import MOST  # needs the extra "retrieval"

    return {"stance": item.stance, "most": MOST}


def _whole(item: Item) -> str:
    return (
        "\n".join(filter(None, (item.documents[0].title, item.documents[0].text))) if item.documents else ""
    )
