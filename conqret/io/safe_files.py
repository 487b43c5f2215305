"""Write files and folders safely: whole or not at all, appended line by line, locked, and never through a
link that leads out of the folder.

Files that users edit after they were written (forms, prompts, lists) are never replaced without a word: only where
nothing is lost by it, because the file holds the same already, or is as the command wrote it before, which a register
remembers by digest. Any other is refused, unless the user says so. Texts from outside go into CSV cells that no
spreadsheet takes for a formula.
"""

from __future__ import annotations

import contextlib
import csv
import gzip
import hashlib
import io
import json
import mmap
import os
import uuid
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Self

from filelock import FileLock, Timeout
from pydantic import BaseModel

from conqret.errors import DeclarationError, Fault
from conqret.io.jsonl import object_in
from conqret.io.limits import byte_lines


def check_own_files(folder: Path) -> None:
    """Check that no link in a folder leads out of it.

    Raises:
        DeclarationError: a link leads out of the folder; the message names it.
    """
    root = os.path.realpath(folder)  # which follows a loop nowhere
    for place, folders, files in os.walk(folder):  # follows no link, and passes over what goes meanwhile
        for name in (*folders, *files):
            entry = Path(place, name)
            if entry.is_symlink() and not Path(os.path.realpath(entry)).is_relative_to(root):
                raise DeclarationError(
                    f"{entry} is a link that leads out of the folder: put the file itself there"
                )


class Closing(ABC):
    """Base class of objects that are closed at the end of a ``with`` block, also after an error."""

    @abstractmethod
    def close(self) -> None:
        """Release the resources that the object holds."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()


@contextlib.contextmanager
def replacing(path: str | Path) -> Iterator[IO[bytes]]:
    """Open a temporary file for writing bytes that replaces ``path`` at the end of the block.

    The folder is created. If the block raises, the temporary file is removed and an older ``path`` is
    unchanged.
    """
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f".{target.name[:80]}.{uuid.uuid4().hex[:8]}.part")
    try:
        with part.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def write_all(path: Path, lines: Iterable[bytes]) -> int:
    """Write lines (with their line ends) to a file atomically, and return their number.

    A file that ends in ``.gz`` is compressed without a time stamp, so that equal lines give equal bytes.
    """
    count = 0
    packed = path.suffix == ".gz"
    with (
        replacing(path) as file,
        gzip.GzipFile("", "wb", fileobj=file, mtime=0) if packed else contextlib.nullcontext(file) as target,
    ):
        for line in lines:
            target.write(line)
            count += 1
    return count


def write_whole(path: str | Path, content: bytes) -> None:
    """Write a file atomically: it is complete or does not exist."""
    with replacing(path) as file:
        file.write(content)


Content = bytes | str | Iterable[str]
"""The content of a file: bytes or a text, or the parts of a text."""


def write_files(files: Mapping[Path, Content]) -> list[Path]:
    """Write files, each atomically, and return their paths; missing folders are created."""
    for path, content in files.items():
        with replacing(path) as file:
            for part in [content] if isinstance(content, (bytes, str)) else content:
                file.write(part if isinstance(part, bytes) else part.encode())
    return list(files)


class AppendLog(Closing):
    """A log file to which one line per record is appended, and passed to the system at once.

    An incomplete last line, left by an interrupted process, is removed when the file is opened.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        cut_torn_line(path)
        self._file = path.open("ab", buffering=0)

    def append(self, record: BaseModel | Mapping[str, Any]) -> int:
        """Append one record as a line of JSON, and return its length in bytes.

        Raises:
            OSError: writing fails.
        """
        line = record.model_dump_json() if isinstance(record, BaseModel) else json.dumps(record)
        encoded = line.encode("utf-8", "replace") + b"\n"
        data = memoryview(encoded)
        try:
            while data:
                data = data[self._file.write(data) :]
        except OSError as error:
            error.filename = str(self.path)
            raise
        return len(encoded)

    def close(self) -> None:
        """Flush the file to disk and close it."""
        if not self._file.closed:
            os.fsync(self._file.fileno())
            self._file.close()


def whole_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the complete lines of a file with their numbers from 1; nothing if there is no file.

    Raises:
        DeclarationError: a line cannot be read.
    """
    for line in byte_lines(path, str(path)) if path.exists() else ():
        if isinstance(line, Fault):
            raise DeclarationError(f"{path}:{line.line}: {line.problem}. {line.remedy}")
        if line.ended:
            yield line.number, line.data


def cut_torn_line(path: Path) -> None:
    """Truncate a file after its last line end, so that an incomplete last line is removed."""
    if not path.is_file() or not path.stat().st_size:  # an empty file cannot be mapped
        return
    with path.open("r+b") as file:
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as view:
            end, size = view.rfind(b"\n") + 1, len(view)
        if end < size:
            file.truncate(end)


LOCK_NAME = ".lock"
"""The file in the folder that is locked; it stays there, empty."""


@contextlib.contextmanager
def only_writer(folder: Path, remedy: str = "wait for it, or give another -o") -> Iterator[None]:
    """Create ``folder`` and lock it against other processes until the block or the process ends.

    ``remedy`` is the advice in the error message.

    Raises:
        DeclarationError: the folder cannot be made, holds a link that leads out of it, or another process is writing
            it.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DeclarationError(f"{folder} cannot be created: {error.strerror}; give another -o") from None
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


@dataclass(frozen=True)
class InFolder:
    """A descriptor for a file in a folder: ``items_file = InFolder("items.jsonl")`` in a class with a
    ``path``.

    Access returns the file's path. ``kept`` marks a file that stays when the others are recreated.
    """

    name: str
    kept: bool = False

    def __get__(self, folder: Any, kind: type) -> Path:
        place: Path = folder.path
        return place / self.name

    @staticmethod
    def declared_in(kind: type) -> Iterator[InFolder]:
        """Yield all InFolder attributes of a class and its bases."""
        for base in kind.__mro__:
            yield from (file for file in vars(base).values() if isinstance(file, InFolder))


FORMULA = tuple("=+-@\t\r\n|%\uff1d\uff0b\uff0d\uff20")
"""The first characters of a formula, or of a cell that breaks out of its own (OWASP, "CSV injection"); the
last four are full-width forms. Such a cell gets an apostrophe in front.
"""
GUARD = "'"
MAX_CELL = 32_000
"""The most characters of a cell; spreadsheets hold 32,767."""
CUT = " […]"


def csv_text(head: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """Return a table as CSV, with cells that no spreadsheet runs as a formula; None is an empty cell."""
    target = io.StringIO(newline="")
    writer = csv.writer(target, lineterminator="\r\n")
    for row in (head, *rows):
        writer.writerow([guarded(cell) if isinstance(cell, str) else cell for cell in row])
    return target.getvalue()


def guarded(cell: str) -> str:
    """Return a cell that no spreadsheet runs as a formula: with an apostrophe in front if it could be one,
    without unprintable characters, and cut at :data:`MAX_CELL` characters with a mark.
    """
    text = "".join(char for char in cell if char.isprintable() or char in "\t\r\n")
    if len(text) > MAX_CELL:
        text = text[: MAX_CELL - len(CUT)] + CUT
    first = text.lstrip(" \u00a0\u200b\ufeff")[:1]
    return f"{GUARD}{text}" if {text[:1], first} & set(FORMULA) else text


def unguarded(cell: str) -> str:
    """Return the original text of a cell that :func:`guarded` protected."""
    return cell[1:] if cell.startswith(GUARD) and guarded(cell[1:]) == cell else cell


LABEL_SUFFIXES = (
    ".csv",
    ".tsv",
    ".jsonl",
    ".ndjson",
    ".json",
    ".parquet",
    ".pq",
    ".zip",
    ".xlsx",
    ".xls",
    ".ods",
)
"""The endings of files that may be a user's own tables; workbooks, too, whose error says how to save them."""
RESULTS = b'"schema_name": "conqret.'
"""The beginning of a result of a command (a judge card, a calibration), which may lie in the folder of
report pages.
"""
MADE = (b"<", b"\x89PNG", b"%PDF", b'{"ask":')
"""The first bytes of pages, pictures and exported recordings."""
HEAD = 4096
REGISTER = "written.json"
"""The file in the folder of a run or a study with the digests of the files that were written from it, by
path.
"""


def write_new(
    files: Mapping[Path, bytes | str | Iterable[str]],
    *,
    overwrite: bool = False,
    register: Path | None = None,
) -> list[Path]:
    """Write files, each atomically, without replacing other content, and return their paths.

    Args:
        files: contents by path; texts become UTF-8, and files that end in ``.gz`` are compressed.
        overwrite: replace existing files.
        register: the folder that remembers what was written from it: such a file may be replaced while it is
            unchanged.

    Raises:
        DeclarationError: a file exists with other content; nothing is written then.
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
    written = write_files(contents)
    if register is not None:
        known |= {str(path.resolve()): _digest(content) for path, content in contents.items()}
        with contextlib.suppress(OSError):  # a read-only folder: the file is then unknown
            write_whole(register / REGISTER, json.dumps(known, indent=1).encode())
    return written


def check_new(paths: Iterable[Path], *, overwrite: bool) -> None:
    """Check that none of the files exists, unless ``overwrite`` is true.

    Raises:
        DeclarationError: one exists.
    """
    there = [path for path in paths if path.exists()]
    if there and not overwrite:
        more = f" (and {len(there) - 1} more)" if len(there) > 1 else ""
        raise DeclarationError(
            f"{there[0]}{more} already exists with other content: give another name, or --overwrite to replace it"
        )


def check_replaceable(path: Path) -> None:
    """Check that a command's result would not replace a user's own table or list.

    Raises:
        DeclarationError: there is one: an annotation form, labels or items, and no earlier result, page or picture.
    """
    name = path.name.casefold()
    if not name.endswith(LABEL_SUFFIXES) or not path.is_file() or not path.stat().st_size or is_result(path):
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


def is_result(file: Path) -> bool:
    """Return True if the file is a result that a conqret command wrote."""
    with file.open("rb") as opened:
        return RESULTS in opened.read(100)
