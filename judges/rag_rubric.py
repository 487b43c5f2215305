"""rag-rubric: nuggets of the topic and of the documents, for two arguments in one call (ConQRet, Figure 9, D.5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field

from conqret.data import Measure, Part
from conqret.judges._sections import JudgeSection, in_one_call
from conqret.judges._shared import LABELS, Different, NuggetSide, covered, nugget_share, side
from conqret.judges.query_rubric import NUGGETS
from conqret.judging.judge_parts import SECOND, Case, Judge
from conqret.judging.responses import OneToFive, Typed
from conqret.judging.scales import ONE_TO_FIVE, preferred_mostly

NEEDS = frozenset({"documents", "argument", "second_argument"})

Twenty = Field(min_length=NUGGETS, max_length=NUGGETS)
UpToTwenty = Field(min_length=1, max_length=NUGGETS)
"""Of the documents' nuggets there are as many as the documents hold: a short one does not hold twenty."""


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


def score_topic(nuggets: Sequence[TopicNugget], case: Case) -> Mapping[str, Measure]:
    """Compute the mean coverage of topic nuggets, (rating - 1) / 4, by documents and arguments, and the
    preference.

    The preference is the most frequent one over the nuggets.
    """
    return {
        "context_relevance": nugget_share(nuggets, "documents"),
        "answer_relevance": nugget_share(nuggets, "argument_1"),
        SECOND + "answer_relevance": nugget_share(nuggets, "argument_2"),
        "preference": preferred_mostly(
            [Part(id=nugget.nugget, label=LABELS[nugget.better]) for nugget in nuggets]
        ),
    }


def score_documents(nuggets: Sequence[DocumentNugget], case: Case) -> Mapping[str, Measure]:
    """Compute the groundedness of each argument: the mean of (rating - 1) / 4 over document nuggets."""
    return {
        "groundedness": nugget_share(nuggets, "argument_1"),
        SECOND + "groundedness": nugget_share(nuggets, "argument_2"),
    }


def baseline_topic(case: Case) -> list[dict[str, Any]]:
    """Return the baseline's topic nuggets with their coverage by documents and arguments."""
    topic = case.evidence.topic_nuggets(NUGGETS)
    by_documents = covered(case, topic, "documents")
    first, second = covered(case, topic, "argument"), covered(case, topic, "second_argument")
    return [
        {
            "nugget": nugget,
            "documents": by_documents[index],
            "argument_1": first[index],
            "argument_2": second[index],
            "better": side(first[index], second[index], "both"),
        }
        for index, nugget in enumerate(topic)
    ]


def baseline_documents(case: Case) -> list[dict[str, Any]]:
    """Return the baseline's document nuggets with their coverage by each argument."""
    nuggets = case.evidence.document_nuggets(NUGGETS)
    first, second = covered(case, nuggets, "argument"), covered(case, nuggets, "second_argument")
    return [
        {"nugget": nugget, "argument_1": first_rating, "argument_2": two}
        for nugget, first_rating, two in zip(nuggets, first, second, strict=True)
    ]


JUDGE = Judge(
    name="rag-rubric",
    summary="nuggets of topic and documents, their coverage by documents and both arguments, in one call",
    scale=str(ONE_TO_FIVE),
    score="the mean of (rating - 1) / 4 over the questions; preference is the most frequent one",
    source="ConQRet, Figure 9, Appendix D.5",
    judge_prompts=(
        in_one_call(
            "rag-rubric",
            "RagRubric",
            (
                JudgeSection(
                    "topic_nuggets",
                    ("context_relevance", "answer_relevance", SECOND + "answer_relevance", "preference"),
                    Annotated[list[TopicNugget], Twenty, Different],
                    score_topic,
                    baseline_topic,
                    NEEDS,
                    english_only=True,
                ),
                JudgeSection(
                    "document_nuggets",
                    ("groundedness", SECOND + "groundedness"),
                    Annotated[list[DocumentNugget], UpToTwenty, Different],
                    score_documents,
                    baseline_documents,
                    NEEDS,
                ),
            ),
            both_orders=True,
        ),
    ),
)
