"""What makes an answer invalid is named in words that the model can act on."""

from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from conqret.judging.judge_parts import JUDGES, Case
from conqret.llm.replies import describe
from tests.judging.scripted import ITEM
from tests.judging.test_scoring import fine_grained


def fault(name: str, answer: Any, metric: str | None = None) -> str:
    (ask, *_) = JUDGES[name].select([metric] if metric else ())
    case = Case(ITEM)
    response: type[BaseModel] = ask.answer(case)
    with pytest.raises(ValidationError) as caught:
        response.model_validate(answer, context=ask.context(case))
    return describe(caught.value)


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ([1, 3], ["document 2 missing"]),
        ([1, 2, 2, 3], ["document 2 given more than once"]),
        ([1, 2, 3, 4], ["document 4 not among those asked for"]),
        (
            [1, 1, 7, 0],
            ["document 2, 3 missing", "document 1 given more than once", "document 0, 7 not among"],
        ),
        ([], ["document 1, 2, 3 missing"]),
    ],
)
def test_documents_left_out_repeated_or_invented(numbers: list[int], words: list[str]) -> None:
    answer = fine_grained()
    answer["context_relevance"] = [{"document": n, "explanation": "", "rating": 1} for n in numbers]
    assert all(word in fault("rag-fine-grained", answer) for word in words)
