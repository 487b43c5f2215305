"""The schema of an answer is part of its key: if a name or a title in it changes, no recording replays any more.

Where a schema is meant to change, its digest here changes with it. (It is pydantic that writes schemas: with another
version than that of constraints.txt they may be others.)
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

import conqret
from conqret import Document, Item
from conqret.debate.debatune.debate_run import Arguments
from conqret.debate.debatune.transcript import Challenge, Reply, Statement
from conqret.debate.two_turn.debate_judge import Slid
from conqret.debate.two_turn.debate_writing import Argued
from conqret.debateqa.answering.rag_session import NextStep
from conqret.debateqa.curation.benchmark_checks import CoveredViews, MissedViews, SameView
from conqret.debateqa.curation.check_verdicts import Debatable
from conqret.debateqa.curation.curation_requests import Explanation, PointsOfView, SearchQueries
from conqret.debateqa.model_metrics import Grade, ReasonedRating, Verdict, Viewpoints
from conqret.generation.cited_argument import GeneratedArgument
from conqret.judges.g_eval import Steps
from conqret.judging.judge_options import JudgeOptions
from conqret.judging.judge_parts import JUDGES, Case
from conqret.llm.request import Plain, schema_digest
from conqret.perspectives.detection import Graded
from conqret.perspectives.perspective_scores import Supports
from conqret.perspectives.perspective_writing import WAYS, Checked
from conqret.perturb.rewriting import Rewrites
from conqret.perturb.translating import Translation
from conqret.retrieval.first_stage import Perspectives
from conqret.retrieval.rerank import RankingAnswer
from conqret.studies.improve.improved_prompt import WordingAnswer

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


ANSWERS = (
    *(Verdict, Grade, ReasonedRating, Viewpoints, GeneratedArgument),
    *(Steps, Graded, Rewrites, Perspectives, RankingAnswer, Slid, Argued),
    *(Arguments, Statement, Challenge, Reply, Plain),
    *(Translation, SearchQueries, PointsOfView, Explanation, Debatable, SameView, CoveredViews, MissedViews),
    *(Checked, Supports, *(way.response for way in WAYS.values()), NextStep, WordingAnswer),
)
"""What is asked for by others than judges."""
JUDGED = {ask.prompt: ask.answer(Case(ITEM)) for judge in JUDGES.values() for ask in judge.judge_prompts}


def _descriptions(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        yield from [schema["description"]] if isinstance(schema.get("description"), str) else []
        for inner in schema.values():
            yield from _descriptions(inner)
    elif isinstance(schema, list):
        for inner in schema:
            yield from _descriptions(inner)


@pytest.mark.parametrize("answer", [*ANSWERS, *JUDGED.values()], ids=lambda answer: answer.__name__)
def test_what_a_model_is_shown_of_a_schema_speaks_to_it(answer: type[BaseModel]) -> None:
    if answer is JUDGED["likelihood"]:
        pytest.skip("it is answered by reading, and its schema never sent")
    for description in _descriptions(answer.model_json_schema()):
        assert not re.search(r"`|:\w+:|\n|conqret|pydantic|validat|[Rr]ead from", description), description


def test_every_answer_that_is_asked_for_by_name_is_looked_at() -> None:
    known = {answer.__name__ for answer in (*ANSWERS, *JUDGED.values())}
    known.add("OwnVerdict")  # a judge of one's own is shown no schema
    sources = [path.read_text(encoding="utf-8") for path in Path(conqret.__path__[0]).rglob("*.py")]
    asked = {name for text in sources for name in re.findall(r"\bresponse=([A-Z]\w+)", text)}
    assert asked
    assert asked <= known
