"""How much of an answer is taken: bytes on the wire, bytes after decompression, and the ratio of the two."""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator
from dataclasses import dataclass

from conqret.scrapers.fetch.fetched_page import FetchError, FetchStatus

MAX_BYTES = 16 * 2**20
"""Bytes on the wire (16 MiB): long reports as PDF have some 5 to 10 MB."""
MAX_DECODED = 32 * 2**20
"""Bytes after decompression (32 MiB)."""
MAX_RATIO = 200.0
"""Decompressed over compressed bytes: markup reaches 5 to 30, a bomb of zeros over 1,000."""
RATIO_FROM = 2**20
"""Bytes (1 MiB) below which the ratio does not matter: small repetitive pages do compress well."""
TOTAL_SECONDS = 60.0
"""For one request, from the connection to the last byte: what ends a slow drip."""
CONNECT_SECONDS = 10.0
READ_SECONDS = 20.0
"""Between two reads."""
MAX_MEMBERS = 1_000
"""Gzip members of one body; each costs time, and honest servers send one."""
_STEP = 2**18


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one answer; seconds and bytes."""

    max_bytes: int = MAX_BYTES
    max_decoded: int = MAX_DECODED
    max_ratio: float = MAX_RATIO
    total_seconds: float = TOTAL_SECONDS
    connect_seconds: float = CONNECT_SECONDS
    read_seconds: float = READ_SECONDS


class Decoder:
    """Undo a content encoding piece by piece, and stop as soon as a limit is passed.

    ``encoding`` is the header's value: nothing, ``identity``, ``gzip``, ``x-gzip`` or ``deflate`` (wrapped
    in zlib or bare); we ask for no other and for no two at once.
    """

    def __init__(self, encoding: str, limits: Limits) -> None:
        name = encoding.strip().lower()
        if name not in ("", "identity", "gzip", "x-gzip", "deflate"):
            raise FetchError(
                FetchStatus.UNPARSABLE, f"content encoding {name[:40]!r}, which was not asked for"
            )
        self._gzip, self._deflate = name in ("gzip", "x-gzip"), name == "deflate"
        self._limits = limits
        self._inflater: zlib._Decompress | None = zlib.decompressobj(31) if self._gzip else None
        self._taken = self._given = self._members = 0

    @property
    def plain(self) -> bool:
        """Whether there is nothing to undo."""
        return not (self._gzip or self._deflate)

    def feed(self, chunk: bytes) -> list[bytes]:
        """Return what ``chunk`` decodes to.

        Raises:
            FetchError: ``too-large`` beyond a limit, ``unparsable`` if the bytes are not of the encoding.
        """
        self._taken += len(chunk)
        if self.plain:
            self._given += len(chunk)
            self._check()
            return [chunk]
        if self._inflater is None:
            if not chunk:
                return []
            self._inflater = zlib.decompressobj(15 if chunk[0] & 0x0F == 8 else -15)
        try:
            return self._inflate(chunk)
        except zlib.error as error:
            raise FetchError(
                FetchStatus.UNPARSABLE, "the body is not compressed as its header says"
            ) from error

    def finish(self) -> None:
        """Check that the stream came to its end; raises ``error`` if it broke off."""
        if self._inflater is not None and not self._inflater.eof and self._taken:
            raise FetchError(FetchStatus.ERROR, "the compressed body breaks off", retryable=True)

    def _inflate(self, data: bytes) -> list[bytes]:
        pieces: list[bytes] = []
        full = False  # the last step filled its room, so more may be waiting inside the inflater
        while (data or full) and self._inflater is not None:
            if self._inflater.eof:
                if not self._gzip or not data.startswith(b"\x1f\x8b"):
                    break  # bytes after the end are padding, and ignored as browsers do
                self._members += 1
                if self._members >= MAX_MEMBERS:
                    raise FetchError(FetchStatus.TOO_LARGE, f"more than {MAX_MEMBERS:,} gzip members")
                self._inflater = zlib.decompressobj(31)
            piece = self._inflater.decompress(data, _STEP)
            data = self._inflater.unused_data if self._inflater.eof else self._inflater.unconsumed_tail
            self._given += len(piece)
            self._check()
            full = len(piece) == _STEP and not self._inflater.eof
            if piece:
                pieces.append(piece)
        return pieces

    def _check(self) -> None:
        limits = self._limits
        if self._given > limits.max_decoded:
            raise FetchError(
                FetchStatus.TOO_LARGE, f"more than {limits.max_decoded:,} bytes after decompression"
            )
        if self._given > max(RATIO_FROM, limits.max_ratio * self._taken) and not self.plain:
            raise FetchError(
                FetchStatus.TOO_LARGE, f"decompresses to over {limits.max_ratio:g} times its size"
            )


async def read(
    chunks: AsyncIterator[bytes], encoding: str, limits: Limits
) -> tuple[bytes, bytes, FetchError | None]:
    """Read a body within ``limits``.

    Returns the raw bytes (cut at the limit), the decoded ones, and the error that ended it, if one did.
    Exceptions of the transport pass through.
    """
    raw: list[bytes] = []
    decoded: list[bytes] = []
    size = 0
    try:
        decoder = Decoder(encoding, limits)
        async for chunk in chunks:
            size += len(chunk)
            raw.append(chunk)
            if size > limits.max_bytes:
                raise FetchError(FetchStatus.TOO_LARGE, f"more than {limits.max_bytes:,} bytes")
            decoded += decoder.feed(chunk)
        decoder.finish()
    except FetchError as error:
        return b"".join(raw)[: limits.max_bytes], b"", error
    whole = b"".join(raw)
    return whole, whole if decoder.plain else b"".join(decoded), None


def decode(raw: bytes, encoding: str, limits: Limits) -> bytes:
    """Decode a stored body; raises as :meth:`Decoder.feed` and :meth:`Decoder.finish` do."""
    decoder = Decoder(encoding, limits)
    pieces = decoder.feed(raw)
    decoder.finish()
    return raw if decoder.plain else b"".join(pieces)
