"""Store every HTTP response, decompressed, in a WARC file (ISO 28500).

Beside the WARC lies an index, a JSON line for each response: URL, HTTP status, offset and length of its gzip
member. A line is written after its member, so whatever follows the last indexed member in the WARC was cut
off by a kill and is dropped when the file is opened again.
"""

from __future__ import annotations

import asyncio
import io
import os
from pathlib import Path
from threading import Lock
from typing import Annotated

from pydantic import BaseModel, Field
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from conqret.errors import DeclarationError
from conqret.io.safe_files import AppendLog, whole_lines
from conqret.scrapers.wire import FetchedResponse, FetchStatus

WARC_NAME = "responses.warc.gz"
INDEX_NAME = "responses.index.jsonl"
_VERSION = "1.1"
_DROPPED = ("transfer-encoding", "trailer", "content-encoding", "content-length")
"""Headers that no longer hold of the body as it is stored: joined, and decompressed."""


Whole = Annotated[int, Field(strict=True, ge=0, lt=2**63)]


class Place(BaseModel):
    """The position of a response in the WARC file: the byte offset and the length of its gzip member."""

    url: str
    http: Whole
    offset: Whole
    length: Whole


class WarcWriter:
    """A writer that appends HTTP responses to the WARC file of a corpus, in threads."""

    def __init__(self, corpus: Path, software: str) -> None:
        indexed = _indexed_bytes(corpus / INDEX_NAME)
        self._file = (corpus / WARC_NAME).open("ab")
        self._file.truncate(min(self._file.tell(), indexed))
        self._file.seek(0, os.SEEK_END)
        self._index = AppendLog(corpus / INDEX_NAME)
        self._warc = WARCWriter(self._file, gzip=True, warc_version=_VERSION)
        self._writing = Lock()
        if not self._file.tell():
            fields = {"software": software, "format": "WARC File Format 1.1", "conformsTo": "ISO 28500:2017"}
            self._warc.write_record(self._warc.create_warcinfo_record(WARC_NAME, fields))

    async def write(self, reply: FetchedResponse) -> None:
        """Append a response; it is on disk when this returns.

        Raises:
            OSError: writing fails.
        """
        await asyncio.to_thread(self._store, reply)

    def close(self) -> None:
        """Wait for writes in progress, and close the files."""
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


def _indexed_bytes(path: Path) -> int:
    """Return how many bytes of the WARC the index covers: the end of the last response.

    Raises:
        DeclarationError: a line of the index is broken; the message names it.
    """
    end = 0
    for number, line in whole_lines(path):
        try:
            place = Place.model_validate_json(line)
        except ValueError:
            raise DeclarationError(f"{path}:{number} is not a line of the index; remove it") from None
        end = place.offset + place.length
    return end
