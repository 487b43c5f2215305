"""Which kind of file a path is, by its content first and its name second."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from conqret.errors import Fault, ItemsError
from conqret.io.decoding import UTF8_MARK, head_of
from conqret.io.jsonl import json_rows, parse
from conqret.io.limits import LINE
from conqret.io.rows import Row, Rows

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
    """Return the records of a file; ``name`` is what messages call it, where that is not its path.

    Raises:
        ItemsError: it is missing, a directory, empty, not UTF-8, or of a kind that is not read.
    """
    name, file = name or str(path), Path(path)
    try:
        if not file.exists():
            raise _error(name, "does not exist", _look_alike(file))
        if file.is_dir():
            raise _error(name, "is a directory", "Name one file of items")
        if not file.is_file():
            raise _error(
                name,
                "is not a regular file (perhaps a pipe), and items are read twice",
                "Save the stream to a file first",
            )
        if file.stat().st_size == 0:
            raise _error(name, "is empty", "Give at least one item")
        head = head_of(file)
    except OSError as error:
        raise _error(name, f"cannot be read: {error.strerror or error}", "Check the permissions") from error
    return _by_content(file, name, head)


def _by_content(file: Path, name: str, head: bytes) -> Rows:
    suffixes = [suffix.lower() for suffix in file.suffixes if suffix.lower() != ".gz"]
    suffix = suffixes[-1] if suffixes else ""
    if head.startswith(_PARQUET):
        from conqret.io.parquet import ParquetRows

        return ParquetRows(file, name)
    if suffix in (".parquet", ".pq"):
        raise _error(
            name,
            "is not a Parquet file, or is corrupt: it does not begin with PAR1",
            "Write it again, or give it the extension of its real format",
        )
    if head.startswith(_ZIP):
        if is_inspect_log(file):
            return EvalRows(file, name)
        raise _error(
            name, "is an Excel workbook or a zip archive", f"Save it as CSV. Readable formats: {ACCEPTED}"
        )
    if b"\0\0" in head or b"\0" in head[:2]:
        raise _error(name, "is not UTF-8: it contains bytes of zeros", "Save it as UTF-8")
    start = head.removeprefix(UTF8_MARK).lstrip()
    if suffix in (".csv", ".tsv"):
        from conqret.io.csv_table import CsvRows

        return CsvRows(file, name)
    if suffix in (".jsonl", ".ndjson", ".json") or start.startswith((b"{", b"[")):
        return json_rows(file, name)
    ending = f"has the unknown extension {suffix!r}" if suffix else "has no extension"
    raise _error(name, f"{ending}, and does not begin like JSON", f"Readable formats: {ACCEPTED}")


@dataclass(frozen=True, slots=True)
class EvalRows:
    """The samples in a log of inspect_ai as it writes them (``.eval``): files of JSON in a zip archive, in their order
    there. A row's line is the number of its sample."""

    path: Path
    name: str
    columns: tuple[str, ...] | None = None

    def __iter__(self) -> Iterator[Row | Fault]:
        with zipfile.ZipFile(self.path) as archive:
            files = [file for file in archive.infolist() if file.filename.startswith("samples/")]
            for number, file in enumerate(files, start=1):
                yield self._row(archive, file, number)

    def _row(self, archive: zipfile.ZipFile, file: zipfile.ZipInfo, number: int) -> Row | Fault:
        try:
            with archive.open(file) as sample:
                content = sample.read(LINE.most + 1)
            if len(content) > LINE.most:
                problem = f"holds {file.filename}, which is longer than {LINE}"
                return Fault(self.name, number, "", problem, f"Shorten the sample, {LINE.remedy}")
            record = parse(content)
        except (ValueError, RuntimeError, OSError, EOFError, zipfile.BadZipFile, zlib.error) as error:
            problem = f"holds {file.filename}, which cannot be read: {error}"
            return Fault(self.name, number, "", problem, "Write it as JSON: inspect log convert --to json")
        if not isinstance(record, dict):
            return Fault(
                self.name, number, "", f"holds {file.filename}, which is no object", "Write the log again"
            )
        return Row(number, record)


def is_inspect_log(file: Path) -> bool:
    """Whether a zip archive is a log of inspect_ai."""
    try:
        with zipfile.ZipFile(file) as archive:
            return bool(_OF_A_LOG.intersection(archive.namelist()))
    except (OSError, zipfile.BadZipFile):
        return False


def _look_alike(file: Path) -> str:
    """Name a file beside the missing one that has nearly the same name."""
    import difflib

    try:
        names = [path.name for path in file.parent.iterdir()] if file.parent.is_dir() else []
    except OSError:
        names = []
    near = difflib.get_close_matches(file.name, names, n=1, cutoff=0.75)
    return f"Did you mean {str(file.with_name(near[0]))!r}" if near else "Check the path"


def _error(name: str, problem: str, remedy: str) -> ItemsError:
    return ItemsError([Fault(name, 0, "", problem, remedy)])
