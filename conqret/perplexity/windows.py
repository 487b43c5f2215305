"""Into the model's window: the answer gives way from its left, the target never."""

from __future__ import annotations

from typing import Any

from conqret.perplexity.prefix import Prefix

UNLIMITED = 10**9
"""Tokenizers without a limit say 10^30; positions beyond this one are nobody's."""


def window_of(config: Any, tokenizer: Any) -> int:
    """The tokens that the model takes at once: the smaller of what its positions and its tokenizer allow."""
    limits = [getattr(config, "max_position_embeddings", None), getattr(tokenizer, "model_max_length", None)]
    return min(
        [int(limit) for limit in limits if isinstance(limit, int | float) and 0 < limit < UNLIMITED]
        or [UNLIMITED]
    )


def fit(prefix: Prefix, target: int, window: int) -> tuple[tuple[int, ...], int] | None:
    """The prefix's tokens with as many of the answer's first ones left out as it takes, and how many these are.

    The last token of the target is predicted and never read, so it needs no place. None where the target does
    not fit even without the answer.
    """
    over = len(prefix.ids) + target - 1 - window
    if over <= 0:
        return prefix.ids, 0
    if over > prefix.end - prefix.begin:
        return None
    return prefix.ids[: prefix.begin] + prefix.ids[prefix.begin + over :], over
