"""The files of a suite on this machine, and how they are fetched from their publishers: checked, and
complete or not at all.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import shutil
import ssl
import time
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import certifi
import httpx

from conqret.data.digest import file_sha256
from conqret.errors import DeclarationError
from conqret.io.limits import UNPACKED
from conqret.io.safe_files import only_writer, replacing
from conqret.suites.suite import SUITES, Suite, SuiteFile
from conqret.suites.suite_files import copy_of

FETCHED = "CONQRET_SUITES"
"""The environment variable with the folder into which suites are fetched."""
DATA = "CONQRET_DATA"
"""The environment variable with a folder of data, which has a folder for each suite."""
MIRROR = "CONQRET_SUITES_MIRROR"
"""The environment variable with the URL that replaces GitHub's."""
RAW = "https://raw.githubusercontent.com"
PART = 2**20


def fetched_folder(suite: Suite) -> Path:
    """Return the folder into which this suite is fetched: below ``CONQRET_SUITES``, else in the user's
    cache (``~/.cache/conqret/suites``); it need not exist.
    """
    if named := os.environ.get(FETCHED, "").strip():
        return Path(named) / suite.name
    cache = os.environ.get("XDG_CACHE_HOME", "").strip()
    return (Path(cache) if cache else Path.home() / ".cache") / "conqret" / "suites" / suite.name


def address(file: SuiteFile, mirror: str | None = None) -> str:
    """Return the URL of a file at its publisher or at a mirror; empty if it cannot be fetched."""
    base = (mirror or os.environ.get(MIRROR, "").strip() or RAW).rstrip("/")
    if file.repository:
        return f"{base}/{file.repository}/{file.commit}/{file.path}"
    if file.url and base != RAW:
        return f"{base}/{file.url.partition('://')[2]}"
    return file.url


@dataclass(frozen=True, slots=True)
class SuiteCopy:
    """A suite's files on this machine; ``fetched`` is True if conqret fetched and checked them."""

    suite: Suite
    folder: Path
    fetched: bool

    def digests(self) -> dict[str, str]:
        """Return the SHA-256 digest of each file that exists; compressed files count by their content."""
        found = ((file.local, copy_of(self.folder, file.local)) for file in self.suite.files)
        return {name: content_sha256(place) for name, place in found if place is not None}

    def changed(self) -> Iterator[str]:
        """Yield a message for each file that differs from the published one.

        Raises:
            DeclarationError: a file that conqret fetched has changed.
        """
        digests = self.digests()
        for file in self.suite.files:
            digest = digests.get(file.local)
            if digest is None or not file.sha256 or digest == file.sha256:
                continue
            if self.fetched:
                raise DeclarationError(
                    f"{self.folder / file.local} has changed since it was fetched (sha256 {digest[:12]}…, expected "
                    f"{file.sha256[:12]}…): run conqret judges suites {self.suite.name} --fetch to fetch it again"
                )
            yield f"{file.local} is not the published file (sha256 {digest[:12]}…, published {file.sha256[:12]}…)"


def places(suite: Suite, source: Path | None = None) -> Iterator[tuple[Path, bool]]:
    """Yield the folders that may hold a suite's files, each with True if conqret fetches files there."""
    name = suite.folder or suite.name
    if source is not None:
        yield from ((source / name, False), (source, False))
        return
    yield fetched_folder(suite), True
    if data := os.environ.get(DATA, "").strip():
        yield Path(data) / name, False


def local_copy(suite: Suite, source: str | Path | None = None) -> SuiteCopy | None:
    """Return the copy of a suite on this machine, or in the folder ``source``; None if there is none."""
    for folder, fetched in places(suite, None if source is None else Path(source)):
        here = [file for file in suite.files if copy_of(folder, file.local)]
        if here and all(file.optional or file in here for file in suite.files):
            return SuiteCopy(suite, folder, fetched)
    return None


def needed_copy(suite: Suite, source: str | Path | None = None) -> SuiteCopy:
    """Return the copy of a suite on this machine, or in the folder ``source``.

    Raises:
        DeclarationError: there is no copy; the message lists the files, their sources and where to put
            them.
    """
    found = local_copy(suite, source)
    if found is not None:
        return found
    folder = fetched_folder(suite) if source is None else Path(source)
    lacking = [file for file in suite.files if not (file.optional or copy_of(folder, file.local))]
    wanted = "\n".join(f"  {where_to_put(folder, file)}" for file in lacking or suite.files)
    how = (
        ""
        if source is not None
        else f" Give conqret judges suites {suite.name} --fetch, or name a folder (--from)."
    )
    raise DeclarationError(f"the files of {suite.name} are not in {folder}.{how} It needs:\n{wanted}")


def where_to_put(folder: Path, file: SuiteFile) -> str:
    """Return a sentence on where to put a file and where to get it."""
    source = address(file) or file.note or "its authors"
    digest = f" (sha256 {file.sha256})" if file.sha256 else ""
    return f"{folder / file.local} from {source}{digest}"


def content_sha256(path: Path, *, packed: bool | None = None) -> str:
    """Return the SHA-256 digest of a file's content.

    Args:
        path: the file.
        packed: True to unpack it first; by default if its name ends in ``.gz``.

    Raises:
        DeclarationError: the file is corrupt or cannot be read.
    """
    try:
        if not (path.suffix == ".gz" if packed is None else packed):
            return file_sha256(path)
        with gzip.open(path) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise DeclarationError(f"{path} is corrupt or was cut off: {error}; fetch or copy it again") from None
    except OSError as error:
        raise DeclarationError(f"{path} cannot be read: {error.strerror or error}") from None


ATTEMPTS = 3
"""The most connections that are tried for a file."""
PAUSE = 0.2
"""The unit, in seconds, of the growing pauses between attempts (0.6 and 3 seconds)."""
SILENCE = 60.0
"""Seconds without a byte after which a connection is given up."""

OnBytes = Callable[[str, int, int | None], None]
"""Takes a file's name, its bytes so far, and its bytes in all (None: unknown)."""


@dataclass(frozen=True, slots=True)
class FetchedSuite:
    """The result of fetching a suite: its copy, the files fetched now, and those that were already there."""

    copy: SuiteCopy
    fetched: tuple[str, ...]
    kept: tuple[str, ...]


def to_fetch(suite: Suite) -> tuple[list[SuiteFile], list[SuiteFile]]:
    """Return a suite's files that are missing or changed in its folder, and those that are already there
    unchanged.
    """
    folder, lacking, here = fetched_folder(suite), list[SuiteFile](), list[SuiteFile]()
    for file in suite.files:
        (here if _sound(folder, file) else lacking).append(file)
    return lacking, here


def fetch_suite(
    suite: str | Suite,
    *,
    source: str | Path | None = None,
    mirror: str | None = None,
    on_bytes: OnBytes = lambda name, done, total: None,
) -> FetchedSuite:
    """Fetch a suite's files and check their digests, sizes, layout and counts.

    Args:
        suite: the suite or its name.
        source: a folder to copy the files from instead.
        mirror: a URL that replaces that of GitHub, with the same paths below it.
        on_bytes: called with each file's name, bytes done and total bytes.

    Returns:
        The copy, and which files were fetched.

    Raises:
        UnknownNameError: there is no such suite.
        DeclarationError: a file cannot be fetched, or differs from the published one. No incomplete
            file remains.
    """
    declared = SUITES.resolve(suite)
    folder = fetched_folder(declared)
    lacking, here = to_fetch(declared)
    unknown = [file for file in lacking if not (file.published or file.optional)]
    if not here and not any(file.published for file in lacking):
        unknown = lacking  # of files that are all optional, one at least
    if unknown and source is None:
        wanted = "\n".join(f"  {where_to_put(folder, file)}" for file in unknown)
        raise DeclarationError(
            f"{declared.name} has files that no command can fetch: give the folder that contains them (--from), "
            f"or put them in place:\n{wanted}"
        )
    with only_writer(folder, "wait for it"):
        if source is not None:
            wanted_files = [file for file in lacking if not file.optional]
            given = needed_copy(declared, source).folder if wanted_files else Path(source)
            for file in lacking:
                _copy(folder, given, file)
        else:
            published = [file for file in lacking if file.published]
            if published:
                _fetched(folder, published, mirror, on_bytes)
    copy = SuiteCopy(declared, folder, fetched=True)
    for remark in copy.changed():  # raises where a file is not the published one
        raise DeclarationError(remark)
    try:
        lost = declared.lacking(declared.data(folder))
        if lost and source is None:
            raise DeclarationError(
                f"{folder} lacks {', '.join(lost)} of {declared.name}, because the published files have changed; use a "
                "copy of the original state (--from)"
            )
    except DeclarationError:
        # nothing else tells that they are not the published ones: the next call fetches them
        for file in declared.files:
            if file.published and not file.sha256 and (place := copy_of(folder, file.local)) is not None:
                place.unlink(missing_ok=True)
        raise
    return FetchedSuite(copy, tuple(file.local for file in lacking), tuple(file.local for file in here))


def _sound(folder: Path, file: SuiteFile) -> bool:
    place = copy_of(folder, file.local)
    if place is None:
        return False
    try:
        return not file.sha256 or content_sha256(place) == file.sha256
    except DeclarationError:  # corrupt: it is fetched again
        return False


def _copy(folder: Path, source: Path, file: SuiteFile) -> None:
    """Copy a file from a folder that the user named into ``folder``, packed if it is packed there. Nothing happens if
    the folder lacks the file; a file without a known digest is copied unchecked.

    Raises:
        DeclarationError: it is not the published file.
    """
    place = copy_of(source, file.local)
    if place is None:
        return
    digest = content_sha256(place)
    if file.sha256 and digest != file.sha256:
        raise DeclarationError(
            f"{place} is not the published file: its sha256 is {digest}, expected {file.sha256}; run it from there "
            "all the same with conqret judges test --from"
        )
    target = folder / (
        file.local + (".gz" if place.name.endswith(".gz") and not file.local.endswith(".gz") else "")
    )
    target.parent.mkdir(parents=True, exist_ok=True)
    with place.open("rb") as data, replacing(target) as written:
        shutil.copyfileobj(data, written, PART)


def _fetched(folder: Path, files: list[SuiteFile], mirror: str | None, on_bytes: OnBytes) -> None:
    trusted = ssl.create_default_context(cafile=certifi.where())
    timeout = httpx.Timeout(SILENCE, connect=30)
    with httpx.Client(verify=trusted, timeout=timeout, follow_redirects=True) as client:
        for file in files:
            _fetch(client, address(file, mirror), file, folder / file.local, on_bytes)


def _fetch(client: httpx.Client, url: str, file: SuiteFile, target: Path, on_bytes: OnBytes) -> None:
    """Download a file to ``target``, which appears only when it is whole and checked. After errors of the network it is
    tried again, :data:`ATTEMPTS` times in all with growing pauses.

    Raises:
        DeclarationError: it cannot be fetched, or is not the published file.
    """
    why = ""
    for attempt in range(ATTEMPTS):
        time.sleep(PAUSE * (4**attempt - 1))
        try:
            with replacing(target) as written:
                _download(client, url, file, written, on_bytes)
                written.flush()
                _check(file, Path(written.name), target)
            return
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            why = " ".join(str(error).split())[:200] or type(error).__name__
    put = f"put\n  {where_to_put(target.parent, file)}"
    raise DeclarationError(f"{url} cannot be fetched: {why}. Run the command again, or {put}")


def _download(client: httpx.Client, url: str, file: SuiteFile, target: IO[bytes], on_bytes: OnBytes) -> None:
    """Write what one request brings.

    Raises:
        DeclarationError: it is not there, or larger than it may be.
        HTTPError: it cannot be had now, or broke off.
    """
    most = UNPACKED.most if file.size is None else file.size
    with client.stream("GET", url, headers={"Accept-Encoding": "identity"}) as response:
        status = response.status_code
        if status == 429 or status >= 500:
            raise httpx.HTTPError(f"HTTP {status}")
        if status != 200:
            where = where_to_put(Path(target.name).parent, file)
            raise DeclarationError(f"{url} does not exist (HTTP {status}): put\n  {where}")
        length = response.headers.get("Content-Length", "")
        total = int(length) if length.isascii() and length.isdigit() else file.size
        done = 0
        for part in response.iter_raw():
            done += len(part)
            if done > most:
                remedy = "" if file.size is not None else f", {UNPACKED.remedy}"
                raise DeclarationError(
                    f"{url} is larger than {most:,} bytes: it is not the published file{remedy}"
                )
            target.write(part)
            on_bytes(file.local, done, total)


def _check(file: SuiteFile, arrived: Path, target: Path) -> None:
    """Raise DeclarationError where what came is not the published file."""
    digest, size = content_sha256(arrived, packed=target.suffix == ".gz"), arrived.stat().st_size
    if digest != (file.sha256 or digest) or size != (file.size or size):
        expected = "" if file.size is None else f"{file.size:,} bytes, "
        raise DeclarationError(
            f"the download of {target} is not the published file ({size:,} bytes, sha256 {digest}; expected "
            f"{expected}sha256 {file.sha256}): it was not kept. If the file has changed upstream, use a copy of the "
            "original state (--from)"
        )
