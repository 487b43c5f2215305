"""Judgments: the measures that a judge gives to an item, and the calls behind them.

A failure is never a score. Each measure of a judgment has a status: *scored*; *unscored* (the model
responded, and gave no valid response, or there was nothing to judge); or *failed* (no response came
at all). Only a scored measure has a value, and the other two always have a reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from operator import not_
from typing import Annotated, Self

from pydantic import Field, model_validator

from conqret.data.item import Frozen, Item, Version


class Status(StrEnum):
    """Whether a measure has a value, and if not, whether the model responded."""

    SCORED = "scored"
    UNSCORED = "unscored"
    FAILED = "failed"


_SCORED = (
    Status.SCORED
)  # looking a member up takes Python 3.11 longer than all else that a measure's check does


class Reason(StrEnum):
    """Why there is no value."""

    # unscored: the model answered
    REFUSAL = "refusal"
    TRUNCATED = "truncated"
    INVALID_JSON = "invalid_json"
    INVALID_ANSWER = "invalid_answer"
    CONTEXT_OVERFLOW = "context_overflow"
    ONE_ORDER_ONLY = "one_order_only"
    NOTHING_TO_JUDGE = "nothing_to_judge"
    CANNOT_JUDGE = "cannot_judge"
    NO_EVIDENCE = "no_evidence"
    UNSURE = "unsure"
    NO_BASELINE = "no_baseline"
    NO_VISION = "no_vision"
    LANGUAGE = "language"
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
        """The status that this reason leads to."""
        return Status.UNSCORED if self in _UNSCORED else Status.FAILED


_UNSCORED = frozenset(
    {
        Reason.REFUSAL,
        Reason.TRUNCATED,
        Reason.INVALID_JSON,
        Reason.INVALID_ANSWER,
        Reason.CONTEXT_OVERFLOW,
        Reason.ONE_ORDER_ONLY,
        Reason.NOTHING_TO_JUDGE,
        Reason.CANNOT_JUDGE,
        Reason.NO_EVIDENCE,
        Reason.UNSURE,
        Reason.NO_BASELINE,
        Reason.NO_VISION,
        Reason.LANGUAGE,
    }
)


class Part(Frozen):
    """One row behind a measure: a document, a criterion, a nugget or a cited sentence.

    ``id`` names it (the document's id, the criterion's name, the nugget's text, the sentence's number),
    ``value`` is in [0, 1], ``raw`` on the format's own scale, ``label`` for verdicts that are no number.
    """

    id: str
    value: float | None = Field(default=None, ge=0, le=1)
    raw: float | None = None
    label: str | None = None
    explanation: str = ""


class Measure(Frozen):
    """The value of one metric for one item.

    ``value`` is in [0, 1]; ``raw`` is the same on the format's own scale. With several samples, ``value``
    is their mean, ``majority`` their most frequent value (the median of the tied ones, as a ``value``)
    and ``samples`` holds each, with None where a sample gave nothing. ``label`` is the verdict of a
    preference (first, second or tie), ``flipped`` whether it changed with the order of the arguments,
    and ``method`` says how the value was read where there is a choice (``logprobs``, ``rating``, or ``mixed``
    where samples or orders differ in that). ``confidence`` is what speaks for the value, from 0 (nothing) to 1, by its
    source (:mod:`conqret.judging.scales`).
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
    parts: tuple[Part, ...] = ()
    reason: Reason | None = None
    detail: str = ""

    @model_validator(mode="after")
    def _failure_is_never_a_score(self) -> Self:
        scored = self.status is _SCORED
        if scored != (self.value is not None) or scored != (self.reason is None):
            raise ValueError(
                "a scored measure must have a value and no reason; any other must have a reason and no value"
            )
        if self.reason is not None and self.reason.status is not self.status:
            raise ValueError(f"{self.reason} is a reason for {self.reason.status}, not for {self.status}")
        return self

    @classmethod
    def missing(cls, reason: Reason, detail: str = "") -> Self:
        """A measure without a value, for ``reason``."""
        return cls(status=reason.status, reason=reason, detail=detail)

    @property
    def complement(self) -> Measure:
        """The measure of ``1 - value``. Words said for the value are kept; ratings and parts are the other metric's."""
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
    """A prompt injection in the item's own text, detected before judging, or (:data:`HTML`) the rest of a web page.

    ``where`` is ``topic``, ``argument``, ``second_argument``, ``reference``, ``document:<id>`` or ``message:<number>``.
    """

    where: str
    kind: str
    excerpt: str


class Trim(Frozen):
    """What a document lost so that the prompt fitted the model: tokens before and after."""

    document: str
    before: int
    after: int


class Call(Frozen):
    """One answer from a model, or the end of the attempts to get one.

    ``cost_usd`` is None where the price is unknown. ``recorded`` says that the answer came from a
    recording: it cost nothing now, and tokens, cost and seconds are those of the original call.
    ``attempts`` counts the requests sent (retries after an error included). ``answered_by`` is the model's name, and
    ``system_fingerprint`` the state of the provider's system, as the answer itself gives them.
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
    """How a judgment came about: its calls in the order in which they were made."""

    calls: tuple[Call, ...] = ()

    @property
    def cost_usd(self) -> float | None:
        """The sum over the calls, or None if the price of any of them is unknown."""
        total = 0.0
        for call in self.calls:
            if call.cost_usd is None:
                return None
            total += call.cost_usd
        return total


class Judgment(Frozen):
    """One judge's measures of one item, one for each metric, and the trace. ``strays`` are the
    numbers that its arguments cite and no document has.

    ``fingerprint`` names judge, prompts and model: equal fingerprints mean the same judge configuration. ``version``
    says which version of an item was judged; None: the item as it is. ``language`` is the item's, as an ISO 639-1 code;
    empty where it could not be detected. ``translation_of`` is the word that it shares with its translations.
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
    trace: Trace = Trace()

    @property
    def addressed(self) -> tuple[Flag, ...]:
        """The flags of prompt injections: all but what is left of web pages."""
        return tuple(flag for flag in self.flags if flag.kind != HTML) if self.flags else ()

    @property
    def status(self) -> Status:
        """Scored only if every measure is; failed as soon as one of them is."""
        found = Status.SCORED
        for measure in self.measures.values():
            if measure.status is Status.FAILED:
                return measure.status
            if measure.status is Status.UNSCORED:
                found = measure.status
        return found

    def value(self, metric: str) -> float | None:
        """The value of a metric, in [0, 1]; None where it has none."""
        measure = self.measures.get(metric)
        return measure.value if measure is not None else None

    @property
    def values(self) -> dict[str, float]:
        """The value of each metric that has one, in [0, 1]."""
        return {name: measure.value for name, measure in self.measures.items() if measure.value is not None}

    @property
    def reasons(self) -> dict[str, str]:
        """The reason of each metric that has no value."""
        return {
            name: measure.reason.value
            for name, measure in self.measures.items()
            if measure.reason is not None
        }

    def bare(self) -> Self:
        """A copy without explanations, parts, samples and trace, to hold many of them in memory."""
        kept = {"status", "value", "reason"}
        measures = {
            name: Measure.model_construct(**{key: getattr(measure, key) for key in kept})
            for name, measure in self.measures.items()
        }
        return self.model_copy(update={"measures": measures, "flags": (), "trims": (), "trace": Trace()})

    @property
    def reason(self) -> Reason | None:
        """The reason of the first measure with the judgment's own status; None if scored."""
        status = self.status
        return next((m.reason for m in self.measures.values() if m.status is status), None)


@dataclass
class TopicKeys:
    """Topics as they come, joined where an item of one is a translation of an item of another: the same question in
    several languages counts as one cluster in every interval.

    Topics are told apart by their texts, so that of an item and its translations would be several. They are joined by
    what ties the items: the word under ``translation_of`` in their metadata, the id of the original, or an id that ends
    in the code of the item's language (``bees-de``), as ``conqret generate translations`` writes it. Ids are kept as
    hashes, since a translation may come before its original.
    """

    _places: dict[str, int] = field(default_factory=dict)
    _joined: list[int] = field(default_factory=list)
    _ties: dict[int, int] = field(default_factory=dict)
    _originals: dict[int, int] = field(default_factory=dict)
    _names: dict[str, str] | None = None

    @classmethod
    def from_judged(cls, judged: Iterable[Item | Judgment]) -> Self:
        """Those of items or judgments."""
        keys = cls()
        for each in judged:
            keys.add(each)
        return keys

    def add(self, judged: Item | Judgment) -> int:
        """Take the topic of an item or a judgment in, and return its place among all topics."""
        item = judged.id if isinstance(judged, Item) else judged.item
        return self.tie(judged.topic, item, judged.language, judged.translation_of)

    def tie(self, topic: str, item: str, language: str = "", translation_of: str = "") -> int:
        """The same of what is known of the item: its id, its language, and what it is a translation of."""
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
        """The place of the topic that stands for each, by place."""
        return list(map(self._root, range(len(self._joined))))

    def __getitem__(self, topic: str) -> str:
        """The topic that stands for this one: the first of its translations, else itself."""
        return self.joined.get(topic, topic)

    @property
    def count(self) -> int:
        """How many topics there are, translations of one counted once."""
        return len(set(self.roots()))

    @property
    def joined(self) -> Mapping[str, str]:
        """The topics for which another one stands."""
        if self._names is None:
            names = list(self._places)
            pairs = zip(names, self.roots(), strict=True)
            self._names = {name: names[root] for name, root in pairs if names[root] != name}
        return self._names
