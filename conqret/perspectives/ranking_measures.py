"""The measures of one ranking for one question: which perspectives, and which sides, its first documents show."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass

from conqret.perspectives import ranking_diversity as diversity
from conqret.perspectives.perspective_files import PerspectiveQuestion, Side
from conqret.perspectives.ranking_diversity import Holders, preference

SHOWN = ("both", "supporting", "opposing", "neither")
"""What the first documents can show of a question with two sides (Figure 2)."""
ASKED: tuple[Side, ...] = ("", "supporting", "opposing")
"""As what a question is searched: itself, or one of its perspectives (Figure 3)."""


def asked_as(question: str, side: Side) -> str:
    """The topic under which runs have the ranking for a question, or for one of its perspectives as the query."""
    return f"{question}:{side}" if side else question


@dataclass(frozen=True, slots=True)
class RankingMeasure:
    """A measure of one ranking: how deep it looks, what it makes of it (None: no value), and for which query. No value
    lies beyond the ``ends``, nor does the interval of a mean."""

    deepest: int
    value: Callable[[Sequence[str], Holders, PerspectiveQuestion], float | None]
    sided: bool = False
    side: Side = ""
    ends: tuple[float, float] = (0.0, 1.0)


def measures_of(cuts: Sequence[int], depth: int) -> dict[str, RankingMeasure]:
    """All measures by name, for these numbers of first documents, and for how many it takes within ``depth``."""
    measures = {"P@1": _precision(1)}
    for cut in cuts:
        measures[f"P@{cut}"] = _precision(cut)
        measures[f"MRecall@{cut}"] = _recall(cut)
        for what in SHOWN:
            measures[f"{what}@{cut}"] = _shown(what, cut)
        for side in ASKED:
            measures[leaning_name(side, cut)] = _leaning(side, cut)
    measures[f"covered@{depth}"] = RankingMeasure(
        depth, lambda top, held, question: float(diversity.documents_needed(top, held, depth) is not None)
    )
    measures[f"documents@{depth}"] = RankingMeasure(
        depth,
        lambda top, held, question: diversity.documents_needed(top, held, depth),
        ends=(1.0, max(depth, 2.0)),
    )
    return measures


def leaning_name(side: Side, cut: int) -> str:
    """What the leaning of the first ``cut`` documents is called, by the query that they were found with."""
    return f"leaning@{cut}" + (f" asked as {side}" if side else "")


def _precision(cut: int) -> RankingMeasure:
    return RankingMeasure(cut, lambda top, held, question: diversity.precision(top, held, cut))


def _recall(cut: int) -> RankingMeasure:
    return RankingMeasure(cut, lambda top, held, question: diversity.mrecall(top, held, cut))


def _shown(what: str, cut: int) -> RankingMeasure:
    return RankingMeasure(
        cut,
        lambda top, held, question: float(preference(top, *_sides(held, question), cut=cut) == what),
        sided=True,
    )


def _leaning(side: Side, cut: int) -> RankingMeasure:
    def value(top: Sequence[str], held: Holders, question: PerspectiveQuestion) -> float:
        return diversity.leaning(top, *_sides(held, question), cut)

    return RankingMeasure(cut, value, sided=True, side=side, ends=(-1.0, 1.0))


def _sides(held: Holders, question: PerspectiveQuestion) -> tuple[Set[str], Set[str]]:
    """The documents that contain the supporting perspective, and those that contain the opposing one."""
    return held[str(question.place("supporting"))], held[str(question.place("opposing"))]
