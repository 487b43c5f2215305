"""Every HTTP response as it came, in a WARC file (ISO 28500), and reading single ones back.

Beside the WARC lies an index, a JSON line for each response: URL, HTTP status, offset and length of its gzip
member. A line is written after its member, so whatever follows the last indexed member in the WARC was cut
off by a kill and is dropped when the file is opened again.
"""

from __future__ import annotations

import asyncio
import io
import json
import os
import zlib
from collections import deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

from warcio.archiveiterator import ArchiveIterator
from warcio.exceptions import ArchiveLoadFailed
from warcio.recordbuilder import RecordBuilder
from warcio.recordloader import ArcWarcRecord
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from conqret.errors import DeclarationError
from conqret.io.safe_files import AppendLog, whole_lines
from conqret.scrapers.fetch import FetchedResponse, FetchError, FetchStatus, Limits, Page, content_type_of
from conqret.scrapers.fetch.fetch_limits import decode

WARC_NAME = "responses.warc.gz"
INDEX_NAME = "responses.index.jsonl"
_VERSION = "1.1"
_LEVEL = 6
"""zlib's own default."""
AT_ONCE = 131_072
"""Bytes up to which a response is packed and written on the spot: that takes less than handing it over."""
MOST_HEADERS = 2**20
"""Bytes of all headers of a response, those of HTTP and those of the WARC."""
_DROPPED = ("transfer-encoding", "trailer")
"""Headers that no longer hold of the body as it is stored: chunks are joined."""


class Place(NamedTuple):
    """Where a response lies: bytes from the start of the WARC, bytes of its gzip member."""

    url: str
    http: int
    offset: int
    length: int


class WarcWriter:
    """Appends responses to the WARC of a corpus: small ones at once, large ones in a thread."""

    def __init__(self, corpus: Path, software: str) -> None:
        self._path = corpus / WARC_NAME
        self._index = AppendLog(corpus / INDEX_NAME)
        self._repair(corpus)
        self._file = self._path.open("ab")
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="conqret-warc")
        self._writing = Lock()
        if not self._file.tell():
            self._append(_information(software))

    async def write(self, reply: FetchedResponse) -> None:
        """Append a response; it is on file when this returns."""
        if len(reply.raw) <= AT_ONCE:
            self._store(reply)
        else:
            await asyncio.get_running_loop().run_in_executor(self._thread, self._store, reply)

    def close(self) -> None:
        """Wait for what is being written, and close the files."""
        self._thread.shutdown(wait=True)
        if not self._file.closed:
            os.fsync(self._file.fileno())
            self._file.close()
        self._index.close()

    def _store(self, reply: FetchedResponse) -> None:
        member = _member(reply)
        with self._writing:
            offset = self._append(member)
            self._index.append(
                {"url": reply.url, "http": reply.http, "offset": offset, "length": len(member)}
            )

    def _append(self, data: bytes) -> int:
        offset = self._file.tell()
        self._file.write(data)
        self._file.flush()
        return offset

    def _repair(self, corpus: Path) -> None:
        self._path.touch()
        size = self._path.stat().st_size
        last = deque(read_index(corpus), maxlen=1)
        end = last[0].offset + last[0].length if last else _first_member(self._path)
        if end > size:
            raise DeclarationError(
                f"{self._path} is shorter than {INDEX_NAME} states: restore the file, or remove both"
            )
        if end < size:
            os.truncate(self._path, end)


def read_index(corpus: Path) -> Iterator[Place]:
    """The places of all stored responses, oldest first."""
    path = corpus / INDEX_NAME
    for number, line in whole_lines(path):
        try:
            place = Place(**json.loads(line))
            if not all(_is_size(value) for value in (place.offset, place.length)):
                raise ValueError(line)
            yield place
        except (ValueError, TypeError):
            raise DeclarationError(f"{path}:{number} is not a line of the index; remove it") from None


def _is_size(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63


class WarcReader:
    """Reads responses back by URL; of several under one URL, the last with an HTTP status of 200 to 299.

    Raises:
        DeclarationError: the corpus has no stored responses.
    """

    def __init__(self, corpus: Path) -> None:
        self._path = corpus / WARC_NAME
        self._places = {place.url: place for place in read_index(corpus) if 200 <= place.http < 300}
        if not self._path.is_file():
            raise DeclarationError(
                f"{self._path}: there are no stored responses; run `conqret corpus evidence` first"
            )

    def __contains__(self, url: str) -> bool:
        return url in self._places

    def read(self, url: str, limits: Limits) -> Page:
        """The page of a URL as it was when it was fetched. A damaged record is an ``error``."""
        place = self._places[url]
        try:
            headers, raw = self._record(place, limits)
            body = decode(raw, headers.get("content-encoding", ""), limits)
        except FetchError as error:
            return Page(url, error.status, error.detail, place.http, url)
        except (OSError, EOFError, ValueError) as error:
            return Page(
                url,
                FetchStatus.ERROR,
                f"the stored response is damaged ({type(error).__name__})",
                place.http,
                url,
            )
        kind, charset = content_type_of(headers)
        return Page(url, FetchStatus.OK, "", place.http, url, body, kind, charset)

    def _record(self, place: Place, limits: Limits) -> tuple[dict[str, str], bytes]:
        """Headers and body of a response: of a member no more is read, or unpacked, than a response may have."""
        most = limits.max_bytes + MOST_HEADERS
        with self._path.open("rb") as file:
            file.seek(place.offset)
            packed = file.read(min(place.length, most))
        unpacker = zlib.decompressobj(wbits=31)
        try:
            member = unpacker.decompress(packed, most)
        except zlib.error as error:
            raise ValueError(str(error)) from error
        if unpacker.unconsumed_tail or not unpacker.eof:
            raise ValueError("it is cut off, or unpacks to more than a response may have")
        try:
            record = next(ArchiveIterator(io.BytesIO(member)), None)
        except ArchiveLoadFailed as error:
            raise ValueError(str(error)) from error
        if record is None or record.http_headers is None:
            raise ValueError("no HTTP response")
        return {name.lower(): value for name, value in record.http_headers.headers}, record.raw_stream.read()


class _AsTheyCame(StatusAndHeaders):  # type: ignore[misc]
    """Headers whose bytes beyond ASCII are written as they came; warcio would write them in another encoding."""

    def compute_headers_buffer(self, header_filter: object = None) -> None:
        self.headers_buff = str(self).encode("latin-1", "replace") + b"\r\n"


def _member(reply: FetchedResponse) -> bytes:
    """One response as one gzip member (ISO 28500, section 6.3)."""
    kept = [(name, value) for name, value in reply.headers if name.lower() not in _DROPPED]
    truncated = "length" if reply.fault and reply.fault.status is FetchStatus.TOO_LARGE else "unspecified"
    record = RecordBuilder(warc_version=_VERSION).create_warc_record(
        reply.url,
        "response",
        io.BytesIO(reply.raw),
        len(reply.raw),
        warc_headers_dict={"WARC-Truncated": truncated} if reply.fault else {},
        http_headers=_AsTheyCame(f"{reply.http} {reply.reason}".strip(), kept, protocol=reply.version),
    )
    return _packed(record)


def _information(software: str) -> bytes:
    """The record that opens the file and says who wrote it."""
    fields = {"software": software, "format": "WARC File Format 1.1", "conformsTo": "ISO 28500:2017"}
    return _packed(RecordBuilder(warc_version=_VERSION).create_warcinfo_record(WARC_NAME, fields))


def _packed(record: ArcWarcRecord) -> bytes:
    written = io.BytesIO()
    WARCWriter(written, gzip=False, warc_version=_VERSION).write_record(record)
    return zlib.compress(written.getbuffer(), _LEVEL, wbits=31)


def _first_member(path: Path) -> int:
    """Where the first gzip member (the file's description) ends; 0 if it is not whole."""
    inflater = zlib.decompressobj(31)
    with path.open("rb") as file:
        data = file.read(65_536)
    try:
        inflater.decompress(data)
    except zlib.error:
        return 0
    return len(data) - len(inflater.unused_data) if inflater.eof else 0
