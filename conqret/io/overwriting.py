"""Files on which people work after they were written: sheets, prompts, lists. What stands there is never replaced
without a word.

A file is replaced where nothing is lost by it: it holds the same already, or it is as the command wrote it before,
which a register remembers (by digest) where the command has a folder to keep one in. Any other is refused, unless the
user says so.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from conqret.errors import DeclarationError
from conqret.io import safe_files as atomic
from conqret.io.jsonl import object_in
from conqret.io.label_files import SUFFIXES, is_result

MADE = (b"<", b"\x89PNG", b"%PDF", b'{"ask":')
"""How pages, pictures and exported recordings begin."""
HEAD = 4096
REGISTER = "written.json"
"""In the folder of a run or a study: the digests of the files that were written from it, by their paths."""


def write_new(
    files: Mapping[Path, bytes | str | Iterable[str]],
    *,
    overwrite: bool = False,
    register: Path | None = None,
) -> list[Path]:
    """Write files, each whole or not at all, where none of them replaces another one's work. Returns their places.

    Args:
        files: contents by path; texts become UTF-8, and files that end in ``.gz`` are compressed.
        overwrite: replace what is there.
        register: the folder that remembers what was written from it: such a file may be replaced while nobody has
            changed it.

    Raises:
        DeclarationError: a file is there with another content; nothing is written then.
    """
    contents: dict[Path, bytes] = {}
    for path, content in files.items():
        if not isinstance(content, bytes):
            content = (content if isinstance(content, str) else "".join(content)).encode("utf-8", "replace")
        contents[path] = gzip.compress(content, mtime=0) if path.suffix == ".gz" else content
    known = {} if register is None else object_in(register / REGISTER)
    check_new(
        (path for path, content in contents.items() if _changed(path, content, known)), overwrite=overwrite
    )
    written = atomic.write_files(contents)
    if register is not None:
        known |= {str(path.resolve()): _digest(content) for path, content in contents.items()}
        with contextlib.suppress(
            OSError
        ):  # a folder that is only read: the file is then one that nobody knows
            atomic.write_whole(register / REGISTER, json.dumps(known, indent=1).encode())
    return written


def check_new(paths: Iterable[Path], *, overwrite: bool) -> None:
    """Raise DeclarationError where one of these files is there, and is not to be overwritten."""
    there = [path for path in paths if path.exists()]
    if there and not overwrite:
        more = f" (and {len(there) - 1} more)" if len(there) > 1 else ""
        raise DeclarationError(
            f"{there[0]}{more} already exists with other content, which may be corrected by hand "
            "and would be lost: give another name, or --overwrite to replace it"
        )


def check_replaceable(path: Path) -> None:
    """Make sure that no table or list of somebody else's is at the place of a command's result.

    Raises:
        DeclarationError: there is one: a sheet, labels or items, and no earlier result, page or picture.
    """
    name = path.name.casefold()
    if not name.endswith(SUFFIXES) or not path.is_file() or not path.stat().st_size or is_result(path):
        return
    with path.open("rb") as opened:
        made = opened.read(HEAD).startswith(MADE)
    if not made:
        raise DeclarationError(
            f"{path} already exists, and was not written by this kind of command or was changed since: give "
            "another name, or move it first"
        )


def _changed(path: Path, content: bytes, known: Mapping[str, str]) -> bool:
    """Whether a file holds something else than ``content`` and than what was written into it before."""
    if not path.is_file():
        return path.exists()
    there = path.read_bytes()
    return there != content and known.get(str(path.resolve())) != _digest(there)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
