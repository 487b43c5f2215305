"""Recorded answers in files: written for others to replay, read in, and counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from conqret.errors import DeclarationError, strict_options
from conqret.llm.personal_data import PersonalData
from conqret.llm.recordings import STORE_NAME, Recordings, RecordingStats
from conqret.llm.redaction import KeyRedaction, keys_in_use
from conqret.llm.store_file import Recording


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
    personal = PersonalData(names, patterns) if names or patterns else None
    keys = KeyRedaction(keys_in_use())

    def shared(recording: Recording) -> Recording:
        without_keys = keys.recording(recording)
        return without_keys if personal is None else personal.taken_out(without_keys)

    with Recordings.open_for_replay(store) as recordings:
        count = recordings.export_jsonl(to, shared)
        found = {**(personal.found if personal is not None else {}), "key": keys.replaced}
        return ExportedRecordings(count, recordings.damaged, {kind: n for kind, n in found.items() if n})


@strict_options
def import_recordings(source: str | Path, store: str | Path) -> int:
    """Add exported model responses to a recordings file; responses that it already has are not replaced. Returns how
    many were new.

    Args:
        source: a JSONL file that was exported.
        store: a run's folder, or a store, which is made if it is not there.

    Raises:
        DeclarationError: there is no such file, or lines of it are faulty.
    """
    target = store_file(store)
    fresh = not target.exists()
    try:
        with Recordings(target) as recordings:
            return recordings.import_jsonl(source)
    except DeclarationError:
        if fresh:  # leave no empty store behind
            target.unlink(missing_ok=True)
        raise


@strict_options
def count_recordings(store: str | Path) -> RecordingStats:
    """Count what a store holds: answers by model and question, tokens, cost.

    Args:
        store: a run's folder, or a store of recordings.

    Raises:
        DeclarationError: there is no such store.
    """
    with Recordings.open_for_replay(store) as recordings:
        return recordings.stats()


def store_file(store: str | Path) -> Path:
    """The file of a store, or of that in a run's folder."""
    return Path(store) / STORE_NAME if Path(store).is_dir() else Path(store)
