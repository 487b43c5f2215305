"""Writing a file so that it is there whole or not at all."""

from __future__ import annotations

import contextlib
import gzip
import os
import uuid
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO

PARTS = ".*.part"
"""The names of files that are being written; who is killed then leaves one behind."""


@contextlib.contextmanager
def replacing(path: str | Path) -> Iterator[IO[bytes]]:
    """Open a new file beside ``path`` for writing bytes; it takes the name at the end of the block. Its folder is made.

    If the block raises, nothing is left behind and an older ``path`` stays as it was.
    """
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f".{target.name[:80]}.{uuid.uuid4().hex[:8]}.part")
    try:
        with part.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def write_all(path: Path, lines: Iterable[bytes]) -> int:
    """Write lines with their ends into a file that is there whole or not at all; returns how many there are.

    A file that ends in ``.gz`` is compressed, without a time stamp, so that the same lines give the same bytes.
    """
    count = 0
    packed = path.suffix == ".gz"
    with (
        replacing(path) as file,
        gzip.GzipFile("", "wb", fileobj=file, mtime=0) if packed else contextlib.nullcontext(file) as target,
    ):
        for line in lines:
            target.write(line)
            count += 1
    return count


def write_whole(path: str | Path, content: bytes) -> None:
    """Write a file that is there whole or not at all."""
    with replacing(path) as file:
        file.write(content)


def write_files(files: Mapping[Path, bytes | str | Iterable[str]]) -> list[Path]:
    """Write files, whose folders are made where they are not there; each appears whole or not at all. Returns their
    places."""
    for path, content in files.items():
        with replacing(path) as file:
            for part in [content] if isinstance(content, (bytes, str)) else content:
                file.write(part if isinstance(part, bytes) else part.encode())
    return list(files)
