"""``conqret bias``: is the judge consistent, and does it favor what it should not?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from rich.console import RenderableType

from conqret.console import label_options
from conqret.console import shared_options as options
from conqret.console.exit_codes import end
from conqret.console.option_groups import OptionGroup
from conqret.console.printing import at, entry, note, result, tell_missing, tell_outcomes
from conqret.console.shared_options import StudyOptions
from conqret.errors import number
from conqret.judging.command import ChosenJudge
from conqret.show.words import listed

PROBES = "Probes"
COMMON = (
    "format criterion rubric model judge probe list_all metric columns labels output replay budget_usd require "
    "dry_run json_output"
).split()
"""The options that ``--help`` shows."""


@dataclass(frozen=True, kw_only=True)
class ProbeOptions(OptionGroup):
    """The probes, and conditions on what they find.

    Probes:
        probe: Only this probe, for example `position`. `--list` shows all; some, such as `bandwagon`, are made only if
            they are named. May be repeated.
        list_all (--list): List the probes, and call no model.
        require: A condition such as `alarms == 0`, `flip_rate < 0.1`, `first_place.high < 0.6` or `effect[length] <
            0.05`. Exit code 0 if all are met, 1 if one is not. May be repeated.
    """

    probe: list[str] | None = None
    list_all: bool = False
    metric: options.Metric = None
    require: list[str] | None = None


def bias(
    items: Annotated[Path | None, options.ITEMS] = None,
    *,
    chosen: ChosenJudge,
    item_reading: label_options.ItemOptions,
    output: Path = Path("runs/bias"),
    probing: ProbeOptions,
    labels: Annotated[
        list[Path] | None,
        label_options.label_files(
            "Human labels of the items, needed by probes that compare texts of equal quality (stance, "
            "self-preference).",
            panel=PROBES,
        ),
    ] = None,
    reading: label_options.LabelFileOptions,
    run_options: StudyOptions,
) -> None:
    """Test a judge for bias: order, position, length, false authority, stance, its own family, and instructions hidden
    in the texts.

    Each probe has one row that can raise an alarm, with an interval over topics. These rows are corrected together: a
    judge without bias raises any alarm in at most one of twenty runs, if effects of topics are symmetric about 0. A
    probe without an alarm is clear (a bias above a margin is ruled out) or inconclusive, and says how large a bias it
    could have missed. All other rows are exploratory.

    Files:
        output (--output, -o): The run's folder; the same command continues a stopped run.

    Examples:

    conqret bias items.jsonl --format rag-direct --model offline -o runs/bias

    conqret bias pairs.jsonl --judge my_judge:better --probe position --probe bandwagon

    conqret bias pairs.jsonl --judge my_judge:better --require "alarms == 0"

    conqret bias --verdicts log.jsonl

    conqret bias items.jsonl --format rag-fine-grained --model gpt-4o-mini --labels labels.csv --scale 1:3 --probe
    length --probe stance
    """
    from conqret.studies.bias.bias_effects import bias_value, parse_bias_requirement
    from conqret.studies.bias.bias_run import bias_plan, run_bias
    from conqret.studies.bias.result import missing_reasons, screen, write_bias

    shown = run_options.shown
    settings, label_columns = item_reading.apart(labels)
    if probing.list_all:
        _list(as_json=shown.json_output)
        return
    wanted = [parse_bias_requirement(text) for text in probing.require or ()]
    plan = bias_plan(
        items,
        **chosen.settings(run_options.calls),
        **settings,
        probes=probing.probe or (),
        metrics=probing.metric or (),
        labels=None if labels is None else reading.read(labels, label_columns),
        prompts=run_options.prompts,
    )
    log = plan.context.log
    setup = plan.context.setup
    shown.tell(f"judged by {setup.judge.name} with {setup.model}: {listed(setup.metrics, 5)}")
    if not (chosen.format or chosen.own.given() or probing.metric):
        shown.note("to probe the metric that you gate on, name it: --metric faithfulness, for example")
    shown.note(f"{number(len(plan.contrasts), 'comparison')}, {number(plan.judgments, 'judgment')}")
    shown.left_out(plan.checked)
    shown.note(*(f"{name} left out: {reason}" for name, reason in plan.left_out.items()))
    shown.note(*(() if log is None else log.notes), *plan.notes)
    table = run_options.study(run_bias, plan, output=output, rows="judgments")
    page = write_bias(table, output)
    outcomes = [condition.outcome(bias_value(condition, table)) for condition in wanted]
    result(table, (*screen(table), at(page)), as_json=shown.json_output, outcomes=outcomes)
    note(*table.warnings)
    met = tell_outcomes(outcomes)
    if missing := table.lost:
        note(f"some comparisons lack values: {missing_reasons(missing)}; bias.json says how many")
    incomplete = tell_missing(missing)
    end(incomplete or not met, table.session, there=any(row.effect for row in table.rows), reasons=missing)


def _list(*, as_json: bool | None) -> None:
    """The probes: those that are made unless some are named, then the others."""
    from conqret.studies.bias.contrast import PROBES

    names = ("name", "compares", "finds", "default", "advice", "source")
    rows: list[dict[str, object]] = []
    shown: list[RenderableType] = []
    for probe in sorted(PROBES.values(), key=lambda probe: not probe.default):
        finds = f"a bias is: {probe.finds}" if probe.finds else ""
        lines = [text for text in (probe.compares, finds, f"source: {probe.source}") if text]
        only = "" if probe.default else f"only where it is named: --probe {probe.name}"
        shown += entry(probe.name, only, lines)
        rows.append({name: getattr(probe, name) for name in names})
    result(rows, shown, as_json=as_json)
