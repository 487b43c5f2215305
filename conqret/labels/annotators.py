"""The annotators of a study: who joins, pauses, is dropped or forgotten, with a log of each
change; and which screen they get next.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime

from conqret.errors import DeclarationError
from conqret.labels.database import Database
from conqret.labels.screens import MAX_ANNOTATORS, Annotator, Screen, ScreenTurn

BLOCK = 20
"""The screens that all annotators get before anybody goes on to others, each in an order of their own: a
study that ends early has whole overlaps, and no screen is always first.
"""
_PRIME = 4_294_967_291
"""The largest prime below 2^32: multiples modulo it of a number of the annotator's own are an order of the screens."""


def begun(connection: sqlite3.Connection, annotator: Annotator) -> ScreenTurn | None:
    """Return the earliest turn that the annotator was given and has not answered, or None."""
    row = connection.execute(
        "SELECT number FROM turns WHERE person = ? AND state = 'given' ORDER BY number LIMIT 1",
        (annotator.number,),
    ).fetchone()
    return turn_of(connection, annotator, row["number"]) if row is not None else None


def assign(connection: sqlite3.Connection, annotator: Annotator, seed: int, at: float) -> ScreenTurn | None:
    """Assign the annotator a screen that still needs answers, and return it as a turn; None if none is
    left.

    Practice screens come first, then screens planned for this annotator, then the first unfinished block in
    the annotator's own order, which follows from ``seed``. ``at`` is the time (Unix seconds).
    """
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
    """Return the annotator's turn with this number, with its screen and its last answer (empty if there is none); None
    if it is another annotator's, or does not exist."""
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
    """Release the annotator's turns in these states (``given``, ``done``) to other annotators, and return
    their number.

    Practice screens are not released, since every annotator has them.
    """
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
    """Count the labels of a dropped annotator again, except on screens for which enough other annotators have been
    counted meanwhile: those stay dropped. To be called inside a write transaction."""
    rows = connection.execute(
        "SELECT t.number, t.screen FROM turns t JOIN screens s ON s.number = t.screen "
        "WHERE t.person = ? AND t.state = 'dropped' AND s.room > 0",
        (annotator.number,),
    ).fetchall()
    for row in rows:
        connection.execute("UPDATE screens SET room = room - 1 WHERE number = ?", (row["screen"],))
        connection.execute("UPDATE turns SET state = 'done' WHERE number = ?", (row["number"],))


BY_LINK = "joined by the link"
"""The event of an annotator who joined by the open link."""
MAX_COMMENT = 5_000
"""The most characters of a comment."""


class AnnotatorTable:
    """The annotators of a study, stored in its database; all methods are thread-safe.

    All methods raise ``LabelFileError`` if the database cannot be written, and ``CorruptLabelsError`` if it
    is corrupt. ``clock`` returns the time (Unix seconds).
    """

    def __init__(self, database: Database, clock: Callable[[], float]) -> None:
        self._database, self.clock = database, clock

    def join(self, name: str, by_link: int | None = None) -> Annotator:
        """Return the annotator with this name, who is added if new.

        ``by_link`` is the number of annotators who may join by the open link; an annotator who uses it is
        always new.

        Raises:
            DeclarationError: the maximum number of annotators is reached, or a new one chose a name in use.
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
        """Return all annotators, in the order in which they joined."""
        return [_annotator(row) for row in self._database.rows("SELECT * FROM people ORDER BY number")]

    def annotator(self, name: str) -> Annotator:
        """Return the annotator with this name or pseudonym.

        Raises:
            DeclarationError: no annotator has this name.
        """
        known = {
            key: annotator for annotator in self.annotators() for key in (annotator.pseudonym, annotator.name)
        }
        if name not in known:
            names = ", ".join(dict.fromkeys(annotator.name for annotator in known.values()))
            raise DeclarationError(f"no annotator has the name {name!r}; the annotators are {names}")
        return known[name]

    def agree(self, annotator: Annotator) -> None:
        """Record that the annotator consents to the text of the first page."""
        with self._database.change() as connection:
            connection.execute(
                "UPDATE people SET agreed = ? WHERE number = ? AND agreed = ''",
                (self._now(), annotator.number),
            )

    def set_state(self, annotator: Annotator, state: str, why: str = "") -> None:
        """Set the state of an annotator, and record it: ``paused``, ``active`` or ``dropped``.

        The labels of a dropped annotator are left out of exports, and their screens are given to others;
        this can be undone.

        Raises:
            DeclarationError: the annotator was deleted permanently.
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
        """Record the outcome of an annotator's practice and their new state; only the first call has an
        effect.

        If the new state is not active, their unanswered screens are given to others.
        """
        with self._database.change() as connection:
            ended = connection.execute(
                "UPDATE people SET practised = ?, state = ? WHERE number = ? AND practised = '' AND state = 'active'",
                (outcome, state, annotator.number),
            ).rowcount
            if ended and state != "active":
                free(connection, annotator, "given")
                self._note(connection, state, f"{annotator.name}: {outcome}")

    def reassign(self, annotator: Annotator) -> int:
        """Release the screens that this annotator has not answered to others, and return their number.

        Raises:
            DeclarationError: the screens were planned for this annotator only.
        """
        with self._database.change() as connection:
            if connection.execute("SELECT 1 FROM screens WHERE person = ?", (annotator.number,)).fetchone():
                raise DeclarationError(
                    f"the screens of {annotator.name} were planned for this annotator only"
                )
            freed = free(connection, annotator, "given")
            self._note(connection, "reassigned", f"{annotator.name}: {freed} screens")
        return freed

    def forget(self, annotator: Annotator) -> int:
        """Delete an annotator's answers and name, at their request, and return the number of deleted
        answers.

        Their screens are given to others. Their survey, their decisions as adjudicator and the log entries on
        them are deleted, too, also in the backup. Only the pseudonym and the time of the deletion are kept.

        Raises:
            DeclarationError: all is deleted, but another process uses the database, so that traces remain in
                its file.
        """
        with self._database.change() as connection:
            free(connection, annotator, "given", "done")
            deleted = connection.execute(
                "DELETE FROM answers WHERE turn IN (SELECT number FROM turns WHERE person = ?)",
                (annotator.number,),
            ).rowcount
            connection.execute("DELETE FROM turns WHERE person = ?", (annotator.number,))
            connection.execute("DELETE FROM finals WHERE by = ?", (annotator.name,))
            connection.execute("DELETE FROM texts WHERE name = ?", (_survey_name(annotator),))
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

    def answer_survey(self, annotator: Annotator, answers: Mapping[str, str]) -> None:
        """Store an annotator's answers to the survey by question; a later call replaces them."""
        with self._database.change() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO texts (name, body) VALUES (?, ?)",
                (_survey_name(annotator), json.dumps(dict(answers), ensure_ascii=False)),
            )

    def surveys(self) -> Iterator[tuple[Annotator, dict[str, str]]]:
        """Yield the annotators who have answered the survey, with their answers; without those who were
        dropped."""
        rows = self._database.rows("SELECT name, body FROM texts WHERE name LIKE ' %'")
        bodies = {row["name"]: row["body"] for row in rows}
        for annotator in self.annotators():
            if annotator.state != "dropped" and (body := bodies.get(_survey_name(annotator))) is not None:
                yield annotator, json.loads(body)

    def events(self) -> list[tuple[str, str, str]]:
        """Return the log of the study, in order: time (UTC), event, and the annotator concerned with the
        reason.
        """
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


def _survey_name(annotator: Annotator) -> str:
    """The name of the text with an annotator's survey; no question's id begins with a space."""
    return f" survey {annotator.pseudonym}"


def _escaped(text: str) -> str:
    return "".join(f"\\{char}" if char in "\\%_" else char for char in text)
