"""debate: an argument, the other side's answer to it, and the argument once more after that.

The two turns of Parrish et al. 2022 (section 2.1) on open questions: the retrieved documents are the passage, and
citations stand for snippets. The first turn is that of the strategy ``cited``, from the same prompts, so that what the
second turn does to an argument can be told by pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from conqret.data import Document, Stance
from conqret.generation.cited_argument import GeneratedArgument
from conqret.generation.generation_strategy import PromptTurn, Strategy
from conqret.generation.strategies.cited import STRATEGY as CITED
from conqret.generation.strategies.extractive import compose


def answered(
    topic: str, stance: Stance, documents: Sequence[Document], responses: Sequence[GeneratedArgument]
) -> dict[str, Any]:
    """What the offline model answers for the other side: its own argument, whatever was said."""
    return compose(topic, stance, documents)


def revised(
    topic: str, stance: Stance, documents: Sequence[Document], responses: Sequence[GeneratedArgument]
) -> dict[str, Any]:
    """The first argument without the premises that rest only on documents that the other side rests on, too; as it was
    where nothing would be left."""
    first, against = responses[0], responses[-1]
    contested = {
        number
        for conclusion in against.conclusions
        for premise in conclusion.premises
        for number in premise.citations
    }
    kept = [
        {**conclusion.model_dump(), "premises": [premise.model_dump() for premise in premises]}
        for conclusion in first.conclusions
        if (
            premises := [
                premise
                for premise in conclusion.premises
                if not premise.citations or set(premise.citations) - contested
            ]
        )
    ]
    if not kept:
        return first.model_dump()
    cited = {
        number for conclusion in kept for premise in conclusion["premises"] for number in premise["citations"]
    }
    was = {
        number
        for conclusion in first.conclusions
        for premise in conclusion.premises
        for number in premise.citations
    }
    gone = [{"document": n, "reason": "The other side rests on it, too."} for n in sorted(was - cited)]
    return {"conclusions": kept, "left_out": [*(omission.model_dump() for omission in first.left_out), *gone]}


STRATEGY = Strategy(
    name="debate",
    summary="as cited, then once more after the other side has answered",
    source="own; the two turns of Parrish et al. 2022, on ConQRet's topics",
    prompts=CITED.prompts,
    baseline=CITED.baseline,
    turns=(
        PromptTurn("counter", "generate/counter", answered, other=True),
        PromptTurn("revised", "generate/revise", revised),
    ),
)
