"""A file of JSON lines that only grows, and survives being killed between any two bytes."""

from __future__ import annotations

import itertools
import json
import mmap
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from conqret.errors import DeclarationError
from conqret.io.closing import Closing
from conqret.io.limits import LINE


class AppendLog(Closing):
    """Appends a line a record, each handed to the system at once: a kill loses none that was written.

    A last line without its end, left by a kill in the middle of it, is cut off when the file is opened.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        cut_torn_line(path)
        self._file = path.open("ab", buffering=0)

    def append(self, record: BaseModel | Mapping[str, Any]) -> int:
        """Write one line, and return its length in bytes; ``OSError`` if the disk does not take it."""
        line = record.model_dump_json() if isinstance(record, BaseModel) else json.dumps(record)
        encoded = line.encode("utf-8", "replace") + b"\n"
        data = memoryview(encoded)
        try:
            while data:
                data = data[self._file.write(data) :]
        except OSError as error:
            error.filename = str(self.path)
            raise
        return len(encoded)

    def close(self) -> None:
        """Close the file once its bytes are on the disk."""
        if not self._file.closed:
            os.fsync(self._file.fileno())
            self._file.close()


def whole_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """The lines of a file with their numbers from 1, a last one without its end left out; none of no file."""
    if not path.exists():
        return
    most = LINE.most
    with path.open("rb") as file:
        for number in itertools.count(1):
            line = file.readline(most + 1)
            if len(line) > most:
                raise DeclarationError(f"{path}:{number} is longer than {LINE}: remove it, {LINE.remedy}")
            if not line.endswith(b"\n"):
                return
            yield number, line


def cut_torn_line(path: Path) -> None:
    """Cut off what follows the last line end of a file, if it is there and anything does."""
    if not path.is_file() or not path.stat().st_size:  # an empty file cannot be mapped
        return
    with path.open("r+b") as file:
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as view:
            end, size = view.rfind(b"\n") + 1, len(view)
        if end < size:
            file.truncate(end)
