"""The identity of a model: a digest of a folder's files, the same for a copy elsewhere, or a hub's commit."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import re
from collections.abc import Iterator
from contextvars import ContextVar
from pathlib import Path

from conqret._optional import require
from conqret.data.digest import file_sha256

_FILES = frozenset({".safetensors", ".bin", ".json", ".model", ".txt", ".jinja"})
_SNAPSHOT = re.compile(r"/snapshots/([0-9a-f]{40})/")
_reachable: ContextVar[bool] = ContextVar("hub_reachable", default=True)


@contextlib.contextmanager
def without_hub() -> Iterator[None]:
    """Block requests to a model hub inside the ``with`` block.

    A checked file may name any model, and a request to the hub would carry the user's token.
    """
    before = _reachable.set(False)
    try:
        yield
    finally:
        _reachable.reset(before)


def hub_reachable() -> bool:
    """Return True if requests to a model hub are allowed, that is, outside of :func:`without_hub`."""
    return _reachable.get()


def folder_identity(folder: Path) -> str:
    """Return the SHA-256 digest (64 hexadecimal digits) of a model folder: names and contents of its
    weights, settings and tokenizer files.

    Files in subfolders are ignored: a model has no files there, and a run may be in one of them.

    Raises:
        OSError: the folder or a file cannot be read.
    """
    digest = hashlib.sha256()
    for file in sorted(path for path in folder.iterdir() if path.suffix in _FILES and path.is_file()):
        state = file.stat()
        digest.update(f"{file.name}\0{_content(file.resolve(), state.st_size, state.st_mtime_ns)}\0".encode())
    return digest.hexdigest()


def hub_file(name: str, file: str, commit: str | None = None, *, fetch: bool = True) -> Path:
    """Return the path in the local cache of one file of a model on the hub.

    A missing file is downloaded if ``fetch`` is True, unless :func:`without_hub` blocks it.

    Args:
        name: the model's name on the hub.
        file: the file's name in the model's repository.
        commit: the commit of the repository; the latest by default.
        fetch: whether requests to the hub are allowed.

    Raises:
        OSError: the file is not in the cache, and cannot be downloaded.
        MissingDependencyError: transformers is not installed.
    """
    if fetch and hub_reachable():
        hub = require("transformers.utils", extra="perplexity")
        return Path(hub.cached_file(name, file, revision=commit))
    # transformers, told to use local files alone, still requests from the hub a list of agents
    hub = require("huggingface_hub", extra="perplexity")
    try:
        found = hub.try_to_load_from_cache(name, file, revision=commit)
    except ValueError as error:  # no name that a hub has
        raise OSError(str(error)) from error
    if isinstance(found, str):
        return Path(found)
    said = "is not in the cache on this machine" if found is None else "does not appear to have a file"
    raise OSError(f"{name} {said}: {file}")


def commit_of(file: Path) -> str | None:
    """Return the commit (40 hexadecimal digits) in the path of a file in the hub's cache; None if the path
    has none.

    Not every version of transformers reports the commit otherwise.
    """
    match = _SNAPSHOT.search(file.as_posix())
    return match[1] if match else None


@functools.cache
def _content(file: Path, size: int, changed: int) -> str:
    """sha256 (hex) of a file, read once in a process as long as its size and its time of change stay the same."""
    return file_sha256(file)
