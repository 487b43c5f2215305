"""Zip archives from outside, also those whose files are compressed with Zstandard, as inspect_ai writes its logs."""

from __future__ import annotations

import sys

from conqret.io.limits import LINE

if sys.version_info >= (3, 14):
    import zipfile
else:
    from backports.zstd import zipfile

ZipFile, BadZipFile = zipfile.ZipFile, zipfile.BadZipFile


def zip_member(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    """Return the content of one file in a zip archive.

    Raises:
        ValueError: it is larger than a line may be, whatever size the archive says it has.
        OSError, RuntimeError, EOFError, BadZipFile, zlib.error: it cannot be read.
    """
    with archive.open(entry) as file:
        content = file.read(LINE.most + 1)
    if max(len(content), entry.file_size) > LINE.most:
        raise ValueError(f"{entry.filename} is larger than {LINE}: {LINE.remedy.removeprefix('or ')}")
    return content
