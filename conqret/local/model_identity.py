"""What tells one model from another: a digest of a folder's files, the same for a copy elsewhere; a hub's commit."""

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
    """Send no request to a hub while this is held: what is looked at may name any model, and a request carries a
    token."""
    before = _reachable.set(False)
    try:
        yield
    finally:
        _reachable.reset(before)


def hub_reachable() -> bool:
    """Whether requests to a hub are allowed now."""
    return _reachable.get()


def folder_identity(folder: Path) -> str:
    """sha256 (hex) over names and contents of all files of weights, settings and tokenizer that lie in ``folder``.

    Folders below it do not count: no model has its files there, and a run may lie in one of them.
    """
    digest = hashlib.sha256()
    for file in sorted(path for path in folder.iterdir() if path.suffix in _FILES and path.is_file()):
        state = file.stat()
        digest.update(f"{file.name}\0{_content(file.resolve(), state.st_size, state.st_mtime_ns)}\0".encode())
    return digest.hexdigest()


def hub_file(name: str, file: str, commit: str | None = None, *, fetch: bool = True) -> Path:
    """Where a file of a hub's model lies in the cache on this machine, fetched (``fetch``) if it is not there and
    no one holds :func:`without_hub`.

    Raises:
        OSError: it cannot be had.
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
    """The commit (40 hexadecimal digits) that a file of the hub's cache is of; None where its place does not say.

    Not every version of transformers tells it otherwise.
    """
    match = _SNAPSHOT.search(file.as_posix())
    return match[1] if match else None


@functools.cache
def _content(file: Path, size: int, changed: int) -> str:
    """sha256 (hex) of a file, read once in a process as long as its size and its time of change stay the same."""
    return file_sha256(file)
