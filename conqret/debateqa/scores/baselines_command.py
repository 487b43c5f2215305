"""``conqret debateqa score baselines``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from conqret.console import shared_options as options
from conqret.console.option_groups import OptionGroup, grouped
from conqret.console.printing import progress
from conqret.debateqa.baselines.metric_list import BASELINES, DEFAULT
from conqret.debateqa.scores.score_options import Device, Dtype, MetricOptions, References, leave, show
from conqret.errors import number
from conqret.judging.study_command import PlanOptions

if TYPE_CHECKING:
    from conqret.debateqa.baselines.metric_list import Kind


def _named(kind: Kind) -> str:
    return ", ".join(one.name for one in BASELINES.values() if one.kind == kind)


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
            help=f"Which, with commas: {_named('similarity')} (these need pip install 'conqret[baselines]', "
            "bartscore and semscore the weights of a model besides), "
            f"{_named('asked')} (asked of --model), {_named('text')} (needs nothing)."
        ),
    ] = ",".join(DEFAULT),
    model: options.Model = None,
    weights: WeightOptions,
    asking: PlanOptions,
) -> None:
    """What Perspective Diversity is compared with: text similarity and plain judges; higher is better for all.

    All metrics named are in one table. Values and answers are kept: the same command goes on where it stopped.

    Example: conqret debateqa score baselines answers.jsonl --references debateqa.jsonl --metrics
    bleu,rouge-l,num-of-povs
    """
    from dataclasses import replace

    from conqret.debateqa.baselines.baseline_run import Models, baseline_rows, prepared
    from conqret.debateqa.baselines.llm_metrics import LlmMetricsPlan, estimate
    from conqret.debateqa.baselines.metric_list import selected
    from conqret.debateqa.debateqa_files import read_answers, read_questions
    from conqret.debateqa.kept import KeptValues, ScoreFolder, ScoreRecord, ScoringOutcome
    from conqret.debateqa.metric_requests import cases_of
    from conqret.debateqa.score_table import write_table

    chosen = selected(options.listed(metrics))
    names = {one.name for one in chosen}
    asks = {one.name: one.metric for one in chosen if one.kind == "asked"}
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
    questions = read_questions(references, measured.mapping)
    measured.met(questions, asking.shown)
    cases = list(cases_of(read_answers(measured.answers, measured.mapping), questions))
    folder = ScoreFolder(measured.folder("baselines"))
    session = asking.session(model)
    if asking.dry_run:
        asking.tell_cost(estimate(asks, cases, session))
        return
    client = session.options
    if asking.kept.replay is not None:  # nothing is spent
        client = replace(client, budget_usd=None)
    similarities = prepared(chosen, cases, Models(**weights.given()), client if asks else None)
    instruments = [one.fingerprint for one in similarities.values()] + [client.model] * bool(asks)
    record = ScoreRecord.of(sorted(names), ", ".join(instruments), measured.name, measured.answers)
    asked, overwrite = ScoringOutcome((), session.counts, ()), asking.kept.overwrite
    if asks:
        plan = LlmMetricsPlan(
            cases=cases, models=session, folder=folder, scores=record, system=measured.name, metrics=asks
        )
        count = len(asks) * len(cases)
        asked, overwrite = asking.execute(plan, count, "grades", about=f"{number(count, 'grade')} by"), False
    with folder.claimed(record, overwrite=overwrite), KeptValues(folder.values_file) as values:
        if len(values):
            asking.shown.note(f"{len(values)} values are kept from before")
        with progress("scoring", len(cases), quiet=asking.shown.quiet) as bar:
            rows = baseline_rows(
                chosen, cases, measured.name, similarities=similarities, asked=asked.rows, kept=values,
                on_answer=lambda metric, number: bar.reach(number + 1, metric),
            )  # fmt: skip
        for one in (one for one in chosen if one.kind == "similarity"):
            own = [row for row in rows if row.metric == one.metric]
            if shortened := sum(row.detail != "" for row in own):
                asking.shown.note(
                    f"{one.name}: {shortened} of {len(own)} answers lost text beyond the model's window (detail)"
                )
        table = write_table(rows, folder.scores_file)
    show(table, folder.scores_file, asking.shown.json_output)
    leave(table, asked.session)


def _serve(wanted: bool, metrics: str, **given: object) -> None:
    """Refuse options that serve none of the metrics that were named, instead of leaving them without effect."""
    from conqret.errors import DeclarationError

    if idle := [
        f"--{name.replace('_', '-')}" for name, value in given.items() if value is not None and not wanted
    ]:
        raise DeclarationError(f"{', '.join(idle)} is for {metrics}: name it with --metrics, or leave it out")
