"""What is learned from the labels of some topics (examples for the prompt, and a model's proposal of a wording), and a
judge's prompt with it at the end of its instructions.

It is made of the labeled items of the topics that may be learned from, and of nothing else. It stands as data in the
front matter of the prompt file, and ``prompts/_improved.j2`` shows it; so texts from outside are never a template. The
file is what ``--prompts`` takes: a judge that reads it from a folder has the fingerprint of the one that was measured.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator, Field

from conqret.data import Judgment, Measure, Reason
from conqret.data.criterion import Criterion, criteria_of
from conqret.data.digest import digest_of
from conqret.data.item import Frozen, Item
from conqret.errors import DeclarationError
from conqret.io.label_set import LabelScale, LabelSet
from conqret.judging.judge_options import CONVERSATION, CRITERIA, LANGUAGE
from conqret.judging.responses import Typed, no_truth_value
from conqret.judging.rubrics import criteria_judge
from conqret.judging.setup import Setup, set_up
from conqret.prompts import Library, RenderedPrompt
from conqret.prompts.library import SUFFIX, split_front_matter
from conqret.stats.correlation import spearman

AS_IT_IS, WORDING, BOTH = "as_it_is", "wording", "both"
"""What a judge can be: as it is, with another wording and anchors, or with examples, too."""
PROMPTS, CALIBRATION = "prompts", "calibration.json"
"""What an improvement leaves in its folder: the prompts for ``--prompts``, the map for ``--calibration``."""
TABLE = "improved"
"""The table of the front matter's data that holds what was learned."""
_SHOWN = '{% from "_improved.j2" import improvements %}\n{{ improvements(data.improved) }}\n'
_SYSTEM = re.compile(r"\{%-? *block +system *-?%\}")
_END = re.compile(r"\{%-? *endblock")
_SIDES = {"pro": "for", "con": "against"}


class Anchor(Frozen):
    """The meaning of one rating, for a prompt."""

    rating: int
    meaning: str


class LabelledExample(Frozen):
    """A labeled item as an example in a prompt.

    It has the question, the side (empty if none), the text (perhaps shortened), and the human label in words.
    """

    item: str
    question: str
    side: str
    text: str
    label: str


class Improvement(Frozen):
    """What was learned from labels: a wording, anchors and examples. ``subject`` is what is rated, in the
    judge's words.
    """

    subject: str
    wording: str = ""
    anchors: tuple[Anchor, ...] = ()
    examples: tuple[LabelledExample, ...] = ()


class ImprovedLibrary(Library):
    """The prompt library ``base`` with the prompt ``identifier`` replaced by ``text``."""

    def __init__(self, base: Library, identifier: str, text: str) -> None:
        super().__init__(base.overlay, base.asked)
        self._base, self._identifier, self._text = base, identifier, text

    def __reduce__(self) -> tuple[Any, ...]:
        return ImprovedLibrary, (self._base, self._identifier, self._text)

    def source(self, name: str) -> str:
        """Return the source text of a prompt file; for the improved prompt, its new text."""
        return self._text if name == self._identifier + SUFFIX else super().source(name)


def side_of(item: Item) -> str:
    """Return the item's side in the words of prompts; empty if it has none."""
    return _SIDES.get(item.stance, "")


def excerpt(text: str, most: int) -> str:
    """Return the text, or its beginning of at most ``most`` characters, cut between words and marked as cut."""
    if len(text) <= most:
        return text
    cut = text[:most].rsplit(None, 1)
    return f"{cut[0]} […]" if cut else excerpt(text.strip(), most)


def improved_prompt(library: Library, identifier: str, improvement: Improvement) -> str:
    """Return the source text of a prompt file with the improvement inserted.

    Raises:
        DeclarationError: the prompt already has an improvement, or has no block of instructions.
    """
    source = library.source(identifier + SUFFIX)
    front, body = split_front_matter(source, identifier)
    if TABLE in front.get("data", {}):
        raise DeclarationError(
            f"the prompt {identifier!r} in {library.overlay} is already an improved one: give the "
            "prompts that it was made from, with all labels"
        )
    block = _SYSTEM.search(body)
    end = _END.search(body, block.end()) if block else None
    if end is None:
        raise DeclarationError(f"the prompt {identifier!r} has no block of instructions to improve")
    fenced = source.removesuffix(body)
    head = fenced[: fenced.rindex("+++")]
    table = "\n".join(_toml(improvement))
    return f"{head}\n{table}\n+++\n{body[: end.start()]}{_SHOWN}{body[end.start() :]}"


def _toml(improvement: Improvement) -> Iterator[str]:
    yield f"[data.{TABLE}]"
    yield f"subject = {_string(improvement.subject)}"
    yield f"wording = {_string(improvement.wording)}"
    if not improvement.anchors:
        yield "anchors = []"
    if not improvement.examples:
        yield "examples = []"
    for name, rows in (("anchors", improvement.anchors), ("examples", improvement.examples)):
        for row in rows:
            yield f"[[data.{TABLE}.{name}]]"
            for field, value in row.model_dump().items():
                yield f"{field} = {value if isinstance(value, int) else _string(value)}"


def _string(text: str) -> str:
    """A basic string of TOML, whose escapes are those of JSON."""
    whole = text.encode("utf-8", "replace").decode()
    return json.dumps(whole, ensure_ascii=False).replace("\x7f", "\\u007f")


def improved_setup(setup: Setup, improvement: Improvement, scale: tuple[int, int] | None = None) -> Setup:
    """Return the judge configuration, which must have one prompt, with the improvement; a criterion then rates on
    ``scale``, if one is given, and loses the meanings of its ratings if its own scale is another."""
    (ask,) = setup.judge_prompts
    text = improved_prompt(setup.library, ask.prompt, improvement)
    library = ImprovedLibrary(setup.library, ask.prompt, text)
    if scale is None:
        return replace(setup, library=library)
    criterion = judge_criterion(setup)
    if criterion.scale != scale:  # whose ratings its anchors do not know
        criterion = replace(criterion, scale=scale, anchors=())
    made = set_up(criteria_judge([criterion]), setup.client, setup.options, library)
    return replace(made, turns=setup.turns, languages=setup.languages)


def judge_criterion(setup: Setup) -> Criterion:
    """Return the only criterion of a judge of user-defined criteria."""
    (criterion,) = criteria_of(setup.judge.declared[CRITERIA])
    return criterion


def subject_of(setup: Setup, metric: str) -> str:
    """Return a phrase that names what is rated, in the judge's words."""
    if setup.judge.name == CRITERIA:
        return f"“{judge_criterion(setup).question}”"
    return f"“{metric.replace('_', ' ')}”, as described above"


def prompt_files(setup: Setup, folder: Path) -> dict[Path, str]:
    """Return the text of each prompt file of an improved judge, by its path in ``folder`` (for
    ``--prompts``).

    They are its prompt, and the user's own prompts that it includes.
    """
    (ask,) = setup.judge_prompts
    library, prompt = setup.library, ask.prompt + SUFFIX
    needed = library.included(ask.prompt)
    if setup.turns:
        needed |= {
            CONVERSATION + SUFFIX: library.source(CONVERSATION + SUFFIX),
            **library.included(CONVERSATION),
        }
    if f"prompt {LANGUAGE}" in setup.identity:
        needed[LANGUAGE + SUFFIX] = library.source(LANGUAGE + SUFFIX)
    own = () if library.overlay is None else [name for name in needed if (library.overlay / name).is_file()]
    return {folder / prompt: library.source(prompt), **{folder / name: needed[name] for name in own}}


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
    as far as possible; texts are cut to ``longest`` characters."""
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
    """Return the prompt that requests a wording, filled with labeled items: an overview of all, and some cases, mixed
    by ``seed``, with texts cut to ``longest`` characters."""
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
    """Return the improvement in a model's response. ``subject`` is what is rated, ``anchored`` are the ratings whose
    meanings were requested; other meanings are dropped."""
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
