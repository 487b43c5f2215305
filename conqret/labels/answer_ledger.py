"""The ledger of a study: which annotator gets which screen, and what was answered; each change is on disk
before a method returns.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from conqret.errors import DeclarationError
from conqret.labels.annotators import MAX_COMMENT, AnnotatorTable, assign, begun, turn_of
from conqret.labels.database import BACKUP, FILE, CorruptLabelsError, Database
from conqret.labels.screens import (
    MAX_ANNOTATORS,
    Annotator,
    Final,
    Screen,
    ScreenResponse,
    ScreenTurn,
    StaleAnswerError,
    Study,
    check_names,
)

VERDICT = "verdict"
"""The task of rows of a table, of which a larger sample contains the smaller one."""


def _insert(connection: sqlite3.Connection, study: Study, screens: Sequence[Screen]) -> None:
    """Write screens, each for as many annotators as the study's overlap. A practice screen that is not for one
    annotator is for all of them. To be called inside a write transaction."""
    rows = (
        (
            *(screen.item, screen.part, screen.model_dump_json()),
            MAX_ANNOTATORS if screen.practice and not screen.person else study.overlap,
            *(screen.person, screen.practice),
        )
        for screen in screens
    )
    connection.executemany(
        "INSERT INTO screens (item, part, body, room, person, practice) VALUES (?, ?, ?, ?, ?, ?)", rows
    )


def _enlarge(connection: sqlite3.Connection, study: Study, screens: Sequence[Screen]) -> None:
    """Add the screens that a larger sample has and the stored one lacks; nothing, if it does not contain that one."""
    stored = {row["body"] for row in connection.execute("SELECT body FROM screens")}
    more = [screen for screen in screens if screen.model_dump_json() not in stored]
    if more and len(screens) - len(more) == len(stored):
        connection.execute("UPDATE study SET body = ?", (study.model_dump_json(),))
        _insert(connection, study, more)


class Ledger(AnnotatorTable):
    """The database of an annotation study in a folder; all methods are thread-safe.

    ``clock`` returns the time (Unix seconds; default: the system's).

    Raises:
        DeclarationError: the folder has no study, or one whose creation was interrupted.
        CorruptLabelsError: the database is missing although its backup exists, or it is corrupt; all methods
            raise it, and LabelFileError if it cannot be written.
    """

    def __init__(self, folder: Path, clock: Callable[[], float] | None = None) -> None:
        if not (folder / FILE).is_file():
            if (folder / BACKUP).is_file():
                raise CorruptLabelsError(folder / FILE, "it is missing")
            raise DeclarationError(f"{folder} contains no labels of conqret labels collect ({FILE})")
        super().__init__(Database(folder), clock or time.time)
        rows = self._database.rows("SELECT body FROM study")
        if not rows:
            raise DeclarationError(f"{folder / FILE} contains no study: remove the file")
        self.study = Study.model_validate_json(rows[0]["body"])

    @classmethod
    def open(
        cls,
        folder: Path,
        study: Study,
        screens: Sequence[Screen],
        annotators: Sequence[str],
        clock: Callable[[], float] | None = None,
        texts: Mapping[str, str] | None = None,
    ) -> Ledger:
        """Open the study in ``folder``, or create it; new names in ``annotators`` are added.

        A larger sample of the same table is added to the smaller one.

        ``texts`` maps names to texts that the screens refer to, which are stored with them.

        Raises:
            DeclarationError: the folder holds another study.
        """
        folder.mkdir(parents=True, exist_ok=True)
        screens = sorted(screens, key=lambda screen: screen.practice)  # those to practice last
        begun = Database(folder)
        with begun.change() as connection:
            if connection.execute("SELECT 1 FROM study").fetchone() is None:
                connection.execute("INSERT INTO study (body) VALUES (?)", (study.model_dump_json(),))
                _insert(connection, study, screens)
                connection.executemany("INSERT INTO texts (name, body) VALUES (?, ?)", (texts or {}).items())
            elif study.task == VERDICT:
                _enlarge(connection, study, screens)
        begun.close()
        ledger = cls(folder, clock)
        differing = [
            name
            for name in ("task", "items", "overlap", "seed", "estimates", "passing")
            if getattr(ledger.study, name) != getattr(study, name)
        ]
        if differing:
            ledger.close()
            raise DeclarationError(
                f"{folder} contains another study: {', '.join(differing)} differ; give another folder with -o"
            )
        for name in check_names(annotators):
            ledger.join(name)
        return ledger

    def close(self) -> None:
        """Close the database."""
        self._database.close()

    def backup(self, target: Path) -> None:
        """Copy the database to ``target``, also during use.

        Raises:
            DeclarationError: the target exists, or cannot be written.
        """
        self._database.backup(target)

    def check_and_back_up(self) -> None:
        """Replace the backup next to the database by a new copy.

        Raises:
            CorruptLabelsError: the database is corrupt; the earlier backup is kept.
        """
        self._database.check_and_back_up()

    # What

    def next(self, annotator: Annotator) -> ScreenTurn | None:
        """Return the next screen for the annotator: an unanswered one that they were given, or a new one.

        Return None if nothing is left or the annotator is not active. No screen goes to more annotators
        than the study's overlap.
        """
        if annotator.state != "active":
            return None
        with self._database.change() as connection:
            turn = begun(connection, annotator)
            return turn or assign(connection, annotator, self.study.seed, self.clock())

    def begun(self, annotator: Annotator) -> ScreenTurn | None:
        """Return the earliest turn that the annotator was given and has not answered, or None."""
        with self._database.change() as connection:
            return begun(connection, annotator)

    def start(self, annotator: Annotator, turn: ScreenTurn) -> None:
        """Record that the annotator has started the timer of a screen; only the first call has an effect."""
        with self._database.change() as connection:
            connection.execute(
                "UPDATE turns SET started = ? WHERE number = ? AND person = ? AND started IS NULL",
                (self.clock(), turn.number, annotator.number),
            )

    def texts(self, *, practice: bool = False) -> list[tuple[str, str]]:
        """Return the texts stored with the study as pairs of name and text, in the order in which they
        were given; those of practice if ``practice``, else those of the other screens.
        """
        rows = self._database.rows(
            "SELECT name, body FROM texts WHERE name IN (SELECT item FROM screens WHERE practice = ?) ORDER BY rowid",
            (practice,),
        )
        return [tuple(row) for row in rows]

    def text(self, name: str) -> str:
        """Return the text with this name; empty if there is none."""
        rows = self._database.rows("SELECT body FROM texts WHERE name = ?", (name,))
        return rows[0]["body"] if rows else ""

    def turn(self, annotator: Annotator, number: int) -> ScreenTurn | None:
        """Return the annotator's turn with this number; None if it is not theirs."""
        with self._database.change() as connection:
            return turn_of(connection, annotator, number)

    def before(self, annotator: Annotator, number: int) -> int | None:
        """Return the number of the turn that the annotator answered before turn ``number``, or None."""
        rows = self._database.rows(
            "SELECT MAX(number) AS number FROM turns WHERE person = ? AND number < ? AND state = 'done'",
            (annotator.number, number),
        )
        return None if rows[0]["number"] is None else int(rows[0]["number"])

    def answer(
        self, annotator: Annotator, turn: ScreenTurn, answers: Mapping[str, str], comment: str, revision: int
    ) -> None:
        """Store an annotator's answers to a screen; they are on disk when this returns.

        ``revision`` is the one that the annotator saw. Repeating the same answer, as after a double click,
        has no effect.

        Raises:
            StaleAnswerError: another answer was stored meanwhile.
            DeclarationError: the screen is no longer assigned to this annotator.
        """
        self._write(annotator, turn, answers, comment[:MAX_COMMENT], revision, "done")

    def answer_and_next(
        self, annotator: Annotator, turn: ScreenTurn, answers: Mapping[str, str], comment: str, revision: int
    ) -> ScreenTurn | None:
        """Call :meth:`answer` and :meth:`next` in one transaction, and return the next screen, or None; it
        raises as :meth:`answer`.
        """
        with self._database.change():
            self.answer(annotator, turn, answers, comment, revision)
            return self.next(annotator)

    def draft(
        self, annotator: Annotator, turn: ScreenTurn, answers: Mapping[str, str], revision: int
    ) -> None:
        """Store unfinished answers, which are not exported; the screen is shown again. Without answers this withdraws
        the last ones, which stay in the history.

        ``revision`` is the one that the annotator saw.

        Raises:
            StaleAnswerError: another answer was stored meanwhile.
            DeclarationError: the screen is no longer assigned to this annotator.
        """
        self._write(annotator, turn, answers, "", revision, "given")

    def _write(
        self,
        annotator: Annotator,
        turn: ScreenTurn,
        answers: Mapping[str, str],
        comment: str,
        revision: int,
        state: str,
    ) -> None:
        with self._database.change() as connection:
            now = turn_of(connection, annotator, turn.number)
            if now is None or now.state in ("free", "dropped"):
                raise DeclarationError("this screen was meanwhile given to another annotator")
            if now.revision == revision + 1 and (now.answers, now.comment) == (answers, comment):
                return
            if now.revision != revision:
                raise StaleAnswerError("this was meanwhile answered in another window")
            body = json.dumps(dict(answers), ensure_ascii=False)
            seconds = round(max(0.0, self.clock() - (now.started or now.shown)), 3)  # a clock may be set back
            connection.execute(
                "INSERT INTO answers (turn, revision, body, comment, at, seconds) VALUES (?, ?, ?, ?, ?, ?)",
                (turn.number, revision + 1, body, comment, self._now(), seconds),
            )
            connection.execute(
                "UPDATE turns SET state = ?, revision = ? WHERE number = ?",
                (state, revision + 1, turn.number),
            )

    def screens(self) -> list[Screen]:
        """Return the screens of the study in order, without those of the practice."""
        rows = self._database.rows("SELECT body FROM screens WHERE NOT practice ORDER BY number")
        return [Screen.model_validate_json(row["body"]) for row in rows]

    # What was answered

    def finished_answers(
        self, *, practice: bool = False, item: str = "", annotator: int = 0
    ) -> Iterator[ScreenResponse]:
        """Yield the last answer of each annotator to each screen, in the order of the screens; drafts, and
        answers of dropped annotators, are left out.

        ``item`` and ``annotator`` (by number) restrict the answers; with ``practice``, only practice
        screens are included.
        """
        annotators = {annotator.number: annotator for annotator in self.annotators()}
        for row in self._database.rows(
            "SELECT s.number AS place, s.body AS screen, t.person, a.* FROM answers a "
            "JOIN turns t ON t.number = a.turn JOIN screens s ON s.number = t.screen "
            "WHERE t.state = 'done' AND ?1 IN ('', s.item) AND s.practice = ?2 AND ?3 IN (0, t.person) "
            "AND a.revision = (SELECT MAX(revision) FROM answers WHERE turn = a.turn) "
            "ORDER BY s.number, t.person",
            (item, practice, annotator),
        ):
            yield ScreenResponse(
                annotators[row["person"]],
                row["place"],
                Screen.model_validate_json(row["screen"]),
                json.loads(row["body"]),
                row["comment"],
                row["at"],
                row["seconds"],
                row["revision"],
            )

    def counts(self, annotator: Annotator, *, practice: bool = False) -> tuple[int, int]:
        """Return how many screens an annotator has answered, and at most how many are left for them
        (screens that others may still take count).

        With ``practice``, only practice screens are counted, else all others.
        """
        rows = self._database.rows(
            "WITH mine AS (SELECT t.state FROM turns t JOIN screens s ON s.number = t.screen "
            "WHERE t.person = :who AND s.practice = :practice) "
            "SELECT (SELECT COUNT(*) FROM mine WHERE state = 'done') AS done, "
            "(SELECT COUNT(*) FROM mine WHERE state = 'given') + (SELECT COUNT(*) FROM screens "
            "WHERE room > 0 AND practice = :practice AND person IN (0, :who) "
            "AND number NOT IN (SELECT screen FROM turns WHERE person = :who)) AS left",
            {"who": annotator.number, "practice": practice},  # type: ignore[arg-type]
        )
        return int(rows[0]["done"]), int(rows[0]["left"])

    def wanted(self) -> tuple[int, int]:
        """Return how many answers to screens the study has (practice not counted), and how many it needs:
        screens times overlap.
        """
        (row,) = self._database.rows(
            "SELECT COUNT(*) AS done FROM turns t JOIN screens s ON s.number = t.screen "
            "WHERE t.state = 'done' AND NOT s.practice"
        )
        return int(row["done"]), self.study.screens * self.study.overlap

    def finals(self) -> Iterator[Final]:
        """Yield the latest adjudication decision of each disputed screen."""
        for row in self._database.rows(
            "SELECT * FROM finals WHERE number IN (SELECT MAX(number) FROM finals GROUP BY screen) ORDER BY screen"
        ):
            yield Final(row["screen"], json.loads(row["body"]), row["comment"], row["by"], row["at"])

    def decide(self, screen: int, answers: Mapping[str, str], comment: str, by: str) -> None:
        """Store the decision of the adjudicator ``by`` on a screen (its number from 1); it is on disk when
        this returns.

        ``answers`` are by question, as on the screen. Repeating the same decision has no effect; a new one
        replaces the last.
        """
        body, comment = json.dumps(dict(answers), ensure_ascii=False), comment[:MAX_COMMENT]
        with self._database.change() as connection:
            last = connection.execute(
                "SELECT body, comment, by FROM finals WHERE screen = ? ORDER BY number DESC LIMIT 1",
                (screen,),
            ).fetchone()
            if last is None or tuple(last) != (body, comment, by):
                connection.execute(
                    "INSERT INTO finals (screen, body, comment, by, at) VALUES (?, ?, ?, ?, ?)",
                    (screen, body, comment, by, self._now()),
                )

    def complete(self) -> frozenset[int]:
        """Return the numbers (from 1) of the screens that as many annotators have answered as the study
        wants.
        """
        rows = self._database.rows(
            "SELECT number FROM screens WHERE room = 0 "
            "AND number NOT IN (SELECT screen FROM turns WHERE state = 'given')"
        )
        return frozenset(row["number"] for row in rows)
