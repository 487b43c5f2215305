"""One writer at a time to a run's folder."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from conqret.errors import DeclarationError
from conqret.io.regular import check_own_files

LOCK_NAME = ".lock"
"""The file in the folder that is locked; it stays there, empty."""


@contextlib.contextmanager
def only_writer(folder: Path, remedy: str = "wait for it, or give another -o") -> Iterator[None]:
    """Make ``folder``, and keep other processes from writing it; the lock ends with the process, however it ends.

    ``remedy`` is what the error says to do.

    Raises:
        DeclarationError: the folder cannot be made, holds a link that leads out of it, or another process is writing
            it.
    """
    from filelock import FileLock, Timeout

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DeclarationError(
            f"{folder} cannot be made: {error.strerror}; give another folder with -o"
        ) from None
    check_own_files(folder)  # the lock is a file there, too
    lock = FileLock(folder / LOCK_NAME)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise DeclarationError(f"another process is writing {folder}; {remedy}") from None
    try:
        yield
    finally:
        lock.release()
