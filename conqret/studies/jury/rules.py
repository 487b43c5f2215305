"""How the scores of several judges become one: their mean, or their median, which is the majority of an odd number of
judges whose scores have two values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Rule = Literal["mean", "median"]
RULES: tuple[Rule, ...] = get_args(Rule)


def combine(rule: Rule, scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """What a rule makes of scores of one metric (units by judges, none missing): one score of each unit."""
    import numpy as np

    return np.asarray((np.mean if rule == "mean" else np.median)(scores, axis=1))
