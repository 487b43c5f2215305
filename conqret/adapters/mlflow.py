"""conqret's metrics as scorers of MLflow's ``mlflow.genai.evaluate``."""

from __future__ import annotations

from typing import Any

from pydantic import Field, PrivateAttr

from conqret._optional import require
from conqret.adapters.single import SingleMetric, SingleSettings, as_item, conversation
from conqret.errors import ConqretError

scorers: Any = require("mlflow.genai.scorers", extra="mlflow")
entities: Any = require("mlflow.entities", extra="mlflow")


class ConqretScorer(scorers.Scorer):  # type: ignore[misc]
    """A scorer for ``mlflow.genai.evaluate`` that applies one metric of a conqret format, from 0 to 1.

    The topic is ``question`` in the inputs, or else their ``messages`` (a chat). The argument is the
    output text, or ``answer`` in the outputs, or the answer of a chat completion. The documents are
    ``documents`` in outputs or inputs. The reference is ``expected_response`` in the expectations, or else
    their ``expected_facts``. Expectations may also hold ``second_argument``, stance, nuggets and language.
    The fields set other names than these. ``settings`` are those of :func:`conqret.judge`.

    A row without a score gets feedback with an error (its code is conqret's reason) and no value. The
    metadata holds status, parts and fingerprint.

    Raises:
        DeclarationError: the format, metric or setting does not exist.
    """

    name: str = ""
    metric: str
    format: str | None = None
    settings: dict[str, Any] = Field(default_factory=dict)
    topic: str = "question"
    argument: str = "answer"
    documents: str = "documents"
    reference: str = "expected_response"
    second_argument: str = "second_argument"
    _single: SingleMetric = PrivateAttr()

    def model_post_init(self, context: Any, /) -> None:
        """Check format, metric and settings when the scorer is created, and set its default name.

        Raises:
            DeclarationError: the format, metric or setting does not exist.
        """
        super().model_post_init(context)
        settings: SingleSettings = self.settings  # type: ignore[assignment]
        self._single = SingleMetric.create(self.metric, self.format, **settings)
        self.name = self.name or self._single.name.replace(" ", "_")

    def __call__(self, *, inputs: Any = None, outputs: Any = None, expectations: Any = None) -> Any:
        """Return the feedback on one row: its score and reasons, or an error (``FAULTY_ROW``, or the reason why there
        is no score)."""
        inputs_map, made, expected = _mapping(inputs), _mapping(outputs), _mapping(expectations)
        facts = (f"{str(fact).strip().rstrip('.')}." for fact in expected.get("expected_facts") or ())
        source = entities.AssessmentSource(
            source_type="LLM_JUDGE", source_id=f"conqret {self._single.format}"
        )
        try:
            item = as_item(
                inputs_map.get(self.topic) or conversation(inputs_map.get("messages") or ()),
                outputs if isinstance(outputs, str) else made.get(self.argument) or _completed(made),
                made.get(self.documents) or inputs_map.get(self.documents) or (),
                expected.get(self.reference) or " ".join(facts),
                {**expected, "second_argument": expected.get(self.second_argument)},
            )
            judgment = self._single.judged(item)
        except ConqretError as error:
            lost = entities.AssessmentError(error_code="FAULTY_ROW", error_message=str(error))
            return entities.Feedback(name=self.name, error=lost, source=source)
        measure, words, details = self._single.described(judgment)
        more = {name: str(value) for name, value in details.items()}
        if measure.value is not None:
            return entities.Feedback(
                name=self.name, value=measure.value, rationale=words, source=source, metadata=more
            )
        lost = entities.AssessmentError(error_code=str(measure.reason).upper(), error_message=words)
        return entities.Feedback(name=self.name, error=lost, source=source, metadata=more)


def _completed(made: dict[str, Any]) -> str | None:
    """The answer of a chat completion in OpenAI's form; None where there is none."""
    choices = made.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, dict) else None
    content = message.get("content") if isinstance(message, dict) else None
    return content if isinstance(content, str) else None


def _mapping(value: Any) -> dict[str, Any]:
    return dict(value) if isinstance(value, dict) else {}
