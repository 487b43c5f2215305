"""Where the files of a suite lie: a folder that is named, what was fetched, or the folder of all data."""

from __future__ import annotations

import gzip
import hashlib
import os
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from conqret.data.digest import file_sha256
from conqret.errors import DeclarationError
from conqret.suites.suite import Suite, SuiteFile, copy_of

FETCHED = "CONQRET_SUITES"
"""The variable that names the folder into which suites are fetched."""
DATA = "CONQRET_DATA"
"""The variable that names a folder of data, with a folder a suite."""
MIRROR = "CONQRET_SUITES_MIRROR"
"""The variable with the address that stands in for GitHub's."""
RAW = "https://raw.githubusercontent.com"
PART = 2**20


def fetched_folder(suite: Suite) -> Path:
    """The folder into which this suite is fetched."""
    if named := os.environ.get(FETCHED, "").strip():
        return Path(named) / suite.name
    cache = os.environ.get("XDG_CACHE_HOME", "").strip()
    return (Path(cache) if cache else Path.home() / ".cache") / "conqret" / "suites" / suite.name


def address(file: SuiteFile, mirror: str | None = None) -> str:
    """Where a file is published, or where a mirror has it; empty where it cannot be fetched."""
    base = (mirror or os.environ.get(MIRROR, "").strip() or RAW).rstrip("/")
    if file.repository:
        return f"{base}/{file.repository}/{file.commit}/{file.path}"
    if file.url and base != RAW:
        return f"{base}/{file.url.partition('://')[2]}"
    return file.url


@dataclass(frozen=True, slots=True)
class SuiteCopy:
    """A suite's files on this machine; ``fetched`` says whether conqret fetched them, and so checked them."""

    suite: Suite
    folder: Path
    fetched: bool

    def digests(self) -> dict[str, str]:
        """The SHA-256 of each file that is there, of what a compressed one holds."""
        found = ((file.local, copy_of(self.folder, file.local)) for file in self.suite.files)
        return {name: content_sha256(place) for name, place in found if place is not None}

    def changed(self) -> Iterator[str]:
        """What is known of files that are not the published ones.

        Raises:
            DeclarationError: that is so of one that conqret fetched.
        """
        digests = self.digests()
        for file in self.suite.files:
            digest = digests.get(file.local)
            if digest is None or not file.sha256 or digest == file.sha256:
                continue
            if self.fetched:
                raise DeclarationError(
                    f"{self.folder / file.local} has changed since it was fetched (sha256 {digest[:12]}…, expected "
                    f"{file.sha256[:12]}…): run conqret suite fetch {self.suite.name} to fetch it again"
                )
            yield f"{file.local} is not the published file (sha256 {digest[:12]}…, published {file.sha256[:12]}…)"


def places(suite: Suite, source: Path | None = None) -> Iterator[tuple[Path, bool]]:
    """The folders in which a suite's files may lie, and whether conqret fetched them there."""
    name = suite.folder or suite.name
    if source is not None:
        yield from ((source / name, False), (source, False))
        return
    yield fetched_folder(suite), True
    if data := os.environ.get(DATA, "").strip():
        yield Path(data) / name, False


def local_copy(suite: Suite, source: str | Path | None = None) -> SuiteCopy | None:
    """The copy of a suite on this machine, in the folder ``source`` where one is named; None where there is none."""
    for folder, fetched in places(suite, None if source is None else Path(source)):
        here = [file for file in suite.files if copy_of(folder, file.local)]
        if here and all(file.optional or file in here for file in suite.files):
            return SuiteCopy(suite, folder, fetched)
    return None


def needed_copy(suite: Suite, source: str | Path | None = None) -> SuiteCopy:
    """The same.

    Raises:
        DeclarationError: there is none; it says which file from where is to be put where.
    """
    found = local_copy(suite, source)
    if found is not None:
        return found
    folder = fetched_folder(suite) if source is None else Path(source)
    lacking = [file for file in suite.files if not (file.optional or copy_of(folder, file.local))]
    wanted = "\n".join(f"  {where_to_put(folder, file)}" for file in lacking or suite.files)
    how = "" if source is not None else f" Give conqret suite fetch {suite.name}, or name a folder (--from)."
    raise DeclarationError(f"the files of {suite.name} are not in {folder}.{how} It needs:\n{wanted}")


def where_to_put(folder: Path, file: SuiteFile) -> str:
    """Which file from where is to be put where, in words."""
    source = address(file) or file.note or "its authors"
    digest = f" (sha256 {file.sha256})" if file.sha256 else ""
    return f"{folder / file.local} from {source}{digest}"


def content_sha256(path: Path) -> str:
    """The SHA-256 of what a file holds, unpacked where it ends in ``.gz``.

    Raises:
        DeclarationError: it is damaged, or cannot be read.
    """
    try:
        return unpacked_sha256(path) if path.suffix == ".gz" else file_sha256(path)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise DeclarationError(f"{path} is corrupt or was cut off: {error}; fetch or copy it again") from None
    except OSError as error:
        raise DeclarationError(f"{path} cannot be read: {error.strerror or error}") from None


def unpacked_sha256(path: Path) -> str:
    """The SHA-256 of what a compressed file holds. Raises what :mod:`gzip` raises of a damaged one."""
    with gzip.open(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
