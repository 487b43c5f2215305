"""The settings with which recordings were made, as far as a run's folder or the recordings themselves tell them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from conqret.data.judgment import ARROW
from conqret.errors import DeclarationError
from conqret.judging.judge_folder import JudgeFolder
from conqret.judging.judge_options import CRITERIA, RUBRIC
from conqret.judging.judge_parts import JUDGES, Judge
from conqret.judging.setup import recorded_judge
from conqret.llm.recordings import Recordings

OF_A_MODEL = ("max_tokens", "context_window", "vision", "input_price", "output_price")
"""The client settings that hold for one model only."""
_SETTINGS = OF_A_MODEL[:3]


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """The settings with which recordings were made, as far as they are known; all of them affect recording
    keys.

    ``judging`` holds fields of :class:`conqret.judging.judge_options.JudgeOptions` (``samples`` always), and
    ``model_options`` those of :class:`conqret.llm.client_options.ClientOptions`; in a ``cascade`` those of its
    first judge.
    """

    format: str | Judge | None
    model: str
    judging: Mapping[str, Any] = field(default_factory=dict)
    model_options: Mapping[str, Any] = field(default_factory=dict)
    cascade: bool = False


def recorded_call(path: Path, named: str | Judge | None = None, model: str | None = None) -> RecordedCall:
    """Read the settings with which the recordings at ``path`` (a store, an export or a run's folder) were
    made.

    A run's folder has all of them. Otherwise format, model and samples are inferred from the recordings,
    restricted to the format ``named`` and to ``model`` where given.

    Raises:
        DeclarationError: there are no recordings, or they have several models or formats and none is given.
    """
    run = JudgeFolder(path)
    if run.record_file.is_file():
        record = run.record()
        options = {name: value for name, value in record.model_options.items() if name in _SETTINGS}
        made = record.formats or record.format in (CRITERIA, RUBRIC)
        own = recorded_judge(record) if made else record.format
        first, cascade, _ = record.model.partition(ARROW)
        return RecordedCall(own, first, record.judging, options, bool(cascade))
    samples = _samples(path)
    if model is None and len(samples) > 1:
        raise DeclarationError(
            f"{path} contains responses of several models ({', '.join(sorted(samples))}); name one with --model"
        )
    recorded = model if model in samples else min(samples)
    counts = samples[recorded]
    declared = next((name for name in (CRITERIA, RUBRIC) if name in counts), None)
    formats = [name for name in JUDGES if {ask.prompt for ask in JUDGES[name].judge_prompts} & counts.keys()]
    if named is None and len(formats) > 1:
        raise DeclarationError(
            f"{path} contains responses for several formats ({', '.join(formats)}); name one with --format"
        )
    if named is None and not formats:  # a judge of criteria or a rubric: which ones, only a run's folder says
        return RecordedCall(declared, recorded, {"samples": max(counts.values())})
    asks = JUDGES.resolve(formats[0] if named is None else named).judge_prompts
    there = [ask for ask in asks if ask.prompt in counts]
    judging: dict[str, Any] = {"samples": max((counts[ask.prompt] for ask in there), default=1)}
    if 0 < len(there) < len(asks):  # the other metrics were not part of that run
        judging["metrics"] = tuple(metric for ask in there for metric in ask.metrics)
    return RecordedCall(formats[0] if named is None else named, recorded, judging)


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
