"""``conqret judge``: items in, judgments, summary and report out; options with which other commands choose a judge; and
the settings of ``conqret.toml``, which options override.

A table of the file has the command's name, and its keys those of the options (``max-tokens`` or ``max_tokens``)::

    [judge]
    format = "rag-fine-grained"
    model = "gpt-4o-mini"
    metric = ["groundedness"]
    columns = {topic = "question", documents = "ctx"}
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path
from types import MappingProxyType, SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any, get_args

from annotated_types import Interval
from cyclopts import Token

from conqret.console import shared_options as options
from conqret.console.exit_codes import end
from conqret.console.option_groups import OptionGroup
from conqret.console.printing import at, complain, note, note_all, progress, result, tell, tell_outcomes
from conqret.console.shared_options import Calls, Format, Metric, Model, StudyOptions
from conqret.errors import DeclarationError, UnknownNameError, number
from conqret.judging.judge_options import JudgeOptions
from conqret.options import fault_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cyclopts.argument import Argument
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


@dataclass(frozen=True)
class OwnCriteria(OptionGroup):
    """Criteria of your own instead of a format, or a rubric.

    Judging:
        criterion: A criterion of your own instead of `--format`: a statement that is met or not (`The answer names a
            source`), or a question that ends with its scale (`clarity: How clear is the wording? 1-5`). May be
            repeated; one request has up to 12 criteria.
        rubric: A file of weighted criteria instead of `--format` (TOML, YAML, JSON, JSONL or CSV): one rubric for all
            items, or one for each topic or item. conqret also reads the files of ResearchRubrics, TREC RAG 2026,
            HealthBench and DRAGUN.
        criteria_per_call: How many criteria are put into one request; 1: each in a request of its own. Default: 12.
    """

    SETTING_NAMES = MappingProxyType({"criterion": "criteria"})

    criterion: list[str] | None = None
    rubric: Path | None = None
    criteria_per_call: Annotated[int | None, Interval(ge=1)] = None


@dataclass(frozen=True)
class OwnJudge(OwnCriteria):
    """A judge of your own: criteria instead of a format, or a function instead of a format and a model.

    Model:
        judge: A Python function that judges, instead of `--format` and `--model`: `module:function` (the module may be
            in the working directory). It gets an item as a dictionary and returns a score from 0 to 1, several as
            `{metric: score}`, or, for items with two arguments, which is better: `first`, `second` or `tie`.
    """

    judge: str | None = None

    @property
    def elsewhere(self) -> bool:
        """True if conqret calls no model because a function or a log of verdicts judges."""
        return bool(self.given().keys() - {"criteria", "rubric", "criteria_per_call"})


@dataclass(frozen=True)
class AnyJudge(OwnJudge):
    """A judge of your own, or a log of its verdicts.

    Model:
        verdicts: Judgments that were made elsewhere: JSONL, CSV or Parquet with a verdict (`first`, `second`, `tie`) or
            a score in each row, and either the texts as they were shown (then leave out ITEMS) or the id of an item. No
            model is called.
        verdict_scale: Lowest and highest score in `--verdicts`, for example `1:10`. Default: `0:1`.
    """

    verdicts: Path | None = None
    verdict_scale: str | None = None


@dataclass(frozen=True)
class JudgingOptions(OptionGroup, settings_class=JudgeOptions):
    """How a judge is run."""

    SETTING_NAMES = MappingProxyType({"metric": "metrics"})

    metric: Metric = None


@dataclass(frozen=True, kw_only=True)
class ChosenJudge(OptionGroup):
    """The judge."""

    own: AnyJudge = field(default_factory=AnyJudge)
    format: Format = None
    model: Model = None

    def settings(self, calls: Calls) -> dict[str, Any]:
        """Return the judge as settings of the public functions, with its model configured by ``calls``."""
        return {"format": self.format, "model": calls.for_model(self.model), **self.own.given()}


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


NAME = "conqret.toml"
"""Read from the current folder where no other file is named."""
TABLE = "judge"
"""The command that takes settings from a file, and its table there."""
_NO_SETTING = ("config", "dry_run", "json_output", "quiet", "judge", "verdicts")
"""What is set for one call alone: no file of settings imports a module, or has items sent somewhere."""


Config = Annotated[
    Path | None,
    options.option(
        options.FILES,
        "A TOML file with settings in a table `[judge]`; command-line options override it. "
        f"Default: `{NAME}`, if there is one.",
    ),
]


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
    settings: Any = {
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
        bar.start(run.clients[0], rows, checked.count)

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
    """Calibrate the scores of a run and decide the conditions, and write its report page with both.

    Returns:
        The summary (calibrated if there are ``maps``), and the outcome of each condition.
    """
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
    """Yield the summary of a run for a console, with where its files are; only its first lines if ``quiet``."""
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


def read_settings(app: Any, commands: Sequence[str], arguments: Iterable[Argument]) -> None:
    """Set the arguments and options that the command line leaves unset to the values in the settings file.

    The file is that of ``--config``, or else the default one in the working directory, if it exists; the
    default one must not set addresses to which items would be sent. cyclopts also passes ``app`` and
    ``commands``, which are not used.

    Raises:
        DeclarationError: the file has unknown or invalid settings.
    """
    from conqret.io.toml import read_toml, toml_error

    known: dict[str, Argument] = {}
    for argument in arguments:
        if not argument.children:
            known[argument.field_info.name] = argument
    named = list(map(Path, map(attrgetter("value"), known["config"].tokens)))
    path = named[0] if named else Path(NAME)
    if not named and not path.is_file():
        return
    text, tables = read_toml(path)
    table = tables.get(TABLE, {})
    faults: list[tuple[tuple[str, ...], str]] = [
        ((name,), f"only a table [{TABLE}] is read")
        for name, found in tables.items()
        if name != TABLE or not isinstance(found, dict)
    ]
    settled = False
    for key, setting in table.items() if isinstance(table, dict) else ():
        name = key.replace("-", "_")
        if not named and _leads_away(name, setting):
            faults.append(((TABLE, key), f"keys would go there unasked: name the file, --config {NAME}"))
        elif fault := _settle(known, name, setting, path):
            faults.append(((TABLE, key), fault))
        settled = True
    if faults:
        raise toml_error(path, text, faults, "settings")
    if settled and not named:
        known["config"].append(Token(value=str(path)))


def _leads_away(name: str, setting: Any) -> bool:
    """Whether a setting is an address from which items would be fetched, or to which they would be sent."""
    from conqret.llm.client_options import backend_of

    if name in ("model", "escalate") and isinstance(setting, str):
        return bool(backend_of(setting).reaches(setting))
    return name == "api_base" or (name in ("items", "rubric") and "://" in str(setting))


def _settle(known: Mapping[str, Argument], name: str, value: Any, path: Path) -> str:
    """Give the option ``name`` the value from the file, unless it was typed; paths are relative to the file. Returns
    what is wrong with name or value, or an empty text."""
    from pydantic import TypeAdapter, ValidationError

    if name not in known or name in _NO_SETTING:
        return str(UnknownNameError(f"setting of {TABLE}", name, known.keys() - {*_NO_SETTING}))
    kind = known[name].hint
    is_path = Path in (kind, *get_args(kind))
    plain = ",".join(f"{key}={inner}" for key, inner in value.items()) if isinstance(value, dict) else value
    try:
        TypeAdapter(known[name].field_info.annotation).validate_python(plain, strict=not is_path)
        if name == "criterion":
            from conqret.data.criterion import criteria_of

            criteria_of(plain)
    except ValidationError as error:
        return fault_text(dict(error.errors()[0]))
    except DeclarationError as error:
        return str(error)
    if not known[name].tokens:
        for place, one in enumerate(plain if isinstance(plain, list) else [plain]):
            text = str(path.parent / one) if is_path else str(one)
            known[name].append(Token(value=text, source=str(path), index=place))
    return ""


SETTINGS = read_settings
"""What gives options that the command line leaves open their values."""
