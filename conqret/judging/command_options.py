"""The options of commands that run a judge: how, which one, and where."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from conqret.console.option_groups import OptionGroup
from conqret.console.shared_options import Metric
from conqret.judging.judge_options import JudgeOptions


@dataclass(frozen=True)
class Engines(OptionGroup):
    """Where judgments are made.

    Limits:
        engine: `process`: judge in this process. `ray`: spread the items over the workers of a Ray cluster (the one at
            RAY_ADDRESS, else one on this machine), under the same limits. Default: `process`.
        workers: With `--engine ray`: how many processes judge. Default: one per processor, at least 2.
    """

    engine: Literal["process", "ray"] | None = None
    workers: int | None = None


@dataclass(frozen=True)
class OwnJudge(OptionGroup):
    """A judge of one's own, instead of a format and a model.

    Model:
        judge: A judge of your own instead of `--format` and `--model`: `module:function`. The module is imported, also
            from the working directory. The function gets an item as a dictionary and returns a number from 0 to 1,
            `{metric: number}`, or `first`, `second` or `tie`. Or `reward/FOLDER`, a transformers reward model on this
            machine.
        server: A judge of your own at an HTTP address: it gets a POST with one item and answers with a judgment, in the
            form that `conqret serve http` uses. Its key is taken from CONQRET_SERVER_KEY.
    """

    judge: str | None = None
    server: str | None = None


@dataclass(frozen=True)
class AnyJudge(OwnJudge):
    """A judge of one's own, or what one said before.

    Model:
        verdicts: Judgments that were made elsewhere: JSONL, CSV or Parquet with a verdict (`first`, `second`, `tie`) or
            a score in each row, and either the texts as they were shown (then leave out ITEMS) or the id of an item. No
            model is called.
        verdict_scale: Lowest and highest score in `--verdicts`, for example `1:10`. Default: `0:1`.
    """

    verdicts: Path | None = None
    verdict_scale: str | None = None


@dataclass(frozen=True)
class JudgingOptions(OptionGroup, of=JudgeOptions):
    """How a judge is run."""

    metric: Metric = None

    def given(self) -> dict[str, Any]:
        """What the user gave, as fields of :class:`conqret.judging.judge_options.JudgeOptions`."""
        found = super().given()
        metrics = tuple(found.pop("metric", ()))
        return {"metrics": metrics, **found} if metrics else found
