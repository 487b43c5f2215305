"""How diverse is a ranking in the perspectives that it shows? (BeRDS, sections 3 and 8)

A question has perspectives, and ``holders`` says for each of them which documents contain it (perhaps
none). Who contains what is found by :mod:`conqret.perspectives.detection` or by people.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Literal

from conqret.errors import DeclarationError, check_positive
from conqret.perspectives.perspective_files import PerspectiveQuestion, Side

Holders = Mapping[str, Set[str]]
"""For each perspective of a question the documents that contain it."""

Shown = Literal["both", "supporting", "opposing", "neither"]

DEPTH = 100
"""The depth of the pool, and of the search for all perspectives (BeRDS, Table 6 and B.2)."""

CUT = 5
"""The depth of the other measures (BeRDS, section 7)."""


def mrecall(ranking: Sequence[str], holders: Holders, cut: int) -> float:
    """MRecall at ``cut``: 1 or 0 (Min et al. 2021; BeRDS, section 3).

    With n perspectives: where ``n <= cut``, 1 if the first ``cut`` documents contain all n; where
    ``n > cut``, 1 if they contain at least ``cut`` different ones.

    Raises:
        DeclarationError: ``cut`` is below 1, or there are no perspectives.
    """
    _check(holders, cut)
    top = set(ranking[:cut])
    covered = sum(not top.isdisjoint(documents) for documents in holders.values())
    return float(covered >= min(len(holders), cut))


def precision(ranking: Sequence[str], holders: Holders, cut: int) -> float:
    """The share of the first ``cut`` documents that contain any perspective; of a shorter ranking too, of ``cut``.

    Raises:
        DeclarationError: ``cut`` is below 1, or there are no perspectives.
    """
    _check(holders, cut)
    containing = set[str]().union(*holders.values())
    return sum(document in containing for document in ranking[:cut]) / cut


def ceiling(rankings: Sequence[Sequence[str]], holders: Holders, depth: int = DEPTH) -> float:
    """1 if the first ``depth`` documents of all systems together contain every perspective, else 0.

    Its mean over questions is what the corpus allows: the best MRecall that any choice of documents could
    have, where there are no more perspectives than documents to be shown (BeRDS, Table 6).

    Raises:
        DeclarationError: ``depth`` is below 1, or there are no perspectives.
    """
    _check(holders, depth)
    pool = {document for ranking in rankings for document in ranking[:depth]}
    return float(all(not pool.isdisjoint(documents) for documents in holders.values()))


def documents_needed(ranking: Sequence[str], holders: Holders, depth: int = DEPTH) -> int | None:
    """How many documents one must read from the top to have seen every perspective; None if ``depth`` are too few.

    Raises:
        DeclarationError: ``depth`` is below 1, or there are no perspectives.
    """
    _check(holders, depth)
    missing = set(holders)
    for place, document in enumerate(ranking[:depth], start=1):
        missing -= {perspective for perspective in missing if document in holders[perspective]}
        if not missing:
            return place
    return None


def preference(ranking: Sequence[str], supporting: Set[str], opposing: Set[str], cut: int = CUT) -> Shown:
    """Which perspectives the first ``cut`` documents show, of a question with one for and one against it.

    ``supporting`` and ``opposing`` are the documents that contain either (BeRDS, Figure 2).
    """
    top = set(ranking[:cut])
    supports, opposes = not top.isdisjoint(supporting), not top.isdisjoint(opposing)
    if supports and opposes:
        return "both"
    return "supporting" if supports else "opposing" if opposes else "neither"


def leaning(ranking: Sequence[str], supporting: Set[str], opposing: Set[str], cut: int = CUT) -> float:
    """How far the first ``cut`` documents lean to the supporting side, in [-1, 1]: ``(s - o) / cut``.

    s and o are the numbers of documents that contain either perspective (BeRDS, section 8, up to a constant).
    """
    check_positive({"the cut": cut})
    top = ranking[:cut]
    return (
        sum(document in supporting for document in top) - sum(document in opposing for document in top)
    ) / cut


def _check(holders: Holders, cut: int) -> None:
    check_positive({"the cut": cut})
    if not holders:
        raise DeclarationError("the question has no perspectives, so there is nothing to cover")


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
    measures = {"P@1": RankingMeasure(1, lambda top, held, question: precision(top, held, 1))}
    for cut in cuts:
        measures |= _measures_at(cut)
    measures[f"covered@{depth}"] = RankingMeasure(
        depth, lambda top, held, question: float(documents_needed(top, held, depth) is not None)
    )
    measures[f"documents@{depth}"] = RankingMeasure(
        depth, lambda top, held, question: documents_needed(top, held, depth), ends=(1.0, max(depth, 2.0))
    )
    return measures


def leaning_name(side: Side, cut: int) -> str:
    """What the leaning of the first ``cut`` documents is called, by the query that they were found with."""
    return f"leaning@{cut}" + (f" asked as {side}" if side else "")


def _measures_at(cut: int) -> dict[str, RankingMeasure]:
    def shown(what: str) -> RankingMeasure:
        return RankingMeasure(
            cut,
            lambda top, held, question: float(preference(top, *_sides(held, question), cut) == what),
            True,
        )

    def lean(top: Sequence[str], held: Holders, question: PerspectiveQuestion) -> float:
        return leaning(top, *_sides(held, question), cut)

    return {
        f"P@{cut}": RankingMeasure(cut, lambda top, held, question: precision(top, held, cut)),
        f"MRecall@{cut}": RankingMeasure(cut, lambda top, held, question: mrecall(top, held, cut)),
        **{f"{what}@{cut}": shown(what) for what in SHOWN},
        **{leaning_name(side, cut): RankingMeasure(cut, lean, True, side, (-1.0, 1.0)) for side in ASKED},
    }


def _sides(held: Holders, question: PerspectiveQuestion) -> tuple[Set[str], Set[str]]:
    """The documents that contain the supporting perspective, and those that contain the opposing one."""
    return held[str(question.place("supporting"))], held[str(question.place("opposing"))]
