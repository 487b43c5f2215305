"""pointwise: the fifteen dimensions of argument quality, one call each (ConQRet, section 5.1)."""

from __future__ import annotations

from functools import partial

from conqret.judges._sections import dimension_questions, stated
from conqret.judges._shared import OneToThreeOrNull
from conqret.judging.dimensions import DIMENSIONS, Dimension
from conqret.judging.judge_parts import Judge, JudgePrompt
from conqret.judging.scales import ONE_TO_THREE, rated


def _ask(dimension: Dimension) -> JudgePrompt[OneToThreeOrNull]:
    return JudgePrompt(
        prompt="pointwise",
        metrics=(dimension.name,),
        needs=frozenset({"argument"}),
        response=OneToThreeOrNull,
        settings=lambda case: {"dimension": dimension},
        score=lambda reply, case: {
            dimension.name: rated(ONE_TO_THREE, reply.value.rating, reply.value.explanation)
        },
        baseline=lambda case: stated(case, case.evidence.dimensions()[dimension.name], ONE_TO_THREE),
        english_only=frozenset({dimension.name}),
        typed=partial(dimension_questions, dimension, ONE_TO_THREE),
    )


JUDGE = Judge(
    name="pointwise",
    summary="the 15 quality dimensions of the argument, one call each",
    scale=str(ONE_TO_THREE),
    score="(rating - 1) / 2",
    source="ConQRet, section 5.1 (the setting of Mirzakhmedova et al. 2024)",
    judge_prompts=tuple(map(_ask, DIMENSIONS)),
)
