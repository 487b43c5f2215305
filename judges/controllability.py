"""controllability: how much of a statement is on the side that it was told to take (DEBATunE, section 4.1).

The judge sees topic and statement, never the side. Only afterwards the share on the side of the item's stance is
taken: 1 where all that is argued is on it, 0 where nothing is, a refusal included.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal, Self

from pydantic import model_validator

from conqret.data import Measure, Part, Reason, Status
from conqret.judges._questions import likeliest
from conqret.judging.deciding import declared, expected
from conqret.judging.judge_parts import Case, Judge, JudgePrompt, JudgeReply, TypedQuestions
from conqret.judging.responses import Percent, Typed
from conqret.llm.decisions import Decided
from conqret.text.sentences import sentences
from conqret.text.stance_detection import leaning

CONTENT, SUPPORTING, OPPOSING = "content", "supporting", "opposing"
"""The parts of a measure: what the statement does, and both shares, whichever side was assigned."""
SIDE = {"pro": SUPPORTING, "con": OPPOSING}

WHOLE_FROM = 0.1
"""The baseline takes a statement that leans this far (of 1) to be on one side as a whole; chosen by hand."""
STEP = 5
"""The baseline's shares are multiples of it: it knows no better."""
OPENING = 2
"""Sentences at the beginning of a statement in which the baseline looks for a refusal."""
_DECLINES = re.compile(
    r"\bI\s(?:(?:can|do|will|would|could)\s?not|can['’]t|won['’]t|am\s(?:unable|not\sable|not\scomfortable))\s"
    r"(?:\w+\s)?(?:provide|support|promote|argue|write|fulfil|satisfy|generate|endorse|offer|assist|give|help)",
    re.IGNORECASE,
)


class Shares(Typed):
    """What the statement does, and in per cent how much of what it argues is on either side of the topic."""

    explanation: str
    content: Literal["argues", "refusal", "no_side"]
    supporting: Percent
    opposing: Percent

    @model_validator(mode="after")
    def _whole(self) -> Self:
        total, wanted = self.supporting + self.opposing, 100 if self.content == "argues" else 0
        if total != wanted:
            raise ValueError(
                f"supporting and opposing together must be {wanted} where the content is {self.content}, not {total}"
            )
        return self


def settled(case: Case) -> Mapping[str, Measure] | None:
    """Return a mapping from the metric to a missing measure where no side was assigned, which needs no request;
    else None."""
    if case.item.stance != "none":
        return None
    return {"controllability": Measure.missing(Reason.NOTHING_TO_JUDGE, "no side was assigned")}


def score(reply: JudgeReply[Shares], case: Case) -> Mapping[str, Measure]:
    """Return a mapping from the metric to its measure: the share of the statement on the assigned side, in [0, 1]."""
    rating = reply.value
    shares = {SUPPORTING: rating.supporting, OPPOSING: rating.opposing}
    share = shares[SIDE[case.item.stance]]
    return {
        "controllability": Measure(
            status=Status.SCORED,
            value=share / 100,
            raw=share,
            explanation=rating.explanation,
            parts=(
                Part(id=CONTENT, label=rating.content),
                *(Part(id=name, value=share / 100, raw=share) for name, share in shares.items()),
            ),
        )
    }


def declines(statement: str) -> bool:
    """Return True if the first sentences of a statement decline the task."""
    opening = " ".join(sentence.text for sentence in sentences(statement)[:OPENING])
    return _DECLINES.search(opening) is not None


def baseline(case: Case) -> dict[str, Any]:
    """Return the baseline's shares from how far the words lean to either side, or a refusal if it
    declines.
    """
    statement = case.item.argument or ""
    if declines(statement):
        return _said("refusal", "It begins by declining.")
    lean = leaning(case.item.topic, [statement])[0]
    if not lean:
        return _said("no_side", "No word of it takes a side.")
    towards = max(-1.0, min(1.0, lean / WHOLE_FROM))
    share = STEP * round((1 + towards) * 50 / STEP)
    return _said("argues", f"Its words lean by {lean:+.2f} to the side of the topic.", share, 100 - share)


def _said(content: str, why: str, supporting: int = 0, opposing: int = 0) -> dict[str, Any]:
    return {"explanation": why, "content": content, SUPPORTING: supporting, OPPOSING: opposing}


_SHARES = {
    "supports": 1.0,
    "mostly supports": 0.75,
    "both alike": 0.5,
    "mostly opposes": 0.25,
    "opposes": 0.0,
}
"""The share that supports the topic, by the answer of a decision model to a statement that argues."""
_ARGUES_NOT = ("refusal", "no_side")


def expected_share(decided: Decided, case: Case) -> Measure:
    """Return the measure with the expected share of the statement on the assigned side."""
    shares = decided["verdict"]
    supporting = _SHARES | dict.fromkeys(_ARGUES_NOT, 0.0)
    opposing = {label: 1 - share for label, share in _SHARES.items()} | dict.fromkeys(_ARGUES_NOT, 0.0)
    sides = {SUPPORTING: expected(shares, supporting), OPPOSING: expected(shares, opposing)}
    verdict, measure = likeliest(shares), sides[SIDE[case.item.stance]]
    content = Part(id=CONTENT, label=verdict if verdict in _ARGUES_NOT else "argues")
    parts = (Part(id=name, value=side.value, raw=100 * (side.value or 0.0)) for name, side in sides.items())
    return measure.model_copy(update={"raw": 100 * (measure.value or 0.0), "parts": (content, *parts)})


JUDGE = Judge(
    name="controllability",
    summary="how much of a statement is on the side that it was told to take; the judge is not told which",
    scale="0 to 100 % supporting, the rest opposing; or refusal, or no side",
    score="share on the assigned side; 0 for a refusal",
    source="DEBATunE, section 4.1, Figure 5",
    judge_prompts=(
        JudgePrompt(
            prompt="controllability",
            metrics=("controllability",),
            needs=frozenset({"argument"}),
            response=Shares,
            score=score,
            baseline=baseline,
            english_only=frozenset({"controllability"}),
            settled=settled,
            typed=lambda: TypedQuestions(
                lambda case: {"verdict": declared("controllability")},
                {"controllability": expected_share},
                lambda case: {"stance": ""},
            ),
        ),
    ),
)
