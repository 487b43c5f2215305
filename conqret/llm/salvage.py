"""Whether a store is whole, and what can be read of one that is not.

A damaged file is read page by page (:mod:`conqret.io.sqlite_pages`), and the checksum of a row says whether it is as it
was written.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from conqret.errors import ConqretError, DeclarationError, strict_options
from conqret.io.sqlite_pages import rows_in_pages, set_aside
from conqret.llm.recording_files import store_file
from conqret.llm.recordings import Recordings
from conqret.llm.store_file import COLUMNS, Recording


@dataclass(frozen=True, slots=True)
class StoreCheck:
    """What became of a store: sound ``answers``; ``damaged`` ones by name; the ``fault`` of the file, if it has one;
    after a repair ``repaired`` and, where the file was made anew, where the old one is ``kept``."""

    store: str
    answers: int
    damaged: tuple[str, ...] = ()
    fault: str = ""
    repaired: bool = False
    kept: str | None = None

    @property
    def whole(self) -> bool:
        """Whether nothing is wrong now."""
        return self.repaired or not (self.damaged or self.fault)


@strict_options
def check_store(store: str | Path, *, repair: bool = False) -> StoreCheck:
    """Check whether every answer of a store is as it was recorded.

    Args:
        store: a run's folder, or a store of recordings.
        repair: set damaged answers aside, and make a damaged file anew of what can be read of it.

    Raises:
        DeclarationError: there is no store, or nothing can be read of it.
    """
    path = store_file(store)
    if not path.is_file() or not path.stat().st_size:
        raise DeclarationError(f"{path}: this file of recordings does not exist, or is empty")
    try:
        with Recordings(path, read_only=not repair) as recordings:
            answers, damaged = recordings.check(repair=repair)
        return StoreCheck(str(path), answers, tuple(damaged), repaired=repair)
    except ConqretError as error:
        fault = error
    keys = {recording.key for recording in salvage(path)}
    if not keys:
        raise DeclarationError(f"{fault}. No response can be recovered from it") from fault
    kept = str(_renew(path)) if repair else None
    return StoreCheck(str(path), len(keys), (), str(fault), repair, kept)


def salvage(path: Path) -> Iterator[Recording]:
    """Every recording that stands whole in the pages of a file, in no order; one may come twice."""
    for _, row in rows_in_pages(path, {len(COLUMNS)}):
        with contextlib.suppress(ValueError):
            yield Recording.of_row(row)


def _renew(path: Path) -> Path:
    """Put a store of what can be read in the place of a damaged one, which is kept under another name."""
    part = path.with_name(f"{path.name}.part")
    part.unlink(missing_ok=True)
    with Recordings(part) as store:
        store.add(salvage(path))
    kept = set_aside(path)
    part.rename(path)
    return kept
