"""The digest of plain data, by which runs and indexes are known again."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path


def digest_of(data: object) -> str:
    """The first 16 hexadecimal digits of the SHA-256 of plain data as JSON; half a surrogate pair is escaped there."""
    return hashlib.sha256(json.dumps(data).encode()).hexdigest()[:16]


def file_digest_of(file: Path) -> str:
    """The same of a file's bytes. Raises OSError where it cannot be read."""
    with file.open("rb") as data:
        return hashlib.file_digest(data, "sha256").hexdigest()[:16]
