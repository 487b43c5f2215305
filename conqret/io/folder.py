"""A folder of files that hold one table together, as clusters write them, and files that lie elsewhere."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from conqret._optional import require
from conqret.errors import ConqretError, DeclarationError, Fault, ItemsError
from conqret.io.files import ACCEPTED, file_rows
from conqret.io.rows import Row, Rows

ENDINGS = (".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet", ".pq")
"""Of the files in a folder that are read; also behind them .gz."""

_ADDRESS = re.compile(r"\A([A-Za-z][A-Za-z0-9+.-]++):/++(?=[^/])")
"""A path loses one of an address's slashes; the letter of a drive is no address."""


OF_A_RUN = ("run.json", "items.jsonl")
"""The files by which the folder of a run of items is known."""


@dataclass(frozen=True, slots=True)
class FolderRows:
    """The records of several files, one file after the other; ``kept`` is what holds those that were fetched."""

    name: str
    files: tuple[Rows, ...]
    kept: object = field(default=None, repr=False, compare=False)

    @property
    def columns(self) -> tuple[str, ...] | None:
        """The columns of the files, where all have the same."""
        first, *others = (rows.columns for rows in self.files)
        return first if all(one == first for one in others) else None

    def __iter__(self) -> Iterator[Row | Fault]:
        for rows in self.files:
            for row in rows:
                yield replace(row, file=rows.name) if isinstance(row, Row) else row


def several_files(source: str | Path) -> FolderRows | None:
    """The records of a folder, or of a file or folder at an address (``s3://…``), which is fetched first; None for
    what is one file here.

    The files come in the order of their names; those that begin with a dot or an underscore are passed over. Of a run's
    folder (arguments that were generated, say) only its items are read.

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
    if all((Path(source) / name).is_file() for name in OF_A_RUN):
        items = Path(source) / OF_A_RUN[-1]
        return _rows(str(source), [(items, str(items))])
    found = [one for one in sorted(Path(source).rglob("*")) if one.is_file()]
    inside = [one for one in found if _wanted(one.relative_to(source).as_posix())]
    return _rows(str(source), [(one, str(one)) for one in inside])


def _fetched(address: str) -> FolderRows:
    """The files below an address, under names of our own."""
    fsspec = require("fsspec", extra="remote")
    name = re.sub(r"//[^/@]*@", "//", address.partition("?")[0])  # no password and no signature
    kept = tempfile.TemporaryDirectory(prefix="conqret-items-")
    files: list[tuple[Path, str]] = []
    try:
        system, root = fsspec.url_to_fs(address)
        alone = system.isfile(root)
        found = [root] if alone else sorted(one for one in system.find(root) if _wanted(one[len(root) :]))
        for number, remote in enumerate(found):
            endings = "".join(PurePosixPath(remote.partition("?")[0]).suffixes[-2:])
            file = Path(kept.name) / f"{number}{endings}"
            system.get_file(remote, str(file))
            files.append((file, name if alone else f"{name.rstrip('/')}/{remote[len(root) :].lstrip('/')}"))
    except ConqretError:
        raise
    except Exception as error:  # noqa: BLE001 - each system has error classes of its own
        reason = " ".join(str(error).split()) or type(error).__name__
        raise DeclarationError(f"{name} cannot be fetched: {reason}") from None
    return replace(_rows(name, files), kept=kept)


def _wanted(path: str) -> bool:
    """Whether a file below a folder is one of items, by its name."""
    parts = [part for part in path.split("/") if part]
    return not any(part.startswith((".", "_")) for part in parts) and bool(_ending(parts[-1]))


def _ending(name: str) -> str:
    bare = name.lower().removesuffix(".gz")
    return next((ending for ending in ENDINGS if bare.endswith(ending)), "")


def _rows(name: str, files: list[tuple[Path, str]]) -> FolderRows:
    kinds = sorted({_ending(shown) for _, shown in files})
    if not files or len(kinds) > 1:
        problem = f"holds files of several kinds ({', '.join(kinds)})" if files else "holds no file of items"
        remedy = f"Name one file, or a folder of files of one kind. Read are: {ACCEPTED}"
        raise ItemsError([Fault(name, 0, "", problem, remedy)])
    return FolderRows(name, tuple(file_rows(file, shown) for file, shown in files))
