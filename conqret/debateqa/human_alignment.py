"""Metrics against annotators: rank correlations with their pairwise preferences, question by question (DebateQA, Table
14) and over systems' means, and among annotators (Figure 8); and verdicts against labels (Table 15)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

from conqret.data.digest import gathered
from conqret.debateqa.debateqa_files import read_verdicts
from conqret.debateqa.score_table import (
    AWARENESS,
    LOWER_IS_BETTER,
    CommonMeans,
    ScoreRow,
    common_means,
    in_order,
    read_tables,
)
from conqret.errors import DeclarationError, number, strict_options
from conqret.io.pairs import Comparison, read_comparisons
from conqret.show import words
from conqret.show.table import Column, Table
from conqret.stats.classification import accuracy, auroc, f1, matthews
from conqret.stats.correlation import kendall, spearman
from conqret.stats.estimate import Estimate, mean_of_sums, undefined
from conqret.stats.resampling import leave_one_out

if TYPE_CHECKING:
    import polars as pl

    from conqret.debateqa.stability import PairMatrix


MIN_SYSTEMS = 3
"""Systems that a correlation needs: two are in the same order or in the reverse one, and in no other."""
NO_ITEMS = "the preferences have no column item that names the question"
NO_RANKING = "no question has three compared answers whose scores vary"

Values = Mapping[str, float]
"""System to value."""
AnnotatorQuestion = tuple[str, str]
"""An annotator, and a question whose answers they compared."""
Correlation = Callable[[Sequence[float], Sequence[float]], Estimate]


@dataclass(frozen=True, slots=True)
class RankingAgreement:
    """The rank correlation of a metric with annotators; 1 always means agreement, also where lower is better.

    ``rho`` and ``tau`` (Spearman's, Kendall's) are computed for each annotator and question, from the answers
    to it, and averaged, with 95% intervals over ``questions`` (Table 14). ``system_rho`` and ``system_tau``
    compare the systems' means with Elo ratings, and are means over the ``annotators`` who compared at least
    three of the systems and whose ranking varies. The means are over the ``common`` questions that are scored
    of all ``systems``, and ``unlike`` counts scored answers to others. ``left_out`` are systems that were
    compared but not scored. Without a ``system_rho``, ``reason`` says why.
    """

    metric: str
    instrument: str
    rho: Estimate
    tau: Estimate
    questions: int
    system_rho: float | None
    system_tau: float | None
    systems: int
    annotators: int
    left_out: tuple[str, ...] = ()
    common: int = 0
    unlike: int = 0
    reason: str = ""


@strict_options
def correlate(
    scores: Sequence[str | Path], preferences: str | Path, *, seed: int = 13
) -> list[RankingAgreement]:
    """Compare each metric's ranking of answers, and of systems, with annotators' rankings.

    Args:
        scores: tables of ``conqret debateqa score``, of all systems.
        preferences: pairwise preferences: first, second, preference; optionally annotator, item (the id
            of the question).
        seed: the random seed of the orders over which Elo ratings are averaged.

    Returns:
        The agreement of each metric and measuring model.

    Raises:
        DeclarationError: as :func:`align`, or a file cannot be read.
    """
    return align(read_tables(scores), read_comparisons(Path(preferences)), seed=seed)


def align(
    table: pl.DataFrame, comparisons: Sequence[Comparison], *, seed: int = 13
) -> list[RankingAgreement]:
    """Compare the scores in ``table`` with the preferences of each annotator (DebateQA, Appendix D.1).
    ``seed`` draws the orders in which Elo ratings are computed.

    Returns:
        One comparison for each metric and measuring model, in the order of the table.

    Raises:
        DeclarationError: no metric has three systems that are both scored and compared.
    """
    ratings, points = elo_ratings(comparisons, seed), question_points(comparisons)
    compared = {system for rated in ratings.values() for system in rated}
    agreements = []
    for metric in in_order(table, "metric"):
        for instrument, common in common_means(table, metric, compared).items():
            answers = signed_answers(table, metric, instrument)
            rho, tau, annotators, reason = _over_systems(metric, common, ratings)
            agreements.append(
                RankingAgreement(
                    metric,
                    instrument,
                    over_questions(answers, points, spearman),
                    over_questions(answers, points, kendall),
                    len({item for (_, item), _, _ in _shared(answers, points)}),
                    rho,
                    tau,
                    len(common.scored),
                    annotators,
                    tuple(sorted(compared - set(common.scored))),
                    common.questions,
                    common.left_out,
                    reason,
                )
            )
    if all(agreement.systems < MIN_SYSTEMS for agreement in agreements):
        known = sorted(in_order(table.drop_nulls("value"), "system"))
        raise DeclarationError(
            f"only {max(agreement.systems for agreement in agreements)} of the compared systems are scored, but a "
            f"correlation needs three; scored: {', '.join(known)}; compared: {', '.join(sorted(compared))}"
        )
    return agreements


def question_points(comparisons: Iterable[Comparison]) -> dict[AnnotatorQuestion, Values]:
    """Return, by annotator and question, the mean outcome of each system's comparisons: the share of the others
    to which its answer is preferred, a tie being one half. Preferences without an item are skipped.

    Where every two answers are compared once, ratings by Elo or Bradley-Terry order them the same.
    """
    outcomes = gathered(
        ((comparison.annotator, comparison.item), pair)
        for comparison in comparisons
        if comparison.item
        for pair in (
            (comparison.first, comparison.outcome),
            (comparison.second, 1 - comparison.outcome),
        )
    )
    return {
        question: {system: math.fsum(won) / len(won) for system, won in gathered(pairs).items()}
        for question, pairs in outcomes.items()
    }


def signed_answers(table: pl.DataFrame, metric: str, instrument: str) -> dict[str, Values]:
    """Return the scores of a metric by question and system, negated where lower is better."""
    rows = table.filter(metric=metric, instrument=instrument).drop_nulls("value")
    sign = -1 if metric in LOWER_IS_BETTER else 1
    triples = rows.select("id", "system", "value").iter_rows()
    return {
        item: {system: sign * value for system, value in pairs}
        for item, pairs in gathered((item, (system, value)) for item, system, value in triples).items()
    }


def over_questions(
    answers: Mapping[str, Values], points: Mapping[AnnotatorQuestion, Values], compute: Correlation
) -> Estimate:
    """Return the mean rank correlation over annotators and questions, with a 95% interval over questions;
    undefined without any.

    A question of which fewer than three compared answers are scored, or one side does not vary, is left out.
    """
    if not points:
        return undefined(NO_ITEMS)
    by_item = gathered(
        (item, value)
        for (_, item), first, second in _shared(answers, points)
        if (value := compute(first, second).value) is not None
    )
    if not by_item:
        return undefined(NO_RANKING)
    shares = [[(value + 1) / 2 for value in values] for values in by_item.values()]
    return mean_of_sums(list(map(math.fsum, shares)), list(map(len, shares))).moved(-1.0, 2.0)


def annotator_agreement(comparisons: Iterable[Comparison]) -> PairMatrix | None:
    """Return Spearman's rho of every two annotators, averaged over the questions that both compared (Figure 8); a pair
    without a rho has the reason. None if fewer than two annotators compared anything."""
    from conqret.debateqa.stability import PairMatrix  # numpy, which no help needs

    points = question_points(comparisons)
    by_annotator = gathered((annotator, (item, values)) for (annotator, item), values in points.items())
    names = tuple(by_annotator)
    if len(names) < 2:
        return None
    values = {
        (one, other): over_questions(
            dict(by_annotator[one]), {(other, item): of for item, of in by_annotator[other]}, spearman
        )
        for one, other in combinations(names, 2)
    }
    systems = tuple(sorted({system for of in points.values() for system in of}))
    questions = len({item for _, item in points})
    return PairMatrix(
        names, questions, values, "rho", "annotators", "answers", systems, questions * len(systems)
    )


def _shared(
    answers: Mapping[str, Values], points: Mapping[AnnotatorQuestion, Values]
) -> Iterator[tuple[AnnotatorQuestion, list[float], list[float]]]:
    """Each annotator's question with the values and the points of the systems that have both, at least three."""
    for question, won in points.items():
        values = answers.get(question[1], {})
        systems = sorted(values.keys() & won.keys())
        if len(systems) >= MIN_SYSTEMS:
            yield question, [values[system] for system in systems], [won[system] for system in systems]


def _over_systems(
    metric: str, common: CommonMeans, ratings: Mapping[str, Values]
) -> tuple[float | None, float | None, int, str]:
    """Return rho and tau, averaged over annotators, the number of annotators who have them, and a reason (may be
    empty). Both are None if no annotator ranks enough systems, or the systems' means do not vary."""
    sign = -1 if metric in LOWER_IS_BETTER else 1
    signed = {name: sign * mean for name, mean in sorted(common.means.items())}
    pairs = [pair for rated in ratings.values() if (pair := _both(signed, rated)) is not None]
    count, reason = len(common.scored), ""
    if count < MIN_SYSTEMS:
        reason = f"{count} of the compared systems were scored, and three are needed"
    elif not common.questions:
        reason = f"no question was scored of all {number(count, 'system')}"
    elif not pairs:
        reason = "the systems' means do not vary, or no annotator ranks three of them"
    if not pairs:
        return None, None, 0, reason
    rho, tau = (sum(values) / len(values) for values in zip(*pairs, strict=True))
    return rho, tau, len(pairs), reason


def elo_ratings(comparisons: Iterable[Comparison], seed: int) -> dict[str, Values]:
    """Return by annotator a mapping from systems to Elo ratings.

    Ratings start at 1500 and are means over many random orders of the annotator's comparisons. A system that an
    annotator never compared is absent from that annotator's ratings.

    Args:
        comparisons: the pairwise preferences of all annotators.
        seed: the seed of the random orders.

    Raises:
        DeclarationError: a comparison has an invalid outcome, or compares a system with itself.
    """
    import numpy as np  # which no help needs

    from conqret.stats.paired_ranking import PairwisePreference, elo

    games = gathered(
        (
            comparison.annotator,
            PairwisePreference(
                comparison.first, comparison.second, comparison.outcome, comparison.item or None
            ),
        )
        for comparison in comparisons
    )
    return {
        annotator: {
            standing.player: standing.rating.value or 0.0
            for standing in elo(preferences, np.random.default_rng(seed))
        }
        for annotator, preferences in games.items()
    }


def _both(scores: Values, ratings: Values) -> tuple[float, float] | None:
    """Rho and tau; None where they are not defined: too few systems, or a ranking that does not vary."""
    names = [name for name in scores if name in ratings]
    if len(names) < MIN_SYSTEMS:
        return None
    first, second = [scores[name] for name in names], [ratings[name] for name in names]
    rho, tau = spearman(first, second).value, kendall(first, second).value
    return None if rho is None or tau is None else (rho, tau)


@dataclass(frozen=True, slots=True)
class AwarenessFit:
    """The agreement of verdicts with annotators' labels (Table 15), over the ``n`` answers that have both.

    ``unscored`` counts labeled answers without a verdict.
    """

    accuracy: Estimate
    f1: Estimate
    auroc: Estimate
    mcc: Estimate
    n: int
    unscored: int


def against_labels(rows: Sequence[ScoreRow], labels: Mapping[tuple[str, str], float]) -> AwarenessFit:
    """Compute accuracy, F1 of the positive class, AUROC and Matthews's correlation of verdicts with labels (0
    or 1), with intervals over questions.

    Args:
        rows: the verdicts.
        labels: a mapping from system and id to labels; an empty system stands for any.

    Raises:
        DeclarationError: no scored answer has a label.
    """
    known = [(row, labels.get((row.system, row.id), labels.get(("", row.id)))) for row in rows]
    labeled = [(row, label) for row, label in known if label is not None]
    counted = [(row.id, row.value, label) for row, label in labeled if row.value is not None]
    if not counted:
        raise DeclarationError("no scored answer has a label: use the same ids in answers and labels")
    ids, predictions, truth = zip(*counted, strict=True)
    questions = leave_one_out(ids)
    return AwarenessFit(
        accuracy(truth, predictions, questions),
        f1(truth, predictions, questions, categories=(0.0, 1.0)),
        auroc(truth, predictions, questions),
        matthews(truth, predictions, questions),
        len(counted),
        len(labeled) - len(counted),
    )


VERDICTS = (AWARENESS, "acknowledge")
"""Metrics of 0 and 1 that human labels are compared with (Table 15)."""


def label_fits(scores: Sequence[str | Path], labels: str | Path) -> list[tuple[str, str, AwarenessFit]]:
    """Compare the verdicts of all systems with human labels (DebateQA, Table 15).

    Args:
        scores: tables of ``conqret debateqa score``.
        labels: a table of ``id`` and ``label`` (0 or 1), and ``system`` where several systems answer a question.

    Returns:
        Metric, measuring model and agreement, of Dispute Awareness and of DELPHI's Acknowledge.

    Raises:
        DeclarationError: a file cannot be read, no table has verdicts, or no scored answer has a label.
    """
    truth = read_verdicts(labels)
    verdicts = [ScoreRow(**row) for row in read_tables(scores).iter_rows(named=True)]
    groups = gathered(((row.metric, row.instrument), row) for row in verdicts if row.metric in VERDICTS)
    if not groups:
        raise DeclarationError(
            f"the tables contain no {' and no '.join(VERDICTS)}: score one of these metrics"
        )
    return [(*group, against_labels(rows, truth)) for group, rows in groups.items()]


def fit_table(fits: Sequence[tuple[str, str, AwarenessFit]]) -> Table:
    """Return the table of metric, measuring model and agreement with human labels (DebateQA, Table 15)."""
    note = "AUROC is of verdicts; intervals are over questions."
    if unscored := sum(fit.unscored for _, _, fit in fits):
        note += f" Labeled answers without a verdict are left out: {unscored}."
    return Table(
        "Verdicts against human labels",
        {
            Column("metric", "text"): lambda row: words.label(row[0]),
            Column("measuring model", "text"): (1,),
            "accuracy": lambda row: row[2].accuracy,
            "F1": lambda row: row[2].f1,
            "AUROC": lambda row: row[2].auroc,
            "MCC": lambda row: row[2].mcc,
            "answers": lambda row: row[2].n,
        },
        fits,
        note=note,
    )
