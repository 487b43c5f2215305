"""The tables of a study's file. Each row ends with a checksum of all that it holds, which SQLite writes by itself: it
shows what has changed by accident, and is no signature."""

from __future__ import annotations

import functools
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from conqret.llm.store_file import checksum

LAYOUT = 4
"""The number of the layout below; a file of another is refused."""
APPLICATION = 0x436F6E4C  # "ConL", written into the header of the file

COLUMNS: Mapping[str, Mapping[str, str]] = {
    "study": {"body": "TEXT NOT NULL"},
    "screens": {
        "number": "INTEGER PRIMARY KEY", "item": "TEXT NOT NULL", "part": "TEXT NOT NULL", "body": "TEXT NOT NULL",
        "room": "INTEGER NOT NULL CHECK (room >= 0)", "person": "INTEGER NOT NULL", "practice": "INTEGER NOT NULL",
    },
    "texts": {"name": "TEXT PRIMARY KEY", "body": "TEXT NOT NULL"},
    "people": {
        "number": "INTEGER PRIMARY KEY", "name": "TEXT NOT NULL UNIQUE", "state": "TEXT NOT NULL DEFAULT 'active'",
        "agreed": "TEXT NOT NULL DEFAULT ''", "practised": "TEXT NOT NULL DEFAULT ''",
    },
    "turns": {
        "number": "INTEGER PRIMARY KEY", "screen": "INTEGER NOT NULL REFERENCES screens",
        "person": "INTEGER NOT NULL REFERENCES people", "state": "TEXT NOT NULL DEFAULT 'given'",
        "shown": "REAL NOT NULL", "started": "REAL", "revision": "INTEGER NOT NULL DEFAULT 0",
    },
    "answers": {
        "number": "INTEGER PRIMARY KEY", "turn": "INTEGER NOT NULL REFERENCES turns", "revision": "INTEGER NOT NULL",
        "body": "TEXT NOT NULL", "comment": "TEXT NOT NULL", "at": "TEXT NOT NULL", "seconds": "REAL NOT NULL",
    },
    "finals": {
        "number": "INTEGER PRIMARY KEY", "screen": "INTEGER NOT NULL REFERENCES screens", "body": "TEXT NOT NULL",
        "comment": "TEXT NOT NULL", "by": "TEXT NOT NULL", "at": "TEXT NOT NULL",
    },
    "events": {
        "number": "INTEGER PRIMARY KEY", "at": "TEXT NOT NULL", "what": "TEXT NOT NULL", "detail": "TEXT NOT NULL",
    },
}  # fmt: skip
"""What a row of each table holds beside its checksum. ``revision`` of a turn is that of the last of its answers, so
that a lost one is noticed."""

_MORE = {"turns": "UNIQUE (screen, person)", "answers": "UNIQUE (turn, revision)"}
_INDEXES = (
    "CREATE INDEX screens_with_room ON screens (number) WHERE room > 0",
    "CREATE INDEX turns_of_people ON turns (person, state)",
)


def statements() -> Iterator[str]:
    """The statements that make the tables."""
    for table, columns in COLUMNS.items():
        fields = [f"{name} {kind}" for name, kind in columns.items()]
        fields.append(f"checksum TEXT NOT NULL AS (checksum('{table}', {', '.join(columns)})) STORED")
        more = [_MORE[table]] if table in _MORE else []
        yield f"CREATE TABLE {table} ({', '.join(fields + more)})"
    yield from _INDEXES


@functools.cache
def schema() -> frozenset[tuple[str, ...]]:
    """What SQLite says of the tables of a sound file."""
    db = sqlite3.connect(":memory:")
    try:
        prepare(db)
        for statement in statements():
            db.execute(statement)
        return schema_of(db)
    finally:
        db.close()


def schema_of(db: sqlite3.Connection) -> frozenset[tuple[str, ...]]:
    """What SQLite says of the tables and indexes of a file; earlier ones have triggers, too."""
    rows = db.execute(
        "SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_master WHERE type != 'trigger'"
    )
    return frozenset(tuple(row) for row in rows)


def prepare(db: sqlite3.Connection) -> None:
    """Give a connection the function that the tables use."""
    db.create_function("checksum", -1, lambda *content: checksum(content), deterministic=True)


def is_sound(table: str, row: Sequence[Any]) -> bool:
    """Whether a row, with its checksum at its end, is as it was written."""
    *content, digest = row
    try:
        return bool(checksum((table, *content)) == digest)
    except (TypeError, RecursionError):
        return False
