"""Scores of texts by local models: the conditional perplexity of a target given a context by a causal
model, each context read once (DebateQA), and the log-likelihood of a target given a source by a
sequence-to-sequence model (BARTScore).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import islice
from typing import Any, Protocol

from conqret.data.digest import digest_of
from conqret.errors import DeclarationError, check_known, check_positive
from conqret.local.likelihoods import (
    CPU_BUDGET,
    DEFINITIONS,
    GPU_BUDGET,
    ContextGroup,
    Continuation,
    Definition,
    Forward,
    Padding,
    TargetScore,
    TokenBudget,
    padded,
    released_group,
)
from conqret.local.models import SEQ2SEQ, load, window_of
from conqret.local.prefix import DEFAULT_WRAPPING, NO_WRAPPING, PrefixEncoder, fit

Pair = tuple[str | None, Sequence[str]]

DEFAULT_BATCH_SIZE = 32
"""The most rows in one step; the token budget is the lower limit except for very short texts."""
LOOK_AHEAD = 64
"""The contexts that are ordered by length together: enough to pad little, few enough to keep memory flat."""


class KnownTargets(Protocol):
    """A store of scores by answer and target: scores of an earlier run are found, new ones are added."""

    def find(self, answer: str | None, target: str, context: int, number: int) -> TargetScore | None:
        """Return the stored score of a target given an answer; None where there is none.

        The returned score has ``context`` and ``number`` as its positions.
        """

    def keep(self, answer: str | None, target: str, score: TargetScore) -> None:
        """Add a score to the store."""


class ConditionalPerplexity:
    """A scorer that computes PPL(target | context) with a local transformers model (DebateQA, Equation 2).

    Args:
        model: a folder, or a name on the hub.
        wrapping: the number (1 to 5) of the prompt around the answer; by default 1 ("Please restate."), and 5 (none)
            by ``released``.
        chat: whether the model's chat template is used; None uses it if there is one, and ``templated``
            is the outcome.
        definition: ``paper``, or ``released`` for the arithmetic of DebateQA's script.
        device: where the model runs; by default a GPU if there is one, else the CPU.
        dtype: by default bfloat16 on a GPU, float32 on the CPU.
        token_budget: the most tokens, ``rows x (prefix + target)``, of a forward pass; it is halved when
            memory runs out.
        batch_size: the most rows of a forward pass.

    Raises:
        DeclarationError: a setting is out of its range, or the model cannot be loaded or used.
        MissingDependencyError: torch or transformers is not installed.
    """

    def __init__(
        self,
        model: str,
        *,
        wrapping: int | None = None,
        chat: bool | None = None,
        definition: Definition = "paper",
        device: str | None = None,
        dtype: str | None = None,
        token_budget: int | None = None,
        batch_size: int = DEFAULT_BATCH_SIZE,
    ) -> None:
        check_known("definition", DEFINITIONS, definition)
        if definition == "released" and chat is not None:
            raise DeclarationError(
                "the released definition uses the chat template like the released script: leave the option for it out"
            )
        if wrapping is None:
            wrapping = NO_WRAPPING if definition == "released" else DEFAULT_WRAPPING
        check_positive({"the token budget": token_budget, "the batch size": batch_size})

        loaded = load(model, device, dtype)
        self.loaded, self.model, self.device, self.dtype = loaded, model, loaded.device, loaded.dtype
        self.definition, self.wrapping = definition, wrapping
        self.batch_size = batch_size
        self._padding: Padding = loaded.tokenizer.padding_side
        self.budget = TokenBudget(token_budget or (CPU_BUDGET if loaded.device == "cpu" else GPU_BUDGET))
        self._encoder = PrefixEncoder(loaded.tokenizer, wrapping, chat)
        self.templated: bool = self._encoder.templated
        self.window = window_of(loaded.model.config, loaded.tokenizer)
        self._forward = Forward(loaded.model, self.window)
        prompt: object = self._encoder.around
        if definition == "released":
            prompt = [self._padding] if wrapping == NO_WRAPPING else [self._padding, wrapping]
        settings = [loaded.revision, definition, prompt, self.templated, self.window, self.dtype]
        self.fingerprint = digest_of(settings)

    def score(self, pairs: Iterable[Pair], *, store: KnownTargets | None = None) -> list[TargetScore]:
        """Return the scores of all targets as one list, in the order of the contexts and of each context's
        targets.

        Each pair is a context (None for no context) and its targets. Scores in ``store`` are reused, and new
        ones added to it. A target that does not fit the window, or cannot be scored, gets a score without a
        value, with the reason.
        """
        return [row for rows in self.stream(pairs, store=store) for row in rows]

    def stream(
        self,
        pairs: Iterable[Pair],
        *,
        store: KnownTargets | None = None,
        on_context: Callable[[int], None] = lambda number: None,
    ) -> Iterator[list[TargetScore]]:
        """Yield for each context the list of its targets' scores, in order.

        Some tens of contexts are read ahead.

        Args:
            pairs: contexts (an answer, or None for no context), each with its targets.
            store: scores found here are reused, and new scores are added as they are computed.
            on_context: called with the number of each context that is done.
        """
        source = iter(pairs)
        begin = 0
        while chunk := list(islice(source, LOOK_AHEAD)):
            scores = self._chunk(chunk, begin, store)
            for place in range(len(chunk)):
                on_context(begin + place)
                yield scores[place]
            begin += len(chunk)

    def _chunk(
        self, chunk: Sequence[Pair], begin: int, store: KnownTargets | None
    ) -> list[list[TargetScore]]:
        scores: list[dict[int, TargetScore]] = [{} for _ in chunk]
        groups: list[ContextGroup] = []
        for place, (answer, targets) in enumerate(chunk):
            wanted = []
            for number, target in enumerate(targets):
                known = None if store is None else store.find(answer, target, begin + place, number)
                if known is None:
                    wanted.append((number, target))
                else:
                    scores[place][number] = known
            planned, failed = self._plan(begin + place, answer, targets, wanted)
            groups += planned
            for row in failed:
                scores[place][row.target] = row
        for row in self._run(groups):
            place = row.context - begin
            scores[place][row.target] = row
            if store is not None:
                answer, targets = chunk[place]
                store.keep(answer, targets[row.target], row)
        return [[rows[number] for number in sorted(rows)] for rows in scores]

    def _plan(
        self, context: int, answer: str | None, targets: Sequence[str], wanted: Sequence[tuple[int, str]]
    ) -> tuple[list[ContextGroup], list[TargetScore]]:
        """Return the rows of one context, grouped by the prefix that they share, and scores without a value for targets
        that are empty or do not fit the window. ``wanted`` has numbers and texts of targets; those that are known
        already are not in it."""
        if not wanted:
            return [], []
        if self.definition == "released":
            return self._plan_released(context, answer, targets, {number for number, _ in wanted})
        prefix = self._encoder.prefix(answer)
        shared: dict[int, tuple[tuple[int, ...], list[Continuation]]] = {}
        failed = []
        for number, target in wanted:
            ids = self._encoder.target(target)
            fitted = fit(prefix, len(ids), self.window)
            row = Continuation(context, number, ids, 0, max(1, len(ids)), 0 if fitted is None else fitted[1])
            if not ids:
                failed.append(row.failed("the target is empty"))
            elif fitted is None:
                room = f"the window of {self.window} tokens has no room"
                failed.append(row.failed(f"{room} for any of the context with the target"))
            else:
                shared.setdefault(fitted[1], (fitted[0], []))[1].append(row)
        return [ContextGroup(ids, tuple(rows)) for ids, rows in shared.values()], failed

    def _plan_released(
        self, context: int, answer: str | None, targets: Sequence[str], wanted: set[int]
    ) -> tuple[list[ContextGroup], list[TargetScore]]:
        encoded = [self._encoder.released(answer or "", target, self.window) for target in targets]
        rows = [(number, ids) for number, (ids, _, _) in enumerate(encoded)]
        cuts = [cut for _, _, cut in encoded]
        groups, failed = [], []
        for group in released_group(context, rows, encoded[0][1], cuts, padding=self._padding):
            kept = [row for row in group.rows if row.target in wanted]
            failed += [
                row.failed("no token of the target is left in the window") for row in kept if row.counted < 1
            ]
            if kept := [row for row in kept if row.counted > 0]:
                groups.append(ContextGroup(group.prefix, tuple(kept)))
        return groups, failed

    def _run(self, groups: Sequence[ContextGroup]) -> Iterator[TargetScore]:
        def length(group: ContextGroup) -> tuple[int, ...]:
            return (len(group.prefix),)

        for together, encoded in self.budget.steps(groups, self._forward.encode, length, self.batch_size):
            if encoded is None:
                yield from (row.failed("memory ran out on the context alone") for row in together[0].rows)
            else:
                yield from self._rows(together, encoded)
            del encoded  # before the next prefixes are read

    def _rows(self, groups: Sequence[ContextGroup], encoded: Any) -> Iterator[TargetScore]:
        """Yield the scores of rows behind prefixes that are already encoded, in batches that the memory allows. A row
        that alone takes too much memory has no value."""
        prefix = max(len(group.prefix) for group in groups)
        rows = [(place, row) for place, group in enumerate(groups) for row in group.rows]

        def lengths(placed: tuple[int, Continuation]) -> tuple[int, ...]:
            return prefix, len(placed[1].ids)

        read = partial(self._forward.log_likelihoods, encoded)
        for together, sums in self.budget.steps(rows, read, lengths, self.batch_size):
            if sums is None:
                yield together[0][1].failed("memory ran out on this row alone")
                continue
            for (place, row), value in zip(together, sums, strict=True):
                yield row.scored(value, len(groups[place].prefix))


SEQ2SEQ_GPU_BUDGET = 16_384
"""The most tokens in one step on a GPU. It is less than the causal scorer's, because logits exist for
every target token of the step, and 16,384 of them over BART's vocabulary are 1.6 GB in bfloat16.
"""
NO_MEMORY = "memory ran out on this pair alone"
NOT_FINITE = "the model gave no finite probability"
"""Why a pair has no likelihood: float16 overflows where float32 and bfloat16 do not."""


@dataclass(frozen=True, slots=True)
class PairLikelihood:
    """The log-likelihood of one target text given one source text.

    ``log_likelihood`` is the sum of the log-probabilities of the target's ``tokens``, in nats. It is None
    where it could not be computed, and ``reason`` then says why. ``source_cut`` and ``target_cut`` are the
    numbers of tokens cut off at the end because they exceed the model's window.
    """

    log_likelihood: float | None
    tokens: int
    source_cut: int = 0
    target_cut: int = 0
    reason: str = ""

    @property
    def mean(self) -> float | None:
        """Return the mean log-probability of the target's tokens, at most 0; None where it could not be
        computed."""
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
    """A scorer of target texts given source texts by a sequence-to-sequence model, as in BARTScore.

    The score is ``sum_t log P(y_t | y_<t, x)`` over all tokens of the target, special tokens of the tokenizer
    included (Yuan et al. 2021, Equation 2 with equal weights). Names of special tokens inside a text are read
    as plain text.

    Args:
        model: a folder, or a name on the hub.
        device: where the model runs; by default a GPU if there is one, else the CPU.
        dtype: by default bfloat16 on a GPU, float32 on the CPU.
        token_budget: the most tokens, ``pairs x (source + target)``, of a forward pass; it shrinks when
            memory runs out.
        window: the most tokens of a text, if this is less than the model's own limit.

    Raises:
        DeclarationError: the model cannot be loaded, or is not a sequence-to-sequence model.
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
        self.budget = TokenBudget(
            token_budget or (CPU_BUDGET if loaded.device == "cpu" else SEQ2SEQ_GPU_BUDGET)
        )
        pads = (loaded.model.config.pad_token_id, loaded.tokenizer.pad_token_id)
        self._pad = next((int(pad) for pad in pads if pad is not None), 0)
        settings = [loaded.revision, self.window, self.dtype]
        self.fingerprint = digest_of(settings)

    def score(self, pairs: Sequence[tuple[str, str]]) -> list[PairLikelihood]:
        """Return for each pair (source, target), in order, the log-likelihood of the target given the
        source.

        Padding and batch size do not change the results. A pair that cannot be scored gets None with a
        reason.
        """
        tokens = cache(self._tokens)
        rows = [_Row(place, *tokens(source), *tokens(target)) for place, (source, target) in enumerate(pairs)]
        likelihoods = {}
        for batch, sums in self.budget.steps(rows, self._step, _Row.lengths, DEFAULT_BATCH_SIZE):
            values: Sequence[float | None] = [None] if sums is None else sums
            for row, value in zip(batch, values, strict=True):
                reason = NO_MEMORY if value is None else "" if math.isfinite(value) else NOT_FINITE
                likelihoods[row.place] = PairLikelihood(
                    None if reason else value, len(row.target), row.source_cut, row.target_cut, reason
                )
        return [likelihoods[place] for place in range(len(rows))]

    def _tokens(self, text: str) -> tuple[tuple[int, ...], int]:
        """Return the tokens of a text, cut to the window but with the tokenizer's special tokens, and how
        many were cut off."""
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
            sums = []
            for own, row in zip(logits, batch, strict=True):  # in float32, and summed in float64
                chosen = torch.tensor(row.target, device=own.device)
                losses = torch.nn.functional.cross_entropy(
                    own[: len(chosen)].float(), chosen, reduction="none"
                )
                sums.append(-float(losses.double().sum()))
            return sums
