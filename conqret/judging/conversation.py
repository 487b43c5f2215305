"""Earlier turns and images, and languages in prompts: one prompt file each, whose blocks stand beside those of whatever
format is asked.

Where an item has neither and all is in English, no prompt is another by a single byte.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import SimpleNamespace as View
from typing import Any

from markupsafe import Markup

from conqret.data import Document, Item, Turn
from conqret.judging.judge_options import Conversation
from conqret.prompts import Prompt, RenderedPrompt
from conqret.text.language import NAMES, explanation_language, item_language

WHOLE_TOPIC = "(What the user wants in the course of the conversation.)"
_MARK = re.compile(r'<image number="(\d+)"/>')


def whole(item: Item) -> Item:
    """The item with all that the assistant says as its argument; as it is where nothing was said before the answer."""
    if not item.messages:
        return item
    earlier = [turn.content for turn in item.messages if turn.role == "assistant" and turn.content]
    changes = {
        name: "\n\n".join((*earlier, answer))
        for name in ("argument", "second_argument")
        if (answer := getattr(item, name))
    }
    return item.model_copy(update=changes)


def whole_texts(item: Item, prompt: Prompt, *, documents: bool) -> dict[str, Any]:
    """What stands for topic and arguments in prompts where whole conversations are judged: all turns, each in its tag.

    Args:
        item: the item as it was read, its last answer alone being the argument.
        prompt: the one of this module.
        documents: whether the prompt shows the item's documents.
    """
    question = Turn(role="user", content=item.topic, images=item.images)
    texts: dict[str, Any] = {"topic": WHOLE_TOPIC}
    for name in ("argument", "second_argument"):
        if answer := getattr(item, name):
            turns = (*item.messages, question, Turn(role="assistant", content=answer))
            shown = _shown(turns, item, documents=documents)
            rendered = prompt.render({"turns": shown, "question_images": ()}, _settings(item, True))
            texts[name] = Markup(rendered.user)  # noqa: S704 - its texts were neutralised by the prompt
    return texts


def marked(item: Item, documents: Sequence[Document]) -> tuple[Document, ...]:
    """``documents`` of an item as prompts show them: what is an image has its mark for a text."""
    first = len(item.pictures) - sum(bool(document.image) for document in item.documents) + 1
    numbers = {
        document.id: first + place
        for place, document in enumerate(document for document in item.documents if document.image)
    }
    return tuple(
        document.model_copy(update={"text": _mark(numbers[document.id])})
        if document.id in numbers
        else document
        for document in documents
    )


def _mark(number: int) -> Markup:
    return Markup(f'<image number="{number}"/>')  # noqa: S704 - no HTML, and nothing of an item


def with_turns(
    rendered: RenderedPrompt, item: Item, prompt: Prompt, *, documents: bool, judged: Conversation
) -> RenderedPrompt:
    """A filled prompt of a format with the instructions for turns and images, and with the turns themselves where the
    last answer alone is judged; ``prompt`` is the one of this module."""
    shows_whole = judged == "whole" and bool(item.messages)
    first = sum(len(turn.images) for turn in item.messages) + 1
    images = () if shows_whole else tuple(range(first, first + len(item.images)))
    turns = () if shows_whole else _shown(item.messages, item, documents=documents)
    more = prompt.render({"turns": turns, "question_images": images}, _settings(item, shows_whole))
    return RenderedPrompt(
        f"{rendered.system}\n\n{more.system}", "\n\n".join(filter(None, (more.user, rendered.user)))
    )


def images_in(rendered: RenderedPrompt, item: Item) -> tuple[tuple[int, str], ...]:
    """The images whose marks a filled prompt has, each with its number."""
    if not (pictures := item.pictures):
        return ()
    numbers = sorted({int(number) for number in _MARK.findall(rendered.user)})
    return tuple((number, pictures[number - 1]) for number in numbers if 0 < number <= len(pictures))


def _settings(item: Item, shows_whole: bool) -> Mapping[str, Any]:
    return {"earlier": bool(item.messages), "pictures": bool(item.pictures), "whole": shows_whole}


def _shown(turns: Sequence[Turn], item: Item, *, documents: bool) -> tuple[View, ...]:
    """Turns as the prompt shows them; ``place`` is the number of a turn's document, ``images`` are those of its
    images."""
    places = (
        {document.id: place for place, document in enumerate(item.documents, start=1)} if documents else {}
    )
    shown, number = [], 1
    for turn in turns:
        images = tuple(range(number, number + len(turn.images)))
        number += len(images)
        told = {name: getattr(turn, name) for name in ("role", "name", "content", "calls")}
        shown.append(View(**told, place=places.get(turn.document), images=images))
    return tuple(shown)


ENGLISH = "en"
"""The language of all other instructions."""


def prompt_languages(item: Item, explain_in: str) -> Mapping[str, str] | None:
    """The variables of the prompt: the English names of the item's language (empty where it is English, or not known)
    and of that of its explanations. None where both are English, so that nothing is to be said.

    Args:
        item: what is judged.
        explain_in: the language to explain in, as :class:`~conqret.judging.judge_options.JudgeOptions` has it.
    """
    written = item_language(item)
    explained = explanation_language(explain_in) or (written if written in NAMES else ENGLISH)
    language = NAMES.get(written, "") if written != ENGLISH else ""
    if not language and explained == ENGLISH:
        return None
    return {"language": language, "explain_in": NAMES[explained]}
