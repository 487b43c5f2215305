"""The tables of the judge card."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self

from conqret.data.item import Frozen
from conqret.judging.summary import Summary
from conqret.reliability.sensitivity.curves import Curve, Point
from conqret.reliability.validation.dimension import DimensionValidation
from conqret.reliability.validation.validate import Average
from conqret.stats.estimate import Estimate


class AgreementRow(Frozen):
    """One dimension: Krippendorff's alpha of the judge with people (``judge``), of one person with the others
    (``person``: what is fair to ask of the judge) and among all people (``people``); rank correlation and accuracy
    beside the base rate; whether the judge can stand in for one of the people (None: no test)."""

    dimension: str
    metric: str
    level: str
    scale: str
    target: str
    units: int
    annotators: int
    coverage: float
    judge: Estimate
    person: Estimate
    people: Estimate
    spearman: Estimate
    accuracy: Estimate
    base_rate: Estimate
    stands_in: bool | None

    @classmethod
    def of(cls, one: DimensionValidation) -> Self:
        """The row of a validated dimension."""
        return cls(
            dimension=one.dimension,
            metric=one.metric,
            level=one.level,
            scale=one.scale,
            target=one.target,
            units=one.compared,
            annotators=len(one.annotators),
            coverage=one.coverage,
            judge=one.alpha,
            person=one.person,
            people=one.people,
            spearman=one.statistics["spearman"],
            accuracy=one.statistics["accuracy"],
            base_rate=one.statistics["base_rate"],
            stands_in=one.alternative.passed,
        )


class AverageRow(Frozen):
    """Alpha averaged over ``dimensions``, without overall quality."""

    dimensions: int
    judge: Estimate
    person: Estimate
    people: Estimate

    @classmethod
    def of(cls, average: Average) -> Self | None:
        """The row, or None where there is nothing to average."""
        if len(average.dimensions) < 2:
            return None
        return cls(
            dimensions=len(average.dimensions),
            judge=average.judge["mean"],
            person=average.person,
            people=average.people,
        )


class SensitivityRow(Frozen):
    """One curve: the metric's mean at each level of a perturbation, and whether that is ``expected``."""

    perturbation: str
    unit: str
    metric: str
    expected: str | None
    points: tuple[Point, ...]
    n: int
    verdict: bool | None
    words: str

    @classmethod
    def of(cls, curve: Curve) -> Self:
        """The row of a curve."""
        return cls(
            perturbation=curve.perturbation,
            unit=curve.unit,
            metric=curve.metric,
            expected=curve.expected,
            points=curve.points,
            n=curve.n,
            verdict=curve.verdict,
            words=curve.words,
        )


class Cost(Frozen):
    """What the run took: ``calls`` requests (answered by the model or a recording), tokens, US dollars (None where
    a price is unknown) and the model's seconds; an ``item`` takes the mean of each."""

    judgments: int
    calls: int
    prompt_tokens: int
    completion_tokens: int
    usd: float | None
    seconds: float
    item: Mapping[str, float | None]

    @classmethod
    def of(cls, summary: Summary) -> Self:
        """The costs of a finished run."""
        used, total = summary.usage, summary.total
        calls = used.calls + used.recorded
        usd = None if used.unpriced else used.cost_usd
        return cls(
            judgments=total,
            calls=calls,
            prompt_tokens=used.prompt_tokens,
            completion_tokens=used.completion_tokens,
            usd=usd,
            seconds=used.seconds,
            item={
                "calls": calls / total if total else None,
                "tokens": (used.prompt_tokens + used.completion_tokens) / total if total else None,
                "usd": usd / total if usd is not None and total else None,
                "seconds": used.seconds / total if total else None,
            },
        )
