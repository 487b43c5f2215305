"""Into the model's window: the answer gives way from its left, the target never."""

from __future__ import annotations

from typing import Any

from conqret.perplexity.prefix import Prefix

UNLIMITED = 10**9
"""Tokenizers without a limit say 10^30; positions beyond this one are nobody's."""


def window_of(config: Any, tokenizer: Any) -> int:
    """The tokens that the model takes at once: the smallest of what positions, their rotation and tokenizer allow."""
    limits = [getattr(config, "max_position_embeddings", None), getattr(tokenizer, "model_max_length", None)]
    limits += _constant_rotation(config)
    return min(
        [int(limit) for limit in limits if isinstance(limit, int | float) and 0 < limit < UNLIMITED]
        or [UNLIMITED]
    )


def _constant_rotation(config: Any) -> list[Any]:
    """Up to which length rotary positions stay the same, for models that rotate longer texts otherwise.

    A prefix that was read on this side of it would not fit a row that ends on the other.
    """
    rotary = getattr(config, "rope_parameters", None) or {}
    kinds = [rotary, *(value for value in rotary.values() if isinstance(value, dict))]
    own = (
        getattr(config, "original_max_position_embeddings", None),
        getattr(config, "max_position_embeddings", None),
    )
    return [
        kind.get("original_max_position_embeddings") or own[0] or own[1]
        for kind in kinds
        if kind.get("rope_type") in ("longrope", "dynamic")
    ]


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
