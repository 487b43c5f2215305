"""The offline baseline of Algorithm 1: sentences that are taken from the documents as they stand.

It understands nothing: a point of view is a sentence that shares words with the question, and an explanation are the
sentences of its documents that share words with both. It is a floor.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from conqret.perspectives.detection import COVERED, best_passage
from conqret.text.analysis import weight
from conqret.text.stance_detection import standpoints, values
from conqret.text.text_passages import Passage, read

VIEWS_OF_ONE = 2
"""Sentences that are taken of one document at most."""
SHORTEST, LONGEST = 6, 45
"""Words of a sentence that can be a point of view: a heading is shorter, a list or a table longer."""
LEAST = 0.5
"""The share of the question's stems, by weight, that a sentence must hold."""
ALIKE = 0.5
"""The share of its stems (Jaccard) that makes two sentences one point of view."""
OPINION = 0.5
"""What a word that speaks well or ill of something adds to the share of the question's words."""
WORDS = 120
"""Words after which an explanation is full."""


def queries(question: str) -> dict[str, Any]:
    """The question, and the question with the words of either side."""
    return {"queries": [question, *standpoints(question).values()]}


def points_of_view(question: str, texts: Sequence[str], most: int) -> dict[str, Any]:
    """The sentences that say most about the question, at most two of a document, no two alike, and the documents that
    hold each (60% of its stems in two neighbouring sentences)."""
    wanted = {term: weight(term) for term in set(Passage(question).roots) - {""}}
    readings = [read(text).sentences for text in texts]
    candidates = sorted(
        ((-_score(sentence, wanted), number, place) for number, sentences in enumerate(readings)
         for place, sentence in enumerate(sentences) if _can_be(sentence)),
    )  # fmt: skip
    chosen: list[tuple[int, Passage]] = []
    for score, number, place in candidates:
        sentence = readings[number][place]
        if len(chosen) == most or not score:
            break
        few = sum(document == number for document, _ in chosen) < VIEWS_OF_ONE
        if few and not any(_alike(sentence, other) for _, other in chosen):
            chosen.append((number, sentence))
    return {
        "points_of_view": [
            {
                "point_of_view": " ".join(sentence.text.split()),
                "documents": [
                    number + 1
                    for number, sentences in enumerate(readings)
                    if number == document_index or best_passage(sentence, sentences)[1] >= COVERED
                ],
            }
            for document_index, sentence in chosen
        ]
    }


def explanation(question: str, view: str, texts: Sequence[str]) -> dict[str, Any]:
    """The sentences of the documents that share most with question and point of view, in the order of the documents."""
    wanted = {term: weight(term) for term in {*Passage(question).roots, *Passage(view).roots} - {""}}
    sentences = [sentence for text in texts for sentence in read(text).sentences]
    ranked = sorted(range(len(sentences)), key=lambda place: (-_held(sentences[place], wanted), place))
    taken: list[int] = []
    for place in ranked:
        if sum(len(sentences[place].words) for place in taken) >= WORDS:
            break
        if len(sentences[place].words) >= SHORTEST:
            taken.append(place)
    view_texts = [" ".join(sentences[place].text.split()) for place in sorted(taken)]
    return {"explanation": " ".join(dict.fromkeys(view_texts)) or view}


def _can_be(sentence: Passage) -> bool:
    return SHORTEST <= len(sentence.words) <= LONGEST and not sentence.text.rstrip().endswith("?")


def _score(sentence: Passage, wanted: dict[str, float]) -> float:
    held = _held(sentence, wanted)
    return held + OPINION * (sum(values(sentence)) > 0) if held >= LEAST else 0.0


def _held(sentence: Passage, wanted: dict[str, float]) -> float:
    total = sum(wanted.values())
    return sum(wanted.get(term, 0.0) for term in set(sentence.roots)) / total if total else 0.0


def _alike(sentence: Passage, other: Passage) -> bool:
    first, two = ({*each.roots} - {""} for each in (sentence, other))
    return len(first & two) >= ALIKE * len(first | two)


def same(first: str, second: str) -> dict[str, Any]:
    """Whether two points of view share half of their stems."""
    alike = _alike(Passage(first), Passage(second))
    return {"explanation": "by the words that both share", "same": alike}


def covered(question: str, passage: str, views: Sequence[str]) -> dict[str, Any]:
    """Whether each sentence that could be a point of view has its words in one that is there."""
    sentences = [
        view["point_of_view"] for view in points_of_view(question, [passage], VIEWS_OF_ONE)["points_of_view"]
    ]
    new = [view for view in sentences if not _among(view, views)]
    return {"explanation": f"{len(new)} of {len(sentences)} sentences are not among them", "covered": not new}


def missed(question: str, answer: str, views: Sequence[str]) -> dict[str, Any]:
    """One more on the scale from 1 to 5 for each sentence on the question whose words are in no partial answer."""
    sentences = [
        view["point_of_view"] for view in points_of_view(question, [answer], VIEWS_OF_ONE)["points_of_view"]
    ]
    new = sum(not _among(view, views) for view in sentences)
    return {
        "explanation": f"{new} of {len(sentences)} sentences are in no partial answer",
        "rating": 1 + 2 * new,
    }


def _among(view: str, texts: Sequence[str]) -> bool:
    return any(best_passage(Passage(view), read(text).sentences)[1] >= COVERED for text in texts)
