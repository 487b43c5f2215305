"""Screens that people are given: which comes next, and what becomes of those that they lose. All of it happens within
a change of the database."""

from __future__ import annotations

import hashlib
import json
import sqlite3

from conqret.labels.records import Person, ScreenTurn
from conqret.labels.screens import Screen

BLOCK = 20
"""Screens that all have before anybody goes on to others, each person in an order of their own: a study that ends early
has whole overlaps, and no screen is always first."""
_PRIME = 4_294_967_291
"""The largest prime below 2^32: multiples modulo it of a number of the person's own are an order of the screens."""


def begun(connection: sqlite3.Connection, person: Person) -> ScreenTurn | None:
    """The turn that the person was given first of those that they have not answered."""
    row = connection.execute(
        "SELECT number FROM turns WHERE person = ? AND state = 'given' ORDER BY number LIMIT 1",
        (person.number,),
    ).fetchone()
    return turn_of(connection, person, row["number"]) if row is not None else None


def assign(connection: sqlite3.Connection, person: Person, seed: int, at: float) -> ScreenTurn | None:
    """A turn of a screen that has room: the first to practise, then the first that is planned for the person, else one
    of the first block that has any, in the person's own order."""
    salt = int.from_bytes(hashlib.sha256(f"{seed} {person.number}".encode()).digest()[:4], "big")
    screen = connection.execute(
        "SELECT number FROM screens WHERE room > 0 AND person IN (0, ?1) "
        "AND number NOT IN (SELECT screen FROM turns WHERE person = ?1) "
        "ORDER BY practice DESC, person = 0, "
        "CASE WHEN person = 0 AND NOT practice THEN (number - 1) / ?2 ELSE number END, number * ?3 % ?4 LIMIT 1",
        (person.number, BLOCK, salt | 1, _PRIME),
    ).fetchone()
    if screen is None:
        return None
    connection.execute("UPDATE screens SET room = room - 1 WHERE number = ?", (screen["number"],))
    (number,) = connection.execute(
        "INSERT INTO turns (screen, person, shown) VALUES (?, ?, ?) RETURNING number",
        (screen["number"], person.number, at),
    ).fetchone()
    return turn_of(connection, person, number)


def turn_of(connection: sqlite3.Connection, person: Person, number: int) -> ScreenTurn | None:
    """A turn of this person's, with what they answered last."""
    row = connection.execute(
        "SELECT t.*, s.body FROM turns t JOIN screens s ON s.number = t.screen WHERE t.number = ? AND t.person = ?",
        (number, person.number),
    ).fetchone()
    if row is None:
        return None
    last = connection.execute(
        "SELECT * FROM answers WHERE turn = ? ORDER BY revision DESC LIMIT 1", (number,)
    ).fetchone()
    return ScreenTurn(
        number=number,
        screen=Screen.model_validate_json(row["body"]),
        state=row["state"],
        shown=row["shown"],
        revision=row["revision"],
        answers=json.loads(last["body"]) if last else {},
        comment=last["comment"] if last else "",
        started=row["started"],
    )


def free(connection: sqlite3.Connection, person: Person, *states: str) -> int:
    """Give the room of this person's turns in these states to others; how many. Practice stays: all have their own."""
    rows = connection.execute(
        "SELECT t.number, t.screen, t.state FROM turns t JOIN screens s ON s.number = t.screen "
        "WHERE t.person = ? AND NOT s.practice",
        (person.number,),
    ).fetchall()
    freed = [row for row in rows if row["state"] in states]
    for row in freed:
        connection.execute("UPDATE screens SET room = room + 1 WHERE number = ?", (row["screen"],))
        kept = "dropped" if row["state"] == "done" else "free"
        connection.execute("UPDATE turns SET state = ? WHERE number = ?", (kept, row["number"]))
    return len(freed)


def take_again(connection: sqlite3.Connection, person: Person) -> None:
    """Count the labels of a person who was dropped again, as far as others have not given them meanwhile."""
    rows = connection.execute(
        "SELECT t.number, t.screen FROM turns t JOIN screens s ON s.number = t.screen "
        "WHERE t.person = ? AND t.state = 'dropped' AND s.room > 0",
        (person.number,),
    ).fetchall()
    for row in rows:
        connection.execute("UPDATE screens SET room = room - 1 WHERE number = ?", (row["screen"],))
        connection.execute("UPDATE turns SET state = 'done' WHERE number = ?", (row["number"],))
