"""Improving a judge as a run: stages of questions, each made of what earlier ones answered about topics it may see.

First the judge as it is rates all labeled items. Then, for each set of topics that something is learned from, a model
proposes a wording. Then every variant rates the items of topics that it did not learn from. With items that are held
out, the variant that is chosen on the others rates those at last. Whatever is chosen for a topic, neither examples nor
wording, variant nor map have seen one of its labels.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from conqret.data import Item, Judgment, Status
from conqret.data.digest import digest_of as plain_digest
from conqret.data.item import Frozen
from conqret.errors import DeclarationError, number
from conqret.io import item_record
from conqret.io.safe_files import InFolder
from conqret.judging.judge_folder import InstrumentRecord, trial_key
from conqret.judging.setup import Setup
from conqret.prompts import RenderedPrompt
from conqret.runs.run_folder import ITEMS, RunFolder
from conqret.runs.trials import Memory, RowStore
from conqret.stats.confidence import dealt
from conqret.stats.estimate import MIN_TOPICS
from conqret.stats.resampling import mean
from conqret.studies.agreement.agreement_settings import AgreementSettings
from conqret.studies.agreement.judge_baselines import labeled_folds
from conqret.studies.agreement.label_join import DimensionView, join_labels
from conqret.studies.calibrate.calibration_maps import CalibrationSample, MonotoneMap, fit_maps
from conqret.studies.improve.improved_prompt import (
    AS_IT_IS,
    BOTH,
    CALIBRATION,
    EXCERPT,
    FOLDS,
    PROMPTS,
    RATING_SCALE,
    WORDING,
    Improvement,
    LabelledItem,
    LabelledItems,
    WordingAnswer,
    chosen_examples,
    improved_setup,
    scale_shown,
    subject_of,
    worded,
    wording_key,
    wording_prompt,
)
from conqret.studies.improve.result import Candidate, VariantChoice

Out = frozenset[int]
"""Folds of topics that nothing is learned from."""
EVERY_FOLD = frozenset(range(FOLDS))


class ImproveRow(Frozen):
    """The result of one request: a judgment, or a proposed wording, or the reason why there is neither."""

    id: str
    judgment: Judgment | None = None
    wording: dict[str, Any] | None = None
    reason: str = ""
    detail: str = ""

    @property
    def finished(self) -> bool:
        """True if the request need not be sent again."""
        if self.judgment is not None:
            return self.judgment.status is Status.SCORED
        return self.wording is not None


class ImproveRecord(InstrumentRecord):
    """The contents of ``run.json``: the original judge, the labeled items, and the settings of the
    improvement.
    """

    SAME: ClassVar[Mapping[str, str]] = {
        **InstrumentRecord.SAME,
        "items_digest": "items",
        "labels_digest": "labels",
        "improving": "options",
    }

    kind: str = "improve"
    metric: str
    dimension: str
    items_count: int
    items_digest: str
    labels_digest: str
    improving: dict[str, Any]

    def __str__(self) -> str:
        return f"{self.metric} of {self.format} with {self.model}, {number(self.items_count, 'labeled item')}"


@dataclass(frozen=True)
class ImproveFolder(RunFolder[ImproveRecord]):
    """The folder of an improvement run and its files."""

    COMMAND: ClassVar[str] = "conqret judges improve"
    BEGINS: ClassVar[tuple[str, ...]] = (ITEMS,)

    rows_file = InFolder("rows.jsonl")
    """Judgments and proposals, as they came."""
    prompts_folder = InFolder(PROMPTS)
    """The prompts of the improved judge, for ``--prompts``."""
    calibration_file = InFolder(CALIBRATION)
    """The map of the improved judge, for ``--calibration``."""
    card_file = InFolder("card.md")
    """What the improved judge is, and what it was measured at."""

    @staticmethod
    def key(row: ImproveRow) -> str:
        """Return the key of a row in the store of rows."""
        return row.id

    def rows(self) -> RowStore[ImproveRow]:
        """Open the store of rows; requests without a finished row are sent again."""
        return RowStore(self.rows_file, ImproveRow, self.key, finished=lambda row: row.finished)


@dataclass(frozen=True)
class ImprovePlan:
    """The plan to improve a judge (``setup``) from labeled items (``data``).

    ``settings`` say how labels are aggregated and intervals computed. ``longest`` is the number of characters
    of a text that a prompt shows. ``output`` is the run's folder (None: none). ``rows`` are set once requests
    are sent.
    """

    setup: Setup
    data: LabelledItems
    settings: AgreementSettings
    longest: int = EXCERPT
    output: Path | None = None
    rows: Any = field(default_factory=lambda: Memory[ImproveRow](ImproveFolder.key))
    _setups: dict[tuple[str, Out], Setup] = field(default_factory=dict, init=False, repr=False, compare=False)
    fitted: dict[Out, dict[str, Any]] = field(default_factory=dict, init=False, repr=False, compare=False)
    """By the folds that were left out the scores of each variant, which are fitted once."""

    @property
    def total(self) -> int:
        """The largest number of requests that the run may need."""
        learned = sum(len(self.items_in(out)) for out in self.outs) * len(self.variants)
        more = (len(self.outs) + len(self.data.held_out)) * bool(self.variants)
        return len(self.data.every) + learned + more

    @property
    def about(self) -> str:
        """A phrase with the metric and the numbers of items and topics."""
        items, topics = self.data.every, {item.topic for item in self.data.every}
        return (
            f"{self.data.metric}: {number(len(items), 'labeled item')} of {number(len(topics), 'topic')}, for"
        )

    @property
    def variants(self) -> tuple[str, ...]:
        """The variants to compare with the original judge; none for the offline baseline, which reads no
        prompt.
        """
        return () if self.setup.client.backend.baseline else (WORDING, BOTH)

    @cached_property
    def folds(self) -> dict[str, int]:
        """The fold, from 0, of each topic in the training items."""
        topics = {item.topic for item in self.data.training}
        return {str(t): fold for t, fold in dealt(topics, self.settings.seed, FOLDS).items()}

    @property
    def outs(self) -> tuple[Out, ...]:
        """The sets of folds left out in training.

        They are the empty set for the final judge, and each single fold for its choice. Without held-out
        items, each pair of folds follows, for choices evaluated on one of the two.
        """
        sizes = range(2 if self.data.held_out else 3)
        return tuple(frozenset(out) for size in sizes for out in combinations(range(FOLDS), size))

    def items_in(self, out: Out) -> list[Item]:
        """Return the training items whose topics are in these folds."""
        return [item for item in self.data.training if self.folds[item.topic] in out]

    def record(self) -> ImproveRecord:
        """Return the contents of ``run.json``."""
        data = self.data
        labels = sorted(
            (*label.unit, label.annotator, label.value)
            for label in data.labels.labels
            if label.dimension == data.dimension and label.value is not None
        )
        shown = [[item_record(item) for item in items] for items in (data.training, data.held_out)]
        return ImproveRecord(
            **self.setup.recorded,
            metric=data.metric,
            dimension=data.dimension,
            items_count=len(data.every),
            items_digest=plain_digest(shown),
            labels_digest=plain_digest(labels),
            improving={"excerpt": self.longest, "seed": self.settings.seed, "variants": list(self.variants)},
        )

    def judgments(self, setup: Setup, items: Iterable[Item]) -> dict[str, Judgment]:
        """Return a mapping from item id to the judgment by ``setup``; items without a score of the metric are left
        out."""
        found = {}
        for item in items:
            row = self.rows.get(trial_key(setup.fingerprint, item.id))
            judgment = None if row is None else row.judgment
            if judgment is not None and judgment.value(self.data.metric) is not None:
                found[item.id] = judgment
        return found

    def learned_from(self, out: Out) -> list[LabelledItem]:
        """Return the labeled training items outside these folds, with the original judge's scores."""
        items = self.items_in(EVERY_FOLD - out)
        return self.data.labelled(self.judgments(self.setup, items), items)

    def wording_prompt(self, out: Out) -> RenderedPrompt:
        """Return the prompt that requests a wording, built from the items outside these folds."""
        known, seed = self.learned_from(out), self.settings.seed
        return wording_prompt(self.setup, self.data, known, seed=seed, longest=self.longest)

    def proposal(self, out: Out) -> ImproveRow | None:
        """Return the row of the wording requested without these folds; None if it was not requested yet."""
        row: ImproveRow | None = self.rows.get(wording_key(self.wording_prompt(out)))
        return row

    def improvement(self, variant: str, out: Out) -> Improvement:
        """Return what a variant learned from the items outside these folds.

        Raises:
            DeclarationError: the model proposed no wording.
        """
        subject = subject_of(self.setup, self.data.metric)
        if variant == AS_IT_IS:
            return Improvement(subject=subject)
        row = self.proposal(out)
        if row is None or row.wording is None:
            why = "" if row is None else f" ({row.reason or 'no answer'}: {row.detail})"
            raise DeclarationError(
                f"the model proposed no wording{why}: run the same command to send the requests again"
            )
        shown, anchored = scale_shown(self.setup, self.data.scale, RATING_SCALE)
        examples = chosen_examples(self.learned_from(out), shown, self.longest) if variant == BOTH else ()
        return worded(WordingAnswer.model_validate(row.wording), subject, anchored, examples)

    def setup_of(self, variant: str, out: Out) -> Setup:
        """Return the judge configuration of a variant that learned from the items outside these folds."""
        if variant == AS_IT_IS:
            return self.setup
        if (variant, out) not in self._setups:
            _, anchored = scale_shown(self.setup, self.data.scale)
            learned, scale = self.improvement(variant, out), RATING_SCALE if anchored else None
            self._setups[variant, out] = improved_setup(self.setup, learned, scale)
        return self._setups[variant, out]


Scores = Mapping[str, float]
"""Scores in [0, 1] by item."""


@dataclass(frozen=True)
class CrossFitted:
    """The scores of one variant on items that it did not learn from.

    ``raw`` are its scores, ``mapped`` its scores calibrated on other topics, both in [0, 1] by item id, and
    ``map`` the map of all these items. The last two are None with too few topics or constant scores.
    """

    raw: Scores
    mapped: Scores | None = None
    map: MonotoneMap | None = None


def cross_fitted(plan: ImprovePlan, judgments: Sequence[Judgment]) -> CrossFitted:
    """Return the raw and cross-fitted calibrated scores of a variant.

    ``judgments`` are of topics that the variant did not learn from.
    """
    data, settings = plan.data, plan.settings
    said = {judgment.item: judgment.values[data.metric] for judgment in judgments}
    if len(set(said.values())) < 2 or len({judgment.topic for judgment in judgments}) < MIN_TOPICS:
        return CrossFitted(said)
    joined = join_labels(judgments, data.labels, {data.dimension: data.metric})
    folds = {str(cluster): fold for cluster, fold in labeled_folds(joined, settings.seed).items()}
    seen = CalibrationSample(DimensionView(joined, data.dimension, settings), folds)
    parts = seen.parts().values()
    if not all(part.any() and len(np.unique(seen.score[part])) > 1 for part in parts):
        return CrossFitted(said)
    trial = fit_maps(seen)
    mapped = trial.calibrated.tolist()
    values = {unit.item: value for unit, value in zip(seen.view.units, mapped, strict=True)}
    return CrossFitted(said, values, trial.chosen_maps[0])


def choose(
    scores: Mapping[str, CrossFitted],
    labels: Mapping[str, float],
    topics: Mapping[str, Hashable],
    fold: int = -1,
) -> VariantChoice:
    """Choose the simplest candidate with a squared error within one standard error of the smallest.

    Args:
        scores: the scores by variant, the simplest first; each variant is a candidate raw and calibrated.
        labels: the mean label of each item.
        topics: the topic of each item.
        fold: the fold left out, for the record (-1: none).

    Raises:
        DeclarationError: no item is scored by all candidates.
    """
    series: dict[tuple[str, bool], Scores] = {}
    for variant, fitted in scores.items():
        series[variant, False] = fitted.raw
        if fitted.mapped is not None:
            series[variant, True] = fitted.mapped
    items = [item for item in labels if all(item in values for values in series.values())]
    if not items:
        raise DeclarationError(
            "no labeled item has a score by each variant: find the reason with conqret runs"
        )
    target = np.array([labels[item] for item in items])
    clusters = [topics[item] for item in items]
    errors = {
        key: (np.array([values[item] for item in items]) - target) ** 2 for key, values in series.items()
    }
    best = min(errors, key=lambda key: float(errors[key].mean()))
    candidates, chosen = [], best
    for key in reversed(errors):
        worse = mean(errors[key] - errors[best], clusters)
        error = 0.0 if key == best or np.isnan(worse.error) else worse.error
        candidates.append(
            Candidate(
                variant=key[0],
                calibrated=key[1],
                squared_error=float(errors[key].mean()),
                worse=float(worse.value),
                error_of_worse=error,
            )
        )
        if worse.value <= error:
            chosen = key
    return VariantChoice(
        fold=fold,
        variant=chosen[0],
        calibrated=chosen[1],
        topics=len(set(clusters)),
        items=len(items),
        candidates=tuple(reversed(candidates)),
    )


def scores_without(plan: ImprovePlan, out: Out) -> dict[str, CrossFitted]:
    """Return the scores of each variant on the topics outside the folds ``out``.

    Each topic is scored by what was learned without it and without these folds.
    """
    if out in plan.fitted:
        return plan.fitted[out]
    found = {}
    for variant in (AS_IT_IS, *plan.variants):
        judgments: list[Judgment] = []
        for fold in range(FOLDS):
            if fold not in out:
                setup = plan.setup_of(variant, out | {fold})
                judgments += plan.judgments(setup, plan.items_in(frozenset({fold}))).values()
        found[variant] = cross_fitted(plan, judgments)
    plan.fitted[out] = found
    return found


def choice_without(plan: ImprovePlan, out: Out) -> VariantChoice:
    """Choose a variant from the training topics outside the folds ``out``: one fold, or none for the choice
    on all training topics.

    Raises:
        DeclarationError: no item is scored by all candidates.
    """
    topics = {item.id: item.topic for item in plan.data.training}
    means = {item.id: plan.data.means[item.id] for item in plan.items_in(EVERY_FOLD - out)}
    return choose(scores_without(plan, out), means, topics, min(out, default=-1))
