"""Files that are read whole: never more of one than a limit allows, whoever wrote it."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from conqret.errors import DeclarationError
from conqret.io.limits import FILE, Limit

PART = 2**20
"""Bytes that are read at a time: for as many as are wanted, Python makes the room before it reads."""


def whole_bytes(path: str | Path, limit: Limit = FILE) -> bytes:
    """All of a file.

    Args:
        path: the file.
        limit: the most bytes that it may have.

    Raises:
        DeclarationError: it is larger.
        OSError: it cannot be read.
    """
    most, parts, size = limit.most, list[bytes](), 0
    with Path(path).open("rb") as file:
        while size <= most and (part := file.read(min(PART, most + 1 - size))):
            parts.append(part)
            size += len(part)
    if size > most:
        raise DeclarationError(
            f"{path} is larger than {limit}, the most that is read at once: write or fetch it again, {limit.remedy}"
        )
    return b"".join(parts)


def whole_text(path: str | Path, encoding: str = "utf-8", errors: str = "strict") -> str:
    """All of a text file.

    Raises:
        DeclarationError: as :func:`whole_bytes`.
        UnicodeDecodeError: it is no text in this encoding.
        OSError: it cannot be read.
    """
    text = whole_bytes(path).decode(encoding, errors)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def declared_text(path: Path) -> str:
    """The text of a file that somebody named.

    Raises:
        DeclarationError: it is not there, too large, not UTF-8, or cannot be read.
    """
    try:
        return whole_text(path)
    except FileNotFoundError:
        raise DeclarationError(f"{path}: there is no such file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise DeclarationError(f"{path} cannot be read: {error}") from None


M = TypeVar("M", bound=BaseModel)


def read_written(file: Path, model: type[M], command: str, what: str = "") -> M:
    """What ``command`` wrote into ``file``; ``what`` it then is, in words.

    Raises:
        DeclarationError: it is not there, or holds something else.
    """
    try:
        return model.model_validate_json(whole_bytes(file))
    except FileNotFoundError:
        raise DeclarationError(f"{file} does not exist: run {command} with -o {file.parent} first") from None
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        fault = f"{where}: {first['msg']}" if where else first["msg"]
        raise DeclarationError(
            f"{file} is {what or f'not in the format that {command} writes'} ({fault}): make it again with {command}"
        ) from error
