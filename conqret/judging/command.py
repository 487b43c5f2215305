"""``conqret judge``: items in, judgments, summary and report out."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any

from conqret.console import shared_options as options
from conqret.console.option_groups import OptionGroup
from conqret.console.printing import (
    at,
    complain,
    end,
    note,
    note_all,
    note_each,
    progress,
    result,
    tell,
    tell_outcomes,
    tell_retried,
)
from conqret.errors import DeclarationError, number
from conqret.judging.command_options import (
    ChosenJudge,
    Config,
    JudgeRunOptions,
    JudgingOptions,
    read_settings,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType

    from conqret.console.conditions import Requirement, RequirementOutcome
    from conqret.console.printing import ProgressBar
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

    Files:
        topics: For items that are TREC RAG reports: the file of topics that the reports answer, as JSONL (`request_id`,
            `title`, `problem_statement`, …) or as lines of an id, a tab and a text.
        nuggets: A file of nuggets for each topic (JSONL, also .gz, as TREC RAG, AutoNuggetizer and AutoJudge write
            them): judge which nuggets (facts that a good answer states) each item states, with the judge format
            `nuggets`.
    """

    columns: options.Columns = None
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
        junit: Write JUnit XML for a CI server into this file: a test case for each item and for each condition that
            `--require` sets on the result.
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
    ran: JudgeRunOptions,
    confidence: bool | None = None,
    escalate: str | None = None,
    config: Config = None,
    checks: ScoreChecks,
    dry_run: options.DryRun = False,
    shown: options.OutputOptions,
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
    from conqret.judging.judge import expected_costs
    from conqret.judging.judge import judge as judged

    settings: dict[str, Any] = {
        "format": chosen.format,
        "model": chosen.model,
        "columns": options.column_map(read.columns, options.ITEM_COLUMNS),
        "topics": read.topics,
        "nuggets": read.nuggets,
        "skip_invalid": read.skip_invalid,
        "language": read.language,
        "prompts": ran.prompts,
        "abstain": checks.abstain,
        "escalate": escalate,
        "cascade": checks.cascade,
        **({} if confidence is None else {"confidence": confidence}),
        "output": True if output is None else output,
        **chosen.own.given(),
        **judging.given(),
        **ran.calls.given(),
        **ran.kept.given(),
        **ran.engines.given(),
    }
    maps: Calibration | None = None
    if checks.calibration is not None:
        from conqret.studies.calibrate.result import Calibration

        maps = Calibration.read(checks.calibration)
    if chosen.own.elsewhere and chosen.format is not None:
        file = f", in {config} too" if config is not None else ""
        raise DeclarationError(f"a judge of your own has no format: leave --format out{file}")
    wanted: list[Requirement] = []
    if checks.require:
        from conqret.judging.build_gate import requirements

        wanted = requirements(checks.require, items, settings, elsewhere=chosen.own.elsewhere)
    if config is not None:
        shown.note(f"settings come from {config}; options of the command line override them")
    if dry_run:
        from conqret.judging.cost import tell_cost

        models = [chosen.model] if escalate is None else [chosen.model, escalate]
        called = [] if chosen.own.elsewhere else ran.kept.called_models(ran.calls, models)
        tell_cost(
            expected_costs(items, **settings),
            budget=ran.calls.budget,
            as_json=shown.json_output,
            called=called,
        )
        return
    with progress("judging", quiet=shown.quiet) as bar:
        begin = partial(
            _begin,
            bar=bar,
            place=items or chosen.own.verdicts,
            wanted=wanted,
            maps=maps,
            card=checks.card,
            shown=shown,
        )
        watch = SimpleNamespace(start=begin, advance=bar.advance)
        judgments = judged(items, watch=watch, **settings)
    _tell_remarks(judgments, quiet=shown.quiet)
    summary = judgments.summary
    if maps is not None and judgments.folder is not None:
        from conqret.judging.page import write_report
        from conqret.studies.calibrate.result import calibrate_run

        summary = calibrate_run(judgments.folder, maps)
        write_report(judgments.folder)
    outcomes: list[RequirementOutcome] = []
    if wanted:
        from conqret.judging.build_gate import check_required

        outcomes = check_required(wanted, judgments.summary, judgments)
    result(
        summary,
        _lines(judgments, summary, quiet=shown.quiet),
        as_json=shown.json_output,
        outcomes=outcomes,
    )
    by_default = (
        judgments.record.baseline
        and chosen.model is None
        and not chosen.own.elsewhere
        and ran.kept.replay is None
    )
    if by_default and not shown.quiet:
        _name_a_model(items, chosen, read, judging, scored=summary.any_score)
    if checks.junit or checks.markdown:
        from conqret.judging.build_gate import write_build_files

        write_build_files(judgments, outcomes, junit=checks.junit, markdown=checks.markdown)
    met = not outcomes or _tell_gate(outcomes, judgments)
    if outcomes and met and judgments.summary.failed:
        complain(
            f"{number(judgments.summary.failed, 'item')} failed: run the same command again to retry them"
        )
    there = judgments.summary.any_score or judgments.summary.outstanding  # what a batch holds is to come
    end(
        judgments.summary.failed or not met, judgments.session, there=there, reasons=judgments.summary.reasons
    )


def _tell_gate(outcomes: Sequence[RequirementOutcome], judgments: Judgments) -> bool:
    """Say which requirements are met, and of the others which items are the worst; returns whether all are met."""
    from conqret.judging.build_gate import worst_lines

    met = tell_outcomes(outcomes)
    for line in worst_lines(outcomes, None if judgments.folder is None else judgments.folder.path):
        tell(line)
    return met


def _begin(
    run: JudgePlan,
    kept: int,
    *,
    bar: ProgressBar,
    place: Path | None,
    wanted: Sequence[Requirement],
    maps: Calibration | None,
    card: Path | None,
    shown: options.OutputOptions,
) -> None:
    """Check what depends on the items and the judge configuration, say what is judged, and start the bar."""
    setup, checked = run.setup, run.checked
    if wanted:
        from conqret.judging.build_gate import check_had

        check_had(wanted, setup.metrics)
    if maps is not None:
        maps.check(setup.judge.name, setup.model, setup.fingerprints)
    if card is not None:
        _compare_card(card, setup)
    if not shown.quiet:
        counts = f"{number(checked.count, 'item')}, {number(checked.documents, 'document')}"
        tell(f"{counts} from {place} (read as {checked.layout})")
        tell(f"judged by {setup.judge.name} with {setup.model}")
        note(*setup.notes)
    bar.start(run.clients[0], kept, run.total)


def _name_a_model(
    items: Path | None, chosen: ChosenJudge, read: ItemReading, judging: JudgingOptions, *, scored: bool
) -> None:
    """Say that no LLM was requested, and how to name one: the one that can be had from here, if there is any."""
    from conqret.llm.providers import suggestion

    given: list[tuple[str, object]] = [("--format", chosen.format), ("--topics", read.topics)]
    given += [("--nuggets", read.nuggets), ("--rubric", chosen.own.rubric)]
    given += [("--criterion", criterion) for criterion in chosen.own.criterion or ()]
    given += [("--metric", metric) for metric in judging.metric or ()]
    given += [("--conversation", judging.given().get("conversation"))]
    options = [str(word) for name, value in given if value is not None for word in (name, value)]
    typed = shlex.join(["conqret", "judge", str(items), *options])

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
    from conqret.judging.cascade import cascade_counts
    from conqret.judging.summary_tables import headlines, terminal

    if summary.outstanding and not len(judgments):
        yield f"nothing is judged yet: {summary.outstanding} of {judgments.record.items_count} items wait for a batch"
        return
    yield from headlines(summary, judgments.record) if quiet else terminal(summary, judgments.record)
    counts = cascade_counts(judgments)
    if counts.kept or counts.escalated:
        yield counts.line(judgments.record.model)
    if (run := judgments.folder) is not None:
        yield at(run.judgments_file, "judgments")
        yield at(run.scores_file, "scores")
        yield at(run.report_file, "report")


def _tell_remarks(judgments: Judgments, *, quiet: bool) -> None:
    """Print what to know of the session: judgments kept, invalid responses requested again, failures, gaps."""
    from conqret.show.words import reason

    if judgments.session.kept and not quiet:
        note(f"{judgments.session.kept} of {len(judgments)} judgments were kept from an earlier run")
    tell_retried(judgments.session)
    if failures := judgments.session.failures:
        note_each(
            f"{reason(name)}, as for {example}"
            for name, example in failures.items()
            if name not in judgments.summary.reasons  # of requests that took nothing away from what was there
        )
    if judgments.missing:
        note_all(f"the recordings lack {number(len(judgments.missing), 'answer')}", judgments.missing)
