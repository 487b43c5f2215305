"""The options of commands that run a judge: how, which one, and where."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from conqret.console.option_groups import OptionGroup
from conqret.console.shared_options import Calls, Metric, option
from conqret.judging.judge_options import JudgeOptions
from conqret.options import LIMITS, MODEL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conqret.judging.cost import Expected


@dataclass(frozen=True)
class Engines(OptionGroup):
    """Where models are asked."""

    engine: Annotated[
        Literal["process", "ray"] | None,
        option(
            LIMITS,
            "`process`: ask in this process. `ray`: spread the work over the workers of a Ray cluster (the one at "
            "RAY_ADDRESS, else one on this machine), under the same limits. Default: `process`.",
        ),
    ] = None
    workers: Annotated[
        int | None,
        option(
            LIMITS, "With `--engine ray`: how many processes ask. Default: one per processor, at least 2."
        ),
    ] = None


@dataclass(frozen=True)
class BatchedEngines(Engines):
    """The same, or a provider's batches."""

    batch: Annotated[
        bool,
        option(
            MODEL,
            "Hand in the questions as a batch (OpenAI, Anthropic), at half the price, and end; the same command again "
            "collects the answers.",
            "--batch",
        ),
    ] = False

    def prices(self, found: Sequence[Expected], calls: Calls) -> list[Expected]:
        """What is expected of models that are called so, at the price of batches where these are wanted.

        Raises:
            DeclarationError: a model cannot be asked in batches.
        """
        from conqret.judging.cost import batch_price

        return [
            batch_price(one, calls.of(one.model)) if self.batch and one.task != "rewrite" else one
            for one in found
        ]


@dataclass(frozen=True)
class OwnJudge(OptionGroup):
    """A judge of one's own, instead of a format and a model."""

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
