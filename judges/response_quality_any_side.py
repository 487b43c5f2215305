"""response-quality-any-side: as ``response-quality``, whichever side a response takes (DEBATunE, Figure 4).

Whether a response keeps to its side is what ``controllability`` measures; here it counts for nothing.
"""

from __future__ import annotations

from dataclasses import replace

from conqret.judges import response_quality

NAME = "response-quality-any-side"
JUDGE = replace(
    response_quality.JUDGE,
    name=NAME,
    summary="as response-quality, without regard to the side that a response was to take",
    judge_prompts=tuple(replace(asked, prompt=NAME) for asked in response_quality.JUDGE.judge_prompts),
)
