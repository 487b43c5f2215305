"""Nuggets, the short key points that rubric formats rate, and how far a text covers one."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence, Set

from conqret.baseline.alignment import clip
from conqret.baseline.relevance import Features, RelevanceQuery
from conqret.text.analysis import Sentence
from conqret.text.words import word_spans

_ASPECTS = {
    "Cost and who pays": "cost price pay money tax budget expensive fund spend afford million billion",
    "Effect on the economy and jobs": "economy job employ business market wage trade industry growth worker",
    "Individual rights and freedom": "right freedom liberty choice consent autonomy constitution privacy",
    "Health": "health disease medical doctor patient hospital illness treatment drug harm",
    "Safety and crime": "safe danger risk crime police violence accident injury protect security death",
    "Fairness and equality": "fair equal justice discriminate poor rich inequality minority bias poverty",
    "Enforcement and practical workability": "enforce implement practice rule penalty comply inspect evade",
    "Law and precedent": "law court legal constitution precedent judge statute legislation regulate",
    "Children, families and schools": "child parent family school teacher student young education learn",
    "The environment and animals": "environment climate animal nature pollution species energy waste carbon",
    "Morality and values": "moral ethics value religion wrong dignity duty responsible belief",
    "What research and figures show": "study research evidence survey data report statistics percent found scientist",
    "Alternatives": "alternative instead option substitute replace reform other solution",
    "Experience elsewhere and in the past": "country state city history year example abroad elsewhere nation",
    "Unintended consequences": "consequence unintended lead cause effect result increase decline worse",
    "Public opinion and democracy": "public opinion vote poll majority democracy election people citizen voter",
    "Who benefits and who loses": "benefit gain lose interest group help hurt company consumer",
    "Long-term outcomes": "future long generation lasting decade term sustainable later permanent",
    "Role of government": "government state federal policy minister council authority regulate intervene",
    "Quality of life and community": "community life social society culture neighbour people live happy family",
    "Technology and innovation": "technology computer internet machine innovation software data electronic",
    "Trust and accountability": "trust transparency accountable corruption fraud honest audit secret abuse",
}
ASPECTS: dict[str, frozenset[str]] = {name: Sentence(words).terms for name, words in _ASPECTS.items()}
"""Aspect to the stems of its words, in the order in which nuggets use them."""


_FROM = {"pro": "in favour of", "con": "against", "none": "on"}
_clause = re.compile(r"[;:,\u2013\u2014\u061b\u060c]\s+|[\uff1b\uff1a\uff0c\u3001]\s*|\s-\s")
SHORTEST_SENTENCE = 6


def topic_nuggets(topic: str, stance: str, n: int) -> tuple[str, ...]:
    """``n`` distinct key points: one for each aspect of public debate, applied to the topic and the stance.

    Beyond the built-in aspects, pairs of them go on in order, so any ``n`` is met.
    """
    subject = topic.strip().rstrip("?!. ")
    names = list(ASPECTS)
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
    """``n`` distinct key points from the documents, best first.

    A sentence's worth is its document's relevance times (topic words + numbers + a saturating length). If
    there are too few sentences, their clauses follow, then runs of words of falling length; never more than
    the documents hold: if they hold fewer than ``n`` distinct spans, fewer come back.
    """
    scored: dict[str, tuple[float, str]] = {}
    for features, value in zip(documents, values, strict=True):
        for sentence in features.body.sentences:
            point = " ".join(sentence.text.split())
            if len(sentence.words) >= SHORTEST_SENTENCE:
                worth = (0.05 + value) * _worth(sentence, query)
                scored[point] = max(scored.get(point, (0.0, point)), (worth, point))
    points = [p for _, p in sorted(scored.values(), key=lambda pair: (-pair[0], pair[1]))]
    nuggets = dict.fromkeys(points[:n])
    pool = [s for f in sorted(documents, key=lambda f: f.body.raw) for s in f.body.sentences]
    if len(nuggets) < n:
        for sentence in pool:
            nuggets.update(
                dict.fromkeys(
                    c for c in (p.strip(" .") for p in _clause.split(sentence.text)) if len(word_spans(c)) > 1
                )
            )
    for size in (8, 5, 3, 2, 1):
        if len(nuggets) >= n:
            break
        for sentence in pool:
            nuggets.update(dict.fromkeys(_runs(sentence.text, size)))
    return tuple(nuggets)[:n]


def _runs(text: str, size: int) -> Iterator[str]:
    """A text in runs of so many words, also where its script puts no spaces between them."""
    spans = word_spans(text)
    for place in range(0, len(spans), size):
        run = spans[place : place + size]
        yield " ".join(text[run[0][0] : run[-1][1]].split())


def _worth(sentence: Sentence, query: RelevanceQuery) -> float:
    topical = math.fsum(query.weights[t] for t in query.weights if t in sentence.terms)
    return 0.5 + topical + 0.5 * bool(sentence.numbers) + len(sentence.terms) / (len(sentence.terms) + 10)


def aspect_of(nugget: str) -> frozenset[str]:
    """The stems of the aspects that a topic nugget names; empty for any other text."""
    head = nugget.partition(":")[0].rpartition(",")[0]
    return frozenset[str]().union(*(ASPECTS.get(part, frozenset()) for part in re.split(r" with | \(", head)))


def touches(aspect: frozenset[str], terms: Set[str]) -> float:
    """``1 - 2^-k``, k the number of different stems of the aspect in a text."""
    return 1 - 0.5 ** len(aspect & terms)


def covered_by_words(nugget: str, terms: Set[str], language: str = "") -> float:
    """The weighted share of the nugget's stems among ``terms``, in [0, 1]."""
    weights = Sentence(nugget, language=language).weights
    total = math.fsum(weights.values())
    return clip(math.fsum(w for t, w in weights.items() if t in terms) / total) if total else 0.0
