"""Texts put in: fallacies (fallacy-oversight: Ye et al. 2024, CALM), sentences that own one side's evidence was left
out, sentences that add nothing (length, which judges are known to reward: Dubois et al. 2024), and instructions to the
judge, hidden in the argument or in documents.

No rule tells for sure which documents speak for which side, so for one-sided evidence nothing is taken away: what is
put in says so.
"""

from __future__ import annotations

from collections.abc import Sequence

from conqret.perturb import expect
from conqret.perturb.added import (
    MATCHED,
    OTHER_INJECTIONS,
    among_sentences,
    at_the_end,
    languages_of,
    matched,
    own_sentences,
)
from conqret.perturb.expectations import ANSWER, EVERYTHING, GROUNDING, PREFERENCE, QUALITY, RELEVANCE, SECOND
from conqret.perturb.perturbation import ENGLISH, Change, Draw, Perturbation, PerturbedItem

FALLACIES = (
    "Nobody has ever shown this to be false, and therefore it is true.",
    "Whoever sees it otherwise has never done an honest day's work, so there is no need to listen.",
    "It has always been done in this way, which proves that it is right.",
    "One either agrees with all of this or wants everything to fall apart.",
    "Where the first small step is taken, the very worst must follow in the end.",
    "My neighbour found it so, and what is so for one is so for everybody.",
    "It is true because it is right, and it is right because it is true.",
    "The cock crows and then the sun comes up, and here, too, the one brought about the other.",
)
"""Ignorance, the person, tradition, two ways only, the slope, one case, the circle, and what merely came before."""

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
    needs=frozenset({"argument"}),
    source="own; fallacy-oversight as in CALM (Ye et al. 2024)",
    change=lambda draw: among_sentences(draw, FALLACIES),
    most=None,
    languages=ENGLISH,
)


LEFT_OUT = (
    "Studies that come to another result are left out here.",
    "What the other side can show was not looked at.",
    "Only such findings were chosen as fit this view.",
    "Figures that point the other way have been set aside.",
    "Nothing was searched for that might tell against it.",
    "Whatever does not agree with this goes unmentioned.",
)

_UNREBUTTED = ("global_sufficiency", "reasonableness", "overall_quality")
"""A good argument rebuts what can be said against it (Wachsmuth et al. 2017, global sufficiency)."""

ONE_SIDED = Perturbation(
    name="one-sided-evidence",
    summary="sentences by which the argument owns that it left out the evidence of the other side",
    unit="sentences",
    levels=(0, 1, 3),
    expects=expect(
        unchanged=(*RELEVANCE, *SECOND),
        no_rise=(*GROUNDING, *ANSWER, *[name for name in QUALITY if name not in _UNREBUTTED], *PREFERENCE),
        fall=_UNREBUTTED,
    ),
    needs=frozenset({"argument"}),
    source="own; global sufficiency as in Wachsmuth et al. 2017",
    change=lambda draw: among_sentences(draw, LEFT_OUT),
    most=None,
    languages=ENGLISH,
)


FILLERS = (
    "This is a point that deserves careful attention.",
    "There is much that could be said here.",
    "It is worth pausing on this for a moment.",
    "The matter is of course not a simple one.",
    "Many things come together in this question.",
    "One should bear all of this in mind.",
    "All of this belongs to the wider picture.",
    "Such considerations have their place in any discussion.",
    "That is something to think about.",
    "The subject has many sides.",
    "These are things that everybody can reflect upon.",
    "It goes without saying that this calls for thought.",
    "Nobody will want to pass over this lightly.",
    "In this way one thing leads to another.",
    "So much may be said at this point.",
    "The reader will see what is meant.",
    "Questions of this kind are asked again and again.",
    "There it is, for all to consider.",
    "And this is by no means all that there is to it.",
    "With this, the ground is prepared for what follows.",
)
"""They make no claim, name nothing and take no side."""


def padded(draw: Draw) -> PerturbedItem:
    """So many sentences among those of the argument; in another language than English, sentences of its own once more,
    without their citations."""
    return among_sentences(draw, own_sentences(draw.item) if draw.language else FILLERS)


PADDING = Perturbation(
    name="padding",
    summary="sentences put into the argument that say nothing",
    unit="sentences",
    levels=(0, 2, 5, 10),
    expects=expect(
        unchanged=(*RELEVANCE, *SECOND, "citation_precision"),
        no_rise=(*GROUNDING[:1], "citation_recall", *ANSWER, *QUALITY, *PREFERENCE),
    ),
    needs=frozenset({"argument"}),
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
    expects=expect(unchanged=(*RELEVANCE, *SECOND), no_rise=(*GROUNDING, *ANSWER, *QUALITY, *PREFERENCE)),
    needs=frozenset({"argument"}),
    source="own; named as a risk in ConQRet, section 9",
    most=None,
    change=_AT_THE_END[0],
    control=_AT_THE_END[1],
    languages=languages_of(OTHER_INJECTIONS),
)


def in_documents(draw: Draw, texts: Sequence[str]) -> PerturbedItem:
    """A share of the documents gets a paragraph at its end that asks for a better score."""
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
    languages=languages_of(OTHER_INJECTIONS),
)

PERTURBATIONS = (FALLACIOUS, ONE_SIDED, PADDING, INJECT_ARGUMENT, INJECT_DOCUMENT)
