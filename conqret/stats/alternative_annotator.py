"""Can the judge stand in for one of the people? The alternative annotator test.

Calderon, Reichart and Dror, "The Alternative Annotator Test for LLM-as-a-Judge" (ACL 2025), section 3. For each
annotator j in turn, judge and annotator are compared by how well each fits the *other* annotators on the items
that j labelled: by the share of them that say the same (nominal), or by the root mean square of the differences.
``d_ij = 1[annotator fits at least as well] - 1[judge fits at least as well]``, and the judge has the *advantage*
over j if the mean of d is significantly below ``epsilon``, what the annotator may be better by because the judge
is cheaper. The judge passes if it has the advantage over at least half of the annotators.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from conqret.errors import DeclarationError
from conqret.stats.agreement import Level

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

EPSILON: Mapping[str, float] = {"experts": 0.2, "skilled": 0.15, "crowd": 0.1}
"""What the cheaper judge is forgiven, by the kind of annotators (section 3.2)."""
FALSE_DISCOVERY = 0.05
"""The rate of false advantages among the advantages found."""
WINNING_RATE = 0.5
"""The share of annotators over whom the judge must have the advantage."""
ENOUGH_ITEMS = 30
"""Items of one annotator from which the t-test's normal approximation is trusted (section 3.1)."""
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
    people: ArrayLike,
    names: Sequence[str],
    level: Level,
    *,
    epsilon: float = EPSILON["experts"],
    false_discovery: float = FALSE_DISCOVERY,
) -> AlternativeAnnotator:
    """Test ``judge`` (one value a unit) against ``people`` (annotators by units); NaN where there is none.

    A unit counts for annotator j if j, the judge and at least one other annotator rated it. Tests are one-sided
    t-tests, corrected by Benjamini and Yekutieli (2001), which holds for dependent tests.

    Raises:
        DeclarationError: the shapes do not fit, or epsilon or the rate are out of range.
    """
    import numpy as np
    from scipy.stats import false_discovery_control

    verdicts, table = np.asarray(judge, dtype=float), np.asarray(people, dtype=float)
    if table.ndim != 2 or verdicts.shape != table.shape[1:] or len(names) != len(table):
        raise DeclarationError(
            f"a judge of {verdicts.shape} and {len(names)} names for people of {table.shape}"
        )
    if not 0 <= epsilon < 1 or not 0 < false_discovery < 1:
        raise DeclarationError(
            f"epsilon lies in [0, 1) and the false discovery rate in (0, 1): {epsilon}, {false_discovery}"
        )
    rows = [_against(verdicts, table, place, names[place], level, epsilon) for place in range(len(table))]
    tested = [row for row in rows if row is not None]
    if not tested:
        reason = "no annotator shares two items with the judge and another annotator"
        return AlternativeAnnotator(epsilon, None, None, None, reason=reason)
    corrected = false_discovery_control([row.p for row in tested], method="by")
    found = tuple(
        replace(row, advantage=bool(p <= false_discovery)) for row, p in zip(tested, corrected, strict=True)
    )
    rate = sum(row.advantage for row in found) / len(found)
    cautions = []
    if len(found) < ENOUGH_ANNOTATORS:
        cautions.append(f"{len(found)} annotators tested, {ENOUGH_ANNOTATORS} are wanted")
    few = min(row.items for row in found)
    if few < ENOUGH_ITEMS:
        cautions.append(f"{few} items with an annotator, {ENOUGH_ITEMS} are wanted")
    if len(found) < len(rows):
        cautions.append(f"{len(rows) - len(found)} annotators share too few items and are left out")
    advantage = sum(row.judge for row in found) / len(found)
    return AlternativeAnnotator(epsilon, rate, advantage, rate >= WINNING_RATE, found, "; ".join(cautions))


def _against(
    verdicts: NDArray[np.float64],
    table: NDArray[np.float64],
    place: int,
    name: str,
    level: Level,
    epsilon: float,
) -> AgainstOne | None:
    import numpy as np
    from scipy.special import stdtr

    others = np.delete(table, place, axis=0)
    shared = ~np.isnan(verdicts) & ~np.isnan(table[place]) & (~np.isnan(others)).any(axis=0)
    n = int(shared.sum())
    if n < 2:
        return None
    judge = _fit(verdicts[shared], others[:, shared], level)
    person = _fit(table[place, shared], others[:, shared], level)
    judge_wins, person_wins = judge >= person - 1e-12, person >= judge - 1e-12
    d = person_wins.astype(float) - judge_wins.astype(float)
    spread = float(d.std(ddof=1))
    if spread > 0:
        p = float(stdtr(n - 1, (d.mean() - epsilon) / (spread / np.sqrt(n))))
    else:
        p = 0.0 if d.mean() < epsilon else 1.0
    return AgainstOne(name, n, float(judge_wins.mean()), float(person_wins.mean()), p, False)


def _fit(values: NDArray[np.float64], others: NDArray[np.float64], level: Level) -> NDArray[np.float64]:
    """How well each value fits the others' of its unit; higher is better."""
    import numpy as np

    there = ~np.isnan(others)
    if level == "nominal":
        return np.asarray(((others == values) & there).sum(axis=0) / there.sum(axis=0))
    squares = np.where(there, (others - values) ** 2, 0.0)
    return np.asarray(-np.sqrt(squares.sum(axis=0) / there.sum(axis=0)))
