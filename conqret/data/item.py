"""What is judged: a topic, a stance, the evidence documents and the argument that cites them.

ConQRet, section 3.1: given a controversial topic *q* and a stance *s*, a system retrieves evidence
documents *D_s* and writes an argument *A_s*.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from operator import attrgetter, not_
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, StringConstraints

Stance = Literal["pro", "con", "none"]
Identifier = Annotated[str, StringConstraints(min_length=1, max_length=200)]
NonEmpty = Annotated[str, StringConstraints(pattern=r"\S")]


class Frozen(BaseModel, frozen=True, extra="forbid"):
    """Base class of immutable pydantic models that reject undeclared fields."""


PICTURE = "[image]"
"""The text of a document that is an image."""


class Document(Frozen):
    """One evidence document. An argument cites it by its position in the item: ``[1]`` is the first.

    For an image, ``image`` is a ``data:`` or ``https:`` URL, ``text`` is :data:`PICTURE`, and ``title`` is
    the caption. ``language`` is the ISO 639-1 code of the text, if its source states one.
    """

    id: Identifier
    text: NonEmpty
    title: str = ""
    url: str = ""
    image: str = Field(default="", exclude_if=not_)
    language: str = Field(default="", exclude_if=not_)


Role = Literal["system", "user", "assistant", "tool"]


class Turn(Frozen):
    """One message of a conversation before the question.

    ``calls`` describes the tool calls of an assistant with their arguments. For a tool's message, ``name``
    is the tool, and ``document`` the id of the item's document with its result. ``images`` are ``data:``
    or ``https:`` URLs.
    """

    role: Role
    content: str = ""
    name: str = ""
    calls: tuple[str, ...] = ()
    document: str = ""
    images: tuple[str, ...] = ()


class Nugget(Frozen):
    """A fact or point that a good answer contains (TREC, AutoNuggetizer).

    ``importance`` is vital or okay. ``sub_narrative`` is the part of the topic that it belongs to.
    ``assignment`` is how far the answer supports it. Each is None if unknown.
    """

    text: NonEmpty
    importance: Literal["vital", "okay"] | None = None
    sub_narrative: str | None = None
    assignment: Literal["support", "partial_support", "not_support"] | None = None


CHANGES = "perturbation"
"""The key of an item's metadata that holds its perturbations, one record a change, in their order."""


TRANSLATION_OF = "translation_of"
"""The key of metadata under which translations of an item have the same word: the id of the original, or another."""


class Version(Frozen):
    """The perturbed version that an item is: the original's id, the perturbation, its level, and the
    seed.

    For several perturbations, ``perturbation`` lists earlier ones with their levels before the last:
    ``hallucinate:5+irrelevant`` at level 20.
    """

    original: str
    perturbation: str
    level: float
    seed: int


class Item(Frozen):
    """One item to judge: a topic, documents and an argument.

    ``second_argument`` is what preference formats compare ``argument`` with. ``reference`` is a good
    answer, for formats that compare the argument with one; it is never judged as a competitor. ``nuggets``
    are given points of the topic. ``messages`` are the conversation before the question, which is the
    topic. ``images`` are those of the question, as ``data:`` or ``https:`` URLs. ``language`` is the
    stated ISO 639-1 code; if it is empty, :func:`conqret.text.language.item_language` detects it.
    """

    id: Identifier
    topic: NonEmpty
    stance: Stance = "none"
    documents: tuple[Document, ...] = ()
    argument: str | None = None
    second_argument: str | None = None
    reference: str | None = None
    nuggets: tuple[Nugget, ...] = Field(default=(), exclude_if=not_)
    messages: tuple[Turn, ...] = Field(default=(), exclude_if=not_)
    images: tuple[str, ...] = Field(default=(), exclude_if=not_)
    language: str = Field(default="", exclude_if=not_)
    metadata: Mapping[str, Any] = Field(default_factory=dict)

    @property
    def translation_of(self) -> str:
        """The name that this item shares with its translations, from its metadata; empty if it has none."""
        return str(self.metadata.get(TRANSLATION_OF) or "")

    @property
    def pictures(self) -> tuple[str, ...]:
        """All images of the item as a tuple of URLs: those of earlier turns, then the question's, then
        the documents'."""
        earlier = chain.from_iterable(map(attrgetter("images"), self.messages))
        return (*earlier, *self.images, *filter(None, map(attrgetter("image"), self.documents)))

    @property
    def has_turns(self) -> bool:
        """True if the item has earlier conversation turns or images."""
        return bool(self.messages or self.pictures)

    @property
    def version(self) -> Version | None:
        """The perturbation that produced this item, from its metadata; None if the item is unperturbed, or its metadata
        are of another form."""
        try:
            *before, last = self.metadata[CHANGES]
            names = [*(f"{change['name']}:{change['level']:g}" for change in before), last["name"]]
            return Version(
                original=last["original"],
                perturbation="+".join(names),
                level=last["level"],
                seed=last["seed"],
            )
        except (KeyError, TypeError, ValueError):
            return None
