"""Groups of metrics that perturbations state their expectations about."""

from __future__ import annotations

from collections.abc import Iterable

from conqret.judging.dimensions import DIMENSIONS
from conqret.perturb.perturbation import Direction

RELEVANCE = ("context_relevance", "predicted_precision", "second.context_relevance")
"""What is said of the documents."""

GROUNDING = ("groundedness", "citation_precision", "citation_recall")
"""What is said of the argument against its documents."""

ANSWER = ("answer_relevance",)
"""What is said of the argument against the topic."""

SECOND = ("second.groundedness", "second.answer_relevance")
"""What is said of the other argument."""

QUALITY = tuple(dimension.name for dimension in DIMENSIONS)
"""The fifteen dimensions of the argument's quality."""

PREFERENCE = ("preference",)
"""Which of two arguments is better: 1 for the first."""

CORRECTNESS = ("correctness", "completeness", "correctness_f1")
"""What is said of the argument against a reference."""

RECALL = ("context_recall",)
"""What is said of the documents against a reference."""

EVERYTHING = (*RELEVANCE, *GROUNDING, *ANSWER, *SECOND, *QUALITY, *PREFERENCE, *CORRECTNESS, *RECALL)


def expect(
    *, fall: Iterable[str] = (), unchanged: Iterable[str] = (), no_rise: Iterable[str] = ()
) -> dict[str, Direction]:
    """The expectation for each metric; a metric that is in no group is left open."""
    return (
        dict.fromkeys(fall, Direction.FALL)
        | dict.fromkeys(unchanged, Direction.UNCHANGED)
        | dict.fromkeys(no_rise, Direction.NO_RISE)
    )
