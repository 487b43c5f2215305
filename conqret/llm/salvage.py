"""Whether a store is whole, and what can be read of one that is not.

A damaged file is read page by page, without SQLite: whatever became of its header, its index or the pages above, a
page with rows still says where they are, and the checksum of a row says whether it is as it was written. Source: the
SQLite file format, sections 1.6 (pages of b-trees, cells, overflow), 2.1 (records) and 4 (the write-ahead log).
"""

from __future__ import annotations

import contextlib
import mmap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from conqret.errors import ConqretError, DeclarationError
from conqret.llm.recording import COLUMNS, Recording
from conqret.llm.recordings import Recordings
from conqret.llm.store_file import SQLITE_MAGIC

PAGE = 4096
"""Bytes of a page, where the file no longer says it; SQLite's default."""

_LEAF = b"\x0d"  # the first byte of a page that holds rows
_INTEGERS = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}  # bytes of an integer by its type


@dataclass(frozen=True, slots=True)
class StoreCheck:
    """What became of a store: sound ``answers``; ``damaged`` ones by name; the ``fault`` of the file, if it has one;
    after a repair ``repaired`` and, where the file was made anew, where the old one is ``kept``."""

    store: str
    answers: int
    damaged: tuple[str, ...] = ()
    fault: str = ""
    repaired: bool = False
    kept: str | None = None

    @property
    def whole(self) -> bool:
        """Whether nothing is wrong now."""
        return self.repaired or not (self.damaged or self.fault)


def check_store(path: Path, *, repair: bool = False) -> StoreCheck:
    """Look at every answer of a store; with ``repair`` damaged ones are set aside, and a damaged file is made anew of
    what can be read of it.

    Raises:
        DeclarationError: there is no store, or nothing can be read of it.
    """
    if not path.is_file() or not path.stat().st_size:
        raise DeclarationError(f"{path}: there is no such store of recordings, or it is empty")
    try:
        with Recordings(path, read_only=not repair) as store:
            answers, damaged = store.check(repair=repair)
        return StoreCheck(str(path), answers, tuple(damaged), repaired=repair)
    except ConqretError as error:
        fault = error
    keys = {recording.key for recording in salvage(path)}
    if not keys:
        raise DeclarationError(f"{fault}. No answer can be read of it") from fault
    kept = str(_renew(path)) if repair else None
    return StoreCheck(str(path), len(keys), (), str(fault), repair, kept)


def salvage(path: Path) -> Iterator[Recording]:
    """Every recording that stands whole in the pages of a file, in no order; one may come twice."""
    with contextlib.ExitStack() as open_files:
        pages = _Pages(_mapped(path, open_files), _mapped(path.with_name(f"{path.name}-wal"), open_files))
        for page in pages.leaves():
            for row in pages.rows(page):
                with contextlib.suppress(ValueError):
                    yield Recording.of_row(row)


def _renew(path: Path) -> Path:
    """Put a store of what can be read in the place of a damaged one, which is kept under another name."""
    part = path.with_name(f"{path.name}.part")
    part.unlink(missing_ok=True)
    with Recordings(part) as store:
        store.add(salvage(path))
    names = (
        f"{path.name}.damaged{'-' * (number > 1)}{number if number > 1 else ''}" for number in range(1, 1000)
    )
    kept = next(file for file in map(path.with_name, names) if not file.exists())
    path.rename(kept)
    for ending in ("-wal", "-shm"):
        with contextlib.suppress(FileNotFoundError):
            path.with_name(path.name + ending).rename(kept.with_name(kept.name + ending))
    part.rename(path)
    return kept


def _mapped(file: Path, open_files: contextlib.ExitStack) -> mmap.mmap | bytes:
    """The bytes of a file; none of one that is not there."""
    if not file.is_file() or not file.stat().st_size:
        return b""
    opened = open_files.enter_context(file.open("rb"))
    return open_files.enter_context(mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ))


class _Pages:
    """The pages of a file, as its write-ahead log has changed them."""

    def __init__(self, data: mmap.mmap | bytes, log: mmap.mmap | bytes) -> None:
        said = int.from_bytes(data[16:18]) if data[: len(SQLITE_MAGIC)] == SQLITE_MAGIC else 0
        self._size = said if said.bit_count() == 1 and said >= 512 else PAGE
        self._data, self._log = data, log
        self._logged = dict(self._frames())

    def leaves(self) -> Iterator[bytes]:
        """The pages that hold rows."""
        last = max(len(self._data) // self._size, *self._logged, 0)
        for page in map(self._page, range(2, last + 1)):  # the first holds the names of the tables
            if page[:1] == _LEAF:
                yield page

    def rows(self, page: bytes) -> Iterator[list[object]]:
        """The rows of a page that have as many columns as a store."""
        for cell in range(int.from_bytes(page[3:5])):
            at = int.from_bytes(page[8 + 2 * cell : 10 + 2 * cell])
            with contextlib.suppress(IndexError, ValueError):
                length, at = _varint(page, at)
                _, at = _varint(page, at)  # the number of the row
                yield _values(self._payload(page, at, length))

    def _payload(self, page: bytes, at: int, length: int) -> bytes:
        """What a cell holds: here as far as there is room, and on the pages that follow one another from there."""
        if length > len(self._data) + len(self._log):
            raise ValueError("longer than the file")
        here, most, least = length, self._size - 35, (self._size - 12) * 32 // 255 - 23
        if length > most:
            spilled = least + (length - least) % (self._size - 4)
            here = spilled if spilled <= most else least
        pieces, rest = [page[at : at + here]], length - here
        number = int.from_bytes(page[at + here : at + here + 4])
        while rest > 0:
            more = self._page(number)
            number, rest = int.from_bytes(more[:4]), rest - (self._size - 4)
            pieces.append(more[4:])
            if not more:
                raise ValueError("cut off")
        return b"".join(pieces)[:length]

    def _page(self, number: int) -> bytes:
        if number in self._logged:
            at = self._logged[number]
            return self._log[at : at + self._size]
        return self._data[(number - 1) * self._size : number * self._size] if number > 0 else b""

    def _frames(self) -> Iterator[tuple[int, int]]:
        """Number and place of each page in the log that belongs to its last round."""
        salts = self._log[16:24]
        for at in range(32, len(self._log) - self._size - 23, self._size + 24):
            if self._log[at + 8 : at + 16] == salts:
                yield int.from_bytes(self._log[at : at + 4]), at + 24


def _values(record: bytes) -> list[object]:
    """The values of a record.

    Raises:
        ValueError: it has another number of columns than a row of a store.
    """
    end, at = _varint(record, 0)
    types = []
    while at < min(end, len(record)):
        kind, at = _varint(record, at)
        types.append(kind)
    if len(types) != len(COLUMNS):
        raise ValueError("another table")
    values: list[object] = []
    at = end
    for kind in types:
        size = (kind - 12) // 2 if kind >= 12 else _INTEGERS.get(kind, 0)
        piece = record[at : at + size]
        values.append(
            piece.decode("utf-8", "replace") if kind >= 12 else kind - 8 if kind in (8, 9)
            else int.from_bytes(piece, signed=True)
        )  # fmt: skip
        at += size
    return values


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """A number of one to nine bytes at a place, and the place after it."""
    value = 0
    for place in range(at, at + 8):
        value = value << 7 | data[place] & 0x7F
        if data[place] < 0x80:
            return value, place + 1
    return value << 8 | data[at + 8], at + 9
