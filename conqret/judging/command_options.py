"""The options of commands that run a judge: how, which one, and where."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from conqret.console.option_groups import OptionGroup
from conqret.console.shared_options import Calls, Format, Metric, Model, Prompts, RunFolderOptions
from conqret.judging.judge_options import JudgeOptions
from conqret.options import Within

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conqret.judging.cost import ExpectedCost


@dataclass(frozen=True)
class Engines(OptionGroup):
    """Where models are asked.

    Limits:
        engine: `process`: work in this process. `ray`: distribute the work over the workers of a Ray cluster (the one
            at RAY_ADDRESS, else one on this machine), under the same limits. Default: `process`.
        workers: With `--engine ray`: number of processes. Default: one per processor, at least 2.
    """

    engine: Literal["process", "ray"] | None = None
    workers: int | None = None


@dataclass(frozen=True)
class BatchedEngines(Engines):
    """The same, or a provider's batches.

    Model:
        batch: Submit all requests as a batch to OpenAI or Anthropic, at half the price, and end; run the same command
            again later to collect the responses.
    """

    batch: bool = False

    def prices(self, costs: Sequence[ExpectedCost], calls: Calls) -> list[ExpectedCost]:
        """What is expected of models that are called so, at the price of batches where these are wanted.

        Raises:
            DeclarationError: a model cannot be asked in batches.
        """
        from conqret.judging.cost import batch_price

        return [
            batch_price(cost, calls.of(cost.model)) if self.batch and cost.task != "rewrite" else cost
            for cost in costs
        ]


@dataclass(frozen=True)
class OwnCriteria(OptionGroup):
    """Criteria of one's own instead of a format, or a rubric.

    Judging:
        criterion: A criterion of your own instead of `--format`: a statement that is met or not (`The answer names a
            source`), or a question that ends with its scale (`clarity: How clear is the wording? 1-5`). May be
            repeated; one request has up to 12 criteria.
        rubric: A file of weighted criteria instead of `--format` (TOML, YAML, JSON, JSONL or CSV): one rubric for all
            items, or one for each topic or item. conqret also reads the files of ResearchRubrics, TREC RAG 2026,
            HealthBench and DRAGUN.
        criteria_per_call: How many criteria are put into one request; 1: each in a request of its own. Default: 12.
    """

    criterion: list[str] | None = None
    rubric: Path | None = None
    criteria_per_call: Annotated[int | None, Within(1)] = None

    def given(self) -> dict[str, Any]:
        """What the user gave, as settings of the public functions."""
        settings = super().given()
        criteria = settings.pop("criterion", ())
        return settings | ({"criteria": criteria} if criteria else {})


@dataclass(frozen=True)
class OwnJudge(OwnCriteria):
    """A judge of one's own: criteria instead of a format, or a function or an address instead of a format and a
    model.

    Model:
        judge: A Python function that judges, instead of `--format` and `--model`: `module:function` (the module may be
            in the working directory). It gets an item as a dictionary and returns a score from 0 to 1, several as
            `{metric: score}`, or, for items with two arguments, which is better: `first`, `second` or `tie`. Or an HTTP
            address, to which conqret POSTs each item as JSON and from which it expects a judgment as JSON, like those
            of `conqret serve http` (its key, if any, in the environment variable CONQRET_SERVER_KEY).
    """

    judge: str | None = None

    @property
    def elsewhere(self) -> bool:
        """Whether the judge is no model that is asked here: a function, an address, a log."""
        return bool(self.given().keys() - {"criteria", "rubric", "criteria_per_call"})


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
        options = super().given()
        metrics = tuple(options.pop("metric", ()))
        return {"metrics": metrics, **options} if metrics else options


@dataclass(frozen=True, kw_only=True)
class ChosenJudge(OptionGroup):
    """The judge."""

    own: AnyJudge
    format: Format = None
    model: Model = None

    def settings(self, calls: Calls) -> dict[str, Any]:
        """The judge as settings of the public functions, its model called so."""
        return {"format": self.format, "model": calls.of(self.model), **self.own.given()}


@dataclass(frozen=True, kw_only=True)
class JudgeRunOptions(OptionGroup):
    """How the run is made."""

    calls: Calls
    engines: BatchedEngines
    kept: RunFolderOptions
    prompts: Prompts = None
