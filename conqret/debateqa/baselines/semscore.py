"""SemScore: the cosine of the embeddings of an answer and a partial answer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from conqret.data.digest import digest_of
from conqret.debateqa.baselines.text_similarity import EXTRA, Likeness, cut, mean
from conqret.debateqa.metric_requests import AnswerCase
from conqret.debateqa.perspective_diversity import SHOWN, model_name
from conqret.errors import DeclarationError
from conqret.local.embedding import encoder_weights, load_encoder
from conqret.local.models import placed

if TYPE_CHECKING:
    import torch

DEFAULT_MODEL = "sentence-transformers/all-mpnet-base-v2"
"""The paper's encoder (DebateQA, Table 14)."""
BATCH_SIZE = 32
"""Texts embedded in one step: sentence-transformers' own default; it orders them by length."""


@dataclass(frozen=True, slots=True)
class _TextEmbedding:
    """A text's unit vector, and the tokens that the encoder did not read."""

    vector: torch.Tensor
    cut: int


class SemScore:
    """``cos(e(answer), e(partial answer))``, the mean over the partial answers; -1 to 1 (Aynetdinov and Akbik 2024).

    Every text is embedded once, also where several questions share it.

    Raises:
        DeclarationError: the encoder cannot be loaded.
        MissingDependencyError: sentence-transformers is not installed.
    """

    def __init__(
        self, model: str = DEFAULT_MODEL, *, device: str | None = None, dtype: str | None = None
    ) -> None:
        _, kind = placed(device, dtype)
        try:
            self._encoder: Any = load_encoder(model, device, dtype, extra=EXTRA)
        except DeclarationError as error:
            raise DeclarationError(f"semscore: {error}") from error
        self._model = model
        window = self._encoder.get_max_seq_length() or math.inf
        self._window = 0 if math.isinf(window) else int(window)
        settings = [*encoder_weights(model), self._window, kind, repr(self._encoder)]
        self.fingerprint = digest_of(settings)
        self._known: dict[str, _TextEmbedding] = {}

    @property
    def instrument(self) -> str:
        """Encoder, measure, and the begin of the fingerprint."""
        return f"{model_name(self._model)}, cosine ({self.fingerprint[:SHOWN]})"

    def compare(self, cases: Sequence[AnswerCase]) -> list[Likeness]:
        """The mean cosine over each case's partial answers; no value where an embedding has no direction."""
        self._embed([text for case in cases for text in (case.answer, *case.partial)])
        return [self._one(case) for case in cases]

    def _one(self, case: AnswerCase) -> Likeness:
        answer, partial = (
            self._known[case.answer],
            [self._known[partial_answer] for partial_answer in case.partial],
        )
        detail = cut(answer.cut, [embedding.cut for embedding in partial], self._window)
        values = [float(answer.vector @ embedding.vector) for embedding in partial]
        if any(map(math.isnan, values)):
            return Likeness(None, "the encoder gave a vector without a direction", detail)
        return mean([max(-1.0, min(1.0, value)) for value in values], detail)

    def _embed(self, texts: Sequence[str]) -> None:
        import torch

        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if not new:
            return
        with torch.inference_mode():
            vectors = self._encoder.encode(
                new, batch_size=BATCH_SIZE, show_progress_bar=False, convert_to_tensor=True
            )
        vectors = vectors.double().cpu()
        vectors = vectors / vectors.norm(dim=1, keepdim=True)
        for text, vector in zip(new, vectors, strict=True):
            self._known[text] = _TextEmbedding(vector, max(0, self._length(text) - self._window))

    def _length(self, text: str) -> int:
        """The tokens of a whole text; 0 where the encoder has no window."""
        if not self._window:
            return 0
        return len(self._encoder.tokenizer(text, truncation=False, verbose=False)["input_ids"])
