"""Judges as rankers of systems, in tables."""

from __future__ import annotations

from collections.abc import Iterator

from conqret.show import words
from conqret.show.table import Cell, Table
from conqret.stats.effects import ALPHA
from conqret.stats.estimate import FEWEST_TESTED
from conqret.studies.systems.result import LENGTH, MetaEvaluation, RankAgreement, RankDifference


def ranking_tables(results: MetaEvaluation, *, by_topic: bool = False) -> Iterator[Table]:
    """The tested coefficient with intervals, all coefficients, and (``by_topic``) those of each topic."""
    first = results.settings.methods[0]
    for measure in dict.fromkeys(row.truth_measure for row in results.rows):
        rows = {_name(row): row for row in results.rows if row.truth_measure == measure}
        best = {
            _name(difference): difference
            for difference in results.from_best
            if difference.truth_measure == measure
        }
        length = {
            _name(difference): difference
            for difference in results.from_length
            if difference.truth_measure == measure
        }
        beside = ("with length", "less length's", "p (Holm)") if length else ()
        tested: list[tuple[Cell, ...]] = []
        for name, row in rows.items():
            by_length = (row.with_length, *_tested(length.get(name))) if length else ()
            compared = (*_tested(best.get(name)), *by_length)
            tested.append((name, row.runs, row.overall[first], row.by_topic[first], *compared))
        yield Table(
            f"{first} with {measure} of {results.truth}, intervals over {words.number(results.topics, 'topic')}",
            ("judge", "runs", "over all", "mean of topics", "less the best's", "p (Holm)", *beside),
            tested,
            note=_note(results, measure),
        )
        if len(results.settings.methods) > 1:
            yield Table(
                f"All coefficients with {measure}, over all topics",
                ("judge", *results.settings.methods),
                [
                    (name, *(coefficient.value for coefficient in row.overall.values()))
                    for name, row in rows.items()
                ],
            )
        if by_topic:
            topics = dict.fromkeys(topic for row in rows.values() for topic in row.topics[first])
            yield Table(
                f"{first} with {measure}, topic by topic",
                ("judge", *topics),
                [(name, *map(row.topics[first].get, topics)) for name, row in rows.items()],
            )


def _name(row: RankAgreement | RankDifference) -> str:
    return f"{row.judge} {row.measure}"


def _tested(difference: RankDifference | None) -> tuple[Cell, Cell]:
    return ("", "") if difference is None else (difference.difference, words.p_value(difference.p_holm))


def _note(results: MetaEvaluation, measure: str) -> str:
    """What the numbers say in words."""
    rows = [row for row in results.rows if row.truth_measure == measure]
    sentences = []
    compared = [
        difference
        for difference in (*results.from_best, *results.from_length)
        if difference.truth_measure == measure
    ]
    if any(difference.p_holm is None and difference.difference.value is not None for difference in compared):
        sentences.append(
            f"No p: below {FEWEST_TESTED} topics with a coefficient, or of what is the same on all of them."
        )
    if any(difference.p_holm is not None for difference in compared):
        sentences.append(words.NOT_CORRECTED)
    if tied := [_name(row) for row in rows if row.tied]:
        sentences.append(f"All systems have the same score by {', '.join(tied)}.")
    weak = [
        _name(difference)
        for difference in results.from_length
        if difference.truth_measure == measure
        and not (
            difference.p_holm is not None
            and difference.p_holm < ALPHA
            and (difference.difference.value or 0) > 0
        )
    ]
    if weak:
        sentences.append(f"Not shown to rank better than {LENGTH} alone: {', '.join(weak)}.")
    return " ".join(sentences)
