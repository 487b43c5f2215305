"""The store of raw answers: what was answered once is never asked for again.

One SQLite file in WAL mode, so that several processes may read and write at once and a kill loses nothing
that was committed; every answer is committed before it is used. Each has a checksum, which is looked at whenever
it is read: a damaged answer is named, and asked for again.
"""

from __future__ import annotations

import datetime
import logging
import sqlite3
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from conqret.errors import DeclarationError, FaultsError, strict_options
from conqret.io.jsonl import jsonl_rows
from conqret.io.safe_files import Closing, write_all
from conqret.io.schema import TableReader
from conqret.llm.quota import SpendingLedger
from conqret.llm.request import Completion
from conqret.llm.retry import KeyRedaction, keys_in_use
from conqret.llm.store_file import MAGIC, Recording, StoreFile

STORE_NAME = "recordings.sqlite"
"""The name of the store inside a run's directory."""


def batches_beside(store: Path) -> Path:
    """The file of the batches whose answers go into a store."""
    return store.with_name(f"{store.name}.batches.json")


MAX_NAMED = 10
"""Damaged answers that are named as they are met."""

MAX_MISSED = 1_000
"""Rows one after the other that cannot be read, after which the rest of a damaged file is given up."""

_INSERT = "INSERT INTO recordings VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO NOTHING"

_log = logging.getLogger(__name__)


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
        self._scratch: tempfile.TemporaryDirectory[str] | None = None
        self._damaged: set[str] = set()
        self.path = Path(path)
        self._file = StoreFile(self.path, read_only=read_only, untouched=untouched)
        self._db = self._file.db

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
                    f"{path}: this folder contains no {STORE_NAME}; name the folder of a run, or a file of recordings"
                )
            return cls(inside, read_only=True)
        if not path.is_file():
            raise DeclarationError(f"{path}: no recordings were found here")
        with path.open("rb") as file:
            if file.read(len(MAGIC)) == MAGIC or path.suffix == Path(STORE_NAME).suffix:
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
        with self._file.guarded("the answers could not be counted"):
            (count,) = self._db.execute("SELECT count(*) FROM recordings").fetchone()
        return int(count)

    def get(self, key: str) -> Completion | None:
        """The recorded completion, or None; a damaged one is none, so that it is asked for again."""
        with self._file.guarded("an answer could not be read"):
            row = self._db.execute("SELECT * FROM recordings WHERE key = ?", (key,)).fetchone()
        recording = self._sound(row) if row else None
        return recording.completion if recording is not None and recording.key == key else None

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
        instead: bool = False,
    ) -> Completion:
        """Record and commit; returns the completion that counts: an earlier one of this key that can be read, if any,
        unless this one is to stand ``instead``.

        Raises:
            StoreError: the store cannot be written (a full disk, say).
        """
        created = datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
        recording = Recording(
            key=key,
            completion=completion,
            ask=ask,
            item=item,
            model=model,
            params=dict(params),
            sample=sample,
            created=created,
        )
        with self._file.guarded("an answer could not be recorded"):
            if not instead and self._insert(recording):
                return completion
        if not instead and (earlier := self.get(key)) is not None:
            return earlier
        with self._file.guarded("an answer could not be recorded"), self._file.transaction():
            self._db.execute("DELETE FROM recordings WHERE key = ?", (key,))
            self._insert(recording)
        return completion

    def recorded(self) -> Iterator[Recording]:
        """Every recording that is as it was recorded, in order of key; the others are named and left out. Of a damaged
        file come those that can be read, in the order in which they were recorded."""
        with self._file.guarded("the answers could not be read"):
            (integrity,) = self._db.execute("PRAGMA integrity_check(1)").fetchone()
            rows: Iterable[Sequence[Any]] = self._db.execute("SELECT * FROM recordings ORDER BY key")
            for row in rows if integrity == "ok" else self._rows_one_by_one():
                if (recording := self._sound(row)) is not None:
                    yield recording

    def _rows_one_by_one(self) -> Iterator[Sequence[Any]]:
        """The rows of a damaged file, around those that SQLite cannot read."""
        last = missed = 0
        while missed < MAX_MISSED:
            after = "SELECT rowid, * FROM recordings WHERE rowid > ? ORDER BY rowid LIMIT 1"
            try:
                found = self._db.execute(after, (last,)).fetchone()
            except sqlite3.DatabaseError:
                last, missed = last + 1, missed + 1
                self._damaged.add(f"row {last}")
                continue
            if found is None:
                return
            last, missed = max(last + 1, found[0]), 0
            yield found[1:]

    def add(self, rows: Iterable[Recording]) -> int:
        """Add recordings whose keys are not here yet, all or (where one raises) none; returns how many were new."""
        with self._file.guarded("answers could not be added"), self._file.transaction():
            return sum(map(self._insert, rows))

    def export_jsonl(
        self, path: str | Path, change: Callable[[Recording], Recording] = lambda recording: recording
    ) -> int:
        """Write every recording as a line, in order of key, to a file that appears whole or not at all.

        Returns the number of lines. They hold keys (hashes), answers and labels, as ``change`` leaves them; no prompt.
        """
        return write_all(Path(path), (change(recording).line() for recording in self.recorded()))

    def import_jsonl(self, path: str | Path) -> int:
        """Read an export in, plain or gzipped; recordings that are here already stay as they are.

        Returns how many were new.

        Raises:
            DeclarationError: there is no such file.
            FaultsError: faulty lines, each named with its number; nothing is read in then.
        """
        if not Path(path).is_file():
            raise DeclarationError(f"{path}: there is no such file")
        reader = TableReader(jsonl_rows(Path(path)))

        def read() -> Iterator[Recording]:
            for row in reader.rows():
                if (recording := reader.model(Recording, row.record)) is not None:
                    yield recording
            reader.finish(FaultsError)

        return self.add(read())

    def ledger(self, model: str) -> SpendingLedger:
        """What was spent on a model over this store, by all who share it."""
        return SpendingLedger(self._file, model)

    def close(self) -> None:
        """Close the file; a second call does nothing."""
        self._db.close()
        if self._scratch is not None:
            self._scratch.cleanup()

    def _insert(self, recording: Recording) -> int:
        return self._db.execute(_INSERT, recording.row()).rowcount

    def _sound(self, row: Sequence[Any]) -> Recording | None:
        """The recording of a row; None, and a remark, where it is damaged."""
        try:
            return Recording.of_row(row)
        except ValueError:
            name = _named(row)
        if name not in self._damaged:
            self._damaged.add(name)
            if self.damaged <= MAX_NAMED:
                _log.warning("%s: a corrupt recording is not used: %s", self.path, name)
            elif self.damaged == MAX_NAMED + 1:
                _log.warning("%s: more recordings are corrupt", self.path)
        return None


def _named(row: Sequence[Any]) -> str:
    """What a damaged row says that it is."""
    key, _, ask, item, _, _, sample, *_ = row
    return f"{ask} of item {item}, sample {sample} (key {str(key)[:12]})"


@dataclass(frozen=True, slots=True)
class ExportedRecordings:
    """How many answers were written, how many damaged ones are left out, and what was taken out, by kind (API keys in
    use are ``key``)."""

    answers: int
    damaged: int
    removed: Mapping[str, int] = field(default_factory=dict)


@strict_options
def export_recordings(
    store: str | Path, to: str | Path, *, names: Sequence[str] = (), patterns: Sequence[str] = ()
) -> ExportedRecordings:
    """Write all recorded answers to JSONL, for others to replay. API keys in use are replaced by ``[key]``.

    Args:
        store: a run's folder, or a store of recordings, which stays as it is.
        to: the file to write.
        names: names of people to be taken out of answers and ids.
        patterns: what else is taken out: ``email``, ``url``, ``phone``, ``ip``, ``handle``, or regular expressions.

    Raises:
        DeclarationError: there is no such store, or a pattern is no regular expression.
    """
    from conqret.llm.redaction import PersonalData  # which runs need not

    personal = PersonalData(names, patterns) if names or patterns else None
    keys = KeyRedaction(keys_in_use())

    def shared(recording: Recording) -> Recording:
        sent = recording.completion
        spelled = "".join(token.token for token in sent.logprobs or ())
        completion = replace(
            sent,
            text=keys.text(sent.text),
            refusal=sent.refusal and keys.text(sent.refusal),
            reasoning=sent.reasoning and keys.text(sent.reasoning),
            model=keys.text(sent.model),
            logprobs=None if any(key in spelled for key in keys.keys) else sent.logprobs,
        )
        without_keys = recording.model_copy(update={"completion": completion})
        return without_keys if personal is None else personal.taken_out(without_keys)

    with Recordings.open_for_replay(store) as recordings:
        count = recordings.export_jsonl(to, shared)
        found = {**(personal.found if personal is not None else {}), "key": keys.replaced}
        return ExportedRecordings(count, recordings.damaged, {kind: n for kind, n in found.items() if n})


def store_file(store: str | Path) -> Path:
    """The file of a store, or of that in a run's folder."""
    return Path(store) / STORE_NAME if Path(store).is_dir() else Path(store)
