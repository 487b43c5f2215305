"""What a call of ``judge`` says of its items and its judge, made into both: all that is settled before the first
question, and what somebody else's recordings were made with, so that a replay needs no flags."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conqret.data import Item
from conqret.errors import DeclarationError
from conqret.io import CheckedItems, ItemSource, open_items
from conqret.io.rows import only_split
from conqret.judging.judge_folder import JudgeFolder
from conqret.judging.judge_options import CRITERIA, NUGGETS, RUBRIC, JudgeOptions
from conqret.judging.judge_parts import DEFAULT_FORMAT, JUDGES, Judge
from conqret.judging.judge_settings import JudgeSettings, chosen_format, client_options
from conqret.judging.setup import Setup, check_items, recorded_judge, set_up
from conqret.llm.client_options import resolving
from conqret.llm.recordings import Recordings

if TYPE_CHECKING:
    from conqret.judging.verdict_log import VerdictLog

_SETTINGS = ("max_tokens", "context_window", "vision")


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """What a recording was made with, as far as it says so; it all changes the keys of its answers.

    ``judging`` holds fields of :class:`conqret.judging.judge_options.JudgeOptions` (``samples`` always), and
    ``model_options`` those of :class:`conqret.llm.client_options.ClientOptions`.
    """

    format: str | Judge | None
    model: str
    judging: Mapping[str, Any] = field(default_factory=dict)
    model_options: Mapping[str, Any] = field(default_factory=dict)


def recorded_call(path: Path, named: str | Judge | None = None, model: str | None = None) -> RecordedCall:
    """Read what the recordings at ``path`` (a store, an export, or a run's folder) were made with.

    A run's folder says so itself, with its metrics, orders and temperature; elsewhere format, model and samples are
    read off the recordings, of the format that is ``named`` and of ``model`` where these are given.

    Raises:
        DeclarationError: there are no recordings, or they hold several models or formats and none is given.
    """
    run = JudgeFolder(path)
    if run.record_file.is_file():
        record = run.record()
        options = {name: value for name, value in record.model_options.items() if name in _SETTINGS}
        own = recorded_judge(record) if record.format in (CRITERIA, RUBRIC) else record.format
        return RecordedCall(own, record.model, record.judging, options)
    samples = _samples(path)
    models = set(samples) if model is None or model not in samples else {model}
    if len(models) > 1 and model is None:
        raise DeclarationError(
            f"{path} contains responses of several models ({', '.join(sorted(models))}); name one with --model"
        )
    asks = Counter[str]()
    for each in models:
        asks |= samples[each]
    judge = None if named is None else JUDGES.resolve(named)
    if judge is None:
        formats = [name for name in JUDGES if asks.keys() & {ask.prompt for ask in JUDGES[name].asks}]
        if len(formats) > 1:
            raise DeclarationError(
                f"{path} contains responses for several formats ({', '.join(formats)}); name one with --format"
            )
        judge = JUDGES[formats[0]] if formats else None
    recorded = min(models)
    if judge is None:  # a judge of criteria or a rubric: which ones, only a run's folder says
        declared = next((name for name in (CRITERIA, RUBRIC) if name in asks), None)
        return RecordedCall(declared, recorded, {"samples": max(asks.values())})
    # Metrics of which nothing is recorded were not part of that run.
    there = [ask for ask in judge.asks if ask.prompt in asks]
    judging: dict[str, Any] = {"samples": max((asks[ask.prompt] for ask in there), default=1)}
    if there and len(there) < len(judge.asks):
        judging["metrics"] = tuple(metric for ask in there for metric in ask.metrics)
    return RecordedCall(judge.name if named is None else named, recorded, judging)


def _samples(path: Path) -> dict[str, Counter[str]]:
    """How many samples of each prompt are recorded, by model.

    Raises:
        DeclarationError: there are no recordings.
    """
    samples: dict[str, Counter[str]] = {}
    with Recordings.open_for_replay(path) as store:
        for recording in store.recorded():
            samples.setdefault(recording.model, Counter())
            samples[recording.model] |= Counter(
                {recording.ask.removesuffix(" (swapped)"): recording.sample + 1}
            )
    if not samples:
        raise DeclarationError(f"{path} contains no recordings")
    return samples


def prepared(
    items: Any, settings: JudgeSettings, *, asks: bool = True
) -> tuple[ItemSource, CheckedItems, Setup]:
    """The items, what the check of them found, and the instrument: all that is settled before the first question. A
    server is asked which metrics it gives only where ``asks``, and nothing is replayed.

    Raises:
        DeclarationError: as :func:`conqret.judge`.
    """
    source, checked, setup, _ = prepared_with_log(items, settings, asks=asks)
    return source, checked, setup


def prepared_with_log(
    items: Any, settings: JudgeSettings, *, asks: bool = True
) -> tuple[ItemSource, CheckedItems, Setup, VerdictLog | None]:
    """The same, with the log of verdicts that is the judge, if one is. Raises as there."""
    items = only_split(items)
    several = [items] if isinstance(items, Item | Mapping) else items
    log = None
    if several is None or settings.keys() & {"verdicts", "verdict_scale"}:
        from conqret.judging.verdict_log import log_of

        log = log_of(
            settings.get("verdicts"),
            several,
            settings.get("judge"),
            metrics=settings.get("metrics") or (),
            columns=settings.get("columns"),
            scale=settings.get("verdict_scale"),
            skip_invalid=settings.get("skip_invalid", False),
        )
    if log is not None:
        source = log.source
        setup = _own_setup(settings, source, log)
    else:
        source = open_items(
            several,
            columns=settings.get("columns"),
            topics=settings.get("topics"),
            nuggets=settings.get("nuggets"),
            skip_invalid=settings.get("skip_invalid", False),
            language=settings.get("language"),
        )
        custom_judge = settings.get("judge") is not None
        setup = (
            _own_setup(settings, source, asks=asks) if custom_judge else setup_of(settings, lambda: source)
        )
    if settings.get("nuggets") is not None:
        _check_nuggets(setup)
    checked, setup = check_items(source, setup, all_items=settings.get("session") is None)
    return replace(source, needs=setup.needs), checked, setup, log


def _check_nuggets(setup: Setup) -> None:
    """Raise DeclarationError where nuggets are given to a judge that looks at none."""
    if any(NUGGETS in part.needs | part.optional for part in setup.parts):
        return
    known = setup.judge.name in JUDGES
    which = f"the format {setup.judge.name}" if known else f"a judge of your own ({setup.judge.name})"
    raise DeclarationError(
        f"{which} does not use the nuggets of --nuggets: leave --nuggets out, or leave out the choice of another judge"
    )


def _own_setup(
    settings: JudgeSettings, source: ItemSource, log: VerdictLog | None = None, *, asks: bool = True
) -> Setup:
    """The judge of one's own that the settings name, or that is a log, for these items."""
    if chosen_format(settings) is not None:
        raise DeclarationError("a judge of your own has no format: leave --format out")
    if settings.get("confidence"):
        raise DeclarationError(
            "--confidence works with LLM judges only, not with a judge of your own: leave --confidence out"
        )
    options = JudgeOptions(**_judging(settings))
    if options.conversation == "whole":
        raise DeclarationError(
            "a judge of your own gets the whole conversation and chooses what it judges: leave --conversation out"
        )
    client = client_options(settings.get("model"), settings)
    if log is not None:
        from conqret.judging.verdict_log import logged_judge

        judge, client = logged_judge(log, client)
    else:
        from conqret.judging.own_judge import chosen_judge

        asks = asks and settings.get("replay") is None
        judge, client = chosen_judge(settings["judge"], source, client, options.metrics, asks=asks)  # type: ignore[arg-type]
    setup = set_up(judge, client, options, settings.get("prompts"))
    return setup if log is None else replace(setup, notes=log.notes)


def _judging(settings: JudgeSettings) -> dict[str, Any]:
    """The fields of :class:`JudgeOptions` among the settings."""
    options: dict[str, Any] = {
        field.name: settings[field.name]  # type: ignore[literal-required]
        for field in fields(JudgeOptions)
        if field.name in settings
    }
    if "metrics" in options:
        options["metrics"] = tuple(options["metrics"] or ())
    return options


def _declared(format: str | Judge | None) -> object:  # noqa: A002
    """What tells a format from others: the criteria of one that is made of them."""
    return format.declared if isinstance(format, Judge) and format.declared else format


def setup_of(settings: JudgeSettings, items: Callable[[], ItemSource] | None = None) -> Setup:
    """The judge, as the settings say, and where they are silent as the recordings say that are replayed."""
    name, model = chosen_format(settings, items), settings.get("model")
    judging = _judging(settings)
    client: Mapping[str, Any] = settings
    notes: tuple[str, ...] = ()
    replay = settings.get("replay")
    if replay is not None and (recorded := _recorded(Path(replay), judging, name, model)) is not None:
        model = recorded.model if model is None else model
        if name is None or _declared(name) == _declared(recorded.format):
            name, judging = recorded.format, {**recorded.judging, **judging}
            if recorded.judging.get("metrics") and not settings.get("metrics"):
                notes = (f"recorded are {', '.join(recorded.judging['metrics'])}",)
        client = {**recorded.model_options, **settings}
    session = settings.get("session")
    with resolving(replay is not None):
        setup = set_up(
            DEFAULT_FORMAT if name is None else name,
            client_options(model, client) if session is None else session.options,
            JudgeOptions(**judging),
            settings.get("prompts") if session is None else session.library,
        )
    return replace(setup, notes=(*notes, *setup.notes))


def _recorded(
    replay: Path, judging: Mapping[str, Any], name: str | Judge | None, model: str | None
) -> RecordedCall | None:
    """What the recordings were made with; None where all that they say is said, or where they do not say it and format
    and model are named; a format that is computed has none."""
    sure = bool(name and model)
    if (sure and "samples" in judging) or (name and not JUDGES.resolve(name).asks):
        return None

    try:
        return recorded_call(replay, name, model)
    except DeclarationError:
        if not sure:
            raise
        return None
