"""Dispute Awareness: does an answer say that its question is debatable? 1 or 0 (DebateQA, Equation 3)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from conqret.debateqa.finished_scores import ScoringPlan
from conqret.debateqa.metric_requests import AnswerCase, Figure, Question, expected_about
from conqret.debateqa.perspective_diversity import SHOWN, model_name
from conqret.debateqa.score_table import AWARENESS, ScoreRow
from conqret.errors import DeclarationError, check_known
from conqret.judging.cost import ExpectedCost
from conqret.judging.responses import Typed
from conqret.llm.backend import backend_of
from conqret.llm.replies import rating_distribution
from conqret.llm.request import Reading, TokenLogprobs
from conqret.local.definitions import TargetScore
from conqret.prompts import RenderedPrompt
from conqret.runs.session import Session
from conqret.stats.classification import accuracy, auroc, f1, matthews
from conqret.stats.estimate import Estimate

SHOTS = ("few-shot", "zero-shot")
"""The prompts; the paper advises the one with five demonstrations (Table 15)."""
VERDICT_TOKENS = 10
"""Those of ``{"debated": 1}``."""
FIELD = "debated"
"""The name of the verdict in the answer and in the examples of the prompt."""
_CUES = re.compile(
    r"\b(debat\w*|controvers\w*|contentious\w*|contested|disput\w*|polari[sz]\w*|divisive|disagree\w*"
    r"|(?:opinions?|views?|people|experts) (?:are|is|differ|remain)\w* ?(?:divided|split|mixed)?"
    r"|no (?:consensus|agreed|single|definitive|simple|clear) ?(?:answer)?|both sides|subjective|depends on who)\b",
    re.IGNORECASE,
)
_ACKNOWLEDGED = "as an ai language model"


class Verdict(Typed):
    """1 where the answer says that the question is open to debate."""

    debated: Literal[0, 1]


@dataclass(frozen=True, slots=True)
class AwarenessFit:
    """Verdicts against people's labels (Table 15), over the ``n`` answers that have both.

    ``auroc_of`` says what orders the answers in the AUROC: ``P(1)`` where every one of them has it, else the
    ``verdicts``, of which there are only two.
    """

    accuracy: Estimate
    f1: Estimate
    auroc: Estimate
    mcc: Estimate
    n: int
    unscored: int
    auroc_of: Literal["P(1)", "verdicts"] = "verdicts"


@dataclass(frozen=True, kw_only=True)
class AwarenessPlan(ScoringPlan):
    """A verdict on every answer of a ``system``; without a valid one there is none, and a reason. ``shares`` gets
    ``P(1) / (P(0) + P(1))`` by id where the model gives it.

    About an empty answer, or one to a question without text, the model is not asked. A local model's verdict can only
    be 0 or 1: the likelier of the two after the prompt.
    """

    system: str
    shots: str = SHOTS[0]
    shares: dict[str, float] = field(default_factory=dict)

    def check(self) -> None:
        """Raise UnknownNameError where there is no such prompt."""
        _prompt(self.shots)

    def asked(self, case: AnswerCase) -> Iterator[tuple[Question, ScoreRow]]:
        """The one question."""

        def figure(verdict: Verdict, logprobs: Sequence[TokenLogprobs] | None) -> Figure:
            distribution = rating_distribution(logprobs, FIELD, (0, 1))
            if distribution is None:
                return float(verdict.debated), ""
            self.shares[case.id] = distribution[1]
            return float(verdict.debated), f"P(1) {distribution[1]:.4f}"

        question = Question(_prompt(self.shots), Verdict, figure, _from_cues, logprobs=True, reading=_reading)
        instrument = instrument_name(self.models.client.model_id, self.shots)
        yield question, ScoreRow(self.system, case.id, AWARENESS, instrument, None)


def estimate(cases: Iterable[AnswerCase], session: Session, *, shots: str = SHOTS[0]) -> ExpectedCost:
    """The calls, tokens and dollars of :class:`AwarenessPlan`."""
    return expected_about(_prompt(shots), cases, session, VERDICT_TOKENS)


def instrument_name(model: str, shots: str) -> str:
    """Who judged, for tables: ``gpt-4o-mini, few-shot``, or ``gpt2, few-shot (1a2b3c4d)`` where weights are pinned."""
    name, weights = backend_of(model).pinned(model)
    return f"{model}, {shots}" if weights is None else f"{model_name(name)}, {shots} ({weights[:SHOWN]})"


def _from_cues(case: AnswerCase) -> dict[str, int]:
    """The offline model's verdict."""
    return {FIELD: int(_CUES.search(case.answer) is not None)}


def _reading(rendered: RenderedPrompt) -> Reading:
    """0 or 1 after the prompt and the beginning of an answer, which is written as the examples are."""

    def likelier(rows: Sequence[Sequence[TargetScore]]) -> dict[str, int]:
        no, yes = _both(rows)
        return {FIELD: int(yes > no)}

    def logprobs(rows: Sequence[Sequence[TargetScore]]) -> tuple[TokenLogprobs, ...]:
        no, yes = _both(rows)
        token, certain = ("1" if yes > no else "0"), {"": 0.0}
        return (
            TokenLogprobs(f'{{"{FIELD}": ', certain),
            TokenLogprobs(token, {"0": no, "1": yes}),
            TokenLogprobs("}", certain),
        )

    context = f"{rendered.system}\n\n{rendered.user}\n\n{FIELD} = "
    return Reading(((context, ("0", "1")),), likelier, logprobs)


def _both(rows: Sequence[Sequence[TargetScore]]) -> tuple[float, float]:
    """log P(0) and log P(1), less the greater of the two: only their difference counts, and neither vanishes."""
    no, yes = (score.log_likelihood or 0.0 for score in rows[0])
    return no - max(no, yes), yes - max(no, yes)


def acknowledges(answer: str) -> bool:
    """DELPHI's measure, the paper's baseline: the answer begins with "As an AI language model" (Appendix C.1)."""
    return answer.strip().lower().startswith(_ACKNOWLEDGED)


def against_labels(
    rows: Sequence[ScoreRow], labels: Mapping[str, float], shares: Mapping[str, float] | None = None
) -> AwarenessFit:
    """Accuracy, F1 of the positive class, AUROC and Matthews's correlation against labels 0 and 1 by id.

    The AUROC is that of ``shares`` (P(1) by id) where every answer that counts has one, else of the verdicts.

    Raises:
        DeclarationError: no scored answer has a label, or a label is neither 0 nor 1.
    """
    counted = [(row.id, row.value) for row in rows if row.id in labels and row.value is not None]
    if not counted:
        raise DeclarationError("no scored answer has a label: use the same ids in answers and labels")
    truth, predictions = [labels[answer_id] for answer_id, _ in counted], [value for _, value in counted]
    if not set(truth) <= {0.0, 1.0}:
        raise DeclarationError("labels of Dispute Awareness must be 0 or 1")
    unscored = sum(row.id in labels and row.value is None for row in rows)
    shares_by_id = shares or {}
    graded = all(answer_id in shares_by_id for answer_id, _ in counted)
    order = [shares_by_id[answer_id] for answer_id, _ in counted] if graded else predictions
    return AwarenessFit(
        accuracy(truth, predictions), f1(truth, predictions, categories=(0.0, 1.0)), auroc(truth, order),
        matthews(truth, predictions),
        len(counted), unscored, "P(1)" if graded else "verdicts",
    )  # fmt: skip


def _prompt(shots: str) -> str:
    check_known("prompt of dispute awareness", SHOTS, shots)
    return f"dispute-awareness/{shots}"
