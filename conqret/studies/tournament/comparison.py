"""The judge that decides which of two arguments meets a criterion better."""

from __future__ import annotations

import re
from typing import Any

from conqret.data.criterion import FIELDS, PAIRED, Criterion, criterion_of, parse_criterion
from conqret.errors import DeclarationError
from conqret.judges.direct import Preference, score_preference
from conqret.judging.deciding import preference_questions
from conqret.judging.judge_parts import Judge, JudgePrompt

COMPARISON = "comparison"
"""The name of the judge of a criterion that two arguments are compared by, and of its prompt."""
COMPARED_BY = "criterion"
"""Under this name the identity of such a judge holds the criterion."""
_ANY_SCALE = " 0-1"
"""What lets a question of "how" be read: of two arguments it needs no scale."""


def comparison_criterion(criterion: Criterion | str) -> Criterion:
    """Return the criterion by which two arguments are compared, from a statement or a question (``How clear
    is it?``).

    Raises:
        DeclarationError: the text is no criterion, has a scale, or already is a comparison.
    """
    if isinstance(criterion, str):
        asks_how = re.search(r"(?:\A|:\s)\s*how\b.*\?\s*\Z", criterion, re.I | re.S)
        read = parse_criterion(criterion + _ANY_SCALE if asks_how else criterion)
        found = Criterion(read.name, read.question, None if asks_how else read.scale, (), read.looks_at)
    else:
        found = criterion_of(criterion)
    if found.scale is not None:
        low, high = found.scale
        raise DeclarationError(
            f"the criterion {found.question[:60]!r} has a scale, but a comparison only decides which of two arguments "
            f"meets it better: leave {low}-{high} out"
        )
    if "second_answer" in found.shows:
        raise DeclarationError(
            f"the criterion {found.question[:60]!r} mentions a second answer: describe what one argument must fulfill, "
            "and the judge decides which of two arguments meets it better"
        )
    return found


def comparison_judge(criterion: Criterion) -> Judge:
    """Return the judge that decides which of two arguments meets the criterion better."""
    optional = frozenset(FIELDS[name] for name in criterion.shows if name in ("documents", "reference"))
    hidden: dict[str, Any] = {"documents": (), "reference": None}
    hidden = {name: value for name, value in hidden.items() if name not in optional}
    return Judge(
        name=COMPARISON,
        summary=f"which of two arguments meets a criterion better: {criterion.name} (“{criterion}”)",
        scale="clearly, slightly, or a tie",
        score="preference is 1 if the first argument is clearly better, .75 if slightly, .5 for a tie, and so down "
        "to 0",
        source="the user's own",
        judge_prompts=(
            JudgePrompt(
                prompt=COMPARISON,
                metrics=(PAIRED,),
                needs=frozenset({"argument", "second_argument"}),
                optional=optional,
                response=Preference,
                score=score_preference,
                baseline=lambda case: {"preference": "tie"},
                variables=lambda case: hidden,
                settings=lambda case: {"criterion": criterion},
                both_orders=True,
                typed=lambda: preference_questions(
                    "Of which argument is this true more fully, or better answered, by these words alone? "
                    f"{criterion.question}",
                    "both meet it alike, or neither at all",
                    lambda case: hidden,
                ),
            ),
        ),
        declared={COMPARED_BY: criterion.plain()},
    )
