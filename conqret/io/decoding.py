"""From bytes to lines of text: gzip, byte order marks, and words for what is not UTF-8."""

from __future__ import annotations

import codecs
import gzip
import io
import itertools
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

from conqret.errors import Fault
from conqret.io import limits
from conqret.io.bounded import whole_bytes

HEAD = 4096
SKIPPED = 4
"""How many times the limit of a line is passed over to find its end; what follows a longer one is not read."""
GZIP_ERRORS = (EOFError, zlib.error, gzip.BadGzipFile)
"""What reading a gzip stream that is cut off or damaged raises."""
GZIP = b"\x1f\x8b"
UTF8_MARK = b"\xef\xbb\xbf"
_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_UTF32_MARK = codecs.BOM_UTF32_LE


@dataclass(frozen=True, slots=True)
class Line:
    """One line as it stands in the file, with its end.

    ``offset`` counts the bytes before it (after decompression); ``ended`` is false for a last line
    that has no line break.
    """

    number: int
    offset: int
    data: bytes
    ended: bool


def open_bytes(path: Path) -> IO[bytes]:
    """Open a file for reading; one that starts as gzip does is decompressed, whatever its name. One in UTF-16 with its
    mark, as Excel writes it, is read whole and gives UTF-8."""
    with path.open("rb") as file:
        head = file.read(4)
    if head.startswith(GZIP):
        return cast("IO[bytes]", gzip.open(path, "rb"))
    if head.startswith(_UTF16_MARKS) and head != _UTF32_MARK:
        return io.BytesIO(whole_bytes(path).decode("utf-16", "replace").encode())
    return path.open("rb")


def head_of(path: Path) -> bytes:
    """Return the first :data:`HEAD` bytes (decompressed); empty where a gzip stream cannot be read."""
    try:
        with open_bytes(path) as file:
            return file.read(HEAD)
    except GZIP_ERRORS:
        return b""


def byte_lines(path: Path, name: str) -> Iterator[Line | Fault]:
    """Yield the lines of a file; a UTF-8 byte order mark is left out.

    A line over the limit and a gzip stream that breaks off are faults.
    """
    most = limits.LINE.most
    with open_bytes(path) as file:
        for number in itertools.count(1):
            offset = file.tell()
            try:
                data = file.readline(most + 1)
            except GZIP_ERRORS as error:
                cut = isinstance(error, EOFError)
                problem = "the gzip stream ends early" if cut else f"the gzip stream is corrupt ({error})"
                problem = f"{problem}: {number - 1} whole lines precede it"
                yield Fault(name, number, "", problem, "Fetch or write the file again")
                return
            if not data:
                return
            if len(data) > most:
                problem = f"the line is longer than {limits.LINE}"
                yield Fault(name, number, "", problem, f"Split the item, {limits.LINE.remedy}")
                for _ in range(SKIPPED):
                    data = file.readline(most)
                    if not data or data.endswith(b"\n"):
                        break
                else:
                    return
                continue
            mark = len(UTF8_MARK) if number == 1 and data.startswith(UTF8_MARK) else 0
            yield Line(number, offset + mark, data[mark:], data.endswith(b"\n"))


def decoded(line: Line, name: str) -> str | Fault:
    """Return a line as text, or the fault that says at which byte it stops being UTF-8."""
    try:
        return line.data.decode("utf-8")
    except UnicodeDecodeError as error:
        place = f"byte {line.offset + error.start} (0x{line.data[error.start]:02x})"
        if not line.ended and error.reason == "unexpected end of data":
            return Fault(
                name,
                line.number,
                "",
                f"the file looks cut off: it ends inside a character, at {place}",
                "Fetch or write the file again",
            )
        return Fault(
            name,
            line.number,
            "",
            f"the file is not UTF-8: {place} begins no character",
            f"Save it as UTF-8, or convert it: iconv -f WINDOWS-1252 -t UTF-8 {name} > converted",
        )
