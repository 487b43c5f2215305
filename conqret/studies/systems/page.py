"""Judges as rankers of systems, in tables."""

from __future__ import annotations

from collections.abc import Iterator

from conqret.show import words
from conqret.show.table import Cell, Table
from conqret.stats.effects import ALPHA
from conqret.stats.estimate import FEWEST_TESTED
from conqret.studies.systems.result import LENGTH, MetaEvaluation, RankAgreement, RankDifference


def ranking_tables(found: MetaEvaluation, *, by_topic: bool = False) -> Iterator[Table]:
    """The tested coefficient with intervals, all coefficients, and (``by_topic``) those of each topic."""
    first = found.settings.methods[0]
    for measure in dict.fromkeys(row.truth_measure for row in found.rows):
        rows = {_name(row): row for row in found.rows if row.truth_measure == measure}
        best = {_name(one): one for one in found.from_best if one.truth_measure == measure}
        length = {_name(one): one for one in found.from_length if one.truth_measure == measure}
        beside = ("with length", "less length's", "p (Holm)") if length else ()
        tested: list[tuple[Cell, ...]] = []
        for name, row in rows.items():
            by_length = (row.with_length, *_tested(length.get(name))) if length else ()
            compared = (*_tested(best.get(name)), *by_length)
            tested.append((name, row.runs, row.overall[first], row.by_topic[first], *compared))
        yield Table(
            f"{first} with {measure} of {found.truth}, intervals over {words.number(found.topics, 'topic')}",
            ("judge", "runs", "over all", "mean of topics", "less the best's", "p (Holm)", *beside),
            tested,
            note=_note(found, measure),
        )
        if len(found.settings.methods) > 1:
            yield Table(
                f"All coefficients with {measure}, over all topics",
                ("judge", *found.settings.methods),
                [(name, *(one.value for one in row.overall.values())) for name, row in rows.items()],
            )
        if by_topic:
            topics = dict.fromkeys(topic for row in rows.values() for topic in row.topics[first])
            yield Table(
                f"{first} with {measure}, topic by topic",
                ("judge", *topics),
                [(name, *map(row.topics[first].get, topics)) for name, row in rows.items()],
            )


def _name(one: RankAgreement | RankDifference) -> str:
    return f"{one.judge} {one.measure}"


def _tested(one: RankDifference | None) -> tuple[Cell, Cell]:
    return ("", "") if one is None else (one.difference, words.p_value(one.p_holm))


def _note(found: MetaEvaluation, measure: str) -> str:
    """What the numbers say in words."""
    rows = [row for row in found.rows if row.truth_measure == measure]
    said = []
    compared = [one for one in (*found.from_best, *found.from_length) if one.truth_measure == measure]
    if any(one.p_holm is None and one.difference.value is not None for one in compared):
        said.append(
            f"No p: below {FEWEST_TESTED} topics with a coefficient, or of what is the same on all of them."
        )
    if any(one.p_holm is not None for one in compared):
        said.append(words.NOT_CORRECTED)
    if tied := [_name(row) for row in rows if row.tied]:
        said.append(f"All systems have the same score by {', '.join(tied)}.")
    weak = [
        _name(one)
        for one in found.from_length
        if one.truth_measure == measure
        and not (one.p_holm is not None and one.p_holm < ALPHA and (one.difference.value or 0) > 0)
    ]
    if weak:
        said.append(f"Not shown to rank better than {LENGTH} alone: {', '.join(weak)}.")
    return " ".join(said)
