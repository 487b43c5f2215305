"""Who gets which screen, and what was answered: each change is on the disk before anybody is told of it."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from conqret.annotation.database import FILE, Database
from conqret.annotation.screens import Screen
from conqret.annotation.study import MAX_PEOPLE, Study, check_names
from conqret.errors import ConqretError, DeclarationError

MAX_COMMENT = 5_000
"""Characters of a comment."""
BLOCK = 20
"""Screens that all have before anybody goes on to others, each person in an order of their own: a study that ends early
has whole overlaps, and no screen is always first."""
BY_LINK = "joined by the link"
"""What is recorded of those who chose their name."""
_PRIME = 4_294_967_291
"""The largest prime below 2^32: multiples modulo it of a number of the person's own are an order of the screens."""


class StaleAnswerError(ConqretError):
    """Another answer was given meanwhile, in another window; what stands there is kept."""


@dataclass(frozen=True, slots=True)
class Person:
    """Who labels. ``state`` is active, paused, or dropped, whose labels are in no export."""

    number: int
    name: str
    state: str
    agreed: str

    @property
    def pseudonym(self) -> str:
        """The name in every export."""
        return f"p{self.number:02}"


@dataclass(frozen=True, slots=True)
class Turn:
    """A screen that a person was given, and what they answered last: ``answers`` is empty where nothing stands.
    ``revision`` counts what was written, withdrawals included; ``shown`` is when it was first given (Unix seconds), and
    ``started`` when its time began to run, where it has."""

    number: int
    screen: Screen
    state: str
    shown: float
    revision: int
    answers: Mapping[str, str]
    comment: str
    started: float | None = None


@dataclass(frozen=True, slots=True)
class Given:
    """One screen's last answer by one person, for exports. Values are those that the person chose, on the screen as it
    was; :meth:`Screen.written` puts them into the order of the item. ``place`` is the screen's among all, from 1."""

    person: Person
    place: int
    screen: Screen
    answers: Mapping[str, str]
    comment: str
    at: str
    seconds: float
    revision: int


class Ledger:
    """The study in a folder. All methods may be called from any thread."""

    def __init__(self, folder: Path, clock: Callable[[], float] = time.time) -> None:
        if not (folder / FILE).is_file():
            raise DeclarationError(f"{folder} holds no labels of conqret annotate ({FILE})")
        self._database, self.clock = Database(folder), clock
        found = self._database.rows("SELECT body FROM study")
        if not found:
            raise DeclarationError(f"{folder / FILE} holds no study; it was not begun whole: remove it")
        self.study = Study.model_validate_json(found[0]["body"])

    @classmethod
    def open(
        cls,
        folder: Path,
        study: Study,
        screens: Sequence[Screen],
        people: Sequence[str],
        clock: Callable[[], float] = time.time,
        texts: Mapping[str, str] | None = None,
    ) -> Ledger:
        """The study in ``folder``, begun where there is none; ``people`` who are not in it yet join. ``texts`` are kept
        beside the screens that speak of them, by name.

        Raises:
            DeclarationError: the folder holds another study.
        """
        folder.mkdir(parents=True, exist_ok=True)
        begun = Database(folder)
        with begun.change() as connection:
            if connection.execute("SELECT 1 FROM study").fetchone() is None:
                connection.execute("INSERT INTO study VALUES (?)", (study.model_dump_json(),))
                connection.executemany(
                    "INSERT INTO screens (item, part, body, room, person) VALUES (?, ?, ?, ?, ?)",
                    (
                        (one.item, one.part, one.model_dump_json(), study.overlap, one.person)
                        for one in screens
                    ),
                )
                connection.executemany("INSERT INTO texts VALUES (?, ?)", (texts or {}).items())
        begun.close()
        ledger = cls(folder, clock)
        differing = [
            name
            for name in ("task", "items", "overlap", "seed", "estimates")
            if getattr(ledger.study, name) != getattr(study, name)
        ]
        if differing:
            ledger.close()
            raise DeclarationError(
                f"{folder} holds another study: {', '.join(differing)} differ from what is asked for now; "
                "give another folder with -o"
            )
        for name in check_names(people):
            ledger.join(name)
        return ledger

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    # Who

    def join(self, name: str, by_link: int | None = None) -> Person:
        """The person of this name, who is added where there is none. Somebody who comes by the open link, through which
        ``by_link`` people may, is always somebody new.

        Raises:
            DeclarationError: there are as many people as may join, or a newcomer chose somebody's name.
        """
        with self._database.change() as connection:
            found = connection.execute("SELECT * FROM people WHERE name = ?", (name,)).fetchone()
            if by_link is not None:
                self._check_newcomer(connection, name, by_link)
            if found is None:
                (count,) = connection.execute("SELECT COUNT(*) FROM people").fetchone()
                if count >= MAX_PEOPLE:
                    raise DeclarationError(f"there are {MAX_PEOPLE} people already; no one else can join")
                connection.execute("INSERT INTO people (name) VALUES (?)", (name,))
                self._note(connection, "joined" if by_link is None else BY_LINK, name)
                found = connection.execute("SELECT * FROM people WHERE name = ?", (name,)).fetchone()
        return _person(found)

    def _check_newcomer(self, connection: sqlite3.Connection, name: str, most: int) -> None:
        names = {row["name"].casefold() for row in connection.execute("SELECT name FROM people")}
        if name.casefold() in names:
            raise DeclarationError(
                "somebody has this name already; choose another, or use the link that you have"
            )
        (count,) = connection.execute("SELECT COUNT(*) FROM events WHERE what = ?", (BY_LINK,)).fetchone()
        if count >= most:
            raise DeclarationError("as many people as were wanted have joined; thank you for coming")

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
        raise DeclarationError(f"nobody here is called {name!r}; there are {known}")

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
            raise DeclarationError(f"{person.pseudonym} was deleted on request, for good")
        with self._database.change() as connection:
            connection.execute("UPDATE people SET state = ? WHERE number = ?", (state, person.number))
            if state == "dropped":
                self._free(connection, person, "given", "done")
            elif person.state == "dropped":
                self._take_again(connection, person)
            self._note(connection, state, f"{person.name}: {why}" if why else person.name)

    def reassign(self, person: Person) -> int:
        """Give to others what this person was given and has not answered; how many screens that are.

        Raises:
            DeclarationError: these screens are for this person alone.
        """
        with self._database.change() as connection:
            if connection.execute("SELECT 1 FROM screens WHERE person = ?", (person.number,)).fetchone():
                raise DeclarationError(
                    f"{person.name} has screens that were planned for this person; nobody else can have them"
                )
            freed = self._free(connection, person, "given")
            self._note(connection, "reassigned", f"{person.name}: {freed} screens")
        return freed

    def forget(self, person: Person) -> int:
        """Delete all that a person said, and their name, on their request; how many answers that were.

        Others get their screens. What stays is that somebody of this pseudonym was deleted, and when.
        """
        with self._database.change() as connection:
            self._free(connection, person, "given", "done")
            deleted = connection.execute(
                "DELETE FROM answers WHERE turn IN (SELECT number FROM turns WHERE person = ?)",
                (person.number,),
            ).rowcount
            connection.execute("DELETE FROM turns WHERE person = ?", (person.number,))
            connection.execute("DELETE FROM finals WHERE by = ?", (person.name,))
            connection.execute(
                "UPDATE people SET name = ?, state = 'deleted', agreed = '' WHERE number = ?",
                (f"deleted {person.pseudonym}", person.number),
            )
            connection.execute(
                "DELETE FROM events WHERE detail = ? OR detail LIKE ? ESCAPE '\\'",
                (person.name, _escaped(person.name) + ":%"),
            )
            self._note(connection, "deleted", f"{person.pseudonym}, on request: {deleted} answers")
        self._database.forget_deleted()
        return deleted

    # What

    def next(self, person: Person) -> Turn | None:
        """The screen that the person is to answer: one that they have begun, or one that has room; None where nothing
        is left for them. No screen is ever given to more people than the study says."""
        if person.state != "active":
            return None
        with self._database.change() as connection:
            begun = _begun(connection, person) or self._assign(connection, person)
            return self._turn(connection, person, begun["number"]) if begun is not None else None

    def begun(self, person: Person) -> Turn | None:
        """The screen that the person was given and has not answered."""
        with self._database.change() as connection:
            begun = _begun(connection, person)
            return self._turn(connection, person, begun["number"]) if begun is not None else None

    def start(self, person: Person, turn: Turn) -> None:
        """Let the time of a screen run; it begins once, however often this is asked for."""
        with self._database.change() as connection:
            connection.execute(
                "UPDATE turns SET started = ? WHERE number = ? AND person = ? AND started IS NULL",
                (self.clock(), turn.number, person.number),
            )

    def texts(self) -> list[tuple[str, str]]:
        """All texts with their names, in the order in which they were given."""
        return [tuple(row) for row in self._database.rows("SELECT name, body FROM texts ORDER BY rowid")]

    def text(self, name: str) -> str:
        """The text of this name; empty where there is none."""
        found = self._database.rows("SELECT body FROM texts WHERE name = ?", (name,))
        return found[0]["body"] if found else ""

    def turn(self, person: Person, number: int) -> Turn | None:
        """A screen that this person was given, by its number; None where they were not."""
        with self._database.change() as connection:
            return self._turn(connection, person, number)

    def before(self, person: Person, number: int) -> int | None:
        """The number of the turn that the person answered before turn ``number``."""
        found = self._database.rows(
            "SELECT MAX(number) AS number FROM turns WHERE person = ? AND number < ? AND state = 'done'",
            (person.number, number),
        )
        return None if found[0]["number"] is None else int(found[0]["number"])

    def answer(
        self, person: Person, turn: Turn, answers: Mapping[str, str], comment: str, revision: int
    ) -> None:
        """Write down what a person answers who saw what stood at ``revision``. When this returns, it is on the disk.

        The same answer once more (a double click, a page sent again) changes nothing.

        Raises:
            StaleAnswerError: something else was answered meanwhile.
            DeclarationError: the screen is no longer this person's.
        """
        self._write(person, turn, dict(answers), comment[:MAX_COMMENT], revision, "done")

    def answer_and_next(
        self, person: Person, turn: Turn, answers: Mapping[str, str], comment: str, revision: int
    ) -> Turn | None:
        """:meth:`answer`, then :meth:`next`, written together: one wait for the disk instead of two."""
        with self._database.change():
            self.answer(person, turn, answers, comment, revision)
            return self.next(person)

    def draft(self, person: Person, turn: Turn, answers: Mapping[str, str], revision: int) -> None:
        """Write down what is not finished yet: it is in no export, and the screen comes again. Raises what
        :meth:`answer` does."""
        self._write(person, turn, dict(answers), "", revision, "given")

    def withdraw(self, person: Person, turn: Turn, revision: int) -> None:
        """Take the answer back, so that the screen comes again; what was answered stays in the history."""
        self._write(person, turn, {}, "", revision, "given")

    def _write(
        self, person: Person, turn: Turn, answers: dict[str, str], comment: str, revision: int, state: str
    ) -> None:
        with self._database.change() as connection:
            now = self._turn(connection, person, turn.number)
            if now is None or now.state in ("free", "dropped"):
                raise DeclarationError("this screen was given to somebody else meanwhile")
            if now.revision == revision + 1 and (now.answers, now.comment) == (answers, comment):
                return
            if now.revision != revision:
                raise StaleAnswerError("this was answered meanwhile in another window")
            connection.execute(
                "INSERT INTO answers (turn, revision, body, comment, at, seconds) VALUES (?, ?, ?, ?, ?, ?)",
                (
                    turn.number, revision + 1, json.dumps(answers, ensure_ascii=False), comment, self._now(),
                    round(self.clock() - (now.started or now.shown), 3),
                ),
            )  # fmt: skip
            connection.execute("UPDATE turns SET state = ? WHERE number = ?", (state, turn.number))

    # What was said

    def given(self, *, dropped: bool = False, item: str = "") -> Iterator[Given]:
        """The last answer to every screen (of ``item`` alone, where it is given) by every person, in the order of the
        screens; those that were ``dropped`` only where it says so."""
        people = {person.number: person for person in self.people()}
        for row in self._database.rows(
            "SELECT s.number AS place, s.body AS screen, t.person, a.* FROM answers a "
            "JOIN turns t ON t.number = a.turn JOIN screens s ON s.number = t.screen "
            "WHERE t.state IN ('done', ?1) AND ?2 IN ('', s.item) "
            "AND a.revision = (SELECT MAX(revision) FROM answers WHERE turn = a.turn) "
            "ORDER BY s.number, t.person",
            ("dropped" if dropped else "done", item),
        ):
            yield Given(
                people[row["person"]], row["place"], Screen.model_validate_json(row["screen"]), json.loads(row["body"]),
                row["comment"], row["at"], row["seconds"], row["revision"],
            )  # fmt: skip

    def counts(self, person: Person) -> tuple[int, int]:
        """How many screens a person has answered, and how many are left for them, at most."""
        found = self._database.rows(
            "SELECT (SELECT COUNT(*) FROM turns WHERE person = :who AND state = 'done') AS done, "
            "(SELECT COUNT(*) FROM turns WHERE person = :who AND state = 'given') + (SELECT COUNT(*) FROM screens "
            "WHERE room > 0 AND person IN (0, :who) AND number NOT IN (SELECT screen FROM turns WHERE person = :who)) "
            "AS left",
            {"who": person.number},  # type: ignore[arg-type]
        )
        return int(found[0]["done"]), int(found[0]["left"])

    def wanted(self) -> tuple[int, int]:
        """How many labels of screens there are, and how many the study wants."""
        (row,) = self._database.rows("SELECT COUNT(*) AS done FROM turns WHERE state = 'done'")
        return int(row["done"]), self.study.screens * self.study.overlap

    def events(self) -> list[tuple[str, str, str]]:
        """What those who run the study did, and who joined: time, what, and whom it was about."""
        return [tuple(row)[1:] for row in self._database.rows("SELECT * FROM events ORDER BY number")]

    def backup(self, target: Path) -> None:
        """A whole copy of the file, also while labels come in. Raises DeclarationError where it cannot be written."""
        self._database.backup(target)

    # Within a change

    def _assign(self, connection: sqlite3.Connection, person: Person) -> sqlite3.Row | None:
        """A turn of a screen that has room: the first that is planned for the person, else one of the first block that
        has any, in the person's own order."""
        salt = int.from_bytes(
            hashlib.sha256(f"{self.study.seed} {person.number}".encode()).digest()[:4], "big"
        )
        screen = connection.execute(
            "SELECT number FROM screens WHERE room > 0 AND person IN (0, ?1) "
            "AND number NOT IN (SELECT screen FROM turns WHERE person = ?1) "
            "ORDER BY person = 0, CASE person WHEN 0 THEN (number - 1) / ?2 ELSE number END, number * ?3 % ?4 LIMIT 1",
            (person.number, BLOCK, salt | 1, _PRIME),
        ).fetchone()
        if screen is None:
            return None
        connection.execute("UPDATE screens SET room = room - 1 WHERE number = ?", (screen["number"],))
        turn: sqlite3.Row | None = connection.execute(
            "INSERT INTO turns (screen, person, shown) VALUES (?, ?, ?) RETURNING number",
            (screen["number"], person.number, self.clock()),
        ).fetchone()
        return turn

    def _turn(self, connection: sqlite3.Connection, person: Person, number: int) -> Turn | None:
        row = connection.execute(
            "SELECT t.*, s.body FROM turns t JOIN screens s ON s.number = t.screen WHERE t.number = ? AND t.person = ?",
            (number, person.number),
        ).fetchone()
        if row is None:
            return None
        last = connection.execute(
            "SELECT * FROM answers WHERE turn = ? ORDER BY revision DESC LIMIT 1", (number,)
        ).fetchone()
        return Turn(
            number=number,
            screen=Screen.model_validate_json(row["body"]),
            state=row["state"],
            shown=row["shown"],
            revision=last["revision"] if last else 0,
            answers=json.loads(last["body"]) if last else {},
            comment=last["comment"] if last else "",
            started=row["started"],
        )

    def _free(self, connection: sqlite3.Connection, person: Person, *states: str) -> int:
        """Give the room of this person's turns in these states to others; how many."""
        rows = connection.execute(
            "SELECT number, screen, state FROM turns WHERE person = ?", (person.number,)
        ).fetchall()
        freed = [row for row in rows if row["state"] in states]
        for row in freed:
            connection.execute("UPDATE screens SET room = room + 1 WHERE number = ?", (row["screen"],))
            kept = "dropped" if row["state"] == "done" else "free"
            connection.execute("UPDATE turns SET state = ? WHERE number = ?", (kept, row["number"]))
        return len(freed)

    def _take_again(self, connection: sqlite3.Connection, person: Person) -> None:
        """Count the labels of a person who was dropped again, as far as others have not given them meanwhile."""
        rows = connection.execute(
            "SELECT t.number, t.screen FROM turns t JOIN screens s ON s.number = t.screen "
            "WHERE t.person = ? AND t.state = 'dropped' AND s.room > 0",
            (person.number,),
        ).fetchall()
        for row in rows:
            connection.execute("UPDATE screens SET room = room - 1 WHERE number = ?", (row["screen"],))
            connection.execute("UPDATE turns SET state = 'done' WHERE number = ?", (row["number"],))

    def _note(self, connection: sqlite3.Connection, what: str, detail: str) -> None:
        connection.execute(
            "INSERT INTO events (at, what, detail) VALUES (?, ?, ?)", (self._now(), what, detail)
        )

    def _now(self) -> str:
        return datetime.fromtimestamp(self.clock(), UTC).isoformat(timespec="milliseconds")


def _person(row: sqlite3.Row) -> Person:
    return Person(row["number"], row["name"], row["state"], row["agreed"])


def _begun(connection: sqlite3.Connection, person: Person) -> sqlite3.Row | None:
    found: sqlite3.Row | None = connection.execute(
        "SELECT number FROM turns WHERE person = ? AND state = 'given' ORDER BY number LIMIT 1",
        (person.number,),
    ).fetchone()
    return found


def _escaped(text: str) -> str:
    return "".join(f"\\{char}" if char in "\\%_" else char for char in text)
