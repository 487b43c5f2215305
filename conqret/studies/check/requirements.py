"""Requirements on a check, such as ``tnr.low >= 0.8``: met, not met, or undecided until more rows are labeled."""

from __future__ import annotations

from dataclasses import replace

from conqret.console.conditions import Requirement, RequirementOutcome
from conqret.errors import DeclarationError, check_known, number
from conqret.stats.estimate import Estimate
from conqret.stats.verdict_rates import labels_to_decide
from conqret.studies.check.result import TITLES, CheckResult
from conqret.text.words import dimension_name

EXAMPLE = "tnr.low >= 0.8"
COVERAGE = "coverage"
OF_CLASS = ("recall", "precision")
KNOWN = (*TITLES, COVERAGE, *OF_CLASS)
SHARES = ("tnr", "tpr", "agreement", "flip_rate", "changed", *OF_CLASS)
"""Shares of the rows that their n counts: their intervals narrow as those of binomial shares do."""
OF_ALL_ROWS = ("judge_mean", "flip_rate", "first_share", "changed", "run_sd")
"""Figures that take no labels: more rows decide them."""


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


def check_requirement(requirement: Requirement, result: CheckResult) -> RequirementOutcome:
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
    rows = estimate.n if name in OF_ALL_ROWS else judge.compared
    return decide(requirement, estimate, rows, result.confidence)


def decide(
    requirement: Requirement, estimate: Estimate, labeled: int, confidence: float
) -> RequirementOutcome:
    """Return the outcome of a requirement on ``estimate``; where it is undecided, with the number of rows that would
    decide it.

    ``labeled`` is the number of rows so far: the labeled ones, or all for a figure that takes no labels.
    """
    outcome = requirement.decision(estimate)
    if not outcome.undecided or estimate.value is None:
        return outcome
    labels = labels_to_decide(
        estimate,
        requirement.bound,
        labeled,
        end="low" if estimate.value > requirement.bound else "high",
        share=requirement.name in SHARES,
        confidence=confidence,
    )
    if not labels:
        return outcome
    unit = "more row" if requirement.name in OF_ALL_ROWS else "more labeled row"
    remedy = f"about {number(labels, unit)} would decide it"
    return replace(outcome, reason=f"{outcome.reason}; {remedy}", labels=labels)
