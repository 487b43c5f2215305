"""The schema of an answer is part of its key: if a name or a title in it changes, no recording replays any more.

Where a schema is meant to change, its digest here changes with it. (It is pydantic that writes schemas: with another
version than that of constraints.txt they may be others.)
"""

from conqret import Document, Item
from conqret.judging.base import Case, JudgeOptions
from conqret.judging.registry import JUDGES
from conqret.llm.keys import schema_digest

DIGESTS = {
    "citation-support": "b02d04494be15698",
    "direct/context-relevance": "4618c2b1d801f945",
    "direct/groundedness": "4618c2b1d801f945",
    "direct/preference": "c61af8fceaca7d88",
    "g-eval/context-relevance": "92132eb2f2a42fd8",
    "g-eval/groundedness": "92132eb2f2a42fd8",
    "g-eval/preference": "92132eb2f2a42fd8",
    "likelihood": "6edaf331b60a9ff0",
    "listwise": "0756466cbd5aff7d",
    "listwise-rag": "b7237f69ca22c640",
    "pointwise": "c064862d71c93964",
    "query-rubric/context-relevance": "2b7ef254a22101ca",
    "query-rubric/groundedness": "2b7ef254a22101ca",
    "query-rubric/preference": "1a99df0efbc00946",
    "rag-direct": "7fb9f9cae1afd282",
    "rag-fine-grained": "5851aac9b5639ee3",
    "rag-rubric": "264f70c358e38881",
    "static-rubric/context-relevance": "54e77da34723269d",
    "static-rubric/groundedness": "a3ef7d30072b3e49",
    "static-rubric/preference": "9217eddfba537aa8",
}
"""The first digits, by prompt."""

ITEM = Item(
    id="p",
    topic="?",
    documents=(Document(id="1", text="One. Two."),),
    argument="So it is [1].",
    second_argument="It is not.",
)


def test_the_schemas_of_answers_are_those_of_all_recordings() -> None:
    case = Case(ITEM, JudgeOptions())
    asks = [ask for judge in JUDGES.values() for ask in judge.asks]
    assert {ask.prompt: schema_digest(ask.response(case))[:16] for ask in asks} == DIGESTS
