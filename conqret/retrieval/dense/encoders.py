"""Encoders: texts to vectors, by sentence-transformers, by a bare Hugging Face model, or by an adapter.

Code that a model brings with it is never run. A model that needs such code (NV-Embed) comes through an adapter: a
function of an installed package, named ``module:function``, that takes the :class:`Encoding` and returns an
:class:`~conqret.retrieval.dense.text_encoding.Encoder`. Whoever names it runs it.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from conqret.errors import DeclarationError
from conqret.retrieval.dense.text_encoding import (
    EXTRA,
    Encoder,
    Encoding,
    adapter_encoder,
    is_sentence_transformer,
    model_file,
)

BATCH = 32
"""Texts in one step: sentence-transformers' own default. Texts of like length stand together."""

MOST_TOKENS = 512
"""Tokens of a text that are read at most where a tokenizer names no limit of its own: BERT's window."""


@functools.lru_cache(maxsize=2)
def load(encoding: Encoding) -> Encoder:
    """The encoder of settled settings. The last two are kept.

    Raises:
        DeclarationError: it cannot be loaded, or the adapter returns no encoder.
        MissingDependencyError: torch, transformers or sentence-transformers is not installed.
    """
    if encoding.adapter:
        return adapter_encoder(encoding)
    passage = _model(encoding.encoder, encoding)
    query = _model(encoding.query_encoder, encoding) if encoding.query_encoder else passage
    return _LoadedEncoder(encoding, query, passage)


class _LoadedEncoder:
    """The models of an encoding with its prefixes."""

    def __init__(self, encoding: Encoding, query: _Model, passage: _Model) -> None:
        self.identity = encoding.weights
        self._encoding, self._query, self._passage = encoding, query, passage

    def queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._encoded(self._query, texts, self._encoding.query_prefix)

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._encoded(self._passage, texts, self._encoding.passage_prefix)

    def _encoded(self, model: _Model, texts: Sequence[str], prefix: str | None) -> NDArray[np.float32]:
        clean = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
        vectors = model.encode(clean, prefix or "").astype(np.float32, copy=False)
        if self._encoding.normalise:
            lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
            np.divide(vectors, lengths, out=vectors, where=lengths > 0)
        if not np.isfinite(vectors).all():
            raise DeclarationError(
                f"the encoder {self._encoding.encoder!r} returns vectors that are not numbers: its weights are corrupt "
                "or overflow; use another encoder"
            )
        return vectors


class _Model(Protocol):
    def encode(self, texts: Sequence[str], prefix: str) -> NDArray[Any]:
        """A row for each text."""


def _model(name: str, encoding: Encoding) -> _Model:
    if is_sentence_transformer(name):
        return _SentenceTransformer(name, encoding)
    try:
        return _HuggingFace(name, encoding)
    except DeclarationError as error:
        raise DeclarationError(
            f"{error} (give a model that needs its own code through an adapter, --encoder module:function)"
        ) from error


class _SentenceTransformer:
    """A model of sentence-transformers, with the modules that it names."""

    def __init__(self, name: str, encoding: Encoding) -> None:
        from conqret.local.models import load_encoder

        self._model = load_encoder(name, extra=EXTRA)
        if encoding.max_tokens:
            self._model.max_seq_length = encoding.max_tokens

    def encode(self, texts: Sequence[str], prefix: str) -> NDArray[Any]:
        vectors: NDArray[Any] = self._model.encode(
            list(texts), prompt=prefix, batch_size=BATCH, show_progress_bar=False
        )
        return vectors


class _HuggingFace:
    """A bare model of transformers, whose tokens' states are pooled here."""

    def __init__(self, name: str, encoding: Encoding) -> None:
        from conqret.local.checkpoint_weights import none, unread_pooler
        from conqret.local.models import load as load_model

        self._pooling = encoding.pooling
        spared = none if self._pooling == "pooler" else unread_pooler
        self._loaded = load_model(name, auto=_kind(name), spared=spared)
        model_length = self._loaded.tokenizer.model_max_length
        self._most = encoding.max_tokens or min(int(model_length), MOST_TOKENS)
        if self._loaded.tokenizer.pad_token is None:
            self._loaded.tokenizer.pad_token = self._loaded.tokenizer.eos_token

    def encode(self, texts: Sequence[str], prefix: str) -> NDArray[Any]:
        import torch

        order = sorted(range(len(texts)), key=lambda place: -len(texts[place]))
        parts = []
        for start in range(0, len(order), BATCH):
            shown = [prefix + texts[place] for place in order[start : start + BATCH]]
            read = self._loaded.tokenizer(
                shown, padding=True, truncation=True, max_length=self._most, return_tensors="pt"
            ).to(self._loaded.device)
            with torch.inference_mode():
                parts.append(self._pooled(self._loaded.model(**read), read["attention_mask"]).float().cpu())
        vectors: NDArray[Any] = torch.cat(parts).numpy()
        return vectors[np.argsort(order)]

    def _pooled(self, states: Any, mask: Any) -> Any:
        if self._pooling == "pooler":
            return states.pooler_output
        tokens = states.last_hidden_state
        if self._pooling == "cls":
            return tokens[:, 0]
        if self._pooling == "last":
            last = mask.cumsum(dim=1).argmax(dim=1)
            return tokens.take_along_dim(last.view(-1, 1, 1), dim=1).squeeze(1)
        weights = mask.unsqueeze(-1).to(tokens.dtype)
        return (tokens * weights).sum(dim=1) / weights.sum(dim=1).clamp(min=1)


def _kind(name: str) -> str:
    """The class of transformers that loads a model: DPR has one for questions and one for passages."""
    model_config = model_file(name, "config.json") or {}
    kinds = model_config.get("architectures") or [""]
    dpr_kind = kinds[0] if model_config.get("model_type") == "dpr" else ""
    return dpr_kind if dpr_kind in {"DPRContextEncoder", "DPRQuestionEncoder"} else "AutoModel"
