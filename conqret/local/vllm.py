"""vLLM's offline engine as the model's part: log-probabilities of prompts (its ``prompt_logprobs``).

It needs a GPU and a PyTorch of its own, so it is installed apart (``pip install vllm``, in an environment that has no
other torch) and is in no extra. It reads each row with its prefix and batches by itself: prefixes are not kept between
rows, because vLLM has no log-probabilities of what its cache holds.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from conqret._optional import require
from conqret.errors import DeclarationError, first_line
from conqret.local.definitions import ContextGroup, Continuation
from conqret.local.models import EXTRA, LoadedModel, bars_on_terminals, placed, revision

Prefixes = Sequence[tuple[int, ...]]
"""Those of some groups, which are read with each row."""


class VllmModel:
    """A model in vLLM's offline engine, asked for log-probabilities of rows behind their prefixes."""

    def __init__(self, engine: Any, sampling: Any) -> None:
        self._engine, self._sampling = engine, sampling

    def encode(self, groups: Sequence[ContextGroup]) -> Prefixes:
        """The prefixes of ``groups``; nothing is read yet."""
        return [group.prefix for group in groups]

    def log_likelihoods(self, encoded: Prefixes, rows: Sequence[tuple[int, Continuation]]) -> list[float]:
        """For each row behind its prefix (given by its place) the sum of its counted tokens' log-probabilities."""
        prompts = [[*encoded[place], *row.ids] for place, row in rows]
        answers = self._engine.generate(
            [{"prompt_token_ids": ids} for ids in prompts], self._sampling, use_tqdm=False
        )
        return [
            _sum(answer.prompt_logprobs, ids, len(encoded[place]) + row.start)
            for answer, ids, (place, row) in zip(answers, prompts, rows, strict=True)
        ]


def _sum(places: Sequence[Mapping[int, Any] | None] | None, ids: Sequence[int], begin: int) -> float:
    """The log-probabilities of a prompt's own tokens from place ``begin`` on, added up."""
    if places is None or len(places) != len(ids):
        raise DeclarationError(
            "vLLM returned no log-probabilities of the prompt: use its version 0.6 or later"
        )
    logprobs = [place or {} for place in places]
    return math.fsum(float(logprobs[at][ids[at]].logprob) for at in range(begin, len(ids)))


def loaded(
    name: str, device: str | None = None, dtype: str | None = None
) -> tuple[LoadedModel, VllmModel, Any]:
    """The model ``name`` in vLLM's engine: what is known of it, the reader, and its configuration.

    Raises:
        DeclarationError: vLLM is not installed, or cannot load the model.
        MissingDependencyError: transformers is not installed.
    """
    transformers = require("transformers", extra=EXTRA)
    try:
        vllm = import_module("vllm")
    except ImportError as error:
        raise DeclarationError(
            f"vLLM cannot be used here ({first_line(error)}): install it in an environment of its own, with a GPU "
            "(pip install vllm), or use --reader transformers"
        ) from None
    place, kind = placed(device, dtype)
    try:
        with bars_on_terminals():
            tokenizer = transformers.AutoTokenizer.from_pretrained(name, trust_remote_code=False)
            config = transformers.AutoConfig.from_pretrained(name, trust_remote_code=False)
            engine = vllm.LLM(model=name, dtype=kind, trust_remote_code=False, enable_prefix_caching=False)
    except (OSError, ValueError, RuntimeError) as error:
        raise DeclarationError(f"vLLM cannot load the model {name!r}: {first_line(error)}") from error
    sampling = vllm.SamplingParams(max_tokens=1, temperature=0.0, prompt_logprobs=0, detokenize=False)
    return LoadedModel(None, tokenizer, place, kind, revision(name)), VllmModel(engine, sampling), config
