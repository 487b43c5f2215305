"""Perspective Diversity of a file of answers: the summed perplexity of a question's partial answers (Equation 1)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from conqret.evaluation.debateqa.table import DIVERSITY, DIVERSITY_MEAN, ScoreRow
from conqret.io.debateqa import DebatableQuestion, ModelAnswer, read_answers
from conqret.perplexity import ConditionalPerplexity
from conqret.perplexity.store import RowStore


@dataclass(frozen=True)
class DiversityRun:
    """The answers of one system, the questions by id, and the scorer; ``store`` holds rows from before."""

    system: str
    answers: Path
    questions: Mapping[str, DebatableQuestion]
    scorer: ConditionalPerplexity
    store: RowStore | None = None
    columns: Mapping[str, str] | None = None

    def rows(self, on_answer: Callable[[int], None] | None = None) -> Iterator[ScoreRow]:
        """Two rows an answer, the sum (P.D., lower is better) and the mean, in the answers' order.

        An answer of which a partial answer could not be scored has no P.D.: a sum over fewer would be better for it.
        Answers without partial answers are left out (list them with :func:`conqret.io.debateqa.partners`).
        """
        ids: list[str] = []
        released = self.scorer.definition == "released"

        def pairs() -> Iterator[tuple[str, list[str]]]:
            for answer in self._answers():
                ids.append(answer.id)
                partial = self.questions[answer.id].partial_answers
                yield answer.text, [one.released_text if released else one.text for one in partial]

        for scores in self.scorer.stream(pairs(), store=self.store, on_context=on_answer):
            one = ids.pop(0)
            values = [score.perplexity for score in scores if score.perplexity is not None]
            reason = next((score.reason for score in scores if score.perplexity is None), "")
            truncated = sum(score.truncated > 0 for score in scores)
            detail = f"answer trimmed for {truncated} of {len(scores)}" if truncated else ""
            total = None if reason else sum(values)
            for metric, value in (
                (DIVERSITY, total),
                (DIVERSITY_MEAN, None if total is None else total / len(values)),
            ):
                yield ScoreRow(self.system, one, metric, self.instrument, value, len(scores), reason, detail)

    @property
    def instrument(self) -> str:
        """What measures: the backbone, its definition and its fingerprint."""
        return f"{Path(self.scorer.model).name} {self.scorer.definition} {self.scorer.fingerprint}"

    def _answers(self) -> Iterator[ModelAnswer]:
        for answer in read_answers(self.answers, self.columns):
            question = self.questions.get(answer.id)
            if question is not None and question.partial_answers:
                yield answer
