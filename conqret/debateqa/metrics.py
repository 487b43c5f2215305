"""The two metrics of DebateQA. Perspective Diversity: the summed perplexity of a question's partial answers (Equation
1). Dispute Awareness: does an answer say that its question is debatable? 1 or 0 (Equation 3)."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from conqret.debateqa.score_table import DIVERSITY, DIVERSITY_MEAN, EMPTY_ANSWER, NO_PARTIAL_ANSWERS, ScoreRow
from conqret.debateqa.scoring import AnswerCase, Figure, Question, TargetStore
from conqret.errors import DeclarationError, check_known
from conqret.judging.responses import Typed
from conqret.llm.backend import backend_of
from conqret.llm.replies import rating_distribution
from conqret.llm.request import Reading, TokenLogprobs
from conqret.local.likelihoods import TargetScore
from conqret.local.scorer import ConditionalPerplexity
from conqret.prompts import RenderedPrompt
from conqret.stats.estimate import Estimate

SHOWN = 8
"""Characters of a fingerprint in an instrument's name: enough to tell apart what a study holds."""
_NAMED = re.compile(rf", (?P<definition>paper|released) \([0-9a-f]{{{SHOWN}}}\)")


def diversity_rows(
    system: str,
    cases: Iterable[AnswerCase],
    scorer: ConditionalPerplexity,
    store: TargetStore | None = None,
    on_answer: Callable[[int], None] = lambda number: None,
) -> Iterator[ScoreRow]:
    """Two rows an answer, the sum (P.D., lower is better) and the mean, in the answers' order; ``store`` holds rows
    from before.

    An answer of which a partial answer could not be scored has no P.D.: a sum over fewer would be better for it.
    An empty answer has none either, nor has one whose question has no partial answers.
    """
    ahead: deque[tuple[AnswerCase, str]] = (
        deque()
    )  # some tens that were read ahead, and why they are not scored
    instrument = diversity_instrument(scorer)

    def pairs() -> Iterator[tuple[str, list[str]]]:
        """Every answer with its partial answers, or with none where it cannot be scored."""
        for case in cases:
            reason = "" if case.partial else NO_PARTIAL_ANSWERS
            reason = reason if case.answer.strip() else EMPTY_ANSWER
            ahead.append((case, reason))
            yield case.answer, [] if reason else list(case.partial)

    for scores in scorer.stream(pairs(), store=store, on_context=on_answer):
        case, reason = ahead.popleft()
        n = len(case.partial)
        values = [score.perplexity for score in scores if score.perplexity is not None]
        reason = reason or next((score.reason for score in scores if score.perplexity is None), "")
        truncated = sum(score.truncated > 0 for score in scores)
        detail = f"answer trimmed for {truncated} of {n}" if truncated else ""
        total = None if reason else sum(values)
        mean = None if total is None else total / n
        for metric, value in ((DIVERSITY, total), (DIVERSITY_MEAN, mean)):
            yield ScoreRow(system, case.id, metric, instrument, value, n, reason, detail)


def diversity_instrument(scorer: ConditionalPerplexity) -> str:
    """What measures, for tables and plots: ``gpt2, prompt 3, paper (1a2b3c4d)``.

    Backbone, wrapping prompt and definition, and the begin of the fingerprint of all settings. The released
    definition has no prompt.
    """
    prompt = "" if scorer.definition == "released" else f"prompt {scorer.wrapping}, "
    return f"{model_name(scorer.model)}, {prompt}{scorer.definition} ({scorer.fingerprint[:SHOWN]})"


def definition_of(instrument: str) -> str | None:
    """``paper`` or ``released``, as the name of an instrument of P.D. says it; None where it is not one of ours."""
    named = _NAMED.search(instrument)
    return None if named is None else named["definition"]


def model_name(model: str) -> str:
    """The last part of a model's folder or of its name on a hub, for people; the fingerprint tells two apart."""
    return Path(model).name or Path(model).resolve().name


SHOTS = ("few-shot", "zero-shot")
"""The prompts; the paper advises the one with five demonstrations (Table 15)."""
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


def awareness_question(case: AnswerCase, shots: str, shares: dict[str, float]) -> Question:
    """What is asked about a case; ``shares`` gets ``P(1) / (P(0) + P(1))`` by id where the model gives it.

    A local model's verdict can only be 0 or 1: the likelier of the two after the prompt.
    """

    def figure(verdict: Verdict, logprobs: Sequence[TokenLogprobs] | None) -> Figure:
        distribution = rating_distribution(logprobs, FIELD, (0, 1))
        if distribution is None:
            return float(verdict.debated), ""
        shares[case.id] = distribution[1]
        return float(verdict.debated), f"P(1) {distribution[1]:.4f}"

    return Question(
        awareness_prompt(shots), Verdict, figure,
        lambda case: {FIELD: int(_CUES.search(case.answer) is not None)}, logprobs=True, reading=_reading,
    )  # fmt: skip


def instrument_name(model: str, shots: str) -> str:
    """Who judged, for tables: ``gpt-4o-mini, few-shot``, or ``gpt2, few-shot (1a2b3c4d)`` where weights are pinned."""
    name, weights = backend_of(model).pinned(model)
    return f"{model}, {shots}" if weights is None else f"{model_name(name)}, {shots} ({weights[:SHOWN]})"


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
    from conqret.stats.classification import accuracy, auroc, f1, matthews  # numpy, which no help needs

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


def awareness_prompt(shots: str) -> str:
    """The prompt with or without examples.

    Raises:
        UnknownNameError: there is no such prompt.
    """
    check_known("prompt of dispute awareness", SHOTS, shots)
    return f"dispute-awareness/{shots}"
