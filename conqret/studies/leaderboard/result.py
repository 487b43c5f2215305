"""Judge cards side by side, sorted by a measure: a board for each set of cards that can be compared.

Two cards are comparable where the same items were held against the same labels in the same way; a mean over dimensions
only where it is over the same ones. Everything else stands on a board of its own, as its order would mean nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from conqret.data.digest import gathered
from conqret.data.item import Frozen
from conqret.errors import DeclarationError, UnknownNameError, check_known, strict_options
from conqret.io.label_scale import dimension_name
from conqret.runs.run_folder import told_apart
from conqret.stats.estimate import Estimate, undefined
from conqret.studies.agreement.statistics import STATISTICS
from conqret.studies.card.result import FILE_NAME, Card, read_card
from conqret.studies.compare.result import beside_chance

AVERAGED = ("alpha", "calibrated", "person", "as_person")
"""What is also a mean over dimensions."""
ITEMS = 1000
"""Prices are those of so many items."""
_FORM = re.compile(r"\A\s*+(?P<name>[A-Za-z_]\w*+)\s*+(?:\[\s*+(?P<dimension>[\w -]{1,200}?)\s*+\]\s*+)?")

_COSTS: Mapping[str, Callable[[Card], float | None]] = {
    "usd": lambda card: None if card.cost.item["usd"] is None else card.cost.item["usd"] * ITEMS,
    "seconds": lambda card: card.cost.item["seconds"],
    "alarms": lambda card: None if card.bias is None else float(len(card.bias.alarms)),
}
"""What is the better the less there is of it: US dollars for a thousand items, the model's seconds an item, alarms."""


class LeaderboardEntry(Frozen):
    """One card on a board: its place among the files, its judge, the measure, the ``units`` behind it, what is known of
    bias (``alarms`` of ``probes``; None: not probed) and damage (``missed`` of ``curves``), and what a thousand items
    cost in US dollars (None: unknown)."""

    card: str
    format: str
    model: str
    fingerprint: str
    baseline: bool
    value: Estimate
    units: int
    coverage: float
    alarms: int | None
    probes: int | None
    missed: int | None
    curves: int | None
    usd: float | None


class Board(Frozen):
    """Cards that can be compared, the best first: judged on the same ``items``, held against the same ``labels``."""

    items: str
    items_digest: str
    topics: int
    labels: str
    dimensions: tuple[str, ...]
    intervals: str
    standings: tuple[LeaderboardEntry, ...]


class Leaderboard(Frozen):
    """Cards sorted ``by`` a measure, the board with the most cards first; the less the better where it ``falls``."""

    by: str
    falls: bool
    boards: tuple[Board, ...]

    @property
    def chance(self) -> str:
        """That no judge agrees better than chance, in a sentence, where cards are sorted by alpha; else nothing."""
        alphas = [standing.value for board in self.boards for standing in board.standings]
        name = self.by.partition("[")[0]
        return beside_chance(alphas, "mean alpha" if self.by == name else name) if name == "alpha" else ""


@strict_options
def leaderboard(cards: Sequence[str | Path], by: str = "alpha") -> Leaderboard:
    """Rank judges by a measure of their ``cards``: files, or the folders that they are in.

    ``by`` is ``alpha``, ``calibrated``, ``person`` or ``as_person`` (the mean over dimensions), one of these, the
    ``coverage`` or a statistic of one dimension (``alpha[overall_quality]``), or ``usd``, ``seconds`` or ``alarms``.

    Raises:
        DeclarationError: no card, one twice, a file that holds none, or ``by`` cannot be read.
        UnknownNameError: there is no such measure, or no card has the dimension.
    """
    files = [Path(card) for card in cards]
    known = {file.resolve() for file in files}
    if not files or len(known) < len(files):
        raise DeclarationError("give at least one card, and each only once")
    names = told_apart([file.parent if file.name == FILE_NAME else file for file in files])
    read = {name: read_card(file) for name, file in zip(names, files, strict=True)}
    name, dimension = _parsed(by, list(read.values()))
    groups = gathered((_comparable(card, name, dimension), (file, card)) for file, card in read.items())
    boards = [_board(group, name, dimension) for group in groups.values()]
    return Leaderboard(
        by=name if dimension is None else f"{name}[{dimension}]",
        falls=name in _COSTS,
        boards=tuple(sorted(boards, key=lambda board: -len(board.standings))),
    )


def _parsed(by: str, cards: Sequence[Card]) -> tuple[str, str | None]:
    match = _FORM.fullmatch(by)
    if match is None:
        raise DeclarationError(f"{by!r} is not a measure: write one such as alpha or alpha[overall_quality]")
    name, dimension = match["name"].casefold(), match["dimension"]
    measures = (*AVERAGED, "coverage", *STATISTICS, *_COSTS)
    check_known("measure of a card", measures, name)
    if dimension is None and name not in (*AVERAGED, *_COSTS):
        raise DeclarationError(f"{by} is a measure of one dimension: name it, as in {name}[overall_quality]")
    if dimension is None:
        return name, None
    if name in _COSTS:
        raise DeclarationError(f"{name} is a measure of the whole judge: leave out [{dimension}]")
    there = list(dict.fromkeys(row.dimension for card in cards for row in card.agreement))
    if dimension_name(dimension) not in there:
        raise UnknownNameError("dimension of the cards", dimension, there)
    return name, dimension_name(dimension)


def _dimensions(card: Card, name: str, dimension: str | None) -> tuple[str, ...]:
    """What a measure is over."""
    if dimension is not None:
        return (dimension,)
    if card.average is None:
        return tuple(row.dimension for row in card.agreement)
    return tuple(card.average.dimensions)


def _comparable(card: Card, name: str, dimension: str | None) -> tuple[object, ...]:
    """What two cards have to share."""
    basis = card.basis
    labels = (
        basis.labels,
        basis.layout,
        basis.clusters,
        basis.settings.aggregate,
        card.labelled,
        card.annotators,
    )
    return card.run.items_digest, *labels, _dimensions(card, name, dimension)


def _board(cards: Sequence[tuple[str, Card]], name: str, dimension: str | None) -> Board:
    first = cards[0][1]
    standings = [_standing(file, card, name, dimension) for file, card in cards]
    sign = 1 if name in _COSTS else -1
    return Board(
        items=first.run.items_name,
        items_digest=first.run.items_digest,
        topics=first.topics,
        labels=first.basis.labels,
        dimensions=_dimensions(first, name, dimension),
        intervals=first.basis.intervals,
        standings=tuple(
            sorted(
                standings,
                key=lambda standing: (standing.value.value is None, sign * (standing.value.value or 0.0)),
            )
        ),
    )


def _standing(file: str, card: Card, name: str, dimension: str | None) -> LeaderboardEntry:
    rows = [row for row in card.agreement if row.dimension in _dimensions(card, name, dimension)]
    usd = _COSTS["usd"](card)
    return LeaderboardEntry(
        card=file,
        format=card.run.format,
        model=card.run.model,
        fingerprint=card.run.fingerprint,
        baseline=card.run.baseline,
        value=_value(card, name, dimension),
        units=sum(row.compared for row in rows),
        coverage=min((row.coverage for row in rows), default=0.0),
        alarms=None if card.bias is None else len(card.bias.alarms),
        probes=None if card.bias is None else len(card.bias.primary),
        missed=sum(row.verdict == "no" for row in card.sensitivity) if card.sensitivity else None,
        curves=len(card.sensitivity) or None,
        usd=usd,
    )


def _value(card: Card, name: str, dimension: str | None) -> Estimate:
    if name in _COSTS:
        value = _COSTS[name](card)
        return undefined("it is not known") if value is None else Estimate(value)
    if dimension is not None:
        row = next((row for row in card.agreement if row.dimension == dimension), None)
        if row is None:
            return undefined(f"not held against annotators on {dimension}")
        return row.quantities.get(name, undefined("this card has no such statistic"))
    if card.average is not None:
        return card.average.quantities[name]
    return card.agreement[0].quantities[name] if card.agreement else undefined("it has no dimension")
