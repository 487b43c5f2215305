"""What judges are worth as rankers of systems: in numbers, in sentences, as tables and as a page."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Literal

from conqret.data.item import Frozen
from conqret.errors import DeclarationError, UnknownNameError
from conqret.show import words
from conqret.show.forest import Forest, forests
from conqret.show.report_page import ReportPage, Section
from conqret.show.table import Cell, Column, Table
from conqret.stats.correlation import COEFFICIENTS
from conqret.stats.effects import ALPHA
from conqret.stats.estimate import CONFIDENCE, MIN_TOPICS, Estimate

LENGTH = "length"


class RankAgreement(Frozen):
    """The agreement of one judge's measure with one measure of the reference.

    - ``overall``: for each method, the coefficient of the scores over all topics.
    - ``by_topic``: the mean of the coefficients on single topics, which are in ``topics``.
    - ``runs``: the number of systems (without ``@``); ``tied``: True if the judge gives all the same score.
    - ``with_length``: the mean over topics of the first coefficient of the judge and report length.
    """

    judge: str
    measure: str
    truth_measure: str
    runs: int
    tied: bool
    overall: dict[str, Estimate]
    by_topic: dict[str, Estimate]
    topics: dict[str, dict[str, float | None]]
    with_length: Estimate | None = None


class RankDifference(Frozen):
    """The difference of two judges in the first method's coefficient, averaged over topics on which both
    have one.

    ``p_holm`` is corrected (Holm) over judges in comparisons with length, and over all pairs of judges in
    comparisons with the best. The correction must cover all pairs because the data select the best judge
    (Tukey's studentized range). The test uses means over topics, because a rank correlation of overall scores
    changes in steps. There is no p-value below six topics.
    """

    truth_measure: str
    judge: str
    measure: str
    other: str
    other_measure: str
    difference: Estimate
    p: float | None
    p_holm: float | None


METHODS = (*COEFFICIENTS, "kendall@10")
"""What auto-judge-evaluate computes where nothing is said."""


OnMissing = Literal["error", "skip", "default"]


class MetaSettings(Frozen):
    """The settings of a system-level evaluation.

    - ``methods``: the coefficients; ``kendall@10`` is limited to the ten best systems of the reference. The
    first one is tested.
    - ``on_missing``: refuse leaderboards with gaps, leave gaps out, or count them as 0.
    - ``shared``: leave out topics and systems of one side only, and average over topics instead of using the
    files' overall scores.
    """

    methods: tuple[str, ...] = METHODS
    truth_measures: tuple[str, ...] = ()
    measures: tuple[str, ...] = ()
    on_missing: OnMissing = "error"
    shared: bool = False
    confidence: float = CONFIDENCE


def parsed(method: str) -> tuple[str, int | None]:
    """Parse a method such as ``kendall@10`` into the coefficient and the number of top systems (None: all).

    Raises:
        UnknownNameError: there is no such coefficient.
        DeclarationError: the number after ``@`` is not a positive integer.
    """
    name, _, top = method.partition("@")
    if name not in COEFFICIENTS:
        raise UnknownNameError("coefficient", method, (*COEFFICIENTS, "kendall@10"))
    if "@" in method and not (top.isascii() and top.isdigit() and int(top) > 0):
        raise DeclarationError(
            f"{method}: write the number of top systems to compare after @, as in kendall@10"
        )
    return name, int(top) if top else None


class MetaEvaluation(Frozen):
    """The results of a system-level evaluation.

    ``rows`` has the agreement of each judge. ``from_best`` compares each judge with the one with the highest
    coefficient, ``from_length`` with report length.
    """

    truth: str
    topics: int
    settings: MetaSettings
    rows: tuple[RankAgreement, ...]
    from_best: tuple[RankDifference, ...]
    from_length: tuple[RankDifference, ...]
    notes: tuple[str, ...]


COEFFICIENT_NAMES = {
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
    """Yield the tables: the tested coefficient with intervals, and all coefficients."""
    for measure in _truth_measures(results):
        yield from _tables(results, measure)


def ranking_page(results: MetaEvaluation, *, baselines: Sequence[bool] = ()) -> ReportPage:
    """Return the report page: the judges by their coefficient, highest first.

    ``baselines`` has for each judge True if it is the offline baseline.
    """
    method, over = results.settings.methods[0], f"{results.settings.confidence:.0%} confidence intervals"
    sections, answer, pictures = [], list[str](), list[list[Forest]]()
    for measure in _truth_measures(results):
        rows = _rows(results, measure)
        every = all(row.by_topic[method].value is not None for row in rows.values())
        axis = f"{coefficient(method)}, {'mean over topics' if every else 'over topics'}, {over}"
        title = f"Rank correlation with {measure} of {results.truth}"
        picture = forests(title, axis, [(name, _estimate(row, method)) for name, row in rows.items()])
        topics = dict.fromkeys(topic for row in rows.values() for topic in row.topics[method])
        by_topic = Table(
            f"{coefficient(method)} with {measure} by topic",
            (Column("Judge", "name"), *topics),
            [(name, *map(row.topics[method].get, topics)) for name, row in rows.items()],
        )
        first, *more = _tables(results, measure)
        sections.append(Section(first.title, [*(picture if pictures else []), first, *more, by_topic]))
        pictures = pictures or [picture]
        answer += _answer(results, measure)
    judges = dict.fromkeys(row.judge for row in results.rows if row.judge != LENGTH)
    systems = max((row.runs for row in results.rows), default=0)
    return ReportPage(
        "systems",
        "Does the judge rank systems as annotators do?",
        sections,
        badges=words.baseline_badges(baselines),
        answer=answer,
        picture=pictures[0] if pictures else [],
        how_to_read=[HOW],
        facts=[
            ("Reference", results.truth),
            ("Judges", ", ".join(judges)),
            ("Systems", words.count(systems)),
            ("Intervals", f"{results.settings.confidence:.0%}, over {words.number(results.topics, 'topic')}"),
        ],
    )


def coefficient(method: str) -> str:
    """Return the name of a coefficient as papers write it."""
    name, first = parsed(method)
    return COEFFICIENT_NAMES[name] + (f" of the first {first}" if first else "")


def _answer(results: MetaEvaluation, measure: str) -> Iterator[str]:
    method, reference = results.settings.methods[0], f"{results.truth} ({measure})"
    ranked = [row for row in results.rows if row.truth_measure == measure and row.judge != LENGTH]
    rows = _rows(results, measure)
    known = {name: row for name, row in rows.items() if row.judge != LENGTH}
    if not known:
        why = "; ".join(dict.fromkeys(row.overall[method].reason for row in ranked)) or "there is no judge"
        yield f"No ranking of systems can be compared with {reference}: {why}."
        return
    name, best = next(iter(known.items()))
    shown = _estimate(best, method)
    over = "mean over topics" if best.by_topic[method].value is not None else "over all topics"
    value = f"{coefficient(method)} = {words.with_interval(shown)} ({over})"
    lead, like = f"“{name}” ranks {words.number(best.runs, 'system')}", f"like {reference}"
    if len(known) > 1:
        yield f"Of {len(known)} measures of the judge, {lead} most {like}: {value}."
    else:
        yield f"{lead} {like} with {value}."
    if shown.low is not None and shown.low <= 0:
        yield "The interval contains 0, so the data do not show that the judge ranks systems better than by chance."
    if len(known) > 1:
        worse = sum(map(_shown, _of(results.from_best, measure).values()))
        number = f"{worse} of the {len(known) - 1} others" if worse else "No other measure"
        yield f"{number} {'are' if worse > 1 else 'is'} shown to rank worse than “{name}” (p < {ALPHA:g}, Holm)."
    from_length = [
        one for key, one in _of(results.from_length, measure).items() if key in map(_key, known.values())
    ]
    if from_length:
        better = sum(_shown(one) and (one.difference.value or 0) > 0 for one in from_length)
        own = [_estimate(row, method) for row in rows.values() if row.judge == LENGTH]
        of = "".join(f" ({coefficient(method)} = {words.with_interval(one)})" for one in own[:1])
        yield (
            f"{better or 'None'} of {words.number(len(from_length), 'measure')} {'is' if better < 2 else 'are'} shown "
            f"to rank better than the length of the reports{of}."
        )


def _shown(difference: RankDifference) -> bool:
    return difference.p_holm is not None and difference.p_holm < ALPHA


def _tables(results: MetaEvaluation, measure: str) -> Iterator[Table]:
    first, rows = results.settings.methods[0], _rows(results, measure)
    best, length = _of(results.from_best, measure), _of(results.from_length, measure)
    tested: list[tuple[Cell, ...]] = []
    for name, row in rows.items():
        with_length = "" if row.judge == LENGTH or not length else row.with_length
        cells: list[Cell] = []
        for difference, before in ((best.get(_key(row)), []), (length.get(_key(row)), [with_length])):
            p = None if difference is None else difference.p_holm
            cells += [*before, "" if difference is None else difference.difference, words.p_value(p)]
        tested.append((name, row.runs, row.by_topic[first], row.overall[first], *cells))
    heads = ("Systems", "Mean over topics", "Over all topics", "Minus the best", "p (Holm)")
    judge = Column("Judge", "name")
    yield Table(
        f"{coefficient(first)} with {measure} of {results.truth}",
        (judge, *heads, "With length", "Minus length's", "p (Holm)"),
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


def _truth_measures(results: MetaEvaluation) -> list[str]:
    return list(dict.fromkeys(row.truth_measure for row in results.rows))


def _rows(results: MetaEvaluation, measure: str) -> dict[str, RankAgreement]:
    """The rows of a measure of the reference that have a coefficient, the highest first, by their names."""
    method = results.settings.methods[0]
    found = [(row, _estimate(row, method).value) for row in results.rows if row.truth_measure == measure]
    ordered = sorted(found, key=lambda pair: math.inf if pair[1] is None else -pair[1])
    return {_name(row, results): row for row, value in ordered if value is not None}


def _estimate(row: RankAgreement, method: str) -> Estimate:
    """The mean over topics, or, without one, the coefficient over all topics."""
    mean = row.by_topic[method]
    return mean if mean.value is not None else row.overall[method]


def _of(differences: Sequence[RankDifference], measure: str) -> dict[tuple[str, str], RankDifference]:
    """The differences from one measure of the reference, by judge and its measure."""
    return {_key(one): one for one in differences if one.truth_measure == measure}


def _key(row: RankAgreement | RankDifference) -> tuple[str, str]:
    return row.judge, row.measure


def _name(row: RankAgreement, results: MetaEvaluation) -> str:
    """A judge's measure, with the judge's name where there are several."""
    if row.judge == LENGTH:
        return "Length of the reports"
    judges = {one.judge for one in results.rows if one.judge != LENGTH}
    return f"{row.judge} {row.measure}" if len(judges) > 1 else row.measure


def _note(results: MetaEvaluation, measure: str) -> str:
    """Return the note below the table of a measure: when there is no p-value, how p-values are to be read, and which
    judges give no ranking."""
    compared = [*_of(results.from_best, measure).values(), *_of(results.from_length, measure).values()]
    sentences = []
    if any(difference.p_holm is None and difference.difference.value is not None for difference in compared):
        sentences.append(
            f"There is no p-value if fewer than {MIN_TOPICS} topics have a rank correlation, or all the same."
        )
    if any(difference.p_holm is not None for difference in compared):
        sentences += [words.NOT_CORRECTED, words.symmetry_note(results.topics)]
    if tied := [_name(row, results) for row in results.rows if row.tied and row.truth_measure == measure]:
        sentences.append(f"All systems have the same score by {', '.join(tied)}, which so give no ranking.")
    return " ".join(filter(None, sentences))
