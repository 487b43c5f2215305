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
from typing import Any, NamedTuple

from conqret.errors import DeclarationError, first_line
from conqret.io.limits import whole_text
from conqret.llm.client_options import ClientOptions
from conqret.local.model_identity import commit_of, folder_identity, hub_file, hub_reachable
from conqret.local.models import window_in

PREFIX = "local/"
"""What stands before the folder or the hub's name of a transformers model on this machine."""

IDENTITY_LENGTH = 12
"""Hexadecimal digits of a folder's digest or of a hub's commit: enough to tell any two models apart."""

FILLED = 0.8
"""The share of the model's window that may be filled by our own count of tokens, which is not the model's: GPT-2's
and Llama's tokenizers need up to a quarter more for the same English text."""

_PINNED = re.compile(rf"\A(?P<name>.+)@(?P<identity>[0-9a-f]{{{IDENTITY_LENGTH}}})")


class _Settings(NamedTuple):
    """What ``config.json`` and ``tokenizer_config.json`` say, and a hub's commit."""

    config: Mapping[str, Any]
    tokenizer: Mapping[str, Any]
    commit: str | None = None


_NOTHING = _Settings({}, {})


def name_and_identity(model: str) -> tuple[str, str | None]:
    """The folder or hub's name in ``local/NAME@IDENTITY``, and the identity (None where it is left out).

    A folder whose own name ends like an identity is that folder.
    """
    name = model.removeprefix(PREFIX)
    pinned = _PINNED.fullmatch(name)
    if pinned is None or folder_of(name).is_dir():
        return name, None
    return pinned["name"], pinned["identity"]


def folder_of(name: str) -> Path:
    """Where the model ``name`` lies if it is a folder; ``~`` is the user's home."""
    return Path(name).expanduser() if name.startswith("~/") else Path(name)


def resolved(options: ClientOptions) -> ClientOptions:
    """The same options with the identity in the model's name, and its window where none is set.

    Raises:
        DeclarationError: there is no such model, and its name has no identity either.
        MissingDependencyError: it is a hub's, and transformers is not installed.
    """
    name, identity = name_and_identity(options.model)
    if identity is not None and options.context_window is not None:
        return options
    model_settings = _settings(name) if identity is None else _settings_of_pinned(name)
    window = window_in(model_settings.config, model_settings.tokenizer)
    fitting = None if window is None else max(1, int(FILLED * window))
    return replace(
        options,
        model=f"{PREFIX}{name}@{identity or identity_of(name)}",
        context_window=options.context_window or fitting,
    )


def anchored(model: str, folder: Path) -> str:
    """The name with a path that begins with ``./`` or ``../`` taken from ``folder``; any other as it is."""
    name = model.removeprefix(PREFIX)
    return f"{PREFIX}{folder / name}" if name.startswith(("./", "../")) else model


def identity_of(name: str) -> str:
    """What identifies the weights and the tokenizer of the model ``name``.

    Raises:
        DeclarationError: there is no such folder, no such model on the hub, or the hub does not say which commit
            it is.
    """
    folder = folder_of(name)
    if folder.is_dir():
        return folder_identity(folder)[:IDENTITY_LENGTH]
    commit = _settings(name).commit
    if not commit:
        raise DeclarationError(
            f"the hub does not report the commit of {name!r}, so its weights could not be told apart from "
            f"later versions: download the model into a folder and give --model {PREFIX}./FOLDER"
        )
    return commit[:IDENTITY_LENGTH]


def _settings(name: str) -> _Settings:
    """The model's own settings, from its folder or from a hub."""
    folder = folder_of(name)
    if folder.is_dir():
        if not (folder / "config.json").is_file():
            raise DeclarationError(f"{folder} contains no transformers model: config.json is missing")
        return _Settings(_mapping(folder / "config.json"), _mapping(folder / "tokenizer_config.json"))
    if _only_a_folder(name):
        raise DeclarationError(
            f"there is no folder {name!r} with a model; to replay its recordings without it, write its full "
            f"name as in run.json: {PREFIX}{name}@… with the {IDENTITY_LENGTH} digits of its identity"
        )
    return _hub_settings(name)


def _settings_of_pinned(name: str) -> _Settings:
    """The same of a model that a replay can do without: no settings where they cannot be had."""
    if not folder_of(name).is_dir():
        return _NOTHING if _only_a_folder(name) else _hub_settings_or_none(name, hub_reachable())
    try:
        return _settings(name)
    except DeclarationError:
        return _NOTHING


@functools.cache
def _hub_settings_or_none(name: str, reachable: bool) -> _Settings:
    try:
        return _hub_settings(name)
    except DeclarationError:  # the hub is away, or transformers is not installed
        return _NOTHING


def _only_a_folder(name: str) -> bool:
    return name.startswith((".", "/", "~")) or name.count("/") > 1


def _mapping(file: Path) -> Mapping[str, Any]:
    if not file.is_file():
        return {}
    try:
        data = json.loads(whole_text(file))
    except (ValueError, RecursionError) as error:
        raise DeclarationError(f"{file} is not valid JSON: {error}") from error
    if not isinstance(data, dict):
        raise DeclarationError(f"{file} must contain a JSON object")
    return data


@functools.cache
def _hub_settings(name: str) -> _Settings:
    """The settings of a hub's model with its commit; the hub is asked once, or its cache where it is away."""
    try:
        config = hub_file(name, "config.json")
    except (OSError, ValueError) as error:
        raise DeclarationError(
            f"there is no folder {name!r}, and no model of that name: {first_line(error)}"
        ) from error
    commit = commit_of(config)
    try:
        tokenizer = _mapping(hub_file(name, "tokenizer_config.json", commit))
    except (OSError, ValueError):  # not every model has one
        tokenizer = {}
    return _Settings(_mapping(config), tokenizer, commit)
