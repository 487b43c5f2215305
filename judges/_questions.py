"""What typed questions of several formats share: whether a text states facts, and measures of several answers."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from conqret.data import Measure, Part, Status
from conqret.judging.deciding import CANNOT, METHOD, declared
from conqret.judging.judge_parts import Case
from conqret.judging.scales import mean_of
from conqret.llm.decisions import Distribution, Question

_FIGURE = re.compile(r"\d")
"""A figure, or the number of a cited document: only a text that states facts has one."""


def states_facts(case: Case) -> dict[str, Question]:
    """Return the question whether there are statements of fact to be judged; nothing for a text with a digit, as
    figures and citations have.
    """
    return {} if _FIGURE.search(case.item.argument or "") else {"facts": declared("states_facts")}


def likeliest(distribution: Distribution) -> str:
    """Return the answer with the highest probability, the first of equal ones; :data:`CANNOT` is none."""
    return max((label for label in distribution if label != CANNOT), key=distribution.__getitem__)


def mean_measure(measures: Sequence[Measure], names: Sequence[str], *, verdicts: bool = False) -> Measure:
    """Return the measure with the mean of several scored ones, each of which is a part by its name; with
    ``verdicts``, the likeliest answers are the labels of the parts.
    """
    sure = [measure.confidence[METHOD] for measure in measures]
    parts = (
        Part(
            id=name,
            value=measure.value,
            raw=measure.raw,
            label=likeliest(measure.distribution) if verdicts else None,
            distribution=measure.distribution,
        )
        for measure, name in zip(measures, names, strict=True)
    )
    return Measure(
        status=Status.SCORED,
        value=mean_of(measure.value for measure in measures),
        raw=mean_of(measure.raw for measure in measures),
        method=METHOD,
        confidence={METHOD: math.fsum(sure) / len(sure)},
        parts=tuple(parts),
    )
