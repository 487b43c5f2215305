"""Rows that were scored already: a file to which each is appended as it comes, so that a stopped run goes on."""

from __future__ import annotations

import hashlib
import json
import struct
from pathlib import Path
from types import TracebackType
from typing import Self

from conqret.errors import DeclarationError
from conqret.io.append import AppendLog, whole_lines
from conqret.perplexity.definitions import TargetScore

_FIELDS = ("perplexity", "log_likelihood", "tokens", "context_tokens", "truncated", "reason")
_PACKED = struct.Struct("<ddIII")
"""All fields but the reason, which a scored row has none of: with its key a row takes some 200 bytes."""


class RowStore:
    """Scores by what they are scores of; a last line that was cut off by a kill is scored again.

    ``fingerprint`` names model and settings: rows under another are of no use and stay where they are. Rows that
    failed are kept in the file and tried again.

    Raises:
        DeclarationError: the file holds something else.
    """

    def __init__(self, path: Path, fingerprint: str) -> None:
        self._path, self._fingerprint = path, fingerprint
        self._known: dict[bytes, bytes] = {}
        path.parent.mkdir(parents=True, exist_ok=True)
        self._read()
        self._log = AppendLog(path)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __len__(self) -> int:
        return len(self._known)

    def find(self, answer: str | None, target: str, context: int, number: int) -> TargetScore | None:
        """The row's score from before, under its present numbers."""
        found = self._known.get(self._key(answer, target))
        return None if found is None else TargetScore(context, number, *_PACKED.unpack(found))

    def add(self, answer: str | None, target: str, score: TargetScore) -> None:
        """Append a row, and see it written."""
        key = self._key(answer, target)
        values = tuple(getattr(score, name) for name in _FIELDS)
        if score.perplexity is not None:
            self._known[key] = _PACKED.pack(*values[:-1])
        fields = dict(zip(_FIELDS, values, strict=True))
        self._log.append({"key": key.hex(), "by": self._fingerprint, **fields})

    def close(self) -> None:
        """Close the file."""
        self._log.close()

    def _key(self, answer: str | None, target: str) -> bytes:
        text = json.dumps([self._fingerprint, answer, target])
        return hashlib.sha256(text.encode()).digest()[:16]

    def _read(self) -> None:
        """Take in the whole lines."""
        for number, line in whole_lines(self._path):
            try:
                record = json.loads(line)
                values = tuple(record[name] for name in _FIELDS)
                key = bytes.fromhex(record["key"])
                if values[0] is not None and record["by"] == self._fingerprint:
                    self._known[key] = _PACKED.pack(*values[:-1])
            except (ValueError, KeyError, TypeError, struct.error):
                raise DeclarationError(
                    f"{self._path}:{number} is no scored row; give another --output, or delete this file"
                ) from None
