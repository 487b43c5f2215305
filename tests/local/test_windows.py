"""Where a model's window ends: by its settings as published, and the same by the loaded configuration."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from conqret.local.models import window_in, window_of


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


def test_published_settings_and_the_loaded_configuration_agree(tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers", reason="the extra perplexity is not installed")
    sizes = {"vocab_size": 9, "hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2}
    factors = {"short_factor": [1.0, 1.0], "long_factor": [2.0, 2.0]}
    for published, window in [
        ({"model_type": "gpt2", "n_positions": 96}, 96),
        ({"model_type": "qwen2", "max_position_embeddings": 512}, 300),
        (
            {
                "model_type": "phi3",
                "max_position_embeddings": 256,
                "original_max_position_embeddings": 64,
                "rope_scaling": {"type": "longrope", **factors},
                "pad_token_id": 0,
            },
            64,
        ),
        (
            {
                "model_type": "llama",
                "max_position_embeddings": 128,
                "rope_scaling": {"type": "dynamic", "factor": 2.0},
            },
            128,
        ),
    ]:
        file = tmp_path / "config.json"
        file.write_text(json.dumps({**sizes, **published}))
        config = transformers.AutoConfig.from_pretrained(tmp_path)
        assert window_of(config, SimpleNamespace(model_max_length=300)) == window, published
        assert window_in(json.loads(file.read_text()), {"model_max_length": 300}) == window, published
        assert window_in(config.to_dict(), {"model_max_length": 300}) == window, published
