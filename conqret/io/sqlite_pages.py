"""The rows of a SQLite file, read page by page without SQLite: what a damaged file still holds.

Whatever became of its header, its index or the pages above, a page with rows still says where they are. Whether a row
is as it was written has to be known from the row itself, by its checksum. Source: the SQLite file format, sections 1.6
(pages of b-trees, cells, overflow), 2.1 (records) and 4 (the write-ahead log).
"""

from __future__ import annotations

import contextlib
import mmap
import struct
from collections.abc import Collection, Iterator
from pathlib import Path

MAGIC = b"SQLite format 3\x00"
"""How a file begins."""
PAGE = 4096
"""Bytes of a page, where the file no longer says it; SQLite's default."""

_LEAF = 0x0D  # the first byte of a page that holds rows
_INTEGERS = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}  # bytes of an integer by its type
_REAL = 7


def rows_in_pages(path: Path, columns: Collection[int]) -> Iterator[tuple[int, list[object]]]:
    """Every row of so many columns in the pages of a file and of the log beside it, with its number, in no order; one
    may come twice, and what is damaged comes as it is."""
    with contextlib.ExitStack() as open_files:
        pages = _Pages(_mapped(path, open_files), _mapped(path.with_name(f"{path.name}-wal"), open_files))
        for page in pages.leaves():
            yield from pages.rows(page, columns)


def set_aside(path: Path) -> Path:
    """Give a file, with the log beside it, a name under which it is kept; returns that."""
    names = (
        f"{path.name}.damaged{'-' * (number > 1)}{number if number > 1 else ''}" for number in range(1, 1000)
    )
    kept = next(file for file in map(path.with_name, names) if not file.exists())
    path.rename(kept)
    for ending in ("-wal", "-shm"):
        with contextlib.suppress(FileNotFoundError):
            path.with_name(path.name + ending).rename(kept.with_name(kept.name + ending))
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
        stored_size = int.from_bytes(data[16:18]) if data[: len(MAGIC)] == MAGIC else 0
        self._size = stored_size if stored_size.bit_count() == 1 and stored_size >= 512 else PAGE
        self._data, self._log = data, log
        self._logged = dict(self._frames())

    def leaves(self) -> Iterator[bytes]:
        """The pages that hold rows, or would but for one bit."""
        last = max(len(self._data) // self._size, *self._logged, 0)
        for page in map(self._page, range(2, last + 1)):  # the first holds the names of the tables
            if page and (page[0] ^ _LEAF).bit_count() <= 1:
                yield page

    def rows(self, page: bytes, columns: Collection[int]) -> Iterator[tuple[int, list[object]]]:
        """The rows of a page that have so many columns, with their numbers. Either the number of rows or the place at
        which they begin may be damaged."""
        begins = min(int.from_bytes(page[5:7]) or len(page), len(page))
        count = max(min(int.from_bytes(page[3:5]), len(page) // 2), (begins - 8) // 2)
        for cell in range(count):
            at = int.from_bytes(page[8 + 2 * cell : 10 + 2 * cell])
            with contextlib.suppress(IndexError, ValueError, struct.error):
                length, at = _varint(page, at)
                number, at = _varint(page, at)
                yield number, _values(self._payload(page, at, length), columns)

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


def _values(record: bytes, columns: Collection[int]) -> list[object]:
    """The values of a record.

    Raises:
        ValueError: it has another number of columns.
    """
    end, at = _varint(record, 0)
    types = []
    while at < min(end, len(record)):
        kind, at = _varint(record, at)
        types.append(kind)
    if len(types) not in columns:
        raise ValueError("another table")
    values: list[object] = []
    at = end
    for kind in types:
        size = (kind - 12) // 2 if kind >= 12 else 8 if kind == _REAL else _INTEGERS.get(kind, 0)
        values.append(_value(kind, record[at : at + size]))
        at += size
    return values


def _value(kind: int, piece: bytes) -> object:
    if kind >= 12:
        return piece if kind % 2 == 0 else piece.decode("utf-8", "replace")
    if kind == _REAL:
        return struct.unpack(">d", piece)[0]
    if kind in (8, 9):
        return kind - 8
    return int.from_bytes(piece, signed=True) if kind in _INTEGERS else None


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """A number of one to nine bytes at a place, and the place after it."""
    value = 0
    for place in range(at, at + 8):
        value = value << 7 | data[place] & 0x7F
        if data[place] < 0x80:
            return value, place + 1
    return value << 8 | data[at + 8], at + 9


def log_is_sound(path: Path) -> bool:
    """Whether SQLite reads the log beside a file to its end: where a frame of it is damaged, it leaves out that one and
    all after it without a word. A last frame alone may be one that was being written when the process was killed, and
    a log beyond all measure (:data:`LONGEST_LOG`) is not looked at."""
    log = path.with_name(f"{path.name}-wal")
    for _ in range(_LOOKS):
        try:
            with log.open("rb") as file:
                if log.stat().st_size > LONGEST_LOG:
                    return True
                data = file.read()
                file.seek(0)
                same = file.read(_LOG_HEADER) == data[:_LOG_HEADER]
        except FileNotFoundError:
            return True
        if same:  # nobody began the log anew meanwhile
            return _reads_to_its_end(data)
    return True


LONGEST_LOG = 256 * 2**20
"""Bytes of a log that is looked at, some 10 s; SQLite writes one back at 4 MiB, unless others read all the time."""
_LOOKS = 5
_LOG_HEADER, _FRAME_HEADER = 32, 24


def _reads_to_its_end(log: bytes) -> bool:
    if len(log) < _LOG_HEADER:
        return True
    order = ">" if log[3] & 1 else "<"
    sums = _summed((0, 0), log[:24], order)
    size = int.from_bytes(log[8:12])
    if struct.pack(">II", *sums) != log[24:32] or size < 512:
        return len(log) == _LOG_HEADER
    bad = False
    for at in range(_LOG_HEADER, len(log) - size - _FRAME_HEADER + 1, size + _FRAME_HEADER):
        ours = log[at + 8 : at + 16] == log[16:24]
        if bad and ours:
            return False
        if not bad:
            page = log[at + _FRAME_HEADER : at + _FRAME_HEADER + size]
            sums = _summed(_summed(sums, log[at : at + 8], order), page, order)
            bad = not ours or struct.pack(">II", *sums) != log[at + 16 : at + 24]
    return True


def _summed(sums: tuple[int, int], data: bytes, order: str) -> tuple[int, int]:
    """The two running sums of the log, after more data."""
    first_word, two = sums
    words = struct.unpack(f"{order}{len(data) // 4}I", data)
    for first, second in zip(words[::2], words[1::2], strict=True):
        first_word = (first_word + first + two) & 0xFFFFFFFF
        two = (two + second + first_word) & 0xFFFFFFFF
    return first_word, two
