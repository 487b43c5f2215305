"""The options of commands that run a judge: how, which one, and where."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from conqret.console.option_groups import OptionGroup
from conqret.console.shared_options import Metric, option
from conqret.judging.judge_options import JudgeOptions
from conqret.options import JUDGING, LIMITS, MODEL


@dataclass(frozen=True)
class Engines(OptionGroup):
    """Where judgments are made."""

    engine: Annotated[
        Literal["process", "ray"] | None,
        option(
            LIMITS,
            "`process`: judge in this process. `ray`: spread the items over the workers of a Ray cluster (the one at "
            "RAY_ADDRESS, else one on this machine), under the same limits. Default: `process`.",
        ),
    ] = None
    workers: Annotated[
        int | None,
        option(
            LIMITS, "With `--engine ray`: how many processes judge. Default: one per processor, at least 2."
        ),
    ] = None


@dataclass(frozen=True)
class OwnCriteria(OptionGroup):
    """Criteria of one's own instead of a format."""

    criterion: Annotated[
        list[str] | None,
        option(
            JUDGING,
            "A criterion of your own instead of `--format`: a statement, which is met or not (`The answer names a "
            "source`), or a question with a scale at its end (`clarity: How clear is the wording? 1-5`). May be "
            "repeated; up to 12 criteria are asked in one call.",
            "--criterion",
        ),
    ] = None
    one_call_each: Annotated[
        bool, option(JUDGING, "Ask each `--criterion` in a call of its own.", "--one-call-each")
    ] = False

    def given(self) -> dict[str, Any]:
        """What the user gave, as settings of the public functions."""
        settings = super().given()
        criteria, one_each = settings.pop("criterion", ()), settings.pop("one_call_each")
        return (
            settings
            | ({"criteria": criteria} if criteria else {})
            | ({"one_call_each": True} if one_each else {})
        )


@dataclass(frozen=True)
class OwnJudge(OwnCriteria):
    """A judge of one's own: criteria instead of a format, or a function or an address instead of a format and a
    model."""

    judge: Annotated[
        str | None,
        option(
            MODEL,
            "A judge of your own instead of `--format` and `--model`: `module:function`. The module is imported, "
            "also from the working directory. The function gets an item as a dictionary and returns a number "
            "from 0 to 1, `{metric: number}`, or `first`, `second` or `tie`. Or `reward/FOLDER`, a transformers "
            "reward model on this machine.",
        ),
    ] = None
    server: Annotated[
        str | None,
        option(
            MODEL,
            "A judge of your own at an HTTP address: it gets a POST with one item and answers with a judgment, in the "
            "form that `conqret serve http` uses. Its key is taken from CONQRET_SERVER_KEY.",
        ),
    ] = None

    @property
    def elsewhere(self) -> bool:
        """Whether the judge is no model that is asked here: a function, an address, a log."""
        return bool(self.given().keys() - {"criteria", "one_call_each"})


@dataclass(frozen=True)
class AnyJudge(OwnJudge):
    """A judge of one's own, or what one said before."""

    verdicts: Annotated[
        Path | None,
        option(
            MODEL,
            "Judgments that were made elsewhere: JSONL, CSV or Parquet with a verdict (`first`, `second`, `tie`) or a "
            "score in each row, and either the texts as they were shown (then leave out ITEMS) or the id of an item. "
            "No model is called.",
        ),
    ] = None
    verdict_scale: Annotated[
        str | None,
        option(MODEL, "Lowest and highest score in `--verdicts`, for example `1:10`. Default: `0:1`."),
    ] = None


@dataclass(frozen=True)
class JudgingOptions(OptionGroup, of=JudgeOptions):
    """How a judge is run."""

    metric: Metric = None

    def given(self) -> dict[str, Any]:
        """What the user gave, as fields of :class:`conqret.judging.judge_options.JudgeOptions`."""
        found = super().given()
        metrics = tuple(found.pop("metric", ()))
        return {"metrics": metrics, **found} if metrics else found
