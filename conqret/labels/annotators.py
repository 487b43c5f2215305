"""Who takes part in a study: who joins, pauses, is left out, or wants to be forgotten; each change is recorded;
and which screen they are given next."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime

from conqret.errors import DeclarationError
from conqret.labels.database import Database
from conqret.labels.screens import MAX_ANNOTATORS, Annotator, Screen, ScreenTurn

BLOCK = 20
"""Screens that all have before anybody goes on to others, each annotator in an order of their own: a study that ends
early has whole overlaps, and no screen is always first."""
_PRIME = 4_294_967_291
"""The largest prime below 2^32: multiples modulo it of a number of the annotator's own are an order of the screens."""


def begun(connection: sqlite3.Connection, annotator: Annotator) -> ScreenTurn | None:
    """The turn that the annotator was given first of those that they have not answered."""
    row = connection.execute(
        "SELECT number FROM turns WHERE person = ? AND state = 'given' ORDER BY number LIMIT 1",
        (annotator.number,),
    ).fetchone()
    return turn_of(connection, annotator, row["number"]) if row is not None else None


def assign(connection: sqlite3.Connection, annotator: Annotator, seed: int, at: float) -> ScreenTurn | None:
    """A turn of a screen that has room: the first to practice, then the first that is planned for the annotator, else
    one of the first block that has any, in the annotator's own order."""
    salt = int.from_bytes(hashlib.sha256(f"{seed} {annotator.number}".encode()).digest()[:4], "big")
    screen = connection.execute(
        "SELECT number FROM screens WHERE room > 0 AND person IN (0, ?1) "
        "AND number NOT IN (SELECT screen FROM turns WHERE person = ?1) "
        "ORDER BY practice DESC, person = 0, "
        "CASE WHEN person = 0 AND NOT practice THEN (number - 1) / ?2 ELSE number END, number * ?3 % ?4 LIMIT 1",
        (annotator.number, BLOCK, salt | 1, _PRIME),
    ).fetchone()
    if screen is None:
        return None
    connection.execute("UPDATE screens SET room = room - 1 WHERE number = ?", (screen["number"],))
    (number,) = connection.execute(
        "INSERT INTO turns (screen, person, shown) VALUES (?, ?, ?) RETURNING number",
        (screen["number"], annotator.number, at),
    ).fetchone()
    return turn_of(connection, annotator, number)


def turn_of(connection: sqlite3.Connection, annotator: Annotator, number: int) -> ScreenTurn | None:
    """A turn of this annotator's, with what they answered last."""
    row = connection.execute(
        "SELECT t.*, s.body FROM turns t JOIN screens s ON s.number = t.screen WHERE t.number = ? AND t.person = ?",
        (number, annotator.number),
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


def free(connection: sqlite3.Connection, annotator: Annotator, *states: str) -> int:
    """Give the room of this annotator's turns in these states to others; how many. Practice stays: all have their
    own."""
    rows = connection.execute(
        "SELECT t.number, t.screen, t.state FROM turns t JOIN screens s ON s.number = t.screen "
        "WHERE t.person = ? AND NOT s.practice",
        (annotator.number,),
    ).fetchall()
    freed = [row for row in rows if row["state"] in states]
    for row in freed:
        connection.execute("UPDATE screens SET room = room + 1 WHERE number = ?", (row["screen"],))
        kept = "dropped" if row["state"] == "done" else "free"
        connection.execute("UPDATE turns SET state = ? WHERE number = ?", (kept, row["number"]))
    return len(freed)


def take_again(connection: sqlite3.Connection, annotator: Annotator) -> None:
    """Count the labels of an annotator who was dropped again, as far as others have not given them meanwhile."""
    rows = connection.execute(
        "SELECT t.number, t.screen FROM turns t JOIN screens s ON s.number = t.screen "
        "WHERE t.person = ? AND t.state = 'dropped' AND s.room > 0",
        (annotator.number,),
    ).fetchall()
    for row in rows:
        connection.execute("UPDATE screens SET room = room - 1 WHERE number = ?", (row["screen"],))
        connection.execute("UPDATE turns SET state = 'done' WHERE number = ?", (row["number"],))


BY_LINK = "joined by the link"
"""What is recorded of those who chose their name."""
MAX_COMMENT = 5_000
"""Characters of a comment."""


class AnnotatorTable:
    """The annotators of a study. All methods may be called from any thread."""

    def __init__(self, database: Database, clock: Callable[[], float]) -> None:
        self._database, self.clock = database, clock

    def join(self, name: str, by_link: int | None = None) -> Annotator:
        """The annotator of this name, who is added where there is none. An annotator who comes by the open link,
        through which ``by_link`` annotators may, is always a new annotator.

        Raises:
            DeclarationError: there are as many annotators as may join, or a newcomer chose an annotator's name.
        """
        with self._database.change() as connection:
            if by_link is not None:
                self._check_newcomer(connection, name, by_link)
            if connection.execute("SELECT 1 FROM people WHERE name = ?", (name,)).fetchone() is None:
                (count,) = connection.execute("SELECT COUNT(*) FROM people").fetchone()
                if count >= MAX_ANNOTATORS:
                    raise DeclarationError(f"{MAX_ANNOTATORS} annotators have joined, and no more can")
                connection.execute("INSERT INTO people (name) VALUES (?)", (name,))
                self._note(connection, "joined" if by_link is None else BY_LINK, name)
            row = connection.execute("SELECT * FROM people WHERE name = ?", (name,)).fetchone()
        return _annotator(row)

    def _check_newcomer(self, connection: sqlite3.Connection, name: str, most: int) -> None:
        names = {row["name"].casefold() for row in connection.execute("SELECT name FROM people")}
        if name.casefold() in names:
            raise DeclarationError(
                "this name is already taken; choose another, or use the link that you have"
            )
        (count,) = connection.execute("SELECT COUNT(*) FROM events WHERE what = ?", (BY_LINK,)).fetchone()
        if count >= most:
            raise DeclarationError("all places in this study are taken; thank you for your interest")

    def annotators(self) -> list[Annotator]:
        """Everybody, in the order in which they joined."""
        return [_annotator(row) for row in self._database.rows("SELECT * FROM people ORDER BY number")]

    def annotator(self, name: str) -> Annotator:
        """The annotator of this name or pseudonym.

        Raises:
            DeclarationError: there is none.
        """
        known = {
            key: annotator for annotator in self.annotators() for key in (annotator.pseudonym, annotator.name)
        }
        if name not in known:
            names = ", ".join(dict.fromkeys(annotator.name for annotator in known.values()))
            raise DeclarationError(f"no annotator has the name {name!r}; the annotators are {names}")
        return known[name]

    def agree(self, annotator: Annotator) -> None:
        """The annotator consents to what the first page says."""
        with self._database.change() as connection:
            connection.execute(
                "UPDATE people SET agreed = ? WHERE number = ? AND agreed = ''",
                (self._now(), annotator.number),
            )

    def set_state(self, annotator: Annotator, state: str, why: str = "") -> None:
        """Pause an annotator (``paused``), let them go on (``active``), or drop their labels (``dropped``): they are in
        no export then, and others get their screens. It is recorded, and can be undone.

        Raises:
            DeclarationError: the annotator was deleted, for good.
        """
        if annotator.state == "deleted":
            raise DeclarationError(f"{annotator.pseudonym} was deleted on request and cannot come back")
        with self._database.change() as connection:
            connection.execute("UPDATE people SET state = ? WHERE number = ?", (state, annotator.number))
            if state == "dropped":
                free(connection, annotator, "given", "done")
            elif annotator.state == "dropped":
                take_again(connection, annotator)
            self._note(connection, state, f"{annotator.name}: {why}" if why else annotator.name)

    def end_practice(self, annotator: Annotator, outcome: str, state: str) -> None:
        """Write down how an annotator's practice went, and in which state they are then; it ends once, however often
        this is requested. What they were given besides, in another window, goes to others where they are to wait."""
        with self._database.change() as connection:
            ended = connection.execute(
                "UPDATE people SET practised = ?, state = ? WHERE number = ? AND practised = '' AND state = 'active'",
                (outcome, state, annotator.number),
            ).rowcount
            if ended and state != "active":
                free(connection, annotator, "given")
                self._note(connection, state, f"{annotator.name}: {outcome}")

    def reassign(self, annotator: Annotator) -> int:
        """Give to others what this annotator was given and has not answered; how many screens that are.

        Raises:
            DeclarationError: these screens are for this annotator alone.
        """
        with self._database.change() as connection:
            if connection.execute("SELECT 1 FROM screens WHERE person = ?", (annotator.number,)).fetchone():
                raise DeclarationError(
                    f"{annotator.name} has screens that were planned for this annotator only, so they "
                    "cannot be given to another"
                )
            freed = free(connection, annotator, "given")
            self._note(connection, "reassigned", f"{annotator.name}: {freed} screens")
        return freed

    def forget(self, annotator: Annotator) -> int:
        """Delete all that an annotator said, and their name, on their request; how many answers that were.

        Others get their screens. What stays is that an annotator of this pseudonym was deleted, and when.
        """
        with self._database.change() as connection:
            free(connection, annotator, "given", "done")
            deleted = connection.execute(
                "DELETE FROM answers WHERE turn IN (SELECT number FROM turns WHERE person = ?)",
                (annotator.number,),
            ).rowcount
            connection.execute("DELETE FROM turns WHERE person = ?", (annotator.number,))
            connection.execute("DELETE FROM finals WHERE by = ?", (annotator.name,))
            connection.execute(
                "UPDATE people SET name = ?, state = 'deleted', agreed = '', practised = '' WHERE number = ?",
                (f"deleted {annotator.pseudonym}", annotator.number),
            )
            connection.execute(
                "DELETE FROM events WHERE detail = ? OR detail LIKE ? ESCAPE '\\'",
                (annotator.name, _escaped(annotator.name) + ":%"),
            )
            self._note(connection, "deleted", f"{annotator.pseudonym}, on request: {deleted} answers")
        self._database.forget_deleted()
        return deleted

    def events(self) -> list[tuple[str, str, str]]:
        """What those who run the study did, and who joined: time, what, and whom it was about."""
        rows = self._database.rows("SELECT at, what, detail FROM events ORDER BY number")
        return [(row["at"], row["what"], row["detail"]) for row in rows]

    def _note(self, connection: sqlite3.Connection, what: str, detail: str) -> None:
        connection.execute(
            "INSERT INTO events (at, what, detail) VALUES (?, ?, ?)", (self._now(), what, detail)
        )

    def _now(self) -> str:
        return datetime.now(UTC).isoformat(timespec="milliseconds")


def _annotator(row: sqlite3.Row) -> Annotator:
    return Annotator(row["number"], row["name"], row["state"], row["agreed"], row["practised"])


def _escaped(text: str) -> str:
    return "".join(f"\\{char}" if char in "\\%_" else char for char in text)
