"""Perspective Diversity of a file of answers: the summed perplexity of a question's partial answers (Equation 1)."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from conqret.debateqa.debateqa_files import DebatableQuestion, read_answers
from conqret.debateqa.finished_scores import TargetStore
from conqret.debateqa.score_table import DIVERSITY, DIVERSITY_MEAN, EMPTY_ANSWER, NO_PARTIAL_ANSWERS, ScoreRow
from conqret.local.scorer import ConditionalPerplexity

SHOWN = 8
"""Characters of a fingerprint in an instrument's name: enough to tell apart what a study holds."""
_NAMED = re.compile(rf", (?P<definition>paper|released) \([0-9a-f]{{{SHOWN}}}\)")


@dataclass(frozen=True)
class DiversityRun:
    """The answers of one system, the questions by id, and the scorer; ``store`` holds rows from before."""

    system: str
    answers: Path
    questions: Mapping[str, DebatableQuestion]
    scorer: ConditionalPerplexity
    store: TargetStore | None = None
    columns: Mapping[str, str] | None = None

    def rows(self, on_answer: Callable[[int], None] = lambda number: None) -> Iterator[ScoreRow]:
        """Two rows an answer, the sum (P.D., lower is better) and the mean, in the answers' order.

        An answer of which a partial answer could not be scored has no P.D.: a sum over fewer would be better for it.
        An empty answer has none either, nor has one whose question has no partial answers; answers without a
        question are left out (list them with :func:`conqret.debateqa.debateqa_files.partners`).
        """
        ahead: deque[tuple[str, int, str]] = deque()  # id, n, why not scored: some tens that were read ahead
        released = self.scorer.definition == "released"

        def pairs() -> Iterator[tuple[str, list[str]]]:
            """Every answer with its partial answers, or with none where it cannot be scored."""
            for answer in read_answers(self.answers, self.columns):
                question = self.questions.get(answer.id)
                if question is None:
                    continue
                partial = question.partial_answers
                reason = "" if partial else NO_PARTIAL_ANSWERS
                reason = reason if answer.text.strip() else EMPTY_ANSWER
                ahead.append((answer.id, len(partial), reason))
                targets = [
                    partial_answer.released_text if released else partial_answer.text
                    for partial_answer in partial
                ]
                yield answer.text, [] if reason else targets

        for scores in self.scorer.stream(pairs(), store=self.store, on_context=on_answer):
            case, n, reason = ahead.popleft()
            values = [score.perplexity for score in scores if score.perplexity is not None]
            reason = reason or next((score.reason for score in scores if score.perplexity is None), "")
            truncated = sum(score.truncated > 0 for score in scores)
            detail = f"answer trimmed for {truncated} of {n}" if truncated else ""
            total = None if reason else sum(values)
            mean = None if total is None else total / n
            for metric, value in ((DIVERSITY, total), (DIVERSITY_MEAN, mean)):
                yield ScoreRow(self.system, case, metric, self.instrument, value, n, reason, detail)

    @property
    def instrument(self) -> str:
        """What measures, for tables and plots: ``gpt2, prompt 3, paper (1a2b3c4d)``.

        Backbone, wrapping prompt and definition, and the begin of the fingerprint of all settings. The released
        definition has no prompt.
        """
        scorer = self.scorer
        prompt = "" if scorer.definition == "released" else f"prompt {scorer.wrapping}, "
        return f"{model_name(scorer.model)}, {prompt}{scorer.definition} ({scorer.fingerprint[:SHOWN]})"


def definition_of(instrument: str) -> str | None:
    """``paper`` or ``released``, as the name of an instrument of P.D. says it; None where it is not one of ours."""
    named = _NAMED.search(instrument)
    return None if named is None else named["definition"]


def model_name(model: str) -> str:
    """The last part of a model's folder or of its name on a hub, for people; the fingerprint tells two apart."""
    return Path(model).name or Path(model).resolve().name
