"""Can the judge stand in for one of the annotators? The alternative annotator test.

Calderon, Reichart and Dror, "The Alternative Annotator Test for LLM-as-a-Judge" (ACL 2025), section 3. For each
annotator j in turn, judge and annotator are compared by how well each fits the *other* annotators on the items
that j labelled: by the share of them that say the same (nominal), or by the root mean square of the differences.
``d_ij = 1[annotator fits at least as well] - 1[judge fits at least as well]``, and the judge has the *advantage*
over j if the mean of d is significantly below ``epsilon``, what the annotator may be better by because the judge
is cheaper. The judge passes if it has the advantage over at least half of the annotators.

The paper tests the mean of d by Student's t over items. Items of one topic are no independent witnesses, so here its
error is that of a jackknife over topics, which is Student's where each item is a topic of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import false_discovery_control

from conqret.errors import DeclarationError, number
from conqret.stats.agreement import Level
from conqret.stats.estimate import FEWEST_TESTED
from conqret.stats.resampling import mean

EPSILON: Mapping[str, float] = {"experts": 0.2, "skilled": 0.15, "crowd": 0.1}
"""What the cheaper judge is forgiven, by the kind of annotators (section 3.2)."""
FALSE_DISCOVERY = 0.05
"""The rate of false advantages among the advantages found."""
WINNING_RATE = 0.5
"""The share of annotators over whom the judge must have the advantage."""
ENOUGH_ITEMS = 30
"""Items of one annotator below which there is no test (section 3.1)."""
ENOUGH_ANNOTATORS = 3


@dataclass(frozen=True, slots=True)
class AgainstOne:
    """The judge against one annotator: the shares of items on which each fits at least as well, and the test."""

    annotator: str
    items: int
    judge: float
    person: float
    p: float
    advantage: bool


@dataclass(frozen=True, slots=True)
class AlternativeAnnotator:
    """The test's outcome. ``winning_rate`` is the share of annotators over whom the judge has the advantage,
    ``advantage`` the mean share of items on which it fits at least as well (the average advantage probability).
    ``passed`` is None where the test cannot be made, for ``reason``, which may also hold a caution."""

    epsilon: float
    winning_rate: float | None
    advantage: float | None
    passed: bool | None
    annotators: tuple[AgainstOne, ...] = ()
    reason: str = ""


def alternative_annotator_test(
    judge: ArrayLike,
    annotators: ArrayLike,
    names: Sequence[str],
    level: Level,
    *,
    clusters: Sequence[Hashable] | None = None,
    epsilon: float = EPSILON["experts"],
) -> AlternativeAnnotator:
    """Test ``judge`` (one value a unit) against ``annotators`` (annotators by units); NaN where there is none.

    A unit counts for annotator j if j, the judge and at least one other annotator rated it; annotators with fewer than
    :data:`ENOUGH_ITEMS`, or over whom the differences do not vary, are not tested. Tests are one-sided, over
    ``clusters`` (of each unit; without, each unit is one), and corrected by Benjamini and Yekutieli (2001), which holds
    for dependent tests.

    Raises:
        DeclarationError: the shapes do not fit, or epsilon is out of range.
    """

    verdicts, table = np.asarray(judge, dtype=float), np.asarray(annotators, dtype=float)
    if table.ndim != 2 or verdicts.shape != table.shape[1:] or len(names) != len(table):
        raise DeclarationError(
            f"a judge of {verdicts.shape} and {len(names)} names for annotators of {table.shape}"
        )
    if not 0 <= epsilon < 1:
        raise DeclarationError(f"epsilon must lie in [0, 1), not at {epsilon}")
    topics = list(range(len(verdicts))) if clusters is None else list(clusters)
    if len(topics) != len(verdicts):
        raise DeclarationError(f"{len(topics)} clusters for {len(verdicts)} units")
    if len(table) < 2:
        return AlternativeAnnotator(
            epsilon, None, None, None, reason="no test: one annotator labeled, and it takes several"
        )
    rows = [
        _against(verdicts, table, place, names[place], level, epsilon, topics) for place in range(len(table))
    ]
    tested = [row for row in rows if isinstance(row, AgainstOne)]
    untested = "; ".join(
        f"{count} of {len(rows)} annotators: {why}"
        for why, count in Counter(row for row in rows if isinstance(row, str)).items()
    )
    if not tested:
        return AlternativeAnnotator(epsilon, None, None, None, reason=f"no test: {untested}")
    corrected = false_discovery_control([row.p for row in tested], method="by")
    corrected_rows = tuple(
        replace(row, advantage=bool(p <= FALSE_DISCOVERY)) for row, p in zip(tested, corrected, strict=True)
    )
    rate = sum(row.advantage for row in corrected_rows) / len(corrected_rows)
    cautions = []
    if len(corrected_rows) < ENOUGH_ANNOTATORS:
        cautions.append(f"{len(corrected_rows)} annotators tested, {ENOUGH_ANNOTATORS} are wanted")
    if untested:
        cautions.append(f"left out: {untested}")
    advantage = sum(row.judge for row in corrected_rows) / len(corrected_rows)
    passed = rate >= WINNING_RATE
    return AlternativeAnnotator(epsilon, rate, advantage, passed, corrected_rows, "; ".join(cautions))


def _against(
    verdicts: NDArray[np.float64],
    table: NDArray[np.float64],
    place: int,
    name: str,
    level: Level,
    epsilon: float,
    topics: Sequence[Hashable],
) -> AgainstOne | str:
    """The test against one annotator, or why there is none."""
    others = np.delete(table, place, axis=0)
    shared = ~np.isnan(verdicts) & ~np.isnan(table[place]) & (~np.isnan(others)).any(axis=0)
    n = int(shared.sum())
    if n < ENOUGH_ITEMS:
        return f"fewer than {ENOUGH_ITEMS} items shared with the judge and another annotator"
    judge = _fit(verdicts[shared], others[:, shared], level)
    person = _fit(table[place, shared], others[:, shared], level)
    judge_wins, person_wins = judge >= person - 1e-12, person >= judge - 1e-12
    d = person_wins.astype(float) - judge_wins.astype(float)
    names = [topic for topic, counts in zip(topics, shared, strict=True) if counts]
    advantage = mean(d, names)
    above = advantage.above(epsilon)
    if above is None:
        return f"{number(advantage.clusters, 'topic')} only, and {FEWEST_TESTED} are needed for a test"
    if not advantage.varies:
        return "the difference does not vary, so that it cannot be tested"
    return AgainstOne(name, n, float(judge_wins.mean()), float(person_wins.mean()), 1 - above, False)


def _fit(values: NDArray[np.float64], others: NDArray[np.float64], level: Level) -> NDArray[np.float64]:
    """How well each value fits the others' of its unit; higher is better."""
    there = ~np.isnan(others)
    if level == "nominal":
        return np.asarray(((others == values) & there).sum(axis=0) / there.sum(axis=0))
    squares = np.where(there, (others - values) ** 2, 0.0)
    return np.asarray(-np.sqrt(squares.sum(axis=0) / there.sum(axis=0)))
