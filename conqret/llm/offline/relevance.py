"""How relevant a text is to a topic: does it keep to the topic, does it argue, and is it more than furniture?

``relevance = topicality * (1/2 + 1/4 argument + 1/4 extent) * (1 - noise)``, all of them in [0, 1]. The
product makes topicality necessary: no length and no eloquence helps a text on another topic.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from conqret.llm.offline.boilerplate import boilerplate
from conqret.llm.offline.findings import Finding, clip, quoted
from conqret.llm.offline.lexicons import ARGUMENT_CUES
from conqret.llm.offline.text import Sentence, Text, weight

FEEDBACK_TERMS = 30
FEEDBACK_MINIMUM = 3
FEEDBACK_SHARE = 0.5
HALF_EXTENT = 25
HALF_ARGUMENT = 4


@dataclass(frozen=True)
class Query:
    """The content stems of a topic with their weights, the words they stand for, and its initialisms."""

    weights: Mapping[str, float]
    words: Mapping[str, str]
    initialisms: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, topic: str) -> Query:
        """The query of a topic's question.

        Stop words carry nothing; if nothing else is there, every word counts. The initials of each run of
        three or more content words stand for the run (UBI for universal basic income).
        """
        words: dict[str, str] = {}
        run: list[tuple[str, str]] = []
        initialisms: dict[str, tuple[str, ...]] = {}
        for word in Sentence(topic).words:
            terms = Sentence(word).terms
            term = next(iter(terms), "")
            if not term:
                run = []
                continue
            words.setdefault(term, word)
            run.append((word, term))
            for length in range(3, min(len(run), 5) + 1):
                part = run[-length:]
                initialisms["".join(w[0] for w, _ in part)] = tuple(t for _, t in part)
        if not words:
            words = {word: word for word in Sentence(topic).words}
        return cls({term: weight(term) for term in words}, words, initialisms)

    def frequency(self, text: Text) -> dict[str, int]:
        """How often each query stem occurs in ``text``, alone or within an initialism."""
        terms = text.terms
        found = {term: terms.get(term, 0) for term in self.weights}
        for short, parts in self.initialisms.items():
            if n := text.words.get(short, 0):
                for term in parts:
                    found[term] = found.get(term, 0) + n
        return found


@dataclass(frozen=True)
class Features:
    """What the relevance of one text is made of; every value is in [0, 1]."""

    match: float
    argument: float
    extent: float
    noise: float
    matched: tuple[str, ...]
    missing: tuple[str, ...]
    kinds: Mapping[str, frozenset[int]]
    body: Text


def features(text: Text, query: Query) -> Features:
    """The features of ``text`` for ``query``, read from the sentences that are neither furniture nor orders.

    match     = sum(w_t (1 - 2^-f_t)) / sum(w_t) over query stems t with weight w_t and frequency f_t
    argument  = c / (c + 4), c the number of argumentative cue words
    extent    = n / (n + 25), n the number of content words
    noise     = share of words in sentences of advertising, page furniture or orders to the judge
    """
    kinds = boilerplate(text)
    body = text
    noise = 0.0
    if kinds:
        dropped = frozenset().union(*kinds.values())
        body = Text("\n\n".join([s.text for i, s in enumerate(text.sentences) if i not in dropped]))
        noise = 1 - body.length / text.length if text.length else 0.0
    frequency = query.frequency(body)
    total = sum(query.weights.values())
    match = sum(w * (1 - 0.5 ** frequency[t]) for t, w in query.weights.items()) / total if total else 0.0
    cues = body.count(ARGUMENT_CUES)
    content = body.length - body.stop_words
    return Features(
        match=clip(match),
        argument=cues / (cues + HALF_ARGUMENT),
        extent=content / (content + HALF_EXTENT),
        noise=clip(noise),
        matched=tuple(query.words[t] for t in query.weights if frequency[t]),
        missing=tuple(query.words[t] for t in query.weights if not frequency[t]),
        kinds=kinds,
        body=body,
    )


def feedback(documents: Sequence[Features], query: Query) -> dict[str, float]:
    """What else the documents that match the topic talk about: stem to weight, the 30 heaviest.

    Pseudo-relevance feedback (Lavrenko and Croft 2001, relevance models): a stem's weight is its background
    weight times the sum of ``match`` over the documents that hold it, for stems in at least two of the
    documents whose match is 1/2 or more. Empty unless at least three documents match.
    """
    good = [d for d in documents if d.match >= FEEDBACK_SHARE]
    if len(good) < FEEDBACK_MINIMUM:
        return {}
    held: dict[str, list[float]] = {}
    for document in good:
        for term in document.body.terms:
            held.setdefault(term, []).append(document.match)
    scores = {
        term: weight(term) * math.fsum(matches)
        for term, matches in held.items()
        if len(matches) > 1 and term not in query.weights and not term.isdigit()
    }
    best = sorted(scores, key=lambda term: (-scores[term], term))[:FEEDBACK_TERMS]
    return {term: scores[term] for term in best}


def relevance(f: Features, expansion: Mapping[str, float]) -> Finding:
    """The relevance of one text, in [0, 1]; see the module.

    topicality is the match where there is no feedback, else ``match * (1/2 + 1/2 min(1, 2 e))``, e the
    weighted share of the feedback stems that the text holds.
    """
    topicality = f.match
    if expansion:
        share = math.fsum(w for t, w in expansion.items() if t in f.body.terms) / math.fsum(expansion.values())
        topicality *= 0.5 + 0.5 * min(1.0, 2 * share)
    value = clip(topicality * (0.5 + 0.25 * f.argument + 0.25 * f.extent) * (1 - f.noise))
    return Finding(value, _explain(f))


def _explain(f: Features) -> str:
    parts = [f"Speaks of {quoted(f.matched)}" if f.matched else "Names no term of the topic"]
    if f.matched and f.missing:
        parts[0] += f", not of {quoted(f.missing)}"
    for kind, words in _KIND_WORDS.items():
        if kind in f.kinds:
            n = len(f.kinds[kind])
            parts.append(f"{n} sentence{'s' if n > 1 else ''} set aside as {words}")
    if f.argument < 0.5:
        parts.append("Few words of argument or evidence")
    return ". ".join(parts) + "."


_KIND_WORDS = {
    "order": "orders to the judge",
    "promotion": "advertising or page furniture",
    "talk": "talk about the debate itself",
}
