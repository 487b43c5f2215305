"""How many tokens a model takes at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

UNLIMITED = 10**9
"""Tokenizers without a limit say 10^30; positions beyond this one are nobody's."""

_POSITIONS = ("max_position_embeddings", "n_positions")
_LENGTHS = ("model_max_length", "max_len")
_ROTATIONS = ("rope_parameters", "rope_scaling")
_CHANGING = frozenset({"longrope", "su", "dynamic"})
"""Rotations that change with the length of the text; ``su`` is the old name of ``longrope``."""

_READ = ("max_position_embeddings", "original_max_position_embeddings", *_ROTATIONS)


def window_of(config: Any, tokenizer: Any) -> int:
    """The tokens that a loaded model takes at once; :data:`UNLIMITED` where nothing limits it."""
    length = {"model_max_length": getattr(tokenizer, "model_max_length", None)}
    return window_in(_attributes(config), length) or UNLIMITED


def window_in(config: Mapping[str, Any], tokenizer: Mapping[str, Any]) -> int | None:
    """The smallest of what positions, their rotation and the tokenizer allow, in tokens; None without a limit.

    ``config`` is what ``config.json`` holds, as it was published or as transformers writes it, and ``tokenizer``
    what ``tokenizer_config.json`` holds.
    """
    limits = [tokenizer.get(name) for name in _LENGTHS]
    for settings in (config, config.get("text_config")):
        if isinstance(settings, Mapping):
            limits += [settings.get(name) for name in _POSITIONS]
            limits += _constant_rotation(settings)
    numbers = [int(limit) for limit in limits if isinstance(limit, int | float) and 0 < limit < UNLIMITED]
    return min(numbers, default=None)


def _attributes(config: Any) -> dict[str, Any]:
    """The settings of a configuration object, whatever the model itself calls its positions."""
    attributes: dict[str, Any] = {name: getattr(config, name, None) for name in _READ}
    if (text := getattr(config, "text_config", None)) is not None and text is not config:
        attributes["text_config"] = text if isinstance(text, Mapping) else _attributes(text)
    return attributes


def _constant_rotation(settings: Mapping[str, Any]) -> Iterator[Any]:
    """Up to which length rotary positions stay the same, for models that rotate longer texts otherwise.

    A prefix that was read on this side of it would not fit a row that ends on the other.
    """
    original_length = settings.get("original_max_position_embeddings") or settings.get(
        "max_position_embeddings"
    )
    for name in _ROTATIONS:
        rotary = settings.get(name)
        if not isinstance(rotary, Mapping):
            continue
        for kind in (rotary, *(value for value in rotary.values() if isinstance(value, Mapping))):
            if (kind.get("rope_type") or kind.get("type")) in _CHANGING:
                yield kind.get("original_max_position_embeddings") or original_length
