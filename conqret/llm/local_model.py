"""Which local model a name means: its weights' identity and its window, found out without loading it.

``local/NAME`` becomes ``local/NAME@IDENTITY``, and that is the model's name in keys, recordings and judgments. A
folder's identity is a digest of its files, so that it stays the same where the folder is copied and changes with its
weights; a hub's is the commit. A name that has its identity already needs no model to be there: recordings are
replayed without it.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from conqret._optional import require
from conqret.errors import DeclarationError
from conqret.llm.options import LOCAL_PREFIX, ClientOptions
from conqret.perplexity.identity import folder_identity

IDENTITY_LENGTH = 12
"""Hexadecimal digits of a folder's digest or of a hub's commit: enough to tell any two models apart."""

FILLED = 0.8
"""The share of the model's window that may be filled by our own count of tokens, which is not the model's: GPT-2's
and Llama's tokenizers need up to a quarter more for the same English text."""

_PINNED = re.compile(rf"(?P<name>.+)@(?P<identity>[0-9a-f]{{{IDENTITY_LENGTH}}})")
_LIMITS = ("max_position_embeddings", "n_positions", "model_max_length")
_UNLIMITED = 10**9


def name_and_identity(model: str) -> tuple[str, str | None]:
    """The folder or hub's name in ``local/NAME@IDENTITY``, and the identity (None where it is left out)."""
    name = model.removeprefix(LOCAL_PREFIX)
    pinned = _PINNED.fullmatch(name)
    return (pinned["name"], pinned["identity"]) if pinned else (name, None)


def resolved(options: ClientOptions) -> ClientOptions:
    """The same options with the identity in the name of a local model, and with its window where none is set.

    Raises:
        DeclarationError: there is no such model, and its name has no identity either.
        MissingDependencyError: it is a hub's, and transformers is not installed.
    """
    if not options.local:
        return options
    name, identity = name_and_identity(options.model)
    if identity is not None and options.context_window is not None:
        return options
    pinned = identity is not None
    window = options.context_window or _window(_settings(name, required=not pinned))
    return replace(
        options,
        model=f"{LOCAL_PREFIX}{name}@{identity or identity_of(name)}",
        context_window=window,
    )


def identity_of(name: str) -> str:
    """What identifies the weights and the tokenizer of the model ``name``.

    Raises:
        DeclarationError: there is no such folder, or no such model on the hub.
    """
    folder = Path(name)
    if folder.is_dir():
        return folder_identity(folder)[:IDENTITY_LENGTH]
    return str(_hub_settings(name).get("_commit_hash"))[:IDENTITY_LENGTH]


def check_can_ask(options: ClientOptions, ask: str, *, read: bool, written: bool) -> None:
    """Check that the model can answer ``ask``, which log-probabilities answer (``read``), or a text (``written``).

    Raises:
        DeclarationError: it cannot.
    """
    if options.local and not read:
        raise DeclarationError(
            f"{ask} is answered in writing, and a local/ model is read, not written with: it can judge with "
            "--format likelihood and score dispute-awareness. Serve it (vLLM, Ollama) and give --model "
            "hosted_vllm/NAME with --api-base to ask it anything, or take --model offline"
        )
    if not (written or options.local or options.offline):
        raise DeclarationError(
            f"{ask} reads the log-probabilities of a given text, which hosted chat models do not give: "
            "use --model local/FOLDER (a transformers model on this machine), or offline"
        )


def _settings(name: str, *, required: bool) -> Mapping[str, Any]:
    """The model's own settings, from its folder or from a hub; empty where it is absent and not required."""
    folder = Path(name)
    if folder.is_dir():
        found: dict[str, Any] = {}
        for file in (folder / "tokenizer_config.json", folder / "config.json"):
            if file.is_file():
                try:
                    found.update(json.loads(file.read_text(encoding="utf-8")))
                except ValueError as error:
                    raise DeclarationError(f"{file} is no JSON: {error}") from error
            elif required and file.name == "config.json":
                raise DeclarationError(f"{folder} holds no transformers model: it has no config.json")
        return found
    if not required:
        return {}
    if name.startswith((".", "/", "~")) or name.count("/") > 1:
        raise DeclarationError(
            f"there is no folder {name!r} with a model; to replay what it was asked without it, write its full "
            f"name as in run.json: {LOCAL_PREFIX}{name}@… with the {IDENTITY_LENGTH} digits of its identity"
        )
    return _hub_settings(name)


@functools.cache
def _hub_settings(name: str) -> Mapping[str, Any]:
    """The settings of a hub's model with its commit; the hub is asked once, or its cache where it is away."""
    transformers = require("transformers", extra="perplexity")
    try:
        config = transformers.AutoConfig.from_pretrained(name)
    except (OSError, ValueError) as error:
        first = next(iter(str(error).strip().splitlines()), type(error).__name__)
        raise DeclarationError(f"there is no folder {name!r}, and no model of that name: {first}") from error
    return {**config.to_dict(), "_commit_hash": getattr(config, "_commit_hash", None) or "0" * 40}


def _window(settings: Mapping[str, Any]) -> int | None:
    """Tokens by our count that surely fit the model's window; None where it has no limit or is not known."""
    text = settings.get("text_config") or {}
    limits = [value for found in (settings, text) for name in _LIMITS if (value := found.get(name))]
    numbers = [int(value) for value in limits if isinstance(value, int | float) and 0 < value < _UNLIMITED]
    return int(FILLED * min(numbers)) if numbers else None
