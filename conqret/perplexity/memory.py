"""How much is computed at a time: a budget of tokens that sinks when memory runs out."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

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

    def attempt(self, step: Callable[[], T], size: int) -> T | None:
        """What ``step`` over ``size`` tokens returns; None where memory ran out, and the budget then sinks."""
        try:
            return step()
        except (RuntimeError, MemoryError) as error:
            if not ran_out(error):
                raise
        self.shrink_to(size // 2)
        give_back()
        return None

    def shrink_to(self, tokens: int) -> None:
        """A step of twice as many tokens did not fit: from now on at most so many at a time, at least one."""
        if max(1, tokens) < self.tokens:
            self.tokens = max(1, tokens)
            self.halvings += 1


def give_back() -> None:
    """Let torch give a GPU's memory that nothing holds any more back to it; without one in use, nothing is done."""
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_initialized():
        torch.cuda.empty_cache()


def ran_out(error: BaseException) -> bool:
    """Whether an error means that memory ran out, on a GPU or a CPU."""
    return isinstance(error, MemoryError) or any(sign in str(error).lower() for sign in _SIGNS)
