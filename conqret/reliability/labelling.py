"""Which items to have labelled next: a random sample, spread over topics and scores.

Alpha, the prediction-powered mean and the corrected share ask for labels of a random sample: with the least certain
items first, alpha is that of the hard ones. So every item has the same chance, and no estimate needs weights: the
sample is a systematic one (Madow 1949) of the items in the order of their topics and bands of scores, and at random
within these. (In an order of its own there, such as that of uncertainty, every k-th item of each topic is the same kind
of item, so that whole samples are too easy or too hard: intervals of alpha held the truth in 71 %.) The least certain
can be had as well, to be read; they are marked. Judges' scores stay out of what annotators see.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from statistics import fmean, pstdev

from conqret.data import Item, Judgment, Reason
from conqret.data.gathering import gathered
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
    shared=True,
)
"""What people can be asked, by name."""

SEED = 13
BANDS = 3
"""Bands of scores: low, middle, high."""
NO_SCORE = "no score"

ABSTAINED, SPREAD, FLIP, FLAG, BORDER = 4.0, 1.0, 0.5, 0.5, 0.5
"""Weights of uncertainty: scores that were left out (``judge --abstain``), which outweigh all else; the spread of
samples (a standard deviation in [0, 0.5], doubled), a verdict that flips with the order, a text that addresses the
judge, and nearness to the border of a band."""


class Chosen(Frozen):
    """One item to label: its stratum (topic and band of the score), how uncertain the judge is of it (0 to 7.5), and
    what of."""

    item: Item
    topic: str
    band: str
    score: float | None
    uncertainty: float
    reasons: tuple[str, ...]


class LabelPlan(Frozen):
    """The items to label, in the order in which they should be, of ``total``. Each of those that were not labelled
    before had the same ``probability`` of being chosen; it is None where the most uncertain ones were chosen, which
    are no sample of the others. The judge abstained from some metric of so many of all (``abstained``)."""

    chosen: tuple[Chosen, ...]
    probability: float | None
    total: int
    seed: int
    judged: int
    abstained: int = 0


def plan_labels(
    items: Iterable[Item],
    wanted: int,
    judgments: Iterable[Judgment] = (),
    *,
    labelled: Iterable[str] = (),
    uncertain_first: bool = False,
    seed: int = SEED,
) -> LabelPlan:
    """Choose ``wanted`` items (all, where there are fewer); those already ``labelled`` are left out.

    The sample is random within strata, of topic and band of the score: of the items in their order (that of topics, and
    of items within a stratum, as ``seed`` draws it) every k-th is chosen, from a random start. Any beginning of the
    plan is itself such a sample: it is spread, and each item has the same chance of being in it. With
    ``uncertain_first`` the most uncertain are chosen instead: to be read, and for no estimate.

    Raises:
        DeclarationError: fewer than 1 item is wanted, none is left, or the most uncertain are wanted and nothing is
            judged.
    """
    if wanted < 1:
        raise DeclarationError(f"--plan is the number of items to label, 1 or more, not {wanted}")
    every = list(items)
    done = set(labelled)
    rest = [item for item in every if item.id not in done]
    if not rest:
        raise DeclarationError("there is no item left to label")
    judged = {judgment.item: judgment for judgment in judgments}
    values = {one.item: one.values.values() for one in judged.values()}
    scores = {item.id: fmean(found) if (found := values.get(item.id)) else None for item in rest}
    borders = _borders([score for score in scores.values() if score is not None])
    rng = random.Random(seed)
    rng.shuffle(rest)
    weighed = [_weigh(item, judged.get(item.id), scores[item.id], borders) for item in rest]
    topics = gathered((one.topic, one) for one in weighed)
    listed = [one for found in topics.values() for one in sorted(found, key=lambda one: one.band)]
    count = min(wanted, len(listed))
    if uncertain_first:
        if not judged:
            raise DeclarationError("which items a judge is unsure of, a run says: give one with --run")
        chosen = sorted(listed, key=lambda one: -one.uncertainty)[:count]
    else:
        start = rng.random()
        every_kth = [listed[int((start + turn) * len(listed) / count)] for turn in range(count)]
        chosen = [every_kth[place] for place in _halving(count, rng.randrange(count))]
    return LabelPlan(
        chosen=tuple(chosen),
        probability=None if uncertain_first else count / len(listed),
        total=len(every),
        seed=seed,
        judged=sum(item.id in judged for item in every),
        abstained=sum(bool(abstained(judged.get(item.id))) for item in every),
    )


def _halving(count: int, shift: int) -> list[int]:
    """The places below ``count``, each as far as can be from those before it: by the number with its bits turned round
    (van der Corput 1935), shifted round the circle."""
    bits = count.bit_length()
    return sorted(range(count), key=lambda place: int(f"{(place + shift) % count:0{bits}b}"[::-1], 2))


def _borders(scores: list[float]) -> list[float]:
    """The scores at which bands of equal size meet."""
    ranked = sorted(scores)
    return [ranked[len(ranked) * band // BANDS] for band in range(1, BANDS)] if ranked else []


def _weigh(item: Item, judgment: Judgment | None, score: float | None, borders: Sequence[float]) -> Chosen:
    reasons = []
    weight = 0.0
    band = NO_SCORE
    if unsure := abstained(judgment):
        weight += ABSTAINED + len(unsure) / len(judgment.measures if judgment else unsure)
        reasons.append(f"the judge abstained: {', '.join(unsure)}")
    if judgment is None:
        reasons.append("not judged yet")
    elif score is None and not unsure:
        reasons.append(f"no score ({judgment.reason})")
    elif score is not None:
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


def abstained(judgment: Judgment | None) -> list[str]:
    """The metrics that the judge left out because it was not sure enough."""
    measures = judgment.measures if judgment is not None else {}
    return [name for name, one in measures.items() if one.reason is Reason.UNSURE]


def _spread(judgment: Judgment) -> float:
    """The largest standard deviation of a metric's samples."""
    series = [[value for value in one.samples if value is not None] for one in judgment.measures.values()]
    return max((pstdev(values) for values in series if len(values) > 1), default=0.0)
