"""Limits on what is read from outside, each with its reason and the environment variable that raises it;
and the reading of bytes and lines within them (gzip, byte order marks, UTF-8).

A hostile file is small and unpacks to gigabytes. What goes beyond a limit is a fault that names the place and the
variable; nothing of it is kept.
"""

from __future__ import annotations

import codecs
import gzip
import io
import itertools
import os
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TypeVar, cast

from pydantic import BaseModel, ValidationError

from conqret.errors import DeclarationError, Fault
from conqret.options import fault_text

_MIB = 2**20


@dataclass(frozen=True, slots=True)
class Limit:
    """A size limit in bytes; the environment variable ``variable`` overrides ``default``."""

    variable: str
    default: int

    @property
    def most(self) -> int:
        """The limit in effect: the environment variable's value, or the default.

        Raises:
            DeclarationError: the variable holds no positive whole number.
        """
        text = os.environ.get(self.variable, "").strip()
        if not text:
            return self.default
        if not (text.isascii() and text.isdigit() and len(text) <= 18 and int(text)):
            raise DeclarationError(f"{self.variable}={text!r} is no limit: give a positive number of bytes")
        return int(text)

    @property
    def remedy(self) -> str:
        """A text that tells the user which environment variable raises the limit."""
        return f"or raise the limit: {self.variable}={2 * self.most}"

    def __str__(self) -> str:
        most = self.most
        return f"{most // _MIB} MiB" if most >= _MIB else f"{most:,} bytes"


LINE = Limit("CONQRET_MAX_LINE", 64 * _MIB)
"""The most bytes of one line, one cell or one row, which is one item: a hundred documents of a book's
length.
"""

FILE = Limit("CONQRET_MAX_FILE", 64 * _MIB)
"""The most bytes of a file that is read whole: a JSON list, the record of a run, a file in a zip archive."""

UNPACKED = Limit("CONQRET_MAX_UNPACKED", 2048 * _MIB)
"""The most bytes held or fetched together: a TREC file, a list in the index of a corpus, a download. A
thousand documents for each of MS MARCO's 6,980 topics take 300 MB.
"""

IMAGE = Limit("CONQRET_MAX_IMAGE", 4 * _MIB)
"""The most bytes of one image of an item: Anthropic takes 5 MB in base64, OpenAI more."""

ANSWER = Limit("CONQRET_MAX_ANSWER", 32 * _MIB)
"""The most bytes of one response of a provider, decompressed: 500 times the longest that a judge requests,
log-probabilities included. A row of recordings has four times as much.
"""

LIMITS = (LINE, FILE, UNPACKED, IMAGE, ANSWER)
"""All limits that an environment variable raises."""

MAX_IMAGES = 20
"""The most images of one item: beyond that, providers accept smaller ones alone."""


def whole_bytes(path: str | Path, limit: Limit = FILE) -> bytes:
    """Return the content of a file as bytes.

    Args:
        path: the file.
        limit: the most bytes that it may have.

    Raises:
        DeclarationError: the file is larger than the limit.
        OSError: the file cannot be read.
    """
    with Path(path).open("rb") as file:
        if os.fstat(file.fileno()).st_size <= limit.most:
            return file.read()
    raise DeclarationError(
        f"{path} is larger than {limit}, the most that is read at once: write or fetch it again, {limit.remedy}"
    )


def whole_text(path: str | Path, encoding: str = "utf-8", errors: str = "strict") -> str:
    """Return the content of a text file, with line ends normalized to LF.

    Raises:
        DeclarationError: the file is larger than the limit.
        UnicodeDecodeError: the content is not valid in this encoding.
        OSError: the file cannot be read.
    """
    text = whole_bytes(path).decode(encoding, errors)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def declared_text(path: Path) -> str:
    """Return the text of a file that a user named.

    Raises:
        DeclarationError: the file does not exist, is too large, is not UTF-8, or cannot be read.
    """
    try:
        return whole_text(path)
    except FileNotFoundError:
        raise DeclarationError(f"{path}: there is no such file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise DeclarationError(f"{path} cannot be read: {error}") from None


M = TypeVar("M", bound=BaseModel)


def read_written(file: Path, model: type[M], command: str, what: str = "") -> M:
    """Read the JSON file that ``command`` wrote, as an instance of the pydantic ``model``.

    ``what`` describes in the error message what the file is if it does not match the model.

    Raises:
        DeclarationError: the file does not exist, or does not match the model.
    """
    try:
        return model.model_validate_json(whole_bytes(file))
    except FileNotFoundError:
        raise DeclarationError(f"{file} does not exist: run {command} with -o {file.parent} first") from None
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        fault = f"{where}: {fault_text(first)}" if where else fault_text(first)
        raise DeclarationError(
            f"{file} is {what or f'not in the format that {command} writes'} ({fault}): make it again with {command}"
        ) from error


HEAD = 4096
GZIP_ERRORS = (EOFError, zlib.error, gzip.BadGzipFile)
"""The exceptions of a gzip stream that is cut off or corrupt."""
GZIP = b"\x1f\x8b"
UTF8_MARK = b"\xef\xbb\xbf"
_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_UTF32_MARK = codecs.BOM_UTF32_LE


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a file with its line end.

    ``offset`` is the number of bytes before it (after decompression). ``ended`` is False for a last line
    without a line end.
    """

    number: int
    offset: int
    data: bytes
    ended: bool


def open_bytes(path: Path) -> IO[bytes]:
    """Open a file for reading bytes; gzip content is decompressed, whatever the file's name.

    A UTF-16 file with a byte order mark, as Excel writes it, is read whole and converted to UTF-8.
    """
    with path.open("rb") as file:
        head = file.read(4)
    if head.startswith(GZIP):
        return cast("IO[bytes]", gzip.open(path, "rb"))
    if head.startswith(_UTF16_MARKS) and head != _UTF32_MARK:
        return io.BytesIO(whole_bytes(path).decode("utf-16", "replace").encode())
    return path.open("rb")


def head_of(path: Path) -> bytes:
    """Return the first :data:`HEAD` bytes of a file (decompressed); empty if a gzip stream cannot be
    read."""
    try:
        with open_bytes(path) as file:
            return file.read(HEAD)
    except GZIP_ERRORS:
        return b""


def byte_lines(path: Path, name: str) -> Iterator[Line | Fault]:
    """Yield the lines of a file without a UTF-8 byte order mark; ``name`` is the file's name in faults.

    A line over the size limit and a broken gzip stream are yielded as faults.
    """
    most = LINE.most
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
                problem = f"the line is longer than {LINE}"
                yield Fault(name, number, "", problem, f"Split the item, {LINE.remedy}")
                return
            mark = len(UTF8_MARK) if number == 1 and data.startswith(UTF8_MARK) else 0
            yield Line(number, offset + mark, data[mark:], data.endswith(b"\n"))


def decoded(line: Line, name: str) -> str | Fault:
    """Decode a line from UTF-8 and return its text, or a fault with the position of the first invalid
    byte."""
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
            f"Save it as UTF-8, or convert it: iconv -f WINDOWS-1252 -t UTF-8 {name} > converted{Path(name).suffix}",
        )
