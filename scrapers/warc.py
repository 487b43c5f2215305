"""Every HTTP response, decompressed, in a WARC file (ISO 28500), and reading single ones back.

Beside the WARC lies an index, a JSON line for each response: URL, HTTP status, offset and length of its gzip
member. A line is written after its member, so whatever follows the last indexed member in the WARC was cut
off by a kill and is dropped when the file is opened again.
"""

from __future__ import annotations

import asyncio
import io
import os
import zlib
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from threading import Lock
from typing import Annotated

from pydantic import BaseModel, Field
from warcio.archiveiterator import ArchiveIterator
from warcio.exceptions import ArchiveLoadFailed
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from conqret.errors import DeclarationError
from conqret.io.safe_files import AppendLog, whole_lines
from conqret.scrapers.fetch_client import content_type_of
from conqret.scrapers.wire import FetchedResponse, FetchStatus, Limits, Page

WARC_NAME = "responses.warc.gz"
INDEX_NAME = "responses.index.jsonl"
_VERSION = "1.1"
MAX_HEADERS = 2**20
"""Bytes of all headers of a response, those of HTTP and those of the WARC."""
_DROPPED = ("transfer-encoding", "trailer", "content-encoding", "content-length")
"""Headers that no longer hold of the body as it is stored: joined, and decompressed."""


Whole = Annotated[int, Field(strict=True, ge=0, lt=2**63)]


class Place(BaseModel):
    """Where a response lies: bytes from the start of the WARC, bytes of its gzip member."""

    url: str
    http: Whole
    offset: Whole
    length: Whole


class WarcWriter:
    """Appends responses to the WARC of a corpus, in threads, as packing takes time."""

    def __init__(self, corpus: Path, software: str) -> None:
        last = deque(read_index(corpus), maxlen=1)
        self._file = (corpus / WARC_NAME).open("ab")
        self._file.truncate(min(self._file.tell(), last[0].offset + last[0].length if last else 0))
        self._file.seek(0, os.SEEK_END)
        self._index = AppendLog(corpus / INDEX_NAME)
        self._warc = WARCWriter(self._file, gzip=True, warc_version=_VERSION)
        self._writing = Lock()
        if not self._file.tell():
            fields = {"software": software, "format": "WARC File Format 1.1", "conformsTo": "ISO 28500:2017"}
            self._warc.write_record(self._warc.create_warcinfo_record(WARC_NAME, fields))

    async def write(self, reply: FetchedResponse) -> None:
        """Append a response; it is on file when this returns."""
        await asyncio.to_thread(self._store, reply)

    def close(self) -> None:
        """Wait for what is being written, and close the files."""
        with self._writing:
            self._file.close()
            self._index.close()

    def _store(self, reply: FetchedResponse) -> None:
        headers = [(name, value) for name, value in reply.headers if name.lower() not in _DROPPED]
        truncated = "length" if reply.fault and reply.fault.status is FetchStatus.TOO_LARGE else "unspecified"
        record = self._warc.create_warc_record(
            reply.url,
            "response",
            io.BytesIO(reply.body),
            len(reply.body),
            warc_headers_dict={"WARC-Truncated": truncated} if reply.fault else {},
            http_headers=StatusAndHeaders(
                f"{reply.http} {reply.reason}".strip(), headers, protocol=reply.version
            ),
        )
        with self._writing:
            offset = self._file.tell()
            self._warc.write_record(record)
            self._file.flush()
            length = self._file.tell() - offset
            self._index.append({"url": reply.url, "http": reply.http, "offset": offset, "length": length})


def read_index(corpus: Path) -> Iterator[Place]:
    """The places of all stored responses, oldest first."""
    path = corpus / INDEX_NAME
    for number, line in whole_lines(path):
        try:
            yield Place.model_validate_json(line)
        except ValueError:
            raise DeclarationError(f"{path}:{number} is not a line of the index; remove it") from None


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
            headers, body = self._record(place, limits.max_bytes)
        except (OSError, EOFError, ValueError, zlib.error, ArchiveLoadFailed) as error:
            return Page(
                url,
                FetchStatus.ERROR,
                f"the stored response is damaged ({type(error).__name__})",
                place.http,
                url,
            )
        kind, charset = content_type_of(headers)
        return Page(url, FetchStatus.OK, "", place.http, url, body, kind, charset)

    def _record(self, place: Place, max_bytes: int) -> tuple[dict[str, str], bytes]:
        """Headers and body of a response: of a member no more is unpacked than a response may have."""
        most = max_bytes + MAX_HEADERS
        with self._path.open("rb") as file:
            file.seek(place.offset)
            packed = file.read(min(place.length, most))
        unpacker = zlib.decompressobj(wbits=31)
        member = unpacker.decompress(packed, most)
        if unpacker.unconsumed_tail or not unpacker.eof:
            raise ValueError("it is cut off, or unpacks to more than a response may have")
        record = next(ArchiveIterator(io.BytesIO(member)), None)
        if record is None or record.http_headers is None:
            raise ValueError("no HTTP response")
        body = record.content_stream().read(most)
        return {name.lower(): value for name, value in record.http_headers.headers}, body
