"""The offline model's findings, put into the words of a typed answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from conqret.baseline import By, Finding
from conqret.judging.judge_parts import Case
from conqret.judging.scales import ONE_TO_FIVE, Scale

SIDES = {"first": "argument_1", "second": "argument_2", "tie": "tie"}


def stated(case: Case, finding: Finding, scale: Scale) -> dict[str, Any]:
    """A finding as an explanation and a rating on ``scale``.

    Of several samples so many go up to the next rating as the finding is near to it: their mean is finer than the
    scale, which has three points at times.
    """
    up = (case.sample + 0.5) / case.options.samples
    return {"explanation": finding.explanation, "rating": scale.rating(finding.value, up)}


def side(first: float, second: float, tie: str) -> str:
    """Which of two ratings is higher, as ``argument_1``, ``argument_2`` or the word for neither."""
    return tie if first == second else "argument_1" if first > second else "argument_2"


def covered(case: Case, nuggets: Sequence[str], by: By, *, weight: float = 1.0) -> list[int]:
    """The coverage of each nugget by the documents or an argument, times ``weight``, from 1 to 5."""
    return [ONE_TO_FIVE.rating(weight * case.evidence.coverage(nugget, by)) for nugget in nuggets]
