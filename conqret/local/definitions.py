"""What is summed over a target's tokens and by what it is divided: DebateQA's equation, and its released script.

``paper``: ``PPL(Y|X) = exp(-(1/N) sum_i log P(y_i | X, y_<i))`` over the N tokens of the target (Equation 2).
``released``: the same sum over another denominator: all tokens of context and target but the first.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

Definition = Literal["paper", "released"]
Padding = Literal["right", "left"]
DEFINITIONS: tuple[str, ...] = get_args(Definition)

RELEASED_BATCH = 20
"""Pairs of one answer that the released script pads to a common length (its ``batch_size``)."""


@dataclass(frozen=True, slots=True)
class TargetScore:
    """One target under one context.

    ``context`` and ``target`` count from 0. ``log_likelihood`` is the sum of the counted tokens' log-probabilities
    in nats, ``tokens`` their number, ``perplexity`` (at least 1) what the definition makes of them; all are None or
    0 where the row could not be scored, and ``reason`` then says why. ``context_tokens`` are those that the model
    saw before the target, ``truncated`` those that were taken from the left of the answer to make it fit (by the
    released definition, from the right of the target).
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
    """The tokens that follow a prefix in one row; those from ``start`` on are counted, over ``denominator``."""

    context: int
    target: int
    ids: tuple[int, ...]
    start: int
    denominator: int
    truncated: int = 0

    @property
    def counted(self) -> int:
        """The number of tokens whose log-probabilities are summed."""
        return len(self.ids) - self.start

    def scored(self, log_likelihood: float, prefix: int) -> TargetScore:
        """The row's score from the sum of its counted tokens' log-probabilities.

        An average of over 700 nats a token has no perplexity in double precision; it is reported as such.
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
        """The row without a score."""
        return TargetScore(self.context, self.target, None, None, 0, 0, self.truncated, reason)


@dataclass(frozen=True, slots=True)
class ContextGroup:
    """Rows that share a prefix, which is encoded once for all of them."""

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
    """The released arithmetic for the rows (target number, tokens of context and target) of one answer.

    The script masks the first ``context_length`` places of the padded row, whatever stands there, and divides by
    the unmasked places of the row after its first. Padded on the right, that is ``T - 1`` of T tokens. Padded on
    the left by p, only ``context_length - p`` tokens of the context are masked, and T are counted. ``cuts`` are the
    tokens that each row lost on its right.
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
        shared = min(_common([ids for _, ids, _, _ in placed]), *(first for _, _, first, _ in placed))
        together = [placed] if shared else [[index] for index in placed]
        shared = max(1, shared)
        for sharing in together:
            behind = tuple(
                Continuation(context, number, ids[shared:], first - shared, max(1, denominator), cuts[number])
                for number, ids, first, denominator in sharing
            )
            groups.append(ContextGroup(sharing[0][1][:shared], behind))
    return groups


def _common(rows: Sequence[tuple[int, ...]]) -> int:
    """The number of leading tokens that all rows share."""
    shortest = min(map(len, rows))
    return next((place for place in range(shortest) if len({ids[place] for ids in rows}) > 1), shortest)
