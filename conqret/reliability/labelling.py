"""Which items to have labelled next: spread over topics and scores, and within these the least certain first.

Labels are dear. Strata keep the labelled items like all the others, so that agreement is not measured on odd ones
alone; inside a stratum those come first on which the judge is least certain, where a label says most. Judges' scores
stay out of what annotators see.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean, pstdev

from conqret.data import Item, Judgment
from conqret.data.item import Frozen
from conqret.errors import DeclarationError
from conqret.io.label_sheets import LabelTask
from conqret.registry import Registry

TASKS = Registry(
    "task",
    "conqret.tasks",
    LabelTask,
    package="conqret.reliability.tasks",
    attribute="TASK",
    first=("rating",),
)
"""What people can be asked, by name."""

SEED = 13
BANDS = 3
"""Bands of scores: low, middle, high."""
NO_SCORE = "no score"

SPREAD, FLIP, FLAG, BORDER = 1.0, 0.5, 0.5, 0.5
"""Weights of uncertainty: the spread of samples (a standard deviation in [0, 0.5], doubled), a verdict that flips with
the order, a text that addresses the judge, and nearness to the border of a band."""


class Chosen(Frozen):
    """One item to label: its stratum (topic and band of the score), how uncertain the judge is of it (0 to 3), and
    why it was chosen."""

    item: Item
    topic: str
    band: str
    score: float | None
    uncertainty: float
    reasons: tuple[str, ...]


class LabelPlan(Frozen):
    """The items to label, in the order in which they should be, of ``total``."""

    chosen: tuple[Chosen, ...]
    total: int
    seed: int
    judged: int


def plan_labels(
    items: Iterable[Item],
    wanted: int,
    judgments: Iterable[Judgment] = (),
    *,
    labelled: Iterable[str] = (),
    seed: int = SEED,
) -> LabelPlan:
    """Choose ``wanted`` items (all, where there are fewer); those already ``labelled`` are left out.

    Each turn takes one item from every topic in an order drawn by ``seed``; in a topic the bands take turns, and in a
    band the most uncertain item comes first, equal ones as drawn. Any beginning of the plan is itself spread.

    Raises:
        DeclarationError: fewer than 1 item is wanted, or none is left.
    """
    if wanted < 1:
        raise DeclarationError(f"--plan is the number of items to label, 1 or more, not {wanted}")
    every = list(items)
    done = set(labelled)
    rest = [item for item in every if item.id not in done]
    if not rest:
        raise DeclarationError("there is no item left to label")
    judged = {judgment.item: judgment for judgment in judgments}
    scores = {item.id: _score(judged.get(item.id)) for item in rest}
    borders = _borders([score for score in scores.values() if score is not None])
    rng = random.Random(seed)
    rng.shuffle(rest)
    topics: dict[str, dict[str, list[Chosen]]] = {}
    for item in rest:
        one = _weigh(item, judged.get(item.id), scores[item.id], borders)
        topics.setdefault(item.topic, {}).setdefault(one.band, []).append(one)
    queues = [_take_turns(bands, rng) for bands in topics.values()]
    rng.shuffle(queues)
    chosen: list[Chosen] = []
    while queues and len(chosen) < wanted:
        for queue in queues:
            if len(chosen) < wanted:
                chosen.append(queue.pop(0))
        queues = [queue for queue in queues if queue]
    return LabelPlan(
        chosen=tuple(chosen),
        total=len(every),
        seed=seed,
        judged=sum(item.id in judged for item in every),
    )


def _take_turns(bands: Mapping[str, Sequence[Chosen]], rng: random.Random) -> list[Chosen]:
    ranked = [sorted(found, key=lambda one: -one.uncertainty) for found in bands.values()]
    rng.shuffle(ranked)
    turns: list[Chosen] = []
    while any(ranked):
        turns += [queue.pop(0) for queue in ranked if queue]
    return turns


def _score(judgment: Judgment | None) -> float | None:
    """The mean of the item's measures; None where there is none."""
    values = [one.value for one in judgment.measures.values() if one.value is not None] if judgment else []
    return fmean(values) if values else None


def _borders(scores: list[float]) -> list[float]:
    """The scores at which bands of equal size meet."""
    ranked = sorted(scores)
    return [ranked[len(ranked) * band // BANDS] for band in range(1, BANDS)] if ranked else []


def _weigh(item: Item, judgment: Judgment | None, score: float | None, borders: Sequence[float]) -> Chosen:
    reasons = []
    weight = 0.0
    band = NO_SCORE
    if judgment is None:
        reasons.append("not judged yet")
    elif score is None:
        reasons.append(f"no score ({judgment.reason})")
    else:
        band = f"band {1 + sum(score >= border for border in borders)} of {len(borders) + 1}"
        spread = _spread(judgment)
        near = max((1 - abs(score - border) / 0.1 for border in borders), default=0.0)
        flips = sum(bool(one.flipped) for one in judgment.measures.values())
        for value, reason in (
            (SPREAD * 2 * spread, f"samples differ by {spread:.2f}"),
            (FLIP * bool(flips), "the verdict flips with the order"),
            (FLAG * bool(judgment.flags), "a text addresses the judge"),
            (BORDER * max(near, 0.0), "near the border of two bands"),
        ):
            if value > 0:
                weight += value
                reasons.append(reason)
    return Chosen(
        item=item,
        topic=item.topic,
        band=band,
        score=score,
        uncertainty=weight,
        reasons=tuple(reasons) or ("stands for its topic and band",),
    )


def _spread(judgment: Judgment) -> float:
    """The largest standard deviation of a metric's samples."""
    series = [[value for value in one.samples if value is not None] for one in judgment.measures.values()]
    return max((pstdev(values) for values in series if len(values) > 1), default=0.0)
