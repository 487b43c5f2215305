"""The answers of a run that several workers record: each writes a store of its own beside the run's, a shard, and all
are put into the run's store, one row a key."""

from __future__ import annotations

import contextlib
import glob
import logging
import time
import uuid
from collections.abc import Sequence
from pathlib import Path

from filelock import FileLock, Timeout

from conqret.errors import ConqretError, DeclarationError
from conqret.llm.recordings import Recordings
from conqret.llm.request import Completion

ORPHANED = 30.0
"""Seconds to wait for those who still write shards: the workers of a run that was killed end within a few."""

_MARK = ".shard-"
_LOCK = ".lock"

_log = logging.getLogger(__name__)


class Shard(Recordings):
    """What one worker records; it also finds what is in the ``others``: the run's store, to which nobody adds
    meanwhile, and the shards of other workers on its machine, as soon as they are there.

    It is locked as long as the worker lives. A worker that takes the place of one that was killed goes on with its
    shard.
    """

    def __init__(self, path: Path, others: Sequence[Path]) -> None:
        self._lock = FileLock(f"{path}{_LOCK}")
        self._lock.acquire(timeout=ORPHANED)
        super().__init__(path)
        self._others: dict[Path, Recordings | None] = dict.fromkeys(
            other for other in others if other != path
        )

    def get(self, key: str) -> Completion | None:
        """The completion that is recorded here or in one of the others, or None."""
        completion = super().get(key)
        for path, store in self._others.items():
            if completion is None:
                with contextlib.suppress(DeclarationError):  # it is not there yet, or just being made
                    store = self._others[path] = store or Recordings(path, read_only=True)
                    completion = store.get(key)
        return completion

    def close(self) -> None:
        """Close all, and let go of the lock."""
        super().close()
        for store in self._others.values():
            if store is not None:
                store.close()
        self._lock.release()


def shard_names(run: Path, count: int) -> list[Path]:
    """New names of shards beside a run's store."""
    session = uuid.uuid4().hex[:8]
    return [run.with_name(f"{run.name}{_MARK}{session}-{number}") for number in range(count)]


def gather(store: Recordings) -> None:
    """Put the answers of all shards beside ``store`` into it, and remove them: those of workers that were killed with
    their run, too. A shard that is damaged, or that another run is writing, stays where it is, with a remark."""
    pattern = f"{glob.escape(f'{store.path.name}{_MARK}')}*{_LOCK}"
    until = time.monotonic() + ORPHANED
    for lock in sorted(store.path.parent.glob(pattern)):
        shard = lock.with_name(lock.name.removesuffix(_LOCK))
        try:
            with FileLock(lock, timeout=max(0.0, until - time.monotonic())):
                if shard.exists():
                    with Recordings(shard) as part:
                        store.add(part.recorded(), newer=True)  # an answer that was asked for again
                for rest in ("", "-wal", "-shm", _LOCK):  # SQLite leaves its own to whoever reads it yet
                    shard.with_name(f"{shard.name}{rest}").unlink(missing_ok=True)
        except (ConqretError, Timeout) as error:
            why = "another run is writing them, and keeps them" if isinstance(error, Timeout) else error
            _log.warning("%s: its responses are not used: %s", shard, why)
