"""Whether a file of labels is whole, and what is sound of one that is not.

A damaged file is read page by page, and a row counts where its checksum says that it is as it was written. A label
counts where the last answer to its screen is there: an earlier one never takes its place. What else is missing comes
from a copy of the file, or from the items that are labelled, or it is named.
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from conqret.data.digest import gathered
from conqret.errors import DeclarationError, number
from conqret.io.safe_files import only_writer
from conqret.io.sqlite_pages import rows_in_pages, set_aside
from conqret.labels.database import FILE, DamagedLabelsError, Database
from conqret.labels.label_study import MAX_PEOPLE, Study
from conqret.labels.label_tables import COLUMNS, REAL, is_sound
from conqret.labels.screens import Screen

Row = dict[str, Any]
Tables = dict[str, dict[Any, Row]]
"""Rows by their numbers or names, table by table."""

_KEY = {table: next(iter(columns)) for table, columns in COLUMNS.items()}


@dataclass(frozen=True, slots=True)
class LabelCheck:
    """What became of a file of labels: sound ``labels``; what is ``lost``, by name; the ``fault`` of the file, if it
    has one; after a repair ``repaired``, and where the old file is ``kept``."""

    file: str
    labels: int
    lost: tuple[str, ...] = ()
    fault: str = ""
    repaired: bool = False
    kept: str | None = None

    @property
    def whole(self) -> bool:
        """Whether nothing is wrong now."""
        return self.repaired or not (self.fault or self.lost)


@dataclass(slots=True)
class RepairedLedger:
    """The sound rows of a file, which fit one another, and what is ``lost``, by name."""

    tables: Tables
    lost: list[str] = field(default_factory=list)

    @property
    def labels(self) -> int:
        """How many labels there are."""
        practice = {place for place, row in self.tables["screens"].items() if row["practice"]}
        turns = self.tables["turns"].values()
        return sum(row["state"] == "done" and row["screen"] not in practice for row in turns)


def check_labels(folder: Path, *, repair: bool = False, backup: Path | None = None) -> LabelCheck:
    """Look at all that a study's file holds; with ``repair`` a damaged one is made anew of what is sound in it, and of
    the copy ``backup``.

    Raises:
        DeclarationError: there is no such file, nothing of a study can be read of it, it is being served, or ``backup``
            is a copy of another study.
    """
    path = folder / FILE
    if not path.is_file() and not (repair and backup):
        raise DeclarationError(f"{folder} contains no labels of conqret labels collect ({FILE})")
    fault = ""
    try:
        with contextlib.closing(Database(folder)) if path.is_file() else contextlib.nullcontext():
            pass
    except DamagedLabelsError as error:
        fault = error.fault
    except DeclarationError as error:
        fault = str(error).partition("; ")[0]
    if not path.is_file():
        fault = f"{path} is missing"
    if not fault:
        return LabelCheck(str(path), mended(rows_of(path), {}, path).labels)
    with contextlib.ExitStack() as ending:
        if repair:
            ending.enter_context(only_writer(folder, "the study is being served: end that first"))
        mended_tables = mended(rows_of(path), rows_of(backup) if backup is not None else {}, path)
        kept = renew(path, mended_tables) if repair else None
    return LabelCheck(
        str(path),
        mended_tables.labels,
        tuple(mended_tables.lost),
        fault,
        repair,
        str(kept) if kept is not None else None,
    )


def copied(folder: Path, target: Path) -> Sequence[str]:
    """Write what is sound in the file of a study to a folder of its own; what is lost."""
    repaired = mended(rows_of(folder / FILE), {}, folder / FILE)
    _write(target, repaired)
    return repaired.lost


def healed(folder: Path, study: Study, screens: Sequence[Screen], texts: Mapping[str, str]) -> Path | None:
    """Make a damaged file anew where what is missing stands in the items that are labelled; where the old one is kept.
    None, and nothing is done, where a label is lost."""
    path = folder / FILE
    rows = rows_of(path)
    asked = rows["study"] or {0: {"body": study.model_dump_json()}}
    if Study.model_validate_json(asked[0]["body"]).items != study.items:
        return None
    derived: Tables = {"study": asked, "screens": {}, "texts": {}}
    for place, screen in enumerate(screens, start=1):
        derived["screens"][place] = {
            "number": place, "item": screen.item, "part": screen.part, "body": screen.model_dump_json(), "room": 0,
            "person": screen.person, "practice": int(screen.practice),
        }  # fmt: skip
    derived["texts"] = {name: {"name": name, "body": body} for name, body in texts.items()}
    try:
        repaired = mended(rows, derived, path)
    except DeclarationError:
        return None
    return None if repaired.lost or not repaired.tables["people"] else renew(path, repaired)


def renew(path: Path, repaired: RepairedLedger) -> Path | None:
    """Put a file of what is sound in the place of a damaged one, which is kept under the name that is returned."""
    with contextlib.ExitStack() as ending:
        part = path.with_name(f"{path.name}.part")
        shutil.rmtree(part, ignore_errors=True)  # of a repair that was killed
        part.mkdir()
        ending.callback(shutil.rmtree, part)
        _write(part, repaired)
        kept = set_aside(path) if path.is_file() else None
        (part / FILE).rename(path)
    return kept


def rows_of(path: Path) -> Tables:
    """The sound rows of a file."""
    tables: Tables = {table: {} for table in COLUMNS}
    if not path.is_file():
        return tables
    sizes = gathered((len(columns) + 1, table) for table, columns in COLUMNS.items())
    for place, values in rows_in_pages(path, sizes.keys()):
        for table in sizes[len(values)]:
            columns = COLUMNS[table]
            row = [
                _written(kind, place, value) for kind, value in zip(columns.values(), values, strict=False)
            ]
            if is_sound(table, (*row, values[-1])):
                record = dict(zip(columns, row, strict=True))
                key = 0 if table == "study" else record[_KEY[table]]
                other = tables[table].get(key)
                if other is None or other.get("revision", 0) <= record.get("revision", 0):
                    tables[table][key] = record | ({"place": place} if table == "texts" else {})
    tables["texts"] = dict(sorted(tables["texts"].items(), key=lambda entry: entry[1].pop("place")))
    return tables


def _written(kind: str, place: int, value: object) -> object:
    """A value as SQLite reads it: the number of a row stands before it, and whole numbers are kept as such."""
    if "PRIMARY KEY" in kind and kind.startswith("INTEGER"):
        return place
    return float(value) if kind.startswith(REAL) and isinstance(value, int) else value


def mended(rows: Tables, more: Tables, path: Path) -> RepairedLedger:
    """The rows that fit one another, with those that are missing from ``more``.

    Raises:
        DeclarationError: what the study is cannot be read, or ``more`` is of another study.
    """
    if rows["study"] and more.get("study") and rows["study"] != more["study"]:
        raise DeclarationError("the backup is of another study: give one of this study")
    repaired = RepairedLedger({table: dict(kept) for table, kept in rows.items()})
    _join(repaired.tables, more)
    tables = repaired.tables
    if not tables["study"]:
        raise DeclarationError(
            f"the questions of the study can no longer be read from {path}; give a backup, `conqret labels check "
            f"{path.parent} --repair --backup FILE`, or run the command that started the study"
        )
    study = Study.model_validate_json(tables["study"][0]["body"])
    repaired.lost += _screens(tables)
    repaired.lost += _people(tables)
    repaired.lost += _turns(tables)
    repaired.lost += _answers(tables)
    repaired.lost += _gaps(tables, "finals", "a decision where annotators differ")
    repaired.lost += _gaps(tables, "events", "a note of a change to an annotator")
    for place, screen in tables["screens"].items():
        room = MAX_PEOPLE if screen["practice"] and not screen["person"] else study.overlap
        taken = sum(
            turn["screen"] == place and turn["state"] in ("given", "done")
            for turn in tables["turns"].values()
        )
        screen["room"] = max(0, room - taken)
    return repaired


def _join(tables: Tables, more: Tables) -> None:
    """Add the rows that are missing, but for those of people who were deleted since."""
    people = {**more.get("people", {}), **tables["people"]}
    gone = {place for place, row in people.items() if row["state"] == "deleted"} | {
        int(row["detail"][1:].partition(",")[0])
        for row in tables["events"].values()
        if row["what"] == "deleted" and row["detail"][1:].partition(",")[0].isdecimal()
    }
    for place in gone - tables["people"].keys():
        name = f"deleted p{place:02}"
        tables["people"][place] = _somebody(place, name, "deleted")
    names = {row["name"] for place, row in more.get("people", {}).items() if place in gone}
    turns = {place for place, row in more.get("turns", {}).items() if row["person"] in gone}
    for table, rows in more.items():
        for key, row in rows.items():
            theirs = (
                (table == "people" and key in gone)
                or (table == "turns" and row["person"] in gone)
                or (table == "answers" and row["turn"] in turns)
                or (table == "finals" and row["by"] in names)
                or (table == "events" and row["detail"].partition(":")[0] in names)
            )
            if not theirs:
                tables[table].setdefault(key, row)


def _screens(tables: Tables) -> Iterator[str]:
    """Screens that are missing, or whose texts are."""
    screens, texts = tables["screens"], tables["texts"]
    if texts:
        for place in [place for place, row in screens.items() if row["item"] not in texts]:
            del screens[place]
    turns_by_screen = gathered((row["screen"], row) for row in tables["turns"].values())
    for place in range(1, max([*screens, *turns_by_screen], default=0) + 1):
        if place not in screens:
            labels = sum(row["state"] == "done" for row in turns_by_screen.get(place, ()))
            yield f"screen {place} with its {number(labels, 'label')}"


def _people(tables: Tables) -> Iterator[str]:
    """People who are missing; somebody without a name takes their place."""
    known = tables["people"]
    turn_people = {row["person"] for row in tables["turns"].values()}
    for place in range(1, max([*known, *turn_people], default=0) + 1):
        if place not in known:
            name = f"unknown p{place:02}"
            known[place] = _somebody(place, name, "active")
            yield f"the name of p{place:02}"


def _somebody(place: int, name: str, state: str) -> Row:
    return {"number": place, "name": name, "state": state, "agreed": "", "practised": ""}


def _turns(tables: Tables) -> Iterator[str]:
    """Which screens were given to whom, as far as that is missing; what was answered there goes with it."""
    turns, deleted = tables["turns"], any(row["state"] == "deleted" for row in tables["people"].values())
    answered = gathered((row["turn"], row["at"]) for row in tables["answers"].values())
    for place in range(1, max([*turns, *answered], default=0) + 1):
        if place in turns or (deleted and place not in answered):
            continue
        last = "".join(f", answered at {at}" for at in answered.get(place, ())[-1:])
        yield f"a screen that an annotator was given (number {place}{last})"
    for place in [place for place, row in turns.items() if row["screen"] not in tables["screens"]]:
        del turns[place]  # its screen is named
    kept = {key: row for key, row in tables["answers"].items() if row["turn"] in turns}
    tables["answers"] = kept


def _answers(tables: Tables) -> Iterator[str]:
    """Answers that are missing. Where it is the last one, the screen comes again."""
    answers_by_turn = gathered((row["turn"], row) for row in tables["answers"].values())
    for place, turn in tables["turns"].items():
        revisions = sorted(answers_by_turn.get(place, ()), key=lambda row: row["revision"])
        if [row["revision"] for row in revisions] == list(range(1, turn["revision"] + 1)):
            continue
        screen = tables["screens"][turn["screen"]]
        part = f", {screen['part']}" if screen["part"] else ""
        what = f"p{turn['person']:02} to {screen['item']}{part}"
        if revisions and revisions[-1]["revision"] == turn["revision"]:
            yield f"an earlier answer of {what}"
        else:
            yield f"the answer of {what}"
            turn["state"] = {"done": "given", "dropped": "free"}.get(turn["state"], turn["state"])
        for revision, row in enumerate(revisions, start=1):
            row["revision"] = revision
        turn["revision"] = len(revisions)


def _gaps(tables: Tables, table: str, what: str) -> Iterable[str]:
    """Rows that are missing among numbered ones, from which only those of deleted people are taken."""
    rows = tables[table]
    if table == "finals":
        for place in [place for place, row in rows.items() if row["screen"] not in tables["screens"]]:
            del rows[place]
            yield f"{what} (number {place})"
    if any(row["state"] == "deleted" for row in tables["people"].values()):
        return
    yield from (f"{what} (number {place})" for place in range(1, max(rows, default=0)) if place not in rows)


def _write(folder: Path, repaired: RepairedLedger) -> None:
    """Write rows to a new file."""
    with contextlib.closing(Database(folder)) as database, database.change() as connection:
        for table, columns in COLUMNS.items():
            connection.executemany(
                f"INSERT OR IGNORE INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})",  # noqa: S608 (names of ours)
                ([row[name] for name in columns] for row in repaired.tables[table].values()),
            )
