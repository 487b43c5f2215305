"""Is the judge to be trusted? Judgments beside people's labels, in one typed result.

ConQRet, sections 5.1 and 6.1: Krippendorff's alpha between judge and people on each dimension, averaged without
overall quality, and on overall quality (Table 5), for the samples singly, their mean and their majority (Tables 6,
13, 14). Beside each stands what people reach among themselves, the base rate, and an interval.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from conqret.data import Item, Judgment
from conqret.errors import DeclarationError
from conqret.io.labels import LabelSet
from conqret.judging.dimensions import DIMENSIONS
from conqret.reliability.validation.dimension import Checked, DimensionValidation
from conqret.reliability.validation.dimension_check import check_dimension
from conqret.reliability.validation.dimension_view import PeopleRule
from conqret.reliability.validation.label_join import JoinReport, join_labels
from conqret.reliability.validation.missing import Missingness, missingness
from conqret.reliability.validation.people import OVERALL, SEED
from conqret.stats.agreement import Alphas, stack
from conqret.stats.alternative_annotator import EPSILON
from conqret.stats.bootstrap import CONFIDENCE, RESAMPLES
from conqret.stats.estimate import Estimate, undefined
from conqret.stats.resampling import draw

SCHEMA = "conqret.validation/1"


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Settings(_Frozen):
    """How the numbers came about. ``people`` is the rule that makes one label of several; ``positive_from`` the
    label from which an item counts as positive (None: binary dimensions only); ``epsilon`` the allowance of the
    alternative annotator test."""

    people: PeopleRule = "auto"
    positive_from: float | None = None
    epsilon: float = EPSILON["experts"]
    resamples: int = RESAMPLES
    confidence: float = CONFIDENCE
    seed: int = SEED


class Judge(_Frozen):
    """The instrument: its format, model and fingerprint, as the judgments have them; ``baseline`` if offline."""

    format: str
    model: str
    fingerprint: str
    baseline: bool


class Average(_Frozen):
    """Means over ``dimensions``: overall quality and, where the taxonomy of argument quality was labelled, all that
    does not belong to it are left out. ``judge`` has each variant, ``people`` people among themselves."""

    dimensions: list[str]
    judge: dict[str, Estimate]
    people: Estimate
    person: Estimate


class Validation(_Frozen):
    """Everything that judgments and labels say of a judge; JSON by ``model_dump_json``.

    ``coverage`` is the share of the judged and labelled units that have a score, over all dimensions. ``clusters``
    (of the kind ``clustered_by``) are what the intervals resample.
    """

    schema_name: str = SCHEMA
    judge: Judge
    labels: str
    layout: str
    label_notes: list[str]
    settings: Settings
    join: JoinReport
    clustered_by: str
    clusters: int
    coverage: float
    dimensions: dict[str, DimensionValidation]
    average: Average
    missing: Missingness

    @property
    def overall(self) -> DimensionValidation | None:
        """Overall quality, where it was judged and labelled."""
        return self.dimensions.get(OVERALL)


def validate(
    judgments: Iterable[Judgment],
    labels: LabelSet,
    *,
    items: Iterable[Item] = (),
    metrics: Mapping[str, str] | None = None,
    settings: Settings | None = None,
    baseline: bool = False,
    on_dimension: Callable[[str], None] | None = None,
) -> Validation:
    """Compare the judgments of one judge with ``labels``.

    ``items`` (the run's) let missing scores be compared with the length of the argument; ``metrics`` maps dimensions
    to metrics of other names; ``on_dimension`` is told of each dimension as it begins.

    Raises:
        DeclarationError: nothing meets, or the judgments come from several instruments.
        UnknownNameError: ``metrics`` names what is not there.
    """
    import numpy as np

    settings = settings or Settings()
    kept = list(judgments)
    judge = _judge(kept, baseline)
    joined = join_labels(kept, labels, metrics)
    rng = np.random.default_rng(settings.seed)
    drawn = draw(joined.clusters, rng, resamples=settings.resamples)
    checked = {}
    for dimension in joined.metrics:
        if on_dimension is not None:
            on_dimension(dimension)
        checked[dimension] = check_dimension(
            joined,
            dimension,
            drawn,
            people=settings.people,
            positive_from=settings.positive_from,
            epsilon=settings.epsilon,
            confidence=settings.confidence,
        )
    units = sum(one.result.labelled for one in checked.values())
    return Validation(
        judge=judge,
        labels=Path(labels.name).name,
        layout=labels.layout,
        label_notes=list(labels.notes),
        settings=settings,
        join=joined.report,
        clustered_by=joined.clustered_by,
        clusters=drawn.clusters,
        coverage=sum(one.result.scored for one in checked.values()) / units if units else 0.0,
        dimensions={name: one.result for name, one in checked.items()},
        average=_average(checked, settings.confidence),
        missing=missingness(kept, labels, joined, list(items), rng),
    )


def _judge(judgments: list[Judgment], baseline: bool) -> Judge:
    found = {(one.format, one.model, one.fingerprint) for one in judgments}
    if not found:
        raise DeclarationError("there are no judgments to validate")
    if len(found) > 1:
        raise DeclarationError(
            f"the judgments come from {len(found)} instruments (format, model, fingerprint): validate one at a time"
        )
    name, model, fingerprint = found.pop()
    return Judge(format=name, model=model, fingerprint=fingerprint, baseline=baseline)


def _average(checked: Mapping[str, Checked], confidence: float) -> Average:
    rows = {name: one for name, one in checked.items() if name != OVERALL}
    taxonomy = {dimension.name for dimension in DIMENSIONS}
    within = {name: one for name, one in rows.items() if name in taxonomy}
    rows = within or rows
    if not rows:
        none = undefined("overall quality is the only dimension")
        return Average(dimensions=[], judge={"mean": none}, people=none, person=none)
    variants = [
        name
        for name in next(iter(rows.values())).judge_alphas
        if all(name in one.judge_alphas for one in rows.values())
    ]

    def mean(found: list[Alphas]) -> Estimate:
        return stack(found).average(list(range(len(found))), confidence=confidence)

    return Average(
        dimensions=list(rows),
        judge={name: mean([one.judge_alphas[name] for one in rows.values()]) for name in variants},
        people=mean([one.people_alphas for one in rows.values()]),
        person=mean([one.person_alphas for one in rows.values()]),
    )
