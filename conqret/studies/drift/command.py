"""``conqret judges drift``: is the judge still as it was?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from conqret.console import shared_options as options
from conqret.console.option_groups import OptionGroup, grouped
from conqret.console.printing import at, end, note_all, progress, result, tell_outcomes
from conqret.errors import number
from conqret.judging.command_options import AnyJudge, BatchedEngines, JudgingOptions
from conqret.options import Within

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conqret.io import CheckedItems
    from conqret.judging.judgments import Judgments
    from conqret.judging.setup import Setup
    from conqret.llm.client import Client


SERIES = "Series"
PAGE_NAME = "drift.html"


@dataclass(frozen=True, kw_only=True)
class WaveOptions(OptionGroup):
    """The waves, and when an alarm is raised.

    Series:
        wave: The name of the wave (dated run over the same items) that is judged now. Default: today's date (UTC).
        since: Begin a new series of waves (dated runs over the same items) with this one, given by name or date,
            because you accept the change of the judge that it shows.
        baseline: How many of the first waves (dated runs over the same items) are the baseline that later waves are
            compared with.
        waves: How many waves (dated runs over the same items) are planned in all, including those of the baseline. The
            false-alarm rate of `--rate` holds for the whole series.
        rate: The false-alarm rate: the share of planned series in which an unchanged judge would raise at least one
            alarm (if noise is independent between waves).
    """

    wave: str | None = None
    since: str | None = None
    baseline: Annotated[int, Within(1)] = 3
    waves: int = 20
    rate: float = 0.05


@dataclass(frozen=True, kw_only=True)
class DriftGate(OptionGroup):
    """Conditions, and the files for a build.

    Series:
        require: A condition such as `severity[groundedness] < 0.05`, `spread[clarity] > -0.03` (both as differences
            from the baseline) or `coverage >= 0.98`. Exit code 0 if all are met, 1 if one is not. May be repeated.
    """

    require: list[str] | None = None
    junit: Annotated[
        Path | None,
        options.option(
            options.FILES,
            "Write JUnit XML for a CI server into this file: a test case for each control chart (an alarm is a "
            "failure) and for each condition that `--require` sets on the result.",
            dir_okay=False,
        ),
    ] = None


@dataclass(frozen=True, kw_only=True)
class AnchorJudge(OptionGroup):
    """The judge of the anchors."""

    own: AnyJudge
    format: options.Format = None
    model: options.Model = None


@dataclass(frozen=True, kw_only=True)
class AnchorReading(OptionGroup):
    """How the anchors are read."""

    item_columns: options.Columns = None
    skip_invalid: options.SkipInvalid = False
    language: options.Language = None


@dataclass(frozen=True, kw_only=True)
class AnchorRun(OptionGroup):
    """How the run is made."""

    calls: options.Calls
    engines: BatchedEngines
    prompts: options.Prompts = None


@grouped
def drift(
    given: Annotated[
        list[Path],
        typer.Argument(
            metavar="ITEMS|RUNS...",
            help="With `-o`: the file of items that are judged again as a new wave (the anchors). Without `-o`: the "
            "folders of finished runs over the same items, one for each wave, or one folder that contains them.",
        ),
    ],
    *,
    chosen: AnchorJudge,
    output: Path | None = None,
    waves: WaveOptions,
    gate: DriftGate,
    page: Annotated[
        Path | None,
        options.option(
            options.FILES,
            "The file for the charts: .html, .md or .svg. Default: drift.html in the folder of -o.",
            dir_okay=False,
        ),
    ] = None,
    read: AnchorReading,
    judging: JudgingOptions,
    ran: AnchorRun,
    dry_run: options.DryRun = False,
    shown: options.OutputOptions,
) -> None:
    """Monitor a judge for drift: judge the same anchors in dated waves, with control charts and alarms.

    The exit code is 1 if the judge became more severe or milder, or uses more or less of its scale. Of judges that
    have not changed, one in twenty raises an alarm over a whole planned series, if noise is independent between
    waves. It also says what else changed: the name under which the model answers, its system, prompts, price and
    speed.

    Files:
        output (--output, -o): The folder of all waves, each a run in it. The same command again on the same day
            goes on where it stopped.

    Examples:

    conqret judges drift anchors.jsonl --format direct --model gpt-4o-mini -o drift

    conqret judges drift anchors.jsonl --judge my_judge:grade -o drift --wave 2026-01-05-evening

    conqret judges drift drift --since 2026-02-01 --page drift.html

    conqret judges drift runs/2026-01-05 runs/2026-01-12 runs/2026-01-19 runs/2026-01-26
    """
    from conqret.errors import DeclarationError
    from conqret.io.safe_files import write_whole
    from conqret.judging.cost_table import tell_cost
    from conqret.judging.judge import expected_cost
    from conqret.show.report_page import check_ending, write_sheet
    from conqret.studies.drift.drift_requirements import check_drift_requirement, parse_drift_requirement
    from conqret.studies.drift.page import drift_junit, drift_screen, drift_sheet
    from conqret.studies.drift.result import DATA_NAME
    from conqret.studies.drift.result import drift as chart

    wanted = [parse_drift_requirement(text) for text in gate.require or ()]
    series: dict[str, Any] = {"baseline": waves.baseline, "waves": waves.waves, "rate": waves.rate}
    if "seed" in judging.given():
        series["seed"] = judging.given()["seed"]
    if page is not None:
        check_ending(page)
    judgments: Judgments | None = None
    if output is not None:
        if len(given) != 1:
            raise DeclarationError(
                "with -o, one file of anchors is judged; leave -o out to read finished runs"
            )
        asked: Any = {
            "format": chosen.format,
            "model": chosen.model,
            "prompts": ran.prompts,
            "columns": options.column_map(read.item_columns, options.ITEM_COLUMNS),
            "skip_invalid": read.skip_invalid,
            "language": read.language,
            **chosen.own.given(),
            **judging.given(),
            **ran.calls.given(),
            **ran.engines.given(),
        }
        if dry_run:
            models = [] if chosen.own.elsewhere else [ran.calls.of(chosen.model)]
            cost = expected_cost(given[0], **asked)
            tell_cost([cost], budget=ran.calls.budget, as_json=shown.json_output, asked=models)
            return
        judgments = _judge(given[0], output, waves.wave, series, asked, shown)
    else:
        _check_runs(given)
    charted = chart(*(given if output is None else [output]), since=waves.since, **series)
    sheet, places = drift_sheet(charted), []
    if output is not None:
        write_whole(output / DATA_NAME, charted.model_dump_json(indent=1).encode() + b"\n")
        page = output / PAGE_NAME if page is None else page
    if page is not None:
        places = [at(write_sheet(sheet, page), "page")]
    if charted.left_out:
        note_all("not finished, and left out", charted.left_out)
    outcomes = [check_drift_requirement(condition, charted) for condition in wanted]
    result(charted, (*drift_screen(charted), *places), as_json=shown.json_output, outcomes=outcomes)
    met = tell_outcomes(outcomes)
    if gate.junit is not None:
        write_whole(gate.junit, drift_junit(charted, outcomes))
    session = None if judgments is None else judgments.session
    lost = judgments is not None and judgments.summary.failed
    reasons = {} if judgments is None else judgments.summary.reasons
    there = judgments is None or judgments.summary.any_score
    end(charted.alarms or not met or lost, session, there=there, reasons=reasons)


def _judge(
    items: Path, output: Path, wave: str | None, series: Any, asked: Any, shown: options.OutputOptions
) -> Judgments:
    """Judge one more wave, and say what was asked."""
    from conqret.studies.drift.drift_study import judge_wave, wave_folder
    from conqret.studies.drift.result import WavePlan

    place = wave_folder(output, wave, batch=asked.get("batch", False))
    with progress("judging", quiet=shown.quiet) as bar:

        def started(setup: Setup, checked: CheckedItems, client: Client, kept: int) -> None:
            shown.tell(
                f"{place}: {number(checked.count, 'anchor')} for {setup.judge.name} with {setup.client.model}"
            )
            shown.note(*setup.notes)
            bar.start(client, kept, checked.count)

        judgments = judge_wave(
            items, output, place.name, WavePlan(**series), on_start=started, on_judgment=bar.advance, **asked
        )
    shown.session(judgments.session, number(len(judgments), "judgment"))
    return judgments


def _check_runs(paths: Sequence[Path]) -> None:
    """Raise DeclarationError where something is given that can hold no run."""
    from conqret.errors import DeclarationError

    for path in paths:
        if path.is_file():
            raise DeclarationError(
                f"{path} is a file: to judge it once more, give the folder of the waves with -o; to read "
                "finished waves, give their folders"
            )
