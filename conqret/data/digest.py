"""The digest of plain data, by which runs and indexes are known again."""

from __future__ import annotations

import hashlib
import json


def digest_of(data: object) -> str:
    """The first 16 hexadecimal digits of the SHA-256 of plain data as JSON; half a surrogate pair is escaped there."""
    return hashlib.sha256(json.dumps(data).encode()).hexdigest()[:16]
