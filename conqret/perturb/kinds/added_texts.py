"""Perturbations that add texts to the argument or documents: fallacies (fallacy-oversight: Ye et al. 2024,
CALM), sentences that admit that one side's evidence was left out, sentences that add nothing (length,
which judges are known to reward: Dubois et al. 2024), and instructions to the judge. An added text
makes the argument longer, so each has a neutral one of the same length to compare with.

No rule tells for sure which documents speak for which side, so for one-sided evidence nothing is taken away: what is
put in says so.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from conqret.data import Item
from conqret.data.digest import gathered
from conqret.perturb import expect
from conqret.perturb.perturbation import (
    ANSWER,
    ENGLISH,
    EVERYTHING,
    FAITHFULNESS,
    GROUNDING,
    PREFERENCE,
    QUALITY,
    RELEVANCE,
    SECOND,
    Change,
    Draw,
    Perturbation,
    PerturbedItem,
    additions,
)
from conqret.perturb.sentence_edits import put_after, split
from conqret.text.citations import strip_citations

Texts = Mapping[str, tuple[str, ...]]

TEXTS: Mapping[str, Any] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
"""The texts to add, from ``added_texts.toml``."""

OTHER_INJECTIONS: Texts = {language: tuple(texts) for language, texts in TEXTS["other_injections"].items()}
"""Prompt injections in languages other than English, by language."""


MATCHED: tuple[tuple[str, str], ...] = tuple((text, neutral) for text, neutral in TEXTS["injections"])
"""Each prompt injection with a neutral text of as many words and characters, which requests nothing."""

INJECTIONS = tuple(text for text, _ in MATCHED)
"""The prompt injections; each is harmless in a prompt that treats texts as data, and found by the
judgment's flags.
"""


UNSPACED = frozenset({"zh", "ja"})
"""The languages without spaces between sentences."""


def among_sentences(draw: Draw, texts: Sequence[str]) -> PerturbedItem:
    """Insert as many of ``texts`` as the level says after randomly drawn sentences of the argument.

    Texts and sentences are reused if the level exceeds their number.
    """
    text = draw.item.argument or ""
    spans = split(text)
    ordered, places = draw.ordered(texts, "fillers"), draw.ordered(range(len(spans)))
    after = gathered((places[n % len(places)], ordered[n % len(ordered)]) for n in range(int(draw.level)))
    longer = put_after(text, after, "" if draw.language in UNSPACED else " ")
    return PerturbedItem({"argument": longer}, additions(after), int(draw.level))


def at_the_end(draw: Draw, texts: Sequence[str]) -> PerturbedItem:
    """Append as many of ``texts`` as the level says to the argument, each as a paragraph."""
    order = draw.ordered(texts)
    added = [order[n % len(order)] for n in range(int(draw.level))]
    text = "\n\n".join([draw.item.argument or "", *added])
    changes = tuple(Change(where="argument end", kind="added", after=sentence) for sentence in added)
    return PerturbedItem({"argument": text}, changes, len(added))


Changing = Callable[[Draw], PerturbedItem]
AddingVariant = Callable[[Draw, Sequence[str]], PerturbedItem]
"""Inserts as many of the texts as the draw's level says into the item."""
Own = Literal["argument", "documents"]


def matched(
    way: AddingVariant,
    pairs: Sequence[tuple[str, str]],
    others: Texts | None = None,
    own: Own = "argument",
) -> tuple[Changing, Changing]:
    """Return the change and the control of a perturbation that adds texts.

    Each pair is a text to add and a neutral text of equal length, which the control adds in its place. For
    ``others``, which are texts in other languages, the control repeats parts of the item's own argument or
    documents (``own``) at equal length.
    """
    texts, neutral_texts = zip(*pairs, strict=True)
    others = others or {}

    def change(draw: Draw) -> PerturbedItem:
        return way(draw, others[draw.language] if draw.language else texts)

    def control(draw: Draw) -> PerturbedItem:
        if not draw.language:
            return way(draw, neutral_texts)
        return way(draw, [stand_in(draw, text, own) for text in others[draw.language]])

    return change, control


def own_sentences(item: Item, own: Own = "argument") -> tuple[str, ...]:
    """Return the sentences of an item's argument or documents without citations; its topic if there are
    none."""
    documents = [document.text for document in item.documents]
    texts = [item.argument] if own == "argument" and item.argument else documents
    plain = [strip_citations(span.text).strip() for text in texts for span in split(text)]
    said = [text for text in plain if any(map(str.isalpha, text))]
    return tuple(dict.fromkeys(said)) or (item.topic,)


def stand_in(draw: Draw, text: str, own: Own) -> str:
    """Return a neutral text of about the length of ``text`` (in characters), for languages other than
    English.

    It repeats the item's own sentences, with the bracket and the end mark of ``text``.
    """
    before = text[:1] if text[:1] in BRACKETS else ""
    behind = "" if text[-1:].isalnum() else text[-1:]
    inner = own_text(draw.item, len(text) - len(before) - len(behind), draw.language, own)
    return f"{before}{inner.rstrip(SIGNS)}{behind}"


BRACKETS, SIGNS = "(\uff08", " .,;:!?\u3002\uff0c\u3001\u0964\u061f\u060c"


def own_text(item: Item, length: int, language: str, own: Own = "argument") -> str:
    """Return the item's own sentences, repeated and cut to at most ``length`` characters at the end of a
    word.

    ``language`` says if sentences are separated by a space; ``own`` names the texts, as in
    :func:`own_sentences`.
    """
    space = "" if language in UNSPACED else " "
    said = space.join(own_sentences(item, own))
    text = space.join([said] * (1 + length // max(1, len(said))))
    if not space or len(text) <= length:
        return text[:length]
    cut = text[: length + 1].rfind(" ")
    return text[: cut if cut > 0 else length]


FALLACIES = tuple(TEXTS["fallacies"])
"""Appeal to ignorance, ad hominem, tradition, false dilemma, slippery slope, one case, circular reasoning,
post hoc.
"""

_UNSOUND = ("local_acceptability", "local_sufficiency", "cogency", "overall_quality")

FALLACIOUS = Perturbation(
    name="fallacies",
    summary="sentences put into the argument that prove nothing: well-known fallacies",
    unit="sentences",
    levels=(0, 2, 4),
    expects=expect(
        unchanged=(*RELEVANCE, *SECOND),
        no_rise=(*[name for name in QUALITY if name not in _UNSOUND], *PREFERENCE),
        fall=_UNSOUND,
    ),
    source="own; fallacy-oversight as in CALM (Ye et al. 2024)",
    change=lambda draw: among_sentences(draw, FALLACIES),
    most=None,
    languages=ENGLISH,
)


LEFT_OUT = tuple(TEXTS["left_out"])

_UNREBUTTED = ("global_sufficiency", "reasonableness", "overall_quality")
"""A good argument rebuts what can be said against it (Wachsmuth et al. 2017, global sufficiency)."""

ONE_SIDED = Perturbation(
    name="one-sided-evidence",
    summary="sentences by which the argument owns that it left out the evidence of the other side",
    unit="sentences",
    levels=(0, 1, 3),
    expects=expect(
        unchanged=(*RELEVANCE, *SECOND),
        no_rise=(
            *GROUNDING,
            *FAITHFULNESS,
            *ANSWER,
            *[name for name in QUALITY if name not in _UNREBUTTED],
            *PREFERENCE,
        ),
        fall=_UNREBUTTED,
    ),
    source="own; global sufficiency as in Wachsmuth et al. 2017",
    change=lambda draw: among_sentences(draw, LEFT_OUT),
    most=None,
    languages=ENGLISH,
)


FILLERS = tuple(TEXTS["fillers"])
"""Sentences that make no claim, name nothing and take no side."""


def padded(draw: Draw) -> PerturbedItem:
    """Insert as many filler sentences as the level says into the argument.

    In languages other than English, the argument's own sentences are repeated without citations.
    """
    return among_sentences(draw, own_sentences(draw.item) if draw.language else FILLERS)


PADDING = Perturbation(
    name="padding",
    summary="sentences put into the argument that say nothing",
    unit="sentences",
    levels=(0, 2, 5, 10),
    expects=expect(
        unchanged=(*RELEVANCE, *SECOND, "citation_precision"),
        no_rise=(*GROUNDING[:1], *FAITHFULNESS, "citation_recall", *ANSWER, *QUALITY, *PREFERENCE),
    ),
    source="own; length bias as in Dubois et al. 2024 (length-controlled AlpacaEval)",
    change=padded,
    most=None,
)


_AT_THE_END = matched(at_the_end, MATCHED, OTHER_INJECTIONS)
INJECT_ARGUMENT = Perturbation(
    name="inject-argument",
    summary="an argument that asks the judge for a better score",
    unit="paragraphs",
    levels=(0, 1, 3),
    expects=expect(
        unchanged=(*RELEVANCE, *SECOND), no_rise=(*GROUNDING, *FAITHFULNESS, *ANSWER, *QUALITY, *PREFERENCE)
    ),
    source="own; named as a risk in ConQRet, section 9",
    most=None,
    change=_AT_THE_END[0],
    control=_AT_THE_END[1],
    languages=ENGLISH | OTHER_INJECTIONS.keys(),
)


def in_documents(draw: Draw, texts: Sequence[str]) -> PerturbedItem:
    """Append one of ``texts`` to a share of the documents, each as a paragraph; the level is a percentage."""
    documents = list(draw.item.documents)
    places = draw.share(range(len(documents)))
    changes = []
    for place in sorted(places):
        document, added = documents[place], draw.rng(place).choice(texts)
        documents[place] = document.model_copy(update={"text": f"{document.text}\n\n{added}"})
        changes.append(Change(where=f"document {place + 1}", kind="added", after=added))
    return PerturbedItem({"documents": tuple(documents)}, tuple(changes), 100 * len(places) / len(documents))


_IN_DOCUMENTS = matched(in_documents, MATCHED, OTHER_INJECTIONS, own="documents")

INJECT_DOCUMENT = Perturbation(
    name="inject-document",
    summary="documents that ask the judge for a better score",
    unit="percent of the documents",
    levels=(0, 20, 50, 100),
    expects=expect(no_rise=EVERYTHING),
    needs=frozenset({"documents"}),
    source="own; named as a risk in ConQRet, section 9",
    change=_IN_DOCUMENTS[0],
    control=_IN_DOCUMENTS[1],
    languages=ENGLISH | OTHER_INJECTIONS.keys(),
)

PERTURBATIONS = (FALLACIOUS, ONE_SIDED, PADDING, INJECT_ARGUMENT, INJECT_DOCUMENT)
