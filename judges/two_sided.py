"""two-sided: can a collected topic be argued from both sides, and which claim do the sides then affirm and deny?
(DEBATunE, section 2.)

Only the topic is read. Where it can, its claim stands in a part of the measure, for
:mod:`conqret.debate.debatune.statement_filters`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from conqret.data import Measure, Part, Status
from conqret.judging.judge_parts import Case, Judge, JudgePrompt, JudgeReply
from conqret.judging.responses import Typed
from conqret.text.words import count_words

VERDICT, CLAIM = "verdict", "claim"
"""The parts of a measure: what the topic is, and the claim that is affirmed or denied."""
BOTH = "two_sided"

LONGEST = 300
"""Characters of a claim; the longest of DEBATunE's 710 topics has 116."""

SHORTEST = 3
"""Words of a topic; the baseline takes fewer for a mere heading."""
_YES_OR_NO = re.compile(
    r"(?:should|shall|must|ought|can|could|may|will|would|is|are|was|were|am|do|does|did|has|have|had)\b",
    re.I,
)
_OPEN = re.compile(r"(?:what|which|who|whose|whom|why|how|when|where|describe|discuss|explain)\b", re.I)
_SETTLED = re.compile(r"it(?:['’]s| is) (?:wrong|immoral|evil|rude|cruel) to\b", re.I)
_GOOD_AND_BAD = re.compile(
    r"what are the positive and negative (?P<what>effects|impacts|implications|consequences) (?P<of>of [^?]+)\??",
    re.I,
)
_OPENING = re.compile(r"^\W*(?:(?:debate|topic|motion|resolved)\s*:\s*)?", re.I)


class Sides(Typed):
    """What the topic is, and the claim that one side affirms and the other denies; empty where it has no two sides."""

    explanation: str
    verdict: Literal["two_sided", "one_sided", "matter_of_fact", "no_claim"]
    claim: str = Field(max_length=LONGEST)

    @model_validator(mode="after")
    def _claimed(self) -> Self:
        self.claim = " ".join(self.claim.split())
        if bool(self.claim) != (self.verdict == BOTH):
            raise ValueError(f"a claim is written where the verdict is {BOTH}, and nowhere else")
        return self


def score(reply: JudgeReply[Sides], case: Case) -> Mapping[str, Measure]:
    """Return 1 if the topic can be argued from both sides, else 0."""
    verdict = reply.value
    both = verdict.verdict == BOTH
    return {
        "two_sided": Measure(
            status=Status.SCORED,
            value=float(both),
            raw=float(both),
            explanation=verdict.explanation,
            parts=(
                Part(id=VERDICT, label=verdict.verdict),
                *((Part(id=CLAIM, label=verdict.claim),) if both else ()),
            ),
        )
    }


def baseline(case: Case) -> dict[str, Any]:
    """Return the baseline's verdict on the topic, from its wording.

    Statements and yes/no questions count as two-sided, unless they are very short, very long, or open with a
    settled judgment. Other questions make no claim, unless they request the good and bad sides of something.
    """
    topic = _OPENING.sub("", " ".join(case.item.topic.split()))
    if _SETTLED.match(topic):
        return _said("one_sided", "It opens with a judgment that hardly anybody denies.")
    if count_words(topic) < SHORTEST:
        return _said("no_claim", f"A heading of fewer than {SHORTEST} words claims nothing.")
    if weighed := _GOOD_AND_BAD.fullmatch(topic):
        claim = f"The positive {weighed['what']} {weighed['of']} outweigh the negative ones."
        return _said(BOTH, "It asks for good and bad: the claim is that the good outweighs the bad.", claim)
    if _OPEN.match(topic) or (topic.endswith("?") and not _YES_OR_NO.search(topic)):
        return _said("no_claim", "It asks for more than yes or no.")
    if len(topic) > LONGEST:
        return _said("no_claim", f"It is longer than {LONGEST} characters: more than one claim.")
    return _said(BOTH, "It can be answered with yes or no, and stays as it is.", topic)


def _said(verdict: str, why: str, claim: str = "") -> dict[str, Any]:
    return {"explanation": why, "verdict": verdict, "claim": claim}


JUDGE = Judge(
    name="two-sided",
    summary="whether a topic can be argued from both sides, and the claim that they affirm and deny",
    scale="two-sided, one-sided, a matter of fact, or no claim",
    score="1 for two-sided, else 0",
    source="DEBATunE, section 2",
    judge_prompts=(
        JudgePrompt(
            prompt="two-sided",
            metrics=("two_sided",),
            needs=frozenset(),
            response=Sides,
            score=score,
            baseline=baseline,
            english_only=frozenset({"two_sided"}),
        ),
    ),
)
