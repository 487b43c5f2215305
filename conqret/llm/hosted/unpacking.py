"""An answer's body ends where it grows too long: its bytes are counted as they come, and as they are unpacked.

A megabyte of gzip can hold a gigabyte, so it is unpacked here, a bounded piece at a time.
"""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterable, AsyncIterator

from conqret.io.limits import ANSWER

ACCEPTED = "gzip, deflate"
"""How an answer may be packed."""

_PIECE = 2**20
_WINDOWS = {"gzip": 16 + zlib.MAX_WBITS, "x-gzip": 16 + zlib.MAX_WBITS, "deflate": zlib.MAX_WBITS}


class TooLongError(Exception):
    """The body is longer than the limit, or packed in a way that was not asked for."""


def packing(header: str | None) -> str:
    """How a body is packed, by its Content-Encoding; empty for not at all.

    Raises:
        TooLongError: as nobody asked for.
    """
    packed = (header or "").strip().lower().replace("identity", "")
    if packed and packed not in _WINDOWS:
        raise TooLongError(f"the response is compressed as {packed[:40]!r}, which conqret did not request")
    return packed


async def unpacked(chunks: AsyncIterable[bytes], packed: str) -> AsyncIterator[bytes]:
    """The body in pieces, unpacked.

    Raises:
        TooLongError: it is longer than the limit, or not packed as it says.
    """
    unpacker = zlib.decompressobj(_WINDOWS[packed]) if packed else None
    left = ANSWER.most
    async for chunk in chunks:
        rest = chunk
        while rest:
            piece = rest
            if unpacker is not None:
                try:
                    piece = unpacker.decompress(rest, _PIECE)
                except zlib.error as error:
                    raise TooLongError(f"the response is declared as {packed}, but is not") from error
            left -= len(piece)
            if left < 0:
                raise TooLongError(f"the response is longer than {ANSWER}")
            yield piece
            rest = unpacker.unconsumed_tail if unpacker is not None else b""
