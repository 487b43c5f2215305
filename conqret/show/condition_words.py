"""The condition under which a verdict holds, in words: what stands beside it in terminals, on pages and in files."""

from __future__ import annotations

from collections.abc import Iterable

from conqret.errors import number, shortened
from conqret.stats.effects import p_words
from conqret.stats.verdict_condition import VerdictCondition

NAMED, NAME = 3, 40
"""Topics that are named, and the characters of a name."""


def condition_cell(condition: VerdictCondition | None, clusters: str = "topic") -> str:
    """In some words whether the verdict holds where effects are skewed, and on which of the ``clusters`` it rests;
    empty without a condition."""
    if condition is None:
        return ""
    return ", ".join(filter(None, [_skewed(condition), _rests(condition, clusters)]))


def _skewed(condition: VerdictCondition) -> str:
    if condition.p_if_skewed is None:
        return "also under skew"
    p = p_words(condition.p_if_skewed)
    return f"also under skew ({p})" if condition.holds_if_skewed else f"not under skew ({p})"


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
        return f"rests on each {clusters}"
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    each = " each" if len(names) > 1 else ""
    return f"rests on {', '.join(names[:NAMED])}{more}{each}"


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
            f" “Not under skew” means that it might not hold then: take it for a hint, and add {clusters}s."
        )
    )
    resting = f" Each finding holds without any one {clusters}, too."
    if any(condition.rests_on for condition in known):
        resting = (
            f" “Rests on” names each {clusters} without which the finding is lost, so look at its items; where none is "
            f"named, the finding holds without any one {clusters}, too."
        )
    return (
        f"Where verdicts hold: p-values suppose that the effects of {clusters}s are symmetric about their mean. "
        f"“Also under skew” means that the finding holds, too, if the effects of {clusters}s are as skewed as an "
        f"exponential distribution (simulated with the same number of {clusters}s, skewed in the direction in which "
        f"false findings are more frequent).{lacking}{resting} Kinds of {clusters} that make up less than "
        f"{fewest.rarest:.0%} of all may be missing among {number(fewest.topics, clusters)}: of these the findings "
        "say nothing."
    )
