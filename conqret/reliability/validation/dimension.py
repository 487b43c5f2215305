"""What is known of the judge on one dimension, beside the people who labelled it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict

from conqret.stats.agreement import Alphas
from conqret.stats.alternative_annotator import AlternativeAnnotator
from conqret.stats.estimate import Estimate
from conqret.stats.prediction_powered import CorrectedMean
from conqret.stats.rogan_gladen import CorrectedShare

STATISTICS = (
    "base_rate",
    "accuracy",
    "kappa",
    "weighted_kappa",
    "f1",
    "mcc",
    "auroc",
    "spearman",
    "kendall",
    "pearson",
)
"""What is computed of the pairs of a score and a label, beside alpha."""


class DimensionValidation(BaseModel):
    """The judge on one dimension, beside the people.

    Units: ``judged`` by the judge, ``labelled`` of these by people, ``scored`` of the labelled with a score
    (``coverage`` is their share), ``compared`` in the end (people may have no majority). ``reasons`` say why
    judged units have no score. ``target`` and ``onto`` say in words how several labels became one, and how scores came
    onto the labels' scale. ``values`` counts people's labels.

    ``alpha`` is that of judge and people's one label, ``variants`` the same for the judge's mean, majority and
    single samples; ``alpha_each`` the mean over annotators of the alpha with that one alone. ``people`` is alpha among
    the people, ``person`` what one of them reaches against the one label of the others (mean over them): the
    fair comparison for ``alpha``. ``statistics`` has base_rate, accuracy, kappa, weighted_kappa, f1, mcc, auroc,
    spearman, kendall and pearson, each with a value or a reason. ``mean`` estimates the mean of people's labels over
    all judged units in [0, 1], ``share`` that of positives among the unlabelled ones; ``worst_case`` and ``best_case``
    bound the judge's own mean if every missing score were 0 or 1.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    dimension: str
    metric: str
    level: str
    scale: str
    target: str
    onto: str
    positive: str
    annotators: list[str]
    judged: int
    labelled: int
    scored: int
    compared: int
    coverage: float
    reasons: dict[str, int]
    values: dict[str, int]
    missing_labels: int
    cannot_judge: int
    alpha: Estimate
    variants: dict[str, Estimate]
    alpha_each: Estimate
    people: Estimate
    person: Estimate
    fleiss: Estimate
    statistics: dict[str, Estimate]
    alternative: AlternativeAnnotator
    mean: CorrectedMean
    share: CorrectedShare | None
    worst_case: float | None
    best_case: float | None


@dataclass(frozen=True, slots=True)
class Checked:
    """The result, with the alphas whose resamples averages are made of."""

    result: DimensionValidation
    judge_alphas: Mapping[str, Alphas]
    people_alphas: Alphas
    person_alphas: Alphas
