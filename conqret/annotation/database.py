"""The file in which a study stands: SQLite, whose commits survive a process or a machine that is killed."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from conqret.errors import DeclarationError

FILE = "labels.sqlite"
LAYOUT = 3
"""The number of the layout below; a file of another is refused."""
BUSY_MS = 10_000
"""How long a statement waits for another process that writes the file."""

_TABLES = """
CREATE TABLE study (body TEXT NOT NULL);
CREATE TABLE screens (
    number INTEGER PRIMARY KEY, item TEXT NOT NULL, part TEXT NOT NULL, body TEXT NOT NULL,
    room INTEGER NOT NULL CHECK (room >= 0), person INTEGER NOT NULL, practice INTEGER NOT NULL);
CREATE TABLE texts (name TEXT PRIMARY KEY, body TEXT NOT NULL);
CREATE INDEX screens_with_room ON screens (number) WHERE room > 0;
CREATE TABLE people (
    number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, state TEXT NOT NULL DEFAULT 'active',
    agreed TEXT NOT NULL DEFAULT '', practised TEXT NOT NULL DEFAULT '');
CREATE TABLE turns (
    number INTEGER PRIMARY KEY, screen INTEGER NOT NULL REFERENCES screens, person INTEGER NOT NULL REFERENCES people,
    state TEXT NOT NULL DEFAULT 'given', shown REAL NOT NULL, started REAL,
    UNIQUE (screen, person));
CREATE INDEX turns_of_people ON turns (person, state);
CREATE TABLE answers (
    number INTEGER PRIMARY KEY, turn INTEGER NOT NULL REFERENCES turns, revision INTEGER NOT NULL,
    body TEXT NOT NULL, comment TEXT NOT NULL, at TEXT NOT NULL, seconds REAL NOT NULL, UNIQUE (turn, revision));
CREATE TABLE finals (
    number INTEGER PRIMARY KEY, screen INTEGER NOT NULL REFERENCES screens, body TEXT NOT NULL, comment TEXT NOT NULL,
    by TEXT NOT NULL, at TEXT NOT NULL);
CREATE TABLE events (number INTEGER PRIMARY KEY, at TEXT NOT NULL, what TEXT NOT NULL, detail TEXT NOT NULL);
"""


class Database:
    """One connection to the file of a study, for all threads of a process.

    What is done in :meth:`change` is written whole and stays, or is not written; it is on the disk when the block ends.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE
        self._lock = threading.RLock()
        try:
            self._connection = sqlite3.connect(self.path, isolation_level=None, check_same_thread=False)
            self._connection.row_factory = sqlite3.Row
            for setting in (
                f"busy_timeout={BUSY_MS}", "journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "secure_delete=ON"
            ):  # fmt: skip
                self._connection.execute(f"PRAGMA {setting}")
            self._check_layout()
        except sqlite3.Error as error:
            raise DeclarationError(
                f"{self.path} is no file of labels that can be read ({error}); give another folder with -o"
            ) from None

    def _check_layout(self) -> None:
        (found,) = self._connection.execute("PRAGMA user_version").fetchone()
        if found == 0 and not self._connection.execute("SELECT 1 FROM sqlite_master").fetchone():
            with contextlib.suppress(OSError):
                self.path.chmod(0o600)
            with self.change():
                for statement in filter(str.strip, _TABLES.split(";")):
                    self._connection.execute(statement)
                self._connection.execute(f"PRAGMA user_version={LAYOUT}")
        elif found != LAYOUT:
            raise DeclarationError(
                f"{self.path} has another layout ({found}) than this version writes ({LAYOUT}); "
                "give another folder with -o"
            )

    @contextlib.contextmanager
    def change(self) -> Iterator[sqlite3.Connection]:
        """Read and write with no other writer in between. A change within a change is part of it."""
        with self._lock:
            if self._connection.in_transaction:
                yield self._connection
                return
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")

    def rows(self, statement: str, values: Sequence[Any] = ()) -> list[sqlite3.Row]:
        """What a statement that only reads finds."""
        with self._lock:
            return self._connection.execute(statement, values).fetchall()

    def backup(self, target: Path) -> None:
        """A whole copy of the file as it is now, also while labels come in.

        Raises:
            DeclarationError: there is such a file, or it cannot be written.
        """
        if target.exists():
            raise DeclarationError(f"{target} is there already; give another name")
        try:
            target.touch(0o600, exist_ok=False)
            with self._lock, contextlib.closing(sqlite3.connect(target)) as copy:
                self._connection.backup(copy)
        except (sqlite3.Error, OSError) as error:
            raise DeclarationError(f"{target} cannot be written: {error}") from None

    def forget_deleted(self) -> None:
        """Take what was deleted out of the file and out of the journal beside it.

        Raises:
            DeclarationError: another process reads or writes without a pause.
        """
        with self._lock:
            try:
                self._connection.execute("VACUUM")
                (busy, *_) = self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            except sqlite3.OperationalError:
                busy = 1
        if busy:
            raise DeclarationError(
                f"what was deleted counts nowhere any more, but traces are left in {self.path.parent}: others use it "
                "now; give the command again in a quieter moment"
            )

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()
