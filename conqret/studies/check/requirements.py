"""Requirements on a check, such as ``tnr.low >= 0.8``: met, not met, or undecided until more rows are labeled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from conqret.console.conditions import OPERATORS, Requirement, RequirementOutcome
from conqret.errors import DeclarationError, check_known, number
from conqret.stats.estimate import Estimate
from conqret.stats.verdict_rates import labels_to_decide
from conqret.studies.check.result import TITLES, CheckResult, JudgeCheck
from conqret.text.words import dimension_name

EXAMPLE = "tnr.low >= 0.8"
COVERAGE = "coverage"
OF_CLASS = ("recall", "precision")
KNOWN = (*TITLES, COVERAGE, *OF_CLASS)
SHARES = ("tnr", "tpr", "agreement", "flip_rate", "changed", *OF_CLASS)
"""Shares of the rows that their n counts: their intervals narrow as those of binomial shares do."""
OF_ALL_ROWS = ("judge_mean", "flip_rate", "first_share", "changed", "run_sd")
"""Figures that take no labels: more rows decide them."""


@dataclass(frozen=True, slots=True)
class CheckOutcome(RequirementOutcome):
    """The outcome of a requirement on a check.

    It is undecided where the condition is on an end of the interval, and the value meets it but the end does not;
    ``labels`` is how many more rows decide it (labeled ones, if the figure takes labels), None where that cannot be
    known.
    """

    undecided: bool = False
    labels: int | None = None
    unit: str = "more labeled row"

    @property
    def status(self) -> Literal["met", "not met", "undecided"]:
        """The outcome in words."""
        return "met" if self.met else "undecided" if self.undecided else "not met"

    def __str__(self) -> str:
        if not self.undecided:
            return RequirementOutcome.__str__(self)
        more = f"; {number(self.labels, self.unit)} would decide it" if self.labels else ""
        return f"undecided: {self.requirement} ({self.value:.3f}, {self.reason}{more})"


def parse_requirement(text: str) -> Requirement:
    """Parse a condition such as ``tnr.low >= 0.8``, ``recall[refund] >= 0.7`` or ``tnr[gpt-4o] >= 0.8``.

    Raises:
        DeclarationError: the text has another form.
        UnknownNameError: there is no such figure.
    """
    ended = [name for name in KNOWN if name != COVERAGE]
    requirement = Requirement.parse(text, KNOWN, "figure to require", EXAMPLE, ended)
    if requirement.name in OF_CLASS and requirement.dimension is None:
        raise DeclarationError(
            f"the requirement {text!r} names no class: write, for example, {requirement.name}[refund] >= 0.7"
        )
    return requirement


def check_requirement(requirement: Requirement, result: CheckResult) -> CheckOutcome:
    """Check one requirement; without a judge's name in brackets, it is on the first judge.

    Raises:
        UnknownNameError: there is no such judge or class, or verdicts of this kind have no such figure.
    """
    judge, name = result.judges[0], requirement.name
    if name in OF_CLASS:
        if not judge.classes:
            raise DeclarationError(
                f"{name} is of classes without an order, and these verdicts are none: see tnr and tpr"
            )
        classes = {dimension_name(one.name): one for one in judge.classes}
        check_known("class", classes, requirement.dimension or "")
        estimate: Estimate = getattr(classes[requirement.dimension or ""], name)
    else:
        if requirement.dimension is not None:
            judges = {dimension_name(one.name): one for one in result.judges}
            check_known("judge", judges, requirement.dimension)
            judge = judges[requirement.dimension]
        estimate = Estimate(judge.coverage) if name == COVERAGE else judge.figure(name)
    return _outcome(requirement, estimate, judge, result.confidence)


def _outcome(
    requirement: Requirement, estimate: Estimate, judge: JudgeCheck, confidence: float
) -> CheckOutcome:
    value, bound = requirement.end_of(estimate), requirement.bound
    holds = OPERATORS[requirement.operator]
    if value is not None and holds(value, bound):
        return CheckOutcome(requirement.text, True, value)
    if requirement.end is None or estimate.value is None or not holds(estimate.value, bound):
        return CheckOutcome(
            requirement.text, False, value, (estimate.reason or "it has no value") * (value is None)
        )
    labels = labels_to_decide(
        estimate,
        bound,
        estimate.n if requirement.name in OF_ALL_ROWS else judge.compared,
        end="high" if requirement.end == "high" else "low",
        share=requirement.name in SHARES,
        confidence=confidence,
    )
    unit = "more row" if requirement.name in OF_ALL_ROWS else "more labeled row"
    reason = f"the value is {estimate.value:.3f}"
    if value is None:
        reason = f"{reason}, and {estimate.reason or 'there is no interval'}"
        return CheckOutcome(requirement.text, False, estimate.value, reason, (), True)
    return CheckOutcome(requirement.text, False, value, reason, (), True, labels, unit)
