"""Systems by Perspective Diversity, Dispute Awareness and both, from their tables of scores (Table 2, Figure 3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from conqret.errors import DeclarationError
from conqret.evaluation.debateqa.combination import normalised_ranks, ranks, shown, weighted
from conqret.evaluation.debateqa.interpretation import probability_ratio
from conqret.evaluation.debateqa.table import AWARENESS, DIVERSITY, ScoreRow, means_of


@dataclass(frozen=True)
class Standings:
    """``diversity[instrument][system]`` and ``awareness`` likewise are means over the questions.

    ``partial_answers`` is the mean number of partial answers behind a P.D. Where several instruments measured a
    metric, the mean over them stands for it in the combination, and the ranks of its mean ranks beside it.

    Raises:
        DeclarationError: an instrument did not measure every system.
    """

    diversity: Mapping[str, Mapping[str, float]]
    awareness: Mapping[str, Mapping[str, float]]
    partial_answers: float

    @cached_property
    def mean_diversity(self) -> dict[str, float]:
        """Each system's P.D.; lower is better."""
        return _average(self.diversity)

    @cached_property
    def mean_awareness(self) -> dict[str, float]:
        """Each system's D.A., 0 to 1; higher is better."""
        return _average(self.awareness)

    @cached_property
    def diversity_ranks(self) -> dict[str, str]:
        """Normalised over the instruments (Table 2), ties shared."""
        columns = [ranks(one, lower_is_better=True) for one in self.diversity.values()]
        return shown(normalised_ranks(columns))

    @cached_property
    def awareness_ranks(self) -> dict[str, str]:
        """Normalised over the instruments (Table 2), ties shared."""
        return shown(normalised_ranks([ranks(one) for one in self.awareness.values()]))

    @cached_property
    def likelier(self) -> dict[str, float]:
        """How many times likelier a partial answer's token is under the system of the best P.D. (Appendix H)."""
        best = min(self.mean_diversity.values())
        return {
            name: probability_ratio(best - value, self.partial_answers)
            for name, value in self.mean_diversity.items()
        }

    def combined(self, k: float) -> dict[str, float]:
        """The weighted mean of Equation 4; higher is better."""
        return weighted(self.mean_diversity, self.mean_awareness, k)


def standings(rows: Sequence[ScoreRow]) -> Standings:
    """The standings of all systems in ``rows``.

    Raises:
        DeclarationError: a metric was not measured, or not of every system.
    """
    counted = [row.n for row in rows if row.metric == DIVERSITY and row.value is not None]
    found = Standings(
        means_of(rows, DIVERSITY), means_of(rows, AWARENESS), sum(counted) / max(1, len(counted))
    )
    found.combined(1.0)  # what is missing shows here
    return found


def _average(means: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    systems = {name for one in means.values() for name in one}
    for instrument, one in means.items():
        if missing := systems - set(one):
            raise DeclarationError(
                f"{instrument} did not measure {', '.join(sorted(missing))}: leave it out, or score them"
            )
    return {name: sum(one[name] for one in means.values()) / len(means) for name in sorted(systems)}
