"""The results of ``conqret judges abstain``: confidence thresholds, and how they are applied to judgments; and the rule
of a cascade of two judges.

A score below the threshold is *unscored: unsure*, and never 0; so is a score without this confidence. In a cascade the
last judge gives it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

from pydantic import Field

from conqret.data import Judgment, Measure, Reason
from conqret.data.item import Frozen
from conqret.errors import DeclarationError
from conqret.judging.cascade import CascadeRule
from conqret.judging.scales import confidences
from conqret.stats.estimate import Estimate
from conqret.stats.selective import CascadeStep, SelectedScores
from conqret.studies.agreement.agreement_settings import Basis, FittedFile


class ConfidenceQuality(Frozen):
    """The quality of confidences as probabilities that a score is right; 0 is best.

    ``brier`` is the Brier score, ``error`` the expected calibration error.
    """

    brier: Estimate
    error: Estimate


class AbstentionRow(Frozen):
    """The abstention threshold of one rule, for these ``metrics``.

    - ``units``: units with a label, a score and a confidence, on so many ``topics``.
    - ``unsaid``: the number of scores without a confidence.
    - ``wrong``: the share of wrong scores without abstention.
    - ``threshold``: the lowest confidence of a kept score; None if no threshold is shown to meet the
    guarantee.
    - ``curve``: the risk-coverage curve.
    - ``stated``: the quality of the confidences; ``constant``: the Brier score of the same probability for
    all scores.
    """

    metrics: tuple[str, ...]
    units: int
    topics: int
    unsaid: int
    wrong: Estimate
    threshold: float | None
    curve: tuple[SelectedScores, ...]
    stated: ConfidenceQuality
    constant: float

    @property
    def chosen(self) -> SelectedScores | None:
        """The point of the risk-coverage curve at the threshold; None if there is no threshold."""
        return next((step for step in self.curve if step.threshold == self.threshold), None)


class Abstention(FittedFile):
    """The abstention rules of one judge configuration, with their risk guarantee.

    Among kept scores, the share of wrong ones is at most ``error``, with a failure probability of ``delta``
    over samples of topics. A score is wrong if its distance from the aggregated label exceeds ``tolerance``
    (a share of the scale), or if nominal labels differ.

    ``source`` is the kind of confidence. ``rules`` maps each metric to its threshold (None: every score is
    dropped). ``found`` maps dimensions (or ``all``) to the results behind the rules. ``left_out`` says why a
    labeled dimension has no rule.
    """

    WHAT: ClassVar[str] = "abstention"
    UNCOVERED: ClassVar[str] = "{} has no rule, and is never abstained from"
    COMMAND: ClassVar[str] = "conqret judges abstain"

    schema_name: Literal["conqret.abstention/3"] = "conqret.abstention/3"
    basis: Basis
    source: str
    error: float = Field(gt=0, lt=1)
    delta: float = Field(gt=0, lt=1)
    tolerance: float = Field(ge=0, le=1)
    rules: Mapping[str, float | None]
    found: Mapping[str, AbstentionRow]
    left_out: Mapping[str, str]

    @property
    def kept(self) -> bool:
        """True if some scores can be kept."""
        return any(threshold is not None for threshold in self.rules.values())

    @property
    def guarantee(self) -> str:
        """The risk guarantee as a clause of a sentence."""
        return (
            f"at most {self.error:.0%} of the kept scores are wrong, in {1 - self.delta:.0%} of random samples of "
            "topics, if the labeled items are a random sample of the items to be scored"
        )

    def apply_to(self, judgment: Judgment) -> Judgment:
        """Return the judgment with scores below their thresholds marked as unscored; unchanged if there are
        none.
        """
        held = {
            name: self._unsure(measure, self.rules[name])
            for name, measure in judgment.measures.items()
            if name in self.rules and measure.value is not None
        }
        changed = {name: measure for name, measure in held.items() if measure is not None}
        if not changed:
            return judgment
        return judgment.model_copy(update={"measures": {**judgment.measures, **changed}})

    def _unsure(self, measure: Measure, threshold: float | None) -> Measure | None:
        """Return the measure in place of a score that is below its threshold, or has no confidence: unscored, with the
        score and the confidence in its detail. None for a score that is kept. Without a threshold no score is kept."""
        sure = confidences(measure).get(self.source)
        if sure is not None and threshold is not None and sure >= threshold:
            return None
        confidence = ("no confidence" if sure is None else f"confidence {sure:.3f}") + f" ({self.source})"
        wanted = "no confidence is enough" if threshold is None else f"{threshold:.3f} is needed"
        left = Measure.missing(Reason.UNSURE, f"would be {measure.value:.3f} with {confidence}; {wanted}")
        return left.model_copy(
            update={"confidence": confidences(measure), "explanation": measure.explanation}
        )


TOGETHER = "all"
"""The name of the rule for all metrics together."""
SOURCE_NAMES = {
    "logprobs": "log-probabilities of the model",
    "probabilities": "spread of a decision model's probabilities",
    "samples": "agreement of repeated samples",
    "stated": "confidence that the judge states",
    "orders": "agreement of both orders of the arguments",
}
"""The sources of confidence, in words."""


GATE = 0.9
"""The stated confidence of a gate without a guarantee, to which the cascade is compared."""


class LastJudge(Frozen):
    """The judge that judges what the first one is unsure of: its model, fingerprint, options and model settings."""

    model: str
    fingerprint: str
    options: Mapping[str, Any]
    model_options: Mapping[str, Any]


class CascadeErrors(Frozen):
    """The shares of wrong scores among ``units`` labeled scores, by who judges.

    ``first`` and ``last`` judge alone. ``cascade`` is None without a threshold. ``gate`` keeps what the first judge is
    sure of by at least :data:`GATE`.
    """

    metrics: tuple[str, ...]
    units: int
    topics: int
    first: Estimate
    last: Estimate
    cascade: Estimate | None
    gate: Estimate


class Cascade(FittedFile):
    """The rule of a cascade of two judge configurations, with its guarantee.

    The first judge keeps an item if its confidence from ``source`` is at least ``threshold``, the lowest of
    ``metrics``, or, if ``together``, their mean; the ``last`` one judges the others. In each metric (if ``together``:
    in all metrics taken together) the cascade makes at most ``margin`` more errors than the last judge alone, as a
    share of the scores, with a failure probability of ``delta`` over samples of topics. A score is wrong if its
    distance from the aggregated label exceeds ``tolerance`` (a share of the scale), or if nominal labels differ.

    ``curve`` has the thresholds as they were tested. ``errors`` maps dimensions, and ``all`` of them, to the errors of
    each judge. ``gate_share`` is the share of items that the gate keeps. ``left_out`` says why a labeled dimension is
    not covered; ``unpaired`` counts the labeled scores of the first judge that the last one lacks.
    """

    WHAT: ClassVar[str] = "cascade"
    UNCOVERED: ClassVar[str] = "the guarantee does not cover {}"
    COMMAND: ClassVar[str] = "conqret judges abstain --against"

    schema_name: Literal["conqret.cascade/1"] = "conqret.cascade/1"
    last: LastJudge
    basis: Basis
    source: str
    margin: float = Field(gt=0, lt=1)
    delta: float = Field(gt=0, lt=1)
    tolerance: float = Field(ge=0, le=1)
    together: bool
    metrics: tuple[str, ...]
    threshold: float | None
    curve: tuple[CascadeStep, ...]
    errors: Mapping[str, CascadeErrors]
    gate_share: float
    left_out: Mapping[str, str]
    unpaired: int

    @property
    def chosen(self) -> CascadeStep | None:
        """The tested step at the threshold; None if there is no threshold."""
        return next((step for step in self.curve if step.threshold == self.threshold), None)

    @property
    def kept(self) -> bool:
        """True if some calls can be saved."""
        return self.threshold is not None

    @property
    def rule(self) -> CascadeRule:
        """The rule by which the first judge keeps an item.

        Raises:
            DeclarationError: no threshold is shown to meet the guarantee.
        """
        if self.threshold is None or self.chosen is None:
            raise DeclarationError(
                f"the cascade has no threshold, so {self.model} would keep no item: judge with --model "
                f"{self.last.model} alone, or label more topics"
            )
        return CascadeRule(
            source=self.source,
            metrics=self.metrics,
            together=self.together,
            threshold=self.threshold,
            share=self.chosen.share,
        )

    def check_last(self, format_name: str, model: str, fingerprints: Sequence[str]) -> None:
        """Raise DeclarationError if the cascade was fitted with a last judge that has none of these ``fingerprints``
        (the message names the first, ``format_name`` and ``model``)."""
        if self.last.fingerprint not in fingerprints:
            raise DeclarationError(
                f"the cascade was fitted with {self.format} by {self.last.model} (fingerprint "
                f"{self.last.fingerprint}) as its last judge, but --escalate means {format_name} by {model} "
                f"({fingerprints[0]}): make one for these two judges with {self.COMMAND}"
            )

    def uncovered(self, metrics: Sequence[str]) -> tuple[str, ...]:
        """Return a note on the metrics of a run that the guarantee does not cover; empty if it covers all.

        Raises:
            DeclarationError: the run lacks a metric whose confidence the rule needs.
        """
        if lacking := [name for name in self.metrics if name not in metrics]:
            raise DeclarationError(
                f"the cascade needs the confidence in {', '.join(lacking)}, which is not judged here: judge it too"
            )
        others = [name for name in metrics if name not in self.metrics]
        if not others:
            return ()
        return (f"the guarantee of the cascade does not cover {', '.join(others)}, which had no labels",)
