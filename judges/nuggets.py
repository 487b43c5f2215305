"""nuggets: which of the nuggets that are given for a topic an answer states, some ten in a call (TREC AutoNuggetizer).

The nuggets come with the item or from a bank (``--nuggets``). Importance and sub-narrative are not shown to the model.
What it says of ten nuggets is one answer; where that is missing, the measures that need its nuggets are missing, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any

from conqret.baseline.alignment import FULL_COVERAGE, SUPPORT_COVERAGE
from conqret.data import Measure, Nugget, Part, Reason
from conqret.judges.nugget_assignments import (
    ALL,
    ALSO,
    METRICS,
    SCORE,
    SOURCE,
    SUPPORT,
    Assignment,
    assigned_part,
    nugget_measures,
    unassigned,
)
from conqret.judging.judge_parts import Case, Judge, JudgePrompt, JudgeReply
from conqret.judging.responses import Typed, Whole, each_once
from conqret.judging.scales import mean_confidence, with_confidence
from conqret.text.analysis import analysed

IN_ONE_CALL = 10
"""Nuggets in a request, as AutoNuggetizer asks."""
NO_WORDS = "word statistics say nothing of a nugget without a content word: name a model"
"""What the offline baseline says of such a nugget, whose measures are then missing."""


class NuggetAssignment(Typed):
    """What decides of one nugget, and its assignment."""

    nugget: Whole
    explanation: str
    assignment: Assignment


class NuggetAssignments(Typed):
    """An assignment for each nugget."""

    nuggets: Annotated[list[NuggetAssignment], each_once(lambda given: given.nugget, "nuggets", "nugget")]


def cases(case: Case) -> Sequence[Case]:
    """Split the case into cases of up to ten nuggets, one for each request."""
    given = case.item.nuggets
    starts = range(0, len(given), IN_ONE_CALL) or (0,)
    parts = [given[start : start + IN_ONE_CALL] for start in starts]
    if len(parts) == 1:
        return (case,)
    return [
        replace(case, item=case.item.model_copy(update={"nuggets": part}), origin=case.origin or case)
        for part in parts
    ]


def score(reply: JudgeReply[NuggetAssignments], case: Case) -> Mapping[str, Measure]:
    """Return a mapping from nugget metric to its measure over the nuggets of one request."""
    pairs = zip(case.item.nuggets, reply.value.nuggets, strict=True)
    return nugget_measures([(nugget, _entry(nugget, given)) for nugget, given in pairs])


def _entry(nugget: Nugget, given: NuggetAssignment) -> Part | Measure:
    if given.explanation == NO_WORDS:
        return Measure.missing(Reason.CANNOT_JUDGE, NO_WORDS)
    return assigned_part(nugget, given.assignment, given.explanation)


def joined(case: Case, measures: Sequence[Mapping[str, Measure]]) -> Mapping[str, Measure]:
    """Return a mapping from nugget metric to its measure over all nuggets of the item, from those of its requests."""
    assigned: list[tuple[Nugget, Part | Measure]] = []
    for part, said in zip(cases(case), measures, strict=True):
        assigned += _assigned(part.item.nuggets, said[ALL])
    sure = mean_confidence([said[ALL] for said in measures])
    return {name: with_confidence(measure, sure) for name, measure in nugget_measures(assigned).items()}


def _assigned(nuggets: Sequence[Nugget], found: Measure) -> Iterator[tuple[Nugget, Part | Measure]]:
    """Yield each nugget of a request with its part of ``found``, which has the assigned ones in order, or with a
    missing measure that says why it has none."""
    counted = unassigned(len(nuggets) - len(found.parts), len(nuggets))
    lost = found.model_copy(update={"detail": found.detail.removeprefix(f"{counted}: "), "parts": ()})
    place = 0
    for nugget in nuggets:
        if place < len(found.parts) and found.parts[place].id == nugget.text:
            yield nugget, found.parts[place]
            place += 1
        else:
            yield nugget, lost


def settled(case: Case) -> Mapping[str, Measure] | None:
    """Return a mapping from metric to a missing measure for an item without nuggets, which needs no request; else
    None."""
    if case.item.nuggets:
        return None
    return dict.fromkeys(METRICS, Measure.missing(Reason.NOTHING_TO_JUDGE, "the item has no nuggets"))


def baseline(case: Case) -> dict[str, Any]:
    """Return the baseline's assignment of each nugget, from the share of its words, figures and names in the
    answer.
    """
    return {
        "nuggets": [
            {"nugget": number, **_by_words(nugget, case)}
            for number, nugget in enumerate(case.item.nuggets, start=1)
        ]
    }


def _by_words(nugget: Nugget, case: Case) -> dict[str, str]:
    """Return explanation and assignment of a nugget by the baseline, from the share of its words that the
    answer has.

    From three fifths on it is supported, from one third on partly.
    """
    if not analysed(nugget.text, case.evidence.language).terms:
        return {"explanation": NO_WORDS, "assignment": "not_support"}
    coverage = case.evidence.coverage(nugget.text, "argument")
    if coverage >= 1:
        assignment = "support"
    else:
        assignment = "partial_support" if coverage * FULL_COVERAGE >= SUPPORT_COVERAGE else "not_support"
    return {"explanation": f"a passage holds it by {coverage:.0%}", "assignment": assignment}


JUDGE = Judge(
    name="nuggets",
    summary="which of the nuggets that are given an answer states, ten in a call: support, partial support, no support",
    scale=", ".join(SUPPORT),
    score=SCORE,
    source=SOURCE,
    judge_prompts=(
        JudgePrompt(
            prompt="nuggets",
            metrics=METRICS,
            needs=frozenset({"argument", "nuggets"}),
            response=NuggetAssignments,
            score=score,
            baseline=baseline,
            context=lambda case: {"nuggets": list(range(1, len(case.item.nuggets) + 1))},
            settled=settled,
            cases=cases,
            joined=joined,
            also=ALSO,
        ),
    ),
    declared={"nuggets in one call": IN_ONE_CALL},
)
