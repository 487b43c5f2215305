"""A small encoder that is trained in seconds: averaged word vectors, on questions and what answers them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

from tests.needed import Needed

torch = Needed("torch", reason="the extra dense is not installed: torch is missing")
sentence_transformers = Needed("sentence_transformers", reason="the extra dense is not installed")
tokenizers = Needed("tokenizers", reason="the extra dense is not installed: torch is missing")


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
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding

    words = tokenizers.Tokenizer(tokenizers.models.WordLevel(unk_token="[UNK]"))
    words.normalizer = tokenizers.normalizers.BertNormalizer()
    words.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    words.train_from_iterator(
        texts,
        tokenizers.trainers.WordLevelTrainer(
            vocab_size=vocabulary, special_tokens=["[PAD]", "[UNK]"], show_progress=False
        ),
    )
    torch.manual_seed(SEED)
    draw = random.Random(SEED)
    model = sentence_transformers.SentenceTransformer(
        modules=[StaticEmbedding(words, embedding_dim=width)], device="cpu"
    )
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
