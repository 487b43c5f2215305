"""The relevance of a text to a topic: whether it keeps to the topic, argues, and is more than boilerplate.

``relevance = t (2 - t) (1/2 + argument/4 + extent/4) (1 - noise)``, t the topicality, every part in [0, 1].
The product makes topicality necessary: no length and no eloquence helps a text on another topic.

Topicality has two sources. ``match`` says whether the text uses the words of the question. ``company`` says
whether it shares uncommon words with the item's argument and with the other documents, for evidence often
never names the question ("the crane flock had gone by then"), and texts off the topic may name it often
("Zoo Lane will be closed"). Company counts for as much as the documents have in common (`TermContext`).

Nuggets are short key points, which rubric formats rate: those of a topic, and those of documents.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from conqret.baseline.alignment import Finding, clip, quoted
from conqret.text.analysis import COMMON_STEMS, COMMON_WEIGHT, Sentence, Text, terms_of
from conqret.text.boilerplate import boilerplate
from conqret.text.lexicons import ARGUMENT_CUES
from conqret.text.words import word_spans, words_counted

HALF_EXTENT = 50
HALF_ARGUMENT = 4
FULL_LENGTH = 100  # words from which on a mention counts as one
SHORT = 0.75  # how far brevity is made up for, as BM25's b
SENTENCE = 20  # words from which on it is made up for whole: a line of five words is often no evidence at all
VOCABULARY = 1500  # two texts on different topics share about |S| |T| / 1500 uncommon stems
HALF_TRUST = 2.0
PRIOR = 5.0
FULL_LIFT = 2.0
ANCHOR_UNIT = 1024


@dataclass(frozen=True)
class RelevanceQuery:
    """The query made from a topic: the weights of its content stems, the word of each stem, and its
    initialisms.
    """

    weights: Mapping[str, float]
    words: Mapping[str, str]
    initialisms: Mapping[str, tuple[str, ...]]

    @classmethod
    def from_topic(cls, topic: str, language: str = "") -> RelevanceQuery:
        """Build the query from a topic's question.

        Stop words are left out, unless the question has no other words. In English, each run of three or more
        content words also matches by its initials (UBI for universal basic income).
        """
        words: dict[str, str] = {}
        run: list[tuple[str, str]] = []
        initialisms: dict[str, tuple[str, ...]] = {}
        question, stems = Sentence(topic, language=language), terms_of(language)
        for word in question.words:
            term = next(iter(Sentence(word).terms), "") if question.english else stems[word]
            if not term:
                run = []
                continue
            words.setdefault(term, word)
            if not question.english:
                continue
            run.append((word, term))
            for length in range(3, min(len(run), 5) + 1):
                part = run[-length:]
                initialisms["".join(w[0] for w, _ in part)] = tuple(t for _, t in part)
        if not words:
            words = {word: word for word in question.words}
        weights = dict.fromkeys(words, 1.0)
        if question.english:
            weights |= dict.fromkeys(COMMON_STEMS & words.keys(), COMMON_WEIGHT)
        return cls(weights, words, initialisms)


@dataclass(frozen=True)
class Features:
    """The features from which the relevance of one text is computed; each number is in [0, 1].

    ``match``, ``argument``, ``extent`` and ``noise``: see :func:`features`. ``matched`` and ``missing`` are
    words of the question that the text has and lacks, ``kinds`` the indices of boilerplate sentences by
    kind, ``body`` the text without them, and ``uncommon`` its stems that are neither common words nor in the
    question.
    """

    match: float
    argument: float
    extent: float
    noise: float
    matched: tuple[str, ...]
    missing: tuple[str, ...]
    kinds: Mapping[str, frozenset[int]]
    body: Text
    uncommon: frozenset[str]


def features(text: Text, query: RelevanceQuery) -> Features:
    """Compute the relevance features of ``text`` for ``query``, without boilerplate and prompt injections.

    match     = sum(w_t (1 - 2^(-f_t / l))) / sum(w_t) over query stems t with weight w_t and frequency f_t
    l         = 1 - 3/4 max(0, 1 - n/100) min(1, n/20): short texts cannot repeat query words
    argument  = c / (c + 4), c the number of argumentative cue words
    extent    = n / (n + 50), n the number of words
    noise     = share of words in sentences of advertising, page boilerplate or prompt injections

    In languages other than English, cue words and boilerplate are unknown: noise is 0, and ``argument``
    equals ``extent``.
    """
    kinds = boilerplate(text) if text.english else {}
    body = text
    noise = 0.0
    if kinds:
        dropped = frozenset().union(*kinds.values())
        body = text.without(dropped)
        noise = 1 - len(body.words) / len(text.words) if text.words else 0.0
    frequency, words = Counter(body.stems), Counter(body.words)
    for short, parts in query.initialisms.items():
        for term in parts if short in body.vocabulary else ():
            frequency[term] += words[short]
    total = sum(query.weights.values())
    length = words_counted(len(body.words), text.language)
    room = 1 - SHORT * max(0.0, 1 - length / FULL_LENGTH) * min(1.0, length / SENTENCE)
    hits, matched, missing = 0.0, list[str](), list[str]()
    for term, term_weight in query.weights.items():
        hits += term_weight * (1 - 0.5 ** (frequency[term] / room))
        (matched if frequency[term] else missing).append(query.words[term])
    match = hits / total if total else 0.0
    extent = length / (length + HALF_EXTENT)
    cues = body.count(ARGUMENT_CUES) if text.english else 0
    return Features(
        match=clip(match),
        argument=cues / (cues + HALF_ARGUMENT) if text.english else extent,
        extent=extent,
        noise=clip(noise),
        matched=tuple(matched),
        missing=tuple(missing),
        kinds=kinds,
        body=body,
        uncommon=body.terms - (COMMON_STEMS if text.english else frozenset[str]()) - query.weights.keys(),
    )


@dataclass(frozen=True)
class TermContext:
    """Statistics of the uncommon words of an item's documents and argument, for the topicality of each
    document.

    Uncommon words are stems that are neither in the list of common words nor in the question. Two texts on
    different topics with s and t of them share about ``s t / (s + 1500)`` by chance. ``trust`` in [0, 1) is
    ``e / (e + 2)``, where e is that number for two documents of the item's mean size. In short texts few
    shared words are expected, so ``trust`` is low.
    """

    argument: frozenset[str]
    holders: Mapping[str, int]
    anchored: Mapping[str, int]
    total: int
    trust: float

    @classmethod
    def from_documents(cls, documents: Sequence[Features], argument: Features | None) -> TermContext:
        """Build the statistics from the features of an item's documents (there may be none) and of its argument, if it
        has one."""
        words = argument.uncommon if argument is not None else frozenset[str]()
        holders: Counter[str] = Counter()
        anchored: dict[str, int] = defaultdict(int)
        total = 0
        for document in documents:
            holders.update(document.uncommon)
            total += len(document.uncommon)
            anchor = _anchor(document, words)
            for term in document.uncommon:
                anchored[term] += anchor
        mean = total / len(documents) if documents else 0.0
        expected = mean * mean / (mean + VOCABULARY)
        return cls(words, holders, anchored, total, expected / (expected + HALF_TRUST))

    def for_document(self, document: Features) -> float:
        """Compute how much uncommon vocabulary a document shares with the argument and the other documents,
        in [0, 1].

        The value is ``(a + k min(1, 2 r)) / 2``, or ``k min(1, 2 r)`` without an argument. a is the lift over
        chance of the words shared with the argument, k that of those shared with the other documents. Each
        lift is ``(shared + 5) / (expected + 5) - 1``, clipped to [0, 1]. r is the mean anchor of the
        documents that share words with this one, weighted by how many they share. An anchor is the mean of
        match and a, or match alone without an argument. Documents that agree with each other on another topic
        therefore get a low value.
        """
        size = len(document.uncommon)
        chance = size / (size + VOCABULARY)
        shared = sum(map(self.holders.__getitem__, document.uncommon)) - size
        if not shared:
            among = 0.0
        else:
            anchored = sum(map(self.anchored.__getitem__, document.uncommon))
            anchored -= _anchor(document, self.argument) * size
            near = min(1.0, 2 * anchored / (shared * ANCHOR_UNIT))
            among = _lift(shared, (self.total - size) * chance) * near
        return (among + _over(document, self.argument)) / 2 if self.argument else among


def _anchor(document: Features, argument: frozenset[str]) -> int:
    """The anchor in whole parts of 1024: sums of whole numbers do not depend on their order."""
    anchor = (document.match + _over(document, argument)) / 2 if argument else document.match
    return round(anchor * ANCHOR_UNIT)


def _over(document: Features, argument: frozenset[str]) -> float:
    size = len(document.uncommon)
    return _lift(len(argument & document.uncommon), len(argument) * size / (size + VOCABULARY))


def _lift(shared: float, expected: float) -> float:
    return clip(((shared + PRIOR) / (expected + PRIOR) - 1) / (FULL_LIFT - 1))


def relevance(f: Features, company: float = 0.0, trust: float = 0.0) -> Finding:
    """Compute the relevance of a text with features ``f``, in [0, 1], with an explanation (formula: see the
    module).

    Args:
        f: the features of the text.
        company: the vocabulary it shares with the item's other texts, in [0, 1]
            (:meth:`TermContext.for_document`).
        trust: the weight of ``company``: ``topicality = (1 - trust) match + trust company``.
    """
    topicality = (1 - trust) * f.match + trust * company
    substance = 0.5 + 0.25 * f.argument + 0.25 * f.extent
    value = topicality * (2 - topicality) * substance * (1 - f.noise)
    parts = [f"Speaks of {quoted(f.matched)}" if f.matched else "Names no term of the topic"]
    if f.matched and f.missing:
        parts[0] += f", not of {quoted(f.missing)}"
    if trust:
        degree = "much" if company >= 2 / 3 else "some" if company >= 1 / 3 else "little"
        parts.append(f"Shares {degree} vocabulary with the argument and the other documents")
    for kind, words in _KIND_WORDS.items():
        if kind in f.kinds:
            n = len(f.kinds[kind])
            parts.append(f"{n} sentence{'s' if n > 1 else ''} set aside as {words}")
    if f.body.english and f.argument < 0.5:
        parts.append("Few words of argument or evidence")
    return Finding(clip(value), ". ".join(parts) + ".")


_KIND_WORDS = {
    "order": "orders to the judge",
    "promotion": "advertising or page furniture",
    "talk": "talk about the debate itself",
}


@cache
def aspects() -> dict[str, frozenset[str]]:
    """Return the usual aspects of a debate (``aspects.toml``): the stems of each by its name."""
    declared = tomllib.loads(Path(__file__).with_name("aspects.toml").read_text(encoding="utf-8"))
    return {name: Sentence(words).terms for name, words in declared.items()}


"""Aspect to the stems of its words, in the order in which nuggets use them."""


_FROM = {"pro": "in favour of", "con": "against", "none": "on"}
_clause = re.compile(r"[;:,\u2013\u2014\u061b\u060c]\s+|[\uff1b\uff1a\uff0c\u3001]\s*|\s-\s")
SHORTEST_SENTENCE = 6


def topic_nuggets(topic: str, stance: str, n: int) -> tuple[str, ...]:
    """Return ``n`` distinct key points: one for each built-in aspect of public debate, applied to topic and
    stance.

    Where ``n`` exceeds the number of aspects, pairs of aspects follow, then numbered repetitions.
    """
    subject = topic.strip().rstrip("?!. ")
    names = list(aspects())
    points = names[:n]
    step = 1
    while len(points) < n and step < len(names):
        points += [f"{a} with {b}" for a, b in zip(names, names[step:], strict=False)][: n - len(points)]
        step += 1
    while len(points) < n:
        points.append(f"{names[len(points) % len(names)]} ({len(points) + 1})")
    return tuple(f"{point}, {_FROM.get(stance, 'on')}: {subject}" for point in points)


def document_nuggets(
    documents: Sequence[Features], values: Sequence[float], query: RelevanceQuery, n: int
) -> tuple[str, ...]:
    """Return up to ``n`` distinct key points (sentences) from the documents, best first.

    ``values`` are the documents' relevance. A sentence's rank is its document's relevance times (topic words
    + numbers + a saturating length). If there are too few sentences, their clauses follow, then shorter and
    shorter runs of words. The result is shorter than ``n`` where the documents have fewer distinct spans.
    """
    scored: dict[str, tuple[float, str]] = {}
    for features, value in zip(documents, values, strict=True):
        for sentence in features.body.sentences:
            point = " ".join(sentence.text.split())
            if len(sentence.words) >= SHORTEST_SENTENCE:
                terms = len(sentence.terms)
                topical = math.fsum(query.weights[t] for t in query.weights if t in sentence.terms)
                worth = (0.05 + value) * (0.5 + topical + 0.5 * bool(sentence.numbers) + terms / (terms + 10))
                scored[point] = max(scored.get(point, (0.0, point)), (worth, point))
    points = [p for _, p in sorted(scored.values(), key=lambda pair: (-pair[0], pair[1]))]
    nuggets = dict.fromkeys(points[:n])
    pool = [s for f in sorted(documents, key=lambda f: f.body.raw) for s in f.body.sentences]
    if len(nuggets) < n:
        for sentence in pool:
            clauses = (part.strip(" .") for part in _clause.split(sentence.text))
            nuggets.update(dict.fromkeys(clause for clause in clauses if len(word_spans(clause)) > 1))
    for size in (8, 5, 3, 2, 1):
        if len(nuggets) >= n:
            break
        for sentence in pool:
            spans = word_spans(sentence.text)  # also where a script puts no spaces between words
            runs = (spans[place : place + size] for place in range(0, len(spans), size))
            texts = (sentence.text[run[0][0] : run[-1][1]] for run in runs)
            nuggets.update(dict.fromkeys(" ".join(text.split()) for text in texts))
    return tuple(nuggets)[:n]


def aspect_of(nugget: str) -> frozenset[str]:
    """Return the stems of the aspects that a nugget of :func:`topic_nuggets` names, or an empty set for any
    other text.
    """
    head = nugget.partition(":")[0].rpartition(",")[0]
    return frozenset[str]().union(
        *(aspects().get(part, frozenset()) for part in re.split(r" with | \(", head))
    )


def touches(aspect: frozenset[str], terms: Set[str]) -> float:
    """Return ``1 - 2^-k``, where k is the number of stems of ``aspect`` among the stems of a text
    (``terms``).
    """
    return 1 - 0.5 ** len(aspect & terms)


def covered_by_words(nugget: str, terms: Set[str], language: str = "") -> float:
    """Return the weighted share of the nugget's stems that are among ``terms``, in [0, 1]."""
    weights = Sentence(nugget, language=language).weights
    total = math.fsum(weights.values())
    return clip(math.fsum(w for t, w in weights.items() if t in terms) / total) if total else 0.0
