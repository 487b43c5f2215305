"""The files of a suite on this machine, and how they are fetched from their publishers: complete or not at all."""

from __future__ import annotations

import gzip
import hashlib
import os
import ssl
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import certifi
import httpx

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


def fetched_folder(suite: Suite) -> Path:
    """Return the folder into which this suite is fetched: below ``CONQRET_SUITES``, else in the user's
    cache (``~/.cache/conqret/suites``); it need not exist.
    """
    if named := os.environ.get(FETCHED, "").strip():
        return Path(named) / suite.name
    cache = os.environ.get("XDG_CACHE_HOME", "").strip()
    return (Path(cache) if cache else Path.home() / ".cache") / "conqret" / "suites" / suite.name


def address(file: SuiteFile) -> str:
    """Return the URL of a file at its publisher or at a mirror; empty if it cannot be fetched."""
    base = (os.environ.get(MIRROR, "").strip() or RAW).rstrip("/")
    return f"{base}/{file.repository}/{file.commit}/{file.path}" if file.published else ""


def digests(suite: Suite, folder: Path) -> dict[str, str]:
    """Return the SHA-256 digest of each file of a suite in ``folder``; compressed files count by their content."""
    found = {}
    for file in suite.files:
        if (place := copy_of(folder, file.local)) is not None:
            with gzip.open(place) if place.suffix == ".gz" else place.open("rb") as data:
                found[file.local] = hashlib.file_digest(data, "sha256").hexdigest()
    return found


def places(suite: Suite, source: str | Path | None = None) -> Iterator[Path]:
    """Yield the folders that may hold a suite's files, the first choice first: the suite's folder in
    ``source``, then ``source`` itself; by default the folder of fetched files, then the suite's folder in
    that of the environment variable ``CONQRET_DATA``."""
    name = suite.folder or suite.name
    if source is not None:
        yield from (Path(source) / name, Path(source))
        return
    yield fetched_folder(suite)
    if data := os.environ.get(DATA, "").strip():
        yield Path(data) / name


def local_copy(suite: Suite, source: str | Path | None = None) -> Path | None:
    """Return the folder with the files of a suite on this machine, or in the folder ``source``; None if there is
    none."""
    for folder in places(suite, source):
        here = [file for file in suite.files if copy_of(folder, file.local)]
        if here and all(file.optional or file in here for file in suite.files):
            return folder
    return None


def needed_copy(suite: Suite, source: str | Path | None = None) -> Path:
    """Return the folder with the files of a suite on this machine, or in the folder ``source``.

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
    how = f" Give conqret judges suites {suite.name} --fetch, or name a folder (--from)." * (source is None)
    raise DeclarationError(f"the files of {suite.name} are not in {folder}.{how} It needs:\n{wanted}")


def where_to_put(folder: Path, file: SuiteFile) -> str:
    """Return a sentence on where to put a file and where to get it."""
    return f"{folder / file.local} from {address(file) or file.note or 'its authors'}"


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
    """The result of fetching a suite: its folder, the files fetched now, and those that were already there."""

    folder: Path
    fetched: tuple[str, ...]
    kept: tuple[str, ...]


def to_fetch(suite: Suite) -> tuple[list[SuiteFile], list[SuiteFile]]:
    """Return a suite's files that are missing in its folder, and those that are already there."""
    folder, lacking, here = fetched_folder(suite), list[SuiteFile](), list[SuiteFile]()
    for file in suite.files:
        (lacking if copy_of(folder, file.local) is None else here).append(file)
    return lacking, here


def fetch_suite(suite: str | Suite, *, on_bytes: OnBytes = lambda name, done, total: None) -> FetchedSuite:
    """Fetch a suite's files and check their layout and counts.

    Args:
        suite: the suite or its name.
        on_bytes: called with each file's name, bytes done and total bytes.

    Returns:
        The folder, and which files were fetched.

    Raises:
        UnknownNameError: there is no such suite.
        DeclarationError: a file cannot be fetched, or has another layout or other counts. No incomplete file
            remains; where layout or counts differ, all files that can be fetched are deleted.
    """
    declared = SUITES.resolve(suite)
    folder = fetched_folder(declared)
    lacking, here = to_fetch(declared)
    unknown = [file for file in lacking if not (file.published or file.optional)]
    if not here and not any(file.published for file in lacking):
        unknown = lacking  # of files that are all optional, one at least
    if unknown:
        wanted = "\n".join(f"  {where_to_put(folder, file)}" for file in unknown)
        raise DeclarationError(
            f"{declared.name} has files that no command can fetch: put them in place, or name their folder (--from) "
            f"where the suite is used:\n{wanted}"
        )
    fetched = [file for file in lacking if file.published]
    trusted = ssl.create_default_context(cafile=certifi.where())
    timeout = httpx.Timeout(SILENCE, connect=30)
    with (
        only_writer(folder, "wait for it"),
        httpx.Client(verify=trusted, timeout=timeout, follow_redirects=True) as client,
    ):
        for file in fetched:
            _fetch(client, file, folder / file.local, on_bytes)
    try:
        if lost := declared.lacking(declared.data(folder)):
            raise DeclarationError(
                f"{folder} lacks {', '.join(lost)} of {declared.name}, because the published files have changed; use a "
                "copy of the original state (--from)"
            )
    except DeclarationError:
        # nothing else tells that they are not the published ones: the next call fetches them
        for file in declared.files:
            if file.published and (place := copy_of(folder, file.local)) is not None:
                place.unlink(missing_ok=True)
        raise
    return FetchedSuite(folder, tuple(file.local for file in fetched), tuple(file.local for file in here))


def _fetch(client: httpx.Client, file: SuiteFile, target: Path, on_bytes: OnBytes) -> None:
    """Download a file to ``target``, which appears only when it is whole. After errors of the network it is tried
    again, :data:`ATTEMPTS` times in all with growing pauses.

    Raises:
        DeclarationError: it cannot be fetched.
    """
    url, why = address(file), ""
    for attempt in range(ATTEMPTS):
        time.sleep(PAUSE * (4**attempt - 1))
        try:
            with replacing(target) as written:
                _download(client, url, file, written, on_bytes)
            return
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            why = " ".join(str(error).split())[:200] or type(error).__name__
    put = f"put\n  {where_to_put(target.parent, file)}"
    raise DeclarationError(f"{url} cannot be fetched: {why}. Run the command again, or {put}")


def _download(client: httpx.Client, url: str, file: SuiteFile, target: IO[bytes], on_bytes: OnBytes) -> None:
    """Request a file once, and write its bytes to ``target``; ``on_bytes`` is called after each part.

    Raises:
        DeclarationError: the file does not exist, or is larger than a file may be.
        HTTPError: the server or the network failed, so another attempt may succeed.
    """
    with client.stream("GET", url, headers={"Accept-Encoding": "identity"}) as response:
        status = response.status_code
        if status == 429 or status >= 500:
            raise httpx.HTTPError(f"HTTP {status}")
        if status != 200:
            where = where_to_put(Path(target.name).parent, file)
            raise DeclarationError(f"{url} does not exist (HTTP {status}): put\n  {where}")
        length = response.headers.get("Content-Length", "")
        total = int(length) if length.isascii() and length.isdigit() else None
        done = 0
        for part in response.iter_raw():
            done += len(part)
            if done > UNPACKED.most:
                raise DeclarationError(
                    f"{url} is larger than {UNPACKED.most:,} bytes: it is not the published file, {UNPACKED.remedy}"
                )
            target.write(part)
            on_bytes(file.local, done, total)
