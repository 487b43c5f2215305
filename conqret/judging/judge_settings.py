"""The settings that the functions of the public face take by keyword, each declared once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypedDict, TypeVar

from conqret.errors import DeclarationError, ItemsError
from conqret.io import open_items
from conqret.judging.judge_options import CRITERIA, NUGGETS, RUBRIC, SampleSettings, check_made
from conqret.llm.client_options import OFFLINE_MODEL, ClientOptions, Way

if TYPE_CHECKING:
    from conqret.io import ItemSource
    from conqret.io.nugget_banks import NuggetSource
    from conqret.io.reports import Requests
    from conqret.judging.criterion import Criteria
    from conqret.judging.dimensions import Order
    from conqret.judging.engines import Engine
    from conqret.judging.judge_parts import Judge
    from conqret.judging.rubric_files import RubricSource
    from conqret.llm.backends.function import Function
    from conqret.prompts import Library
    from conqret.runs.session import Session
    from conqret.studies.abstain.result import Abstention

    class Watch(Protocol):
        """Looks on at a run."""

        def start(self, run: Any, kept: int) -> None:
            """Begin: so many rows are there from before."""

        def advance(self, row: Any) -> None:
            """Count a new row."""

        def reach(self, done: int, *, total: int) -> None:
            """Show that so many of all are done, by no model."""


T = TypeVar("T")


class ClientSettings(TypedDict, total=False):
    """How a model is called (see :class:`conqret.llm.client_options.ClientOptions`): address and key of the server,
    the connection to it, tokens of an answer and of the window, dollars for a million tokens, limits, dollars to spend,
    seconds for a request, and the share of failures from which no more requests are sent."""

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
    """How items are read: ``columns`` says which column holds which field, over what is recognized; ``skip_invalid``
    leaves out items that have faults, counts them and says why, instead of refusing the file; ``language`` is that of
    all items, as a code or an English name."""

    columns: Mapping[str, str] | None
    skip_invalid: bool
    language: str | None


class OwnJudgeSettings(TypedDict, total=False):
    """A judge of your own. Instead of a format, ``criteria``: each a :class:`conqret.Criterion`, its text or its
    table; or a ``rubric``: criteria with weights, or a file of them (docs/rubrics.md). Up to twelve criteria stand in
    one request, or so many as ``criteria_per_call`` says. Instead of format and model,
    ``judge``: a function that takes an item as a plain dictionary, asynchronous or not, and says a number in [0, 1], a
    mapping of metrics to such numbers, or "first", "second" or "tie"; or its name as ``module:function``, which imports
    that module; or the address of such a judge, which gets the item in a POST and answers in JSON."""

    criteria: Criteria
    rubric: RubricSource
    criteria_per_call: int
    judge: str | Function | None


class LogSettings(OwnJudgeSettings, total=False):
    """The same, or ``verdicts``: what was judged already, elsewhere (:func:`conqret.judging.verdict_log.read_log`), so
    that no model is called. Without items the log has the texts itself. ``verdict_scale`` has the ends of the log's
    numbers, ``1:10``; 0 to 1 by default."""

    verdicts: str | Path | Iterable[Mapping[str, object]] | None
    verdict_scale: str | None


class RequestSettings(TypedDict, total=False):
    """How models are called in a run: ``recordings`` is a store of responses that is read and added to, ``replay`` a
    store, an export or a run to answer from without ever calling out; ``prompts`` is a folder with prompts of one's
    own, or a library; ``overwrite`` begins afresh where the folder holds another run, whose recordings are kept;
    ``engine`` sends requests from this process, or with so many ``workers`` of a Ray cluster (docs/scale.md); ``batch``
    hands the questions in as a batch of the provider's at half the price (docs/models.md). Workers and batches need a
    folder."""

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
    """What :func:`conqret.judge` can be told; it says what each means."""

    format: str | Judge | None
    model: str | None
    metrics: Sequence[str]
    order: Order
    seed: int
    confidence: bool
    topics: Requests | None
    nuggets: NuggetSource | None
    output: str | Path | bool | None
    abstain: str | Path | Abstention | None
    session: Session | None
    watch: Watch


def client_options(model: str | ClientOptions | None, settings: Mapping[str, Any]) -> ClientOptions:
    """The client's settings for a model (None: offline): those it has already, and over them those in ``settings``.

    Raises:
        DeclarationError: a value is out of its range.
    """
    options = ClientOptions.from_model(OFFLINE_MODEL if model is None else model)
    own = ClientSettings.__annotations__
    given: dict[str, Any] = {}
    for name in own:
        if name in settings:
            given[name] = settings[name]
    return replace(options, **given)


def chosen_format(
    settings: Mapping[str, Any], items: Callable[[], ItemSource] | None = None
) -> str | Judge | None:
    """The format that the settings name, or the judge of their criteria or their rubric (which may be named as the
    format ``criteria`` or ``rubric``), or that of the nuggets that they give; None where they say nothing. The format
    ``rubric`` alone is made of the rubrics that ``items`` have.

    Raises:
        DeclarationError: a criterion or the rubric is faulty, or another judge is named besides.
    """
    name, criteria = settings.get("format"), settings.get("criteria")
    rubric: Any = settings.get("rubric")
    in_one_call = settings.get("criteria_per_call")
    if in_one_call is not None and not (isinstance(in_one_call, int) and in_one_call >= 1):
        raise DeclarationError(
            f"criteria_per_call is {in_one_call!r}, but it must be a whole number of at least 1"
        )
    size = {} if in_one_call is None else {"in_one_call": in_one_call}
    if criteria and rubric is not None:
        raise DeclarationError(
            "criteria and a rubric cannot be used together: write the criteria into the rubric"
        )
    made_of = CRITERIA if criteria else RUBRIC if rubric is not None else None
    if made_of is None and not (name == RUBRIC and items is not None):
        check_made(name)
        if settings.get("criteria_per_call"):
            raise DeclarationError(
                "criteria_per_call needs criteria, and none is given: add --criterion or --rubric"
            )
        if settings.get("nuggets") is None:
            return name
        others = (settings.get(option) for option in ("format", "judge", "verdicts", "replay"))
        return NUGGETS if all(other is None for other in others) else name
    for option in ("format", "judge", "verdicts"):
        if settings.get(option) not in (None, made_of or RUBRIC):
            own = "criteria define the judge" if criteria else "a rubric defines the judge"
            raise DeclarationError(f"{own}: leave {option} out")
    from conqret.judging.criterion import criteria_of
    from conqret.judging.rubric_files import own_rubrics, rubrics_of
    from conqret.judging.rubrics import criteria_judge, rubric_judge

    if criteria:
        return criteria_judge(criteria_of(criteria), **size)
    if rubric is not None or items is None:
        return rubric_judge(rubrics_of(rubric), **size)
    source = items()
    try:
        return rubric_judge(own_rubrics(source), **size)
    except ItemsError:  # at the first faulty item: all faults are told
        source.check()
        raise


def opened(items: Any, settings: Mapping[str, Any]) -> ItemSource:
    """The items, to be read as :class:`ItemSettings` among the settings say."""
    return open_items(
        items, **{name: settings[name] for name in ItemSettings.__annotations__ if name in settings}
    )


def session_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """What :class:`conqret.runs.session.Session` and its plural are told of :class:`RequestSettings`.

    Raises:
        DeclarationError: there is no such engine, or its workers are said wrongly.
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
    """A place as a path."""
    return None if place is None else Path(place)
