"""What somebody else's recordings were made with, so that a replay needs no flags."""

from __future__ import annotations

from collections import Counter
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


def recorded_call(path: Path, named: str | Judge | None = None, model: str | None = None) -> RecordedCall:
    """Read what the recordings at ``path`` (a store, an export, or a run's folder) were made with.

    A run's folder says so itself, with its metrics, orders and temperature; elsewhere format, model and samples are
    read off the recordings, of the format that is ``named`` and of ``model`` where these are given.

    Raises:
        DeclarationError: there are no recordings, or they hold several models or formats and none is given.
    """
    run = JudgeFolder(path)
    if run.record_file.is_file():
        record = run.record()
        options = {name: value for name, value in record.model_options.items() if name in _SETTINGS}
        own = recorded_judge(record) if record.format in (CRITERIA, RUBRIC) else record.format
        return RecordedCall(own, record.model, record.judging, options)
    samples = _samples(path)
    models = set(samples) if model is None or model not in samples else {model}
    if len(models) > 1 and model is None:
        raise DeclarationError(
            f"{path} contains responses of several models ({', '.join(sorted(models))}); name one with --model"
        )
    asks = Counter[str]()
    for each in models:
        asks |= samples[each]
    judge = None if named is None else JUDGES.resolve(named)
    if judge is None:
        formats = [name for name in JUDGES if asks.keys() & {ask.prompt for ask in JUDGES[name].asks}]
        if len(formats) > 1:
            raise DeclarationError(
                f"{path} contains responses for several formats ({', '.join(formats)}); name one with --format"
            )
        judge = JUDGES[formats[0]] if formats else None
    recorded = min(models)
    if judge is None:  # a judge of criteria or a rubric: which ones, only a run's folder says
        declared = next((name for name in (CRITERIA, RUBRIC) if name in asks), None)
        return RecordedCall(declared, recorded, {"samples": max(asks.values())})
    # Metrics of which nothing is recorded were not part of that run.
    there = [ask for ask in judge.asks if ask.prompt in asks]
    judging: dict[str, Any] = {"samples": max((asks[ask.prompt] for ask in there), default=1)}
    if there and len(there) < len(judge.asks):
        judging["metrics"] = tuple(metric for ask in there for metric in ask.metrics)
    return RecordedCall(judge.name if named is None else named, recorded, judging)


def _samples(path: Path) -> dict[str, Counter[str]]:
    """How many samples of each prompt are recorded, by model.

    Raises:
        DeclarationError: there are no recordings.
    """
    samples: dict[str, Counter[str]] = {}
    with Recordings.open_for_replay(path) as store:
        for recording in store.recorded():
            samples.setdefault(recording.model, Counter())
            samples[recording.model] |= Counter(
                {recording.ask.removesuffix(" (swapped)"): recording.sample + 1}
            )
    if not samples:
        raise DeclarationError(f"{path} contains no recordings")
    return samples
