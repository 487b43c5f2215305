"""Which of the documents found say most on a question: the listwise reranker, or words alone."""

from __future__ import annotations

from collections.abc import Sequence

from conqret.data import Document
from conqret.debateqa.curation.curation_requests import Unanswered
from conqret.io.questions import SourcedQuestion
from conqret.retrieval.rerank import ListwiseReranker
from conqret.runs.session import Session
from conqret.text.stance_detection import stance_order

LISTWISE, LEXICAL = "listwise", "lexical"
RERANKERS = (LISTWISE, LEXICAL)
"""The run's model puts the documents in order, or the words that they share with the question do."""


def by_words(question: SourcedQuestion, documents: Sequence[Document]) -> list[Document]:
    """The documents that keep most to the question first."""
    texts = [f"{one.title}\n\n{one.text}" for one in documents]
    return [documents[place] for place in stance_order(question.question, "none", texts)]


async def listwise(
    question: SourcedQuestion, documents: Sequence[Document], session: Session
) -> list[Document]:
    """The documents in the order of a listwise reranker without a side, best first.

    Raises:
        Unanswered: a window got no valid answer: what the search thinks best is not taken in its place.
    """
    import pandas as pd

    frame = pd.DataFrame(
        {
            "qid": question.id,
            "query": question.question,
            "docno": [one.id for one in documents],
            "title": [one.title for one in documents],
            "text": [one.text for one in documents],
            "rank": range(len(documents)),
            "score": [float(len(documents) - place) for place in range(len(documents))],
        }
    )
    reranker = ListwiseReranker(session=session)
    ranked = await reranker.rerank(frame, session.client)
    for window in reranker.outcomes:
        if window.reason is not None:
            raise Unanswered(window.reason, window.detail)
    by_id = {one.id: one for one in documents}
    return [by_id[str(identifier)] for identifier in ranked["docno"]]
