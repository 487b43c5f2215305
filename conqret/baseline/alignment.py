"""The support of a claim by its documents, from words: alignment of sentences, their negations (in English and German),
groundedness, and verdicts on citations.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence, Set
from dataclasses import dataclass
from functools import partial
from itertools import chain, filterfalse
from operator import attrgetter
from typing import Literal
from unicodedata import bidirectional

from conqret.text.analysis import Sentence, Text, negations, other_stem, stem, terms_of, words_of
from conqret.text.lexicons import OPPOSITES, YES_OR_NO
from conqret.text.numbers import agrees
from conqret.text.words import words_in_all

LEFT_TO_RIGHT = "\u200e"
Which = Literal["argument", "second_argument"]
By = Literal["documents", "argument", "second_argument"]


@dataclass(frozen=True, slots=True)
class Finding:
    """A score in [0, 1] (1 is best) with an explanation of one or two short sentences that name its
    evidence.
    """

    value: float
    explanation: str


@dataclass(frozen=True, slots=True)
class PreferenceFinding:
    """The result of comparing two arguments.

    ``label`` is the stronger one or a tie, ``strength`` in [0, 1] is by how much, and ``explanation`` is the
    reason.
    """

    label: Literal["first", "second", "tie"]
    strength: float
    explanation: str


@dataclass(frozen=True, slots=True)
class CitationVerdict:
    """The verdict on one citation: how the cited document relates to the sentence that cites it.

    Sentences and documents are numbered from 1. ``label`` is None where the item has no document of that
    number.
    """

    sentence: int
    document: int
    label: Literal["supports", "contradicts", "silent"] | None
    explanation: str


@dataclass(frozen=True, slots=True)
class SentenceFinding:
    """The verdict of one or more sources on one sentence of a text.

    ``verdict`` is empty where the sources say nothing about the sentence.
    """

    text: str
    verdict: Literal["stated", "partly", "contradicted", ""]
    explanation: str


def clip(value: float) -> float:
    """Return ``value`` clipped to [0, 1]."""
    return 0.0 if value < 0 else 1.0 if value > 1 else value


def quoted(words: list[str] | tuple[str, ...], limit: int = 5) -> str:
    """Return the first ``limit`` words in quotation marks, joined by commas.

    A left-to-right mark (Unicode) follows each word of a right-to-left script, so that the words keep their
    order in an English sentence.
    """
    marked = []
    for word in words[:limit]:
        leftward = not {"R", "AL"}.isdisjoint(map(bidirectional, word))
        marked.append(f"\u201c{word}\u201d{LEFT_TO_RIGHT * leftward}")
    return ", ".join(marked)


SUPPORT_COVERAGE = 1 / 3
POLARITY_COVERAGE = 0.6
FULL_COVERAGE = 0.6
CLASH_FACTOR = 0.25
MISSING_FACTOR = 0.5
PASSAGE = 40
MARGIN = 8
NEIGHBOURS = 10
YES_OR_NO_WORDS = 3
DENIES = "It denies what the source affirms."
AFFIRMS = "It affirms what the source denies."
UNCLEAR = "Its negations differ from those of the source, and words do not tell what they say together."
OFTEN = 50
"""A stem that occurs in a source at least so often is only considered near a rarer one: a text of one
sentence, repeated a thousand times with another number, would take time with the square of its length.
"""


@dataclass(frozen=True)
class Alignment:
    """How well one source supports one sentence (a claim).

    ``value`` is the support in [0, 1]. ``coverage`` is the weighted share of the claim's content stems that
    the best passage of the source has. ``label`` is the verdict that follows, and ``explanation`` the reason
    in words.
    """

    value: float
    coverage: float
    label: Literal["supports", "contradicts", "silent"]
    explanation: str


def align(claim: Sentence, source: Text) -> Alignment:
    """Compute how well ``source`` supports ``claim``, from the passage of at most 40 words that shares most
    with it.

    ``value = min(1, coverage / 0.6) n m p``. n is the share of the claim's quantities in the passage and the
    8 words around it; quantities elsewhere in the source count half. m is 1/2 if a name in the claim does not
    occur in the source, else 1. p is 1/4 if passage and claim differ in negation or use opposite words, 1/2
    where negations meet (:func:`negation_difference`), else 1.
    """
    passage = source.passages.get(claim.text)
    if passage is None:  # a sentence that stands a thousand times is compared once
        passage = source.passages[claim.text] = best_passage(claim, source)
    start, end, coverage = passage
    margin = words_in_all(MARGIN, source.language)
    claimed = len(claim.numbers)
    there, elsewhere, wrong = _numbers(claim, source, start - margin, end + margin) if claimed else (0, 0, [])
    strangers = list(filterfalse(partial(_known, source=source), sorted(claim.names)))
    polarity = _opposite(claim, source, start, end) if coverage >= POLARITY_COVERAGE else ""
    if polarity and " ".join(claim.words) in source.verbatim:  # the passage is another one
        polarity = ""
    value = min(1.0, coverage / FULL_COVERAGE)
    if claimed:
        value *= (there + elsewhere / 2) / claimed
    if strangers:
        value *= MISSING_FACTOR
    if polarity:
        value *= MISSING_FACTOR if polarity == UNCLEAR else CLASH_FACTOR
    value = clip(value)
    if wrong and coverage >= SUPPORT_COVERAGE:
        return Alignment(
            value, coverage, "contradicts", f"It says {quoted(wrong)} where the source has other figures."
        )
    if polarity:
        return Alignment(value, coverage, "silent" if polarity == UNCLEAR else "contradicts", polarity)
    if coverage >= SUPPORT_COVERAGE and not strangers and there + elsewhere == claimed:
        figures = " and all of its figures" if claimed else ""
        return Alignment(
            value,
            coverage,
            "supports",
            f"A passage of the source holds {coverage:.0%} of its words{figures}.",
        )
    missing = quoted(strangers) if strangers else f"{1 - coverage:.0%} of its words"
    return Alignment(value, coverage, "silent", f"The closest passage of the source lacks {missing}.")


def best_passage(claim: Sentence, source: Text) -> tuple[int, int, float]:
    """Find the passage of ``source`` that covers most of ``claim``.

    Coverage is the weighted share of the claim's content stems in the passage. Among passages of at most 40
    words, the first with the highest coverage wins.

    Returns:
        The positions of the source's words at which the passage starts and ends, and its coverage in [0, 1].
    """
    weights = claim.weights
    shared = source.places.keys() & weights.keys()
    if not shared:
        return 0, 0, 0.0
    first, last, best, most = 0, 0, 0.0, 0.0
    places = list(map(source.places.__getitem__, shared))
    if max(map(len, places)) > OFTEN:
        rare, most = _rare(shared, claim, source)
        if rare:
            first, last, best = _best_of(_around(rare, shared, source), claim, source)
    if best <= most:  # words that are everywhere may be the best passage by themselves
        first, last, best = _best_of(sorted(chain(*places)), claim, source)
    coverage = clip(best / sum(weights.values()))
    return first, last + 1, coverage


def _rare(shared: Set[str], claim: Sentence, source: Text) -> tuple[list[int], float]:
    """Return the places of the rarest shared stems, at most :data:`OFTEN` in all and not sorted, and the
    weight of the others.
    """
    rare, left = list[int](), sum([claim.weights[term] for term in shared])
    for term in sorted(shared, key=lambda term: len(source.places[term])):
        if len(rare) + len(source.places[term]) > OFTEN:
            break
        rare += source.places[term]
        left -= claim.weights[term]
    return rare, left


def _around(rare: Sequence[int], shared: Set[str], source: Text) -> list[int]:
    """The places of shared stems within a passage's length of rare ones, in order."""
    nearby, reach = set[int](), words_in_all(PASSAGE, source.language)
    for term in shared:
        places = source.places[term]
        for place in rare:
            low = bisect_left(places, place - reach)
            nearby.update(places[low : bisect_left(places, place + reach, low)])
    return sorted(nearby)


def _best_of(places: Sequence[int], claim: Sentence, source: Text) -> tuple[int, int, float]:
    """Return the first and last word of the passage with the highest weight (of equal ones the first), and that weight.
    ``places``, at least one, are the words of the source that the claim has, in order; a stem counts once in a passage.
    """
    weights, stems, longest = claim.weights, source.stems, words_in_all(PASSAGE, source.language)
    inside: dict[str, int] = {}
    score = best = 0.0
    left = 0
    chosen = (places[0], places[0])
    for place in places:
        term = stems[place]
        n = inside.get(term, 0)
        inside[term] = n + 1
        if not n:
            score += weights[term]
        while place - places[left] >= longest:
            gone = stems[places[left]]
            inside[gone] -= 1
            if not inside[gone]:
                score -= weights[gone]
            left += 1
        if score > best:
            best, chosen = score, (places[left], place)
    return *chosen, best


def _numbers(claim: Sentence, source: Text, start: int, end: int) -> tuple[int, int, list[str]]:
    """Return how many claimed quantities the passage has, how many are only elsewhere, and the texts of those
    without a match.

    Elsewhere counts where a content stem of the claim is within ten words of the quantity. A quantity is
    without a match only if the passage has other quantities. ``start`` and ``end`` are places among the
    source's words.
    """
    numbers, reach = source.numbers, words_in_all(NEIGHBOURS, source.language)
    first, last = (bisect_left(numbers, place, key=attrgetter("place")) for place in (start, end))
    near = numbers[first:last]
    there = elsewhere = 0
    wrong = []
    for quantity in claim.numbers:
        if any(agrees(quantity, other) for other in near):
            there += 1
        elif any(
            agrees(quantity, other)
            and not claim.terms.isdisjoint(
                source.stems[max(0, other.place - reach) : other.place + reach + 1]
            )
            for other in numbers
        ):
            elsewhere += 1
        elif near:
            wrong.append(quantity.text)
    return there, elsewhere, wrong


def _known(name: str, source: Text) -> bool:
    """Whether every part of a name (``Renfield-Oss``) is in the source, by word or by stem."""
    stemmed = stem if source.english else other_stem
    return all(
        part in source.vocabulary or stemmed(part) in source.terms for part in _part.split(name) if part
    )


def _opposite(claim: Sentence, source: Text, start: int, end: int) -> str:
    """In words, how the polarity of the passage differs from the claim's; empty if it does not.

    They differ if one negates a stem that both use and the other does not, or if the claim has a word whose
    opposite, but not itself, is in the passage. Negations are those of the sentence of the passage that covers most of
    the claim, if it covers enough. Where several cover as much, the one that agrees most with the claim counts.
    """
    first, last = bisect_right(source.starts, start) - 1, bisect_left(source.starts, end)
    shared: dict[Sentence, float] = {}
    for sentence in source.sentences[first:last]:
        shared[sentence] = sum([claim.weights[term] for term in claim.terms & sentence.terms])
    most = max(shared.values(), default=0.0)
    differences = list[str]()
    if most >= POLARITY_COVERAGE * sum(claim.weights.values()):
        for sentence, weight in shared.items():
            if weight == most:
                differences.append(negation_difference(claim, sentence))
    if differences and "" not in differences:
        return UNCLEAR if UNCLEAR in differences else differences[0]
    if not source.english:
        return ""
    words = frozenset(source.words[start:end])
    for word in claim.words:
        if word in OPPOSITES and word not in words:
            for opposite in sorted(OPPOSITES[word] & words):
                return f"It says \u201c{word}\u201d where the source says \u201c{opposite}\u201d."
    return ""


_part = re.compile(r"[^\w'\u2019]+")


def negation_difference(claim: Sentence, source: Sentence) -> str:
    """Compare the negations of a claim with those of a sentence of its source.

    They may differ in the statement (*not*, *no*), and in what it depends on (*without*, *unless*, a negation after
    *if*). One difference contradicts. Two may cancel each other (*not without a key*, *with a key*), so they are
    unclear, as is one in a statement of which only one sentence names an exception.

    Returns:
        A sentence that says how they differ, ``UNCLEAR``, or an empty string.
    """
    if not negations(claim.language):
        return ""
    statement = condition = ""
    unclear = _prefixed(claim, source) or _prefixed(source, claim)
    for one, other, reach, message in ((claim, source, 2, DENIES), (source, claim, 1, AFFIRMS)):
        denied, doubtful = _denied(one, other, reach)
        unclear |= doubtful
        if denied - one.conditions:
            statement = message
        if denied & one.conditions or _takes_away(one, other):
            condition = message
    if unclear or (statement and (condition or claim.excepts != source.excepts)):
        return UNCLEAR
    return statement or condition


def _prefixed(one: Sentence, other: Sentence) -> bool:
    """Whether one sentence has a word only as *unlocked*, the other only as *locked* (and not as *not locked*)."""
    stems = terms_of(one.language)
    return any(
        stems[word] not in one.near_negations | {""} and f"un{word}" in other.words
        for word in set(one.words).difference(other.words)
        if f"un{word}" not in one.words
    )


def _denied(one: Sentence, other: Sentence, reach: int) -> tuple[set[str], bool]:
    """Return the content stems that one sentence negates and the other affirms, and whether some may be
    negated there, too.
    """
    denied = set((one.denied(reach) - other.near_negations) & other.terms)
    doubtful = False
    if denied:
        for phrase, _ in one.lacking:
            denied -= phrase
        for phrase, nearby in other.lacking:
            if any(phrase & same for same, _ in one.lacking):
                continue
            if phrase & one.denied(1):  # no password is needed to log in, log in without a password
                denied &= one.denied(1)
            doubtful |= not phrase <= one.near_negations and bool(denied & nearby)
            denied -= nearby
        for _, nearby in other.unless:
            denied -= nearby & one.conditions
    return denied, doubtful


def _takes_away(one: Sentence, other: Sentence) -> bool:
    """Whether the other sentence has what one says is not there (*without a reason*), or has it as a condition where
    it is one's exception (*if it was locked*, *unless it was locked*)."""
    taken = frozenset[str]().union(*(nearby for _, nearby in other.lacking))
    for phrase, _ in one.lacking:
        affirmed = phrase <= other.terms - other.near_negations
        if (affirmed or any(having <= phrase for having, _ in other.having)) and phrase.isdisjoint(taken):
            return True
    negated = other.near_negations | taken
    return any(phrase.isdisjoint(negated) and phrase <= other.conditions for phrase, _ in one.unless)


def sentence_findings(text: Text, sources: Sequence[Text]) -> tuple[SentenceFinding, ...]:
    """Return the verdict of ``sources`` on each distinct sentence of ``text``, by the source that supports it
    best.

    A sentence is ``stated`` where that source supports it (:func:`align`). It is ``partly`` stated where the
    source is silent, but a passage has at least a third of the sentence's words. A sentence that says only
    yes or no is left out, unless it is all of the text.
    """
    found: dict[str, SentenceFinding] = {}
    sentences = [sentence for sentence in text.sentences if not only_yes_or_no(sentence.text)]
    for sentence in sentences or text.sentences or (Sentence(text.raw, language=text.language),):
        key = " ".join(sentence.text.lower().split())
        if key in found or not (sentence.words or len(text.sentences) < 2):
            continue
        best = max((align(sentence, source) for source in sources), key=lambda alignment: alignment.value)
        found[key] = SentenceFinding(sentence.text, _verdict(best), best.explanation)
    return tuple(found.values())


def only_yes_or_no(sentence: str) -> bool:
    """Return True if a sentence says only yes or no (in several languages): by itself it claims nothing."""
    words = words_of(sentence)
    return bool(words) and len(words) <= YES_OR_NO_WORDS and YES_OR_NO.issuperset(words)


def _verdict(alignment: Alignment) -> Literal["stated", "partly", "contradicted", ""]:
    if alignment.label == "supports":
        return "stated"
    if alignment.label == "contradicts":
        return "contradicted"
    return "partly" if alignment.coverage >= SUPPORT_COVERAGE else ""


UNCITED_WEIGHT = 0.5


def citation_verdicts(argument: Text, documents: Sequence[Text]) -> tuple[CitationVerdict, ...]:
    """Return one verdict for each citation of each sentence of ``argument``, in order of the text.

    A citation of number n refers to ``documents[n - 1]``; the label is None where there is no such document.
    """
    verdicts = []
    for i, sentence in enumerate(argument.sentences, start=1):
        for number in sentence.cites:
            if 1 <= number <= len(documents):
                alignment = align(sentence, documents[number - 1])
                verdicts.append(CitationVerdict(i, number, alignment.label, alignment.explanation))
            else:
                verdicts.append(CitationVerdict(i, number, None, "The item has no document of this number."))
    return tuple(verdicts)


def groundedness(argument: Text, documents: Sequence[Text]) -> Finding:
    """Compute the share of the argument's content that its documents support, in [0, 1].

    It is the mean of :func:`align`'s value over sentences, weighted by the weight of their content stems. A
    sentence with citations gets the best value of its cited documents (0 if none of them exists). A sentence
    without gets its coverage by the words of all documents, at half weight if other sentences have
    citations.
    """
    cited = sum(map(bool, map(attrgetter("cites"), argument.sentences)))
    total = borne = 0.0
    clashes = missing = 0
    everything = frozenset[str]().union(*map(attrgetter("terms"), documents))
    for sentence in argument.sentences:
        size = sum(sentence.weights.values())
        if sentence.cites:
            best = None
            for number in sentence.cites:
                if 1 <= number <= len(documents):
                    found = align(sentence, documents[number - 1])
                    best = found if best is None or found.value > best.value else best
            value = best.value if best else 0.0
            clashes += best is not None and best.label == "contradicts"
            missing += best is None or best.label == "silent"
        elif sentence.terms:
            value = sum([w for t, w in sentence.weights.items() if t in everything]) / size
            size *= UNCITED_WEIGHT if cited else 1.0
        else:
            continue
        total += size
        borne += size * value
    value = min(1.0, borne / total) if total else 0.0
    if not cited:
        return Finding(value, "Nothing is cited; compared with the words of all documents.")
    return Finding(
        value,
        f"Of {cited} cited sentences {clashes} clash with their source and {missing} are not found in it.",
    )
