"""Does a metric order systems as people do? Elo from their pairwise preferences, and two correlations (Table 14)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from conqret.data.digest import gathered
from conqret.debateqa.score_table import LOWER_IS_BETTER, common_means, in_order, read_tables
from conqret.errors import DeclarationError, number, strict_options
from conqret.io.pairs import Comparison, read_comparisons
from conqret.stats.correlation import kendall, spearman
from conqret.stats.paired_ranking import PairwisePreference, elo

if TYPE_CHECKING:
    import polars as pl

FEWEST = 3
"""Systems that a correlation needs: two are in the same order or in the reverse one, and in no other."""


@dataclass(frozen=True, slots=True)
class RankingAgreement:
    """Spearman's rho and Kendall's tau of a metric with people's ranking of ``systems`` systems.

    Both are means over the own rankings of ``annotators`` people, as the paper reports them: those who compared three
    of these systems and whose ranking varies. A metric of which less is better is turned round first, so that 1
    always means agreement. The metric is averaged over the ``questions`` scored of all these systems; ``unlike``
    counts the scored answers to others. ``left_out`` are the systems that were compared and not scored. Without a
    value there is a ``reason``.
    """

    metric: str
    instrument: str
    rho: float | None
    tau: float | None
    systems: int
    annotators: int
    left_out: tuple[str, ...] = ()
    questions: int = 0
    unlike: int = 0
    reason: str = ""


@strict_options
def correlate(
    scores: Sequence[str | Path], preferences: str | Path, *, seed: int = 13
) -> list[RankingAgreement]:
    """Compare each metric's ranking of systems with annotators', by Elo, Spearman's rho and Kendall's tau.

    Args:
        scores: tables of ``conqret debateqa score``, of all systems.
        preferences: pairwise preferences: first, second, preference; optionally annotator, item.
        seed: draws the orders over which Elo's ratings are averaged.

    Raises:
        DeclarationError: as :func:`align`, or a file cannot be read.
    """
    return align(read_tables(scores), read_comparisons(Path(preferences)), seed=seed)


def align(
    table: pl.DataFrame, comparisons: Sequence[Comparison], *, seed: int = 13
) -> list[RankingAgreement]:
    """Compare every metric of ``table`` with the Elo ranking of each annotator (DebateQA, Appendix D.1).

    Raises:
        DeclarationError: no metric has three systems that are both scored and compared.
    """
    people = annotator_ratings(comparisons, seed)
    compared = set.union(*(set(annotator) for annotator in people.values()))
    agreements = []
    for metric in in_order(table, "metric"):
        sign = -1 if metric in LOWER_IS_BETTER else 1
        for instrument, scores in common_means(table, metric, compared).items():
            signed = {name: sign * mean for name, mean in sorted(scores.means.items())}
            pairs = [pair for ratings in people.values() if (pair := _both(signed, ratings)) is not None]
            count, reason = len(scores.scored), ""
            if count < FEWEST:
                reason = f"{count} of the compared systems were scored, and three are needed"
            elif not scores.questions:
                reason = f"no question was scored of all {number(count, 'system')}"
            elif not pairs:
                reason = "the systems' means do not vary, or no annotator ranks three of them"
            rho, tau = (
                (sum(values) / len(values) for values in zip(*pairs, strict=True)) if pairs else (None, None)
            )
            left_out = tuple(sorted(compared - set(scores.scored)))
            agreements.append(
                RankingAgreement(
                    metric, instrument, rho, tau, count, len(pairs), left_out, scores.questions, scores.left_out,
                    reason,
                )
            )  # fmt: skip
    if all(agreement.systems < FEWEST for agreement in agreements):
        known = sorted(in_order(table.drop_nulls("value"), "system"))
        raise DeclarationError(
            f"only {max(agreement.systems for agreement in agreements)} of the compared systems are scored, but a "
            f"correlation needs three; scored: {', '.join(known)}; compared: {', '.join(sorted(compared))}"
        )
    return agreements


def annotator_ratings(comparisons: Sequence[Comparison], seed: int) -> dict[str, dict[str, float]]:
    """Elo's ratings of each annotator, the mean over many orders of the games."""
    by_person = gathered(
        (
            comparison.annotator,
            PairwisePreference(
                comparison.first, comparison.second, comparison.outcome, comparison.item or None
            ),
        )
        for comparison in comparisons
    )
    return {
        person: {
            standing.player: standing.rating.value or 0.0
            for standing in elo(games, np.random.default_rng(seed))
        }
        for person, games in by_person.items()
    }


def _both(scores: Mapping[str, float], ratings: Mapping[str, float]) -> tuple[float, float] | None:
    """Rho and tau; None where they are not defined: too few systems, or a ranking that does not vary."""
    names = [name for name in scores if name in ratings]
    if len(names) < FEWEST:
        return None
    first, second = [scores[name] for name in names], [ratings[name] for name in names]
    rho, tau = spearman(first, second).value, kendall(first, second).value
    return None if rho is None or tau is None else (rho, tau)
