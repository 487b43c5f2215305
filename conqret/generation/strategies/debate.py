"""debate: an argument, the other side's answer to it, and the argument once more after that.

The two turns of Parrish et al. 2022 (section 2.1) on open questions: the retrieved documents are the passage, and
citations stand for snippets. The first turn is that of the strategy ``cited``, from the same prompts, so that what the
second turn does to an argument can be told by pairs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import compress
from typing import Any

from conqret.data import Document, Stance
from conqret.generation.cited_argument import GeneratedArgument
from conqret.generation.strategies import PromptTurn, Strategy
from conqret.generation.strategies.cited import STRATEGY as CITED
from conqret.generation.strategies.extractive import compose


def answered(
    topic: str, stance: Stance, documents: Sequence[Document], responses: Sequence[GeneratedArgument]
) -> dict[str, Any]:
    """Return the offline model's response for the other side: an extractive argument; ``responses`` are
    ignored.
    """
    return compose(topic, stance, documents)


def revised(
    topic: str, stance: Stance, documents: Sequence[Document], responses: Sequence[GeneratedArgument]
) -> dict[str, Any]:
    """Return the offline model's revised argument: that of ``responses[0]`` without the premises whose
    citations are all among those of ``responses[-1]`` (the other side).

    Uncited premises stay, conclusions left without premises go, and documents no longer cited are added to
    ``left_out``. If nothing would remain, the first argument is returned unchanged.
    """
    first, contested = responses[0].model_dump(), _cited(responses[-1].model_dump()["conclusions"])
    kept = []
    for conclusion in first["conclusions"]:
        cites = [set(premise["citations"]) for premise in conclusion["premises"]]
        staying = [not each or bool(each - contested) for each in cites]
        if any(staying):
            kept.append({**conclusion, "premises": list(compress(conclusion["premises"], staying))})
    if not kept:
        return first
    gone = sorted(_cited(first["conclusions"]) - _cited(kept))
    reasons = [{"document": n, "reason": "The other side rests on it, too."} for n in gone]
    return {"conclusions": kept, "left_out": [*first["left_out"], *reasons]}


def _cited(conclusions: Sequence[Mapping[str, Any]]) -> set[int]:
    """The documents that conclusions rest on."""
    premises = (premise for conclusion in conclusions for premise in conclusion["premises"])
    return {number for premise in premises for number in premise["citations"]}


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
