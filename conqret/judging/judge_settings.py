"""The settings that the functions of the public face take by keyword, each declared once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from conqret.errors import DeclarationError, ItemsError
from conqret.io import open_items
from conqret.judging.judge_options import CRITERIA, GIVE, NUGGETS, RUBRIC, SampleSettings
from conqret.judging.metric_homes import judge_of_metrics
from conqret.llm.client_options import ClientOptions, ClientSettings
from conqret.options import among
from conqret.runs.session import RequestSettings

if TYPE_CHECKING:
    from conqret.data.criterion import Criteria
    from conqret.io import ItemSource
    from conqret.io.labels import Labels
    from conqret.io.nugget_banks import NuggetSource
    from conqret.io.reports import Requests
    from conqret.io.rubric_files import RubricSource
    from conqret.judging.dimensions import Order
    from conqret.judging.judge_parts import Judge
    from conqret.llm.backends.function import Function
    from conqret.runs.request_run import Watch
    from conqret.runs.session import Session
    from conqret.studies.abstain.result import Abstention, Cascade


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


JUDGES_BY = ("format", CRITERIA, RUBRIC, "judge", "verdicts")
"""The settings that each define the judge."""


def chosen_format(settings: Mapping[str, Any], items: ItemSource | None = None) -> str | Judge | None:
    """Return the format named in ``settings``, or the judge made from their criteria, rubric or nuggets, or
    that has their metrics.

    The format ``rubric`` without a rubric uses the rubrics of ``items``.

    None stands for the default format, or, in a replay, for that of the recordings.

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
    metrics = settings.get("metrics") or ()
    own_items = items if name == RUBRIC and RUBRIC not in given else None
    if own_items is None and not given.keys() & {CRITERIA, RUBRIC}:
        if isinstance(name, str) and name in GIVE:
            raise DeclarationError(GIVE[name])
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

    size = MAX_IN_ONE_CALL if in_one_call is None else in_one_call
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
