"""conqret's formats as judges of TREC AutoJudge, whose ``auto-judge run`` finds them by a workflow.

The settings of the workflow are those of :func:`conqret.judge`, ``format`` among them, and this:

- ``baseline``: the run that each report is compared with, where a format compares two (default: the run that comes next
  by name, where the format does nothing else)

A report without a sentence is not judged: its system left the topic out. It has 0 in every column of the leaderboard,
as the track requires.

Nugget banks that are given are judged: in the place of ``query-rubric`` and ``rag-rubric``, which write nuggets of
their own, the format ``nuggets`` assigns those of the banks, and a note says so. Other formats rate no nuggets.

The model is the workflow's ``model``, or else that of AutoJudge's own configuration, with its address, key and cache;
formats that need no model (``citations``) are computed without it.
The run directory (reasons of what has no score, parts, traces, report) lies next to the leaderboard, as ``….conqret``.
"""

from __future__ import annotations

import atexit
import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from conqret._optional import require
from conqret.console.printing import note, note_all, progress, tell
from conqret.data import Item
from conqret.errors import ConqretError, DeclarationError, UnknownNameError, check_known, number
from conqret.io import open_items
from conqret.io.nugget_banks import read_banks
from conqret.io.reports import RUN
from conqret.judging.judge import NOT_IN_A_SESSION, judge, prepared, session_of
from conqret.judging.judge_options import NUGGETS
from conqret.judging.judge_parts import DEFAULT_FORMAT, JUDGES, SECOND, Judge
from conqret.judging.judge_settings import JudgeSettings, chosen_format
from conqret.judging.judgments import Judgments
from conqret.llm.client_options import OFFLINE_MODEL
from conqret.studies.systems.ranked_systems import (
    NUGGET_FORMATS,
    TOP_GRADE,
    ListedNugget,
    compared_runs,
    described,
    document_grades,
    nuggets,
    run_leaderboard,
)

click = require("click", extra="autojudge")
base = require("autojudge_base", extra="autojudge")
leaderboards = require("autojudge_base.leaderboard", extra="autojudge")
claims = require("autojudge_base.nugget_data", extra="autojudge")

WORKFLOW = Path(__file__).with_name("workflow.yml")
"""A workflow with a variant for each of conqret's formats."""
STORE = "conqret.sqlite"
"""The file name of the recordings, in AutoJudge's cache, or else next to the leaderboard."""
EVALDATA = {"fingerprint", "measures", "flags", "trims"}
"""The fields of a judgment that are stored with its report."""
METADATA = "conqret"
"""The key of a report's ``evaldata`` and of a nugget's ``metadata`` or ``trace`` with what AutoJudge's
tables cannot hold.
"""


@contextlib.contextmanager
def _in_words() -> Iterator[None]:
    """Turn conqret's errors into click's, which AutoJudge's command prints on one line without a traceback."""
    try:
        yield
    except ConqretError as error:
        raise click.ClickException(str(error)) from error


class ConqretJudge:
    """A judge for TREC AutoJudge that makes a leaderboard, qrels and nugget banks (in AutoArgue's form) with
    a conqret format.
    """

    nugget_banks_type: Any = base.NuggetBanks

    @_in_words()
    def judge(
        self, rag_responses: Any, rag_topics: Any, llm_config: Any, nugget_banks: Any = None, **settings: Any
    ) -> Any:
        """Judge the reports and return a leaderboard: one row per report, one ``all`` row per run, one
        column per metric.

        Reports without a score have no row. The reason is written to the report's ``evaldata`` and to the
        run directory.

        Args:
            rag_responses: the reports.
            rag_topics: the requests that they answer.
            llm_config: AutoJudge's model configuration.
            nugget_banks: nugget banks to judge by, for formats that take them.
            settings: the settings of the workflow (see the module).

        Raises:
            ConqretError: no report has a score, or the judge cannot run.
        """
        reports = list(rag_responses)
        run = _judged(reports, rag_topics, llm_config, settings, nugget_banks)
        run_judgments, summary = run.judgments, run.judgments.summary if run.judgments is not None else None
        metrics = [metric for metric in run.metrics if SECOND not in metric]
        board = run_leaderboard("the leaderboard", run.items, run_judgments or (), run.empty, metrics)
        if summary is not None and not any(judgment.values for judgment in run_judgments or ()):
            raise ConqretError(f"no report has a score: {dict(summary.reasons)}")
        judgments = {judgment.item: judgment for judgment in run_judgments or ()}
        for report, item in zip(reports, run.reports, strict=True):
            if (judgment := judgments.get(item.id)) is not None:
                kept = judgment.model_dump(mode="json", exclude_none=True, include=EVALDATA)
                report.evaldata = {**(report.evaldata or {}), METADATA: kept}
            elif not item.argument:
                report.evaldata = {**(report.evaldata or {}), METADATA: {"empty": True}}
        specs = []
        for metric in board.scores:
            counted = None if summary is None else summary.metrics[metric]
            told = described(counted, run.judge.score, len(run.empty))
            specs.append(leaderboards.MeasureSpec(metric, float, told))
        rows: dict[tuple[str, str], dict[str, float]] = {}
        for metric, system, topic, value in board.cells():
            rows.setdefault((system, topic), {})[metric] = value
        entries = [leaderboards.LeaderboardEntry(*key, values) for key, values in rows.items()]
        return leaderboards.Leaderboard(
            tuple(board.scores), leaderboards.LeaderboardSpec(tuple(specs)), tuple(entries)
        )

    @_in_words()
    def create_qrels(self, rag_responses: Any, rag_topics: Any, llm_config: Any, **settings: Any) -> Any:
        """Return qrels: the judge's grades (0 to 5) of the documents that the reports cite.

        Returns None if the format does not rate documents or a topic has no grade, as AutoJudge refuses
        incomplete qrels.
        """
        run = _judged(rag_responses, rag_topics, llm_config, settings)
        grades, unrated = document_grades(run.items, run.judgments or ())
        if not grades:
            rated = f"no document has a rating from 0 to {TOP_GRADE}"
            note(f"by the format {run.judge.name} {rated}: there are no qrels")
            return None
        if unrated:
            names = [f"{document} ({topic})" for topic, document in unrated]
            note_all(f"{len(names)} documents have no rating and are left out of the qrels", names)
        wanted = {str(rag_topic.request_id) for rag_topic in rag_topics}
        if ungraded := sorted(wanted - {grade.query_id for grade in grades}):
            note_all(
                "there are no qrels: AutoJudge needs some for every topic, and these topics have no "
                "document with a rating (leave out their requests and reports to get qrels of the others)",
                ungraded,
            )
            return None
        rows = [base.QrelRow(grade.query_id, grade.doc_id, grade.relevance) for grade in grades]
        return base.Qrels(rows=rows)

    @_in_words()
    def create_nuggets(self, rag_responses: Any, rag_topics: Any, llm_config: Any, **settings: Any) -> Any:
        """Return the nugget banks that the format writes, one per topic.

        Nugget banks that the caller passes are returned unchanged. Returns None if the format writes no
        nuggets or there are no reports.
        """
        nugget_banks = settings.get("nugget_banks")
        if settings.get("format") not in NUGGET_FORMATS or rag_responses is None or nugget_banks is not None:
            return nugget_banks
        run = _judged(rag_responses, rag_topics, llm_config, settings)
        if run.judgments is None:
            return None
        titles = {str(rag_topic.request_id): rag_topic.title for rag_topic in rag_topics}
        banks = [
            self.bank(topic, titles[topic], listed, run.judgments.record.model, run.creator)
            for topic, listed in nuggets(run.items, run.judgments).items()
        ]
        return self.nugget_banks_type.from_banks_list(banks)

    def bank(self, topic: str, title: str, listed: Iterable[ListedNugget], model: str, creator: str) -> Any:
        """Build the nugget bank of one topic, with each nugget as a claim (a statement) by the ``model``
        and the strategy ``creator``.
        """
        bank = claims.NuggetBank(query_id=topic, title_query=title)
        by = [claims.Creator(is_human=False, llm_model=model, llm_prompt_strategy=creator)]
        for nugget in listed:
            coverage = {METADATA: asdict(nugget)["coverage"]}
            bank.add_nuggets(
                claims.NuggetClaim(query_id=topic, claim=nugget.text, creator=by, metadata=coverage)
            )
        bank.index_nuggets()
        return bank


def client_settings(llm_config: Any) -> dict[str, Any]:
    """Convert AutoJudge's model configuration into keyword settings of :func:`conqret.judge`: the model,
    address, key and recordings.

    If a base URL is set, the model runs on an OpenAI-compatible server there. Otherwise litellm chooses the
    provider. The folder of the cache is created.
    """
    model, address, key = llm_config.model, llm_config.base_url, llm_config.api_key
    settings: dict[str, Any] = {"model": model}
    if address and model != OFFLINE_MODEL:
        provider = "openai" if key else "hosted_vllm"
        settings |= {"model": f"{provider}/{model}", "api_base": address, "api_key": key}
    if llm_config.cache_dir:
        Path(llm_config.cache_dir).mkdir(parents=True, exist_ok=True)
        settings["recordings"] = Path(llm_config.cache_dir) / STORE
    return settings


@dataclass(frozen=True)
class _Run:
    """All reports as items, those that were judged, in the order of their judgments, and those that are empty."""

    judge: Judge
    reports: list[Item]
    items: list[Item]
    judgments: Judgments | None

    @property
    def empty(self) -> list[Item]:
        """Reports without a sentence."""
        return [item for item in self.reports if not item.argument]

    @property
    def metrics(self) -> Sequence[str]:
        """The metrics that have a column in the leaderboard."""
        return self.judge.metrics if self.judgments is None else self.judgments.record.metrics

    @property
    def creator(self) -> str:
        """The name of the strategy that wrote the nuggets; empty without judgments."""
        return "" if self.judgments is None else _creator(self.judge.name, self.judgments.record.fingerprint)


def _creator(format_name: str, fingerprint: str) -> str:
    return f"conqret {format_name} {fingerprint}"


def _listed(banks: Any) -> list[Any]:
    """All nuggets of banks of either form."""
    return [
        nugget
        for bank in banks.banks.values()
        for nugget in (bank.nuggets_as_list() if hasattr(bank, "nuggets_as_list") else bank.nuggets)
    ]


def _are_judged(banks: Any, name: str, items: list[Item], options: Mapping[str, Any]) -> bool:
    """Return True if the nuggets of these banks are to be judged. They are not if the requested format uses no nuggets
    (noted), or if this very judge wrote and rated them itself in an earlier phase."""
    listed = _listed(banks)
    if name not in (*NUGGET_FORMATS, NUGGETS):
        counted = number(len(listed), "nugget")
        note(f"the format {name} uses no nuggets, so the {counted} of the given banks are not used")
        return False
    if not items or not all(_creator(name, "") in str(nugget) for nugget in listed):
        return True
    fingerprint = prepared(items, cast("JudgeSettings", options))[2].fingerprint
    return not all(_creator(name, fingerprint) in str(nugget) for nugget in listed)


def _with_banks(items: list[Item], banks: Any, format_name: str) -> list[Item]:
    """Return the items on whose topics there are banks, each with its bank's nuggets in place of its own. The others
    are left out, with a note."""
    given = read_banks([bank.model_dump(mode="json", exclude_none=True) for bank in banks.banks.values()])
    counted = number(len(_listed(banks)), "nugget")
    instead = "" if format_name == NUGGETS else f", in the place of {format_name}"
    note(f"judged by the {counted} of the given banks, with the format {NUGGETS}{instead}")
    of_items = [(item, given.bank_of(item)) for item in items]
    if without := [item.id for item, bank in of_items if bank is None]:
        note_all(f"{number(len(without), 'report')} on topics without a bank are not judged", without)
    return [item.model_copy(update={"nuggets": bank.nuggets}) for item, bank in of_items if bank is not None]


_SESSIONS: dict[str, JudgeSettings] = {}
"""The settings in use and their reports, with the open session: all phases of a workflow spend one budget, and what had
no valid answer in one is not requested again in the next."""


def _shared(settings: dict[str, Any]) -> dict[str, Any]:
    """Return the settings of a call in an open session, which later phases with equal settings share: the model and its
    client are the session's and left out, the judge's options are filled in. Callers must not change them. Settings
    that exclude a session are returned as they are."""
    if settings.keys() & NOT_IN_A_SESSION:
        return settings
    if (key := repr(sorted(settings.items()))) not in _SESSIONS:
        session, _SESSIONS[key] = session_of(cast("JudgeSettings", settings))
        session.__enter__()
        atexit.register(session.close)
    return cast("dict[str, Any]", _SESSIONS[key])


def _judged(
    reports: Any, topics: Any, llm_config: Any, settings: Mapping[str, Any], banks: Any = None
) -> _Run:
    """Return the reports as items, and their judgments; with ``banks``, by their nuggets if the format judges nuggets.
    Reports without a sentence are not judged. The run's folder is overwritten, but responses are recorded: each phase
    of a workflow sends the same requests, and only the first pays.

    Raises:
        DeclarationError: a corpus is named, the format needs nuggets, or an option is unknown.
        UnknownNameError: no report is of the run to compare with.
    """
    options = dict(settings)
    for name in ("qrels", "nugget_banks"):
        options.pop(name, None)
    if corpus := options.pop("corpus", None):
        raise DeclarationError(
            f"--corpus {corpus}: documents are judged by the texts in the reports, and no corpus is read; write "
            "the texts into the reports' documents, and leave --corpus out"
        )
    system, outdir = options.pop("baseline", ""), Path(options.pop("outdir", "."))
    folder = outdir / f"{Path(options.pop('filebase', None) or 'judge').name}.conqret"
    options = {"recordings": outdir / STORE, **client_settings(llm_config), **options}
    check_known("option of judge", JudgeSettings.__annotations__, *options)
    named = JUDGES.resolve(chosen_format(options) or DEFAULT_FORMAT)
    unused: tuple[str, ...] = ()
    if (
        not named.judge_prompts
    ):  # computed from the reports: AutoJudge's model, which is always there, is not called
        unused = ("model", "api_base", "api_key")
    elif "model" in settings and settings["model"] != llm_config.model:
        unused = ("api_base", "api_key")
    options = {name: option for name, option in options.items() if name in settings or name not in unused}
    records = (report.model_dump(mode="json", exclude_none=True) for report in reports)
    requests = [topic.model_dump(mode="json", exclude_none=True) for topic in topics]
    items = list(open_items(records, topics=requests))
    if system and system not in (runs := sorted({str(item.metadata[RUN]) for item in items})):
        raise UnknownNameError("run", system, runs)
    answered = [item for item in items if item.argument]
    if empty := [item.id for item in items if not item.argument]:
        note_all(
            f"{number(len(empty), 'report')} without a sentence counted as 0, as the track requires", empty
        )
    if named.name == NUGGETS and banks is None:
        raise DeclarationError(f"the format {NUGGETS} needs nuggets: name their banks (--nugget-banks)")
    compared = answered
    if system or all("second_argument" in part.needs for part in named.parts()):
        compared = compared_runs(answered, system)
    if banks is not None and _are_judged(banks, named.name, compared, options):
        answered, named = _with_banks(answered, banks, named.name), JUDGES[NUGGETS]
        options["format"] = NUGGETS
    else:
        answered = compared
    if not answered:
        return _Run(named, items, [], None)
    with progress(f"judging by {named.name}") as bar:
        watch: Any = SimpleNamespace(
            start=lambda run, kept: bar.start(run.clients[0], kept, run.total), advance=bar.advance
        )
        run = judge(answered, output=folder, overwrite=True, watch=watch, **_shared(options))
    tell(f"{run!r}, report: {folder / 'report.html'}")
    judged = set(run.ids)
    return _Run(named, items, [item for item in answered if item.id in judged], run)
