"""The SQLite file of a study, whose commits survive a process or a machine that is killed.

Each row ends with a checksum of all that it holds, which SQLite writes by itself: it shows what has changed by
accident, and is no signature.
"""

from __future__ import annotations

import contextlib
import logging
import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from conqret.errors import ConqretError, DeclarationError, number
from conqret.llm.recordings import checksum

FILE = "labels.sqlite"
BACKUP = "labels.backup.sqlite"
"""The copy that is made whenever the pages of a study begin or end to be served."""
BUSY_MS = 10_000
"""Milliseconds for which a statement waits for another process that writes the file."""

LAYOUT = 4
"""The version of the tables below; a file of another version is refused."""
APPLICATION = 0x436F6E4C  # "ConL", written into the header of the file

COLUMNS: Mapping[str, Mapping[str, str]] = {
    table: dict(column.split(" ", 1) for column in columns.split(", "))
    for table, columns in {
        "study": "body TEXT NOT NULL",
        "screens": "number INTEGER PRIMARY KEY, item TEXT NOT NULL, part TEXT NOT NULL, body TEXT NOT NULL, room "
        "INTEGER NOT NULL CHECK (room >= 0), person INTEGER NOT NULL, practice INTEGER NOT NULL",
        "texts": "name TEXT PRIMARY KEY, body TEXT NOT NULL",
        "people": "number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, state TEXT NOT NULL DEFAULT 'active', agreed "
        "TEXT NOT NULL DEFAULT '', practised TEXT NOT NULL DEFAULT ''",
        "turns": "number INTEGER PRIMARY KEY, screen INTEGER NOT NULL REFERENCES screens, person INTEGER NOT NULL "
        "REFERENCES people, state TEXT NOT NULL DEFAULT 'given', shown REAL NOT NULL, started REAL, revision "
        "INTEGER NOT NULL DEFAULT 0",
        "answers": "number INTEGER PRIMARY KEY, turn INTEGER NOT NULL REFERENCES turns, revision INTEGER NOT NULL, "
        "body TEXT NOT NULL, comment TEXT NOT NULL, at TEXT NOT NULL, seconds REAL NOT NULL",
        "finals": "number INTEGER PRIMARY KEY, screen INTEGER NOT NULL REFERENCES screens, body TEXT NOT NULL, comment "
        "TEXT NOT NULL, by TEXT NOT NULL, at TEXT NOT NULL",
        "events": "number INTEGER PRIMARY KEY, at TEXT NOT NULL, what TEXT NOT NULL, detail TEXT NOT NULL",
    }.items()
}
"""What a row of each table holds next to its checksum. ``revision`` of a turn is that of the last of its answers, so
that a lost one is noticed."""

_MORE = {"turns": "UNIQUE (screen, person)", "answers": "UNIQUE (turn, revision)"}
_INDEXES = (
    "CREATE INDEX screens_with_room ON screens (number) WHERE room > 0",
    "CREATE INDEX turns_of_people ON turns (person, state)",
)

_DAMAGE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_ERROR)  # the latter: tables that are not as we made them
_FULL = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR)
_log = logging.getLogger(__name__)


class LabelFileError(ConqretError):
    """Raised when a label database cannot be read or written at the moment, for example on a full disk."""


class CorruptLabelsError(LabelFileError):
    """Raised when a label database is corrupt; the message names its backup."""

    def __init__(self, path: Path, problem: str) -> None:
        backup = path.with_name(BACKUP)
        remedy = (
            f"its last backup is {backup}: stop what uses the study, move {path.name}, {path.name}-wal and "
            f"{path.name}-shm away, and copy {backup.name} to {path.name} (annotators get the items labeled since then "
            "once more)"
            if backup.exists()
            else f"copy a backup to {path} of conqret labels manage FOLDER backup, or begin anew with another folder"
        )
        super().__init__(f"{path} is corrupt ({problem}); {remedy}")


class Database:
    """A connection to the SQLite file of a study, shared by all threads of a process.

    Changes within :meth:`change` are written completely or not at all, and are on disk when the block
    ends.

    Raises:
        DeclarationError: the file is none of labels, or of another layout.
        CorruptLabelsError: it is one, and corrupt. Where it is corrupt later, or cannot be written, methods raise it or
            LabelFileError.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE
        self._lock = threading.RLock()
        self._connection = sqlite3.connect(self.path, isolation_level=None, check_same_thread=False)
        try:
            self._connection.row_factory = sqlite3.Row
            self._connection.create_function(
                "checksum", -1, lambda *content: checksum(content), deterministic=True
            )
            with self._errors():
                self._connection.execute(f"PRAGMA busy_timeout={BUSY_MS}")
                for setting in (
                    "journal_mode=WAL",
                    "synchronous=FULL",
                    "foreign_keys=ON",
                    "secure_delete=ON",
                ):
                    self._connection.execute(f"PRAGMA {setting}")
                self._check_layout()
                self._check_rows()
        except BaseException as error:
            self._connection.close()
            if isinstance(error, sqlite3.Error):
                raise CorruptLabelsError(self.path, str(error)) from None
            raise

    def _check_layout(self) -> None:
        (layout_version,) = self._connection.execute("PRAGMA user_version").fetchone()
        (application,) = self._connection.execute("PRAGMA application_id").fetchone()
        (tables,) = self._connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
        if not layout_version and not tables:
            if self.path.with_name(BACKUP).exists():
                raise CorruptLabelsError(self.path, "it is empty")
            with contextlib.suppress(OSError):
                self.path.chmod(0o600)
            with self.change():
                for table, columns in COLUMNS.items():
                    fields = [f"{name} {kind}" for name, kind in columns.items()]
                    fields.append(
                        f"checksum TEXT NOT NULL AS (checksum('{table}', {', '.join(columns)})) STORED"
                    )
                    fields += [_MORE[table]] if table in _MORE else []
                    self._connection.execute(f"CREATE TABLE {table} ({', '.join(fields)})")
                for statement in _INDEXES:
                    self._connection.execute(statement)
                self._connection.execute(f"PRAGMA application_id={APPLICATION}")
                self._connection.execute(f"PRAGMA user_version={LAYOUT}")
        elif application != APPLICATION:
            raise CorruptLabelsError(self.path, "its tables are not those of a study")
        elif layout_version != LAYOUT:
            raise DeclarationError(
                f"{self.path} has the layout {layout_version}, not {LAYOUT}; give another folder with -o"
            )
        # the tables are ours, and use a function of ours
        self._connection.execute("PRAGMA trusted_schema=ON")

    def _check_rows(self) -> None:
        """Check that all rows are as they were written.

        Raises:
            CorruptLabelsError: the file is corrupt, or a row does not match its checksum.
        """
        damaged = 0
        self._connection.text_factory = lambda data: data.decode("utf-8", "replace")
        self._connection.execute("BEGIN")
        try:
            (integrity,) = self._connection.execute("PRAGMA integrity_check(1)").fetchone()
            for table in COLUMNS:
                rows = self._connection.execute(f"SELECT * FROM {table}")  # noqa: S608 (a name of ours)
                damaged += sum(not is_sound(table, row) for row in rows)
        finally:
            self._connection.execute("ROLLBACK")
            self._connection.text_factory = str
        if damaged or integrity != "ok":
            raise CorruptLabelsError(self.path, number(damaged, "row") if damaged else integrity)

    @contextlib.contextmanager
    def change(self) -> Iterator[sqlite3.Connection]:
        """Open a write transaction as a context manager, committed at the block's end and rolled back after an
        exception. A nested call joins the outer transaction. Other threads and processes wait.

        Raises:
            LabelFileError: the file is corrupt, full or locked for too long.
        """
        with self._lock, self._errors():
            if self._connection.in_transaction:
                yield self._connection
                return
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                self._connection.rollback()  # nothing, where a disk that is full has ended it
                raise

    def rows(self, statement: str, values: Sequence[Any] = ()) -> list[sqlite3.Row]:
        """Return the rows that a read-only statement selects."""
        with self._lock, self._errors():
            return self._connection.execute(statement, values).fetchall()

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        """Turn errors of SQLite inside the block into errors of ours, and log them. Errors that
        say nothing of the file are raised unchanged.

        Raises:
            CorruptLabelsError: the file is corrupt.
            LabelFileError: it cannot be read or written now, for example on a full disk.
        """
        try:
            yield
        except (
            sqlite3.Error,
            UnicodeDecodeError,
        ) as error:  # a message may quote a corrupt name, which is no text
            exact = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT)
            code = exact & 0xFF  # the other bits say more exactly what is wrong
            if code in _DAMAGE:
                file_error: LabelFileError = CorruptLabelsError(self.path, str(error))
            elif code == sqlite3.SQLITE_NOTADB or not isinstance(error, sqlite3.OperationalError):
                raise
            else:
                room = ": is the disk full? Make room" if code in _FULL else ""
                file_error = LabelFileError(f"{self.path} cannot be read or written just now ({error}){room}")
            _log.warning("%s", file_error)
            raise file_error from error

    def backup(self, target: Path) -> None:
        """Copy the database to ``target``, also while it is in use.

        Raises:
            DeclarationError: the target exists, or cannot be written.
        """
        if target.exists():
            raise DeclarationError(f"{target} already exists; give another name")
        try:
            target.touch(0o600, exist_ok=False)
            with self._lock, contextlib.closing(sqlite3.connect(target)) as copy:
                self._connection.backup(copy)
        except (sqlite3.Error, OSError) as error:
            target.unlink(missing_ok=True)
            raise DeclarationError(f"{target} cannot be written: {error}") from None

    def check_and_back_up(self) -> None:
        """Check the database, and replace its backup :data:`BACKUP` by a new copy.

        Raises:
            CorruptLabelsError: the database is corrupt; the earlier backup is kept.
            DeclarationError: the copy cannot be written.
        """
        backup = self.path.with_name(BACKUP)
        part = backup.with_name(f"{BACKUP}.part")
        with self._lock, self._errors():
            self._check_rows()
            part.unlink(missing_ok=True)  # of a process that was killed
            self.backup(part)
            part.replace(backup)

    def forget_deleted(self) -> None:
        """Erase the traces of deleted rows from the database, its journal and its backup.

        Raises:
            DeclarationError: another process is using the database, so that traces remain.
        """
        with self._lock:
            try:
                self._connection.execute("VACUUM")
                (busy, *_) = self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            except sqlite3.OperationalError:
                busy = 1
        if busy:
            raise DeclarationError(
                f"the deleted answers no longer count, but traces remain in {self.path.parent}, "
                "because another process uses it now; run the command again later to remove them"
            )
        if self.path.with_name(BACKUP).exists():
            self.check_and_back_up()

    def close(self) -> None:
        """Close the connection."""
        with self._lock:
            self._connection.close()


def is_sound(table: str, row: Sequence[Any]) -> bool:
    """Return True if a row, whose last value is its checksum, is unchanged since it was written."""
    *content, digest = row
    try:
        return bool(checksum((table, *content)) == digest)
    except (TypeError, RecursionError):
        return False
