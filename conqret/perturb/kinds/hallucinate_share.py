"""Hallucination by shares: ``hallucinate:25%,50%``, for arguments that cite more or less often."""

from __future__ import annotations

from dataclasses import replace

from conqret.perturb.kinds import hallucinate
from conqret.perturb.perturbation import PERCENT, Draw
from conqret.perturb.sentence_edits import Rewriting


def chosen(draw: Draw) -> list[int]:
    """The numbers of the sentences that this level changes, in the order in which levels take them."""
    possible = hallucinate.grounded(draw)
    return draw.ordered(possible)[: draw.of(len(possible))]


def reached(draw: Draw, changed: int) -> float:
    """Of the sentences that cite, per cent."""
    return PERCENT * changed / len(hallucinate.grounded(draw))


REWRITING = Rewriting("perturb/hallucinate", chosen, hallucinate.by_rule, reached)

PERTURBATION = replace(
    hallucinate.PERTURBATION,
    name="hallucinate-share",
    unit="percent of the cited sentences",
    levels=(0, 25, 50, 100),
    most=PERCENT,
    change=REWRITING.change,
    rewriting=REWRITING,
    share="",
)
