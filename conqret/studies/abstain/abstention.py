"""What ``conqret judges abstain`` leaves: from which confidence on a judge's scores are kept, and how that is applied.

What lies below is *unscored: unsure*, and never 0; so is a score that comes without the confidence that is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from pydantic import Field

from conqret.data import Judgment, Measure, Reason
from conqret.data.item import Frozen
from conqret.judging.scales import confidences
from conqret.stats.confidence import SelectedScores, fewest_labels
from conqret.stats.estimate import Estimate
from conqret.studies.agreement.agreement_settings import Basis, FittedFile


class Trust(Frozen):
    """What the confidences are worth as probabilities of being right: ``brier`` score and expected calibration
    ``error``; 0 is best."""

    brier: Estimate
    error: Estimate


class AbstainsOn(Frozen):
    """What was found for the metrics of one rule, on ``units`` with a label, a score and a confidence, of ``topics``.

    ``wrong`` is the error where nothing is left out, and ``threshold`` the confidence from which on scores are kept
    (None: no threshold is shown to keep the promise). ``unsaid`` scores have no confidence. ``stated`` says what the
    confidences are worth; ``constant`` is the Brier score of saying of everything how often the judge is right.
    """

    metrics: tuple[str, ...]
    units: int
    topics: int
    unsaid: int
    wrong: Estimate
    threshold: float | None
    curve: tuple[SelectedScores, ...]
    stated: Trust
    constant: float

    @property
    def taken(self) -> SelectedScores | None:
        """What the threshold keeps."""
        return next((step for step in self.curve if step.threshold == self.threshold), None)

    def why_none(self, error: float) -> str:
        """Why there is no threshold."""
        fewest = fewest_labels(error)
        if all(step.holds is None for step in self.curve):
            return f"fewer than the {fewest} labels that a guarantee of {error:.0%} needs"
        return "no threshold is shown to keep the guarantee"


class Abstention(FittedFile):
    """When one judge abstains: by ``source`` of confidence, what is kept has at most ``error`` errors, but for a chance
    of ``delta`` over topics. A score is an error where it lies further than ``tolerance`` (a share of the labels'
    scale) from people's one label, or is another label where labels have no order.

    ``rules`` has the threshold of each metric (None: all of it is left out), ``found`` what is behind them by the name
    of the dimension (or ``all`` together), and ``left_out`` why a labelled dimension has none.
    """

    WHAT: ClassVar[str] = "abstention"
    COMMAND: ClassVar[str] = "conqret judges abstain"

    schema_name: str = "conqret.abstention/3"
    basis: Basis
    source: str
    error: float = Field(gt=0, lt=1)
    delta: float = Field(gt=0, lt=1)
    tolerance: float = Field(ge=0, le=1)
    rules: Mapping[str, float | None]
    found: Mapping[str, AbstainsOn]
    left_out: Mapping[str, str]

    @property
    def promise(self) -> str:
        """What is promised, in words."""
        return (
            f"at most {self.error:.0%} of the kept scores are wrong, in {1 - self.delta:.0%} of random samples of "
            "topics, if the labeled items are a random sample of the items to be scored"
        )

    def applied(self, judgment: Judgment) -> Judgment:
        """The judgment with every score that is not trusted left out; itself, where all are."""
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
        """What stands in place of a score that is not trusted; None for one that is."""
        sure = confidences(measure).get(self.source)
        if sure is not None and threshold is not None and sure >= threshold:
            return None
        confidence = ("no confidence" if sure is None else f"confidence {sure:.3f}") + f" ({self.source})"
        wanted = "no confidence is enough" if threshold is None else f"{threshold:.3f} is needed"
        left = Measure.missing(Reason.UNSURE, f"would be {measure.value:.3f} with {confidence}; {wanted}")
        return left.model_copy(
            update={"confidence": confidences(measure), "explanation": measure.explanation}
        )
