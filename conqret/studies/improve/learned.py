"""What is learned from the labels of some topics: examples for the prompt, and a model's proposal of a wording.

Both are made of the labeled items of the topics that may be learned from, and of nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator, Field

from conqret.data import Item, Judgment, Measure, Reason
from conqret.data.digest import digest_of
from conqret.io.label_set import LabelScale, LabelSet
from conqret.judging.judge_options import CRITERIA
from conqret.judging.responses import Typed, no_truth_value
from conqret.judging.setup import Setup
from conqret.prompts import RenderedPrompt
from conqret.stats.correlation import spearman
from conqret.studies.improve.improved_prompt import (
    Anchor,
    Improvement,
    LabelledExample,
    excerpt,
    judge_criterion,
    side_of,
    subject_of,
)

PROMPT = "improve/wording"
FOLDS = 3
"""Folds of topics: each is measured with what was chosen on the others."""
EXAMPLES, CASES, EXCERPT = 4, 12, 2000
"""Labeled items that are shown as examples, and to the model that proposes a wording; and the most characters of one's
text."""
RATING_SCALE = (0, 100)
"""The scale of a reworded criterion that has one."""
MAX_WORDING, MOST_MEANING, MOST_OBSERVED = 4000, 400, 400
"""Characters of a wording, of an anchor and of an observation that are taken over at most."""
MAX_OBSERVATIONS = 6
"""Observations that are taken over: as many as the prompt requests."""
MIN_ANCHORED = 5
"""Ratings that get an anchor, where a scale has more: its ends and those at even distances between."""
ANSWER_TOKENS = 700
"""A proposal in tokens: sentences, a wording, five anchors."""
INSET = 0.05
"""The share of labels at either end from which no example is taken: one of them is often an odd text."""


class AnchorAnswer(Typed):
    """What texts look like that annotators rate so."""

    rating: Annotated[int, BeforeValidator(no_truth_value)]
    meaning: str


class WordingAnswer(Typed):
    """What annotators seem to reward or punish, then instructions that say so, then the anchors of ratings."""

    observations: list[str] = Field(min_length=1)
    wording: str = Field(min_length=1)
    anchors: list[AnchorAnswer]


@dataclass(frozen=True, slots=True)
class LabelledItem:
    """An item with its mean label in [0, 1], and the judge's score in [0, 1] and reason, where known."""

    item: Item
    label: float
    score: float | None = None
    reason: str = ""

    @property
    def text(self) -> str:
        """The text that is rated; empty if the item has no argument."""
        return self.item.argument or ""


@dataclass(frozen=True)
class LabelledItems:
    """Items with labels of one ``dimension``, which is compared with one ``metric`` of the judge.

    ``held_out`` are items of topics that are used only for evaluation.
    """

    training: tuple[Item, ...]
    held_out: tuple[Item, ...]
    labels: LabelSet
    dimension: str
    metric: str

    @property
    def scale(self) -> LabelScale:
        """The scale of the labels."""
        return self.labels.scale(self.dimension)

    @property
    def every(self) -> tuple[Item, ...]:
        """The training items and the held-out items."""
        return (*self.training, *self.held_out)

    @cached_property
    def means(self) -> dict[str, float]:
        """The mean label of each item, in [0, 1]."""
        values: dict[str, list[float]] = {}
        for label in self.labels.labels:
            if label.dimension == self.dimension and label.value is not None and not label.unit.part:
                values.setdefault(label.unit.item, []).append(label.value)
        return {item: self.scale.unit(sum(said) / len(said)) for item, said in values.items()}

    def labelled(self, judgments: Mapping[str, Judgment], items: Iterable[Item]) -> list[LabelledItem]:
        """Return the items with their mean labels, and with the scores and reasons in ``judgments``."""
        none = Measure.missing(Reason.NOTHING_TO_JUDGE)
        found = []
        for item in items:
            measure = judgments[item.id].measures.get(self.metric, none) if item.id in judgments else none
            found.append(LabelledItem(item, self.means[item.id], measure.value, measure.explanation))
        return found


@dataclass(frozen=True, slots=True)
class ShownScale:
    """How a prompt writes values in [0, 1].

    They are numbers from ``low`` to ``high``, or, if ``binary``, shares of yes.
    """

    low: float
    high: float
    binary: bool = False

    def __str__(self) -> str:
        return "yes or no" if self.binary else f"{self.low:g} (lowest) to {self.high:g} (highest)"

    def label(self, value: float) -> str:
        """Return a mean label in words."""
        if self.binary:
            return f"{value:.0%} say yes"
        return f"{self._placed(value)} on a scale from {self.low:g} to {self.high:g}"

    def rating(self, value: float) -> str:
        """Return a judge's rating in words."""
        if self.binary:
            return {0.0: "no", 1.0: "yes"}.get(value, f"{value:.0%} yes")
        return self._placed(value)

    def _placed(self, value: float) -> str:
        return f"{self.low + value * (self.high - self.low):.{0 if self.high - self.low > 20 else 1}f}"

    @property
    def anchored(self) -> tuple[int, ...]:
        """The ratings to which a prompt gives a meaning: at most ``MIN_ANCHORED``, evenly spread, both ends among
        them; none if ratings are binary or not whole.
        """
        if self.binary or not (float(self.low).is_integer() and float(self.high).is_integer()):
            return ()
        low, high = int(self.low), int(self.high)
        steps = min(high - low, MIN_ANCHORED - 1)
        return tuple(round(low + step * (high - low) / steps) for step in range(steps + 1))


def scale_shown(
    setup: Setup, labelled_on: LabelScale, scale: tuple[int, int] | None = None
) -> tuple[ShownScale, tuple[int, ...]]:
    """Return how ratings are written in prompts, and which ratings get anchors.

    A criterion uses its own scale, or ``scale`` if given. A format uses the labels' scale without anchors,
    because its prompt already explains ratings.
    """
    if setup.judge.name != CRITERIA:
        return ShownScale(*labelled_on.ends(), labelled_on.binary), ()
    own = judge_criterion(setup).scale
    shown = ShownScale(0, 1, binary=True) if own is None else ShownScale(*(scale or own))
    return shown, shown.anchored


def chosen_examples(
    labelled: Sequence[LabelledItem], shown: ShownScale, longest: int = EXCERPT
) -> tuple[LabelledExample, ...]:
    """Choose up to :data:`EXAMPLES` labeled items over the range of labels as examples, from different topics
    as far as possible."""
    ranked = sorted(labelled, key=lambda one: (one.label, one.item.id))
    inset = math.floor(INSET * len(ranked))
    low, high = ranked[inset].label, ranked[len(ranked) - 1 - inset].label
    steps = EXAMPLES - 1
    taken: list[LabelledItem] = []
    for step in range(min(EXAMPLES, len(ranked))):
        aim = low + (high - low) * step / steps
        topics = [one.item.topic for one in taken]
        free = [one for one in ranked if one not in taken]
        best = min(free, key=lambda one: (topics.count(one.item.topic), abs(one.label - aim), one.item.id))
        taken.append(best)
    return tuple(
        LabelledExample(
            item=one.item.id,
            question=one.item.topic,
            side=side_of(one.item),
            text=excerpt(one.text, longest),
            label=shown.label(one.label),
        )
        for one in taken
    )


def telling_cases(labelled: Sequence[LabelledItem], seed: int, cases: int = CASES) -> list[LabelledItem]:
    """Choose at most ``cases`` items for the prompt that requests a wording.

    They are items on which judge and annotators differ most, in both directions, and some on which they
    agree, in mixed order, with few from one topic. Without scores, the first items are taken.
    """
    known = [one for one in labelled if one.score is not None]
    wanted = min(cases, len(known) or len(labelled))
    if not known:
        return list(labelled[:wanted])
    left = residuals(*np.array([(one.score, one.label) for one in known], dtype=float).T)
    each = wanted * 2 // 5
    most = max(2, math.ceil(wanted / len({one.item.topic for one in known})) + 1)
    order = np.argsort(left, kind="stable").tolist()
    near = sorted(order, key=lambda place: (abs(left[place]), place))
    taken: list[int] = []

    def take(places: Sequence[int], count: int) -> None:
        for place in places:
            topics = [known[other].item.topic for other in taken]
            if count and place not in taken and topics.count(known[place].item.topic) < most:
                taken.append(place)
                count -= 1

    take(order[::-1], each)
    take(order, each)
    take(near, wanted - len(taken))
    mixed = np.random.default_rng(seed).permutation(len(taken)).tolist()
    return [known[taken[place]] for place in mixed]


def overview(labelled: Sequence[LabelledItem], shown: ShownScale) -> list[str]:
    """Return lines that summarize the labels and scores of all labeled items."""
    known = [one for one in labelled if one.score is not None]
    labels = np.array([one.label for one in labelled])
    quartiles = [shown.rating(float(value)) for value in np.quantile(labels, (0, 0.25, 0.5, 0.75, 1))]
    lines = [
        f"annotators' mean ratings of {len(labelled)} texts: lowest {quartiles[0]}, quarter {quartiles[1]}, middle "
        f"{quartiles[2]}, three quarters {quartiles[3]}, highest {quartiles[4]}"
    ]
    if len(known) < 2:
        return lines
    scores, rated = np.array([(one.score, one.label) for one in known], dtype=float).T
    lines.append(
        f"the judge's ratings: mean {shown.rating(float(scores.mean()))}, annotators' "
        f"{shown.rating(float(rated.mean()))}; standard deviation {scores.std():.2f} and {rated.std():.2f} of the scale"
    )
    together = spearman(scores, rated).value
    if together is not None:
        lines.append(f"rank correlation of judge and annotators: {together:.2f}")
    return lines


def residuals(scores: NDArray[np.float64], labels: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the residuals of the labels from their least-squares line over the scores.

    If scores are constant, they are deviations from the mean label.
    """
    centred = scores - scores.mean()
    spread = float((centred**2).sum())
    slope = float((centred * labels).sum()) / spread if spread > 0 else 0.0
    return np.asarray(labels - labels.mean() - slope * centred)


def wording_prompt(
    setup: Setup, data: LabelledItems, labelled: Sequence[LabelledItem], *, seed: int, longest: int = EXCERPT
) -> RenderedPrompt:
    """Return the prompt that requests a wording, filled with labeled items."""
    shown, anchored = scale_shown(setup, data.scale, RATING_SCALE)
    cases = [
        {
            "question": one.item.topic,
            "side": side_of(one.item),
            "text": excerpt(one.text, longest),
            "judge": "" if one.score is None else shown.rating(one.score),
            "reason": one.reason,
            "annotators": shown.label(one.label),
        }
        for one in telling_cases(labelled, seed)
    ]
    asked = {"subject": subject_of(setup, data.metric), "rating_scale": str(shown), "anchored": anchored}
    return setup.library[PROMPT].render({**asked, "overview": overview(labelled, shown), "cases": cases})


def wording_key(prompt: RenderedPrompt) -> str:
    """Return the key under which the response to a request for a wording is stored."""
    return f"wording {digest_of([prompt.system, prompt.user])[:16]}"


def worded(
    answer: WordingAnswer, subject: str, anchored: Sequence[int], examples: tuple[LabelledExample, ...] = ()
) -> Improvement:
    """Return the improvement in a model's response; meanings of ratings that were not requested are dropped."""
    meanings = {anchor.rating: anchor.meaning for anchor in answer.anchors}
    return Improvement(
        subject=subject,
        wording=_plain(answer.wording, MAX_WORDING),
        anchors=tuple(
            Anchor(rating=rating, meaning=_plain(meanings[rating], MOST_MEANING))
            for rating in anchored
            if meanings.get(rating, "").strip()
        ),
        examples=examples,
    )


def observed(answer: WordingAnswer) -> tuple[str, ...]:
    """Return the model's first :data:`MAX_OBSERVATIONS` observations on what annotators reward or punish,
    each cut if it is long."""
    found = (_plain(text, MOST_OBSERVED) for text in answer.observations[:MAX_OBSERVATIONS])
    return tuple(text for text in found if text)


def _plain(text: str, most: int) -> str:
    return excerpt(" ".join(text.split()), most)
