"""Digests of plain data, texts and files, by which runs and indexes are identified; and the grouping of
pairs by key.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Hashable, Iterable
from pathlib import Path
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


def gathered(pairs: Iterable[tuple[Key, Value]]) -> dict[Key, list[Value]]:
    """Group pairs by key: return a dictionary from each key to the list of its values, both in input
    order."""
    groups: dict[Key, list[Value]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups


def digest_of(data: object) -> str:
    """Return the first 16 hexadecimal digits of the SHA-256 of ``data`` written as JSON.

    Raises:
        TypeError: the data is not plain.
    """
    return text_digest_of(json.dumps(data))


def text_digest_of(text: str) -> str:
    """Return the first 16 hexadecimal digits of the SHA-256 of a text in UTF-8 (lone surrogates are
    allowed)."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def file_digest_of(file: Path) -> str:
    """Return the first 16 hexadecimal digits of the SHA-256 of a file's bytes.

    Raises:
        OSError: the file cannot be read.
    """
    return file_sha256(file)[:16]


def file_sha256(file: Path) -> str:
    """Return the SHA-256 of a file's bytes as 64 hexadecimal digits.

    Raises:
        OSError: the file cannot be read.
    """
    with file.open("rb") as data:
        return hashlib.file_digest(data, "sha256").hexdigest()
