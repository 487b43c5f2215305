"""Files that are read whole: never more of one than a limit allows, whoever wrote it."""

from __future__ import annotations

from pathlib import Path

from conqret.errors import DeclarationError
from conqret.io.limits import LIST, Limit
from conqret.io.regular import only_regular


def whole_bytes(path: str | Path, limit: Limit = LIST) -> bytes:
    """All of a file.

    Args:
        path: the file.
        limit: the most bytes that it may have.

    Raises:
        DeclarationError: it is larger, or a pipe or a device.
        OSError: it cannot be read.
    """
    with only_regular(Path(path)).open("rb") as file:
        data = file.read(limit.most + 1)
    if len(data) > limit.most:
        raise DeclarationError(
            f"{path} is larger than {limit}, and would be read whole: write or fetch it again, {limit.remedy}"
        )
    return data


def whole_text(path: str | Path, encoding: str = "utf-8", errors: str = "strict", limit: Limit = LIST) -> str:
    """All of a text file.

    Raises:
        DeclarationError: as :func:`whole_bytes`.
        UnicodeDecodeError: it is no text in this encoding.
        OSError: it cannot be read.
    """
    text = whole_bytes(path, limit).decode(encoding, errors)
    return text.replace("\r\n", "\n").replace("\r", "\n")
