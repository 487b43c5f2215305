"""The settings that the functions of the public face take by keyword, each declared once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypedDict, TypeVar

from conqret.errors import DeclarationError, ItemsError
from conqret.io import open_items
from conqret.judging.judge_options import CRITERIA, NUGGETS, RUBRIC, SampleSettings, check_made
from conqret.judging.metric_homes import judge_of_metrics
from conqret.llm.client_options import OFFLINE_MODEL, ClientOptions, Way

if TYPE_CHECKING:
    from conqret.data.criterion import Criteria
    from conqret.io import ItemSource
    from conqret.io.labels import Labels
    from conqret.io.nugget_banks import NuggetSource
    from conqret.io.reports import Requests
    from conqret.io.rubric_files import RubricSource
    from conqret.judging.dimensions import Order
    from conqret.judging.engines import Engine
    from conqret.judging.judge_parts import Judge
    from conqret.llm.backends.function import Function
    from conqret.prompts import Library
    from conqret.runs.session import Session
    from conqret.studies.abstain.result import Abstention, Cascade

    class Watch(Protocol):
        """The interface of an observer that follows a run's progress."""

        def start(self, run: Any, kept: int) -> None:
            """Handle the start of ``run``, with the number of rows kept from before."""

        def advance(self, row: Any) -> None:
            """Handle one new row of the run."""

        def reach(self, done: int, *, total: int) -> None:
            """Handle progress of work without a model: ``done`` of ``total`` units are finished."""


T = TypeVar("T")


class ClientSettings(TypedDict, total=False):
    """Keyword settings of a model's client, each as in :class:`conqret.llm.client_options.ClientOptions`.

    They set the server and its key, the token limits, prices, rate limits, the budget, the timeout, and when
    to stop after failures.
    """

    api_base: str | None
    api_key: str | None
    client: Way
    max_tokens: int | None
    context_window: int | None
    input_price: float | None
    output_price: float | None
    vision: bool | None
    max_concurrency: int
    max_attempts: int
    rpm: int | None
    tpm: int | None
    budget_usd: float | None
    timeout: float
    stop_after_failures: float
    retry_unscored: bool


class ItemSettings(TypedDict, total=False):
    """Keyword settings for reading items.

    ``columns`` maps fields to columns and overrides those recognized. ``skip_invalid`` leaves out invalid
    items with a count and reasons, instead of refusing the file. ``language`` is the language of all items,
    as a code or an English name.
    """

    columns: Mapping[str, str] | None
    skip_invalid: bool
    language: str | None


class OwnJudgeSettings(TypedDict, total=False):
    """Keyword settings for a user-defined judge.

    ``criteria`` or a ``rubric`` replace the format. A criterion is a :class:`conqret.Criterion`, its text or
    its table; a rubric is criteria with weights, or a file of them (docs/rubrics.md). One request has up to
    ``criteria_per_call`` criteria (default: 12). ``judge`` replaces format and model: a function, or its name as
    ``module:function`` (the module is imported). The function, which may be asynchronous, gets an item as a
    dictionary. It returns a number in [0, 1], a mapping from metrics to such numbers, or "first", "second" or
    "tie".
    """

    criteria: Criteria
    rubric: RubricSource
    criteria_per_call: int
    judge: str | Function | None


class LogSettings(OwnJudgeSettings, total=False):
    """Keyword settings for a user-defined judge or a log of existing verdicts.

    ``verdicts`` are judgments made elsewhere (:func:`conqret.judging.verdict_log.read_log`), for which no
    model is called. Without items, the log must contain the texts. ``verdict_scale`` is the lowest and
    highest score in the log (``1:10``; default: 0 to 1).
    """

    verdicts: str | Path | Iterable[Mapping[str, object]] | None
    verdict_scale: str | None


class RequestSettings(TypedDict, total=False):
    """Keyword settings that say how a run calls models.

    ``recordings`` is a store of responses to read and extend. ``replay`` is a store, an export or a run that
    gives all responses, without any call. ``prompts`` is a folder of user-defined prompts, or a library.
    ``overwrite`` replaces another run in the folder, but keeps its recordings. ``engine`` sends requests from
    this process, or with ``workers`` on a Ray cluster (docs/scale.md). ``batch`` sends the requests as a
    provider's batch at half the price (docs/models.md). Workers and batches need a folder.
    """

    recordings: str | Path | None
    replay: str | Path | None
    prompts: str | Path | Library | None
    overwrite: bool
    engine: Engine
    workers: int | None
    batch: bool


OF_THE_JUDGE = {
    *(ClientSettings.__annotations__ | ItemSettings.__annotations__ | LogSettings.__annotations__),
    *(*SampleSettings.__annotations__, "format", "model", "metrics", "prompts"),
}
"""The settings that a judge and its items are made of."""


class JudgeSettings(ClientSettings, RequestSettings, ItemSettings, LogSettings, SampleSettings, total=False):
    """All keyword settings of :func:`conqret.judge`, which documents each of them."""

    format: str | Judge | None
    model: str | None
    metrics: Sequence[str]
    order: Order
    seed: int
    confidence: bool
    shots: int
    examples: Labels
    topics: Requests | None
    nuggets: NuggetSource | None
    output: str | Path | bool | None
    abstain: str | Path | Abstention | None
    escalate: str | ClientOptions | None
    cascade: str | Path | Cascade | None
    session: Session | None
    watch: Watch


def client_options(model: str | ClientOptions | None, settings: Mapping[str, Any]) -> ClientOptions:
    """Return the client options for a model (None: offline), overridden by the client settings in
    ``settings``.

    Raises:
        DeclarationError: a value is out of range.
    """
    options = ClientOptions.from_model(OFFLINE_MODEL if model is None else model)
    return replace(options, **among(settings, ClientSettings.__annotations__))


def among(settings: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Return those of the settings that have one of ``names``."""
    found: dict[str, Any] = {}
    for name in names:
        if name in settings:
            found[name] = settings[name]
    return found


JUDGES_BY = ("format", CRITERIA, RUBRIC, "judge", "verdicts")
"""The settings that each define the judge."""


def chosen_format(settings: Mapping[str, Any], items: ItemSource | None = None) -> str | Judge | None:
    """Return the format named in ``settings``, or the judge made from their criteria, rubric or nuggets; else
    None.

    The format ``rubric`` without a rubric uses the rubrics of ``items``.

    Raises:
        DeclarationError: a criterion or the rubric is invalid, or the settings name more than one judge.
    """
    given = dict[str, Any]()
    for option in JUDGES_BY:
        if settings.get(option) not in (None, (), []):
            given[option] = settings[option]
    name = given.get("format")
    if name in (CRITERIA, RUBRIC) and name in given:
        del given["format"]
    if len(given) > 1:
        first, second = list(given)[:2]
        raise DeclarationError(
            f"{first} and {second} each define the judge: leave {first} out, or leave {second} out"
        )
    in_one_call = settings.get("criteria_per_call")
    if in_one_call is not None and not (isinstance(in_one_call, int) and in_one_call >= 1):
        raise DeclarationError(
            f"criteria_per_call is {in_one_call!r}, but it must be a whole number of at least 1"
        )
    metrics = settings.get("metrics") or ()
    own_items = items if name == RUBRIC and RUBRIC not in given else None
    if own_items is None and not given.keys() & {CRITERIA, RUBRIC}:
        check_made(name)
        if in_one_call is not None:
            raise DeclarationError(
                "criteria_per_call needs criteria, and none is given: add --criterion or --rubric"
            )
        if given or settings.get("replay") is not None:
            return name
        return judge_of_metrics(metrics) if settings.get("nuggets") is None else NUGGETS
    from conqret.data.criterion import criteria_of
    from conqret.io.rubric_files import own_rubrics, rubrics_of
    from conqret.judging.rubrics import MAX_IN_ONE_CALL, criteria_judge, rubric_judge

    size = in_one_call or MAX_IN_ONE_CALL
    if CRITERIA in given:
        return judge_of_metrics(metrics, criteria_judge(criteria_of(given[CRITERIA]), in_one_call=size))
    if own_items is None:
        return judge_of_metrics(metrics, rubric_judge(rubrics_of(given[RUBRIC]), in_one_call=size))
    try:
        return rubric_judge(own_rubrics(own_items), in_one_call=size)
    except ItemsError:  # at the first faulty item: all faults are told
        own_items.check()
        raise


def opened(items: Any, settings: Mapping[str, Any]) -> ItemSource:
    """Open ``items`` for reading with those of ``settings`` that say how."""
    return open_items(items, **among(settings, (*ItemSettings.__annotations__, "topics", "nuggets")))


def session_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keyword arguments of :class:`conqret.runs.session.Session` (and Sessions) from these
    settings.

    Raises:
        DeclarationError: the engine is unknown, or ``workers`` is invalid.
        MissingDependencyError: Ray is not installed.
    """
    prompts = settings.get("prompts")
    arguments: dict[str, Any] = {
        "recordings": settings.get("recordings"),
        "replay": settings.get("replay"),
        "prompts": Path(prompts) if isinstance(prompts, str) else prompts,
        "batch": settings.get("batch", False),
    }
    if "engine" in settings or "workers" in settings:
        from conqret.judging.engines import clients_of

        arguments["clients"] = clients_of(settings.get("engine", "process"), settings.get("workers"))
    return arguments


def as_path(place: str | Path | None) -> Path | None:
    """Return ``place`` as a path, or None where it is None."""
    return None if place is None else Path(place)
