"""Who takes part in a study: who joins, pauses, is left out, or wants to be forgotten; each change is recorded."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime

from conqret.errors import DeclarationError
from conqret.labels import turns
from conqret.labels.database import Database
from conqret.labels.label_study import MAX_PEOPLE
from conqret.labels.records import Person

BY_LINK = "joined by the link"
"""What is recorded of those who chose their name."""
MAX_COMMENT = 5_000
"""Characters of a comment."""


class People:
    """The people of a study. All methods may be called from any thread."""

    def __init__(self, database: Database, clock: Callable[[], float]) -> None:
        self._database, self.clock = database, clock

    def join(self, name: str, by_link: int | None = None) -> Person:
        """The person of this name, who is added where there is none. Somebody who comes by the open link, through which
        ``by_link`` people may, is always somebody new.

        Raises:
            DeclarationError: there are as many people as may join, or a newcomer chose somebody's name.
        """
        with self._database.change() as connection:
            row = connection.execute("SELECT * FROM people WHERE name = ?", (name,)).fetchone()
            if by_link is not None:
                self._check_newcomer(connection, name, by_link)
            if row is None:
                (count,) = connection.execute("SELECT COUNT(*) FROM people").fetchone()
                if count >= MAX_PEOPLE:
                    raise DeclarationError(f"{MAX_PEOPLE} annotators have joined, and no more can")
                connection.execute("INSERT INTO people (name) VALUES (?)", (name,))
                self._note(connection, "joined" if by_link is None else BY_LINK, name)
                row = connection.execute("SELECT * FROM people WHERE name = ?", (name,)).fetchone()
        return _person(row)

    def _check_newcomer(self, connection: sqlite3.Connection, name: str, most: int) -> None:
        names = {row["name"].casefold() for row in connection.execute("SELECT name FROM people")}
        if name.casefold() in names:
            raise DeclarationError(
                "this name is already taken; choose another, or use the link that you have"
            )
        (count,) = connection.execute("SELECT COUNT(*) FROM events WHERE what = ?", (BY_LINK,)).fetchone()
        if count >= most:
            raise DeclarationError("all places in this study are taken; thank you for your interest")

    def people(self) -> list[Person]:
        """Everybody, in the order in which they joined."""
        return [_person(row) for row in self._database.rows("SELECT * FROM people ORDER BY number")]

    def person(self, name: str) -> Person:
        """The person of this name or pseudonym.

        Raises:
            DeclarationError: there is none.
        """
        everybody = self.people()
        for person in everybody:
            if name in (person.name, person.pseudonym):
                return person
        known = ", ".join(person.name for person in everybody)
        raise DeclarationError(f"no annotator has the name {name!r}; the annotators are {known}")

    def agree(self, person: Person) -> None:
        """The person consents to what the first page says."""
        with self._database.change() as connection:
            connection.execute(
                "UPDATE people SET agreed = ? WHERE number = ? AND agreed = ''", (self._now(), person.number)
            )

    def set_state(self, person: Person, state: str, why: str = "") -> None:
        """Pause a person (``paused``), let them go on (``active``), or drop their labels (``dropped``): they are in no
        export then, and others get their screens. It is recorded, and can be undone.

        Raises:
            DeclarationError: the person was deleted, for good.
        """
        if person.state == "deleted":
            raise DeclarationError(f"{person.pseudonym} was deleted on request and cannot come back")
        with self._database.change() as connection:
            connection.execute("UPDATE people SET state = ? WHERE number = ?", (state, person.number))
            if state == "dropped":
                turns.free(connection, person, "given", "done")
            elif person.state == "dropped":
                turns.take_again(connection, person)
            self._note(connection, state, f"{person.name}: {why}" if why else person.name)

    def end_practice(self, person: Person, outcome: str, state: str) -> None:
        """Write down how a person's practice went, and in which state they are then; it ends once, however often this
        is asked for. What they were given besides, in another window, goes to others where they are to wait."""
        with self._database.change() as connection:
            ended = connection.execute(
                "UPDATE people SET practised = ?, state = ? WHERE number = ? AND practised = '' AND state = 'active'",
                (outcome, state, person.number),
            ).rowcount
            if ended and state != "active":
                turns.free(connection, person, "given")
                self._note(connection, state, f"{person.name}: {outcome}")

    def reassign(self, person: Person) -> int:
        """Give to others what this person was given and has not answered; how many screens that are.

        Raises:
            DeclarationError: these screens are for this person alone.
        """
        with self._database.change() as connection:
            if connection.execute("SELECT 1 FROM screens WHERE person = ?", (person.number,)).fetchone():
                raise DeclarationError(
                    f"{person.name} has screens that were planned for this annotator only, so they "
                    "cannot be given to another"
                )
            freed = turns.free(connection, person, "given")
            self._note(connection, "reassigned", f"{person.name}: {freed} screens")
        return freed

    def forget(self, person: Person) -> int:
        """Delete all that a person said, and their name, on their request; how many answers that were.

        Others get their screens. What stays is that somebody of this pseudonym was deleted, and when.
        """
        with self._database.change() as connection:
            turns.free(connection, person, "given", "done")
            deleted = connection.execute(
                "DELETE FROM answers WHERE turn IN (SELECT number FROM turns WHERE person = ?)",
                (person.number,),
            ).rowcount
            connection.execute("DELETE FROM turns WHERE person = ?", (person.number,))
            connection.execute("DELETE FROM finals WHERE by = ?", (person.name,))
            connection.execute(
                "UPDATE people SET name = ?, state = 'deleted', agreed = '', practised = '' WHERE number = ?",
                (f"deleted {person.pseudonym}", person.number),
            )
            connection.execute(
                "DELETE FROM events WHERE detail = ? OR detail LIKE ? ESCAPE '\\'",
                (person.name, _escaped(person.name) + ":%"),
            )
            self._note(connection, "deleted", f"{person.pseudonym}, on request: {deleted} answers")
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


def _person(row: sqlite3.Row) -> Person:
    return Person(row["number"], row["name"], row["state"], row["agreed"], row["practised"])


def _escaped(text: str) -> str:
    return "".join(f"\\{char}" if char in "\\%_" else char for char in text)
