"""Sample items to label: at random, spread over topics and scores, or with the uncertain ones first or
oversampled.

Alpha, the prediction-powered mean and the corrected share need labels of a random sample: with the least certain
items first, alpha is that of the hard ones. So every item has the same chance, and no estimate needs weights: the
sample is drawn by ordered pivotal sampling (Deville and Tillé 1998) of the items in the order of their topics and bands
of scores. Of as many neighbors as have one chance in sum it takes one, whichever it be. (Systematic sampling, every
k-th of that order, takes the same kind of item from every topic: of topics with two items always the better one or
always the other, so that intervals of the mean missed the truth.) The least certain can be had as well, to be read;
they are marked. Or they are drawn with a higher probability than the others (active statistical inference: Zrnic and
Candes, ICML 2024), which each item then states and estimates weigh. Judges' scores stay out of what annotators see.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import reduce
from operator import add, not_
from pathlib import Path
from statistics import fmean, pstdev
from typing import Unpack

from pydantic import Field

from conqret.data import Item, Judgment, Reason
from conqret.data.digest import gathered
from conqret.data.item import Frozen
from conqret.errors import DeclarationError, strict_options
from conqret.io import CheckedItems, open_items
from conqret.io.label_files import label_files, open_labels
from conqret.io.label_set import NOT
from conqret.judging.judge_folder import JudgeFolder
from conqret.judging.judge_settings import ItemSettings
from conqret.labels.task import form_task

SEED = 13
OVERSAMPLED = 4
"""How many times as likely as the most certain item the most uncertain one is to be drawn, where these are
oversampled.
"""
CERTAINTY = 1_000_000
"""The integer that stands for probability 1, where probabilities differ."""
BANDS = 3
"""The number of bands of scores: low, middle, high."""
NO_SCORE = "no score"

ABSTAINED, SPREAD, FLIP, FLAG, BORDER = 4.0, 1.0, 0.5, 0.5, 0.5
"""Weights of uncertainty: scores that were left out (``judge --abstain``), which outweigh all else; the spread of
samples (a standard deviation in [0, 0.5], doubled), a verdict that flips with the order, a text that addresses the
judge, and nearness to the border of a band."""


class SampledItem(Frozen):
    """One item chosen for labeling.

    Its stratum is ``topic`` and ``band`` of the judge's score. ``uncertainty`` (0 to 7.5) is that of the
    judge, with its ``reasons``. ``probability`` is that of being drawn, if it differs between items.
    """

    item: Item
    topic: str
    band: str
    score: float | None
    uncertainty: float
    reasons: tuple[str, ...]
    probability: float | None = Field(default=None, exclude_if=not_)


class LabelPlan(Frozen):
    """The items to label, in order, chosen from ``total`` items.

    ``probability`` is that of each item being drawn. It is None if the most uncertain items were chosen,
    which are not a random sample, or if items have different probabilities. ``judged`` is the number of
    items with a judgment, and ``abstained`` that of items on which the judge abstained from a metric.
    """

    chosen: tuple[SampledItem, ...]
    probability: float | None
    total: int
    seed: int
    judged: int
    abstained: int = 0

    @property
    def unequal(self) -> bool:
        """True if the items were drawn with different probabilities."""
        return any(entry.probability is not None for entry in self.chosen)


@strict_options
def sample_items(
    items: str | Path,
    plan: int = 100,
    *,
    run: str | Path | None = None,
    task: str = "rating",
    labeled: Sequence[str | Path] = (),
    uncertain_first: bool = False,
    oversample_uncertain: bool = False,
    seed: int = SEED,
    on_check: Callable[[CheckedItems], object] = lambda checked: None,
    **settings: Unpack[ItemSettings],
) -> LabelPlan:
    """Sample items to label, at random and spread over topics and a judge's scores; return the plan.

    Args:
        items: the items, in any layout that :func:`conqret.judge` reads.
        plan: the number of items to label.
        run: a judge's run over these items: the sample is spread over bands of its scores.
        task: the annotation task: ``rating``, ``partial-answer``, or a plug-in's.
        labeled: existing label files, whose items are left out.
        uncertain_first: choose the items that the judge of ``run`` is least sure of; they are no
            random sample.
        oversample_uncertain: draw a random sample in which these items are up to :data:`OVERSAMPLED`
            times as likely.
        seed: the seed of the sample.
        on_check: a function that gets the summary of the items' check.
        settings: how items are read: :class:`conqret.judging.judge_settings.ItemSettings`.

    Raises:
        DeclarationError: as :func:`plan_labels`, or a file is invalid.
    """
    needs = {"argument": f"the task {form_task(task).name} needs it"}
    source = replace(open_items(items, **settings), needs=needs)
    on_check(source.check())
    judged = None if run is None else JudgeFolder(Path(run))
    if judged is not None:
        judged.record()
    done = {
        cell.item
        for layout, file in map(open_labels, label_files(map(Path, labeled)))
        for cell in layout.cells(file)
        if cell.text and cell.for_estimation.strip().casefold() != NOT
    }
    judgments = () if judged is None else judged.judgments()
    return plan_labels(
        source,
        plan,
        judgments,
        labeled=done,
        uncertain_first=uncertain_first,
        oversample_uncertain=oversample_uncertain,
        seed=seed,
    )


def plan_labels(
    items: Iterable[Item],
    wanted: int,
    judgments: Iterable[Judgment] = (),
    *,
    labeled: Iterable[str] = (),
    uncertain_first: bool = False,
    oversample_uncertain: bool = False,
    seed: int = SEED,
) -> LabelPlan:
    """Choose ``wanted`` items to label (or all, if there are fewer), except those already labeled; return
    the plan.

    Items are sorted by topic and score band, in a random order within (``seed``), and drawn by ordered
    pivotal sampling with equal probabilities, so that of as many neighbors as have one chance in sum one is
    drawn. Every beginning of the plan is itself such a sample. With ``uncertain_first``, the items that the
    judge is least sure of are chosen instead; they are unfit for estimates. With ``oversample_uncertain``,
    an item's probability is proportional to 1 plus three times its uncertainty, as a share of the largest.

    Args:
        items: all items.
        wanted: the number of items to choose.
        judgments: a judge's judgments of the items, for bands and uncertainty.
        labeled: the ids of items that have labels.
        uncertain_first: choose the most uncertain items.
        oversample_uncertain: draw uncertain items with a higher probability.
        seed: the seed of the draw.

    Raises:
        DeclarationError: ``wanted`` is below 1, no items are left, or both options for uncertain items are
            set. Also if one of them is set and there are no judgments.
    """
    if wanted < 1:
        raise DeclarationError(f"--plan is the number of items to label, at least 1, not {wanted}")
    every, done = list(items), set(labeled)
    rest = [item for item in every if item.id not in done]
    if not rest:
        raise DeclarationError("no items are left to label")
    judged = {judgment.item: judgment for judgment in judgments}
    scores = {
        name: fmean(values) for name, judgment in judged.items() if (values := judgment.values.values())
    }
    ranked = sorted(scores[item.id] for item in rest if item.id in scores)
    borders = [ranked[len(ranked) * band // BANDS] for band in range(1, BANDS)] if ranked else []
    rng = random.Random(seed)
    rng.shuffle(rest)
    weighed = [_weigh(item, judged.get(item.id), scores.get(item.id), borders) for item in rest]
    topics = gathered((candidate.topic, candidate) for candidate in weighed)
    listed = [
        candidate
        for candidates in topics.values()
        for candidate in sorted(candidates, key=lambda one: one.band)
    ]
    count = min(wanted, len(listed))
    if (uncertain_first or oversample_uncertain) and not judged:
        raise DeclarationError("a run shows which items the judge is unsure of: give one with --run")
    if uncertain_first and oversample_uncertain:
        raise DeclarationError("give one of --uncertain-first and --oversample-uncertain")
    if oversample_uncertain:
        chances = _by_uncertainty([candidate.uncertainty for candidate in listed], count)
        listed = [
            candidate.model_copy(update={"probability": chance / CERTAINTY})
            for candidate, chance in zip(listed, chances, strict=True)
        ]
        chosen = _in_turn(_drawn(listed, chances, CERTAINTY, rng), rng)
    elif uncertain_first:
        chosen = sorted(listed, key=lambda candidate: -candidate.uncertainty)[:count]
    else:
        chosen = _in_turn(_drawn(listed, [count] * len(listed), len(listed), rng), rng)
    return LabelPlan(
        chosen=tuple(chosen),
        probability=None if uncertain_first or oversample_uncertain else count / len(listed),
        total=len(every),
        seed=seed,
        judged=sum(item.id in judged for item in every),
        abstained=sum(bool(abstained(judged.get(item.id))) for item in every),
    )


def _drawn(
    listed: Sequence[SampledItem], chances: Sequence[int], whole: int, rng: random.Random
) -> list[SampledItem]:
    """Draw some of the listed items, each with its own chance, so that neighbors in the list are seldom drawn together,
    and return them in their order.

    Ordered pivotal sampling (Deville and Tillé 1998): two neighbors meet. If their chances together are below
    certainty, one of them gets both, and the other is out; else one is drawn, and the other goes on with what is left.

    Args:
        listed: the items, in the order over which the sample is spread.
        chances: the chance of each in whole numbers, so that nothing is rounded; their sum is a multiple of
            ``whole``.
        whole: the number that means certainty.
        rng: the random numbers.
    """
    kept = [False] * len(listed)
    waiting, chance = 0, 0
    for place, own in enumerate(chances):
        both = chance + own
        if both < whole:
            waiting = waiting if rng.randrange(both) < chance else place
            chance = both
        else:  # one is chosen, and the other has what is left
            first = rng.randrange(2 * whole - both) < whole - own
            kept[waiting if first else place] = True
            waiting, chance = (place if first else waiting), both - whole
    return [candidate for candidate, chosen in zip(listed, kept, strict=True) if chosen]


def _by_uncertainty(uncertainty: Sequence[float], count: int) -> list[int]:
    """Return the chance of each item as a whole number of :data:`CERTAINTY`, larger for those of which the judge is
    less certain: up to :data:`OVERSAMPLED` times the smallest, and at most certainty. The chances sum to exactly
    ``count`` times certainty, and none is 0. ``count`` is at most the number of items."""
    largest = max(uncertainty) or 1.0
    weights = [1 + (OVERSAMPLED - 1) * each / largest for each in uncertainty]
    certain: set[int] = set()
    while True:
        left = count - len(certain)
        total = sum(weight for place, weight in enumerate(weights) if place not in certain)
        over = {
            place for place, weight in enumerate(weights) if place not in certain and left * weight >= total
        }
        if not over:
            break
        certain |= over
    chances = [
        CERTAINTY if place in certain else max(1, int(CERTAINTY * left * weight / total))
        for place, weight in enumerate(weights)
    ]
    lacking = count * CERTAINTY - sum(chances)
    for place in range(len(chances)):  # what rounding has taken off goes to the first that have room
        more = min(max(lacking, 1 - chances[place]), CERTAINTY - chances[place])
        chances[place] += more
        lacking -= more
    return chances


def _in_turn(chosen: Sequence[SampledItem], rng: random.Random) -> list[SampledItem]:
    """Return all of them in an order of which any beginning is spread over the list.

    That is a half that is drawn, then the others, each in such an order.
    """
    if len(chosen) < 2:
        return list(chosen)
    first = _drawn(chosen, [len(chosen) // 2] * len(chosen), len(chosen), rng)
    ids = {candidate.item.id for candidate in first}
    rest = [candidate for candidate in chosen if candidate.item.id not in ids]
    return [*_in_turn(first, rng), *_in_turn(rest, rng)]


def _weigh(
    item: Item, judgment: Judgment | None, score: float | None, borders: Sequence[float]
) -> SampledItem:
    weights: dict[str, float] = {}
    band = NO_SCORE
    if unsure := abstained(judgment):
        share = len(unsure) / len(judgment.measures if judgment else unsure)
        weights[f"the judge abstained: {', '.join(unsure)}"] = ABSTAINED + share
    if judgment is None:
        weights["not judged yet"] = 0.0
    elif score is None and not unsure:
        weights[f"no score ({judgment.reason})"] = 0.0
    elif score is not None:
        band = f"band {1 + sum(score >= border for border in borders)} of {len(borders) + 1}"
        series = [
            [value for value in measure.samples if value is not None]
            for measure in judgment.measures.values()
        ]
        spread = max((pstdev(values) for values in series if len(values) > 1), default=0.0)
        near = max((1 - abs(score - border) / 0.1 for border in borders), default=0.0)
        flips = any(measure.flipped for measure in judgment.measures.values())
        signs = {
            f"samples differ by {spread:.2f}": SPREAD * 2 * spread,
            "the verdict flips with the order": FLIP * flips,
            "a text addresses the judge": FLAG * bool(judgment.addressed),
            "near the border of two bands": BORDER * near,
        }
        weights |= {reason: weight for reason, weight in signs.items() if weight > 0}
    return SampledItem(
        item=item,
        topic=item.topic,
        band=band,
        score=score,
        uncertainty=reduce(add, weights.values(), 0.0),
        reasons=tuple(weights) or ("stands for its topic and band",),
    )


def abstained(judgment: Judgment | None) -> list[str]:
    """Return the metrics on which the judge abstained for lack of confidence; empty without a judgment."""
    measures = judgment.measures if judgment is not None else {}
    return [name for name, measure in measures.items() if measure.reason is Reason.UNSURE]
