"""A small encoder that is trained in seconds: averaged word vectors, on questions and what answers them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="the extra dense is not installed: torch is missing")
pytest.importorskip("sentence_transformers", reason="the extra dense is not installed")

import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import StaticEmbedding
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers

BATCH, TEMPERATURE, RATE, SEED = 32, 0.05, 0.02, 13


def train(
    pairs: Sequence[tuple[str, str]],
    texts: Sequence[str],
    folder: Path,
    *,
    steps: int = 40,
    width: int = 64,
    vocabulary: int = 3000,
) -> Path:
    """Each question nearer to its own text than to the others of the batch (InfoNCE); kept in ``folder``."""
    words = Tokenizer(models.WordLevel(unk_token="[UNK]"))
    words.normalizer = normalizers.BertNormalizer()
    words.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    words.train_from_iterator(
        texts,
        trainers.WordLevelTrainer(
            vocab_size=vocabulary, special_tokens=["[PAD]", "[UNK]"], show_progress=False
        ),
    )
    torch.manual_seed(SEED)
    draw = random.Random(SEED)
    model = SentenceTransformer(modules=[StaticEmbedding(words, embedding_dim=width)], device="cpu")
    optimizer = torch.optim.Adam(model.parameters(), lr=RATE)
    for _ in range(steps):
        batch = draw.sample(pairs, min(BATCH, len(pairs)))
        sides = [
            torch.nn.functional.normalize(model(model.preprocess(list(side)))["sentence_embedding"], dim=1)
            for side in zip(*batch, strict=True)
        ]
        likeness = sides[0] @ sides[1].T / TEMPERATURE
        loss = torch.nn.functional.cross_entropy(likeness, torch.arange(len(batch)))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.save(str(folder), create_model_card=False)
    return folder
