"""Every HTTP response as it came, in a WARC file (ISO 28500), and reading single ones back.

Beside the WARC lies an index, a JSON line for each response: URL, HTTP status, offset and length of its gzip
member. A line is written after its member, so whatever follows the last indexed member in the WARC was cut
off by a kill and is dropped when the file is opened again.
"""

from __future__ import annotations

import asyncio
import base64
import datetime
import hashlib
import io
import json
import os
import uuid
import zlib
from collections import deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from conqret.errors import DeclarationError
from conqret.io.append import AppendLog
from conqret.scrapers.fetch import FetchError, Limits, Page, Reply, Status, content_type_of
from conqret.scrapers.fetch.limits import decode

WARC_NAME = "responses.warc.gz"
INDEX_NAME = "responses.index.jsonl"
_LEVEL = 6
"""zlib's own default."""
AT_ONCE = 131_072
"""Bytes up to which a response is packed and written on the spot: that takes less than handing it over."""
_DROPPED = ("transfer-encoding", "trailer")
"""Headers that no longer hold of the body as it is stored: chunks are joined."""


@dataclass(frozen=True, slots=True)
class Place:
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
        self._file = self._path.open("ab", buffering=0)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="conqret-warc")
        self._writing = Lock()
        if not self._path.stat().st_size:
            self._append(_information(software))

    async def write(self, reply: Reply) -> None:
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

    def _store(self, reply: Reply) -> None:
        member = _member(reply)
        with self._writing:
            offset = self._append(member)
            self._index.append(
                {"url": reply.url, "http": reply.http, "offset": offset, "length": len(member)}
            )

    def _append(self, data: bytes) -> int:
        offset = self._file.seek(0, os.SEEK_END)
        view = memoryview(data)
        while view:
            view = view[self._file.write(view) :]
        return offset

    def _repair(self, corpus: Path) -> None:
        if not self._path.is_file():
            self._path.touch()
        size = self._path.stat().st_size
        last = deque(read_index(corpus), maxlen=1)
        end = last[0].offset + last[0].length if last else _first_member(self._path)
        if end > size:
            raise DeclarationError(
                f"{self._path} is shorter than {INDEX_NAME} says: bring back the file, or remove both"
            )
        if end < size:
            os.truncate(self._path, end)


def read_index(corpus: Path) -> Iterator[Place]:
    """The places of all stored responses, oldest first."""
    path = corpus / INDEX_NAME
    if not path.is_file():
        return
    with path.open(encoding="utf-8") as file:
        for number, line in enumerate(file, start=1):
            try:
                yield Place(**json.loads(line))
            except (ValueError, TypeError):
                raise DeclarationError(f"{path}:{number} is no line of the index; remove it") from None


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
                f"{self._path}: there are no stored responses; `conqret scrape evidence` makes them"
            )

    def __contains__(self, url: str) -> bool:
        return url in self._places

    def read(self, url: str, limits: Limits) -> Page:
        """The page of a URL as it was when it was fetched. A damaged record is an ``error``."""
        place = self._places[url]
        try:
            headers, raw = self._record(place)
            body = decode(raw, headers.get("content-encoding", ""), limits)
        except FetchError as error:
            return Page(url, error.status, error.detail, place.http, url)
        except (OSError, EOFError, ValueError) as error:
            return Page(
                url, Status.ERROR, f"the stored response is damaged ({type(error).__name__})", place.http, url
            )
        kind, charset = content_type_of(headers)
        return Page(url, Status.OK, "", place.http, url, body, kind, charset)

    def _record(self, place: Place) -> tuple[dict[str, str], bytes]:
        from warcio.archiveiterator import ArchiveIterator
        from warcio.exceptions import ArchiveLoadFailed

        with self._path.open("rb") as file:
            file.seek(place.offset)
            member = io.BytesIO(file.read(place.length))
        try:
            record = next(ArchiveIterator(member), None)
        except ArchiveLoadFailed as error:
            raise ValueError(str(error)) from error
        if record is None or record.http_headers is None:
            raise ValueError("no HTTP response")
        return {name.lower(): value for name, value in record.http_headers.headers}, record.raw_stream.read()


def _member(reply: Reply) -> bytes:
    """One response as one gzip member (ISO 28500, section 6.3).

    Put together here and not by warcio, which would write header bytes beyond ASCII in another encoding than
    they came in.
    """
    lines = [f"{reply.version} {reply.http} {reply.reason}".strip()]
    lines += [f"{name}: {value}" for name, value in reply.headers if name.lower() not in _DROPPED]
    head = "".join(f"{line}\r\n" for line in lines).encode("latin-1", "replace") + b"\r\n"
    digest = hashlib.sha1(reply.raw, usedforsecurity=False).digest()
    fields = {
        "WARC-Type": "response",
        "WARC-Record-ID": f"<urn:uuid:{uuid.uuid4()}>",
        "WARC-Target-URI": reply.url,
        "WARC-Date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        "WARC-Payload-Digest": f"sha1:{base64.b32encode(digest).decode('ascii')}",
        "Content-Type": "application/http; msgtype=response",
        "Content-Length": str(len(head) + len(reply.raw)),
    }
    if reply.fault is not None:
        fields["WARC-Truncated"] = "length" if reply.fault.status is Status.TOO_LARGE else "unspecified"
    named = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    start = f"WARC/1.1\r\n{named}\r\n".encode()
    return zlib.compress(b"".join((start, head, reply.raw, b"\r\n\r\n")), _LEVEL, wbits=31)


def _information(software: str) -> bytes:
    """The record that opens the file and says who wrote it."""
    from warcio.recordbuilder import RecordBuilder
    from warcio.warcwriter import WARCWriter

    fields = {"software": software, "format": "WARC File Format 1.1", "conformsTo": "ISO 28500:2017"}
    record = RecordBuilder(warc_version="1.1").create_warcinfo_record(WARC_NAME, fields)
    packed = io.BytesIO()
    WARCWriter(packed, gzip=True, warc_version="1.1").write_record(record)
    return packed.getvalue()


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
