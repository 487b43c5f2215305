"""One metric of one item (:class:`SingleMetric`), which other libraries' evaluators request, and the
conversion of their data.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Unpack

from conqret.data import Item, Judgment, Measure
from conqret.data.criterion import Criterion, criterion_of, fields_of
from conqret.errors import Fault, ItemsError, check_known, metric_name
from conqret.io.images import plain_message
from conqret.io.items import STANCES
from conqret.io.rubric_files import RubricSource
from conqret.judging.judge_options import CRITERIA, SampleSettings
from conqret.judging.judge_parts import DEFAULT_FORMAT, JUDGES
from conqret.judging.judge_settings import chosen_format
from conqret.judging.judgments import Judgments
from conqret.judging.session_judge import SessionJudge
from conqret.llm.client_options import ClientSettings
from conqret.show.words import reason
from conqret.text.language import language_code

SECOND = "second_argument"
"""The field of an item that comparing formats need."""
MetricName = str | Criterion | Mapping[str, Any]
"""A metric's name; for the format ``criteria`` a criterion, as its text, its table or a
:class:`conqret.Criterion`.
"""


class SingleSettings(ClientSettings, SampleSettings, total=False):
    """The keyword settings of an adapter's metric: the settings of :func:`conqret.judge` that apply to single
    items.
    """

    model: str | None
    rubric: RubricSource
    criteria_per_call: int
    prompts: str | None
    recordings: str | None
    replay: str | None


@dataclass(frozen=True)
class SingleMetric:
    """A judge of single items that computes one metric, by its format or by the one that has it.

    ``settings`` are those of :func:`conqret.judge`. For the format ``criteria``, ``metric`` is a criterion
    (:class:`conqret.Criterion`, its text or its table). For ``rubric`` it is a score of the rubric, such
    as ``rubric_score``. Responses are stored where ``recordings`` says.

    All items share one session across threads and event loops, so ``budget_usd``, ``rpm``, ``tpm`` and
    ``max_concurrency`` apply to all of them together. Copies of the object share it too.

    Raises:
        DeclarationError: the format, metric or setting does not exist.
    """

    format: str
    metric: str
    settings: SingleSettings
    judge: SessionJudge = field(repr=False, compare=False)
    compares: bool = False

    @classmethod
    def create(
        cls,
        metric: MetricName,
        format: str | None = None,  # noqa: A002
        **settings: Unpack[SingleSettings],
    ) -> SingleMetric:
        """Create the metric and check format, metric and settings at once.

        Raises:
            DeclarationError: the format, metric or setting does not exist.
        """
        check_known("option of a metric", SingleSettings.__annotations__, *settings)
        if format == CRITERIA or (format is None and (not isinstance(metric, str) or " " in metric.strip())):
            criterion = criterion_of(metric)
            judge = SessionJudge(criteria=[criterion], **settings)
            return cls(CRITERIA, criterion.name, settings, judge, SECOND in fields_of([criterion]))
        name = metric_name(str(metric))
        chosen = chosen_format({"format": format, "metrics": [name], **settings})
        made_of = JUDGES.resolve(chosen or format or DEFAULT_FORMAT)
        made_of.select([name])
        compares = any(SECOND in part.looked_at for part in made_of.parts([name]))
        if format is not None:
            judge = SessionJudge(format=format, metrics=[name], **settings)
        else:
            judge = SessionJudge(metrics=[name], **settings)
        (reported,) = made_of.reported(() if made_of.members else [name])
        return cls(made_of.name, reported, settings, judge, compares)

    @property
    def name(self) -> str:
        """The metric's name in reports, ``conqret FORMAT METRIC``."""
        return f"conqret {self.format} {self.metric}"

    def judged(self, item: Mapping[str, Any]) -> Judgment:
        """Judge one item, a mapping with the fields of :class:`conqret.Item`, and return its judgment.

        Raises:
            ItemsError: the item has faults, or lacks a field that the format needs.
        """
        judgments: Judgments = self.judge.judge([self._compared(item)])
        return judgments[0]

    async def ajudged(self, item: Mapping[str, Any]) -> Judgment:
        """Judge one item asynchronously and return its judgment.

        Raises:
            ItemsError: the item has faults, or lacks a field that the format needs.
        """
        judgments: Judgments = await self.judge.ajudge([self._compared(item)])
        return judgments[0]

    def _compared(self, item: Mapping[str, Any]) -> Mapping[str, Any]:
        """The item; where the metric compares, and there is no second argument, the reference is it."""
        if not self.compares or "reference" not in item:
            return item
        return {SECOND: item["reference"], **item}

    def close(self) -> None:
        """Close connections and recordings; this also happens when the object is deleted or Python exits."""
        self.judge.close()

    def measure(self, judgment: Judgment) -> Measure:
        """Return this metric's measure from a judgment."""
        return judgment.measures[self.metric]

    def described(self, judgment: Judgment) -> tuple[Measure, str, dict[str, Any]]:
        """Return this metric's measure, its explanation (:func:`measure_text`) and its metadata
        (:func:`kept`).
        """
        measure = self.measure(judgment)
        return measure, measure_text(measure), kept(judgment, self.metric)


def measure_text(measure: Measure) -> str:
    """Return the explanation of a measure, or a sentence that says why it has no value."""
    if measure.value is not None:
        return measure.explanation
    return f"no score: {reason(measure.reason)}{f' ({measure.detail})' if measure.detail else ''}"


def faults(error: ItemsError) -> str:
    """Return on one line why an item cannot be judged: each faulty field, its problem and the remedy."""
    return "; ".join(f"{fault.field} {fault.problem}. {fault.remedy}" for fault in error.faults)


def kept(judgment: Judgment, metric: str) -> dict[str, Any]:
    """Return the metadata of a judgment's metric as JSON data: fingerprint, model, and the measure's fields."""
    measure = judgment.measures[metric].model_dump(mode="json", exclude_none=True)
    return {"fingerprint": judgment.fingerprint, "model": judgment.model, **measure}


def as_item(
    topic: Any,
    argument: str | None = None,
    documents: Any = (),
    reference: str | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Build the non-empty fields of a conqret item from another library's data.

    Args:
        topic: the question, or a list of the messages of a conversation in the library's own form.
        argument: the answer; not needed where the messages contain it.
        documents: the retrieved documents or texts.
        reference: the expected answer.
        metadata: further data, from which stance, nuggets, language and second argument are read
            (:func:`described`).

    Raises:
        ItemsError: the topic is empty.
    """
    if not topic:
        raise ItemsError(
            [Fault("items", 0, "topic", "is empty, and everything is judged by it", "Give the question")]
        )
    messages = conversation(topic) if isinstance(topic, list | tuple) else None
    fields = {
        "topic": topic if messages is None else None,
        "messages": messages,
        "argument": argument,
        "documents": list(documents or ()),
        "reference": reference,
        **described(metadata or {}),
    }
    return {name: value for name, value in fields.items() if value}


def described(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Return the item fields in another library's metadata: stance, nuggets, language and second argument.

    A value that is no valid stance or language is ignored (for example ``language: python``).
    """
    known = {"stance": lambda word: word.lower() in STANCES, "language": language_code}
    fields = {name: metadata.get(name) for name in (SECOND, "nuggets", *known)}
    return {
        name: value
        for name, value in fields.items()
        if value and (name not in known or known[name](str(value).strip()))
    }


def conversation(messages: Iterable[Any]) -> list[Any]:
    """Convert another library's messages into plain data; messages that are plain data stay unchanged."""
    return [plain_message(message) for message in messages]


def conversed(messages: Iterable[Any] | None) -> list[Any] | None:
    """Return the messages as plain data if they hold more than one question and its answer, and None
    otherwise.
    """
    several = conversation(messages or ())
    roles = [str(message.get("role") or message.get("type")).lower() for message in several]
    question_alone = roles in (["user"], ["human"], ["user", "assistant"], ["human", "ai"])
    plain = all(isinstance(message.get("content"), str) for message in several)
    return None if not several or (question_alone and plain) else several


def beyond(item: Item, *held: str) -> dict[str, Any]:
    """Return an item's fields that another library has no place for, by their conqret names.

    Topic, argument, documents and the fields named in ``held`` are left out. The documents' titles and
    URLs are added to the metadata, by document id.
    """
    more = {
        document.id: document.model_dump(include={"title", "url"}, exclude_defaults=True)
        for document in item.documents
    }
    described = {name: value for name, value in more.items() if value}
    fields: dict[str, Any] = {
        "id": item.id,
        "stance": item.stance if item.stance != "none" else None,
        "second_argument": item.second_argument,
        "reference": item.reference,
        "nuggets": [nugget.model_dump(exclude_none=True) for nugget in item.nuggets],
        "language": item.language,
        "messages": [turn.model_dump(exclude_defaults=True) for turn in item.messages],
        "images": list(item.images),
        "metadata": {**item.metadata, **({"documents": described} if described else {})},
    }
    return {name: value for name, value in fields.items() if value and name not in held}


def as_document(
    text: str,
    id: str | None = None,  # noqa: A002
    metadata: Mapping[str, Any] | None = None,
) -> dict[str, str]:
    """Build a document of an item from a text, an optional id, and the title and URL in its metadata."""
    more = metadata or {}
    title, url = more.get("title") or more.get("file_name"), more.get("url") or more.get("source")
    fields = {"id": id, "text": text, "title": title, "url": url}
    return {name: str(value) for name, value in fields.items() if value}
