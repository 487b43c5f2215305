"""Judges as rankers of systems, in sentences, tables and as a page."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from conqret.show import words
from conqret.show.forest import Forest, forests
from conqret.show.report_page import ReportPage, Section
from conqret.show.table import Cell, Column, Table
from conqret.stats.effects import ALPHA
from conqret.stats.estimate import FEWEST_TESTED, Estimate
from conqret.studies.systems.ranked_systems import parsed
from conqret.studies.systems.result import LENGTH, MetaEvaluation, RankAgreement, RankDifference

COEFFICIENTS = {
    "kendall": "Kendall's τ",
    "pearson": "Pearson's r",
    "spearman": "Spearman's ρ",
    "tauap_b": "τ-AP,b",
    "tau_gap": "τ-GAP",
}
"""Coefficients as papers name them."""
HOW = (
    "The rank correlation of the judge's ranking of the systems with the reference's is 1 if they are the same, 0 if "
    "they are unrelated, and -1 if one is the reverse of the other. “Mean over topics” averages the correlations of "
    "single topics and is tested; “Over all topics” is of the systems' mean scores. The highest of several looks "
    "better than it is, as it was chosen on these topics."
)


def ranking_tables(results: MetaEvaluation) -> Iterator[Table]:
    """The tested coefficient with intervals, and all coefficients."""
    for measure in _truth_measures(results):
        yield from _tables(results, measure, by_topic=False)


def ranking_sheet(results: MetaEvaluation, *, baselines: Sequence[bool] = ()) -> ReportPage:
    """The page: the judges by their coefficient, the highest first; ``baselines`` says of each judge whether it is the
    offline baseline."""
    measures = _truth_measures(results)
    pictures = {measure: _picture(results, measure) for measure in measures}
    sections = []
    for place, measure in enumerate(measures):
        first, *more = _tables(results, measure, by_topic=True)
        sections.append(Section(first.title, [*(pictures[measure] if place else []), first, *more]))
    judges = dict.fromkeys(row.judge for row in results.rows if row.judge != LENGTH)
    systems = max((row.runs for row in results.rows), default=0)
    return ReportPage(
        "systems",
        "Does the judge rank systems as annotators do?",
        sections,
        badges=words.floor_badges(baselines),
        answer=[text for measure in measures for text in _answer(results, measure)],
        picture=pictures[measures[0]] if measures else [],
        how_to_read=[HOW],
        facts=[
            ("Reference", results.truth),
            ("Judges", ", ".join(judges)),
            ("Systems", words.count(systems)),
            ("Intervals", f"{results.settings.confidence:.0%}, over {words.number(results.topics, 'topic')}"),
        ],
    )


def coefficient(method: str) -> str:
    """A coefficient as papers name it."""
    name, first = parsed(method)
    return COEFFICIENTS[name] + (f" of the first {first}" if first else "")


def _answer(results: MetaEvaluation, measure: str) -> Iterator[str]:
    method = results.settings.methods[0]
    name, reference = coefficient(method), f"{results.truth} ({measure})"
    rows = _rows(results, measure)
    ranked = [row for row in rows if row.judge != LENGTH]
    known = [row for row in ranked if _estimate(row, method).value is not None]
    if not known:
        why = "; ".join(dict.fromkeys(row.overall[method].reason for row in ranked)) or "there is no judge"
        yield f"No ranking of systems can be compared with {reference}: {why}."
        return
    best, systems = known[0], words.number(known[0].runs, "system")
    shown, who = _estimate(best, method), f"“{_name(best, results)}”"
    over = "mean over topics" if best.by_topic[method].value is not None else "over all topics"
    value = f"{name} = {words.with_interval(shown)} ({over})"
    if len(known) > 1:
        of, like = f"Of {len(known)} measures of the judge, ", "most like the human leaderboard"
        yield f"{of}{who} ranks {systems} {like} {reference}: {value}."
    else:
        yield f"{who} ranks {systems} like {reference} with {value}."
    if shown.low is not None and shown.low <= 0:
        yield "The interval contains 0, so the data do not show that the judge ranks systems better than by chance."
    if len(known) > 1:
        worse = sum(map(_shown, _of(results.from_best, measure)))
        number = f"{worse} of the {len(known) - 1} others" if worse else "No other measure"
        yield f"{number} {'are' if worse > 1 else 'is'} shown to rank worse than {who} (p < {ALPHA:g}, Holm)."
    judged = {_key(row) for row in known}
    if from_length := [one for one in _of(results.from_length, measure) if _key(one) in judged]:
        better = sum(_shown(one) and (one.difference.value or 0) > 0 for one in from_length)
        own = [
            f" ({name} = {words.with_interval(_estimate(row, method))})"
            for row in rows
            if row.judge == LENGTH
        ]
        yield (
            f"{better or 'None'} of {words.number(len(from_length), 'measure')} {'is' if better < 2 else 'are'} shown "
            f"to rank better than the length of the reports{''.join(own[:1])}."
        )


def _shown(difference: RankDifference) -> bool:
    return difference.p_holm is not None and difference.p_holm < ALPHA


def _tables(results: MetaEvaluation, measure: str, by_topic: bool) -> Iterator[Table]:
    first = results.settings.methods[0]
    rows = {
        _name(row, results): row for row in _rows(results, measure) if _estimate(row, first).value is not None
    }
    best = {_key(difference): difference for difference in _of(results.from_best, measure)}
    length = {_key(difference): difference for difference in _of(results.from_length, measure)}
    beside = ("With length", "Minus length's", "p (Holm)") if length else ()
    tested: list[tuple[Cell, ...]] = []
    for name, row in rows.items():
        with_length = "" if row.judge == LENGTH else row.with_length
        by_length = (with_length, *_tested(length.get(_key(row)))) if length else ()
        compared = (*_tested(best.get(_key(row))), *by_length)
        tested.append((name, row.runs, row.by_topic[first], row.overall[first], *compared))
    judge = Column("Judge", "name")
    yield Table(
        f"{coefficient(first)} with {measure} of {results.truth}",
        (judge, "Systems", "Mean over topics", "Over all topics", "Minus the best", "p (Holm)", *beside),
        tested,
        note=_note(results, measure),
    )
    most = max((row.runs for row in rows.values()), default=0)
    methods = [method for method in results.settings.methods if (parsed(method)[1] or 0) < most]
    if len(methods) > 1:
        yield Table(
            f"All coefficients with {measure}, over all topics",
            (judge, *map(coefficient, methods)),
            [(name, *(row.overall[method].value for method in methods)) for name, row in rows.items()],
        )
    if by_topic:
        topics = dict.fromkeys(topic for row in rows.values() for topic in row.topics[first])
        yield Table(
            f"{coefficient(first)} with {measure} by topic",
            (judge, *topics),
            [(name, *map(row.topics[first].get, topics)) for name, row in rows.items()],
        )


def _picture(results: MetaEvaluation, measure: str) -> list[Forest]:
    """The judges below each other, the highest coefficient first."""
    method = results.settings.methods[0]
    rows = [row for row in _rows(results, measure) if _estimate(row, method).value is not None]
    averaged = all(row.by_topic[method].value is not None for row in rows)
    over = "mean over topics" if averaged else "over topics"
    axis = f"{coefficient(method)}, {over}, {results.settings.confidence:.0%} confidence intervals"
    title = f"Rank correlation with {measure} of {results.truth}"
    return forests(title, axis, [(_name(row, results), _estimate(row, method)) for row in rows])


def _truth_measures(results: MetaEvaluation) -> list[str]:
    return list(dict.fromkeys(row.truth_measure for row in results.rows))


def _rows(results: MetaEvaluation, measure: str) -> list[RankAgreement]:
    """The rows of a measure of the reference, the highest coefficient first, those without one last."""
    method = results.settings.methods[0]
    rows = [row for row in results.rows if row.truth_measure == measure]

    def place(row: RankAgreement) -> float:
        value = _estimate(row, method).value
        return math.inf if value is None else -value

    return sorted(rows, key=place)


def _estimate(row: RankAgreement, method: str) -> Estimate:
    """The mean over topics, or, without one, the coefficient over all topics."""
    mean = row.by_topic[method]
    return mean if mean.value is not None else row.overall[method]


def _of(differences: Sequence[RankDifference], measure: str) -> list[RankDifference]:
    return [difference for difference in differences if difference.truth_measure == measure]


def _key(row: RankAgreement | RankDifference) -> tuple[str, str]:
    return row.judge, row.measure


def _name(row: RankAgreement | RankDifference, results: MetaEvaluation) -> str:
    """A judge's measure, with the judge's name where there are several."""
    if row.judge == LENGTH:
        return "Length of the reports"
    judges = {one.judge for one in results.rows if one.judge != LENGTH}
    return f"{row.judge} {row.measure}" if len(judges) > 1 else row.measure


def _tested(difference: RankDifference | None) -> tuple[Cell, Cell]:
    return ("", "") if difference is None else (difference.difference, words.p_value(difference.p_holm))


def _note(results: MetaEvaluation, measure: str) -> str:
    """What the numbers say in words."""
    compared = [*_of(results.from_best, measure), *_of(results.from_length, measure)]
    sentences = []
    if any(difference.p_holm is None and difference.difference.value is not None for difference in compared):
        sentences.append(
            f"There is no p-value if fewer than {FEWEST_TESTED} topics have a rank correlation, or all the same."
        )
    if any(difference.p_holm is not None for difference in compared):
        sentences += [words.NOT_CORRECTED, words.symmetry_note(results.topics)]
    if tied := [_name(row, results) for row in _rows(results, measure) if row.tied]:
        sentences.append(f"All systems have the same score by {', '.join(tied)}, which so give no ranking.")
    return " ".join(filter(None, sentences))
