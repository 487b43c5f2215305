"""conqret's metrics as evaluators of LangSmith, and LangChain's documents as ours."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Unpack

from conqret._optional import require
from conqret.adapters.single import (
    MetricName,
    SingleMetric,
    SingleSettings,
    as_document,
    as_item,
    conversation,
)
from conqret.data import Judgment
from conqret.errors import DeclarationError

evaluation: Any = require("langsmith.evaluation", extra="langchain")


class ConqretEvaluator(evaluation.RunEvaluator):  # type: ignore[misc]
    """A LangSmith run evaluator that applies one metric of a conqret format, from 0 to 1.

    The topic is read from the run's inputs, and the argument and documents from its outputs. The reference
    is read from the example's outputs (by its key, or as the only value). Stance, nuggets and language are
    read from the example's metadata. If topic or argument is missing and there are ``messages``, the last
    answer of that conversation is judged.

    A run without a score gets a result without a score, whose comment gives the reason.
    ``extra["conqret"]`` holds parts, status and fingerprint.
    """

    def __init__(
        self,
        metric: MetricName,
        format: str | None = None,  # noqa: A002
        *,
        topic: str = "question",
        argument: str = "answer",
        documents: str = "documents",
        reference: str = "answer",
        second_argument: str = "second_argument",
        **settings: Unpack[SingleSettings],
    ) -> None:
        """``topic``, ``argument``, ``documents``, ``reference`` and ``second_argument`` are the keys under which
        these stand; ``settings`` are those of :func:`conqret.judge`.

        Raises:
            DeclarationError: there is no such format, metric or setting.
        """
        self.single = SingleMetric.create(metric, format, **settings)
        self.topic, self.argument, self.documents = topic, argument, documents
        self.reference, self.second_argument = reference, second_argument

    @property
    def feedback_keys(self) -> list[str]:
        """The names of the feedback in LangSmith: a list with this metric's name."""
        return [self.single.name]

    def evaluate_run(self, run: Any, example: Any = None, evaluator_run_id: Any = None) -> Any:
        """Judge one run, with its reference example if there is one, and return the evaluation result."""
        return self._result(self.single.judged(self._item(run, example)))

    async def aevaluate_run(self, run: Any, example: Any = None, evaluator_run_id: Any = None) -> Any:
        """Judge one run asynchronously, with its reference example if there is one, and return the evaluation
        result.
        """
        return self._result(await self.single.ajudged(self._item(run, example)))

    def _item(self, run: Any, example: Any) -> dict[str, Any]:
        outputs = run.outputs or {}
        expected = dict((example.outputs if example is not None else None) or {})
        inputs = run.inputs or {}
        named = self.topic in inputs and self.argument in outputs
        if not named and (messages := outputs.get("messages") or inputs.get("messages")):
            topic, argument = conversation(messages), outputs.get(self.argument)
        else:
            topic = _found(inputs, self.topic, "inputs", "topic")
            argument = _found(outputs, self.argument, "outputs", "argument")
        documents = documents_of(outputs.get(self.documents) or ())
        metadata = dict((example.metadata if example is not None else None) or {})
        if rival := expected.pop(self.second_argument, None):
            metadata["second_argument"] = rival
        alone = next(iter(expected.values())) if len(expected) == 1 else None
        reference = expected.get(self.reference) or (alone if isinstance(alone, str) else None)
        return as_item(topic, argument, documents, reference, metadata)

    def _result(self, judgment: Judgment) -> Any:
        measure, words, more = self.single.described(judgment)
        return evaluation.EvaluationResult(
            key=self.single.name,
            score=measure.value,
            comment=words or None,
            extra={"conqret": more},
            feedback_config={"type": "continuous", "min": 0, "max": 1},
        )


def documents_of(documents: Iterable[Any]) -> Iterator[dict[str, str]]:
    """Yield LangChain documents as the documents of a conqret item (``id``, ``text``, ``title`` and
    ``url``, where there are any).

    Each may be a Document object, its record in a trace, or a plain text. Title and URL come from the
    metadata; other metadata is dropped.
    """
    for document in documents:
        if isinstance(document, str):
            yield as_document(document)
            continue
        record = document if isinstance(document, Mapping) else vars(document)
        record = record.get("kwargs", record)  # as langchain_core.load.dumpd writes an object
        yield as_document(record.get("page_content", ""), record.get("id"), record.get("metadata"))


def _found(values: Mapping[str, Any], key: str, place: str, field: str) -> Any:
    if key not in values:
        there = ", ".join(map(repr, values)) or "nothing"
        raise DeclarationError(
            f"the run's {place} have no {key!r}, but {there}: name the key of the {field} ({field}=…)"
        )
    return values[key]
