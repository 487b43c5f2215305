"""Log-likelihoods of targets after their contexts: which tokens are summed and by what the sum is divided,
and the model's forward passes under a token budget that shrinks when memory runs out.

DebateQA's two definitions: ``paper``, ``PPL(Y|X) = exp(-(1/N) sum_i log P(y_i | X, y_<i))`` over the N tokens of the
target (Equation 2); ``released``, the same sum over another denominator: all tokens of context and target but the
first.

A prefix is read once, and its key-value cache serves all rows that follow. Shorter prefixes are padded on the left and
rows on the right, so that a row's tokens lie side by side behind its prefix's: models with a sliding window or ALiBi
measure distance by place, not by position id. Position ids count a row's own tokens from 0, and padding is never
attended to. The vocabulary's logits exist for a few hundred target tokens at a time, and never for a token of a prefix
but its last.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args

from conqret.errors import DeclarationError

if TYPE_CHECKING:
    import torch


Definition = Literal["released", "paper"]
Padding = Literal["right", "left"]
DEFINITIONS: tuple[str, ...] = get_args(Definition)

RELEASED_BATCH = 20
"""The pairs of one answer that the released script pads to a common length (its ``batch_size``)."""


@dataclass(frozen=True, slots=True)
class TargetScore:
    """The perplexity of one target text given one context.

    ``context`` and ``target`` are positions in the input, from 0. ``log_likelihood`` is the sum of the
    counted tokens' log-probabilities, in nats, and ``tokens`` is their number. ``perplexity`` (at least 1)
    follows from them by the definition in use.

    For a target that cannot be scored, ``log_likelihood`` and ``perplexity`` are None, ``tokens`` is 0, and
    ``reason`` says why. ``context_tokens`` is the number of tokens before the target. ``truncated`` is the
    number of tokens cut off the answer's start (the target's end by the released definition).
    """

    context: int
    target: int
    perplexity: float | None
    log_likelihood: float | None
    tokens: int
    context_tokens: int
    truncated: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Continuation:
    """The tokens that follow a prefix in one row.

    ``context`` and ``target`` are their numbers (from 0), and ``ids`` the tokens. The log-probabilities of
    the tokens from place ``start`` on are summed, and the sum is divided by ``denominator``. ``truncated``
    is the number of tokens cut off.
    """

    context: int
    target: int
    ids: tuple[int, ...]
    start: int
    denominator: int
    truncated: int = 0

    @property
    def counted(self) -> int:
        """Return the number of tokens whose log-probabilities are summed."""
        return len(self.ids) - self.start

    def scored(self, log_likelihood: float, prefix: int) -> TargetScore:
        """Return the row's score, given the sum of its counted tokens' log-probabilities.

        ``prefix`` is the number of tokens of the prefix. The score has a reason and no perplexity where the
        perplexity is too large for a float, or where the sum is not finite.
        """
        try:
            perplexity, reason = math.exp(-log_likelihood / self.denominator), ""
        except OverflowError:
            perplexity, reason = None, "the perplexity is too large for a number"
        if not math.isfinite(log_likelihood):
            return self.failed("the model gave no finite probability")
        counts = (self.counted, prefix + self.start, self.truncated)
        return TargetScore(self.context, self.target, perplexity, log_likelihood, *counts, reason)

    def failed(self, reason: str) -> TargetScore:
        """Return a score without a value for this row, with the reason why it could not be scored."""
        return TargetScore(self.context, self.target, None, None, 0, 0, self.truncated, reason)


@dataclass(frozen=True, slots=True)
class ContextGroup:
    """Rows that share a prefix, which the model encodes once for all of them."""

    prefix: tuple[int, ...]
    rows: tuple[Continuation, ...]


def released_group(
    context: int,
    rows: Sequence[tuple[int, tuple[int, ...]]],
    context_length: int,
    cuts: Sequence[int],
    *,
    padding: Padding,
) -> list[ContextGroup]:
    """Group the rows of one answer so that they are scored by the arithmetic of DebateQA's released
    script.

    The script masks the first ``context_length`` positions of each padded row, and divides by the number of
    unmasked positions after the first. With padding on the right, it divides by ``T - 1`` of T tokens. With
    ``p`` pads on the left, it masks only ``context_length - p`` tokens of the context, and divides by T.

    Args:
        context: the number of the answer (from 0).
        rows: for each target its number, and the tokens of context and target.
        context_length: the number of tokens of the context.
        cuts: how many tokens were cut off the right end of each row.
        padding: the side on which the script pads.

    Returns:
        Groups of rows, each with the prefix that its rows share.
    """
    groups: list[ContextGroup] = []
    for begin in range(0, len(rows), RELEASED_BATCH):
        batch = rows[begin : begin + RELEASED_BATCH]
        longest = max(len(ids) for _, ids in batch)
        placed = []
        for number, ids in batch:
            pads = longest - len(ids) if padding == "left" else 0
            first = min(max(1, context_length - pads), len(ids))
            placed.append((number, ids, first, len(ids) if pads else len(ids) - 1))
        shortest = min(*(len(ids) for _, ids, _, _ in placed), *(first for _, _, first, _ in placed))
        same = (place for place in range(shortest) if len({ids[place] for _, ids, _, _ in placed}) > 1)
        shared = next(same, shortest)  # leading tokens that all rows share
        together = [placed] if shared else [[index] for index in placed]
        shared = max(1, shared)
        for sharing in together:
            behind = tuple(
                Continuation(context, number, ids[shared:], first - shared, max(1, denominator), cuts[number])
                for number, ids, first, denominator in sharing
            )
            groups.append(ContextGroup(sharing[0][1][:shared], behind))
    return groups


R = TypeVar("R")
T = TypeVar("T")

CPU_BUDGET = 1_024
"""The most tokens of prefix and target in one step on a CPU, whose cores are busy with a few hundred: more
only pads.
"""
GPU_BUDGET = 65_536
"""The same on a GPU, where a step of a small model takes no longer for ten times as many tokens."""
_SIGNS = ("out of memory", "can't allocate memory", "not enough memory", "cannot allocate memory")


@dataclass(slots=True)
class TokenBudget:
    """The largest number of tokens, ``rows x (prefix + target)``, in one forward pass; it shrinks when memory
    runs out.

    One row is always allowed, whatever its length. ``halvings`` counts how often the budget shrank.
    """

    tokens: int
    halvings: int = 0

    def steps(
        self,
        rows: Iterable[R],
        step: Callable[[Sequence[R]], T],
        lengths: Callable[[R], tuple[int, ...]],
        most: int,
    ) -> Iterator[tuple[Sequence[R], T | None]]:
        """Run ``step`` on batches of rows that fit the budget; yield each batch with the result of ``step``.

        Rows are batched by length, longest first, because each is padded to the longest of its batch. Where
        memory runs out, both halves of the batch are tried. The result is None for a single row that does not
        fit.

        Args:
            rows: the rows to process.
            step: computes the result of a batch.
            lengths: returns the numbers of tokens of a row.
            most: the largest number of rows in a batch.
        """
        batch: list[R] = []
        for row in sorted(rows, key=lengths, reverse=True):
            if batch and (len(batch) == most or _padded_size([*batch, row], lengths) > self.tokens):
                yield from self._taken(batch, step, lengths)
                batch = []
            batch.append(row)
        if batch:
            yield from self._taken(batch, step, lengths)

    def _taken(
        self, rows: Sequence[R], step: Callable[[Sequence[R]], T], lengths: Callable[[R], tuple[int, ...]]
    ) -> Iterator[tuple[Sequence[R], T | None]]:
        output = self.attempt(lambda: step(rows), _padded_size(rows, lengths))
        if output is None and len(rows) > 1:
            for half in (rows[: len(rows) // 2], rows[len(rows) // 2 :]):
                yield from self._taken(half, step, lengths)
        else:
            yield rows, output

    def attempt(self, step: Callable[[], T], size: int) -> T | None:
        """Return the result of ``step``, which processes ``size`` tokens; None where memory runs out.

        When memory runs out, the budget shrinks to half of ``size`` (at least 1). Other errors are raised.
        """
        try:
            return step()
        except (RuntimeError, MemoryError) as error:
            if not (isinstance(error, MemoryError) or any(sign in str(error).lower() for sign in _SIGNS)):
                raise
        if max(1, size // 2) < self.tokens:
            self.tokens = max(1, size // 2)
            self.halvings += 1
        give_back()
        return None


def _padded_size(rows: Sequence[R], lengths: Callable[[R], tuple[int, ...]]) -> int:
    """The tokens of a step in which each row is as long as the longest."""
    columns: Iterable[tuple[int, ...]] = zip(*map(lengths, rows), strict=True)
    return len(rows) * sum(map(max, columns))


def give_back() -> None:
    """Free the GPU memory that torch caches but no tensor uses; do nothing where torch does not use a GPU."""
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_initialized():
        torch.cuda.empty_cache()


LOGITS_AT_A_TIME = 2**23
"""The most logits in memory at a time (32 MiB in float32): 166 tokens of GPT-2's vocabulary."""
PROBE_TOLERANCE = 1e-2
"""How far the logits computed here may be from the model's own on a probe; beyond it, the model does more
after its head.
"""


class EncodedPrefixes:
    """Prefixes that the model has read: their key-value cache, attention mask, lengths, and last hidden
    states."""

    def __init__(self, cache: Any, mask: torch.Tensor, lengths: torch.Tensor, last: torch.Tensor) -> None:
        self.cache, self.mask, self.lengths, self.last = cache, mask, lengths, last


class Forward:
    """A causal language model that computes log-probabilities of rows of at most ``window`` tokens.

    Raises:
        DeclarationError: the model has no key-value cache, or changes its logits after the head in an
            unknown manner.
    """

    def __init__(self, model: Any, window: int) -> None:
        self._model, self._body, self._head = model, model.base_model, model.get_output_embeddings()
        config = model.config.get_text_config()
        self._cap = getattr(config, "final_logit_softcapping", None)
        scale, divisor = (getattr(config, name, None) or 1.0 for name in ("logit_scale", "logits_scaling"))
        self._scale = float(scale) / float(divisor)
        self._window = window
        self._probe()

    def encode(self, groups: Sequence[ContextGroup]) -> EncodedPrefixes:
        """Run the model on the prefixes of ``groups`` (each at least one token), and return its cache and
        hidden states."""
        import torch
        from transformers import DynamicCache

        ids, mask = padded([group.prefix for group in groups], self._model.device, side="left")
        with torch.inference_mode():
            out = self._body(
                input_ids=ids,
                attention_mask=mask,
                position_ids=_positions(mask),
                past_key_values=DynamicCache(),
                use_cache=True,
            )
        return EncodedPrefixes(out.past_key_values, mask, mask.sum(dim=1), out.last_hidden_state[:, -1])

    def log_likelihoods(
        self, encoded: EncodedPrefixes, rows: Sequence[tuple[int, Continuation]]
    ) -> list[float]:
        """Return for each row the sum of its counted tokens' log-probabilities, in nats, in order.

        Each row is a pair: the position (from 0) of its prefix in ``encoded``, and its tokens.
        """
        import torch

        device = encoded.mask.device
        places = torch.tensor([place for place, _ in rows], device=device)
        ids, mask = padded([row.ids for _, row in rows], device)
        with torch.inference_mode():
            first = encoded.last.index_select(0, places)
            states = first[:, None]
            if ids.shape[1] > 1:  # the last token of a row is predicted and never read
                out = self._body(
                    input_ids=ids[:, :-1],
                    attention_mask=torch.cat([encoded.mask.index_select(0, places), mask[:, :-1]], dim=1),
                    # In a shorter row of the batch the last token is read after all, to no use, and may have no place.
                    position_ids=(
                        _positions(mask)[:, :-1] + encoded.lengths.index_select(0, places)[:, None]
                    ).clamp(max=self._window - 1),
                    past_key_values=_selected(encoded, places),
                    use_cache=True,
                )
                states = torch.cat([states, out.last_hidden_state], dim=1)
                del out
            starts = torch.tensor([row.start for _, row in rows], device=device)
            counted = mask.bool() & (torch.arange(ids.shape[1], device=device)[None] >= starts[:, None])
            logs = self._log_probabilities(states[counted], ids[counted])
            sums = torch.zeros(len(rows), dtype=torch.float64, device=device)
            sums.index_add_(0, counted.nonzero()[:, 0], logs)
        return [float(total) for total in sums.tolist()]

    def _log_probabilities(self, states: torch.Tensor, ids: torch.Tensor) -> torch.Tensor:
        import torch

        step = max(1, LOGITS_AT_A_TIME // int(self._head.weight.shape[0]))
        log_probabilities = []
        for begin in range(0, len(ids), step):
            logits, chosen = self._logits(states[begin : begin + step]), ids[begin : begin + step]
            losses = torch.nn.functional.cross_entropy(logits, chosen, reduction="none")
            log_probabilities.append(-losses.double())
        nothing = torch.zeros(0, dtype=torch.float64, device=ids.device)
        return torch.cat([nothing, *log_probabilities])

    def _logits(self, states: torch.Tensor) -> torch.Tensor:
        logits: torch.Tensor = self._head(states).float()
        if self._scale != 1.0:
            logits = logits * self._scale
        return (logits / self._cap).tanh() * self._cap if self._cap else logits

    def _probe(self) -> None:
        """Check on two tokens that body and head give the model's own logits, and that its cache has keys for every
        token.

        Raises:
            DeclarationError: the model has no such cache, or changes its logits.
        """
        import torch
        from transformers import DynamicCache

        ids = torch.tensor([[1, 0]], device=self._model.device)
        with torch.inference_mode():
            model_logits = self._model(input_ids=ids).logits[0].float()
            states, cached = model_logits, False
            try:
                body = self._body(input_ids=ids, past_key_values=DynamicCache(), use_cache=True)
                layers, states = body.past_key_values.layers, body.last_hidden_state[0]
                cached = bool(layers) and all(layer.keys.shape[-2] == ids.shape[1] for layer in layers)
            except (AttributeError, IndexError, KeyError, TypeError):
                pass  # there is none
            if not cached:
                raise DeclarationError(
                    "this model has no plain key-value cache, which the scorer needs (it is perhaps a state-space "
                    "model); use another backbone"
                )
            ours = self._logits(states)
        if model_logits.shape != ours.shape or not torch.allclose(
            model_logits, ours, rtol=PROBE_TOLERANCE, atol=PROBE_TOLERANCE
        ):
            raise DeclarationError(
                "this model changes its logits in an unknown manner, so its log-probabilities cannot be used"
            )


def padded(
    rows: Sequence[Sequence[int]], device: torch.device, *, pad: int = 0, side: str = "right"
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return two tensors (rows by positions): the token ids, padded to one length with ``pad``, and the
    attention mask.

    ``side`` is the side of the padding, ``right`` or ``left``. The mask is 1 for tokens and 0 for padding.
    """
    import torch

    place = partial(torch.nn.utils.rnn.pad_sequence, batch_first=True, padding_side=side)
    ids = [torch.tensor(row, dtype=torch.long) for row in rows]
    mask = place([torch.ones_like(row) for row in ids])
    return place(ids, padding_value=pad).to(device), mask.to(device)


def _positions(mask: torch.Tensor) -> torch.Tensor:
    """The place of each token among those of its row, from 0."""
    return (mask.cumsum(dim=1) - 1).clamp(min=0)


def _selected(encoded: EncodedPrefixes, places: torch.Tensor) -> Any:
    """Return a cache with the rows at ``places``. The rows are copied, except where a single prefix serves a single
    row."""
    from transformers import DynamicCache

    cache = DynamicCache()
    whole = len(places) == 1 == len(encoded.lengths)
    for number, layer in enumerate(encoded.cache.layers):
        keys, values = layer.keys, layer.values
        if not whole:
            keys, values = keys.index_select(0, places), values.index_select(0, places)
        cache.update(keys, values, number)
    return cache
