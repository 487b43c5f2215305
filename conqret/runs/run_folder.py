"""The folder of a run: its record, its files, and the locking, refusing, resuming and restarting that all
kinds of run share.

Every kind of run has its own folder class with the files that it makes; claiming, locking, refusing and beginning
afresh are here, once. ``run.json`` says of which kind the run is, and its settings; the lock is an empty file
that stays.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from types import new_class
from typing import Any, ClassVar, Generic, TypeVar, get_args

from pydantic import BaseModel, Field, ValidationError

from conqret._version import __version__
from conqret.data import Item
from conqret.errors import DeclarationError, Fault, first_line
from conqret.io.jsonl import parse
from conqret.io.limits import byte_lines, whole_bytes
from conqret.io.safe_files import LOCK_NAME, InFolder, check_own_files, only_writer, write_whole
from conqret.llm.recordings import STORE_NAME
from conqret.options import fault_text


def distinct_names(places: Sequence[Path]) -> list[str]:
    """Return the shortest path endings that distinguish ``places``, in order.

    For example, ``runs/judge`` and ``runs/samples`` give ``judge`` and ``samples``; ``runs/a/judge`` and
    ``runs/b/judge`` give ``a/judge`` and ``b/judge``. Equal paths have equal names.
    """
    parts = [place.absolute().parts for place in places]
    names = []
    for path in parts:
        others = [other for other in parts if other != path]
        endings = (path[-depth:] for depth in range(1, len(path)))
        apart = (end for end in endings if all(other[-len(end) :] != end for other in others))
        names.append(str(Path(*next(apart, path))))
    return names


RUNS = Path("runs")
_EXTENSIONS = re.compile(
    r"(?<=.)(?:\.(?:jsonl|ndjson|json|csv|tsv|parquet|pq|res|run|trec))?(?:\.gz)?\Z", re.IGNORECASE
)
"""Extensions of the files that are read; any other dot belongs to a name (Llama-3.1-8B)."""


def stem(file: Path) -> str:
    """Return a file's name without its extensions, such as ``.jsonl.gz``."""
    return _EXTENSIONS.sub("", file.name, count=1)


def default_folder(*parts: str) -> Path:
    """Return the default folder of a run below ``runs``: ``parts`` (such as input, judge and model) joined
    by hyphens, with a hyphen for each sequence of other characters than letters, digits and dots.
    """
    return RUNS / "-".join(re.sub(r"[^A-Za-z0-9.]+", "-", part).strip("-.") for part in parts)


RECORD_NAME = "run.json"
ITEMS, SCORES, SUMMARY, REPORT = "items.jsonl", "scores.parquet", "summary.json", "report.html"
"""The files that many kinds of runs write, under the same names in all."""

LAYOUT = 2
"""The version of the layout of run folders; raise it when other versions would be misread."""


def now() -> str:
    """Return the current UTC time in ISO format, to the second."""
    return dt.datetime.now(dt.UTC).isoformat(timespec="seconds")


class RunRecord(BaseModel, frozen=True):
    """The base class of ``run.json``: what identifies a run and allows it to be repeated.

    ``SAME`` maps each field that must be equal for a run to resume to its description. ``layout`` is the
    version of the folder's layout, ``conqret`` that of the package. Each kind of run adds fields.
    """

    SAME: ClassVar[Mapping[str, str]] = {}

    layout: int = LAYOUT
    kind: str
    conqret: str = __version__
    created: str = Field(default_factory=now)

    def differences(self, other: RunRecord) -> list[str]:
        """Return the descriptions in ``SAME`` of the fields that differ between two records; empty if the
        run may resume.
        """
        return [
            words
            for name, words in self.SAME.items()
            if getattr(self, name, None) != getattr(other, name, None)
        ]

    def __str__(self) -> str:
        """The run in a few words, for messages that refuse to go on with it."""
        return f"made {self.created}"


R = TypeVar("R", bound=RunRecord)
M = TypeVar("M", bound=BaseModel)


@dataclass(frozen=True)
class RunFolder(Generic[R]):
    """The folder of a run and the files in it.

    A subclass gives the type of its record in brackets, which determines ``kind``; otherwise it sets
    ``kind`` and ``same`` (descriptions of further fields that must be equal). ``COMMAND`` is the command
    that makes the run. ``BEGINS`` names the files that are written before the record. All other files are
    declared as :class:`~conqret.io.safe_files.InFolder`, and are deleted when a run starts afresh.
    """

    path: Path

    kind: ClassVar[str]
    """What the record calls this kind of run."""
    COMMAND: ClassVar[str]
    RECORD: ClassVar[type[RunRecord]] = RunRecord
    BEGINS: ClassVar[tuple[str, ...]] = ()

    record_file = InFolder(RECORD_NAME, kept=True)
    """What was run."""
    recordings_file = InFolder(STORE_NAME, kept=True)
    """Every answer of the models, where no other store was given."""
    items_file = InFolder(ITEMS, kept=True)
    """The items that are judged, or that were written to be judged."""
    scores_file = InFolder(SCORES)
    """The scores as a table."""
    summary_file = InFolder(SUMMARY)
    """The run in numbers."""
    report_file = InFolder(REPORT)
    """The report page."""

    def __init_subclass__(cls, kind: str = "", same: Mapping[str, str] | None = None) -> None:
        super().__init_subclass__()
        for argument in get_args(getattr(cls, "__orig_bases__", (cls,))[0]):
            if isinstance(argument, type) and issubclass(argument, RunRecord):
                cls.RECORD = argument
        if kind:
            own = {name: Any for name in same or {} if name not in cls.RECORD.model_fields}
            words = {**cls.RECORD.SAME, **(same or {})}
            fields = {"__annotations__": {"kind": str, **own}, "kind": kind, "SAME": words}
            cls.RECORD = new_class(cls.RECORD.__name__, (cls.RECORD,), None, lambda body: body.update(fields))
        cls.kind = str(cls.RECORD.model_fields["kind"].default)

    def items(self) -> Iterator[Item]:
        """Yield the items of the run, in order.

        Raises:
            DeclarationError: the file of items is missing, or a line is not an item.
        """
        mended = (
            f"run the same {self.COMMAND} command again with the original items, or restore an intact copy"
        )
        try:
            for line in byte_lines(self.items_file, str(self.items_file)):
                if isinstance(line, Fault):
                    raise DeclarationError(f"{self.items_file}:{line.line}: {line.problem}; {mended}")
                try:
                    item = Item.model_validate_json(line.data)
                except ValidationError as error:
                    why = f"{self.items_file}:{line.number} is not an item ({_first(error)})"
                    raise DeclarationError(f"{why}; {mended}") from None
                yield item
        except OSError as error:
            raise DeclarationError(f"{self.items_file} cannot be read: {error.strerror}; {mended}") from None

    def record(self) -> R:
        """Read and return the record, ``run.json``.

        Raises:
            DeclarationError: there is no run, or it has another kind or layout; or the folder has a
                pipe or a link that leads out of it.
        """
        data = self._data()
        if data is None:
            state = f"contains no run ({RECORD_NAME} is missing)" if self.path.is_dir() else "does not exist"
            raise DeclarationError(f"{self.path} {state}; run {self.COMMAND} with -o {self.path} first")
        return self._read(data)

    def result(self, file: Path, model: type[M]) -> M:
        """Read a result file of a finished run and return it as ``model``.

        Raises:
            DeclarationError: the run is not finished, or the file cannot be read.
        """
        try:
            return model.model_validate_json(whole_bytes(file))
        except FileNotFoundError:
            state = "contains no finished run" if self.path.is_dir() else "does not exist"
            raise DeclarationError(
                f"{self.path} {state} ({file.name} is missing); run {self.COMMAND} with -o {self.path} first"
            ) from None
        except (ValueError, ValidationError) as error:
            raise DeclarationError(f"{file} cannot be read: {error}") from error

    def holds_another(self, record: R) -> bool:
        """Return True if the folder holds a run of this kind whose record differs from ``record``; False
        for an empty folder.

        Raises:
            DeclarationError: the folder holds a run of another kind or layout.
        """
        data = self._data()
        return data is not None and bool(record.differences(self._read(data)))

    def check(self, record: R, *, overwrite: bool = False) -> None:
        """Check that the folder is free for this run, or already holds the same run.

        Raises:
            DeclarationError: the folder holds other files, a run of another kind or layout, or
                (without ``overwrite``) another run.
        """
        if not self.path.exists():
            return
        if not self.path.is_dir():
            raise DeclarationError(f"{self.path} is a file; give a folder with -o")
        data = self._data()
        if data is None:  # it may hold what a run leaves that was killed before it wrote its record
            foreign = []
            for name in sorted(map(attrgetter("name"), self.path.iterdir())):
                own = name in {LOCK_NAME, *self.BEGINS} or name.startswith(STORE_NAME)
                if not own and not name.endswith(".part"):
                    foreign.append(name)
            if foreign:
                raise DeclarationError(
                    f"{self.path} contains no run but other files ({', '.join(foreign[:3])}); give another folder "
                    "with -o"
                )
            check_own_files(self.path)
        elif not (overwrite and data.get("kind", self.kind) == self.kind):
            before = self._read(data)
            if changed := record.differences(before):
                raise DeclarationError(
                    f"{self.path} contains another run ({before}). What differs: {', '.join(changed)}. Give another "
                    "folder with -o, or --overwrite to start over in this one (its recordings are kept)"
                )

    @contextlib.contextmanager
    def claimed(
        self, record: R, *, overwrite: bool = False, begin: Callable[[], None] | None = None
    ) -> Iterator[None]:
        """Context manager that locks the folder against other writers and writes the run's record.

        Args:
            record: the record of the run.
            overwrite: replace another run in the folder.
            begin: called for a new run, to write the files that must exist before the record (such as
                items).

        Raises:
            DeclarationError: as :meth:`check`; or the folder cannot be created, or another process is
                writing to it.
        """
        self.check(record, overwrite=overwrite)
        with only_writer(self.path):
            self.check(record, overwrite=overwrite)  # again: another process may have begun a run in between
            if overwrite:
                self._clear()
            if not self.record_file.exists():
                if begin is not None:
                    begin()
                write_whole(self.record_file, record.model_dump_json(indent=1).encode())
            yield

    def is_there(self) -> bool:
        """Return True if the folder holds a run of this kind, finished or not."""
        return (self._data() or {}).get("kind") == self.kind

    def _data(self) -> Mapping[str, Any] | None:
        """Return what ``run.json`` holds; None if there is none, empty if it is no object.

        Raises:
            DeclarationError: it cannot be read, or a link in the folder leads out of it.
        """
        try:
            data = parse(whole_bytes(self.record_file))
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, ValueError) as error:
            raise DeclarationError(f"{self.record_file} cannot be read: {first_line(error)}") from error
        check_own_files(self.path)
        return data if isinstance(data, dict) else {}

    def _read(self, data: Mapping[str, Any]) -> R:
        kind = data.get("kind")
        if data.get("layout") != LAYOUT:
            raise DeclarationError(
                f"{self.path} contains a run of another version of conqret: update conqret to read it, or give "
                f"another folder with -o; its recordings are still good (--recordings {self.path / STORE_NAME})"
            )
        if kind != self.kind:
            raise DeclarationError(
                f"{self.path} contains a run of another kind ({kind}); give the folder of a run of {self.COMMAND}, "
                "or another folder with -o"
            )
        try:
            return self.RECORD.model_validate(data)  # type: ignore[return-value]
        except ValidationError as error:
            raise DeclarationError(f"{self.record_file} cannot be read: {error}") from error

    def _clear(self) -> None:
        """Delete what an earlier run made, but for its recordings; the record goes last, so that a kill
        leaves no files without one.
        """
        made = (place.name for place in InFolder.declared_in(type(self)) if not place.kept)
        for name in (*made, *self.BEGINS, RECORD_NAME):
            path = self.path / name
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)


def _first(error: ValidationError) -> str:
    """The first thing that is wrong, with its place."""
    first_error = error.errors()[0]
    return ": ".join(filter(None, (".".join(map(str, first_error["loc"])), fault_text(first_error))))


def as_path(place: str | Path | None) -> Path | None:
    """Return ``place`` as a path, or None where it is None."""
    return None if place is None else Path(place)
