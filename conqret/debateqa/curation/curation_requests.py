"""The requests of Algorithm 1: queries to search with, points of view with their documents, and explanations.

DebateQA, section 3.2, A.2, A.3 and Table 9. And the offline baseline, which understands nothing: a point of view is a
sentence of the documents that shares words with the question, and an explanation are those that share words with both.
It is a baseline.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, Field, StringConstraints, ValidationInfo, create_model, field_validator

from conqret.data import Document, Reason
from conqret.judging.responses import Typed, Whole
from conqret.llm.client import Client
from conqret.llm.prompt_fitting import fit
from conqret.llm.request import Answer, Request, messages
from conqret.perspectives.detection import COVERED, best_passage
from conqret.prompts import RenderedPrompt
from conqret.text.analysis import weight
from conqret.text.stance_detection import standpoints, values
from conqret.text.text_passages import Passage, read

QUERIES, VIEWS, EXPLANATION = "curate/queries", "curate/points-of-view", "curate/explanation"
"""The prompts."""

MAX_QUERIES = 5
"""Queries for one question; the paper says "several"."""
MAX_VIEWS = 10
"""Points of view of one question, by default; the paper names no limit, and has 3.7 on average (10,873 on 2,941
questions), few beyond 8."""
WORDS = 300
"""Words of an explanation at most (Table 9)."""
EXPLANATION_ROOM = 1024
"""Tokens kept free for the answer: 300 words take 400, and models go beyond."""

NonEmptyText = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Reply = TypeVar("Reply", bound=BaseModel)


class SearchQueries(Typed):
    """The queries to search with, the most important first."""

    queries: list[NonEmptyText] = Field(min_length=1, max_length=MAX_QUERIES)


class PointOfView(Typed):
    """One point of view as a short sentence, and the numbers of the documents that it is drawn from."""

    point_of_view: NonEmptyText
    documents: list[Whole] = Field(min_length=1)


class PointsOfView(Typed):
    """The points of view that the documents take on the question; none where they take none."""

    points_of_view: list[PointOfView] = Field(max_length=MAX_VIEWS)

    @field_validator("points_of_view")
    @classmethod
    def _sound(cls, views: list[PointOfView], info: ValidationInfo) -> list[PointOfView]:
        count = (info.context or {}).get("documents")
        strangers = {
            number for view in views for number in view.documents if not 1 <= number <= (count or number)
        }
        if strangers:
            raise ValueError(
                f"documents {', '.join(map(str, sorted(strangers)))} are not there: their numbers go from 1 to {count}"
            )
        texts = [" ".join(view.point_of_view.lower().split()) for view in views]
        if len(set(texts)) < len(texts):
            raise ValueError("two points of view have the same words; each must be different")
        return views


def views_response(most: int) -> type[PointsOfView]:
    """Return the response type of at most ``most`` points of view."""
    if most == MAX_VIEWS:
        return PointsOfView
    field: Any = (list[PointOfView], Field(max_length=most))
    return create_model(PointsOfView.__name__, __base__=PointsOfView, points_of_view=field)


class Explanation(Typed):
    """The answer that unfolds the point of view, as one text."""

    explanation: NonEmptyText


class NoValidResponse(Exception):  # noqa: N818 - it is no fault of the program, and ends as the reason of a row
    """A model gave no valid response; has the reason and its detail."""

    def __init__(self, reason: Reason, detail: str = "") -> None:
        super().__init__(detail)
        self.reason, self.detail = reason, detail


async def response_to(
    prompt: str,
    key: str,
    rendered: RenderedPrompt,
    response: type[Reply],
    client: Client,
    baseline: Callable[[], Any],
    **settings: Any,
) -> Reply:
    """Send one prompt to a model, and return its parsed response.

    ``prompt`` and ``key`` are the labels of prompt and item, ``baseline`` returns the offline response, and
    ``settings`` are further fields of the :class:`~conqret.llm.request.Request`.

    Raises:
        NoValidResponse: there was no valid response.
    """
    answer: Answer[Reply] = await client.request(
        Request(
            ask=prompt,
            item=key,
            messages=messages(rendered),
            response=response,
            baseline=baseline,
            **settings,
        )
    )
    if answer.value is None:
        raise NoValidResponse(answer.reason or Reason.INVALID_ANSWER, answer.detail)
    return answer.value


def fitted(
    render: Callable[[Sequence[Document]], RenderedPrompt],
    documents: Sequence[Document],
    client: Client,
    *,
    answer_room: int,
) -> RenderedPrompt:
    """Return the prompt over ``documents``, with the documents shortened where the model's window requires
    it.

    Raises:
        NoValidResponse: the prompt does not fit even without any text of the documents.
    """
    fitting = fit(documents, render, client, answer_room=answer_room)
    if fitting is None:
        raise NoValidResponse(Reason.CONTEXT_OVERFLOW)
    return fitting.rendered


VIEWS_OF_ONE = 2
"""Sentences that are taken of one document at most."""
SHORTEST, LONGEST = 6, 45
"""Words of a sentence that can be a point of view: a heading is shorter, a list or a table longer."""
MIN_SHARE = 0.5
"""The share of the question's stems, by weight, that a sentence must hold."""
ALIKE = 0.5
"""The share of its stems (Jaccard) that makes two sentences one point of view."""
OPINION = 0.5
"""What a word that speaks well or ill of something adds to the share of the question's words."""
OFFLINE_WORDS = 120
"""Words after which an explanation is full."""


def offline_queries(question: str) -> dict[str, Any]:
    """Return the offline search queries: the question, and its statements for yes and no."""
    return {"queries": [question, *standpoints(question).values()]}


def offline_views(question: str, texts: Sequence[str], most: int) -> dict[str, Any]:
    """Return the offline points of view as the fields of :class:`PointsOfView`: at most ``most`` sentences,
    the most relevant to the question, and for each the numbers (from 1) of the documents that contain it.

    At most two sentences come from one document, and no two are alike. A document contains a sentence if two
    neighboring sentences share 60% of its stems.
    """
    wanted = {term: weight(term) for term in set(Passage(question).roots) - {""}}
    readings = [read(text).sentences for text in texts]
    candidates = []
    for number, sentences in enumerate(readings):
        for place, sentence in enumerate(sentences):
            if SHORTEST <= len(sentence.words) <= LONGEST and not sentence.text.rstrip().endswith("?"):
                held = _held(sentence, wanted)
                score = held + OPINION * (sum(values(sentence)) > 0) if held >= MIN_SHARE else 0.0
                candidates.append((-score, number, place))
    candidates.sort()
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


def offline_explanation(question: str, view: str, texts: Sequence[str]) -> dict[str, Any]:
    """Return the offline explanation (key ``explanation``): the documents' sentences that share most stems
    with question and point of view, until they have :data:`OFFLINE_WORDS` words, in the order of the
    documents. Without a fitting sentence it is the point of view."""
    wanted = {term: weight(term) for term in {*Passage(question).roots, *Passage(view).roots} - {""}}
    sentences = [sentence for text in texts for sentence in read(text).sentences]
    ranked = sorted(range(len(sentences)), key=lambda place: (-_held(sentences[place], wanted), place))
    taken: list[int] = []
    for place in ranked:
        if sum(len(sentences[place].words) for place in taken) >= OFFLINE_WORDS:
            break
        if len(sentences[place].words) >= SHORTEST:
            taken.append(place)
    view_texts = [" ".join(sentences[place].text.split()) for place in sorted(taken)]
    return {"explanation": " ".join(dict.fromkeys(view_texts)) or view}


def _held(sentence: Passage, wanted: dict[str, float]) -> float:
    total = sum(wanted.values())
    return sum(wanted.get(term, 0.0) for term in set(sentence.roots)) / total if total else 0.0


def _alike(sentence: Passage, other: Passage) -> bool:
    first, two = ({*each.roots} - {""} for each in (sentence, other))
    return len(first & two) >= ALIKE * len(first | two)


def offline_same(first: str, second: str) -> dict[str, Any]:
    """Return the offline verdict on two points of view: ``same`` is True if they share half of their
    stems."""
    alike = _alike(Passage(first), Passage(second))
    return {"explanation": "by the words that both share", "same": alike}


def offline_covered(question: str, passage: str, views: Sequence[str]) -> dict[str, Any]:
    """Return the offline verdict on a passage: ``covered`` is True if each opinion sentence resembles a point
    of view."""
    new, count = _new_views(question, passage, views)
    return {"explanation": f"{new} of {count} sentences are not among them", "covered": not new}


def offline_missed(question: str, answer: str, views: Sequence[str]) -> dict[str, Any]:
    """Return the offline rating of an answer: higher for each relevant sentence that no partial answer
    contains."""
    new, count = _new_views(question, answer, views)
    return {"explanation": f"{new} of {count} sentences are in no partial answer", "rating": 1 + 2 * new}


def _new_views(question: str, text: str, known: Sequence[str]) -> tuple[int, int]:
    """How many sentences of a text that could be points of view are in none that is known, and how many there are."""
    readings = [read(view).sentences for view in known]
    views = offline_views(question, [text], VIEWS_OF_ONE)["points_of_view"]
    statements = [Passage(view["point_of_view"]) for view in views]
    new = [one for one in statements if all(best_passage(one, other)[1] < COVERED for other in readings)]
    return len(new), len(views)
