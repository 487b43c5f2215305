"""extractive: the sentences of the stance, selected, arranged under conclusions, and cited; no model is used.

Extractive argument synthesis in the order select, arrange, phrase (El Baff et al. 2019, as cited in ConQRet,
section 2.1), from lexical evidence alone. It is the baseline that a language model must beat: what it says is always
in the documents, word for word, and how well it argues is another matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from conqret.baseline import Evidence
from conqret.baseline.relevance import aspects
from conqret.data import Document, Item, Stance
from conqret.generation.strategies import Strategy
from conqret.text.analysis import Sentence, Text, analysed
from conqret.text.boilerplate import boilerplate
from conqret.text.citations import strip_citations
from conqret.text.lexicons import ARGUMENT_CUES
from conqret.text.stance_detection import leaning
from conqret.text.text_passages import passages
from conqret.text.words import count_words

PREMISES = 9
"""The most premises of an argument: three conclusions with three each, about the length of a short expert
text.
"""

FROM_ONE_DOCUMENT = 2
"""The most premises from one document, so that several are used."""

CONCLUSIONS = 3

RELEVANT = 0.25
"""A document with a lower offline relevance is left out: it hardly touches the topic."""

SHORTEST, LONGEST = 8, 45
"""The fewest and the most words of a sentence that can be a premise."""

OVERLAP = 0.5
"""Two sentences that share a larger share of the shorter one's words repeat each other."""

NEEDS_CONTEXT = 0.5
"""The factor on the score of a sentence that depends on the one before it ("It …", "But …")."""

_LEANS_ON = frozenset(
    "it its they them their this these that those he she his her but and so or yet then there here however "
    "nor such another others both one i we my our you your also still instead".split()
)
_OPENERS = "\"'\u201c\u2018"
_ENDS = (".", "!", '."', ".\u201d", "!\u201d", '!"', ".\u00bb", "\u3002", "\uff01", "\u0964", "\u06d4")


@dataclass(frozen=True, slots=True)
class _Candidate:
    document: int
    place: int
    text: str
    terms: frozenset[str]
    score: float


def compose(topic: str, stance: Stance, documents: Sequence[Document]) -> dict[str, Any]:
    """Return an argument made of sentences of ``documents``, as plain data for :class:`GeneratedArgument`.

    A document is left out if its relevance is below 0.25 or none of its sentences is chosen. A sentence's
    score is the product of its document's relevance, its stance and its relevance to the topic. The best
    sentences that do not repeat each other, at most 9 and 2 of each document, become premises, grouped by
    aspect. If no sentence qualifies, the first document's first words are used.
    """
    evidence = Evidence(
        Item.model_construct(id="extractive", topic=topic, stance=stance, documents=tuple(documents))
    )
    relevance = [finding.value for finding in evidence.document_relevances]
    sides = _sides(topic, stance, [document.text for document in documents])
    kept = [n for n, value in enumerate(relevance) if value >= RELEVANT]
    candidates = [
        candidate
        for n in kept or range(len(documents))
        for candidate in _candidates(n, topic, stance, documents[n], relevance[n] * (1 + sides[n]) / 2)
    ]
    if not candidates and documents:
        line = passages(strip_citations(documents[0].text), LONGEST)[0] or "The document is empty."
        candidates = [_Candidate(0, 0, line, frozenset(), 0.0)]
    chosen = _select(candidates)
    unused = sorted(set(range(len(documents))) - {candidate.document for candidate in chosen})
    left_out = [{"document": n + 1, "reason": _reason(relevance[n], sides[n], stance)} for n in unused]
    return {"conclusions": _arrange(topic, stance, chosen), "left_out": left_out}


def _sides(topic: str, stance: Stance, texts: Sequence[str]) -> list[float]:
    """How far each text leans to the stance, from -1 to 1; 0 where there is nothing to tell it by."""
    sign = {"pro": 1.0, "con": -1.0}.get(stance, 0.0)
    return [sign * value for value in leaning(topic, texts)] if sign else [0.0] * len(texts)


def _candidates(
    number: int, topic: str, stance: Stance, document: Document, worth: float
) -> list[_Candidate]:
    """Return the sentences of a document that can stand alone, with their scores. ``number`` is the
    document's place (from 0), and ``worth`` the factor that it gives to all of them.

    ``score = worth (1/2 + t/2) (1/2 + a) (1 + s) / 2 c n``: t the share of the topic's stems in the sentence, a =
    k / (k + 2) for k words of reasoning and evidence, s how far it leans to the stance, c 1/2 where it needs the
    sentence before, n 5/4 where it has figures.
    """
    text = analysed(document.text)
    dropped = frozenset[int]().union(*boilerplate(text).values())
    wanted = Text(topic).terms
    pieces = [
        (place, line)
        for place, piece in enumerate(text.pieces)
        if place not in dropped and (line := _standing(piece)) is not None
    ]
    sides = _sides(topic, stance, [line for _, line in pieces])
    candidates = []
    for (place, line), side in zip(pieces, sides, strict=True):
        sentence = Sentence(line)
        topical = len(wanted & sentence.terms) / len(wanted) if wanted else 0.0
        cues = sum(word in ARGUMENT_CUES for word in sentence.words)
        score = worth * (0.5 + topical / 2) * (0.5 + cues / (cues + 2)) * (1 + side) / 2
        score *= NEEDS_CONTEXT if sentence.words[0] in _LEANS_ON else 1.0
        score *= 1.25 if sentence.numbers else 1.0
        candidates.append(_Candidate(number, place, line, sentence.terms, score))
    return candidates


def _standing(piece: str) -> str | None:
    """Return a sentence on one line, without citations, if it can be a premise: of fair length, a whole statement, and
    no heading; else None."""
    lines = [line.strip() for line in strip_citations(piece).splitlines() if line.strip()]
    if not lines or any(len(line) < SHORTEST * 5 for line in lines[:-1]):  # a heading runs into it
        return None
    line = " ".join(" ".join(lines).split())
    first = line.lstrip(_OPENERS)[:1]
    words = count_words(line)
    if not SHORTEST <= words <= LONGEST or (first.islower() or not first.isalnum()):
        return None
    if not line.endswith(_ENDS) or "|" in line or _unbalanced(line):
        return None
    return line


def _unbalanced(line: str) -> bool:
    """Whether a quotation or a bracket is open at either end."""
    pairs = (("\u201c", "\u201d"), ("(", ")"))
    return line.count('"') % 2 == 1 or any(line.count(first) != line.count(last) for first, last in pairs)


def _select(candidates: Sequence[_Candidate]) -> list[_Candidate]:
    """Return at most :data:`PREMISES` candidates, the best first, that do not repeat each other, and at most
    :data:`FROM_ONE_DOCUMENT` of each document."""
    chosen: list[_Candidate] = []
    for candidate in sorted(candidates, key=lambda c: (-c.score, c.document, c.place)):
        if len(chosen) == PREMISES:
            break
        if sum(other.document == candidate.document for other in chosen) >= FROM_ONE_DOCUMENT:
            continue
        if any(_alike(candidate.terms, other.terms) for other in chosen):
            continue
        chosen.append(candidate)
    return chosen


def _alike(first: frozenset[str], other: frozenset[str]) -> bool:
    return len(first & other) > OVERLAP * max(1, min(len(first), len(other)))


def _arrange(topic: str, stance: Stance, chosen: Sequence[_Candidate]) -> list[dict[str, Any]]:
    """Return up to :data:`CONCLUSIONS` groups (one for fewer than four premises), each a conclusion with the premises
    of its aspect; citations count documents from 1. Empty without premises."""
    if not chosen:
        return []
    subject = strip_citations(" ".join(topic.split())).strip().rstrip("?!. ")
    speaks = {"pro": "speaks for a yes to", "con": "speaks for a no to"}.get(stance, "bears on")
    count = 1 if len(chosen) < 4 else 2 if len(chosen) < 7 else CONCLUSIONS
    share = -(-len(chosen) // count)
    left = list(chosen)
    groups: list[dict[str, Any]] = []
    named: set[str] = set()
    while left:
        aspect = max(
            (name for name in aspects() if name not in named),
            key=lambda name: sum(min(2, len(aspects()[name] & candidate.terms)) for candidate in left),
        )
        named.add(aspect)
        best = sorted(left, key=lambda one: (-len(aspects()[aspect] & one.terms), -one.score))[:share]
        left = [candidate for candidate in left if candidate not in best]
        group = sorted(best, key=lambda candidate: (candidate.document, candidate.place))
        premises = [{"text": candidate.text, "citations": [candidate.document + 1]} for candidate in group]
        conclusion = f"{aspect}: this {speaks} the question, {subject}."
        groups.append({"conclusion": conclusion, "premises": premises})
    return groups


def _reason(relevance: float, side: float, stance: Stance) -> str:
    if relevance < RELEVANT:
        return f"It hardly keeps to the topic (lexical relevance {relevance:.2f})."
    if side < 0:
        return f"Its words lean away from the {stance} side ({side:+.2f})."
    return "Other documents have stronger sentences for this side."


STRATEGY = Strategy(
    name="extractive",
    summary="sentences of the documents, selected for the side and grouped by aspect; no model is used",
    source="own; select, arrange, phrase after El Baff et al. 2019",
    baseline=compose,
)
