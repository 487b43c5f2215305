"""How a judge is to be run: the options of a judge, each declared once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypedDict

from annotated_types import Interval

from conqret.errors import metric_name
from conqret.judging.dimensions import Order
from conqret.options import check_ranges

CRITERIA = "criteria"
"""The name of the format of criteria, and of its prompt."""
RUBRIC = "rubric"
"""The format that is made of rubrics, its prompt, and under this key of an item's metadata its own rubric."""
NUGGETS = "nuggets"
"""The format of nuggets that are given, and a field of items."""

OWN_JUDGE = "own-judge"
"""The format of a judge of your own, and its prompt."""

PAIRED, SINGLE = "preference", "overall_quality"
"""The metrics of a judge of your own: for items with two arguments, and for all others."""

OVERALL, VITAL, AXIS = "rubric_score", "vital_score", "axis_"
"""The score of a whole rubric, of its vital criteria, and what the metric of an axis begins with."""

BY_SUB_NARRATIVE = "sub_narrative_coverage"
"""The measure of nuggets whose parts are sub-narratives."""

COVERAGE = "coverage"
"""What can be required in addition to the metrics: the share of items with a score."""

CONVERSATION = "conversation"
"""The prompt file that shows earlier turns and images."""

LANGUAGE = "language"
"""The prompt file that says in which language an item is, and in which its explanations are to be."""

GIVE = {
    CRITERIA: "the format criteria is made of criteria: give them (--criterion; criteria in a file and in Python)",
    RUBRIC: "the format rubric is made of a rubric: give one (--rubric FILE; rubric=… in Python), or items that have "
    "their own in a field rubric or rubrics",
}
"""What is said where a format is named that is made of something, which is not given."""

Conversation = Literal["last", "whole"]
"""What of a conversation is judged: its last answer, or all that the assistant says."""

RELEVANT_FROM = 3
"""A document counts as relevant from this rating (0 to 5) upwards: "relevant, with usable content" in the
prompt. The paper does not state its own threshold (Table 7)."""

SINGLE_TEMPERATURE = 0.0
"""A measurement should be repeatable."""

SELF_CONSISTENCY_TEMPERATURE = 0.7
"""Several samples of one request are worth having only if they may differ (Wang et al. 2023, section 3.1)."""


@dataclass(frozen=True, slots=True)
class ShownExample:
    """A labeled argument that a prompt shows: its human ratings, by dimension and from 1 to 3."""

    item: str
    topic: str
    stance: str
    argument: str
    ratings: tuple[tuple[str, int], ...]

    @classmethod
    def from_record(cls, record: Any) -> ShownExample:
        """Return an example from its fields as a run's record has them; an example is returned unchanged."""
        if isinstance(record, cls):
            return record
        return cls(**{**record, "ratings": tuple((name, rating) for name, rating in record["ratings"])})


@dataclass(frozen=True, slots=True)
class JudgeOptions:
    """How a judge is to be run.

    ``metrics`` selects among those of the format (empty: all). ``confidence``: request the judge's confidence in each
    answer. ``shots``: how many of the labeled ``examples`` a prompt of the format ``listwise`` shows. Without a
    ``temperature``, requests are sent with 0, or with :data:`SELF_CONSISTENCY_TEMPERATURE` where
    there are several samples.

    Judging:
        samples: How many responses to request for each prompt; scores are averaged, and of verdicts the majority
            counts.
        order: The order of the fifteen quality dimensions in the prompt of the formats `listwise`, `listwise-rag` and
            `rag-fine-grained`. With `--samples`, this is the order of the first sample; the others have a random order.
        seed: The random seed that shuffles the order of the quality dimensions in prompts, where an order is shuffled
            (see `--order`).
        relevant_from: The lowest rating (0 to 5) with which a document counts as relevant, for the metric predicted
            precision.
        temperature: The model's temperature. Default: 0, or 0.7 with several samples.
        conversation: What of items with `messages` is judged: the `last` answer, before which earlier turns are shown,
            or the `whole` conversation, all that the assistant says.
        explain_in: The language of the judge's explanations, as a code or an English name (`de`, `German`). Default:
            that of each item.

    Raises:
        DeclarationError: a value is out of its range, or no language has the name.
    """

    metrics: tuple[str, ...] = ()
    samples: Annotated[int, Interval(ge=1)] = 1
    order: Order = "given"
    seed: int = 13
    relevant_from: Annotated[int, Interval(ge=0, le=5)] = RELEVANT_FROM
    temperature: Annotated[float | None, Interval(ge=0)] = None
    confidence: bool = False
    conversation: Conversation = "last"
    explain_in: str = ""
    shots: Annotated[int, Interval(ge=0)] = 0
    examples: Any = ()

    @property
    def sampling_temperature(self) -> float:
        """The temperature of requests: the one set, or else a default that depends on the number of
        samples.
        """
        if self.temperature is not None:
            return self.temperature
        return SELF_CONSISTENCY_TEMPERATURE if self.samples > 1 else SINGLE_TEMPERATURE

    def __post_init__(self) -> None:
        check_ranges(self)
        if self.metrics:
            object.__setattr__(self, "metrics", tuple(metric_name(name) for name in self.metrics))
        if isinstance(self.examples, list | tuple):
            object.__setattr__(self, "examples", tuple(map(ShownExample.from_record, self.examples)))
        if self.explain_in:
            from conqret.text.language import explanation_language

            explanation_language(self.explain_in)


class SampleSettings(TypedDict, total=False):
    """The subset of :class:`JudgeOptions` that any function that runs a judge accepts, by keyword."""

    samples: int
    relevant_from: int
    temperature: float | None
    conversation: Conversation
    explain_in: str
