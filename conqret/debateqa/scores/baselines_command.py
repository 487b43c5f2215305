"""``conqret debateqa score baselines``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from conqret.console import shared_options as options
from conqret.console.option_groups import OptionGroup, grouped
from conqret.console.printing import progress
from conqret.debateqa.baselines.metric_list import BASELINES, DEFAULT
from conqret.debateqa.scores.score_options import (
    Device,
    Dtype,
    MetricOptions,
    References,
    leave,
    show,
    tell_partners,
)
from conqret.errors import number
from conqret.judging.study_command import PlanOptions

if TYPE_CHECKING:
    from conqret.debateqa.baselines.metric_list import Kind


def _named(kind: Kind) -> str:
    return ", ".join(baseline.name for baseline in BASELINES.values() if baseline.kind == kind)


@dataclass(frozen=True)
class WeightOptions(OptionGroup):
    """The models that are loaded here, and how.

    Args:
        bart: bartscore's model: a folder, or a hub's name. Default: facebook/bart-large.
        encoder: semscore's encoder: a folder, or a hub's name. Default: sentence-transformers/all-mpnet-base-v2.
    """

    bart: str | None = None
    encoder: str | None = None
    device: Device = None
    dtype: Dtype = None


@grouped
def baselines(
    *,
    measured: MetricOptions,
    references: References,
    metrics: Annotated[
        str,
        typer.Option(
            help=f"The metrics, comma-separated: {_named('similarity')} (text similarity; these need pip install "
            "'conqret[baselines]', and bartscore and semscore also model weights), "
            f"{_named('asked')} (scores by the LLM of --model; num-of-povs counts points of view), {_named('text')} "
            "(whether the answer says that the question is disputed; needs no model)."
        ),
    ] = ",".join(DEFAULT),
    model: options.Model = None,
    weights: WeightOptions,
    asking: PlanOptions,
) -> None:
    """Score answers with other metrics, to compare Perspective Diversity with: text similarity and simple LLM judges;
    higher is better for all.

    All metrics that you name are written into one table. If the command is stopped, the same command continues it.

    Example: conqret debateqa score baselines answers.jsonl --references debateqa.jsonl --metrics
    bleu,rouge-l,num-of-povs
    """
    from conqret.debateqa.answer_scores import baseline_scoring
    from conqret.debateqa.baselines.baseline_run import Models
    from conqret.debateqa.baselines.llm_metrics import estimate

    chosen = options.listed(metrics)
    scoring = baseline_scoring(
        measured.of_system,
        references,
        asking.session(model),
        metrics=chosen,
        weights=Models(**weights.given()),
        replayed=asking.kept.replay is not None,
    )
    names, asks, cases = {*chosen}, scoring.asks, scoring.cases
    _serve(bool(asks), "direct-score, g-eval or num-of-povs", model=model, **asking.calls.given(),
           **{name: value for name, value in asking.settings.items() if value and name != "overwrite"})  # fmt: skip
    _serve("bartscore" in names, "bartscore", bart=weights.bart)
    _serve("semscore" in names, "semscore", encoder=weights.encoder)
    _serve(
        bool({"bartscore", "semscore"} & names),
        "bartscore or semscore",
        device=weights.device,
        dtype=weights.dtype,
    )
    tell_partners(scoring.met, asking.shown)
    if asking.dry_run:
        asking.tell_cost(estimate(asks, cases, scoring.models))
        return

    asked, count = None, len(asks) * len(cases)
    if asks:
        asked = asking.execute(scoring.plan, count, "grades", about=f"{number(count, 'grade')} by")
    with progress("scoring", len(cases), quiet=asking.shown.quiet) as bar:

        def started(kept: int) -> None:
            if kept:
                asking.shown.note(f"{kept} values are kept from an earlier run")

        estimates = scoring.scores(
            asked, overwrite=asking.kept.overwrite, on_start=started,
            on_answer=lambda metric, number: bar.reach(number + 1, metric),
        )  # fmt: skip
    show(estimates, asking.shown)
    leave(estimates)


def _serve(wanted: bool, metrics: str, **settings: object) -> None:
    """Refuse options that serve none of the metrics that were named, instead of leaving them without effect."""
    from conqret.errors import DeclarationError

    if idle := [
        f"--{name.replace('_', '-')}" for name, value in settings.items() if value is not None and not wanted
    ]:
        raise DeclarationError(
            f"{', '.join(idle)} applies only to {metrics}: name it with --metrics, or leave the option out"
        )
