"""From bytes to lines of text: gzip, byte order marks, and words for what is not UTF-8."""

from __future__ import annotations

import gzip
import itertools
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

from conqret.errors import Fault
from conqret.io import limits

HEAD = 4096
SKIPPED = 4
"""How many times the limit of a line is passed over to find its end; what follows a longer one is not read."""
GZIP_ERRORS = (EOFError, zlib.error, gzip.BadGzipFile)
"""What reading a gzip stream that is cut off or damaged raises."""
GZIP = b"\x1f\x8b"
UTF8_MARK = b"\xef\xbb\xbf"
_WIDE_MARKS = {
    b"\xff\xfe\x00\x00": "UTF-32",
    b"\x00\x00\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}


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
    """Open a file for reading; one that starts as gzip does is decompressed, whatever its name."""
    with path.open("rb") as file:
        packed = file.read(2) == GZIP
    return cast("IO[bytes]", gzip.open(path, "rb")) if packed else path.open("rb")


def head_of(path: Path) -> bytes:
    """Return the first :data:`HEAD` bytes (decompressed); empty where a gzip stream cannot be read."""
    try:
        with open_bytes(path) as file:
            return file.read(HEAD)
    except GZIP_ERRORS:
        return b""


def wide_encoding(head: bytes) -> str | None:
    """Name the encoding of a file in UTF-16 or UTF-32, by its mark or by its zero bytes; else ``None``."""
    for mark, name in _WIDE_MARKS.items():
        if head.startswith(mark):
            return name
    even, odd = head[0::2], head[1::2]
    for zeros, letters, name in ((odd, even, "UTF-16LE"), (even, odd, "UTF-16BE")):
        if len(head) >= 8 and zeros.count(0) > 0.4 * len(zeros) and letters.count(0) < 0.1 * len(letters):
            return name
    return None


def convert(name: str, encoding: str) -> str:
    """Return the sentence that says how to turn a file into UTF-8."""
    return f"Convert it: iconv -f {encoding} -t UTF-8 {name} > converted"


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
        windows = any(0x80 <= byte < 0xA0 for byte in line.data)
        guess = "Windows-1252" if windows else "Latin-1"
        return Fault(
            name,
            line.number,
            "",
            f"the file is not UTF-8: {place} begins no character; it may be {guess}",
            convert(name, "WINDOWS-1252" if windows else "ISO-8859-1"),
        )
