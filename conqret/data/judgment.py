"""Judgments: the measures that a judge gives to an item, and the calls behind them.

A failure is never a score. Each measure of a judgment has a status: *scored*; *unscored* (the model responded, and no
valid response could be had); *failed* (no response came at all); or *inapplicable* (there is nothing to judge: the
answer declines, or the item has no reference). Only a scored measure has a value, and all others have a reason. What is
inapplicable is no fault of the judge: it is counted, and leaves means, bounds and coverage alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from operator import attrgetter, not_
from typing import Annotated, Self

from pydantic import Field, model_validator

from conqret.data.item import Frozen, Item, Version


class Status(StrEnum):
    """The outcome of a measure: scored, unscored (the model responded without a usable value) or failed
    (it did not)."""

    SCORED = "scored"
    UNSCORED = "unscored"
    FAILED = "failed"
    INAPPLICABLE = "inapplicable"


_SCORED = Status.SCORED
"""Looking a member up takes Python 3.11 longer than all else that a measure's check does."""


class Reason(StrEnum):
    """Why a measure has no value."""

    # unscored: the model answered
    REFUSAL = "refusal"
    TRUNCATED = "truncated"
    INVALID_JSON = "invalid_json"
    INVALID_ANSWER = "invalid_answer"
    CONTEXT_OVERFLOW = "context_overflow"
    ONE_ORDER_ONLY = "one_order_only"
    CANNOT_JUDGE = "cannot_judge"
    NO_EVIDENCE = "no_evidence"
    UNSURE = "unsure"
    NO_BASELINE = "no_baseline"
    NO_VISION = "no_vision"
    LANGUAGE = "language"
    # inapplicable: there is nothing to judge
    NOTHING_TO_JUDGE = "nothing_to_judge"
    DECLINED = "declined"
    # failed: no answer came
    RATE_LIMITED = "rate_limited"
    TIMEOUT = "timeout"
    CONNECTION = "connection"
    SERVER_ERROR = "server_error"
    AUTHENTICATION = "authentication"
    QUOTA = "quota"
    NOT_FOUND = "not_found"
    BAD_REQUEST = "bad_request"
    JUDGE_FAILED = "judge_failed"
    BUDGET = "budget"
    PROVIDER_DOWN = "provider_down"
    NOT_RECORDED = "not_recorded"
    AWAITED = "awaited"
    TOO_MANY_FAILURES = "too_many_failures"

    @property
    def status(self) -> Status:
        """The status that follows: INAPPLICABLE if there is nothing to judge, UNSCORED if the model
        responded without a usable value, else FAILED.
        """
        if self in _INAPPLICABLE:
            return Status.INAPPLICABLE
        return Status.UNSCORED if self in _UNSCORED else Status.FAILED


_INAPPLICABLE = frozenset({Reason.NOTHING_TO_JUDGE, Reason.DECLINED})
_UNSCORED = frozenset(
    {
        Reason.REFUSAL,
        Reason.TRUNCATED,
        Reason.INVALID_JSON,
        Reason.INVALID_ANSWER,
        Reason.CONTEXT_OVERFLOW,
        Reason.ONE_ORDER_ONLY,
        Reason.CANNOT_JUDGE,
        Reason.NO_EVIDENCE,
        Reason.UNSURE,
        Reason.NO_BASELINE,
        Reason.NO_VISION,
        Reason.LANGUAGE,
    }
)


class Part(Frozen):
    """One component of a measure: a document, a criterion, a nugget or a cited sentence.

    ``id`` names it (the document's id, the criterion's name, the nugget's text, the sentence's number).
    ``value`` is in [0, 1], ``raw`` is on the format's own scale, and ``label`` is a verdict that is not a
    number. ``distribution`` has the probability of each answer, where a model gives them.
    """

    id: str
    value: float | None = Field(default=None, ge=0, le=1)
    raw: float | None = None
    label: str | None = None
    explanation: str = ""
    distribution: Mapping[str, float] = Field(default_factory=dict, exclude_if=not_)


class Measure(Frozen):
    """The value of one metric for one item.

    ``value`` is in [0, 1]; ``raw`` is the same on the format's own scale. With several samples, ``value``
    is their mean and ``majority`` the most frequent value (the median of tied ones). ``samples`` holds
    each value, None for a sample without one. ``label`` is the verdict of a preference: first, second or
    tie. ``flipped`` is true if it changed with the order of the arguments. ``method`` is how the value was
    read: ``logprobs``, ``rating``, ``probabilities`` (of a decision model), or ``mixed`` if samples or
    orders differ. ``confidence`` maps each source of confidence to a number from 0 to 1
    (:mod:`conqret.judging.scales`). ``distribution`` has the probability of each answer, where a decision
    model gives them.
    """

    status: Status
    value: float | None = Field(default=None, ge=0, le=1)
    raw: float | None = None
    label: str | None = None
    flipped: bool | None = None
    method: str | None = None
    majority: float | None = Field(default=None, ge=0, le=1)
    samples: tuple[float | None, ...] = ()
    confidence: Mapping[str, Annotated[float, Field(ge=0, le=1)]] = Field(default_factory=dict)
    explanation: str = ""
    distribution: Mapping[str, float] = Field(default_factory=dict, exclude_if=not_)
    parts: tuple[Part, ...] = ()
    reason: Reason | None = None
    detail: str = ""

    @model_validator(mode="after")
    def _failure_is_never_a_score(self) -> Self:
        scored = self.status is _SCORED
        if scored != (self.value is not None) or scored != (self.reason is None):
            raise ValueError("a scored measure has a value and no reason; others have a reason and no value")
        if self.reason is not None and self.reason.status is not self.status:
            raise ValueError(f"{self.reason} is a reason for {self.reason.status}, not for {self.status}")
        return self

    @classmethod
    def missing(cls, reason: Reason, detail: str = "") -> Self:
        """Create a measure without a value; its status follows from ``reason``."""
        return cls(status=reason.status, reason=reason, detail=detail)

    @property
    def complement(self) -> Measure:
        """The measure with value ``1 - value``.

        Explanation, detail and confidence are kept; raw ratings and parts are dropped, since they belong to
        the original metric. A measure without a value is returned unchanged.
        """
        if self.value is None:
            return self
        return Measure(
            status=self.status,
            value=1 - self.value,
            majority=None if self.majority is None else 1 - self.majority,
            samples=tuple(None if value is None else 1 - value for value in self.samples),
            confidence=self.confidence,
            method=self.method,
            explanation=self.explanation,
            detail=self.detail,
        )


HTML = "html"
"""The kind of a flag that is no attack: the scripts of a web page that was not cleaned."""


class Flag(Frozen):
    """One suspicious passage in an item's own text: a prompt injection, or (kind :data:`HTML`) leftover
    web page markup.

    ``where`` is ``topic``, ``argument``, ``second_argument``, ``reference``, ``document:<id>`` or
    ``message:<number>``.
    """

    where: str
    kind: str
    excerpt: str


class Trim(Frozen):
    """The shortening of one document so that the prompt fits the model: its tokens before and after."""

    document: str
    before: int
    after: int


class Call(Frozen):
    """One request to a model with its retries: tokens, cost and time.

    ``key`` is the request's key in the recordings, ``ask`` the name of the request, and ``sample`` the
    number of the repetition. ``cost_usd`` is None if the price is unknown, tokens are None if they were not
    reported. If ``recorded`` is true, the response came from a recording: it cost nothing now, and tokens,
    cost and seconds are those of the original call. ``attempts`` counts the requests sent, including retries
    after an error. ``answered_by`` (the model's name) and ``system_fingerprint`` are as the response reports
    them.
    """

    key: str
    ask: str
    sample: int = 0
    attempts: int = 0
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None
    cost_usd: float | None = None
    seconds: float = 0.0
    finish_reason: str | None = None
    recorded: bool = False
    error: str = ""
    answered_by: str | None = None
    system_fingerprint: str | None = None


class Trace(Frozen):
    """The calls that led to one judgment, in the order in which they were made."""

    calls: tuple[Call, ...] = ()

    @property
    def cost_usd(self) -> float | None:
        """The total cost of the calls in US dollars; None if the price of any call is unknown."""
        total = 0.0
        for call in self.calls:
            if call.cost_usd is None:
                return None
            total += call.cost_usd
        return total


ARROW = " → "
"""Stands between the two models of a cascade, where its model is named."""


class CascadeStage(Frozen):
    """Which judge of a cascade gave an item its scores: ``model``, the last one if ``escalated``.

    ``confidence`` is that of the first judge in the item, by the cascade's rule; None if it had none. The first
    ``first_calls`` calls of the trace are those of the first judge.
    """

    model: str
    escalated: bool
    confidence: float | None
    first_calls: int


class Judgment(Frozen):
    """One judge's measures of one item, by metric, with the trace of its calls.

    ``strays`` are cited numbers without a document. Judgments with the same ``fingerprint`` come from the
    same judge configuration: judge, prompts and model. ``version`` is the perturbed version that was
    judged, or None for the original item. ``language`` is the item's ISO 639-1 code, or empty if it was
    not detected. ``translation_of`` is the name that the item shares with its translations. If a judge
    consists of several formats, ``formats`` has the format of each metric and its fingerprint. In a cascade
    of two judges, ``cascade`` says which one gave the scores.
    """

    item: str
    topic: str
    stance: str
    format: str
    model: str
    fingerprint: str
    measures: Mapping[str, Measure]
    version: Version | None = None
    flags: tuple[Flag, ...] = ()
    trims: tuple[Trim, ...] = ()
    strays: tuple[int, ...] = ()
    language: str = ""
    translation_of: str = Field(default="", exclude_if=not_)
    formats: Mapping[str, tuple[str, str]] = Field(default_factory=dict, exclude_if=not_)
    cascade: CascadeStage | None = Field(default=None, exclude_if=not_)
    trace: Trace = Trace()

    @property
    def addressed(self) -> tuple[Flag, ...]:
        """The flags that are prompt injections, without those for leftover web page markup."""
        return tuple(flag for flag in self.flags if flag.kind != HTML) if self.flags else ()

    @property
    def status(self) -> Status:
        """The overall status: FAILED if any measure failed, else UNSCORED if any is unscored.

        INAPPLICABLE if no measure applies to the item, else SCORED.
        """
        statuses = set(map(attrgetter("status"), self.measures.values()))
        for status in (Status.FAILED, Status.UNSCORED):
            if status in statuses:
                return status
        return Status.INAPPLICABLE if statuses == {Status.INAPPLICABLE} else Status.SCORED

    def value(self, metric: str) -> float | None:
        """Return the value of a metric, in [0, 1]; None if it has no value, or the judgment has no such
        metric.
        """
        measure = self.measures.get(metric)
        return measure.value if measure is not None else None

    @property
    def values(self) -> dict[str, float]:
        """Return a dictionary from each metric that has a value to that value, in [0, 1]."""
        return {name: measure.value for name, measure in self.measures.items() if measure.value is not None}

    @property
    def reasons(self) -> dict[str, str]:
        """Return a dictionary from each metric without a value to the name of the reason."""
        reasons = {}
        for name, measure in self.measures.items():
            if measure.reason is not None:
                reasons[name] = measure.reason.value
        return reasons

    def bare(self) -> Self:
        """Return a smaller copy with only status, value, method and reason of each measure; flags, trims and
        trace are emptied."""
        kept = {"status", "value", "method", "reason"}
        measures = {
            name: Measure.model_construct(**{key: getattr(measure, key) for key in kept})
            for name, measure in self.measures.items()
        }
        return self.model_copy(update={"measures": measures, "flags": (), "trims": (), "trace": Trace()})

    @property
    def reason(self) -> Reason | None:
        """The reason of the first measure whose status is the judgment's overall status; None if scored."""
        status = self.status
        return next((m.reason for m in self.measures.values() if m.status is status), None)


@dataclass
class TopicKeys:
    """A registry of topics that merges each topic with its translations.

    The same question in several languages thus counts as one cluster in every confidence interval. Topics
    are merged if their items share the ``translation_of`` value in their metadata, or if one item's id is
    that value. They are also merged if an id is another id plus a language code (``bees-de``), as
    ``conqret generate translations`` writes it.
    """

    _places: dict[str, int] = field(default_factory=dict)
    _joined: list[int] = field(default_factory=list)
    _ties: dict[int, int] = field(default_factory=dict)
    _originals: dict[int, int] = field(default_factory=dict)
    _names: dict[str, str] | None = None

    @classmethod
    def from_judged(cls, judged: Iterable[Item | Judgment]) -> Self:
        """Create a registry with the topics of all these items or judgments."""
        keys = cls()
        for each in judged:
            keys.add(each)
        return keys

    def add(self, judged: Item | Judgment) -> int:
        """Add the topic of an item or a judgment, and return its index among all topics."""
        item = judged.id if isinstance(judged, Item) else judged.item
        return self.tie(judged.topic, item, judged.language, judged.translation_of)

    def tie(self, topic: str, item: str, language: str = "", translation_of: str = "") -> int:
        """Add the topic of an item, and return its index among all topics. Topics of an item and its translations are
        tied to one: by ``translation_of``, or by an id that ends with the language."""
        place = self._places.setdefault(topic, len(self._places))
        if place == len(self._joined):
            self._joined.append(place)
            self._names = None
        own = hash(item)
        ties = {hash(translation_of)} if translation_of else set()
        if language and item.endswith(f"-{language}"):
            ties.add(hash(item[: -len(language) - 1]))
        named = {self._ties.get(own, place)}
        for tie in ties:
            named |= {self._ties.setdefault(tie, place), self._originals.get(tie, place)}
        self._originals.setdefault(own, place)
        for other in named - {place}:
            first, second = sorted((self._root(place), self._root(other)))
            self._joined[second] = first
            self._names = None
        return place

    def _root(self, place: int) -> int:
        while self._joined[place] != place:
            self._joined[place] = place = self._joined[self._joined[place]]
        return place

    def roots(self) -> list[int]:
        """Return, for each topic by index, the index of the topic that represents its merged group."""
        return list(map(self._root, range(len(self._joined))))

    def __getitem__(self, topic: str) -> str:
        """The topic that stands for this one: the first of its translations, else itself."""
        return self.joined.get(topic, topic)

    @property
    def count(self) -> int:
        """Return the number of distinct topics, with translations of one topic counted once."""
        return len(set(self.roots()))

    @property
    def joined(self) -> Mapping[str, str]:
        """Return a mapping from each merged topic to the topic that represents its group; others are not
        in it."""
        if self._names is None:
            names = list(self._places)
            pairs = zip(names, self.roots(), strict=True)
            self._names = {name: names[root] for name, root in pairs if names[root] != name}
        return self._names
