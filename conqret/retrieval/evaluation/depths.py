"""How deep a ranking goes, and which measures look no deeper.

A measure over the first 100 documents of a ranking that was cut after 20 says something about the cut, not about the
system: it is left out, and says why.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from conqret.errors import DeclarationError, number

TOP = 10
"""The depth of Table 4's measures."""


def default_measures(depth: int) -> tuple[str, ...]:
    """Table 4's two, and the recall at the depth that was retrieved: the ceiling that is left to any reranker."""
    top = min(TOP, depth)
    return f"P@{top}", f"nDCG@{top}", f"R@{depth}"


def parsed_measure(measure: str) -> Any:
    """The measure of ir-measures with this name.

    Raises:
        DeclarationError: there is none.
    """
    import ir_measures

    try:
        return ir_measures.parse_measure(measure)
    except (NameError, ValueError, SyntaxError) as error:
        raise DeclarationError(
            f"{measure!r} is not a measure of ir-measures, such as nDCG@10 or R@100: {error}"
        ) from None


def cutoff(measure: str) -> int:
    """How many documents a measure looks at, 0 where it has no such number (``AP``).

    Raises:
        DeclarationError: there is no such measure.
    """
    return int(parsed_measure(measure).params.get("cutoff") or 0)


def check_depth(measures: Sequence[str], depth: int, documents: int) -> None:
    """Make sure that every measure looks no deeper than ``depth``; a corpus of fewer documents is ranked whole.

    Raises:
        DeclarationError: one does, or is no measure.
    """
    for measure in measures:
        deepest = cutoff(measure)
        if deepest > depth and documents > depth:
            raise DeclarationError(
                f"{measure} needs {number(deepest, 'document')}, but only {depth} are retrieved: add --depth {deepest}"
            )


def cut_off(
    measures: Mapping[str, int], depths: Mapping[str, int | None], systems: Sequence[str]
) -> dict[tuple[str, str], str]:
    """By system and measure, why a ranking is too short for it. ``measures`` have their cutoffs; None is no limit."""
    return {
        (system, measure): f"{system} was retrieved to {depth} documents only"
        for system in systems
        if (depth := depths.get(system)) is not None
        for measure, deepest in measures.items()
        if deepest > depth
    }
