"""One metric of one format for one item, which is what other evaluators request."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Unpack

from conqret.data import Item, Judgment, Measure
from conqret.errors import Fault, ItemsError, check_known
from conqret.io.images import plain_message
from conqret.io.items import STANCES
from conqret.judging.criterion import Criterion, criterion_of, fields_of
from conqret.judging.judge_options import CRITERIA, SampleSettings
from conqret.judging.judge_parts import JUDGES
from conqret.judging.judge_settings import ClientSettings, chosen_format
from conqret.judging.judgments import Judgments
from conqret.judging.rubric_files import RubricSource
from conqret.judging.session_judge import SessionJudge
from conqret.show.words import reason
from conqret.text.language import language_code

SECOND = "second_argument"
"""The field of an item that formats which compare look at."""
MetricName = str | Criterion | Mapping[str, Any]
"""A metric of a format; of the format ``criteria`` a criterion, as its text, its table or itself."""


class SingleSettings(ClientSettings, SampleSettings, total=False):
    """What an evaluator's metric can be told: the settings of :func:`conqret.judge` that make sense for one item."""

    model: str | None
    rubric: RubricSource
    criteria_per_call: int
    prompts: str | None
    recordings: str | None
    replay: str | None


@dataclass(frozen=True)
class SingleMetric:
    """``metric`` of ``format``, with the settings of :func:`conqret.judge`. Of the format ``criteria`` the metric that
    it is made of is a criterion (:class:`conqret.Criterion`, its text or its table); of the format ``rubric`` it is a
    score of the setting ``rubric``, such as ``rubric_score``. Answers are kept where ``recordings`` says.

    All items of one metric are judged over one session, whichever thread or event loop they come from: ``budget_usd``,
    ``rpm``, ``tpm`` and ``max_concurrency`` hold for them together. Copies share it.

    Raises:
        DeclarationError: there is no such format, metric or setting.
    """

    format: str
    metric: str
    settings: SingleSettings
    judge: SessionJudge = field(repr=False, compare=False)
    compares: bool = False

    @classmethod
    def create(
        cls,
        format: str,  # noqa: A002
        metric: MetricName,
        **settings: Unpack[SingleSettings],
    ) -> SingleMetric:
        """Checked as it is made, not with the first item."""
        check_known("option of a metric", SingleSettings.__annotations__, *settings)
        if format == CRITERIA:
            criterion = criterion_of(metric)
            judge = SessionJudge(criteria=[criterion], **settings)
            return cls(format, criterion.name, settings, judge, SECOND in fields_of([criterion]))
        name = str(metric)
        made_of = JUDGES.resolve(chosen_format({"format": format, **settings}) or format)
        made_of.select([name])
        compares = any(SECOND in part.looked_at for part in made_of.parts([name]))
        return cls(format, name, settings, SessionJudge(format=format, metrics=[name], **settings), compares)

    @property
    def name(self) -> str:
        """What reports call it."""
        return f"conqret {self.format} {self.metric}"

    def judged(self, item: Mapping[str, Any]) -> Judgment:
        """The judgment of one item, whose fields are those of :class:`conqret.Item`."""
        judgments: Judgments = self.judge.judge([self._compared(item)])
        return judgments[0]

    async def ajudged(self, item: Mapping[str, Any]) -> Judgment:
        """The same for code that is asynchronous."""
        judgments: Judgments = await self.judge.ajudge([self._compared(item)])
        return judgments[0]

    def _compared(self, item: Mapping[str, Any]) -> Mapping[str, Any]:
        """The item; where the metric compares, and there is no second argument, the reference is it."""
        if not self.compares or "reference" not in item:
            return item
        return {SECOND: item["reference"], **item}

    def close(self) -> None:
        """Let go of connections and recordings. They are also let go with the metric, and as Python ends."""
        self.judge.close()

    def measure(self, judgment: Judgment) -> Measure:
        """The measure of this metric."""
        return judgment.measures[self.metric]

    def described(self, judgment: Judgment) -> tuple[Measure, str, dict[str, Any]]:
        """The measure of this metric, its explanation (:func:`measure_text`), and what a number cannot say
        (:func:`kept`)."""
        measure = self.measure(judgment)
        return measure, measure_text(measure), kept(judgment, self.metric)


async def outcome(single: SingleMetric, item: Mapping[str, Any]) -> dict[str, Any]:
    """What comes of the arguments of :func:`as_item`, as JSON holds it: the metric's name, its value or None, what it
    says, and all else."""
    measure, words, more = single.described(await single.ajudged(as_item(**item)))
    return {"name": single.name, "value": measure.value, "told": words, "kept": more}


def measure_text(measure: Measure) -> str:
    """What a measure says in words: its explanation, or why there is no value."""
    if measure.value is not None:
        return measure.explanation
    return f"no score: {reason(measure.reason)}{f' ({measure.detail})' if measure.detail else ''}"


def faults(error: ItemsError) -> str:
    """Why an item cannot be judged, on one line: which field lacks what. It is no score then."""
    return "; ".join(f"{fault.field} {fault.problem}. {fault.remedy}" for fault in error.faults)


def kept(judgment: Judgment, metric: str) -> dict[str, Any]:
    """What stands in the metadata of another library's result: all that a number cannot say."""
    measure = judgment.measures[metric].model_dump(mode="json", exclude_none=True)
    return {"fingerprint": judgment.fingerprint, "model": judgment.model, **measure}


def as_item(
    topic: Any,
    argument: str | None = None,
    documents: Any = (),
    reference: str | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The fields of an item, without those that are empty. ``topic`` is the question, or the messages of a conversation
    in whatever form another library has them; where these hold the answer, too, there need be no ``argument``.
    ``reference`` is what the library calls an expected answer. Fields that no library has a place for come from the
    ``metadata`` (:func:`described`).

    Raises:
        ItemsError: there is no question.
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
    """The fields of an item in another library's metadata: its stance, nuggets, language and second argument. A word
    that is no stance or no language is the metadata's own (``language: python``)."""
    known = {"stance": lambda word: word.lower() in STANCES, "language": language_code}
    fields = {name: metadata.get(name) for name in (SECOND, "nuggets", *known)}
    return {
        name: value
        for name, value in fields.items()
        if value and (name not in known or known[name](str(value).strip()))
    }


def conversation(messages: Iterable[Any]) -> list[Any]:
    """The messages of another library as plain data; those that are plain already stay as they are."""
    return [plain_message(message) for message in messages]


def conversed(messages: Iterable[Any] | None) -> list[Any] | None:
    """Messages that say more than a question and its answer; None where they are no more than these."""
    several = conversation(messages or ())
    roles = [str(message.get("role") or message.get("type")).lower() for message in several]
    question_alone = roles in (["user"], ["human"], ["user", "assistant"], ["human", "ai"])
    plain = all(isinstance(message.get("content"), str) for message in several)
    return None if not several or (question_alone and plain) else several


def beyond(item: Item, *held: str) -> dict[str, Any]:
    """The fields of an item under their own names, but topic, argument, documents and those that are ``held``, which
    the other library has a place for. Titles and addresses of documents are in the metadata, by the documents' ids."""
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
    """A document as other libraries have them: a text, perhaps an id, and metadata, with title and address perhaps."""
    more = metadata or {}
    title, url = more.get("title") or more.get("file_name"), more.get("url") or more.get("source")
    fields = {"id": id, "text": text, "title": title, "url": url}
    return {name: str(value) for name, value in fields.items() if value}
