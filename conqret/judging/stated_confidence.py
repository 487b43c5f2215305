"""How sure a judge says that it is: a further field of any format's answer, asked for where somebody wants it.

The words are those of one prompt file, put behind the instructions of the format; the number stands behind the answer,
so that a model writes it last (Tian et al., EMNLP 2023). Without the option no prompt and no schema is another.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from pydantic import BaseModel, create_model

from conqret.data import Measure
from conqret.errors import DeclarationError
from conqret.judging.judge_parts import Ask, Case, Judge, JudgeReply
from conqret.judging.responses import Percent
from conqret.judging.scales import with_confidence
from conqret.prompts import Library

PROMPT = "confidence"
"""The prompt file that asks for it."""
BASELINE = 50
"""What the offline model says: it does not know."""


def stating_confidence(judge: Judge, library: Library) -> Judge:
    """The same judge, asked also how sure it is of each answer. Raises DeclarationError where no model writes one."""
    if any(ask.reading is not None for ask in judge.asks):
        raise DeclarationError(
            f"--confidence needs a response in which the model can state its confidence, and {judge.name} has none"
        )
    words = library[PROMPT].render({}).system
    return replace(judge, asks=tuple(_stating(ask, words) for ask in judge.asks))


def _stating(ask: Ask[Any], words: str) -> Ask[Any]:
    def score(reply: JudgeReply[Any], case: Case) -> Mapping[str, Measure]:
        sure = {"stated": reply.value.confidence / 100}
        return {name: with_confidence(measure, sure) for name, measure in ask.score(reply, case).items()}

    about = ask.about
    return replace(
        ask,
        response=lambda case: _answer(ask.response(case)),  # type: ignore[arg-type]  # a class has a hash
        score=score,
        baseline=lambda case: {**ask.baseline(case), "confidence": BASELINE},
        about=None if about is None else lambda metrics: _stating(about(metrics), words),
        further=words,
    )


@lru_cache(maxsize=256)
def _answer(answer: type[BaseModel]) -> type[BaseModel]:
    """The answer with a confidence as its last field."""
    return create_model(answer.__name__, __base__=answer, confidence=(Percent, ...))
