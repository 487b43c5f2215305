"""Vectors of passages in a file: appended in blocks, gone on with after a kill, searched through a map."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from conqret.errors import DeclarationError
from conqret.io import limits
from conqret.io.limits import whole_bytes
from conqret.local.models import load as load_model
from conqret.local.models import load_encoder, none, unread_pooler
from conqret.retrieval.engines import highest
from conqret.retrieval.text_encoding import (
    EXTRA,
    Encoder,
    Encoding,
    adapter_encoder,
    is_sentence_transformer,
    model_file,
)
from conqret.text.text_passages import blocks

BATCH = 32
"""Texts in one step: sentence-transformers' own default. Texts of like length stand together."""

MAX_TOKENS = 512
"""Tokens of a text that are read at most where a tokenizer names no limit of its own: BERT's window."""


@functools.lru_cache(maxsize=2)
def load(encoding: Encoding) -> Encoder:
    """Load the encoder of settled settings; the last two encoders stay in memory.

    Raises:
        DeclarationError: the encoder cannot be loaded, or the function does not return one.
        MissingDependencyError: torch, transformers or sentence-transformers is not installed.
    """
    return adapter_encoder(encoding) if encoding.code else _LoadedEncoder(encoding)


class _LoadedEncoder:
    """The models of an encoding with its prefixes."""

    def __init__(self, encoding: Encoding) -> None:
        self.identity, self._encoding = encoding.weights, encoding
        self._passage = self._query = _model(encoding.encoder, encoding)
        if encoding.query_encoder:
            self._query = _model(encoding.query_encoder, encoding)

    def queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._encoded(self._query, texts, self._encoding.query_prefix)

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._encoded(self._passage, texts, self._encoding.passage_prefix)

    def _encoded(
        self, model: _SentenceTransformer | _HuggingFace, texts: Sequence[str], prefix: str | None
    ) -> NDArray[np.float32]:
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


def _model(name: str, encoding: Encoding) -> _SentenceTransformer | _HuggingFace:
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
        self._pooling = encoding.pooling
        spared = none if self._pooling == "pooler" else unread_pooler
        self._loaded = load_model(name, auto=_kind(name), spared=spared)
        model_length = self._loaded.tokenizer.model_max_length
        self._most = encoding.max_tokens or min(int(model_length), MAX_TOKENS)
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


BLOCK = 4096
"""Passages that are encoded and written at a time; what a kill costs. With 768 numbers each they take 12 MB."""

SCANNED, QUERIES_AT_ONCE = 16384, 256
"""Passages and queries whose products are held at a time: 16 MB."""

_VECTORS, _COUNTS = "vectors.f32", "passages.i32"
_WIDE = 4
"""Bytes of a number in either file."""


def write(
    folder: Path, texts: Iterable[str], encode: Callable[[Sequence[str]], NDArray[np.float32]], words: int
) -> int:
    """Encode the passages of ``texts`` (of ``words`` words each), write the vectors into ``folder``, and
    return the number of documents.

    ``vectors.f32`` has one row per passage. ``passages.i32`` has the number of passages of each document,
    written after their vectors. Documents that an earlier build has completely written are skipped.

    Raises:
        DeclarationError: the encoder returns vectors of different lengths.
    """
    width = encode(["width"]).shape[1]
    done = _whole(folder, width)
    left = itertools.islice(iter(texts), done, None)
    with (folder / _VECTORS).open("ab") as vectors, (folder / _COUNTS).open("ab") as counts:
        for pieces, piece_counts in blocks(left, words, BLOCK):
            rows = np.ascontiguousarray(encode(pieces), np.float32)
            if rows.shape != (len(pieces), width):
                raise DeclarationError(
                    f"the encoder returned the shape {rows.shape} for {len(pieces)} passages, but "
                    f"must return {width} numbers for each"
                )
            vectors.write(rows.tobytes())
            vectors.flush()
            counts.write(np.array(piece_counts, np.int32).tobytes())
            counts.flush()
            done += len(piece_counts)
    return done


def _whole(folder: Path, width: int) -> int:
    """Cut off what an interrupted run did not write completely from the files of vectors and counts, and return how
    many documents are left. Missing files are made."""
    files = folder / _VECTORS, folder / _COUNTS
    for file in files:
        file.touch()
    rows = files[0].stat().st_size // (_WIDE * width)
    raw = whole_bytes(files[1], limits.UNPACKED)
    ends = np.cumsum(np.frombuffer(raw[: len(raw) // _WIDE * _WIDE], np.int32))
    done = int(np.searchsorted(ends, rows, side="right"))
    kept = int(ends[done - 1]) if done else 0
    for file, size in zip(files, (kept * width * _WIDE, done * _WIDE), strict=True):
        with file.open("r+b") as opened:
            opened.truncate(size)
    return done


@dataclass(frozen=True)
class Vectors:
    """The memory-mapped vectors of an index: one row per passage, and ``counts``, each document's number of
    passages.
    """

    rows: NDArray[np.float32]
    counts: NDArray[np.int32]

    @staticmethod
    def from_folder(folder: Path) -> Vectors:
        """Open the vectors that :func:`write` wrote into ``folder``; they are read when they are used.

        Raises:
            OSError: a file of them is missing.
        """
        counts = np.fromfile(folder / _COUNTS, np.int32)
        shape = (int(counts.sum()), -1)
        return Vectors(np.memmap(folder / _VECTORS, np.float32, "r").reshape(shape), counts)

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """The row of each document's first passage, followed by the total number of passages."""
        return np.concatenate([[0], np.cumsum(self.counts, dtype=np.int64)])

    def nearest(
        self, queries: NDArray[np.float32], depth: int
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.float32]]]:
        """Yield, for each query, the numbers (from 0) of the ``depth`` best documents and their scores.

        A document's score is the highest dot product of its passages. The search is exact; ties keep
        document order.
        """
        for start in range(0, len(queries), QUERIES_AT_ONCE):
            yield from self._nearest(queries[start : start + QUERIES_AT_ONCE], depth)

    def _nearest(
        self, queries: NDArray[np.float32], depth: int
    ) -> list[tuple[NDArray[np.int64], NDArray[np.float32]]]:
        best = [(np.empty(0, np.int64), np.empty(0, np.float32)) for _ in queries]
        for first, last in self._spans():
            begin, end = self.starts[first], self.starts[last]
            products = queries @ self.rows[begin:end].T
            values = np.maximum.reduceat(products, self.starts[first:last] - begin, axis=1)
            for place, (documents, scores) in enumerate(best):
                top = highest(values[place], depth)
                documents = np.concatenate([documents, top + first])
                scores = np.concatenate([scores, values[place][top]])
                order = highest(scores, depth)
                best[place] = documents[order], scores[order]
        return best

    def _spans(self) -> Iterator[tuple[int, int]]:
        """Yield ranges of documents (first and end, from 0, end exclusive) with at most :data:`SCANNED`
        passages together; a document with more is a range of its own."""
        first = 0
        while first < len(self.counts):
            last = int(np.searchsorted(self.starts, self.starts[first] + SCANNED, side="right")) - 1
            last = max(last, first + 1)
            yield first, last
            first = last
