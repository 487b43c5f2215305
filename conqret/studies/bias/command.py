"""``conqret bias``: is the judge consistent, and does it favour what it should not?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from conqret.console import label_options
from conqret.console import shared_options as options
from conqret.console.option_groups import OptionGroup, grouped
from conqret.console.printing import at, end, entry, floor, note, progress, result, tell_outcomes
from conqret.errors import number
from conqret.judging.command_options import ChosenJudge, JudgeRunOptions
from conqret.options import Within

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType

    from conqret.studies.bias.bias_run import BiasPlan
    from conqret.studies.bias.contrast import Probe


PROBES = "Probes"
PAGE_NAME, MARKDOWN_NAME = "report.html", "bias.md"

COMMON = (
    "format",
    "criterion",
    "rubric",
    "model",
    "judge",
    "probe",
    "list_all",
    "labels",
    "output",
    "replay",
    "budget_usd",
    "require",
    "dry_run",
    "json_output",
)
"""The options that ``--help`` shows."""


@dataclass(frozen=True, kw_only=True)
class ProbeOptions(OptionGroup):
    """The probes, and the tests of what they find.

    Probes:
        probe: Only this probe, for example `position`. `--list` shows all; some, such as `bandwagon`, are made only if
            they are named. May be repeated.
        list_all (--list): List the probes, and call no model.
        repeats: How often each request is sent in total, to measure whether the judge repeats its scores.
        seed: The seed of the changes to the texts and of the tests.
    """

    probe: list[str] | None = None
    list_all: bool = False
    repeats: Annotated[int, Within(2)] = 3
    metric: options.Metric = None
    seed: int = 13
    confidence: label_options.Confidence = 0.95


@dataclass(frozen=True, kw_only=True)
class ProbedItems(OptionGroup):
    """How the items are read."""

    item_columns: options.Columns = None
    skip_invalid: options.SkipInvalid = False
    language: options.Language = None


@dataclass(frozen=True, kw_only=True)
class BiasGate(OptionGroup):
    """Conditions, and the file for a build.

    Probes:
        require: A condition such as `alarms == 0`, `flip_rate < 0.1`, `first_place.high < 0.6` or `effect[length] <
            0.05`. Exit code 0 if all are met, 1 if one is not. May be repeated.
    """

    require: list[str] | None = None
    junit: Annotated[
        Path | None,
        typer.Option(
            help="Write JUnit XML for a CI server into this file: a test case for each bias probe (a detected bias "
            "is a failure) and for each condition that `--require` sets on the result.",
            rich_help_panel=options.FILES,
            dir_okay=False,
        ),
    ] = None


@grouped
def bias(
    items: Annotated[Path | None, options.ITEMS] = None,
    *,
    chosen: ChosenJudge,
    item_reading: ProbedItems,
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
    reading: label_options.LabelReading,
    gate: BiasGate,
    ran: JudgeRunOptions,
    dry_run: options.DryRun = False,
    shown: options.OutputOptions,
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

    conqret bias pairs.jsonl --judge my_judge:better --require "alarms == 0" --junit bias.xml

    conqret bias --verdicts log.jsonl

    conqret bias items.jsonl --format rag-fine-grained --model gpt-4o-mini --labels labels.csv --scale 1:3 --probe
    length --probe stance
    """
    from conqret.errors import DeclarationError
    from conqret.io.safe_files import write_whole
    from conqret.judging.cost_table import tell_cost
    from conqret.show.page import write_files
    from conqret.studies.bias.bias_run import estimate
    from conqret.studies.bias.bias_study import bias as measure
    from conqret.studies.bias.bias_study import bias_plan
    from conqret.studies.bias.page import (
        bias_junit,
        bias_sheet,
        check_bias_requirement,
        parse_bias_requirement,
        screen,
    )
    from conqret.studies.bias.screen import lost

    if probing.list_all:
        _list(as_json=shown.json_output)
        return
    asked: dict[str, Any] = {
        "format": chosen.format,
        "model": ran.calls.of(chosen.model),
        **chosen.own.given(),
        "columns": options.column_map(item_reading.item_columns, options.ITEM_COLUMNS),
        "skip_invalid": item_reading.skip_invalid,
        "language": item_reading.language,
        "probes": probing.probe or (),
        "repeats": probing.repeats,
        "labels": None if labels is None else reading.load(labels),
        "metrics": probing.metric or (),
        "seed": probing.seed,
        "prompts": ran.prompts,
    }

    wanted = [parse_bias_requirement(text) for text in gate.require or ()]
    if chosen.format is not None and chosen.own.elsewhere:
        raise DeclarationError("a judge of your own has no format: leave --format out")

    if dry_run:
        plan = bias_plan(items, **asked)
        _announce(plan, shown, left_out=True)
        estimates = ran.engines.prices(estimate(plan), ran.calls)
        models = [] if chosen.own.elsewhere else [each.model for each in estimates if each.calls]
        tell_cost(
            estimates,
            budget=ran.calls.budget,
            as_json=shown.json_output,
            asked=ran.kept.asked(ran.calls, models),
        )
        return
    with progress("judging", quiet=shown.quiet) as bar:

        def begin(plan: BiasPlan) -> None:
            bar.reach(0, total=plan.judgments)
            _announce(plan, shown)

        table = measure(
            items,
            **asked,
            confidence=probing.confidence,
            output=output,
            **ran.kept.given(),
            **ran.engines.given(),
            on_plan=begin,
            on_start=bar.reach,
            on_judgment=bar.advance,
        )
    sheet = bias_sheet(table)
    page, _ = write_files(output, {PAGE_NAME: sheet.html(), MARKDOWN_NAME: sheet.markdown()})
    if chosen.own.verdicts is None:
        shown.session(table.session, f"{number(table.judgments, 'judgment')}")
        if table.record.baseline:
            shown.tell(f"offline is {floor('a judge')}")
    outcomes = [check_bias_requirement(condition, table) for condition in wanted]
    result(table, (*screen(table), at(page)), as_json=shown.json_output, outcomes=outcomes)
    note(*table.warnings)
    met = tell_outcomes(outcomes)
    if gate.junit is not None:
        write_whole(gate.junit, bias_junit(table, outcomes))
    if missing := table.missing:
        note(f"some comparisons lack values: {lost(missing)}; bias.json says how many")
    end(missing or not met, table.session, there=any(row.effect for row in table.rows), reasons=missing)


def _announce(plan: BiasPlan, shown: options.OutputOptions, *, left_out: bool = False) -> None:
    """Say what will be compared, and, where asked for or of a log, what will not."""
    from conqret.perturb.perturbation import NO_RULE

    log = plan.ground.log
    shown.note(f"{number(len(plan.contrasts), 'comparison')}, {number(plan.judgments, 'judgment')}")
    shown.left_out(plan.checked)
    lacking = [f"{name} left out: {reason}" for name, reason in plan.left_out.items()]
    unchanged = [note for note in plan.notes if NO_RULE in note]
    remarks = unchanged if log is None else [*log.notes, *plan.notes]
    shown.note(*(lacking if left_out or log is not None else ()), *remarks)


def _list(*, as_json: bool | None) -> None:
    """The probes: those that are made unless some are named, then the others."""
    from conqret.studies.bias.contrast import PROBES

    probes = sorted(PROBES.values(), key=lambda probe: not probe.default)
    names = ("name", "compares", "finds", "default", "advice", "source")
    rows = [{name: getattr(probe, name) for name in names} for probe in probes]
    result(rows, _entries(probes), as_json=as_json)


def _entries(probes: Sequence[Probe]) -> Iterator[RenderableType]:
    for probe in probes:
        finds = f"a bias is: {probe.finds}" if probe.finds else ""
        lines = [text for text in (probe.compares, finds, f"source: {probe.source}") if text]
        yield from entry(
            probe.name, "" if probe.default else f"only where it is named: --probe {probe.name}", lines
        )
