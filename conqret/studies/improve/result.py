"""What came of improving a judge."""

from __future__ import annotations

from collections.abc import Mapping
from shlex import quote
from typing import Any, Literal

from conqret.data.item import Frozen
from conqret.runs.session import SessionCounts
from conqret.stats.estimate import Estimate
from conqret.studies.agreement.agreement_settings import Basis
from conqret.studies.improve.improved_prompt import AS_IT_IS, CALIBRATION, PROMPTS, Improvement

FEWEST_OF_ONE = 10
"""Items that an annotator has labelled whose correlation with the others counts."""
Series = Literal["as_it_is", "calibrated", "improved"]
"""What is held against the labels: the judge as it is, the same with a calibration alone, and what was chosen."""


class Candidate(Frozen):
    """What could be chosen: a variant, with a map onto the labels or without, with its mean squared error from the mean
    label in [0, 1], cross-fitted over the topics that it was chosen on. ``worse`` is that error minus the least, and
    its standard error over topics is ``error_of_worse``."""

    variant: str
    calibrated: bool
    squared_error: float
    worse: float
    error_of_worse: float

    @property
    def name(self) -> str:
        """The candidate in words."""
        text = {"as_it_is": "as it is", "both": "examples and wording"}.get(self.variant, self.variant)
        return f"{text}, calibrated" if self.calibrated else text


class VariantChoice(Frozen):
    """What was chosen without one ``fold`` of topics (-1: with all of them) among ``candidates``, the simplest first:
    the first whose error is within one standard error of the least."""

    fold: int
    variant: str
    calibrated: bool
    topics: int
    items: int
    candidates: tuple[Candidate, ...]

    @property
    def chosen(self) -> Candidate:
        """The candidate that was taken."""
        return next(
            one for one in self.candidates if (one.variant, one.calibrated) == (self.variant, self.calibrated)
        )

    @property
    def changes(self) -> bool:
        """Whether it is another judge than the one that was given."""
        return self.variant != AS_IT_IS or self.calibrated


class VariantAgreement(Frozen):
    """Agreement with the mean label: Krippendorff's alpha, Spearman's correlation, and the mean distance in [0, 1]."""

    alpha: Estimate
    spearman: Estimate
    distance: Estimate


class Ceiling(Frozen):
    """One annotator against the mean label of the others, mean over annotators, and the improved judge in that one's
    place, against the same labels of the same items; ``improved_over`` is the second minus the first."""

    annotators: int
    annotator: VariantAgreement
    improved: VariantAgreement
    improved_over: VariantAgreement


class ImproveResult(Frozen):
    """A judge before and after, on ``items`` of ``topics`` that had no part in what was chosen for them.

    ``measured`` says whether these were held out, or each fold of topics was measured on in turn. ``gain`` is what the
    improved judge has more than the judge as it is (for distances: less), paired by item, and ``over_calibration`` what
    it has more than a calibration alone; where an alpha that it is held against lies below 0, it counts as 0, that of
    agreement by chance. ``ceiling`` is None with fewer than two annotators. ``choices`` are those without each fold,
    where topics were measured on in turn, and ``final`` is that of all topics that may be learned from, which
    ``improvement`` belongs to. ``observations`` are those of the model that
    proposed the wording. ``criterion`` is that of the improved judge, and ``use`` are the options of ``conqret judge``
    that ask for it.
    """

    schema_name: str = "conqret.improvement/2"
    metric: str
    dimension: str
    format: str
    model: str
    baseline: bool
    fingerprint: str
    improved_fingerprint: str
    basis: Basis
    measured: Literal["held out", "cross-fitted"]
    training_items: int
    training_topics: int
    items: int
    topics: int
    unscored: int
    agreement: Mapping[Series, VariantAgreement]
    gain: VariantAgreement
    over_calibration: VariantAgreement
    ceiling: Ceiling | None
    choices: tuple[VariantChoice, ...]
    final: VariantChoice
    improvement: Improvement
    observations: tuple[str, ...]
    criterion: Mapping[str, Any] | None
    use: tuple[str, ...]
    options: Mapping[str, Any]
    session: SessionCounts = SessionCounts()
    missing: tuple[str, ...] = ()

    @property
    def shown(self) -> bool:
        """Whether a gain in alpha over the judge as it is is shown: its interval lies above 0."""
        return self.gain.alpha.low is not None and self.gain.alpha.low > 0

    @property
    def shown_over_calibration(self) -> bool:
        """Whether a gain in alpha over a calibration alone is shown."""
        return self.over_calibration.alpha.low is not None and self.over_calibration.alpha.low > 0

    @property
    def headline(self) -> str:
        """What came of it, in a sentence."""
        verdict = (
            "The improved judge agrees better with annotators" if self.shown else "No improvement is shown"
        )
        after, before = (self.agreement[series].alpha for series in ("improved", "as_it_is"))
        where = f"{self.items} items of {self.topics} topics without a part in training or choice"
        return f"{verdict}: alpha with the mean label {after} after, {before} before, gain {self.gain.alpha} ({where})"

    def command(self, folder: str = ".") -> str:
        """The command that judges new items with the improved judge, whose files lie in ``folder``; empty where it is
        the judge that was given, or can only be had from Python, by its ``criterion``."""
        if not self.use:
            return ""
        places = {name: f"{folder}/{name}" for name in (PROMPTS, CALIBRATION)}
        return " ".join(["conqret judge NEW.jsonl", *(quote(places.get(word, word)) for word in self.use)])
