"""Where a model's window ends: by its settings as published, and the same by the loaded configuration."""

from __future__ import annotations

from typing import Any

import pytest

from conqret.local.models import window_in


@pytest.mark.parametrize(
    ("config", "tokenizer", "window"),
    [
        ({"max_position_embeddings": 131_072}, {"model_max_length": 32_768}, 32_768),
        ({}, {"max_len": 512}, 512),
        (
            {
                "max_position_embeddings": 131_072,
                "rope_parameters": {"rope_type": "longrope", "original_max_position_embeddings": 4_096},
            },
            {},
            4_096,
        ),
        ({"max_position_embeddings": 4_096, "rope_scaling": {"type": "dynamic", "factor": 2.0}}, {}, 4_096),
    ],
)
def test_the_window_is_the_smallest_limit(
    config: dict[str, Any], tokenizer: dict[str, Any], window: int | None
) -> None:
    assert window_in(config, tokenizer) == window
