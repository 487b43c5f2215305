"""Dispute Awareness: does an answer say that its question is debatable? 1 or 0 (DebateQA, Equation 3)."""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict

from conqret.data import Reason
from conqret.errors import DeclarationError, UnknownNameError
from conqret.evaluation.debateqa.table import AWARENESS, ScoreRow
from conqret.llm.client import Client
from conqret.llm.request import Message, Request
from conqret.perplexity import ConditionalPerplexity
from conqret.prompts import Library
from conqret.retrieval.session import Session
from conqret.stats.classification import accuracy, auroc, f1, matthews
from conqret.stats.confusion import confusion
from conqret.stats.estimate import Estimate

SHOTS = ("few-shot", "zero-shot")
"""The prompts; the paper advises the one with five demonstrations (Table 15)."""
PLAIN_WRAPPING = 5
"""A local model is asked the prompt as it stands: the scorer must add nothing around it."""
_CUES = re.compile(
    r"\b(debat\w*|controvers\w*|contentious\w*|contested|disput\w*|polari[sz]\w*|divisive|disagree\w*"
    r"|(?:opinions?|views?|people|experts) (?:are|is|differ|remain)\w* ?(?:divided|split|mixed)?"
    r"|no (?:consensus|agreed|single|definitive|simple|clear) ?(?:answer)?|both sides|subjective|depends on who)\b",
    re.IGNORECASE,
)
_ACKNOWLEDGED = "as an ai language model"


class Verdict(BaseModel):
    """1 where the answer says that the question is open to debate."""

    model_config = ConfigDict(extra="forbid")

    debated: Literal[0, 1]


@dataclass(frozen=True, slots=True)
class AskedAnswer:
    """A question and an answer to it, under an id."""

    id: str
    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class AwarenessFit:
    """Verdicts against people's labels (Table 15), over the ``n`` answers that have both."""

    accuracy: Estimate
    f1: Estimate
    auroc: Estimate
    mcc: Estimate
    n: int
    unscored: int


def ask_awareness(
    answers: Sequence[AskedAnswer], session: Session, system: str, *, shots: str = SHOTS[0]
) -> list[ScoreRow]:
    """Ask a model through the client; an answer without a valid verdict has none, and a reason.

    Raises:
        UnknownNameError: ``shots`` is neither few-shot nor zero-shot.
    """
    prompt = _prompt(shots)

    async def one(answer: AskedAnswer, client: Client) -> ScoreRow:
        rendered = session.library[prompt].render({"question": answer.question, "answer": answer.answer})
        reply = await client.ask(
            Request(
                ask=prompt,
                item=answer.id,
                messages=(Message("system", rendered.system), Message("user", rendered.user)),
                response=Verdict,
                temperature=0.0,
                baseline=lambda: {"debated": int(_CUES.search(answer.answer) is not None)},
            )
        )
        name = f"{session.options.model} {shots}"
        if reply.value is None:
            reason = reply.reason or Reason.INVALID_ANSWER
            return ScoreRow(system, answer.id, AWARENESS, name, None, 1, reason.value, reply.detail)
        return ScoreRow(system, answer.id, AWARENESS, name, float(reply.value.debated))

    async def all_of(client: Client) -> list[ScoreRow]:
        return list(await asyncio.gather(*(one(answer, client) for answer in answers)))

    return session.run(all_of)


def local_awareness(
    answers: Sequence[AskedAnswer], scorer: ConditionalPerplexity, system: str, *, shots: str = SHOTS[0]
) -> Iterator[tuple[ScoreRow, float | None]]:
    """Ask a local model, whose answer can only be 0 or 1: the likelier of the two after the prompt.

    Gives each row with ``P(1) / (P(0) + P(1))``, which AUROC can use. ``scorer`` must have been made with
    :data:`PLAIN_WRAPPING`.

    Raises:
        UnknownNameError: ``shots`` is neither few-shot nor zero-shot.
    """
    prompt, library = _prompt(shots), Library()

    def pairs() -> Iterator[tuple[str, list[str]]]:
        for answer in answers:
            rendered = library[prompt].render({"question": answer.question, "answer": answer.answer})
            yield f"{rendered.system}\n\n{rendered.user}\n\ndebated = ", ["0", "1"]

    name = f"{scorer.model} {shots} {scorer.fingerprint}"
    for answer, (no, yes) in zip(answers, scorer.stream(pairs()), strict=True):
        if no.log_likelihood is None or yes.log_likelihood is None:
            yield ScoreRow(system, answer.id, AWARENESS, name, None, 1, no.reason or yes.reason), None
            continue
        share = 1 / (1 + math.exp(min(700.0, no.log_likelihood - yes.log_likelihood)))
        cut = "the prompt was trimmed" if yes.truncated else ""
        yield ScoreRow(system, answer.id, AWARENESS, name, float(share > 0.5), detail=cut), share


def acknowledges(answer: str) -> bool:
    """DELPHI's measure, the paper's baseline: the answer begins with "As an AI language model" (Appendix C.1)."""
    return answer.strip().lower().startswith(_ACKNOWLEDGED)


def against_labels(rows: Sequence[ScoreRow], labels: Mapping[str, float]) -> AwarenessFit:
    """Accuracy, F1 of the positive class, AUROC and Matthews's correlation against labels 0 and 1 by id.

    Raises:
        DeclarationError: no scored answer has a label, or a label is neither 0 nor 1.
    """
    pairs = [(labels[row.id], row.value) for row in rows if row.id in labels and row.value is not None]
    if not pairs:
        raise DeclarationError("no scored answer has a label: are the ids the same?")
    truth, said = [one for one, _ in pairs], [other for _, other in pairs]
    if not set(truth) <= {0.0, 1.0}:
        raise DeclarationError("labels of Dispute Awareness are 0 and 1")
    table = confusion(truth, said, categories=[0.0, 1.0])
    unscored = sum(row.id in labels and row.value is None for row in rows)
    return AwarenessFit(accuracy(table), f1(table), auroc(truth, said), matthews(table), len(pairs), unscored)


def _prompt(shots: str) -> str:
    if shots not in SHOTS:
        raise UnknownNameError("prompt of dispute awareness", shots, SHOTS)
    return f"dispute-awareness/{shots}"
