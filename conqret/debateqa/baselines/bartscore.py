"""BARTScore, precision: the mean log-probability of an answer's tokens given a partial answer."""

from __future__ import annotations

from collections.abc import Sequence

from conqret.debateqa.baselines.text_similarity import Likeness, cut, mean
from conqret.debateqa.metric_requests import AnswerCase
from conqret.debateqa.perspective_diversity import SHOWN, model_name
from conqret.errors import DeclarationError, MissingDependencyError, UnknownNameError
from conqret.local.seq2seq import Seq2SeqLikelihood

DEFAULT_MODEL = "facebook/bart-large"
"""The paper's BART Large (DebateQA, Table 14)."""


class BartScore:
    """``(1/T) sum_t log P(answer_t | answer_<t, partial answer)``, the mean over the partial answers; below 0.

    The precision of Yuan et al. (2021): the reference generates the candidate. The paper's candidate is the
    answer, its reference a partial answer (DebateQA, B.1.2).

    Raises:
        DeclarationError: the model cannot be loaded.
    """

    def __init__(
        self, model: str = DEFAULT_MODEL, *, device: str | None = None, dtype: str | None = None
    ) -> None:
        try:
            self._model = Seq2SeqLikelihood(model, device=device, dtype=dtype)
        except (MissingDependencyError, UnknownNameError):
            raise
        except DeclarationError as error:
            raise DeclarationError(
                f"bartscore: {error} (give --bart the folder of a model, or its name on a hub that can be reached)"
            ) from error

    @property
    def instrument(self) -> str:
        """Model, direction, and the begin of the fingerprint."""
        return f"{model_name(self._model.model)}, precision ({self.fingerprint[:SHOWN]})"

    @property
    def fingerprint(self) -> str:
        """That of model, weights, window and dtype."""
        return self._model.fingerprint

    def compare(self, cases: Sequence[AnswerCase]) -> list[Likeness]:
        """The mean over each case's partial answers; no value where one of them could not be scored."""
        pairs = [(partial_answer, case.answer) for case in cases for partial_answer in case.partial]
        scores = iter(self._model.score(pairs))
        likenesses = []
        for case in cases:
            case_scores = [next(scores) for _ in case.partial]
            values = [score.mean for score in case_scores if score.mean is not None]
            detail = cut(
                case_scores[0].target_cut, [score.source_cut for score in case_scores], self._model.window
            )
            reason = next((score.reason for score in case_scores if score.mean is None), "")
            likenesses.append(Likeness(None, reason, detail) if reason else mean(values, detail))
        return likenesses
