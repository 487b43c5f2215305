"""The store of raw responses: a request that was answered once is never sent again.

One SQLite file in WAL mode, so that several processes may read and write at once and a kill loses nothing
that was committed; every response is committed before it is used. Each has a checksum, verified whenever it
is read: a corrupt response is reported, and requested again.
"""

from __future__ import annotations

import contextlib
import datetime
import hashlib
import json
import logging
import os
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, TypeAdapter, model_validator

from conqret.errors import ConqretError, DeclarationError, FaultsError
from conqret.io.jsonl import compact, jsonl_rows
from conqret.io.limits import ANSWER
from conqret.io.safe_files import Closing, write_all
from conqret.io.schema import TableReader
from conqret.llm.request import Completion

STORE_NAME = "recordings.sqlite"
"""The name of the store inside a run's directory."""


def batches_beside(store: Path) -> Path:
    """Return the path of the file, next to a store, that lists the batches whose responses go into the
    store.
    """
    return store.with_name(f"{store.name}.batches.json")


MAX_NAMED = 10
"""The most corrupt responses that are reported one by one."""

MAX_MISSED = 1_000
"""After so many unreadable rows in sequence, the rest of a corrupt file is given up."""

_INSERT = "INSERT INTO recordings VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO NOTHING"

_log = logging.getLogger(__name__)

_COMPLETION = TypeAdapter(Completion)
_encode = json.JSONEncoder(separators=(",", ":")).encode
_encode_sorted = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode


class Recording(BaseModel):
    """One recorded response: its key, the parameters of its request, and labels for readers (``ask``, the
    name of the request, ``item`` and ``model``).

    ``created`` is the time in ISO 8601 (UTC). Rows of the store and lines of an export end with a checksum,
    which reveals accidental changes but is not a signature. A line may lack it.
    """

    key: str
    completion: Completion
    ask: str
    item: str
    model: str
    params: dict[str, Any]
    sample: int
    created: str

    @model_validator(mode="before")
    @classmethod
    def _as_written(cls, data: Any) -> Any:
        if isinstance(data, dict) and "checksum" in data:
            content = {name: value for name, value in data.items() if name != "checksum"}
            if checksum(content) != data["checksum"]:
                raise ValueError("it differs from what was recorded: its checksum does not match")
        return data

    @classmethod
    def from_row(cls, row: Sequence[Any]) -> Self:
        """Return the recording from a row that :meth:`row` made.

        Raises:
            ValueError: the row is corrupt.
        """
        *content, digest = row
        try:
            if checksum(content) != digest:
                raise ValueError("its checksum does not match")
            record = dict(zip(cls.model_fields, content, strict=True))
            parsed = {name: json.loads(record[name]) for name in ("completion", "params")}
            return cls.model_validate(record | parsed)
        except (TypeError, RecursionError) as error:
            raise ValueError(f"it is not a recording: {error}") from None

    def row(self) -> tuple[Any, ...]:
        """Return the recording as a row of the store, with completion and params as JSON, and a checksum."""
        completion = _encode(_COMPLETION.dump_python(self.completion, exclude_none=True))
        params = dumps(self.params)
        content = (self.key, completion, self.ask, self.item, self.model, params, self.sample, self.created)
        return *content, checksum(content)

    def line(self) -> bytes:
        """Return the recording as a line of an export (JSON), with a checksum."""
        completion = _COMPLETION.dump_python(self.completion, mode="json", exclude_none=True)
        content = self.model_dump(exclude={"completion"}) | {"completion": completion}
        return dumps(content | {"checksum": checksum(content)}).encode() + b"\n"


COLUMNS = (*Recording.model_fields, "checksum")
"""The columns of the store."""


def checksum(content: Any) -> str:
    """Return the first 16 hexadecimal digits of the sha256 of the JSON of plain data."""
    data = compact(content) if isinstance(content, (tuple, list)) else dumps(content).encode()
    return hashlib.sha256(data).hexdigest()[:16]


def dumps(value: Any) -> str:
    """Return ``value`` as compact JSON with sorted keys and unescaped Unicode; lone surrogates are
    escaped.
    """
    return _encode_sorted(value).encode("utf-8", "backslashreplace").decode()


MAGIC = b"SQLite format 3\x00"
"""The first bytes of an SQLite file."""
SCHEMA_VERSION = 2
_APPLICATION_ID = 0x436F6E51  # "ConQ", written into the header of the file

BUSY_SECONDS = 60.0
"""Seconds to wait for another process that is writing; its commits take well under a millisecond."""

_MAKE = f"""
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS recordings (
    key TEXT PRIMARY KEY, completion TEXT NOT NULL, ask TEXT NOT NULL, item TEXT NOT NULL, model TEXT NOT NULL,
    params TEXT NOT NULL, sample INTEGER NOT NULL, created TEXT NOT NULL, checksum TEXT
);
PRAGMA application_id = {_APPLICATION_ID}; PRAGMA user_version = {SCHEMA_VERSION}; COMMIT;
"""
_STATE = (
    "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_master), "
    "(SELECT count(*) FROM sqlite_master WHERE name = 'recordings' AND type = 'table') "
    "AND NOT (SELECT count(*) FROM sqlite_master WHERE type IN ('view', 'trigger')), "
    "(SELECT group_concat(name) FROM pragma_table_info('recordings')) "
    "FROM pragma_application_id, pragma_user_version"
)
_DAMAGE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_FULL = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR)


class StoreError(ConqretError):
    """Raised where a store cannot be read or written, for example on a full disk or if its file is corrupt; ``conqret
    runs recordings export`` saves what is readable.
    """


class Recordings(Closing):
    """A store of completions by request key; the first recording of a key is kept.

    ``read_only`` opens an existing store for reading. ``untouched`` (with ``read_only``) is for a short read
    that leaves no extra file next to a store which no process writes. ``corrupt`` counts the corrupt
    responses that were read.

    Raises:
        DeclarationError: the file is not a store of recordings, does not exist (``read_only``), or was
            written by a newer version.
        StoreError: the file is corrupt or cannot be written; every method may raise it.
    """

    def __init__(self, path: str | Path, *, read_only: bool = False, untouched: bool = False) -> None:
        self._scratch: tempfile.TemporaryDirectory[str] | None = None
        self._damaged: set[str] = set()
        self.path = Path(path)
        if read_only and not self.path.is_file():
            raise DeclarationError(f"{path}: this file of recordings does not exist")
        if self.path.is_dir():
            raise DeclarationError(f"{path}: this is a folder, not a file of recordings")
        if self.path.exists() and self.path.stat().st_size:
            with self.path.open("rb") as file:
                if file.read(len(MAGIC)) != MAGIC:
                    raise DeclarationError(f"{path}: this is not a file of recordings; give another path")
        elif not self.path.parent.is_dir():
            raise DeclarationError(f"{path}: its folder does not exist; create it first")
        with self.guarded("cannot be opened as a store of recordings", DeclarationError):
            self.db = self._connect(read_only, untouched)

    @classmethod
    def open_for_replay(cls, path: str | Path) -> Self:
        """Open a store, a JSONL export, or a run folder that contains ``recordings.sqlite``, for reading.

        An export is read into a temporary store, deleted by :meth:`close`.

        Raises:
            DeclarationError: ``path`` is none of these, or lines of the export are invalid.
        """
        path = Path(path)
        if path.is_dir():
            inside = path / STORE_NAME
            if not inside.is_file():
                raise DeclarationError(
                    f"{path}: this folder contains no {STORE_NAME}; name the folder of a run, or a file of recordings"
                )
            return cls(inside, read_only=True)
        if not path.is_file():
            raise DeclarationError(f"{path}: no recordings were found here")
        with path.open("rb") as file:
            if file.read(len(MAGIC)) == MAGIC or path.suffix == Path(STORE_NAME).suffix:
                return cls(path, read_only=True)
        scratch = tempfile.TemporaryDirectory(prefix="conqret-replay-")
        store = cls(Path(scratch.name) / STORE_NAME)
        store._scratch = scratch
        try:
            store.import_jsonl(path)
        except BaseException:
            store.close()
            raise
        return store

    @property
    def corrupt(self) -> int:
        """The number of corrupt responses that were read."""
        return len(self._damaged)

    def count(self) -> int:
        """Return the number of recorded responses, including corrupt ones."""
        with self.guarded("the answers could not be counted"):
            (count,) = self.db.execute("SELECT count(*) FROM recordings").fetchone()
        return int(count)

    def get(self, key: str) -> Completion | None:
        """Return the completion recorded under ``key``, or None; a corrupt one counts as None and is
        requested again.
        """
        with self.guarded("an answer could not be read"):
            row = self.db.execute("SELECT * FROM recordings WHERE key = ?", (key,)).fetchone()
        recording = self._sound(row) if row else None
        return recording.completion if recording is not None and recording.key == key else None

    def put(
        self,
        key: str,
        completion: Completion,
        *,
        ask: str,
        item: str,
        model: str,
        params: Mapping[str, Any],
        sample: int,
        instead: bool = False,
    ) -> Completion:
        """Record a completion and return the one that counts.

        This is an earlier readable completion of the same key, if any, unless ``instead`` is True, which
        replaces it. ``ask``, ``item`` and ``model`` are labels for readers; ``params`` and ``sample`` are
        those of the request.

        Raises:
            StoreError: the store cannot be written, for example on a full disk.
        """
        created = datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
        recording = Recording(
            key=key,
            completion=completion,
            ask=ask,
            item=item,
            model=model,
            params=dict(params),
            sample=sample,
            created=created,
        )
        with self.guarded("an answer could not be recorded"):
            if not instead and self._insert(recording):
                return completion
        if not instead and (earlier := self.get(key)) is not None:
            return earlier
        with self.guarded("an answer could not be recorded"), self.transaction():
            self.db.execute("DELETE FROM recordings WHERE key = ?", (key,))
            self._insert(recording)
        return completion

    def recorded(self) -> Iterator[Recording]:
        """Yield every recording whose checksum matches, in order of key; others are reported and left out.

        From a corrupt file, the readable ones come in the order in which they were recorded.
        """
        with self.guarded("the answers could not be read"):
            (integrity,) = self.db.execute("PRAGMA integrity_check(1)").fetchone()
            rows: Iterable[Sequence[Any]] = self.db.execute("SELECT * FROM recordings ORDER BY key")
            for row in rows if integrity == "ok" else self._rows_one_by_one():
                if (recording := self._sound(row)) is not None:
                    yield recording

    def _rows_one_by_one(self) -> Iterator[Sequence[Any]]:
        """Yield the rows of a corrupt file, without the row id, passing over those that SQLite cannot read; these are
        added to ``_damaged``. It ends after :data:`MAX_MISSED` unreadable ones in a row."""
        last = missed = 0
        while missed < MAX_MISSED:
            after = "SELECT rowid, * FROM recordings WHERE rowid > ? ORDER BY rowid LIMIT 1"
            try:
                found = self.db.execute(after, (last,)).fetchone()
            except sqlite3.DatabaseError:
                last, missed = last + 1, missed + 1
                self._damaged.add(f"row {last}")
                continue
            if found is None:
                return
            last, missed = max(last + 1, found[0]), 0
            yield found[1:]

    def add(self, rows: Iterable[Recording]) -> int:
        """Add the recordings whose keys are new, all or (on an error) none; returns how many were new."""
        with self.guarded("answers could not be added"), self.transaction():
            return sum(map(self._insert, rows))

    def export_jsonl(
        self, path: str | Path, change: Callable[[Recording], Recording] = lambda recording: recording
    ) -> int:
        """Write every recording as a line, in order of key, and return the number of lines.

        The file appears as a whole or not at all. Lines contain keys (hashes), responses and labels, as
        changed by ``change``; they contain no prompts.
        """
        return write_all(Path(path), (change(recording).line() for recording in self.recorded()))

    def import_jsonl(self, path: str | Path) -> int:
        """Add the recordings of an export, plain or gzipped, and return how many were new.

        Existing recordings are not changed.

        Raises:
            DeclarationError: the file does not exist.
            FaultsError: lines are invalid; it lists them with their numbers, and nothing is added.
        """
        if not Path(path).is_file():
            raise DeclarationError(f"{path}: there is no such file")
        reader = TableReader(jsonl_rows(Path(path)))

        def read() -> Iterator[Recording]:
            for row in reader.rows():
                if (recording := reader.model(Recording, row.record)) is not None:
                    yield recording
            reader.finish(FaultsError)

        return self.add(read())

    def close(self) -> None:
        """Close the file; a second call does nothing."""
        self.db.close()
        if self._scratch is not None:
            self._scratch.cleanup()

    def _insert(self, recording: Recording) -> int:
        return self.db.execute(_INSERT, recording.row()).rowcount

    def _sound(self, row: Sequence[Any]) -> Recording | None:
        """Return the recording of a row; None if it is corrupt. Each corrupt one is counted once and logged, the first
        :data:`MAX_NAMED` by name."""
        try:
            return Recording.from_row(row)
        except ValueError:
            key, _, ask, item, _, _, sample, *_ = row
            name = f"{ask} of item {item}, sample {sample} (key {str(key)[:12]})"
        if name not in self._damaged:
            self._damaged.add(name)
            if self.corrupt <= MAX_NAMED:
                _log.warning("%s: a corrupt recording is not used: %s", self.path, name)
            elif self.corrupt == MAX_NAMED + 1:
                _log.warning("%s: more recordings are corrupt", self.path)
        return None

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """Run the ``with`` block in a database transaction: all of its writes are kept, or none."""
        self.db.execute("BEGIN IMMEDIATE")
        try:
            yield
            self.db.execute("COMMIT")
        except BaseException:
            self.db.rollback()
            raise

    @contextlib.contextmanager
    def guarded(self, failed: str, family: type[ConqretError] = StoreError) -> Iterator[None]:
        """Convert SQLite errors in the ``with`` block to exceptions of conqret.

        Raises:
            StoreError: the file is corrupt.
            ConqretError: of the class ``family``, for any other error; the message says that ``failed``.
        """
        try:
            yield
        except (
            sqlite3.Error,
            UnicodeDecodeError,
        ) as error:  # a message that quotes a corrupt name is no text
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the others say more exactly what is wrong
            if code in _DAMAGE or isinstance(error, UnicodeDecodeError):
                raise StoreError(
                    f"{self.path} is corrupt ({error}); `conqret runs recordings export {self.path} saved.jsonl` saves "
                    "every answer that can be read; then move the file away, and `import` saved.jsonl in its place"
                ) from error
            full = "; free some space, and run the command again" if code in _FULL else ""
            raise family(f"{self.path}: {failed}: {error}{full}") from error

    def _connect(self, read_only: bool, untouched: bool) -> sqlite3.Connection:
        """Open the file and check that it is a store of recordings, or make an empty one a store. Other processes may
        be making it at the same time.

        Raises:
            DeclarationError: it is another file, one of a newer conqret, or empty and opened only to read.
            sqlite3.OperationalError: another process blocks it for too long.
        """
        address = self.path.absolute().as_uri()
        if (
            read_only
        ):  # SQLite keeps a file next to the store even for reading, unless it is opened as immutable
            idle = untouched and not self.path.with_name(f"{self.path.name}-wal").exists()
            address += "?mode=ro" if os.access(self.path.parent, os.W_OK) and not idle else "?immutable=1"
        db = sqlite3.connect(
            address, uri=True, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, min(4 * ANSWER.most, 10**9))
        db.execute("PRAGMA trusted_schema = OFF")  # a file of others may bring views and triggers
        db.text_factory = lambda data: data.decode("utf-8", "replace")  # what is corrupt has another checksum
        application, version, tables, table, columns = db.execute(_STATE).fetchone()
        if application != _APPLICATION_ID and tables:
            raise DeclarationError(f"{self.path}: this SQLite file is not a file of recordings")
        if version > SCHEMA_VERSION:
            raise DeclarationError(
                f"{self.path}: written by a newer conqret (schema {version}, this one knows {SCHEMA_VERSION}); "
                "update conqret"
            )
        if tables and (not table or columns != ",".join(COLUMNS)):
            raise DeclarationError(
                f"{self.path}: this SQLite file contains no recordings in conqret's format"
            )
        if not tables and read_only:
            raise DeclarationError(f"{self.path}: this file is empty; name a file of recordings")
        deadline = time.monotonic() + BUSY_SECONDS
        while not tables:
            try:  # SQLite does not wait for others here, as it does elsewhere; so it is tried again
                db.execute("PRAGMA journal_mode = WAL")
            except sqlite3.OperationalError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.01)
            else:
                db.executescript(_MAKE)
                break
        db.execute("PRAGMA synchronous = NORMAL")
        return db


def store_file(store: str | Path) -> Path:
    """Return the path of a store's file: ``store`` itself, or the store in it where it is a run folder."""
    return Path(store) / STORE_NAME if Path(store).is_dir() else Path(store)
