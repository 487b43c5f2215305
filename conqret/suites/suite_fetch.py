"""Fetch the files of a suite from where they are published: resumed where they were cut off, checked, and put in their
places whole or not at all."""

from __future__ import annotations

import shutil
import ssl
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from conqret.data.digest import file_sha256
from conqret.errors import DeclarationError
from conqret.io.limits import UNPACKED
from conqret.io.safe_files import only_writer, replacing
from conqret.suites.suite import SUITES, Suite, SuiteFile, copy_of
from conqret.suites.suite_places import (
    PART,
    SuiteCopy,
    address,
    content_sha256,
    fetched_folder,
    needed_copy,
    unpacked_sha256,
    where_to_put,
)

if TYPE_CHECKING:
    import httpx

ATTEMPTS = 3
"""Connections that are tried for a file; each goes on where the last one broke off."""
SILENCE = 60.0
"""Seconds without a byte after which a connection is given up."""
UNFINISHED = ".part"

OnBytes = Callable[[str, int, int | None], None]
"""Gets a file's name, how many of its bytes there are, and how many there will be."""


@dataclass(frozen=True, slots=True)
class FetchedSuite:
    """A suite that is here: its copy, which files were fetched now, and which were there already."""

    copy: SuiteCopy
    fetched: tuple[str, ...]
    kept: tuple[str, ...]


def to_fetch(suite: Suite) -> tuple[list[SuiteFile], list[SuiteFile]]:
    """The files of a suite that are still to be fetched, and those that are here, as they were published."""
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
    """Fetch a suite's files, and check them: digest, size, layout and counts.

    Args:
        suite: its name, or the suite.
        source: a folder with the files, which are copied instead.
        mirror: the address that stands in for GitHub's, with the same paths below it.
        on_bytes: told of each file's progress.

    Raises:
        UnknownNameError: there is no such suite.
        DeclarationError: a file cannot be fetched, or is not the published one. Nothing half written is left in its
            place; what was cut off goes on with the next call where its digest is known and the server can, else anew.
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
    except DeclarationError:  # damaged: it is fetched again
        return False


def _copy(folder: Path, source: Path, file: SuiteFile) -> None:
    """Copy a file from a folder that somebody named; DeclarationError where it is not the published one."""
    place = copy_of(source, file.local)
    if place is None:
        return
    digest = content_sha256(place)
    if file.sha256 and digest != file.sha256:
        raise DeclarationError(
            f"{place} is not the published file: its sha256 is {digest}, expected {file.sha256}; run it from there "
            "all the same with conqret suite run --from"
        )
    target = folder / (
        file.local + (".gz" if place.name.endswith(".gz") and not file.local.endswith(".gz") else "")
    )
    target.parent.mkdir(parents=True, exist_ok=True)
    with place.open("rb") as data, replacing(target) as written:
        shutil.copyfileobj(data, written, PART)


def _fetched(folder: Path, files: list[SuiteFile], mirror: str | None, on_bytes: OnBytes) -> None:
    import certifi
    import httpx

    trusted = ssl.create_default_context(cafile=certifi.where())
    with httpx.Client(
        verify=trusted, timeout=httpx.Timeout(SILENCE, connect=30), follow_redirects=True
    ) as client:
        for file in files:
            target = folder / file.local
            target.parent.mkdir(parents=True, exist_ok=True)
            unfinished = target.with_name(target.name + UNFINISHED)
            _fetch(client, address(file, mirror), file, unfinished, on_bytes)
            _check(file, unfinished, target)
            unfinished.replace(target)


def _fetch(client: httpx.Client, url: str, file: SuiteFile, unfinished: Path, on_bytes: OnBytes) -> None:
    """Bring a file's bytes into ``unfinished``, in several connections if need be."""
    import httpx

    why = ""
    for attempt in range(ATTEMPTS):
        if not file.sha256:  # nothing says that the parts of two connections belong together
            unfinished.unlink(missing_ok=True)
        time.sleep(0.2 * (4**attempt - 1))
        try:
            if _connection(client, url, file, unfinished, on_bytes):
                return
            why = "the connection broke off"
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            why = " ".join(str(error).split())[:200] or type(error).__name__
    arrived = unfinished.stat().st_size if file.sha256 and unfinished.exists() else 0
    again = (
        f"it goes on after the {arrived:,} bytes that arrived, if the server can"
        if arrived
        else "it begins anew"
    )
    raise DeclarationError(
        f"{url} cannot be fetched: {why}. Run the command again ({again}), or put\n"
        f"  {where_to_put(unfinished.parent, file)}"
    )


def _connection(client: httpx.Client, url: str, file: SuiteFile, unfinished: Path, on_bytes: OnBytes) -> bool:
    """One request; whether all of the file is there then.

    Raises:
        DeclarationError: it is not there, or larger than it may be.
    """
    import httpx

    most = UNPACKED.most if file.size is None else file.size
    done = unfinished.stat().st_size if unfinished.exists() else 0
    if file.size is not None and done >= file.size:
        if done == file.size:
            return True
        unfinished.unlink()
        done = 0
    headers = {"Accept-Encoding": "identity", **({"Range": f"bytes={done}-"} if done else {})}
    with client.stream("GET", url, headers=headers) as response:
        status = response.status_code
        if status == 416:  # what is there is no beginning of it
            unfinished.unlink(missing_ok=True)
            return False
        if status == 429 or status >= 500:
            raise httpx.HTTPError(f"HTTP {status}")
        if status not in (200, 206):
            raise DeclarationError(
                f"{url} does not exist (HTTP {status}): put\n  {where_to_put(unfinished.parent, file)}"
            )
        done = 0 if status == 200 else done
        length = response.headers.get("Content-Length", "")
        total = file.size
        if total is None and length.isascii() and length.isdigit():
            total = done + int(length)
        with unfinished.open("ab" if done else "wb") as target:
            for part in response.iter_raw():  # as they come: what breaks off is kept
                done += len(part)
                if done > most:
                    break
                target.write(part)
                on_bytes(file.local, done, total)
        if done > most:
            unfinished.unlink()
            remedy = "" if file.size is not None else f", {UNPACKED.remedy}"
            raise DeclarationError(
                f"{url} is larger than {most:,} bytes: it is not the published file{remedy}"
            )
        return total is None or done == total


def _check(file: SuiteFile, unfinished: Path, target: Path) -> None:
    """Raise DeclarationError where what came is not the published file; nothing of it is kept then."""
    digest = file_sha256(unfinished)
    packed = file.local.endswith(".gz")
    if file.sha256 and digest != file.sha256 and not (packed and _unpacked(unfinished) == file.sha256):
        size = unfinished.stat().st_size
        unfinished.unlink()
        raise DeclarationError(
            f"the download of {target} is not the published file ({size:,} bytes, sha256 {digest}; expected "
            f"{'' if file.size is None else f'{file.size:,} bytes, '}sha256 {file.sha256}): it was not kept. If "
            "the file has changed upstream, use a copy of the original state (--from)"
        )


def _unpacked(path: Path) -> str:
    """The digest of what a compressed file holds; empty where it holds nothing."""
    import zlib

    try:
        return unpacked_sha256(path)
    except (OSError, EOFError, zlib.error):
        return ""
