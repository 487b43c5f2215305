"""The schema of an answer is part of its key: if a name or a title in it changes, no recording replays any more.

Where a schema is meant to change, its digest here changes with it. (It is pydantic that writes schemas: with another
version than that of constraints.txt they may be others.)
"""

from conqret import Document, Item
from conqret.judging.judge_options import JudgeOptions
from conqret.judging.judge_parts import JUDGES, Case
from conqret.llm.request import schema_digest

DIGESTS = {
    "answer-correctness": "01e7232233325a4a",
    "citation-support": "b02d04494be15698",
    "context-recall": "b9701b7bd1976820",
    "controllability": "3fc550aa1deb1e39",
    "counter-argument": "b734be1e25c400d0",
    "direct/context-relevance": "4618c2b1d801f945",
    "direct/groundedness": "51b2031c5db17e7e",
    "direct/preference": "c61af8fceaca7d88",
    "g-eval/context-relevance": "92132eb2f2a42fd8",
    "g-eval/groundedness": "d5432fd8a2c94c38",
    "g-eval/preference": "92132eb2f2a42fd8",
    "harmlessness": "f42b65a09f220ff5",
    "likelihood": "6edaf331b60a9ff0",
    "listwise": "606dacb95abc18c8",
    "listwise-rag": "fb1ca2b2f793a78b",
    "nuggets": "7e496ac8d5c8c7e1",
    "pointwise": "6f0aaf0790c7b145",
    "query-rubric/context-relevance": "2b7ef254a22101ca",
    "query-rubric/groundedness": "2b7ef254a22101ca",
    "query-rubric/preference": "1a99df0efbc00946",
    "rag": "214dbf54936d7e6d",
    "rag-direct": "c465a3c7cf678fde",
    "rag-fine-grained": "f58d1c8d75bff761",
    "rag-rubric": "166323f8145de282",
    "response-quality": "3cb9e46e5ada25f9",
    "response-quality-any-side": "3cb9e46e5ada25f9",
    "static-rubric/context-relevance": "54e77da34723269d",
    "static-rubric/groundedness": "a3ef7d30072b3e49",
    "static-rubric/preference": "9217eddfba537aa8",
    "two-sided": "b00be8aec60e7c30",
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
    asks = [ask for judge in JUDGES.values() for ask in judge.judge_prompts]
    digests = {ask.prompt: schema_digest(ask.answer(case))[:16] for ask in asks}
    changed = sorted(digest for digest in digests.items() if digest[1] != DIGESTS.get(digest[0]))
    gone = sorted(DIGESTS.keys() - digests.keys())
    lines = "".join(f'\n    "{prompt}": "{digest}",' for prompt, digest in changed)
    assert not changed, f"new in DIGESTS, where the schema is new or meant to change:{lines}"
    assert not gone, f"no format asks these prompts: {gone}"
