"""The condition under which a verdict holds, in words: what stands beside it in terminals, on pages and in files."""

from __future__ import annotations

from collections.abc import Iterable

from conqret.errors import number, shortened
from conqret.show.words import capitalised
from conqret.stats.effects import p_words
from conqret.stats.verdict_condition import VerdictCondition

NAMED, NAME = 3, 40
"""Topics that are named, and the characters of a name."""
ALSO_SKEWED = "holds for skewed {} effects, too"
NOT_SKEWED = "may not hold for skewed {} effects"
"""Whether a verdict holds where effects are skewed."""


def condition_cell(condition: VerdictCondition | None, clusters: str = "topic") -> str:
    """In some words whether the verdict holds where effects are skewed, and on which of the ``clusters`` it rests;
    empty without a condition."""
    if condition is None:
        return ""
    return ", ".join(filter(None, [_skewed(condition, clusters), _rests(condition, clusters)]))


def _skewed(condition: VerdictCondition, clusters: str) -> str:
    if condition.p_if_skewed is None:
        return ALSO_SKEWED.format(clusters)
    p = p_words(condition.p_if_skewed)
    return f"{(ALSO_SKEWED if condition.holds_if_skewed else NOT_SKEWED).format(clusters)} ({p})"


def with_condition(text: str, condition: VerdictCondition | None, clusters: str = "topic") -> str:
    """What is said of a verdict, and behind it the words of :func:`condition_cell`."""
    return "; ".join(filter(None, [text, condition_cell(condition, clusters)]))


def only_unskewed(conditions: Iterable[VerdictCondition | None], clusters: str = "topic") -> str:
    """How many of the findings in a sentence before hold only where effects are not skewed, as a sentence to follow it;
    empty where none does."""
    skewed = sum(condition is not None and not condition.holds_if_skewed for condition in conditions)
    if not skewed:
        return ""
    verb = "holds" if skewed == 1 else "hold"
    return f" {skewed} of these {verb} only if the effects of {clusters}s are not skewed."


def _rests(condition: VerdictCondition, clusters: str) -> str:
    names = [f"“{shortened(name, NAME)}”" for name in condition.rests_on]
    if not names:
        return ""
    if len(names) == condition.topics:
        return f"is lost whichever {clusters} is left out"
    if len(names) == 1:
        return f"is lost if the {clusters} {names[0]} is left out"
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return f"is lost if one of these {clusters}s is left out: {', '.join(names[:NAMED])}{more}"


def condition_note(conditions: Iterable[VerdictCondition | None], clusters: str = "topic") -> str:
    """What the words of :func:`condition_cell` mean, in sentences; empty where no verdict has a condition."""
    known = [condition for condition in conditions if condition is not None]
    if not known:
        return ""
    fewest = min(known, key=lambda condition: condition.topics)
    lacking = (
        ""
        if all(condition.holds_if_skewed for condition in known)
        else (
            f" “{capitalised(NOT_SKEWED).format(clusters)}” means that the finding is lost if effects are as skewed as "
            f"that: take it for a hint, and judge more {clusters}s."
        )
    )
    resting = f" No finding depends on a single {clusters}: each one stays if any one {clusters} is left out."
    if any(condition.rests_on for condition in known):
        resting = (
            f" “Is lost if” names each {clusters} without which the finding is lost, so look at its items; a finding "
            f"that names no {clusters} stays if any one {clusters} is left out."
        )
    return (
        f"The p-values assume that the effects of {clusters}s are symmetric about their mean. "
        f"“{capitalised(ALSO_SKEWED).format(clusters)}” means that the finding also holds if the effects of "
        f"{clusters}s are as skewed as an exponential distribution (in a simulation with as many {clusters}s, skewed "
        f"in the direction that makes false findings more frequent).{lacking}{resting} A kind of {clusters} that makes "
        f"up less than {fewest.rarest:.0%} of all {clusters}s may be missing from a sample of "
        f"{number(fewest.topics, clusters)}, so the findings say nothing of such {clusters}s."
    )
