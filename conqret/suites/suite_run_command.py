"""``conqret suite run``: a judge on a public test set."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from conqret.console import shared_options as options
from conqret.console.option_groups import OptionGroup, grouped
from conqret.console.printing import at, end, note_all, progress, result
from conqret.errors import number
from conqret.judging.command import JudgeRunOptions
from conqret.judging.command_options import AnyJudge
from conqret.llm.client_options import OFFLINE_MODEL
from conqret.show import words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from conqret.suites.result import SuiteResult
    from conqret.suites.suite import Suite
    from conqret.suites.suite_run import PreparedSuite, SuiteRun

WIDE = 1.96
"""Standard errors from a value to an end of its interval of 95%."""
COMMON = (
    "source",
    "sample",
    "seed",
    "format",
    "criterion",
    "model",
    "api_base",
    "judge",
    "verdicts",
    "output",
    "prompts",
    "replay",
    "budget_usd",
    "batch",
    "dry_run",
    "json_output",
)
"""The options that ``--help`` shows."""

Source = Annotated[
    Path | None,
    options.option(
        options.FILES,
        "The folder with the files of the suite (public test set), or a folder of such folders. Default: the files "
        "that `conqret suite fetch` stored, or else the folder in the environment variable CONQRET_DATA.",
        "--from",
    ),
]


@dataclass(frozen=True, kw_only=True)
class SuiteJudgeOptions(OptionGroup):
    """The judge, where it is another than the suite's."""

    own: AnyJudge
    format: Annotated[
        str | None,
        options.option(
            options.JUDGING,
            "The judge format: what the judge measures and how. Default: the one that the suite (public test set) "
            "declares.",
            "--format",
            "-f",
        ),
    ] = None
    model: options.Model = None


@grouped
def run(
    name: Annotated[
        str, typer.Argument(help="The name of the suite (public test set); `conqret suite list` lists all.")
    ],
    *,
    source: Source = None,
    sample: Annotated[
        int | None,
        options.option(
            options.JUDGING,
            "Judge only so many items of the suite, drawn at random and stratified by topic and by gold label. "
            "Default: all.",
            min=1,
        ),
    ] = None,
    seed: Annotated[int, options.option(options.JUDGING, "The random seed of the sample.")] = 13,
    chosen: SuiteJudgeOptions,
    output: Annotated[
        Path | None, options.run_folder("SUITE-MODEL, with the size of a sample between")
    ] = None,
    ran: JudgeRunOptions,
    dry_run: options.DryRun = False,
    shown: options.OutputOptions,
) -> None:
    """Judge a suite (public test set) with a model, and compare its verdicts with the gold labels: statistics,
    intervals, price.

    The suite says which format or criterion judges it; `--format`, `--criterion`, `--judge` or `--verdicts`
    use another judge instead. The run's folder is that of `conqret judge`, and suite.json in it is the result for
    `conqret suite report`.

    Examples:

    conqret suite run judgebench --model gpt-4o-mini --sample 40 --dry-run

    conqret suite run judgebench --model gpt-4o-mini --sample 40 -o runs/judgebench

    conqret suite run ukpconvarg1 --model offline --from data/ukpconvarg1
    """
    from conqret.judging.cost_table import tell_cost
    from conqret.suites.suite_run import expected_suite_cost, judge_prepared, prepared_suite

    prepared = prepared_suite(name, source=source, sample=sample, sample_seed=seed)
    settings: dict[str, Any] = {
        "format": chosen.format,
        "model": chosen.model,
        "prompts": ran.prompts,
        "output": True if output is None else output,
        **chosen.own.given(),
        **ran.calls.given(),
        **ran.kept.given(),
        **ran.engines.given(),
    }
    shown.note(*prepared.notes)
    if dry_run:
        asked = [] if chosen.own.elsewhere else ran.kept.asked(ran.calls, [chosen.model])
        cost = expected_suite_cost(prepared, settings)  # type: ignore[arg-type]
        tell_cost(
            [cost],
            budget=ran.calls.budget,
            as_json=shown.json_output,
            facts={"suite": prepared.suite.name, "items": len(prepared.data.items), "of": prepared.every},
            lines=[f"{prepared.suite.title}: {prepared.about}", *_planned_width(prepared)],
            asked=asked,
        )
        return
    shown.tell(f"{prepared.suite.title}: {prepared.about}, judged by {judged_by(prepared.suite, chosen)}")
    with progress("judging", quiet=shown.quiet) as bar:

        def started(*arguments: Any) -> None:
            client, kept = arguments[-2:]
            bar.start(client, kept, len(prepared.data.items))

        settings |= {"on_start": started, _advance(prepared): bar.advance}
        made = judge_prepared(prepared, settings)  # type: ignore[arg-type]
    shown.session(made.session, number(len(prepared.data.items), "judgment"))
    if made.missing:
        note_all(f"the recordings lack {number(len(made.missing), 'answer')}", made.missing)
    result(made.result, _lines(prepared, made), as_json=shown.json_output)
    there = any(figure.n for figure in made.result.figures)
    end(0, made.session, there=there, reasons=made.result.missing)


def _advance(prepared: PreparedSuite) -> str:
    return "on_row" if prepared.suite.task == "detection" else "on_judgment"


def _lines(prepared: PreparedSuite, made: SuiteRun) -> Iterator[RenderableType]:
    from conqret.suites.page import figures_table

    yield figures_table(prepared.suite, [made.result])
    yield from _sample_words(made.result)
    yield from _missing_words(made.result)
    if made.file is not None:
        yield at(made.file, "result")
        yield f"conqret suite report {made.file} -o leaderboard.html compares it with published judges"


def _planned_width(prepared: PreparedSuite) -> Iterator[str]:
    """How wide the interval of the first statistic will be, before anything is asked, where that can be said: of a
    share at most, of a correlation about 0."""
    statistic = prepared.suite.statistics[0]
    size, every = len(prepared.data.items), prepared.every
    if statistic.scale not in ("share", "correlation") or size < 5:
        return

    def half(n: int) -> str:
        wide = WIDE * (0.5 / math.sqrt(n) if statistic.scale == "share" else 1 / math.sqrt(n - 3))
        return f"±{_short(wide)}"

    said = f"{words.label(statistic.name)} will be known to {half(size)} with {size:,} items"
    more = f", with all {every:,} to {half(every)}" if every > size else ""
    yield f"{said}{more}; more where items of a cluster are alike"


def _sample_words(result: SuiteResult) -> Iterator[str]:
    """What the sample costs: the interval's width beside that of all items."""
    sample, figure = result.sample, result.main
    if sample is None:
        return
    half = figure.half
    if half is None:
        yield f"a sample of {sample.n:,} of {sample.of:,} items (seed {sample.seed})"
        return
    whole = half * math.sqrt(sample.n / sample.of)
    alike = figure.clusters < figure.n  # what clusters differ in does not go with more of their items
    best = (
        f"at best ±{_short(whole)}, as its items come from few clusters"
        if alike
        else f"about ±{_short(whole)}"
    )
    yield (
        f"a sample of {sample.n:,} of {sample.of:,} items (seed {sample.seed}): {words.label(figure.statistic)} "
        f"±{_short(half)}; with all {sample.of:,} it would be {best}"
    )


def _missing_words(result: SuiteResult) -> Iterator[str]:
    """Which items have no verdict, and why."""
    lost = sum(result.missing.values())
    if lost:
        why = "; ".join(f"{count:,}: {words.reason(name)}" for name, count in result.missing.items())
        have = "has no verdict and is" if lost == 1 else "have no verdict and are"
        yield f"{lost:,} of {result.judged:,} items {have} in no figure ({why})"


def _short(value: float) -> str:
    """A number with two places, without its 0."""
    return f"{value:.2f}".removeprefix("0")


def judged_by(suite: Suite, chosen: SuiteJudgeOptions | None = None) -> str:
    """Who judges a suite, in words."""
    if chosen is not None and chosen.own.given():
        return "a judge of your own"
    if not suite.judged:
        return "no judge here: its texts are not published"
    if suite.task == "detection":
        return "conqret perspectives detect"
    named = None if chosen is None else chosen.format
    offline = chosen is not None and chosen.model in (None, OFFLINE_MODEL) and suite.baseline
    judging = suite.baseline if offline else suite.judging
    if named or "format" in judging:
        return f"format {named or judging['format']}"
    return "; ".join(map(str, judging.get("criteria", ())))
