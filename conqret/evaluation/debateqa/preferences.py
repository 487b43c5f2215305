"""Does a metric order systems as people do? Elo from their pairwise preferences, and two correlations (Table 14)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from conqret.errors import DeclarationError
from conqret.evaluation.debateqa.table import LOWER_IS_BETTER, ScoreRow, means_of
from conqret.io.comparisons import Comparison
from conqret.stats.correlation import kendall, spearman
from conqret.stats.estimate import Estimate
from conqret.stats.ranking import Preference, elo


@dataclass(frozen=True, slots=True)
class Alignment:
    """Spearman's rho and Kendall's tau of a metric with people's ranking of ``systems`` systems.

    Both are means over ``annotators`` people's own rankings, as the paper reports them; a metric of which less is
    better is turned round first, so that 1 always means agreement.
    """

    metric: str
    instrument: str
    rho: float | None
    tau: float | None
    systems: int
    annotators: int
    left_out: tuple[str, ...] = ()


def align(rows: Sequence[ScoreRow], comparisons: Sequence[Comparison], *, seed: int = 13) -> list[Alignment]:
    """Compare every metric of ``rows`` with the Elo ranking of each annotator (DebateQA, Appendix D.1).

    Raises:
        DeclarationError: fewer than three systems are both scored and compared.
    """
    people = _ratings(comparisons, seed)
    compared = set.union(*(set(one) for one in people.values()))
    found = []
    for metric in dict.fromkeys(row.metric for row in rows):
        for instrument, means in means_of(rows, metric).items():
            systems = sorted(set(means) & compared)
            if len(systems) < 3:
                raise DeclarationError(
                    f"{len(systems)} systems of {metric} are among the preferences, and a correlation needs three: "
                    f"scored are {', '.join(sorted(means))}; compared are {', '.join(sorted(compared))}"
                )
            sign = -1 if metric in LOWER_IS_BETTER else 1
            pairs = [
                _both({name: sign * means[name] for name in systems}, ratings) for ratings in people.values()
            ]
            found.append(
                Alignment(metric, instrument, _mean([rho for rho, _ in pairs]), _mean([tau for _, tau in pairs]),
                          len(systems), len(people), tuple(sorted(compared - set(means))))
            )  # fmt: skip
    return found


def _ratings(comparisons: Sequence[Comparison], seed: int) -> dict[str, dict[str, float]]:
    """Elo's ratings of each annotator, the mean over many orders of the games."""
    import numpy as np

    by_person: dict[str, list[Preference]] = {}
    for one in comparisons:
        preference = Preference(one.first, one.second, one.outcome, one.item or None)
        by_person.setdefault(one.annotator, []).append(preference)
    return {
        person: {
            standing.player: standing.rating.value or 0.0
            for standing in elo(games, np.random.default_rng(seed))
        }
        for person, games in by_person.items()
    }


def _both(
    scores: Mapping[str, float], ratings: Mapping[str, float]
) -> tuple[Estimate | None, Estimate | None]:
    names = [name for name in scores if name in ratings]
    if len(names) < 2:
        return None, None
    first, second = [scores[name] for name in names], [ratings[name] for name in names]
    return spearman(first, second), kendall(first, second)


def _mean(estimates: Sequence[Estimate | None]) -> float | None:
    values = [one.value for one in estimates if one is not None and one.value is not None]
    return sum(values) / len(values) if values else None
