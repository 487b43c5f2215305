"""Run a judge on a suite: ``conqret judge`` (for a detection, ``conqret perspectives detect``) over the
suite's items, whose verdicts are then compared with the gold labels.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Unpack, cast

from conqret.data.criterion import Criterion
from conqret.data.digest import digest_of
from conqret.errors import DeclarationError, check_known, number
from conqret.io.pairs import Pair
from conqret.io.safe_files import write_whole
from conqret.judging.judge import expected_cost, judge
from conqret.judging.judge_parts import JUDGES, Judge
from conqret.judging.judge_settings import JudgeSettings
from conqret.judging.judgments import Judgments
from conqret.llm.client import Client
from conqret.llm.client_options import OFFLINE_MODEL, ClientSettings, client_options
from conqret.llm.expected_cost import ExpectedCost
from conqret.llm.request import Answer
from conqret.perspectives.detection import GRADES, Detection, request
from conqret.perspectives.detection_study import detected, detection_run
from conqret.runs.dry_run import costs_of
from conqret.runs.run_folder import RECORD_NAME, default_folder
from conqret.runs.session import RequestSettings, Session, SessionCounts
from conqret.studies.tournament.comparison import comparison_criterion, comparison_judge
from conqret.suites.result import FILE_NAME, SuiteCost, SuiteJudge, SuiteResult, SuiteSample
from conqret.suites.suite import SUITES, Suite, SuiteData
from conqret.suites.suite_fetch import digests, needed_copy
from conqret.suites.suite_statistics import sampled, suite_figures

SEED = 13
OWN = ("format", "criteria", "rubric", "judge", "verdicts")
"""The settings that name a judge, and so replace the suite's own."""
_ASKED = {*ClientSettings.__annotations__, *RequestSettings.__annotations__, "model", "watch"}
"""Options of a detection."""


@dataclass(frozen=True)
class SuiteRun:
    """The run of a judge on a suite: the result, the suite with its data, request counts, and the run's
    folder.

    ``missing`` names responses that a replay lacked. ``notes`` are remarks on the copy of the suite.
    """

    suite: Suite
    data: SuiteData
    result: SuiteResult
    session: SessionCounts
    missing: tuple[str, ...]
    folder: Path | None
    notes: tuple[str, ...] = ()

    @property
    def file(self) -> Path | None:
        """The file of the result; None if the run has no folder."""
        return None if self.folder is None else self.folder / FILE_NAME


@dataclass(frozen=True)
class PreparedSuite:
    """A suite that was read, with the folder of its ``files``, the items to judge (in ``data``), the sample (None: all
    items), and remarks (``notes``).

    ``every`` is the number of items before sampling.
    """

    suite: Suite
    files: Path
    every: int
    data: SuiteData
    sample: SuiteSample | None
    notes: tuple[str, ...]

    @property
    def about(self) -> str:
        """The number of items in words, such as ``40 items of 620``."""
        count = number(len(self.data.items), "item")
        return f"{count} of {self.every:,}" if self.sample else count

    def folder(self, output: str | Path | bool | None, model: str) -> Path | None:
        """Return the run's folder: ``output``, the default folder if it is True, or None."""
        if isinstance(output, bool):
            size = () if self.sample is None else (f"{self.sample.n}",)
            return default_folder(self.suite.name, *size, model) if output else None
        return None if output is None else Path(output)


def prepared_suite(
    suite: str | Suite,
    *,
    source: str | Path | None = None,
    sample: int | None = None,
    sample_seed: int = SEED,
) -> PreparedSuite:
    """Read a suite and sample its items.

    Args:
        suite: the suite or its name.
        source: a folder with its files.
        sample: how many items to sample; by default all.
        sample_seed: the random seed of the sample.

    Raises:
        UnknownNameError: there is no such suite.
        DeclarationError: the files are missing or corrupt, the suite has no texts, or the sample size
            is invalid.
    """
    declared = SUITES.resolve(suite)
    if not declared.judged:
        raise DeclarationError(
            f"the texts of {declared.name} are not published, so it cannot be judged; conqret judges leaderboard "
            "shows the verdicts of its published judges"
        )
    files = needed_copy(declared, source)
    data = declared.data(files)
    if not data.items:
        raise DeclarationError(
            f"{files} contains no items of {declared.name}: its texts are not among its files"
        )
    notes = data.notes
    if lacking := declared.lacking(data):
        notes = (f"this copy of {declared.title} holds {', '.join(lacking)}", *notes)
    chosen = sampled(declared, data, sample, sample_seed)
    drawn = None
    if chosen is not data:
        drawn = SuiteSample(n=len(chosen.items), of=len(data.items), seed=sample_seed)
    return PreparedSuite(declared, files, len(data.items), chosen, drawn, notes)


def run_suite(
    suite: str | Suite,
    *,
    source: str | Path | None = None,
    sample: int | None = None,
    sample_seed: int = SEED,
    **settings: Unpack[JudgeSettings],
) -> SuiteRun:
    """Judge the items of a suite and compare the verdicts with its gold labels.

    Args:
        suite: its name (``conqret judges suites``), or a custom :class:`conqret.suites.suite.Suite`.
        source: a folder with its files; by default what :func:`conqret.fetch_suite` fetched, or
            ``CONQRET_DATA``.
        sample: how many items to judge, stratified by cluster and gold label; by default all.
        sample_seed: the random seed of the sample.
        settings: settings of :func:`conqret.judge`, such as the model. The default format or judge is
            the suite's. ``output`` is the run's folder, into which the result is also written.

    Returns:
        The result, with the data that it was computed from.

    Raises:
        DeclarationError: the suite's files are missing or corrupt, or :func:`conqret.judge` rejects a
            setting.
        AnswersAwaited: verdicts wait for a provider's batch; repeat the call to collect them.
    """
    check_known("option of run_suite", JudgeSettings.__annotations__, *settings)
    prepared = prepared_suite(suite, source=source, sample=sample, sample_seed=sample_seed)
    return judge_prepared(prepared, settings)


def expected_suite_cost(prepared: PreparedSuite, settings: JudgeSettings) -> ExpectedCost:
    """Return the expected calls, tokens and dollars of :func:`run_suite`; no request is sent.

    Raises:
        DeclarationError: as :func:`run_suite`.
    """
    if prepared.suite.task == "detection":
        return costs_of(lambda: _detected(prepared, settings, dry_run=True))[0]
    return expected_cost(list(prepared.data.items), **_judging(prepared.suite, settings))


def judge_prepared(prepared: PreparedSuite, settings: JudgeSettings) -> SuiteRun:
    """Judge a prepared suite with settings of :func:`conqret.judge`, and return its run, as
    :func:`run_suite` does.

    Raises:
        DeclarationError: a setting is rejected.
        AnswersAwaited: verdicts wait for a provider's batch; repeat the call to collect them.
    """
    if prepared.suite.task == "detection":
        return _detected(prepared, settings)
    requested = _judging(prepared.suite, settings)
    folder = prepared.folder(
        settings.get("output"), str(client_options(settings.get("model"), settings).model)
    )
    if folder is not None:
        requested["output"] = folder
        if settings.get("overwrite"):
            _forget(folder)
    judgments = cast("Judgments", judge(list(prepared.data.items), **requested)).whole()
    metrics = _metrics(prepared.suite, list(judgments.summary.metrics))
    verdicts = {
        metric: {judgment.item: judgment.value(own) for judgment in judgments}
        for metric, own in metrics.items()
    }
    record, usage, measured = judgments.record, judgments.summary.usage, judgments.summary.metrics
    judge_of = SuiteJudge(
        model=record.model[:200],
        format=record.format,
        fingerprint=record.fingerprint,
        baseline=record.baseline,
    )
    cost = SuiteCost(
        calls=usage.calls + usage.recorded,
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=usage.completion_tokens,
        seconds=round(usage.seconds, 3),
        usd=None if usage.unpriced else round(usage.cost_usd, 6),
    )
    missing = measured[next(iter(metrics.values()))].reasons
    return _written(prepared, judge_of, verdicts, cost, missing, judgments.session, judgments.missing, folder)


def _judging(suite: Suite, settings: JudgeSettings) -> dict[str, Any]:
    """Return the options of the judge: those that the user gave, completed by the suite's judge and metrics if no judge
    is named. Metrics are dropped where criteria or a rubric replace them."""
    requested: dict[str, Any] = {name: value for name, value in settings.items() if value is not None}
    named = [name for name in OWN if requested.get(name)]
    offline = requested.get("model", OFFLINE_MODEL) == OFFLINE_MODEL and requested.get("replay") is None
    if not named:
        metrics = {} if requested.get("replay") is not None else {"metrics": suite.metrics}
        requested |= metrics | dict(suite.baseline if offline and suite.baseline else suite.judging)
    elif named == ["format"] and not requested.get("metrics"):
        judge = JUDGES.resolve(requested["format"])
        requested["metrics"] = [
            metric for metric in suite.metrics if metric in judge.metrics
        ] or suite.metrics
    if "criteria" in requested or "rubric" in requested:
        requested.pop("metrics", None)
    if suite.task == "preference" and (criteria := requested.pop("criteria", None)):
        requested["format"] = _comparison(suite, criteria)
    return requested


def _comparison(suite: Suite, criteria: Sequence[Criterion | str]) -> Judge:
    """The judge that says which of two answers meets a criterion better: what a criterion of one's own is for pairs.

    Raises:
        DeclarationError: there are several, or it is no criterion to compare by.
    """
    if isinstance(criteria, str) or len(criteria) != 1:
        raise DeclarationError(
            f"{suite.name} compares two answers by one criterion, but {len(criteria)} are given: keep one"
        )
    return comparison_judge(comparison_criterion(criteria[0]))


def _metrics(suite: Suite, judged: list[str]) -> dict[str, str]:
    """Return, for each of the suite's metrics, the metric of the judge that stands for it: that of the same name, or
    the only one if both have one.

    Raises:
        DeclarationError: the judge has none of them.
    """
    same = {metric: metric for metric in suite.metrics if metric in judged}
    if same:
        return same
    if len(suite.metrics) == 1 and len(judged) == 1:
        return {suite.metrics[0]: judged[0]}
    raise DeclarationError(
        f"the judge has the metrics {', '.join(judged)}, but {suite.name} needs {', '.join(suite.metrics)}: name a "
        "format that has one of them, or a judge with one metric"
    )


def _detected(prepared: PreparedSuite, settings: Mapping[str, Any], *, dry_run: bool = False) -> SuiteRun:
    """Detect the perspectives in a suite's pairs, and return the run, whose result is written into its folder.

    Raises:
        DeclarationError: a judge is named that detects nothing.
        Counted: it is a dry run; the exception has the expected cost.
    """
    given = {name: value for name, value in settings.items() if value is not None and name != "output"}
    if others := sorted(name for name in given if name not in _ASKED and given[name] not in ((), False)):
        raise DeclarationError(
            f"{prepared.suite.name} is judged by conqret perspectives detect, which takes no "
            f"{', '.join(others)}: leave it out"
        )
    model = client_options(settings.get("model"), settings)
    output = settings.get("output")
    folder = cast("Path", prepared.folder(True if output in (None, False) else output, model.model))
    pairs = [item for item in prepared.data.items if isinstance(item, Pair)]
    if given.get("overwrite") and not dry_run:
        _forget(folder)
    with detection_run(pairs, folder, model, {**given, "dry_run": dry_run}) as run:
        outcome = detected(run, pairs)
        record = run.folder.record()
        cost = _detection_cost(run.session(), pairs, outcome.rows)
    most = len(GRADES) - 1
    verdicts = {
        prepared.suite.metrics[0]: {
            row.id: None if row.grade is None else row.grade / most for row in outcome.rows
        }
    }
    judge = SuiteJudge(
        model=record.model[:200],
        format="detect",
        fingerprint=digest_of([record.model, record.identity, record.prompts, record.schemas]),
        baseline=record.baseline,
    )
    return _written(prepared, judge, verdicts, cost, outcome.lost, outcome.session, outcome.missing, folder)


def _detection_cost(session: Session, pairs: Sequence[Pair], rows: Sequence[Detection]) -> SuiteCost | None:
    """Return what the answers of a detection cost when they came, in this run or an earlier one, read from the
    recordings without sending anything; None if one is not recorded. The dollars are None if a price is unknown."""

    async def recorded(client: Client) -> list[Answer[Any]]:
        return [
            await client.request(request(pair, session.library, decides=client.decides)) for pair in pairs
        ]

    with session.replayed() as models:
        answers = models.run(recorded)
    if any(row.answered and answer.value is None for row, answer in zip(rows, answers, strict=True)):
        return None
    calls = [call for answer in answers for call in answer.calls if call.finish_reason is not None]
    prices = [call.cost_usd for call in calls]
    known = [price for price in prices if price is not None]
    return SuiteCost(
        calls=len(calls),
        prompt_tokens=sum(call.prompt_tokens or 0 for call in calls),
        completion_tokens=sum(call.completion_tokens or 0 for call in calls),
        usd=round(math.fsum(known), 6) if len(known) == len(prices) else None,
        seconds=round(math.fsum(call.seconds or 0.0 for call in calls), 3),
    )


def _written(
    prepared: PreparedSuite,
    judge: SuiteJudge,
    verdicts: Mapping[str, Mapping[str, float | None]],
    cost: SuiteCost | None,
    reasons: Mapping[str, int],
    session: SessionCounts,
    missing: tuple[str, ...],
    folder: Path | None,
) -> SuiteRun:
    suite, data = prepared.suite, prepared.data
    computed = suite_figures(suite, data, verdicts, [item.id for item in data.items])
    if not computed:
        check_known("metric of the suite", suite.metrics, *verdicts)
    result = SuiteResult(
        suite=suite.name,
        judge=judge,
        figures=tuple(computed),
        judged=len(data.items),
        sample=prepared.sample,
        files=digests(suite, prepared.files),
        lacking=suite.lacking(data),
        missing=dict(reasons),
        cost=cost,
    )
    if folder is not None:
        write_whole(folder / FILE_NAME, result.model_dump_json(indent=1).encode() + b"\n")
    return SuiteRun(suite, data, result, session, missing, folder, prepared.notes)


def _forget(folder: Path) -> None:
    """Take the result of an earlier run away that is begun afresh: if this one is killed, it is no longer so."""
    if (folder / RECORD_NAME).is_file():
        (folder / FILE_NAME).unlink(missing_ok=True)
