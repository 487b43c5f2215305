"""What may stand in a folder that somebody else made: files and folders of its own, and nothing that leads elsewhere.

A pipe never ends and a device is none of ours, so that whoever reads one waits for ever; what is written through a link
lands where the link leads.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from conqret.errors import DeclarationError


def only_regular(path: Path) -> Path:
    """The same path, if a file or a folder is there, or nothing.

    Raises:
        DeclarationError: there is a pipe, a device or a socket, or a link to one.
    """
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):  # nothing is there, or no file can have this name
        return path
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise DeclarationError(f"{path} is {_kind(mode)} and no file; remove it, or give another folder")
    return path


def check_own_files(folder: Path) -> None:
    """Make sure that a folder holds files and folders alone, and no link out of it.

    Raises:
        DeclarationError: it names what else there is.
    """
    root = os.path.realpath(folder)
    for entry in _entries(folder):
        if entry.is_symlink():
            target = os.path.realpath(entry)
            if not (target == root or target.startswith(root.rstrip(os.sep) + os.sep)):
                raise DeclarationError(
                    f"{entry.path} is a link that leads out of the folder, where nothing is read or written; put "
                    "the file itself there, or give another folder"
                )
        elif not entry.is_file() and not entry.is_dir():
            only_regular(Path(entry.path))


def _entries(folder: str | Path) -> Iterator[os.DirEntry[str]]:
    """All below a folder; links are not followed, and what goes meanwhile is passed over."""
    try:
        with os.scandir(folder) as found:
            entries = list(found)
    except (FileNotFoundError, NotADirectoryError):
        return
    for entry in entries:
        yield entry
        if entry.is_dir(follow_symlinks=False):
            yield from _entries(entry.path)


def _kind(mode: int) -> str:
    kinds = ((stat.S_ISFIFO, "a pipe"), (stat.S_ISSOCK, "a socket"))
    return next((name for is_one, name in kinds if is_one(mode)), "a device")
