"""How likely one text is after another, by a sequence-to-sequence model: the model's part of BARTScore.

The encoder reads the source, the decoder is held to the target: ``sum_t log P(y_t | y_<t, x)`` over all tokens that
the tokenizer makes of the target, its own special tokens (BART's ``<s>`` and ``</s>``) among them, as BARTScore
counts them (Yuan et al. 2021, Equation 2 with equal weights). Names of special tokens inside a text are text.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from conqret.data.digest import digest_of
from conqret.errors import DeclarationError
from conqret.local.forward import CPU_BUDGET, TokenBudget, padded
from conqret.local.models import SEQ2SEQ, load, window_of

if TYPE_CHECKING:
    import torch

GPU_BUDGET = 16_384
"""Tokens in one step on a GPU. Less than the causal scorer's: logits exist for every target token of the step, and
16,384 of them over BART's vocabulary are 1.6 GB in bfloat16."""
BATCH_SIZE = 32
"""Pairs in one step at most; the token budget binds first but for very short texts."""

NO_MEMORY = "memory ran out on this pair alone"
NOT_FINITE = "the model gave no finite probability"
"""Why a pair has no likelihood: float16 overflows where float32 and bfloat16 do not."""


@dataclass(frozen=True, slots=True)
class PairLikelihood:
    """One target after one source.

    ``log_likelihood`` is the sum of the log-probabilities of the ``tokens`` target tokens, in nats; None with a
    ``reason`` where there is none. ``source_cut`` and ``target_cut`` are the tokens beyond the model's window, which
    were left out at the end.
    """

    log_likelihood: float | None
    tokens: int
    source_cut: int = 0
    target_cut: int = 0
    reason: str = ""

    @property
    def mean(self) -> float | None:
        """The mean log-probability of a target token, at most 0."""
        return None if self.log_likelihood is None else self.log_likelihood / self.tokens


@dataclass(frozen=True, slots=True)
class _Row:
    """A pair in tokens, and its place among the pairs."""

    place: int
    source: tuple[int, ...]
    source_cut: int
    target: tuple[int, ...]
    target_cut: int

    def lengths(self) -> tuple[int, ...]:
        """Tokens of target and source."""
        return len(self.target), len(self.source)


class Seq2SeqLikelihood:
    """A sequence-to-sequence model from a folder or a hub; ``window`` shortens the model's own.

    ``device`` and ``dtype`` default to a GPU in bfloat16 where there is one, else the CPU in float32.
    ``token_budget`` bounds ``pairs x (source + target)`` tokens of a step and sinks when memory runs out.

    Raises:
        DeclarationError: the model cannot be loaded, or is none of this kind.
        MissingDependencyError: torch or transformers is not installed.
    """

    def __init__(
        self,
        model: str,
        *,
        device: str | None = None,
        dtype: str | None = None,
        token_budget: int | None = None,
        window: int | None = None,
    ) -> None:
        loaded = load(model, device, dtype, auto=SEQ2SEQ)
        if not hasattr(loaded.model, "prepare_decoder_input_ids_from_labels"):
            raise DeclarationError(
                f"the model {model!r} does not state how its decoder begins: use BART or T5"
            )
        self.model, self.device, self.dtype = model, loaded.device, loaded.dtype
        self._model, self._tokenizer = loaded.model, loaded.tokenizer
        model_window = window_of(loaded.model.config, loaded.tokenizer)
        self.window = model_window if window is None else min(model_window, window)
        self.budget = TokenBudget(token_budget or (CPU_BUDGET if loaded.device == "cpu" else GPU_BUDGET))
        pads = (loaded.model.config.pad_token_id, loaded.tokenizer.pad_token_id)
        self._pad = next((int(pad) for pad in pads if pad is not None), 0)
        settings = [loaded.revision, self.window, self.dtype]
        self.fingerprint = digest_of(settings)

    def score(self, pairs: Sequence[tuple[str, str]]) -> list[PairLikelihood]:
        """For each pair (source, target), in their order, how likely the target is after the source.

        Padding and batches change nothing; a source that several pairs of a step share is read once.
        """
        tokens = cache(self._tokens)
        rows = [_Row(place, *tokens(source), *tokens(target)) for place, (source, target) in enumerate(pairs)]
        likelihoods = {}
        for batch, sums in self.budget.steps(rows, self._step, _Row.lengths, BATCH_SIZE):
            values: Sequence[float | None] = [None] if sums is None else sums
            for row, value in zip(batch, values, strict=True):
                reason = NO_MEMORY if value is None else "" if math.isfinite(value) else NOT_FINITE
                likelihoods[row.place] = PairLikelihood(
                    None if reason else value, len(row.target), row.source_cut, row.target_cut, reason
                )
        return [likelihoods[place] for place in range(len(rows))]

    def _tokens(self, text: str) -> tuple[tuple[int, ...], int]:
        """The tokens of a text within the window, special tokens kept, and how many did not fit."""
        settings = {"split_special_tokens": True, "verbose": False}
        ids = self._tokenizer(text, **settings).input_ids
        if len(ids) <= self.window:
            return tuple(ids), 0
        cut = self._tokenizer(text, truncation=True, max_length=self.window, **settings).input_ids
        return tuple(cut), len(ids) - len(cut)

    def _step(self, batch: Sequence[_Row]) -> list[float]:
        import torch
        from transformers.modeling_outputs import BaseModelOutput

        sources = list(dict.fromkeys(row.source for row in batch))
        places = torch.tensor([sources.index(row.source) for row in batch], device=self._model.device)
        ids, mask = padded(sources, self._model.device, pad=self._pad)
        # padded on the right: the decoder looks back alone and never sees its pads
        labels, _ = padded([row.target for row in batch], self._model.device, pad=self._pad)
        with torch.inference_mode():
            states = self._model.get_encoder()(input_ids=ids, attention_mask=mask).last_hidden_state
            logits: Any = self._model(
                encoder_outputs=BaseModelOutput(last_hidden_state=states.index_select(0, places)),
                attention_mask=mask.index_select(0, places),
                decoder_input_ids=self._model.prepare_decoder_input_ids_from_labels(labels=labels),
                use_cache=False,
            ).logits
            return [_sum(logits[place], row.target) for place, row in enumerate(batch)]


def _sum(logits: torch.Tensor, target: Sequence[int]) -> float:
    """The summed log-probability of a row's own tokens, in float32 and summed in float64."""
    import torch

    chosen = torch.tensor(target, device=logits.device)
    losses = torch.nn.functional.cross_entropy(logits[: len(target)].float(), chosen, reduction="none")
    return -float(losses.double().sum())
