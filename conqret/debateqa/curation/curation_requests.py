"""What Algorithm 1 asks a model: queries to search with, points of view with their documents, and explanations.

DebateQA, section 3.2, A.2, A.3 and Table 9.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, Field, StringConstraints, ValidationInfo, field_validator

from conqret.data import Document, Reason
from conqret.judging.instrument import Asks
from conqret.judging.prompt_fitting import fit
from conqret.judging.responses import Typed, Whole
from conqret.llm.request import Answer, Request, messages
from conqret.prompts import Library, RenderedPrompt

QUERIES, VIEWS, EXPLANATION = "curate/queries", "curate/points-of-view", "curate/explanation"
"""The prompts."""

MOST_QUERIES = 5
"""Queries for one question; the paper says "several"."""
MOST_VIEWS = 10
"""Points of view of one question; the paper has 3.7 on average (10,873 on 2,941 questions), and few beyond 8."""
WORDS = 300
"""Words of an explanation at most (Table 9)."""
EXPLANATION_ROOM = 1024
"""Tokens kept free for the answer: 300 words take 400, and models go beyond."""

NonEmptyText = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Reply = TypeVar("Reply", bound=BaseModel)


class SearchQueries(Typed):
    """The queries to search with, the most important first."""

    queries: list[NonEmptyText] = Field(min_length=1, max_length=MOST_QUERIES)


class PointOfView(Typed):
    """One point of view as a short sentence, and the numbers of the documents that it is drawn from."""

    point_of_view: NonEmptyText
    documents: list[Whole] = Field(min_length=1)


class PointsOfView(Typed):
    """The points of view that the documents take on the question; none where they take none."""

    points_of_view: list[PointOfView] = Field(max_length=MOST_VIEWS)

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


class Explanation(Typed):
    """The answer that unfolds the point of view, as one text."""

    explanation: NonEmptyText


class NoValidResponse(Exception):  # noqa: N818 - it is no fault of the program, and ends as the reason of a row
    """There was no valid answer: why, and what was said."""

    def __init__(self, reason: Reason, detail: str = "") -> None:
        super().__init__(detail)
        self.reason, self.detail = reason, detail


def queries_prompt(library: Library, question: str) -> RenderedPrompt:
    """The prompt for queries."""
    return library[QUERIES].render({"question": question}, {"most": MOST_QUERIES})


def views_prompt(library: Library, question: str, documents: Sequence[Document]) -> RenderedPrompt:
    """The prompt for points of view."""
    return library[VIEWS].render({"question": question, "documents": documents}, {"most": MOST_VIEWS})


def explanation_prompt(
    library: Library, question: str, view: str, documents: Sequence[Document]
) -> RenderedPrompt:
    """The prompt for an explanation."""
    return library[EXPLANATION].render(
        {"question": question, "perspective": view, "documents": documents}, {"most": WORDS}
    )


async def asked(
    prompt: str,
    key: str,
    rendered: RenderedPrompt,
    response: type[Reply],
    client: Asks,
    baseline: Callable[[], Any],
    **settings: Any,
) -> Reply:
    """The answer to one prompt; ``settings`` are further ones of its :class:`~conqret.llm.request.Request`.

    Raises:
        Unanswered: there was none.
    """
    answer: Answer[Reply] = await client.ask(
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
    client: Asks,
    *,
    answer_room: int,
) -> RenderedPrompt:
    """The prompt over documents, cut to the model's window where it is smaller than the budget.

    Raises:
        Unanswered: it does not fit without any text of theirs either.
    """
    fitting = fit(documents, render, client, answer_room=answer_room)
    if fitting is None:
        raise NoValidResponse(Reason.CONTEXT_OVERFLOW)
    return fitting.rendered
