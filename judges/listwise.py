"""listwise: the fifteen dimensions of argument quality in one call (ConQRet, section 5.1, Table 11)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conqret.data import Measure
from conqret.judging.base import Ask, Case, Judge, Reply
from conqret.judging.baseline import stated
from conqret.judging.dimensions import DIMENSIONS
from conqret.judging.responses import Typed, dimensions_model
from conqret.judging.scales import ONE_TO_THREE, Scale, rated


def score_dimensions(dimensions: Any, scale: Scale) -> dict[str, Measure]:
    """The measures of the fifteen ratings, in the order of the taxonomy, whatever order they were given in."""
    return {
        dimension.name: rated(scale, given.rating, given.explanation)
        for dimension in DIMENSIONS
        for given in (getattr(dimensions, dimension.name),)
    }


def baseline_dimensions(case: Case, scale: Scale) -> dict[str, Any]:
    """The fifteen ratings from lexical evidence."""
    found = case.evidence.dimensions()
    return {dimension.name: stated(found[dimension.name], scale) for dimension in case.dimensions}


def score(reply: Reply[Typed], case: Case) -> Mapping[str, Measure]:
    """(rating - 1) / 2 for each dimension."""
    return score_dimensions(reply.value, ONE_TO_THREE)


JUDGE = Judge(
    name="listwise",
    summary="the 15 quality dimensions of the argument in one call",
    scale=str(ONE_TO_THREE),
    score="(rating - 1) / 2",
    source="ConQRet, section 5.1, Table 11",
    asks=(
        Ask(
            prompt="listwise",
            metrics=tuple(dimension.name for dimension in DIMENSIONS),
            needs=frozenset({"argument"}),
            response=lambda case: dimensions_model(case.dimensions, ONE_TO_THREE),
            score=score,
            baseline=lambda case: baseline_dimensions(case, ONE_TO_THREE),
        ),
    ),
)
