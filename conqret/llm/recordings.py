"""The store of raw answers: what was answered once is never asked for again.

One SQLite file in WAL mode, so that several processes may read and write at once and a kill loses nothing
that was committed; every answer is committed before it is used.
"""

from __future__ import annotations

import datetime
import os
import sqlite3
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from conqret.errors import DeclarationError, FaultsError
from conqret.io.atomic import replacing
from conqret.io.closing import Closing
from conqret.io.jsonl import JsonLines
from conqret.io.schema import Schema, TableReader
from conqret.llm.recording import Recording, completion_from_json, line_of
from conqret.llm.request import Completion

STORE_NAME = "recordings.sqlite"
"""The name of the store inside a run's directory."""

SCHEMA_VERSION = 1
_APPLICATION_ID = 0x436F6E51  # "ConQ", written into the header of the file
_SQLITE_MAGIC = b"SQLite format 3\x00"

BUSY_SECONDS = 60.0
"""How long to wait for another process that is writing; its commits take well under a millisecond."""

_MAKE = f"""
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS recordings (
    key TEXT PRIMARY KEY, completion TEXT NOT NULL, ask TEXT NOT NULL, item TEXT NOT NULL, model TEXT NOT NULL,
    params TEXT NOT NULL, sample INTEGER NOT NULL, created TEXT NOT NULL
);
PRAGMA application_id = {_APPLICATION_ID};
PRAGMA user_version = {SCHEMA_VERSION};
COMMIT;
"""
_STATE = (
    "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_master) "
    "FROM pragma_application_id, pragma_user_version"
)
_INSERT = "INSERT INTO recordings VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO NOTHING"
_REPLACE = "INSERT OR REPLACE INTO recordings VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
_TOTALS = (
    "SELECT count(*), total(json_extract(completion, '$.prompt_tokens')), "
    "total(json_extract(completion, '$.completion_tokens')), total(json_extract(completion, '$.cost_usd')), "
    "count(json_extract(completion, '$.cost_usd')), coalesce(max(sample) + 1, 0) FROM recordings"
)


@dataclass(frozen=True, slots=True)
class RecordingStats:
    """What a store holds: answers, by model and by ask; samples of each question; tokens; dollars (None if any price is
    unknown)."""

    answers: int
    by_model: Mapping[str, int]
    by_ask: Mapping[str, int]
    samples: int
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float | None


class Recordings(Closing):
    """A store of completions by request key; the first recording of a key wins.

    Raises:
        DeclarationError: the file is no store of recordings, or was written by a newer version.
    """

    def __init__(self, path: str | Path, *, read_only: bool = False) -> None:
        self.path = Path(path)
        self._scratch: tempfile.TemporaryDirectory[str] | None = None
        if read_only and not self.path.is_file():
            raise DeclarationError(f"{self.path}: there is no such store of recordings")
        _check_header(self.path)
        try:
            self._db = self._connect(read_only)
            self._prepare()
        except sqlite3.Error as error:
            raise DeclarationError(
                f"{self.path}: cannot be opened as a store of recordings: {error}"
            ) from error

    @classmethod
    def open_for_replay(cls, path: str | Path) -> Self:
        """Open a store, a JSONL export, or a run directory that holds ``recordings.sqlite``.

        An export is read into a temporary store that is deleted on :meth:`close`.

        Raises:
            DeclarationError: there is nothing such at ``path``, or lines of the export are faulty.
        """
        path = Path(path)
        if path.is_dir():
            inside = path / STORE_NAME
            if not inside.is_file():
                raise DeclarationError(
                    f"{path}: this directory holds no {STORE_NAME}; is it a run's directory?"
                )
            return cls(inside, read_only=True)
        if not path.is_file():
            raise DeclarationError(f"{path}: there are no recordings here")
        with path.open("rb") as file:
            if file.read(len(_SQLITE_MAGIC)) == _SQLITE_MAGIC:
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

    def get(self, key: str) -> Completion | None:
        """The recorded completion, or None; one that cannot be read is none, so that it is asked for again."""
        row = self._db.execute("SELECT completion FROM recordings WHERE key = ?", (key,)).fetchone()
        try:
            return completion_from_json(row[0]) if row else None
        except (ValueError, TypeError, RecursionError):
            return None

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
    ) -> Completion:
        """Record and commit; returns the completion that counts: an earlier one of this key that can be read, if any.

        Raises:
            DeclarationError: the store cannot be written (a full disk, say).
        """
        created = datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
        recording = Recording(
            key=key, completion=completion, ask=ask, item=item, model=model, params=dict(params), sample=sample,
            created=created,
        )  # fmt: skip
        try:
            if self._insert(recording):
                return completion
            earlier = self.get(key)
            if earlier is None:
                self._db.execute(_REPLACE, recording.row())
        except sqlite3.Error as error:
            raise DeclarationError(f"{self.path}: an answer could not be recorded: {error}") from error
        return earlier or completion

    def export_jsonl(self, path: str | Path) -> int:
        """Write every recording as a line, in order of key, to a file that appears whole or not at all.

        Returns the number of lines. They hold keys (hashes), answers and labels; no API key, no prompt.
        """
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        lines = 0
        with replacing(path) as file:
            for row in self._db.execute("SELECT * FROM recordings ORDER BY key"):
                file.write(line_of(row))
                lines += 1
        return lines

    def import_jsonl(self, path: str | Path) -> int:
        """Read an export in, plain or gzipped; recordings that are here already stay as they are.

        Returns how many were new.

        Raises:
            DeclarationError: there is no such file.
            FaultsError: faulty lines, each named with its number; nothing is read in then.
        """
        if not Path(path).is_file():
            raise DeclarationError(f"{path}: there is no such file")
        reader = TableReader(JsonLines(Path(path), str(path)), Schema("a recording", {}))
        self._db.execute("BEGIN IMMEDIATE")
        try:
            found = (reader.model(Recording, row.record) for row in reader.rows())
            new = sum(self._insert(recording) for recording in found if recording is not None)
            reader.finish(FaultsError)
            self._db.execute("COMMIT")
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        return new

    def stats(self) -> RecordingStats:
        """Counts over the whole store."""
        answers, prompt, completed, cost, priced, samples = self._db.execute(_TOTALS).fetchone()
        models = dict(self._db.execute("SELECT model, count(*) FROM recordings GROUP BY 1 ORDER BY 1"))
        asks = dict(self._db.execute("SELECT ask, count(*) FROM recordings GROUP BY 1 ORDER BY 1"))
        return RecordingStats(
            answers, models, asks, samples, int(prompt), int(completed), cost if priced == answers else None
        )

    def close(self) -> None:
        """Close the file; a second call does nothing."""
        self._db.close()
        if self._scratch is not None:
            self._scratch.cleanup()

    def _connect(self, read_only: bool) -> sqlite3.Connection:
        address = self.path.absolute().as_uri()
        if read_only:  # SQLite keeps a file beside the store even for reading, unless told that nobody writes
            address += "?mode=ro" if os.access(self.path.parent, os.W_OK) else "?immutable=1"
        return sqlite3.connect(
            address, uri=True, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )

    def _prepare(self) -> None:
        if not self._known():
            self._switch_to_wal()
            self._db.executescript(_MAKE)
        self._db.execute("PRAGMA synchronous = NORMAL")

    def _known(self) -> bool:
        """Whether the file is a store of ours (seen at one moment: another process may be making it)."""
        application, version, tables = self._db.execute(_STATE).fetchone()
        if application != _APPLICATION_ID and tables:
            raise DeclarationError(f"{self.path}: this SQLite file is no store of recordings")
        if version > SCHEMA_VERSION:
            raise DeclarationError(
                f"{self.path}: written by a newer conqret (schema {version}, this one knows {SCHEMA_VERSION}); "
                "update conqret"
            )
        return bool(tables)

    def _switch_to_wal(self) -> None:
        """SQLite does not wait for others here, as it does elsewhere; so it is tried again."""
        deadline = time.monotonic() + BUSY_SECONDS
        while True:
            try:
                self._db.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.01)

    def _insert(self, recording: Recording) -> int:
        return self._db.execute(_INSERT, recording.row()).rowcount


def _check_header(path: Path) -> None:
    if path.is_dir():
        raise DeclarationError(f"{path}: a directory, not a store of recordings")
    if path.exists() and path.stat().st_size:
        with path.open("rb") as file:
            if file.read(len(_SQLITE_MAGIC)) != _SQLITE_MAGIC:
                raise DeclarationError(f"{path}: this file is no store of recordings; give another path")
    elif not path.parent.is_dir():
        raise DeclarationError(f"{path}: its folder does not exist")
