"""What tells one model's folder from another's: a digest of its files, the same for a copy under another name."""

from __future__ import annotations

import hashlib
from pathlib import Path

SAMPLES, SAMPLE_BYTES = 64, 16_384
"""Places of each file that are read for a folder's digest: 1 MiB, spread evenly, whatever the size of the weights."""

_FILES = frozenset({".safetensors", ".bin", ".json", ".model", ".txt", ".jinja"})


def folder_identity(folder: Path) -> str:
    """sha256 (hex) over names, sizes and samples of all files of weights, settings and tokenizer below ``folder``."""
    digest = hashlib.sha256()
    files = [path for path in folder.rglob("*") if path.suffix in _FILES and path.is_file()]
    for file in sorted(files, key=lambda path: path.relative_to(folder).as_posix()):
        size = file.stat().st_size
        digest.update(f"{file.relative_to(folder).as_posix()}\0{size}\0".encode())
        with file.open("rb") as opened:
            if size <= SAMPLES * SAMPLE_BYTES:
                digest.update(opened.read())
                continue
            for place in range(SAMPLES):
                opened.seek(place * (size - SAMPLE_BYTES) // (SAMPLES - 1))
                digest.update(opened.read(SAMPLE_BYTES))
    return digest.hexdigest()
