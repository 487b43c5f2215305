"""A folder with a small transformers model that has room for a prompt with documents."""

from __future__ import annotations

from pathlib import Path

from tests.local.small_models import tokenizer
from tests.needed import Needed

torch = Needed("torch", reason="the extra perplexity is not installed: torch is missing")
transformers = Needed("transformers", reason="the extra perplexity is not installed: transformers is missing")


def save_model(folder: Path, *, window: int = 2048, chat: bool = False, seed: int = 13) -> Path:
    """Save a model of one layer with random weights, and return its folder."""
    torch.manual_seed(seed)
    words = tokenizer(begins=False, chat=chat)
    words.model_max_length = window
    words.save_pretrained(folder)
    size = len(words)
    config = transformers.GPT2Config(
        vocab_size=size,
        n_positions=window,
        n_embd=16,
        n_layer=1,
        n_head=2,
        initializer_range=0.2,
        bos_token_id=0,
        eos_token_id=0,
    )
    transformers.GPT2LMHeadModel(config).save_pretrained(folder)
    return folder
