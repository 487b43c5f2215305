"""``conqret judge``: items in, judgments, summary and report out."""

from __future__ import annotations

import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any

from conqret.console import shared_options as options
from conqret.console.exit_codes import end
from conqret.console.option_groups import OptionGroup
from conqret.console.printing import at, complain, note, note_all, progress, result, tell, tell_outcomes
from conqret.console.shared_options import StudyOptions
from conqret.errors import number
from conqret.judging.command_options import ChosenJudge, Config, JudgingOptions, read_settings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType

    from conqret.console.conditions import Requirement, RequirementOutcome
    from conqret.judging.judgments import JudgePlan, Judgments
    from conqret.judging.setup import Setup
    from conqret.judging.summary import Summary
    from conqret.studies.calibrate.result import Calibration


COMMON = (
    "format",
    "criterion",
    "rubric",
    "metric",
    "model",
    "api_base",
    "columns",
    "output",
    "budget_usd",
    "require",
    "dry_run",
    "json_output",
)
"""The options that ``--help`` shows."""
SETTINGS = read_settings
"""What gives options that the command line leaves open their values."""


@dataclass(frozen=True, kw_only=True)
class ItemReading(OptionGroup):
    """How items are read.

    Judging:
        shots: How many labeled arguments on other topics the prompt of the format `listwise` shows as examples (with
            `--examples`). Default: none.
    Files:
        examples: For `--shots`: human labels of the items on the quality dimensions, from which examples are drawn
            (`--seed`).
        topics: For items that are TREC RAG reports: the file of topics that the reports answer, as JSONL (`request_id`,
            `title`, `problem_statement`, …) or as lines of an id, a tab and a text.
        nuggets: A file of nuggets for each topic (JSONL, also .gz, as TREC RAG, AutoNuggetizer and AutoJudge write
            them): judge which nuggets (facts that a good answer states) each item states, with the judge format
            `nuggets`.
    """

    columns: options.Columns = None
    shots: int | None = None
    examples: Path | None = None
    topics: Path | None = None
    nuggets: Path | None = None
    skip_invalid: options.SkipInvalid = False
    language: options.Language = None


@dataclass(frozen=True, kw_only=True)
class ScoreChecks(OptionGroup):
    """What was fitted to this judge, what is required of its scores, and the files for a build.

    Judging:
        require: Exit with code 1 unless this holds: `groundedness >= 0.7` (the mean), `groundedness.low >= 0.6` (the
            low end of its 95% interval), `groundedness.worst_case >= 0.6` (missing scores count as 0) or `coverage >=
            0.95` (the share of items with a score). A failed item also gives exit code 1. May be repeated.
    Files:
        card: A judge card (the card.json of `conqret validate`): print whether it was made for this judge
            configuration, and if not, what has changed since.
        calibration: A file written by `conqret judges calibrate` for this same judge: report and scores.parquet then
            have raw and calibrated scores.
        abstain: A file written by `conqret judges abstain` for this same judge: scores that it is not sure enough of
            are left out, reason: `unsure`. The same command without the option brings them back.
        cascade: A file written by `conqret judges abstain --against` for this judge and the one of `--escalate`.
        junit: Write JUnit XML for a CI server into this file: a test case for all items, one for each condition set by
            `--require`, and one for each of the worst items of a condition that is not met.
        markdown: Write the mean scores into this file as Markdown, and whether the conditions set by `--require` are
            met, for the summary page of a CI build.
    """

    card: Path | None = None
    calibration: Path | None = None
    abstain: Path | None = None
    cascade: Path | None = None
    require: list[str] | None = None
    junit: Path | None = None
    markdown: Path | None = None


def judge(
    items: Annotated[Path | None, options.ITEMS] = None,
    *,
    chosen: ChosenJudge,
    output: Annotated[Path | None, options.run_folder("ITEMS-FORMAT-MODEL")] = None,
    judging: JudgingOptions,
    read: ItemReading,
    run_options: StudyOptions,
    confidence: bool | None = None,
    escalate: str | None = None,
    config: Config = None,
    checks: ScoreChecks,
) -> None:
    """Score items with one judge: relevance of the evidence, groundedness, quality of the argument, preference.

    Every item is checked before the first call. Judgments are written as they arrive. If a run is stopped, the same
    command continues it, and no recorded response is requested again, except invalid ones (once each time).

    Judging:
        confidence (--confidence): Have the judge state its confidence in each response, from 0 to 100, for `conqret
            judges abstain`. The prompt differs, so it counts as a different judge.
        escalate: The model that judges the items that `--model` is unsure of, by the rule in `--cascade FILE`.

    Examples:

    conqret judge items.jsonl --format rag-fine-grained --model gpt-4o-mini -o runs/model

    conqret judge items.jsonl --criterion "clarity: How clear is the wording? 1-5" --model gpt-4o-mini

    conqret judge items.jsonl --rubric rubric.toml --model gpt-4o-mini -o runs/rubric

    conqret judge items.jsonl --model hosted_vllm/my-model --api-base http://localhost:8000/v1

    conqret judge items.jsonl --model gpt-4o-mini -o runs/cheap --batch

    conqret judge items.jsonl --replay recordings.jsonl
    """
    from conqret.judging.judge import expected_costs, judged
    from conqret.runs.trials import Loop

    shown = run_options.shown
    settings: dict[str, Any] = {
        "format": chosen.format,
        "model": chosen.model,
        **read.given(),
        "columns": options.column_map(read.columns, options.ITEM_COLUMNS),
        "abstain": checks.abstain,
        "escalate": escalate,
        "cascade": checks.cascade,
        **({} if confidence is None else {"confidence": confidence}),
        "output": True if output is None else output,
        **chosen.own.given(),
        **judging.given(),
        **run_options.calls.given(),
        **run_options.settings,
    }
    maps: Calibration | None = None
    if checks.calibration is not None:
        from conqret.studies.calibrate.result import Calibration

        maps = Calibration.read(checks.calibration)
    wanted: list[Requirement] = []
    if checks.require:
        from conqret.judging.build_gate import check_had, requirements

        wanted = requirements(checks.require, items, settings, own=chosen.own.elsewhere)
    if config is not None:
        shown.note(f"settings come from {config}; options of the command line override them")
    if run_options.dry_run:
        run_options.tell_cost(expected_costs(items, **{**settings, "batch": False}))
        return

    def begin(run: JudgePlan, rows: int) -> None:
        """Check what depends on the items and the judge configuration, print what is judged, and start the bar.

        Raises:
            DeclarationError: a condition is on a metric that is not judged, or a calibration is of another judge.
        """
        setup, checked = run.setup, run.checked
        if wanted:
            check_had(wanted, setup.metrics)
        if maps is not None:
            maps.check(setup.judge.name, setup.model, setup.fingerprints)
        if checks.card is not None:
            _compare_card(checks.card, setup)
        counts = f"{number(checked.count, 'item')}, {number(checked.documents, 'document')}"
        shown.tell(f"{counts} from {items or chosen.own.verdicts} (read as {checked.layout})")
        shown.tell(f"judged by {setup.judge.name} with {setup.model}")
        shown.note(*setup.notes)
        bar.start(run.clients[0], rows, run.total)

    with progress("judging", quiet=shown.quiet) as bar, Loop() as loop:
        settings["watch"] = SimpleNamespace(start=begin, advance=bar.advance)
        judgments: Judgments = loop.run(judged(items, settings, report=not (wanted or maps)))
    shown.session(judgments.session, number(len(judgments), "judgment"))
    if judgments.missing:
        note_all(f"the recordings lack {number(len(judgments.missing), 'answer')}", judgments.missing)
    summary, outcomes = _checked(judgments, wanted, maps) if wanted or maps else (judgments.summary, ())
    lines = _lines(judgments, summary, quiet=shown.quiet)
    result(summary, lines, as_json=shown.json_output, outcomes=outcomes)
    named = chosen.model or chosen.own.elsewhere or run_options.kept.replay
    if judgments.record.baseline and not named and not shown.quiet:
        _name_a_model(scored=summary.any_score)
    _conclude(judgments, outcomes, checks)


def _checked(
    judgments: Judgments, wanted: Sequence[Requirement], maps: Calibration | None
) -> tuple[Summary, Sequence[RequirementOutcome]]:
    """Calibrate the scores of a run and decide the conditions, and write its report page with both."""
    from conqret.judging.build_gate import check_required, write_gate
    from conqret.judging.page import write_report
    from conqret.studies.calibrate.result import calibrate_run

    run = judgments.folder
    assert run is not None  # noqa: S101 - the command always has one
    summary = judgments.summary if maps is None else calibrate_run(run, maps)
    outcomes = check_required(wanted, judgments.summary, judgments, run.path)
    if wanted:
        write_gate(run, wanted, outcomes)
    write_report(run)
    return summary, outcomes


def _conclude(judgments: Judgments, outcomes: Sequence[RequirementOutcome], checks: ScoreChecks) -> None:
    """Write the files of a build, print which requirements are met and which items are the worst, and end the command:
    exit code 1 if a requirement is not met, an item failed or nothing has a score."""
    if checks.junit or checks.markdown:
        from conqret.judging.build_gate import write_build_files

        write_build_files(judgments, outcomes, junit=checks.junit, markdown=checks.markdown)
    if outcomes and judgments.record.baseline:
        note(
            "word statistics of the offline baseline decide the conditions, not a judge: gate on a model's scores"
        )
    failed, met = judgments.summary.failed, not outcomes or tell_outcomes(outcomes)
    if not met and judgments.folder is not None:
        tell(f"conqret runs show {judgments.folder.path} ITEM shows the request and the response of an item.")
    elif outcomes and failed:
        complain(f"{number(failed, 'item')} failed: run the same command again to retry them")
    there = judgments.summary.any_score or judgments.summary.outstanding  # what a batch holds is to come
    end(failed or not met, judgments.session, there=there, reasons=judgments.summary.reasons)


def _name_a_model(*, scored: bool) -> None:
    """Note that no LLM was requested, with the typed command and a model that can be had from here (else a default).
    ``-o`` is left out of the command, as its folder holds this run."""
    from conqret.llm.providers import suggestion

    words = ["conqret", *sys.argv[1:]]
    for name in {"-o", "--output"} & {*words}:  # the folder holds this run now
        del words[words.index(name) : words.index(name) + 2]
    typed = shlex.join(words)
    named, why = suggestion() or (
        "--model gpt-4o-mini",
        "needs OPENAI_API_KEY; docs/models.md has local ones",
    )
    scores = "these scores are word statistics of the offline baseline" if scored else "there are no scores"
    note(f"no LLM was requested: {scores}. Name a model: {typed} {named} ({why})")


def _compare_card(card: Path, setup: Setup) -> None:
    """Say whether the judge card is of this judge configuration, and if not, what has changed."""
    from conqret.studies.card.result import changes, last_checked, read_card

    known = read_card(card)
    differences = changes(known, setup)
    if differences:
        note_all(
            f"the judge card {card} is stale: its figures do not hold for this judge, which differs in",
            differences,
            len(differences),
        )
    else:
        note(
            f"the judge card describes this judge: same fingerprint, {known.run.fingerprint}; behavior last checked on "
            f"{last_checked(known)}"
        )


def _lines(judgments: Judgments, summary: Summary, *, quiet: bool) -> Iterator[RenderableType]:
    """The summary of a run for a console, with where its files are; its first lines alone where it is ``quiet``."""
    from conqret.judging.summary_tables import headlines, terminal

    if summary.outstanding and not len(judgments):
        yield f"nothing is judged yet: {summary.outstanding} of {judgments.record.items_count} items wait for a batch"
        return
    yield from headlines(summary, judgments.record) if quiet else terminal(summary, judgments.record)
    if summary.cascade is not None:
        yield summary.cascade.line(judgments.record.model)
    if (run := judgments.folder) is not None:
        yield at(run.judgments_file, "judgments")
        yield at(run.scores_file, "scores")
        yield at(run.report_file, "report")
