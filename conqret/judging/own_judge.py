"""A judge of your own, a Python function, as a format for every study.

It gets an item in plain data and says a number from 0 to 1, ``{"metric": number}``, of two arguments ``"first"``,
``"second"`` or ``"tie"``, or a judgment as ``conqret serve http`` gives it. Recordings, folders and counts are those
of any format: the function's answer stands where a model's would.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, model_validator
from pydantic.json_schema import SkipJsonSchema

from conqret.data import Item, Measure, Status
from conqret.errors import DeclarationError, metric_name
from conqret.io import ItemSource
from conqret.judging.judge_options import OWN_JUDGE, PAIRED, SINGLE
from conqret.judging.judge_parts import Case, Judge, JudgePrompt, JudgeReply
from conqret.judging.scales import PREFERENCE, preferred
from conqret.llm.backends.function import ITEM, VERDICT, Function, admit, answer_of
from conqret.llm.client_options import OFFLINE_MODEL, ClientOptions
from conqret.llm.failed_requests import ProviderError
from conqret.runs.trials import Loop
from conqret.text.language import item_language

METRICS = "metrics"
SHOWN = (
    *("topic", "stance", "argument", "second_argument", "documents", "reference"),
    *("messages", "images", "language"),
)
"""What a judge is told of an item, where it has it, and in which language it is. Not its id, not its metadata: a
change must show in the texts."""


class OwnVerdict(BaseModel):
    """What a judge of one's own said, by metric."""

    model_config = ConfigDict(title="Said", extra="forbid")  # the name by which recordings know it

    values: dict[str, float] = Field(description="numbers from 0 to 1")
    reasons: SkipJsonSchema[dict[str, str]] = {}  # no part of the schema, and so of a request's key

    @model_validator(mode="before")
    @classmethod
    def _read(cls, data: Any, info: ValidationInfo) -> Any:
        if not isinstance(data, Mapping) or VERDICT not in data:
            return data
        verdicts = read_verdict(data[VERDICT], (info.context or {}).get(METRICS, ()))
        return {
            "values": {name: value for name, (value, _) in verdicts.items()},
            "reasons": {name: reason for name, (_, reason) in verdicts.items()},
        }


def read_verdict(response: Any, metrics: Sequence[str]) -> dict[str, tuple[float, str]]:
    """Read the value of each of ``metrics``, in [0, 1], and its reason from what a user-defined judge returned;
    values of others are ignored.

    Raises:
        ValueError: a value is missing, out of range, or neither a number nor a verdict.
    """
    response = unwrapped(response)
    if not isinstance(response, Mapping):
        if len(metrics) != 1:
            raise ValueError(f"the judge returned one value, but {', '.join(metrics)} are requested")
        response = {metrics[0]: response}
    verdicts = {name: _with_reason(value) for name, value in response.items()}
    lacking = [name for name in metrics if verdicts.get(name, (None, ""))[0] is None]
    if lacking:
        others = ", ".join(str(name) for name, (value, _) in verdicts.items() if value is not None)
        but = f" but for {others}: name with --metric what it returns" if others else ""
        raise ValueError(f"the judge returned no value for {', '.join(lacking)}{but}")
    return {name: (_value(name, verdicts[name][0]), verdicts[name][1]) for name in metrics}


def _with_reason(verdict: Any) -> tuple[Any, str]:
    """Return value and reason from a pair, from an object with score (or value) and reason (or explanation),
    or a bare value.

    The value is as it was returned, unchecked (None if the object has none); the reason may be empty.
    """
    value, reason = verdict, None
    if isinstance(verdict, Mapping):
        value = verdict.get("score", verdict.get("value"))
        reason = verdict.get("explanation") or verdict.get("reason")
    elif isinstance(verdict, list | tuple) and len(verdict) == 2 and isinstance(verdict[1], str):
        value, reason = verdict
    return value, str(reason or "")


def unwrapped(response: Any) -> Any:
    """Return the values by metric of a judgment as conqret serve http gives it, and a score with its reason as a pair;
    anything else as it is."""
    if isinstance(response, Mapping) and isinstance(response.get("measures"), Mapping):
        return response["measures"]
    if isinstance(response, Mapping) and response.keys() == {"score", "reason"}:
        return response["score"], response["reason"]
    return response


def _value(name: str, response: Any) -> float:
    if name == PAIRED and isinstance(response, str) and response.strip().lower() in PREFERENCE:
        return PREFERENCE[response.strip().lower()]
    if not _is_number(response) or response != response:
        wanted = "first, second, tie or a number from 0 to 1" if name == PAIRED else "a number from 0 to 1"
        raise ValueError(f"{name} must be {wanted}, not {str(response)[:80]!r}")
    if not 0 <= response <= 1:
        raise ValueError(f"{name} is {str(response)[:80]}, but it must lie between 0 and 1")
    return float(response)


def plain(item: Item, *, pair: bool) -> dict[str, Any]:
    """Return the item as the dictionary that a user-defined judge gets: the fields of :data:`SHOWN` that are
    not empty.

    The second argument is included only if ``pair`` is True.
    """
    fields = item.model_dump(mode="json", include=set(SHOWN) - (set() if pair else {"second_argument"}))
    fields["language"] = item_language(item)
    return {name: fields[name] for name in SHOWN if fields.get(name)}


def own_judge(metrics: Sequence[str]) -> Judge:
    """Return the format for a user-defined judge with these metrics.

    ``preference`` is requested in both orders of the arguments; all other metrics rate one argument.
    """
    paired = [name for name in metrics if name == PAIRED]
    single = [name for name in metrics if name != PAIRED]
    judge_prompts = [_own_prompt(tuple(names), pair=names is paired) for names in (paired, single) if names]
    return Judge(
        name=OWN_JUDGE,
        summary="a judge of your own: a Python function",
        scale="0 to 1, or first, second, tie",
        score="the number that the judge returns; preference is 1 for first, .5 for tie, 0 for second",
        source="own",
        judge_prompts=tuple(judge_prompts),
    )


def _own_prompt(metrics: tuple[str, ...], *, pair: bool) -> JudgePrompt[OwnVerdict]:
    return JudgePrompt(
        prompt=OWN_JUDGE,
        metrics=metrics,
        needs=frozenset({"argument", "second_argument"} if pair else {"argument"}),
        optional=frozenset({"documents", "reference"}),
        response=OwnVerdict,
        score=_score,
        baseline=lambda case: {},  # the offline model says nothing, which is no valid answer and never a score
        context=lambda case: {ITEM: plain(case.item, pair=pair), METRICS: metrics},
        variables=lambda case: {} if pair else {"second_argument": None},
        both_orders=pair,
    )


def _score(reply: JudgeReply[OwnVerdict], case: Case) -> Mapping[str, Measure]:
    values, reasons, tie = reply.value.values, reply.value.reasons, PREFERENCE["tie"]
    measures = {
        name: Measure(status=Status.SCORED, value=value, explanation=reasons.get(name, ""))
        for name, value in values.items()
    }
    if (value := values.get(PAIRED)) is not None:
        label = "tie" if value == tie else "first" if value > tie else "second"
        more = {"value": value, "explanation": reasons.get(PAIRED, "")}
        measures[PAIRED] = preferred(label).model_copy(update=more)
    return measures


def _given_metrics(client: ClientOptions, source: ItemSource, *, pair: bool) -> dict[str, bool] | None:
    """Return the metrics that a function returns for the first item, for which it is called once, and whether each has
    a value. None if it returns a bare number or a verdict; empty if it fails or takes too long: then the run itself
    says why.

    ``pair`` says whether the function gets both arguments.
    """

    async def answered() -> str:
        item = plain(next(iter(source)), pair=pair)
        async with asyncio.timeout(client.timeout):
            return await answer_of(client.model, item)

    try:
        with Loop() as loop:
            response = json.loads(loop.run(answered()))[VERDICT]
    except (ProviderError, TimeoutError):
        return {}
    response = unwrapped(response)
    if not isinstance(response, Mapping):
        return None
    return {
        metric: metric == PAIRED or _is_number(_with_reason(value)[0]) for metric, value in response.items()
    }


def _is_number(value: object) -> bool:
    return isinstance(value, int | float)


def chosen_judge(
    judge: str | Function,
    source: ItemSource,
    client: ClientOptions,
    metrics: Sequence[str] = (),
) -> tuple[Judge, ClientOptions]:
    """Return the format and the client options for ``judge``: a function, or its ``module:function``.

    The judge is called once on the first item to learn which metrics it returns. If it returns a single value, the
    metric is a preference where every item has two arguments, else a score of one argument.

    Raises:
        ItemsError: items are invalid.
        DeclarationError: the function does not exist, or does not return one of several ``metrics``, or the client
            names a model.
    """
    if client.model != OFFLINE_MODEL:
        raise DeclarationError(f"a judge of your own takes no model: leave {client.model} out")
    client = replace(client, model=admit(judge))
    pairs = source.check().has["second_argument"] == "all"
    wanted = [metric_name(metric) for metric in metrics]
    given = _given_metrics(client, source, pair=pairs)
    what = ""
    if given is None and len(wanted) > 1:
        what = f"one value, but {', '.join(wanted)} are requested"
    elif given and (others := [metric for metric in wanted if metric not in given]):
        what = f"{', '.join(given)} for the first item, but not {', '.join(others)}"
    if what:
        raise DeclarationError(
            f"the judge returned {what}: the metrics of a format are judged in a run of their own, without --judge"
        )
    given = given or {}
    wanted = wanted or [metric for metric, valued in given.items() if valued] or [PAIRED if pairs else SINGLE]
    return own_judge(list(dict.fromkeys(wanted))), client
