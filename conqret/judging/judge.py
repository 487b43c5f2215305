"""``judge`` and ``ajudge``: items in, judgments out, in memory or into a run directory."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack, overload

from conqret.data import Item
from conqret.errors import DeclarationError, check_known
from conqret.io import CheckedItems, ItemSource
from conqret.io.rows import only_split, with_columns
from conqret.judging.judge_folder import JudgeFolder, skipped_row, verdict_row
from conqret.judging.judge_options import NUGGETS, JudgeOptions
from conqret.judging.judge_parts import JUDGES, Judge
from conqret.judging.judge_settings import JudgeSettings, chosen_format, opened
from conqret.judging.judgments import JudgePlan, Judgments, judge_items
from conqret.judging.metric_homes import BY_ITEMS, ORDINARY, default_format
from conqret.judging.setup import Setup, check_items, set_up
from conqret.judging.shots import FORMAT as SHOTS_FORMAT
from conqret.judging.shots import draw_shots
from conqret.llm.client_options import ClientSettings, client_options, resolving
from conqret.options import among
from conqret.runs.run_folder import default_folder, stem
from conqret.runs.session import Session, session_settings
from conqret.runs.trials import Loop

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

    from conqret.judging.recorded_call import RecordedCall
    from conqret.judging.verdict_log import VerdictLog
    from conqret.llm.expected_cost import ExpectedCost
    from conqret.studies.abstain.result import Abstention

Items = str | Path | Item | Mapping[str, object] | Iterable[Item | Mapping[str, object]] | None
"""A file, one item or dictionary, or several; None where a log of verdicts has them."""

NOT_IN_A_SESSION = {"judge", "verdicts", "batch", "engine", "workers", "session", "escalate", "cascade"}
"""Settings of calls that open a session of their own."""
_OF_A_SESSION = (NOT_IN_A_SESSION - {"session"}) | ClientSettings.__annotations__.keys()
_OF_A_SESSION |= {"model", "prompts", "recordings", "replay"}


@overload
def judge(items: pl.DataFrame, **settings: Unpack[JudgeSettings]) -> pl.DataFrame: ...
@overload
def judge(items: Items, **settings: Unpack[JudgeSettings]) -> Judgments: ...
@overload
def judge(items: pd.DataFrame, **settings: Unpack[JudgeSettings]) -> pd.DataFrame: ...
def judge(items: Any, **settings: Unpack[JudgeSettings]) -> Any:
    """Judge items with one format and one model, and return the judgments.

    It may be called inside a running event loop (a notebook): the work then runs in a thread.

    Args:
        items: a file (JSON Lines, CSV, Parquet), one item or dictionary, several of them, or a polars or pandas frame.
        settings: by keyword, all of them optional:

            - ``format``: the name of a format (``conqret info formats`` lists them; default: ``rag`` where no item
              has a stance or a citation, else ``rag-fine-grained``), or a
              :class:`~conqret.judging.judge_parts.Judge` object
            - ``criteria``: criteria of your own instead of a format, each a sentence (``"The answer names a source"``,
              ``"clarity: How clear is the wording? 1-5"``), a table or a :class:`conqret.Criterion`
            - ``rubric``: weighted criteria instead of a format (docs/rubrics.md): a file, a list of criteria, or such
              lists by the id of a topic or an item; ``format="rubric"`` alone uses the rubrics of the items
            - ``criteria_per_call``: the maximum number of criteria in one request (default: 12)
            - ``model``: any litellm model name, ``local/FOLDER`` for a transformers model whose
              log-probabilities are read (format ``likelihood``), or ``offline`` (default), the lexical baseline
            - ``judge``: a user-defined judge instead of format and model: a function, or its
              ``module:function``; ``verdicts``: a log of existing verdicts, with ``verdict_scale``
              (``items`` may be None then, if the log has the texts)
            - ``metrics``: the metrics of the format to judge; if empty, all that the items allow
            - ``samples``: repetitions of each request, combined by mean and majority (self-consistency)
            - ``order``: the order of the fifteen dimensions (given, reversed, shuffled); ``seed`` shuffles it
            - ``relevant_from``: the rating, 0 to 5, from which a document counts towards predicted precision
            - ``temperature``: that of the model; default: 0, or 0.7 with several samples
            - ``confidence``: request the judge's confidence in each answer
            - ``shots``: how many labeled arguments on other topics the prompt of the format ``listwise`` shows, drawn
              by ``seed`` from the items that have labels in ``examples``, a file
            - ``conversation``: the judged part of items with messages: the ``last`` answer, or the ``whole``
            - ``columns``: a mapping from fields to columns of ``items``; overrides the columns recognized
            - ``topics``: the requests of TREC RAG reports, a file or its rows
            - ``nuggets``: nugget banks: a file, its rows, or the nuggets of each topic by its id; each item is judged
              by those of its topic, with the format ``nuggets`` by default
            - ``skip_invalid``: leave out invalid items, with a count and reasons, instead of refusing the file
            - ``language``: the language of all items, as a code or an English name; overrides their own
            - ``prompts``: a folder of user-defined prompts with the layout of ``prompts/``
            - ``output``: a run folder to write; a stopped run in it is continued (True: one under ``runs/``, named
              after items, format and model); ``overwrite`` replaces another run in it
            - ``recordings``: a store of responses to read and extend; ``replay``: a store, an export or a run that
              gives all responses, and by default also the format, model and settings
            - ``abstain``: a file of ``conqret judges abstain`` for this judge; unsure scores are left out
            - ``escalate``: the model that judges the items that ``model`` is unsure of, by the rule in ``cascade``, a
              file of ``conqret judges abstain --against`` for these two judges
            - ``batch``: submit the requests as a batch of the provider (OpenAI, Anthropic) at half the price, and
              return; the same call again collects the responses, and submits what must be requested again
            - ``session``: an open :class:`conqret.Session`, whose model, prompts and recordings are used, so that many
              calls share one client; its counts include all calls
            - ``engine``: ``process`` (default), or ``ray``: judge with ``workers`` on a Ray cluster (docs/scale.md)
            - ``watch``: an observer (:class:`conqret.runs.request_run.Watch`): its ``start`` is called once, with
              the number of judgments kept from before, and its ``advance`` with each judgment as it is done
            - those of :class:`conqret.llm.client_options.ClientOptions`: ``api_base``, ``api_key``, ``client``,
              ``max_tokens``, ``context_window``, ``input_price``, ``output_price``, ``max_concurrency``,
              ``max_attempts``, ``rpm``, ``tpm``, ``budget_usd``, ``timeout``, ``stop_after_failures``,
              ``retry_unscored`` (request again, once, what an earlier run recorded as an invalid response),
              ``vision`` (whether the model takes images, where conqret does not know)

    Returns:
        :class:`Judgments`; or, where ``items`` is a frame, that frame (with its index) and added columns: status,
        reason, and for each metric its value in [0, 1] or null and its explanation. A row that ``skip_invalid`` leaves
        out has the status ``skipped``, and its fault as the reason. A column name that exists already gets the
        prefix ``judge_``.

    Raises:
        DeclarationError: a setting or an item is invalid, or a setting is unknown. A failed request raises
            nothing: its judgment is ``failed``, with a reason.
    """
    session = settings.get("session")
    if isinstance(session, Session):
        return session.run(lambda client: judged(items, settings))
    with Loop() as loop:
        return loop.run(judged(items, settings))


@overload
async def ajudge(items: pl.DataFrame, **settings: Unpack[JudgeSettings]) -> pl.DataFrame: ...
@overload
async def ajudge(items: Items, **settings: Unpack[JudgeSettings]) -> Judgments: ...
@overload
async def ajudge(items: pd.DataFrame, **settings: Unpack[JudgeSettings]) -> pd.DataFrame: ...
async def ajudge(items: Any, **settings: Unpack[JudgeSettings]) -> Any:
    """Judge items asynchronously: takes and returns the same as :func:`judge`."""
    return await judged(items, settings)


def expected_cost(items: Any, **settings: Unpack[JudgeSettings]) -> ExpectedCost:
    """Return the calls, tokens and dollars that :func:`judge` would need with the same settings.

    It calls no model and writes nothing. Of a cascade, it is the cost of the first judge.

    Raises:
        DeclarationError: as for :func:`judge`.
    """
    return expected_costs(items, **settings)[0]


def expected_costs(items: Any, **settings: Unpack[JudgeSettings]) -> list[ExpectedCost]:
    """Return the expected calls, tokens and dollars of each judge: of one, or of the first and the last of a
    cascade.

    The last judge is expected to judge the share of items that it had to judge where the rule was fitted.
    """
    from conqret.judging.cost import expected_judging
    from conqret.llm.expected_cost import batch_price

    check_known("option of judge", JudgeSettings.__annotations__, *settings)
    source, _, setup, _ = prepared(items, settings)
    if (unsure := settings.get("abstain")) is not None:
        _abstention(unsure, setup)
    if settings.get("batch"):
        return [batch_price(expected_judging(setup, source), setup.client)]
    first, *others = setup.judges
    later = (expected_judging(each, source).scaled(each.share) for each in others)
    return [expected_judging(first, source), *later]


async def judged(items: Any, settings: JudgeSettings, *, report: bool = True) -> Any:
    """Judge items as :func:`judge`; without ``report``, the caller writes the report page of the run.

    Returns:
        The judgments (:class:`~conqret.judging.judgments.Judgments`); if the items are a frame, the frame
        with the verdicts as additional columns.

    Raises:
        DeclarationError: as for :func:`judge`.
    """
    check_known("option of judge", JudgeSettings.__annotations__, *settings)
    session = settings.get("session")
    if session is not None:
        _check_session(session, settings)
    source, checked, setup, _ = prepared(items, settings)
    unsure = settings.get("abstain")
    abstain = None if unsure is None else _abstention(unsure, setup)
    output = settings.get("output")
    if settings.get("batch") and source.frame_kind is not None:
        raise DeclarationError(
            "a batch is answered later, so no columns can be added to a frame now: give the items as a file or a list"
        )
    if output is True:
        output = default_folder(stem(Path(source.name)), setup.judge.name, setup.model)
    folder = JudgeFolder(Path(output)) if output else None
    replayed = folder is not None and settings.get("replay")
    own = {**settings, "prompts": setup.library, **({"recordings": None} if replayed else {})}
    sessions = [] if session is None else [session]
    async with contextlib.AsyncExitStack() as held:
        for each in setup.judges if session is None else ():
            opened_for_it = Session(each.client, **session_settings(own))
            sessions.append(await held.enter_async_context(opened_for_it))
        applied = None if abstain is None else abstain.apply_to
        plan = JudgePlan(tuple(sessions), folder, source, checked, setup, applied, report)
        overwrite, watch = settings.get("overwrite", False), settings.get("watch")
        judgments = await judge_items(plan, overwrite=overwrite, watch=watch)
    if source.frame_kind is None:
        return judgments
    records, places = [verdict_row(judgment) for judgment in judgments], list[int | None]()
    for place in source.places():
        if isinstance(place, str):
            records.append(skipped_row(place))
        places.append(len(records) - 1 if isinstance(place, str) else place)
    return with_columns(source.rows, places, records)


def _abstention(abstain: str | Path | Abstention, setup: Setup) -> Abstention:
    """Return the abstention, read from its file if needed; it removes unsure scores. Raises DeclarationError
    if it is for another judge.
    """
    from conqret.studies.abstain.result import Abstention

    abstention = abstain if isinstance(abstain, Abstention) else Abstention.read(Path(abstain))
    abstention.check(setup.judge.name, setup.model, setup.fingerprints)
    return abstention


def _provider(model: str) -> str:
    return model.partition("/")[0] if "/" in model else "openai"


def _in_cascade(setup: Setup, settings: JudgeSettings, items: ItemSource) -> Setup:
    """Return the setup of a cascade: ``setup`` as its first judge, with the last judge and the rule of the
    settings.

    Raises:
        DeclarationError: only one of model and rule is given, or the rule is of other judges.
    """
    escalate, rule = settings.get("escalate"), settings.get("cascade")
    if escalate is None or rule is None:
        raise DeclarationError(
            "--escalate MODEL and --cascade FILE go together: the model that judges what the first one is unsure of, "
            "and the rule for both (conqret judges abstain RUN --against RUN_OF_MODEL --labels LABELS writes it)"
        )
    if settings.get("batch"):
        raise DeclarationError("a cascade calls one judge after the other: leave --batch out")
    from conqret.judging.recorded_call import OF_A_MODEL, recorded_call
    from conqret.studies.abstain.result import Cascade

    cascade = rule if isinstance(rule, Cascade) else Cascade.read(Path(rule))
    cascade.check(setup.judge.name, setup.model, setup.fingerprints)
    named = chosen_format(settings, items)
    replay = settings.get("replay")
    if named is None and replay is not None:
        named = recorded_call(Path(replay), model=setup.client.model).format
    if named is None:
        named = default_format(items)
    last = escalate
    if isinstance(last, str):
        of_model = {**dict.fromkeys(OF_A_MODEL), **cascade.last.model_options}
        last = replace(setup.client, model=last, **of_model)
        if _provider(last.model) != _provider(
            setup.client.model
        ):  # whose address and key are not the first one's
            last = replace(last, api_base=None, api_key=None)
    options = JudgeOptions(**{**cascade.last.options, "metrics": setup.options.metrics})
    with resolving(replay is not None):
        judge = set_up(named, last, options, setup.library)
    judge = replace(judge, turns=setup.turns, languages=setup.languages)
    cascade.check_last(judge.judge.name, judge.model, judge.fingerprints)
    notes = (*setup.notes, *cascade.uncovered(setup.metrics))
    return cascade.rule.setup(replace(setup, notes=notes), judge)


def session_of(settings: JudgeSettings) -> tuple[Session, JudgeSettings]:
    """Return a new, unopened session for these settings, and the settings to pass to :func:`judge` with each
    call.

    The session holds the model, the prompts and the recordings.

    Raises:
        DeclarationError: a setting is invalid, as for :func:`judge`, or a session cannot support it.
    """
    if extra_names := sorted(NOT_IN_A_SESSION & settings.keys()):
        raise DeclarationError(f"calls that share a session take no {', '.join(extra_names)}: leave it out")
    setup = setup_of(settings)
    session = Session(setup.client, **session_settings({**settings, "prompts": setup.library}))
    name = settings.get("format")
    left: JudgeSettings = {
        **{name: value for name, value in settings.items() if name not in _OF_A_SESSION},  # type: ignore[typeddict-item]
        **{field.name: getattr(setup.options, field.name) for field in fields(JudgeOptions)},
        "session": session,
    }
    if not setup.judge.members:
        left["format"] = setup.judge.name if name is None else name
    if "rubric" in settings:  # read once
        from conqret.io.rubric_files import rubrics_of

        left["rubric"] = rubrics_of(settings["rubric"])
    return session, left


def _check_session(session: object, settings: JudgeSettings) -> None:
    """Check that this is an open session, and that no settings are given that it already has.

    Raises:
        DeclarationError: one of this does not hold.
    """
    if not isinstance(session, Session):
        raise DeclarationError(f"session is {session!r}, but it must be a conqret.Session")
    if extra_names := sorted(_OF_A_SESSION & settings.keys()):
        raise DeclarationError(
            f"the session already sets {', '.join(extra_names)}: leave it out here, or leave out the session"
        )
    if not session.is_open:
        raise DeclarationError(
            "the session is not open: put all calls that use it inside 'async with session:'"
        )


def prepared(
    items: Any, settings: JudgeSettings
) -> tuple[ItemSource, CheckedItems, Setup, VerdictLog | None]:
    """Read and check the items, and set up the judge: everything before the first request.

    Args:
        items: as :func:`conqret.judge` takes them.
        settings: those of :func:`conqret.judge`.

    Returns:
        The items, the result of their check, the judge configuration, and the verdict log where it is the
            judge, else None.

    Raises:
        DeclarationError: as for :func:`conqret.judge`.
    """
    items = only_split(items)
    several = [items] if isinstance(items, Item | Mapping) else items
    log = None
    if several is None or settings.keys() & {"verdicts", "verdict_scale"}:
        from conqret.judging.verdict_log import read_log

        log = read_log(several, settings)
    source = opened(several, settings) if log is None else log.source
    if log is None and settings.get("judge") is None:
        setup = setup_of(settings, source)
    else:
        setup = _own_setup(settings, source, log)
    if settings.get("nuggets") is not None:
        _check_nuggets(setup)
    checked, setup = check_items(source, setup, all_items=settings.get("session") is None)
    if settings.get("escalate") is not None or settings.get("cascade") is not None:
        setup = _in_cascade(setup, settings, source)
    return replace(source, needs=setup.needs), checked, setup, log


def _with_shots(
    judging: dict[str, Any], name: str | Judge | None, items: ItemSource | None
) -> dict[str, Any]:
    """Return the options of a judge with the labeled examples that its prompts are to show, drawn from the items.
    Without ``shots`` and ``examples`` the options are returned unchanged.

    Examples that are drawn already, as in a replay, stay.

    Raises:
        DeclarationError: only one of both is given, or the format shows no examples.
    """
    shots, labels = judging.get("shots", 0), judging.get("examples", ())
    if not shots and not labels:
        return judging
    if not labels or not shots or items is None:
        raise DeclarationError(
            "--shots N and --examples LABELS go together: how many labeled arguments the prompt shows, and their labels"
        )
    if name != SHOTS_FORMAT:
        raise DeclarationError(
            f"--shots shows ratings of the format {SHOTS_FORMAT}: add --format {SHOTS_FORMAT}"
        )
    if isinstance(labels, list | tuple):  # a replay has them
        return judging
    from conqret.io.labels import labels_of

    drawn = draw_shots(items, labels_of(labels), shots, seed=judging.get("seed", JudgeOptions().seed))
    return {**judging, "examples": drawn}


def _check_nuggets(setup: Setup) -> None:
    """Raise DeclarationError where nuggets are given to a judge that looks at none."""
    if any(NUGGETS in part.needs | part.optional for part in setup.parts):
        return
    known = setup.judge.name in JUDGES
    which = f"the format {setup.judge.name}" if known else f"a judge of your own ({setup.judge.name})"
    raise DeclarationError(
        f"{which} does not use the nuggets of --nuggets: leave --nuggets out, or leave out the choice of another judge"
    )


def _own_setup(settings: JudgeSettings, source: ItemSource, log: VerdictLog | None) -> Setup:
    """Return the configuration of the user's own judge for these items: a log of verdicts, or the function or server
    that the settings name.

    Raises:
        DeclarationError: another judge is named, too, or an option is for LLM judges only.
    """
    chosen_format(settings)  # raises where another judge is given, too
    options = JudgeOptions(**_judging(settings))
    if options.confidence:
        raise DeclarationError(
            "--confidence works with LLM judges only, not with a judge of your own: leave --confidence out"
        )
    if options.conversation == "whole":
        raise DeclarationError(
            "a judge of your own gets the whole conversation and chooses what it judges: leave --conversation out"
        )
    client = client_options(settings.get("model"), settings)
    if log is not None:
        from conqret.judging.verdict_log import logged_judge

        judge, client = logged_judge(log, client)
        return replace(set_up(judge, client, options, settings.get("prompts")), notes=log.notes)
    from conqret.judging.own_judge import chosen_judge

    named: Any = settings["judge"]
    judge, client = chosen_judge(named, source, client, options.metrics)
    return set_up(judge, client, options, settings.get("prompts"))


def _judging(settings: JudgeSettings) -> dict[str, Any]:
    """The fields of :class:`JudgeOptions` among the settings."""
    options = among(settings, map(attrgetter("name"), fields(JudgeOptions)))
    if "metrics" in options:
        options["metrics"] = tuple(options["metrics"] or ())
    return options


def _declared(format: str | Judge | None) -> object:  # noqa: A002
    """Return what identifies a format: the data that a judge of criteria or a rubric was made from, else the
    format itself.
    """
    return format.declared if isinstance(format, Judge) and format.declared else format


def setup_of(settings: JudgeSettings, items: ItemSource | None = None) -> Setup:
    """Return the judge configuration of ``settings``; in a replay, the recordings fill in what is not set.

    Raises:
        DeclarationError: a setting is invalid, as for :func:`conqret.judge`.
    """
    name, model = chosen_format(settings, items), settings.get("model")
    judging = _judging(settings)
    client: Mapping[str, Any] = settings
    notes: tuple[str, ...] = ()
    replay = settings.get("replay")
    if replay is not None and (recorded := _recorded(Path(replay), judging, name, model)) is not None:
        if model is None and recorded.cascade and settings.get("escalate") is None:
            raise DeclarationError(
                f"{replay} is a run of a cascade: give --escalate and --cascade as it did, or --model {recorded.model} "
                "for its first judge alone"
            )
        model = recorded.model if model is None else model
        if name is None or _declared(name) == _declared(recorded.format):
            name, judging = recorded.format, {**recorded.judging, **judging}
            if recorded.judging.get("metrics") and not settings.get("metrics"):
                notes = (f"recorded are {', '.join(recorded.judging['metrics'])}",)
        client = {**recorded.model_options, **settings}
    if judging.keys() & {"shots", "examples"}:
        judging = _with_shots(judging, name, items)
    session = settings.get("session")
    if name is None:
        name = default_format(items)
        if name == ORDINARY:
            notes = (*notes, BY_ITEMS)
    with resolving(replay is not None):
        setup = set_up(
            name,
            client_options(model, client) if session is None else session.options,
            JudgeOptions(**judging),
            settings.get("prompts") if session is None else session.library,
        )
    return replace(setup, notes=(*notes, *setup.notes))


def _recorded(
    replay: Path, judging: Mapping[str, Any], name: str | Judge | None, model: str | None
) -> RecordedCall | None:
    """Return what the recordings were made with; None if format and model are named, and the recordings would add
    nothing.

    Raises:
        DeclarationError: the recordings do not say it, and format or model is not named.
    """
    if name and (not JUDGES.resolve(name).judge_prompts or (model and "samples" in judging)):
        return None
    from conqret.judging.recorded_call import recorded_call

    try:
        return recorded_call(replay, name, model)
    except DeclarationError:
        if name and model:
            return None
        raise
