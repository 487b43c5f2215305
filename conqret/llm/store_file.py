"""The SQLite file of a store of recordings: opened, known for one of ours, and its faults told as ours."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sqlite3
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, TypeAdapter, model_validator

from conqret.errors import ConqretError, DeclarationError
from conqret.io.jsonl import compact
from conqret.io.limits import ANSWER
from conqret.llm.request import Completion

_COMPLETION = TypeAdapter(Completion)
_encode = json.JSONEncoder(separators=(",", ":")).encode
_encode_sorted = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode


class Recording(BaseModel):
    """An answer with its key, what it was asked with, and labels for people.

    A row and a line end with a checksum of all that they hold. It shows what has changed by accident; it is no
    signature. A line may lack it.
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
    def of_row(cls, row: Sequence[Any]) -> Self:
        """The recording that :meth:`row` wrote.

        Raises:
            ValueError: the row is damaged.
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
        """The row of the store; completion and params are JSON there."""
        completion, params = completion_to_json(self.completion), dumps(self.params)
        content = (self.key, completion, self.ask, self.item, self.model, params, self.sample, self.created)
        return *content, checksum(content)

    def line(self) -> bytes:
        """The line of an export."""
        completion = json.loads(completion_to_json(self.completion))
        content = self.model_dump(exclude={"completion"}) | {"completion": completion}
        return dumps(content | {"checksum": checksum(content)}).encode() + b"\n"

    def __str__(self) -> str:
        """What was asked, in a few words."""
        return f"{self.ask} of item {self.item}, sample {self.sample} (key {self.key[:12]})"


COLUMNS = (*Recording.model_fields, "checksum")
"""The columns of the store."""


def checksum(content: Any) -> str:
    """The first 16 hex digits of the sha256 of plain data."""
    data = compact(content) if isinstance(content, (tuple, list)) else dumps(content).encode()
    return hashlib.sha256(data).hexdigest()[:16]


def completion_to_json(completion: Completion) -> str:
    """The completion as compact JSON; fields that are None are left out."""
    return _encode(_COMPLETION.dump_python(completion, exclude_none=True))


def dumps(value: Any) -> str:
    """Compact JSON with sorted keys, readable in every language; half a surrogate pair is escaped."""
    return _encode_sorted(value).encode("utf-8", "backslashreplace").decode()


MAGIC = b"SQLite format 3\x00"
"""How a file begins."""
SCHEMA_VERSION = 2
_APPLICATION_ID = 0x436F6E51  # "ConQ", written into the header of the file

BUSY_SECONDS = 60.0
"""How long to wait for another process that is writing; its commits take well under a millisecond."""

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
    """A store cannot be read or written just now (a full disk, say); what it holds is kept."""


class DamagedStoreError(StoreError):
    """The file of a store is damaged; ``conqret runs recordings export`` keeps what can be read of it."""


class StoreFile:
    """The file at ``path``; ``untouched``: for a short look (with ``read_only``) that leaves no file beside it.

    Raises:
        DeclarationError: the file is no store of recordings, or was written by a newer version.
        DamagedStoreError: it is a store, but damaged.
    """

    def __init__(self, path: Path, *, read_only: bool = False, untouched: bool = False) -> None:
        self.path = path
        if read_only and not path.is_file():
            raise DeclarationError(f"{path}: this file of recordings does not exist")
        _check_header(path)
        with self.guarded("cannot be opened as a store of recordings", DeclarationError):
            self.db = self._connect(read_only, untouched)
            self._prepare(read_only)

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """What is done inside is written whole, or not at all."""
        self.db.execute("BEGIN IMMEDIATE")
        try:
            yield
            self.db.execute("COMMIT")
        except BaseException:
            self.db.rollback()
            raise

    @contextlib.contextmanager
    def guarded(self, failed: str, family: type[ConqretError] = StoreError) -> Iterator[None]:
        """What SQLite says as an error of ours; ``failed`` and ``family`` where the file is not damaged."""
        try:
            yield
        except (
            sqlite3.Error,
            UnicodeDecodeError,
        ) as error:  # a message that quotes a damaged name is no text
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the others say more exactly what is wrong
            if code in _DAMAGE or isinstance(error, UnicodeDecodeError):
                raise DamagedStoreError(
                    f"{self.path} is corrupt ({error}); `conqret runs recordings export {self.path} saved.jsonl` saves "
                    "every answer that can be read; then move the file away, and `import` saved.jsonl in its place"
                ) from error
            full = "; free some space, and run the command again" if code in _FULL else ""
            raise family(f"{self.path}: {failed}: {error}{full}") from error

    def _connect(self, read_only: bool, untouched: bool) -> sqlite3.Connection:
        address = self.path.absolute().as_uri()
        if read_only:  # SQLite keeps a file beside the store even for reading, unless told that nobody writes
            idle = untouched and not self.path.with_name(f"{self.path.name}-wal").exists()
            address += "?mode=ro" if os.access(self.path.parent, os.W_OK) and not idle else "?immutable=1"
        db = sqlite3.connect(
            address, uri=True, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, min(4 * ANSWER.most, 10**9))
        db.execute("PRAGMA trusted_schema = OFF")  # a file of others may bring views and triggers
        db.text_factory = lambda data: data.decode("utf-8", "replace")  # what is damaged has another checksum
        return db

    def _prepare(self, read_only: bool) -> None:
        """Check that the file is a store of ours, or make an empty one (seen at one moment: another process may be
        making it)."""
        application, version, tables, table, columns = self.db.execute(_STATE).fetchone()
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
        if not tables:
            self._switch_to_wal()
            self.db.executescript(_MAKE)
        self.db.execute("PRAGMA synchronous = NORMAL")

    def _switch_to_wal(self) -> None:
        """SQLite does not wait for others here, as it does elsewhere; so it is tried again."""
        deadline = time.monotonic() + BUSY_SECONDS
        while True:
            try:
                self.db.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.01)


def _check_header(path: Path) -> None:
    if path.is_dir():
        raise DeclarationError(f"{path}: this is a folder, not a file of recordings")
    if path.exists() and path.stat().st_size:
        with path.open("rb") as file:
            if file.read(len(MAGIC)) != MAGIC:
                raise DeclarationError(f"{path}: this is not a file of recordings; give another path")
    elif not path.parent.is_dir():
        raise DeclarationError(f"{path}: its folder does not exist; create it first")
