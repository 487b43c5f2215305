"""An answer compared with each partial answer of its question: what every such metric is, BLEU and ROUGE-L."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from pydantic import FiniteFloat

from conqret._optional import require
from conqret.debateqa.metric_requests import AnswerCase

EXTRA = "baselines"
BLEU_TOP = 100.0
"""sacrebleu's scale ends here, but for the last bits of a float."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """An answer's mean similarity to its partial answers; None with a ``reason``. ``detail`` says what was cut."""

    value: FiniteFloat | None
    reason: str = ""
    detail: str = ""


class Similarity(Protocol):
    """A metric that is ready to compare. ``fingerprint`` changes with all that its values depend on."""

    @property
    def instrument(self) -> str:
        """What measures, with its settings, for tables."""

    @property
    def fingerprint(self) -> str:
        """What identifies the instrument: values under another are not of use."""

    def compare(self, cases: Sequence[AnswerCase]) -> list[Likeness]:
        """The likeness of each case, whose answer and partial answers are not empty."""


class _NamedMetric:
    """A metric whose name holds all settings and the version of its library."""

    def __init__(self, instrument: str, of: Callable[[str, str], float]) -> None:
        self.instrument = self.fingerprint = instrument
        self._of = of

    def compare(self, cases: Sequence[AnswerCase]) -> list[Likeness]:
        """The mean over each case's partial answers."""
        return [
            mean([self._of(case.answer, partial_answer) for partial_answer in case.partial]) for case in cases
        ]


def bleu() -> Similarity:
    """Sentence BLEU by sacrebleu: candidate the answer, reference one partial answer; 0 to 100.

    Orders of n-grams for which a short answer has none are left out (effective order); the other settings are
    sacrebleu's own, and its signature is the instrument's name.

    Raises:
        MissingDependencyError: sacrebleu is not installed.
    """
    scorer: Any = require("sacrebleu", extra=EXTRA).BLEU(effective_order=True)
    scorer.sentence_score("a", ["a"])  # the signature counts the references of a call
    return _NamedMetric(
        f"sacrebleu {scorer.get_signature()}",
        lambda answer, partial: min(BLEU_TOP, float(scorer.sentence_score(answer, [partial]).score)),
    )


def rouge_l() -> Similarity:
    """ROUGE-L by rouge-score: F-measure of the longest common subsequence of stemmed words; 0 to 1.

    With m words in the answer, n in the partial answer and an LCS of l: P = l/m, R = l/n, F = 2PR / (P + R).
    rouge-score keeps the words of Latin letters without accents and digits alone: texts in other scripts score 0.

    Raises:
        MissingDependencyError: rouge-score is not installed.
    """
    from importlib.metadata import version

    scorer: Any = require("rouge_score.rouge_scorer", extra=EXTRA).RougeScorer(["rougeL"], use_stemmer=True)
    return _NamedMetric(
        f"rouge-score {version('rouge-score')}, F-measure, stemmed",
        lambda answer, partial: float(scorer.score(partial, answer)["rougeL"].fmeasure),
    )


def mean(values: Sequence[float], detail: str = "") -> Likeness:
    """The likeness from the values of all partial answers (at least one)."""
    return Likeness(sum(values) / len(values), detail=detail)


def cut(answer: int, partial: Sequence[int], window: int) -> str:
    """What was left out, in words: tokens of the answer, and of how many partial answers some; empty for nothing."""
    shortened = sum(count > 0 for count in partial)
    parts = [f"the answer's last {answer} tokens do not fit the window of {window}"] if answer else []
    parts += (
        [f"{shortened} of {len(partial)} partial answers were cut at {window} tokens"] if shortened else []
    )
    return "; ".join(parts)
