"""listwise: the fifteen dimensions of argument quality in one call (ConQRet, section 5.1, Table 11)."""

from __future__ import annotations

from conqret.judges._sections import dimension_sections, in_one_call
from conqret.judges._shared import OneToThreeOrNull
from conqret.judging.judge_parts import Judge
from conqret.judging.scales import ONE_TO_THREE

JUDGE = Judge(
    name="listwise",
    summary="the 15 quality dimensions of the argument in one call",
    scale=str(ONE_TO_THREE),
    score="(rating - 1) / 2",
    source="ConQRet, section 5.1, Table 11",
    judge_prompts=(
        in_one_call(
            "listwise", "Dimensions", dimension_sections(ONE_TO_THREE, OneToThreeOrNull, {"argument"})
        ),
    ),
)
