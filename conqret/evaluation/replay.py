"""What somebody else's recordings were made with, so that a replay needs no flags."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from conqret.errors import DeclarationError
from conqret.evaluation.run import RunDirectory
from conqret.judges.registry import FORMATS, get_judge
from conqret.llm.recordings import Recordings

_SETTINGS = ("temperature", "max_tokens", "seed")


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """The format, model and samples of a recording, and the model settings that change its keys."""

    format: str | None
    model: str
    samples: int
    model_options: Mapping[str, Any] = field(default_factory=dict)


def recorded_call(path: Path) -> RecordedCall:
    """Read what the recordings at ``path`` (a store, an export, or a run's folder) were made with.

    A run's folder says so itself; elsewhere it is read off the recordings, as far as they agree.

    Raises:
        DeclarationError: there are no recordings, or they hold several models.
    """
    run = RunDirectory(path)
    if run.record_file.is_file():
        record = run.record()
        options = {name: value for name, value in record.model_options.items() if name in _SETTINGS}
        return RecordedCall(record.format, record.model, int(record.options.get("samples", 1)), options)
    with Recordings.open_for_replay(path) as store:
        stats = store.stats()
    if not stats.by_model:
        raise DeclarationError(f"{path} holds no recordings")
    if len(stats.by_model) > 1:
        raise DeclarationError(
            f"{path} holds answers of several models ({', '.join(sorted(stats.by_model))}); say which with --model"
        )
    asks = {ask.removesuffix(" (swapped)") for ask in stats.by_ask}
    formats = [name for name in FORMATS if asks & {ask.prompt for ask in get_judge(name).asks}]
    if len(formats) > 1:
        raise DeclarationError(
            f"{path} holds answers for several formats ({', '.join(formats)}); say which with --format"
        )
    return RecordedCall(formats[0] if formats else None, next(iter(stats.by_model)), stats.samples)
