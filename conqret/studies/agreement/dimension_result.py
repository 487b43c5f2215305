"""What is known of the judge on one dimension, beside the people who labelled it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from conqret.data import Judgment, Status
from conqret.data.item import Frozen
from conqret.show import words
from conqret.stats.alternative_annotator import AlternativeAnnotator
from conqret.stats.estimate import Estimate
from conqret.stats.prediction_powered import CorrectedMean

WEAK = 0.667
"""Krippendorff's own bound, below which no conclusion should be drawn (Content Analysis, section 11.4)."""


class DimensionAgreement(Frozen):
    """The judge's agreement with people on one dimension, as a card tells it: without people's names.

    ``compared`` units have a score and people's one label, ``coverage`` is the share of the labelled units that have a
    score. ``target`` says in words how several labels became one. ``alpha`` is Krippendorff's of judge and people's one
    label, ``people`` that among the people, ``person`` what one of them reaches against the one label of the others
    (mean over them), and ``as_person`` what the judge reaches in that one's place, against the same labels of the same
    units: the two are fairly compared, and ``to_person`` is the second minus the first. ``calibrated`` is alpha where a
    calibration put the scores onto people's scale. ``statistics`` has all that are declared in
    :mod:`conqret.studies.agreement.statistics`, each with a value or a reason. ``over`` is the alpha of the judge
    (calibrated, where it is) minus that of each free baseline, on the same units (one below 0 counts as 0).
    """

    dimension: str
    metric: str
    level: str
    scale: str
    target: str
    annotators: int
    compared: int
    coverage: float
    alpha: Estimate
    people: Estimate
    person: Estimate
    as_person: Estimate
    calibrated: Estimate
    statistics: Mapping[str, Estimate]
    over: Mapping[str, Estimate] = {}
    to_person: Estimate = Estimate(None)

    @property
    def parted(self) -> bool:
        """Whether people's alpha among themselves is not told apart from chance."""
        return self.people.low is not None and self.people.sign < 1


class DimensionValidation(DimensionAgreement):
    """Everything about the judge on one dimension.

    Units: ``judged`` by the judge, ``labelled`` of these by people (``names``), ``scored`` of the labelled with a
    score. ``reasons`` say why judged units have no score. ``onto`` says in words how scores came onto the labels'
    scale. ``values`` counts people's labels.

    ``variants`` are alpha for the judge's mean, majority and single samples, for its ``calibrated`` scores, and for
    the free baselines (``length``, ``constant``, ``floor``).
    ``mean`` estimates the mean of people's labels over all judged units in [0, 1].
    """

    onto: str
    names: list[str]
    judged: int
    labelled: int
    scored: int
    reasons: dict[str, int]
    values: dict[str, int]
    missing_labels: int
    cannot_judge: int
    variants: dict[str, Estimate]
    alternative: AlternativeAnnotator
    mean: CorrectedMean

    @property
    def agreement(self) -> DimensionAgreement:
        """What a card tells of it."""
        return DimensionAgreement(**{name: getattr(self, name) for name in DimensionAgreement.model_fields})


class Average(Frozen):
    """Means over ``dimensions``: overall quality and, where the taxonomy of argument quality was labelled, all that
    does not belong to it are left out. ``judge`` has each variant, ``people`` people among themselves,
    and ``gain`` is the alpha of the calibrated scores minus that of the scores as they are."""

    dimensions: list[str]
    judge: dict[str, Estimate]
    people: Estimate
    person: Estimate
    as_person: Estimate
    gain: Estimate


class LanguageAgreement(Frozen):
    """The judge on one dimension and the items in one ``language`` (a code): ``units`` with a score and people's one
    label, on so many ``topics``; the ``alpha`` of judge and people, and that of the ``people`` among themselves."""

    language: str
    dimension: str
    units: int
    topics: int
    alpha: Estimate
    people: Estimate


class Missingness(Frozen):
    """Judgments by status and reason."""

    total: int
    scored: int
    unscored: int
    failed: int
    reasons: dict[str, int]


def missing_words(missing: Missingness) -> str:
    """How many scores are missing, in a sentence."""
    total, scored, unscored, failed = map(
        words.count, (missing.total, missing.scored, missing.unscored, missing.failed)
    )
    if scored == total:
        return f"No score is missing: all {total} judgments have all their scores."
    reasons = ", ".join(f"{words.reason(name)}: {words.count(n)}" for name, n in missing.reasons.items())
    return (
        f"Of {total} judgments {scored} have all their scores, {unscored} got no valid response, and {failed} got no "
        f"response (reasons: {reasons or 'none'})."
    )


def missingness(judgments: Sequence[Judgment]) -> Missingness:
    """Count what is missing among ``judgments``."""
    statuses = Counter(judgment.status for judgment in judgments)
    reasons = Counter(str(judgment.reason) for judgment in judgments if judgment.reason is not None)
    return Missingness(
        total=len(judgments),
        scored=statuses[Status.SCORED],
        unscored=statuses[Status.UNSCORED],
        failed=statuses[Status.FAILED],
        reasons=dict(sorted(reasons.items())),
    )
