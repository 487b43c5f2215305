"""rag-rubric: nuggets of the topic and of the documents, for two arguments in one call (ConQRet, Figure 9, D.5)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from conqret.data import Measure, Part
from conqret.judges.query_rubric import NUGGETS
from conqret.judging.base import SECOND, Ask, Case, Judge, Reply
from conqret.judging.baseline import covered, side
from conqret.judging.responses import LABELS, Different, NuggetSide, OneToFive, Typed
from conqret.judging.scales import ONE_TO_FIVE, graded, preferred_mostly, share


class TopicNugget(Typed):
    """A point of the topic: its coverage by the documents and by each argument, and the better argument."""

    nugget: str = Field(min_length=1)
    documents: OneToFive
    argument_1: OneToFive
    argument_2: OneToFive
    better: NuggetSide


class DocumentNugget(Typed):
    """A point of the documents, and its coverage by each argument."""

    nugget: str = Field(min_length=1)
    argument_1: OneToFive
    argument_2: OneToFive


class RagRubric(Typed):
    """Twenty different nuggets of either kind."""

    topic_nuggets: Annotated[list[TopicNugget], Field(min_length=NUGGETS, max_length=NUGGETS), Different]
    document_nuggets: Annotated[
        list[DocumentNugget], Field(min_length=NUGGETS, max_length=NUGGETS), Different
    ]


def score(reply: Reply[RagRubric], case: Case) -> Mapping[str, Measure]:
    """Means of (rating - 1) / 4 over the nuggets, and the most frequent preference."""
    topic, documents = reply.value.topic_nuggets, reply.value.document_nuggets
    labels = [Part(id=nugget.nugget, label=LABELS[nugget.better]) for nugget in topic]
    return {
        "context_relevance": share([graded(ONE_TO_FIVE, n.nugget, n.documents) for n in topic]),
        "answer_relevance": share([graded(ONE_TO_FIVE, n.nugget, n.argument_1) for n in topic]),
        SECOND + "answer_relevance": share([graded(ONE_TO_FIVE, n.nugget, n.argument_2) for n in topic]),
        "groundedness": share([graded(ONE_TO_FIVE, n.nugget, n.argument_1) for n in documents]),
        SECOND + "groundedness": share([graded(ONE_TO_FIVE, n.nugget, n.argument_2) for n in documents]),
        "preference": preferred_mostly(labels),
    }


def baseline(case: Case) -> dict[str, Any]:
    """Nuggets and their coverage from lexical evidence."""
    topic, documents = case.evidence.topic_nuggets(NUGGETS), case.evidence.document_nuggets(NUGGETS)
    by_documents = covered(case, topic, "documents")
    first, second = covered(case, topic, "argument"), covered(case, topic, "second_argument")
    return {
        "topic_nuggets": [
            {
                "nugget": nugget,
                "documents": by_documents[index],
                "argument_1": first[index],
                "argument_2": second[index],
                "better": side(first[index], second[index], "both"),
            }
            for index, nugget in enumerate(topic)
        ],
        "document_nuggets": [
            {"nugget": nugget, "argument_1": one, "argument_2": two}
            for nugget, one, two in zip(
                documents,
                covered(case, documents, "argument"),
                covered(case, documents, "second_argument"),
                strict=True,
            )
        ],
    }


JUDGE = Judge(
    name="rag-rubric",
    summary="nuggets of topic and documents, their coverage by documents and both arguments, in one call",
    scale=str(ONE_TO_FIVE),
    score="means of (rating - 1) / 4; most frequent preference",
    source="ConQRet, Figure 9, Appendix D.5",
    asks=(
        Ask(
            prompt="rag-rubric",
            metrics=(
                "context_relevance",
                "answer_relevance",
                SECOND + "answer_relevance",
                "groundedness",
                SECOND + "groundedness",
                "preference",
            ),
            needs=frozenset({"documents", "argument", "second_argument"}),
            response=lambda case: RagRubric,
            score=score,
            baseline=baseline,
            both_orders=True,
        ),
    ),
)
