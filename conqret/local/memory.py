"""How much is computed at a time: a budget of tokens that sinks when memory runs out."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

R = TypeVar("R")
T = TypeVar("T")

CPU_BUDGET = 1_024
"""Tokens of prefix and target in one step on a CPU: its cores are busy with a few hundred, and more only pads."""
GPU_BUDGET = 65_536
"""The same on a GPU, where a step of a small model takes no longer for ten times as many tokens."""
_SIGNS = ("out of memory", "can't allocate memory", "not enough memory", "cannot allocate memory")


@dataclass(slots=True)
class TokenBudget:
    """``rows x (prefix + target)`` tokens that one step may hold; at least one row is always let through."""

    tokens: int
    halvings: int = 0

    def steps(
        self,
        rows: Iterable[R],
        step: Callable[[Sequence[R]], T],
        lengths: Callable[[R], tuple[int, ...]],
        most: int,
    ) -> Iterator[tuple[Sequence[R], T | None]]:
        """The rows of each step, at most ``most``, with what ``step`` makes of them.

        Rows alike in ``lengths`` go together, because each is padded to the longest; the longest go first, so that
        what does not fit shows at once. The budget is looked at for every step: it may have sunk since the last.
        Where memory ran out, both halves are tried; None is what becomes of a row that does not fit alone.
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
        """What ``step`` over ``size`` tokens returns; None where memory ran out: the budget sinks to half of that."""
        try:
            return step()
        except (RuntimeError, MemoryError) as error:
            if not ran_out(error):
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
    """Let torch give a GPU's memory that nothing holds any more back to it; without one in use, nothing is done."""
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_initialized():
        torch.cuda.empty_cache()


def ran_out(error: BaseException) -> bool:
    """Whether an error means that memory ran out, on a GPU or a CPU."""
    return isinstance(error, MemoryError) or any(sign in str(error).lower() for sign in _SIGNS)
