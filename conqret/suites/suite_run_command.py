"""``conqret judges test``: a judge on a public test set."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any

from annotated_types import Interval

from conqret.console import shared_options as options
from conqret.console.exit_codes import end
from conqret.console.option_groups import OptionGroup
from conqret.console.printing import at, note_all, progress, result
from conqret.console.shared_options import StudyOptions, study_watch
from conqret.console.source_options import SuiteFolder
from conqret.errors import number
from conqret.judging.command import AnyJudge
from conqret.llm.client_options import OFFLINE_MODEL

if TYPE_CHECKING:
    from conqret.suites.suite_run import SuiteRun

COMMON = tuple(
    "source sample seed format criterion model api_base judge verdicts output prompts replay budget_usd batch dry_run "
    "json_output".split()
)
"""The options that ``--help`` shows."""


@dataclass(frozen=True, kw_only=True)
class SuiteJudgeOptions(OptionGroup):
    """The judge, where it is another than the suite's.

    Judging:
        format (--format, -f): The judge format: what the judge measures and how. Default: the one that the suite
            (public test set) declares.
    """

    own: AnyJudge = field(default_factory=AnyJudge)
    format: str | None = None
    model: options.Model = None


def run(
    name: str,
    *,
    source: SuiteFolder = None,
    sample: Annotated[int | None, Interval(ge=1)] = None,
    seed: int = 13,
    chosen: SuiteJudgeOptions,
    output: Annotated[
        Path | None, options.run_folder("SUITE-MODEL, with the size of a sample between")
    ] = None,
    run_options: StudyOptions,
) -> None:
    """Judge a suite (public test set) with a model, and compare its verdicts with the gold labels: statistics,
    intervals, price.

    The suite says which format or criterion judges it; `--format`, `--criterion`, `--judge` or `--verdicts`
    use another judge instead. The run's folder is that of `conqret judge`, and suite.json in it is the result for
    `conqret judges leaderboard`.

    Args:
        name: The name of the suite (public test set); `conqret judges suites` lists all.
    Judging:
        sample: Judge only so many items of the suite, drawn at random and stratified by topic and by gold label.
            Default: all.
        seed: The random seed of the sample.

    Examples:

    conqret judges test judgebench --model gpt-4o-mini --sample 40 --dry-run

    conqret judges test judgebench --model gpt-4o-mini --sample 40 -o runs/judgebench

    conqret judges test ukpconvarg1 --model offline --from data/ukpconvarg1
    """
    from conqret.suites import leaderboard_page, suite_run

    shown = run_options.shown
    prepared = suite_run.prepared_suite(name, source=source, sample=sample, sample_seed=seed)
    settings: dict[str, Any] = {
        "format": chosen.format,
        "model": chosen.model,
        "output": True if output is None else output,
        **chosen.own.given(),
        **run_options.calls.given(),
        **run_options.settings,
    }
    shown.note(*prepared.notes)
    if run_options.dry_run:
        cost = suite_run.expected_suite_cost(prepared, {**settings, "batch": False})  # type: ignore[typeddict-item]
        run_options.tell_cost(
            [cost],
            facts={"suite": prepared.suite.name, "items": len(prepared.data.items), "of": prepared.every},
            lines=[f"{prepared.suite.title}: {prepared.about}"],
        )
        return
    offline = chosen.model in (None, OFFLINE_MODEL)
    judge = (
        "a judge of your own"
        if chosen.own.given()
        else prepared.suite.judged_by(chosen.format, offline=offline)
    )
    shown.tell(f"{prepared.suite.title}: {prepared.about}, judged by {judge}")
    with progress("judging", quiet=shown.quiet) as bar:
        count = len(prepared.data.items)
        settings["watch"] = study_watch(bar, shown, "a judge")
        if prepared.suite.task != "detection":  # of which it is said above who judges

            def started(run: Any, kept: int) -> None:
                bar.start(run.clients[0], kept, count)

            settings["watch"] = SimpleNamespace(start=started, advance=bar.advance)
        made = suite_run.judge_prepared(prepared, settings)  # type: ignore[arg-type]
    shown.session(made.session, number(len(prepared.data.items), "judgment"))
    if made.missing:
        note_all(f"the recordings lack {number(len(made.missing), 'answer')}", made.missing)
    lines: list[Any] = [leaderboard_page.figures_table(prepared.suite, made.result), *_lines(made)]
    result(made.result, lines, as_json=shown.json_output)
    there = any(figure.n for figure in made.result.figures)
    end(0, made.session, there=there, reasons=made.result.missing)


def _lines(made: SuiteRun) -> Iterator[str]:
    if (sample := made.result.sample) is not None:
        yield f"a sample of {sample.n:,} of {sample.of:,} items (seed {sample.seed})"
    if made.file is not None:
        yield at(made.file, "result")
        yield f"conqret judges leaderboard {made.file} -o leaderboard.html compares it with published judges"
