"""What somebody else's recordings were made with, so that a replay needs no flags."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from conqret.errors import DeclarationError
from conqret.judging.judge_folder import JudgeFolder
from conqret.judging.judge_options import CRITERIA, RUBRIC
from conqret.judging.judge_parts import JUDGES, Judge
from conqret.judging.own_judge import recorded_judge
from conqret.llm.recordings import Recordings

_SETTINGS = ("max_tokens", "context_window", "vision")


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """What a recording was made with, as far as it says so; it all changes the keys of its answers.

    ``judging`` holds fields of :class:`conqret.judging.judge_options.JudgeOptions` (``samples`` always), and
    ``model_options`` those of :class:`conqret.llm.client_options.ClientOptions`.
    """

    format: str | Judge | None
    model: str
    judging: Mapping[str, Any] = field(default_factory=dict)
    model_options: Mapping[str, Any] = field(default_factory=dict)


def recorded_call(path: Path) -> RecordedCall:
    """Read what the recordings at ``path`` (a store, an export, or a run's folder) were made with.

    A run's folder says so itself, with its metrics, orders and temperature; elsewhere format, model and
    samples are read off the recordings, as far as they agree.

    Raises:
        DeclarationError: there are no recordings, or they hold several models.
    """
    run = JudgeFolder(path)
    if run.record_file.is_file():
        record = run.record()
        options = {name: value for name, value in record.model_options.items() if name in _SETTINGS}
        named = recorded_judge(record) if record.format in (CRITERIA, RUBRIC) else record.format
        return RecordedCall(named, record.model, record.judging, options)
    with Recordings.open_for_replay(path) as store:
        stats = store.stats()
    if not stats.by_model:
        raise DeclarationError(f"{path} contains no recordings")
    if len(stats.by_model) > 1:
        raise DeclarationError(
            f"{path} contains responses of several models ({', '.join(sorted(stats.by_model))}); name one with --model"
        )
    asks = {ask.removesuffix(" (swapped)") for ask in stats.by_ask}
    formats = [name for name in JUDGES if asks & {ask.prompt for ask in JUDGES[name].asks}]
    if len(formats) > 1:
        raise DeclarationError(
            f"{path} contains responses for several formats ({', '.join(formats)}); name one with --format"
        )
    name = formats[0] if formats else None
    own = next((own for own in (CRITERIA, RUBRIC) if own in asks), None)
    if own is not None and name is None:  # which ones, only a run's folder says
        return RecordedCall(own, next(iter(stats.by_model)), {"samples": stats.samples_per_request})
    judging: dict[str, Any] = {"samples": stats.samples_per_request}
    if name is not None:  # metrics of which nothing is recorded were not part of that run
        there = [ask for ask in JUDGES[name].asks if ask.prompt in asks]
        if len(there) < len(JUDGES[name].asks):
            judging["metrics"] = tuple(metric for ask in there for metric in ask.metrics)
    return RecordedCall(name, next(iter(stats.by_model)), judging)
