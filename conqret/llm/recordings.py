"""The store of raw answers: what was answered once is never asked for again.

One SQLite file in WAL mode, so that several processes may read and write at once and a kill loses nothing
that was committed; every answer is committed before it is used. Each has a checksum, which is looked at whenever
it is read: a damaged answer is named, set aside, and asked for again.
"""

from __future__ import annotations

import contextlib
import datetime
import logging
import os
import sqlite3
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from conqret.errors import ConqretError, DeclarationError, FaultsError
from conqret.io.atomic import replacing
from conqret.io.closing import Closing
from conqret.io.jsonl import JsonLines
from conqret.io.limits import ROW
from conqret.io.schema import Schema, TableReader
from conqret.llm.recording import COLUMNS, Recording, checksum
from conqret.llm.redaction import Redaction, secrets_in_use
from conqret.llm.request import Completion

STORE_NAME = "recordings.sqlite"
"""The name of the store inside a run's directory."""

SCHEMA_VERSION = 2
_APPLICATION_ID = 0x436F6E51  # "ConQ", written into the header of the file
SQLITE_MAGIC = b"SQLite format 3\x00"

BUSY_SECONDS = 60.0
"""How long to wait for another process that is writing; its commits take well under a millisecond."""

MAX_NAMED = 10
"""Damaged answers that are named as they are met; ``conqret recordings check`` names all of them."""

_MARK = f"PRAGMA application_id = {_APPLICATION_ID}; PRAGMA user_version = {SCHEMA_VERSION}; COMMIT;"
_ASIDE = "CREATE TABLE IF NOT EXISTS damaged (key, completion, ask, item, model, params, sample, created, checksum);"
_MAKE = f"""
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS recordings (
    key TEXT PRIMARY KEY, completion TEXT NOT NULL, ask TEXT NOT NULL, item TEXT NOT NULL, model TEXT NOT NULL,
    params TEXT NOT NULL, sample INTEGER NOT NULL, created TEXT NOT NULL, checksum TEXT
);
{_ASIDE}
{_MARK}
"""
_ADD_CHECKSUMS = f"""BEGIN IMMEDIATE;
ALTER TABLE recordings ADD COLUMN checksum TEXT;
UPDATE recordings SET checksum = checksum(key, completion, ask, item, model, params, sample, created);
{_ASIDE}
{_MARK}
"""  # noqa: S608 - nothing in it comes from outside
_STATE = (
    "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_master), "
    "(SELECT count(*) FROM sqlite_master WHERE name = 'recordings' AND type = 'table') "
    "AND NOT (SELECT count(*) FROM sqlite_master WHERE type IN ('view', 'trigger')), "
    "(SELECT group_concat(name) FROM pragma_table_info('recordings')) "
    "FROM pragma_application_id, pragma_user_version"
)
_INSERT = "INSERT INTO recordings VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO NOTHING"

_DAMAGE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_FULL = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR)

_log = logging.getLogger(__name__)


class StoreError(ConqretError):
    """A store cannot be read or written just now (a full disk, say); what it holds is kept."""


class DamagedStoreError(StoreError):
    """The file of a store is damaged; ``conqret recordings check --repair`` keeps what can be read of it."""


@dataclass(frozen=True, slots=True)
class RecordingStats:
    """What a store holds: answers, by model and by ask; samples of each question; tokens; dollars (None if any price is
    unknown). ``damaged`` answers count in nothing else."""

    answers: int
    by_model: Mapping[str, int]
    by_ask: Mapping[str, int]
    samples: int
    prompt_tokens: int
    completion_tokens: int
    cost_usd: float | None
    damaged: int


class Recordings(Closing):
    """A store of completions by request key; the first recording of a key wins.

    ``damaged`` counts the damaged answers that were met. ``untouched``: for a short look (with ``read_only``) that
    leaves no file beside a store that nobody is writing.

    Raises:
        DeclarationError: the file is no store of recordings, or was written by a newer version.
        DamagedStoreError: it is a store, but damaged. Every method raises it, too, where it meets damage to the file
            and not to an answer, and StoreError where the file cannot be written.
    """

    def __init__(self, path: str | Path, *, read_only: bool = False, untouched: bool = False) -> None:
        self.path = Path(path)
        self._scratch: tempfile.TemporaryDirectory[str] | None = None
        self._damaged: set[str] = set()
        self._rescue: Path | None = None
        if read_only and not self.path.is_file():
            raise DeclarationError(f"{self.path}: there is no such store of recordings")
        _check_header(self.path)
        with self._guarded("cannot be opened as a store of recordings", DeclarationError):
            self._db = self._connect(read_only, untouched)
            self._prepare(read_only)

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
            if file.read(len(SQLITE_MAGIC)) == SQLITE_MAGIC or path.suffix == Path(STORE_NAME).suffix:
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
    def damaged(self) -> int:
        """How many damaged answers were met."""
        return len(self._damaged)

    def count(self) -> int:
        """How many answers are here, damaged ones too."""
        with self._guarded("the answers could not be counted"):
            (count,) = self._db.execute("SELECT count(*) FROM recordings").fetchone()
        return int(count)

    def get(self, key: str) -> Completion | None:
        """The recorded completion, or None; a damaged one is none, so that it is asked for again."""
        with self._guarded("an answer could not be read"):
            row = self._db.execute("SELECT * FROM recordings WHERE key = ?", (key,)).fetchone()
        found = self._sound(row) if row else None
        return found.completion if found is not None and found.key == key else None

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

        An earlier one that is damaged is set aside.

        Raises:
            StoreError: the store cannot be written (a full disk, say). A remark names the file for temporary files in
                which the answer is kept then, if there is room.
        """
        created = datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
        recording = Recording(
            key=key, completion=completion, ask=ask, item=item, model=model, params=dict(params), sample=sample,
            created=created,
        )  # fmt: skip
        try:
            return self._put(recording)
        except StoreError:
            self._rescue_answer(recording)
            raise

    def recorded(self) -> Iterator[Recording]:
        """Every recording that is as it was recorded, in order of key; the others are named and left out."""
        with self._guarded("the answers could not be read"):
            for row in self._db.execute("SELECT * FROM recordings ORDER BY key"):
                if (found := self._sound(row)) is not None:
                    yield found

    def add(self, rows: Iterable[Recording]) -> int:
        """Add recordings whose keys are not here yet, all or (where one raises) none; returns how many were new."""
        with self._guarded("answers could not be added"), self._transaction():
            return sum(map(self._insert, rows))

    def check(self, *, repair: bool = False) -> tuple[int, list[str]]:
        """Look at the whole file: how many answers are sound, and the names of the damaged ones.

        With ``repair`` these are set aside.

        Raises:
            DamagedStoreError: more than answers is damaged.
        """
        answers, damaged = 0, dict[int, str]()
        with self._guarded("the answers could not be checked"):
            (found,) = self._db.execute("PRAGMA integrity_check(1)").fetchone()
            if found != "ok":
                raise DamagedStoreError(self._is_damaged(found))
            for number, *row in self._db.execute("SELECT rowid, * FROM recordings ORDER BY rowid"):
                try:
                    Recording.of_row(row)
                    answers += 1
                except ValueError:
                    damaged[number] = _named(row)
            if repair and damaged:
                with self._transaction():
                    for number in damaged:
                        self._set_aside(number)
        return answers, list(damaged.values())

    def export_jsonl(
        self, path: str | Path, change: Callable[[Recording], Recording] = lambda recording: recording
    ) -> int:
        """Write every recording as a line, in order of key, to a file that appears whole or not at all.

        Returns the number of lines. They hold keys (hashes), answers and labels, as ``change`` leaves them; no API key
        that is in use here, no prompt.
        """
        redaction = Redaction(secrets_in_use())
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        lines = 0
        with replacing(path) as file:
            for recording in self.recorded():
                file.write(change(_redacted(recording, redaction)).line())
                lines += 1
        return lines

    def import_jsonl(self, path: str | Path) -> int:
        """Read an export in, plain or gzipped; recordings that are here already stay as they are. Keys that are in use
        here are taken out of the answers.

        Returns how many were new.

        Raises:
            DeclarationError: there is no such file.
            FaultsError: faulty lines, each named with its number; nothing is read in then.
        """
        if not Path(path).is_file():
            raise DeclarationError(f"{path}: there is no such file")
        reader = TableReader(JsonLines(Path(path), str(path)), Schema("a recording", {}))

        redaction = Redaction(secrets_in_use())

        def read() -> Iterator[Recording]:
            for row in reader.rows():
                if (recording := reader.model(Recording, row.record)) is not None:
                    yield _redacted(recording, redaction)
            reader.finish(FaultsError)

        return self.add(read())

    def stats(self) -> RecordingStats:
        """Counts over the whole store."""
        models, asks = Counter[str](), Counter[str]()
        prompt = completed = samples = 0
        cost: float | None = 0.0
        for one in self.recorded():
            models[one.model] += 1
            asks[one.ask] += 1
            samples = max(samples, one.sample + 1)
            prompt += one.completion.prompt_tokens or 0
            completed += one.completion.completion_tokens or 0
            paid = one.completion.cost_usd
            cost = None if cost is None or paid is None else cost + paid
        by_model, by_ask = dict(sorted(models.items())), dict(sorted(asks.items()))
        return RecordingStats(
            models.total(), by_model, by_ask, samples, prompt, completed, cost, self.damaged
        )

    def close(self) -> None:
        """Close the file; a second call does nothing."""
        self._db.close()
        if self._scratch is not None:
            self._scratch.cleanup()

    def _connect(self, read_only: bool, untouched: bool) -> sqlite3.Connection:
        address = self.path.absolute().as_uri()
        if read_only:  # SQLite keeps a file beside the store even for reading, unless told that nobody writes
            idle = untouched and not self.path.with_name(f"{self.path.name}-wal").exists()
            address += "?mode=ro" if os.access(self.path.parent, os.W_OK) and not idle else "?immutable=1"
        db = sqlite3.connect(
            address, uri=True, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, min(ROW.most, 10**9))
        db.execute("PRAGMA trusted_schema = OFF")  # a file of others may bring views and triggers
        db.text_factory = lambda data: data.decode("utf-8", "replace")  # what is damaged has another checksum
        db.create_function("checksum", -1, lambda *content: checksum(content))
        return db

    def _prepare(self, read_only: bool) -> None:
        version = self._known()
        if version == 0 and read_only:
            raise DeclarationError(f"{self.path}: this file is empty; it holds no recordings")
        if version == 0:
            self._switch_to_wal()
            self._db.executescript(_MAKE)
        elif version < SCHEMA_VERSION and read_only:
            raise DeclarationError(
                f"{self.path}: written by an older conqret, without checksums; add them with "
                f"`conqret recordings check --repair {self.path}`"
            )
        elif version < SCHEMA_VERSION:
            self._db.executescript(_ADD_CHECKSUMS)
        self._db.execute("PRAGMA synchronous = NORMAL")

    def _known(self) -> int:
        """The version of a store of ours, 0 of an empty one (seen at one moment: another process may be making it)."""
        application, version, tables, table, columns = self._db.execute(_STATE).fetchone()
        if application != _APPLICATION_ID and tables:
            raise DeclarationError(f"{self.path}: this SQLite file is no store of recordings")
        if version > SCHEMA_VERSION:
            raise DeclarationError(
                f"{self.path}: written by a newer conqret (schema {version}, this one knows {SCHEMA_VERSION}); "
                "update conqret"
            )
        wanted = ",".join(COLUMNS if version == SCHEMA_VERSION else COLUMNS[:-1])
        if tables and (not table or columns != wanted):
            raise DeclarationError(
                f"{self.path}: this SQLite file holds no recordings as conqret writes them"
            )
        return version if tables else 0

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

    def _put(self, recording: Recording) -> Completion:
        key, completion = recording.key, recording.completion
        with self._guarded("an answer could not be recorded"):
            if self._insert(recording):
                return completion
            earlier = self.get(key)
            if earlier is None:
                with self._transaction():
                    for (number,) in self._db.execute(
                        "SELECT rowid FROM recordings WHERE key = ?", (key,)
                    ).fetchall():
                        self._set_aside(number)
                    self._insert(recording)
        return earlier or completion

    def _rescue_answer(self, recording: Recording) -> None:
        """Keep an answer that the store does not take in an export for temporary files, if there is room."""
        with contextlib.suppress(OSError):
            if self._rescue is None:
                number, name = tempfile.mkstemp(prefix="conqret-answers-", suffix=".jsonl")
                os.close(number)
                self._rescue = Path(name)
                told = "answers that %s does not take are kept in %s; `conqret recordings import %s %s` adds them"
                _log.warning(told, self.path, name, name, self.path)
            with self._rescue.open("ab", buffering=0) as file:
                whole, line = file.tell(), recording.line()
                if file.write(line) < len(line):
                    file.truncate(whole)

    def _set_aside(self, number: int) -> None:
        """Move a damaged row to where it is no answer."""
        self._db.execute("INSERT INTO damaged SELECT * FROM recordings WHERE rowid = ?", (number,))
        self._db.execute("DELETE FROM recordings WHERE rowid = ?", (number,))

    def _sound(self, row: Sequence[Any]) -> Recording | None:
        """The recording of a row; None, and a remark, where it is damaged."""
        try:
            return Recording.of_row(row)
        except ValueError:
            name = _named(row)
        if name not in self._damaged:
            self._damaged.add(name)
            if self.damaged <= MAX_NAMED:
                _log.warning("%s: a damaged answer is not used: %s", self.path, name)
            elif self.damaged == MAX_NAMED + 1:
                _log.warning("%s: more answers are damaged; `conqret recordings check` names them", self.path)
        return None

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._db.execute("COMMIT")
        except BaseException:
            self._db.rollback()
            raise

    @contextlib.contextmanager
    def _guarded(self, failed: str, family: type[ConqretError] = StoreError) -> Iterator[None]:
        """What SQLite says as an error of ours; ``failed`` and ``family`` where the file is not damaged."""
        try:
            yield
        except sqlite3.Error as error:
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the others say more exactly what is wrong
            if code in _DAMAGE:
                raise DamagedStoreError(self._is_damaged(str(error))) from error
            full = "; make room, and give the command again" if code in _FULL else ""
            raise family(f"{self.path}: {failed}: {error}{full}") from error

    def _is_damaged(self, found: str) -> str:
        return (
            f"{self.path} is damaged ({found}); `conqret recordings check --repair {self.path}` keeps every answer "
            "that can be read of it"
        )


def _redacted(recording: Recording, redaction: Redaction) -> Recording:
    return recording.model_copy(update={"completion": redaction.completion(recording.completion)})


def _named(row: Sequence[Any]) -> str:
    """What a damaged row says that it is."""
    key, _, ask, item, _, _, sample, *_ = row
    return f"{ask} of item {item}, sample {sample} (key {str(key)[:12]})"


def _check_header(path: Path) -> None:
    if path.is_dir():
        raise DeclarationError(f"{path}: a directory, not a store of recordings")
    if path.exists() and path.stat().st_size:
        with path.open("rb") as file:
            if file.read(len(SQLITE_MAGIC)) != SQLITE_MAGIC:
                raise DeclarationError(
                    f"{path}: this file is no store of recordings; give another path (or, where it was one, see "
                    f"what can be read of it: `conqret recordings check {path}`)"
                )
    elif not path.parent.is_dir():
        raise DeclarationError(f"{path}: its folder does not exist")
