"""Detect the kind of a file by its content first and its name second; and read Parquet, logs of
inspect_ai, and folders.
"""

from __future__ import annotations

import difflib
import io
import re
import struct
import tempfile
import zlib
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

from conqret._optional import require
from conqret.errors import ConqretError, DeclarationError, Fault, ItemsError
from conqret.io import limits
from conqret.io.csv_files import csv_rows
from conqret.io.jsonl import json_rows, parse
from conqret.io.limits import LINE, UTF8_MARK, head_of
from conqret.io.rows import Row, Rows
from conqret.io.zip_files import BadZipFile, ZipFile, zip_member

BATCH = 8
"""Rows that are converted to Python objects at a time."""


def parquet_rows(path: Path, name: str) -> Rows:
    """Return the rows of a Parquet file, numbered from 1; one row group is in memory at a time."""
    import polars

    try:
        columns: tuple[str, ...] | None = tuple(polars.read_parquet_schema(path))
    except (Exception, polars.exceptions.PanicException):  # noqa: BLE001 - polars raises errors of many classes
        columns = None  # reading it reports what is corrupt
    return Rows(name, partial(_of_row_groups, path, name), columns, path.parent)


def _of_row_groups(path: Path, name: str) -> Iterator[Row | Fault]:
    import polars

    line = 0
    try:
        lazy = polars.scan_parquet(path, glob=False)
        for rows, unpacked in _row_groups(path):
            if unpacked > limits.LINE.most * rows:
                problem = f"its rows {line + 1} to {line + rows} unpack to more than {limits.LINE} each"
                yield Fault(name, line + 1, "", problem, f"Split the items, {limits.LINE.remedy}")
                return
            for batch in lazy.slice(line, rows).collect().iter_slices(BATCH):
                for record in batch.to_dicts():
                    line += 1
                    yield Row(line, record)
    except (Exception, polars.exceptions.PanicException) as error:  # noqa: BLE001 - likewise
        reason = " ".join(str(error).split())[:200]
        problem = f"is a corrupt Parquet file: {line} rows can be read before the reader says: {reason}"
        yield Fault(name, line, "", problem, "Write or fetch the file again")


_ROW_GROUPS, _UNPACKED_SIZE, _ROW_COUNT = 4, 2, 3
_DEEPEST = 20


def _row_groups(path: Path) -> list[tuple[int, int]]:
    """Return the number of rows and the unpacked bytes of each row group, as the footer of a Parquet file has
    them.

    Source: the Parquet format's ``parquet.thrift``, and Thrift's compact protocol.

    Raises:
        ValueError: the footer is corrupt.
    """
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(size - 8, 0))
        length, magic = struct.unpack("<I4s", file.read(8))
        if magic != b"PAR1" or length > min(size, limits.FILE.most):
            raise ValueError("it has no footer")
        file.seek(size - 8 - length)
        footer = file.read(length)
    try:
        groups = _structure(io.BytesIO(footer), 0)[_ROW_GROUPS]
        return [(group[_ROW_COUNT], group[_UNPACKED_SIZE]) for group in groups]
    except (IndexError, KeyError, TypeError) as error:
        raise ValueError(f"its footer is corrupt ({error!r})") from None


def _structure(footer: io.BytesIO, depth: int) -> dict[int, Any]:
    """Return the fields of a struct of Thrift's compact protocol by their numbers.

    Raises:
        ValueError: it is nested too deeply, or holds an unknown type.
        IndexError: the footer ends early.
    """
    if depth > _DEEPEST:
        raise ValueError("its footer is nested too deeply")
    fields: dict[int, Any] = {}
    number = 0
    while first := footer.read(1)[0]:
        number = number + (first >> 4) if first >> 4 else _varint(footer) >> 1
        kind = first & 15
        fields[number] = kind == 1 if kind in (1, 2) else _value(footer, kind, depth)
    return fields


def _value(footer: io.BytesIO, kind: int, depth: int) -> Any:
    """Read the next value, of one of Thrift's types; None for texts and floating-point numbers, which are not
    needed.

    Raises:
        ValueError: the type is unknown, or a list claims more values than there are bytes.
        IndexError: the footer ends early.
    """
    if kind in (1, 2, 3):
        return footer.read(1)[0]
    if kind in (4, 5, 6):
        value = _varint(footer)
        return value >> 1 ^ -(value & 1)
    if kind in (7, 8):
        footer.seek(8 if kind == 7 else _varint(footer), io.SEEK_CUR)
        return None
    if kind in (9, 10):
        first = footer.read(1)[0]
        count = first >> 4 if first >> 4 < 15 else _varint(footer)
        if count > footer.getbuffer().nbytes:
            raise ValueError("its footer names more values than it has")
        return [_value(footer, first & 15, depth + 1) for _ in range(count)]
    if kind == 12:
        return _structure(footer, depth + 1)
    raise ValueError(f"its footer contains an unknown type ({kind})")


def _varint(footer: io.BytesIO) -> int:
    value = 0
    for shift in range(0, 70, 7):
        byte = footer.read(1)[0]
        value |= (byte & 127) << shift
        if byte < 128:
            return value
    raise ValueError("its footer contains a number of more than 64 bits")


ACCEPTED = (
    "JSON Lines (.jsonl, also .gz), a small JSON list (.json), CSV (.csv, .tsv), Parquet (.parquet), logs of "
    "inspect_ai (.eval)"
)
"""The kinds of file that are read, in words."""
_PARQUET = b"PAR1"
_ZIP = b"PK\x03\x04"
_OF_A_LOG = frozenset({"header.json", "_journal/start.json"})
"""Files in a log of inspect_ai, of which the first is there when it has ended."""


def file_rows(path: str | Path, name: str = "") -> Rows:
    """Return the rows of one file of any supported kind; ``name`` replaces its path in messages.

    Raises:
        ItemsError: the file is missing, a directory, empty, not UTF-8, or of an unsupported kind.
    """
    name, file = name or str(path), Path(path)
    try:
        if not file.exists():
            raise _error(name, "does not exist", _look_alike(file))
        if file.is_dir():
            raise _error(name, "is a directory", "Name one file of items")
        if not file.is_file():
            raise _error(name, "is not a regular file, and items are read twice", "Save it to a file first")
        if file.stat().st_size == 0:
            raise _error(name, "is empty", "Give at least one item")
        head = head_of(file)
    except OSError as error:
        raise _error(name, f"cannot be read: {error.strerror or error}", "Check the permissions") from error
    return _by_content(file, name, head)


def _by_content(file: Path, name: str, head: bytes) -> Rows:
    suffix = Path(file.name.lower().removesuffix(".gz")).suffix
    if head.startswith(_PARQUET):
        return parquet_rows(file, name)
    if suffix in (".parquet", ".pq"):
        raise _error(
            name, "does not begin like Parquet, with PAR1", "Write it again, or give it another extension"
        )
    if head.startswith(_ZIP):
        if is_inspect_log(file):
            return Rows(name, partial(_of_a_log, file, name), folder=file.parent)
        raise _error(name, "is an Excel workbook or a zip archive", f"Save it as CSV ({ACCEPTED})")
    if b"\0\0" in head or b"\0" in head[:2]:
        raise _error(name, "is not UTF-8: it contains bytes of zeros", "Save it as UTF-8")
    start = head.removeprefix(UTF8_MARK).lstrip()
    if suffix in (".csv", ".tsv"):
        return csv_rows(file, name)
    if suffix in (".jsonl", ".ndjson", ".json") or start.startswith((b"{", b"[")):
        return json_rows(file, name)
    ending = f"has the unknown extension {suffix!r}" if suffix else "has no extension"
    raise _error(name, f"{ending}, and does not begin like JSON", f"Readable formats: {ACCEPTED}")


def _of_a_log(path: Path, name: str) -> Iterator[Row | Fault]:
    """Yield the samples in a log of inspect_ai as it writes them (``.eval``, a zip archive of JSON files), in their
    order there. A row's line is the number of its sample; a sample that is too long or cannot be read is a fault."""
    with ZipFile(path) as archive:
        files = [file for file in archive.infolist() if file.filename.startswith("samples/")]
        for number, file in enumerate(files, start=1):
            try:
                if file.file_size > LINE.most:
                    problem = f"holds {file.filename}, which is longer than {LINE}"
                    yield Fault(name, number, "", problem, f"Shorten the sample, {LINE.remedy}")
                    continue
                record = parse(zip_member(archive, file))
            except (ValueError, RuntimeError, OSError, EOFError, BadZipFile, zlib.error) as error:
                problem = f"holds {file.filename}, which cannot be read: {error}"
                yield Fault(name, number, "", problem, "Write it as JSON: inspect log convert --to json")
                continue
            if isinstance(record, dict):
                yield Row(number, record)
            else:
                problem = f"holds {file.filename}, which is no object"
                yield Fault(name, number, "", problem, "Write the log again")


def is_inspect_log(file: Path) -> bool:
    """Return True if the file is a zip archive with a log of inspect_ai."""
    try:
        with ZipFile(file) as archive:
            return bool(_OF_A_LOG.intersection(archive.namelist()))
    except (OSError, BadZipFile):
        return False


def _look_alike(file: Path) -> str:
    """Return a remedy for a missing file: the name of a similar file in its folder, or the advice to check
    the path.
    """
    try:
        names = [path.name for path in file.parent.iterdir()] if file.parent.is_dir() else []
    except OSError:
        names = []
    near = difflib.get_close_matches(file.name, names, n=1, cutoff=0.75)
    return f"Did you mean {str(file.with_name(near[0]))!r}" if near else "Check the path"


def _error(name: str, problem: str, remedy: str) -> ItemsError:
    return ItemsError([Fault(name, 0, "", problem, remedy)])


ENDINGS = (".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet", ".pq", ".eval")
"""The endings of the files in a folder that are read, also followed by .gz."""

_ADDRESS = re.compile(r"\A([A-Za-z][A-Za-z0-9+.-]++):/++(?=[^/])")
"""A path loses one of an address's slashes; the letter of a drive is no address."""


OF_A_RUN = ("run.json", "items.jsonl")
"""The files by which the folder of a run of items is recognized."""


def several_files(source: str | Path) -> Rows | None:
    """Return the rows of a folder, or of a remote file or folder (``s3://…``); None if ``source`` is one
    local file.

    Files are read in the order of their names; those that begin with a dot or an underscore are skipped.
    In the output folder of a run, only the items are read.

    Raises:
        ItemsError: the folder holds no such file, or files of several kinds; or one cannot be read.
        DeclarationError: nothing can be fetched from the address.
        MissingDependencyError: fsspec is not installed.
    """
    try:
        folder = Path(source).is_dir()
        address = None if Path(source).exists() else _ADDRESS.match(str(source))
    except OSError:  # no path at all, or none that may be looked at
        return None
    if address is not None:
        root = "/" if address[1].lower() == "file" else ""  # no host comes first
        return _fetched(f"{address[1]}://{root}{str(source)[address.end() :]}")
    if not folder:
        return None
    files = {
        path.relative_to(source).as_posix(): path
        for path in sorted(Path(source).rglob("*"))
        if path.is_file()
    }
    inside = [files[name] for name in _of_items(files)]
    return _folder_rows(str(source), [(path, str(path)) for path in inside], Path(source))


def _fetched(address: str) -> Rows:
    """Copy the files of items below an address into a temporary folder, which lives as long as the rows, and return
    their rows. In names and messages, passwords and query strings of the address are left out.

    Raises:
        DeclarationError: the address cannot be read.
        ItemsError: below it are no files of items, or files of several kinds.
    """
    fsspec = require("fsspec", extra="remote")
    name = re.sub(r"//[^/@]*@", "//", address.partition("?")[0])  # no password and no signature
    folder = tempfile.TemporaryDirectory(prefix="conqret-items-")
    files: list[tuple[Path, str]] = []
    try:
        system, root = fsspec.url_to_fs(address)
        alone = system.isfile(root)
        below = {} if alone else {path[len(root) :].lstrip("/"): path for path in sorted(system.find(root))}
        remotes = [root] if alone else [below[item] for item in _of_items(below)]
        for number, remote in enumerate(remotes):
            endings = "".join(PurePosixPath(remote.partition("?")[0]).suffixes[-2:])
            file = Path(folder.name) / f"{number}{endings}"
            system.get_file(remote, str(file))
            files.append((file, name if alone else f"{name.rstrip('/')}/{remote[len(root) :].lstrip('/')}"))
    except ConqretError:
        raise
    except Exception as error:  # noqa: BLE001 - each system has error classes of its own
        reason = " ".join(str(error).split()) or type(error).__name__
        raise DeclarationError(f"{name} cannot be fetched: {reason}") from None
    return _folder_rows(name, files, fetched=folder)


def _of_items(paths: Collection[str]) -> list[str]:
    """Those of the files below a folder that hold items; of a run's folder one alone."""
    if all(name in paths for name in OF_A_RUN):
        return [OF_A_RUN[-1]]
    return [path for path in paths if _ending(path) and not re.search(r"(?:^|/)[._]", path)]


def _ending(name: str) -> str:
    bare = name.lower().removesuffix(".gz")
    return next((ending for ending in ENDINGS if bare.endswith(ending)), "")


def _folder_rows(
    name: str, files: list[tuple[Path, str]], folder: Path | None = None, fetched: object = None
) -> Rows:
    """Return the rows of several files of one kind, one file after the other. The columns are known only where all
    files have the same. ``fetched`` keeps a temporary folder alive as long as the rows.

    Raises:
        ItemsError: there is no file, or files of several kinds.
    """
    kinds = sorted({_ending(shown) for _, shown in files})
    if not files or len(kinds) > 1:
        problem = (
            f"holds files of several kinds ({', '.join(kinds)})" if files else "contains no file of items"
        )
        if files and any(PurePosixPath(shown).name == OF_A_RUN[0] for _, shown in files):
            problem = f"is the folder of a run, and contains no {OF_A_RUN[-1]}"
        remedy = f"Name one file, or a folder of files of one kind. Readable formats: {ACCEPTED}"
        raise ItemsError([Fault(name, 0, "", problem, remedy)])
    tables = [file_rows(file, shown) for file, shown in files]
    columns = tables[0].columns
    if any(table.columns != columns for table in tables):
        columns = None
    return Rows(name, partial(_of_tables, tables, fetched), columns, folder, len(tables))


def _of_tables(tables: Iterable[Rows], fetched: object) -> Iterator[Row | Fault]:
    for table in tables:
        for row in table:
            yield replace(row, file=table.name) if isinstance(row, Row) else row
