"""The types of the service: the item that each format takes, the judgment that it returns, and both as an
OpenAPI document.

All of it is made of :class:`conqret.Item`, :class:`conqret.Judgment` and what the formats declare.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, Field, create_model
from pydantic.json_schema import JsonSchemaMode, models_json_schema

from conqret._version import __version__
from conqret.data import Document, Item, Judgment, Measure, Nugget
from conqret.data.item import Identifier, NonEmpty
from conqret.judging.judge_parts import Judge
from conqret.serve.intake import MEDIA_TYPE, OPEN, Problem

JUDGE_PATH = "/v1/judge/{format}"
"""The path at which a format judges."""
METRICS_PATH = "/v1/judge"
"""The path at which metrics of any formats, and criteria, are judged together."""
MAX_ITEMS = 64
"""The most items of one request."""


class MetricsRequest(BaseModel, extra="forbid"):
    """Items, each as a format takes it, with the metrics and criteria that are wanted of them."""

    items: Annotated[list[dict[str, Any]], Field(min_length=1, max_length=MAX_ITEMS)]
    metrics: list[str] = []
    criteria: list[str | dict[str, Any]] = []


class MetricsResponse(BaseModel):
    """The judgments, in the order of the items."""

    judgments: list[Judgment]


_DocumentIn: type[Document] = create_model("GivenDocument", __base__=Document, id=(Identifier | None, None))


def needed(judge: Judge) -> frozenset[str]:
    """Return the item fields that every metric of a format needs (``documents``, ``argument`` and so on)."""
    return frozenset.intersection(*(part.needs for part in judge.parts()))


def item_type(judge: Judge) -> type[Item]:
    """Return the item type of a format for requests: the id is optional, and documents may be plain texts.

    The fields that every metric of the format needs are required.
    """
    documents = tuple[_DocumentIn | NonEmpty, ...]
    fields: dict[str, Any] = {"id": (Identifier | None, None), "documents": (documents, ())}
    for name in needed(judge):
        listed = {"documents": documents, "nuggets": tuple[Nugget | NonEmpty, ...]}
        if "." not in name:  # what stands in a nugget is checked with the item
            fields[name] = (listed[name], Field(min_length=1)) if name in listed else (NonEmpty, ...)
    made: type[Item] = create_model(f"{_camel(judge)}Item", __base__=Item, **fields)
    return made


def judgment_type(judge: Judge) -> type[Judgment]:
    """Return the judgment type of a format, with its metrics by name; metrics that were not requested are
    absent.
    """
    by_name: dict[str, Any] = {
        f"metric_{number}": (Measure, Field(alias=metric, default_factory=dict))
        for number, metric in enumerate(judge.metrics)
    }
    measures = create_model(f"{_camel(judge)}Measures", **by_name)
    name = f"{_camel(judge)}Judgment"
    made: type[Judgment] = create_model(name, __base__=Judgment, measures=(measures, ...))
    return made


def openapi(judges: Iterable[Judge], *, keyed: bool) -> dict[str, Any]:
    """Return the OpenAPI 3.1 document of a service with these formats (the rest stands in ``openapi.toml``);
    ``keyed`` is True if requests need a key.
    """
    document: dict[str, Any] = tomllib.loads(
        Path(__file__).with_name("openapi.toml").read_text(encoding="utf-8")
    )
    said_of_refusals, conversation = document.pop("refusals"), document.pop("conversation")
    paths, components = document["paths"], document["components"]
    document["info"]["version"] = __version__
    every = tuple(judges)
    items, judgments = [item_type(judge) for judge in every], [judgment_type(judge) for judge in every]
    models: list[tuple[type[BaseModel], JsonSchemaMode]] = [(item, "validation") for item in items]
    models.append((MetricsRequest, "validation"))
    given: list[type[BaseModel]] = [*judgments, MetricsResponse, Problem]
    models += [(model, "serialization") for model in given]
    names, schemas = models_json_schema(models, ref_template="#/components/schemas/{model}")
    components["schemas"] = schemas["$defs"]
    for item in items:
        _or_messages(schemas["$defs"][names[item, "validation"]["$ref"].rpartition("/")[2]], conversation)
    problem = {MEDIA_TYPE: {"schema": names[Problem, "serialization"]}}
    refusals = {
        status: {"description": description, "content": problem}
        for status, description in said_of_refusals.items()
        if keyed or status != "401"
    }

    def post(takes: type[BaseModel], gives: type[BaseModel], what: str, **about: Any) -> dict[str, Any]:
        answer = {"description": what, "content": _json(names[gives, "serialization"])}
        body = {"required": True, "content": _json(names[takes, "validation"])}
        return {"post": {**about, "requestBody": body, "responses": {"200": answer, **refusals}}}

    for path, operation in paths.items():
        answer = {"description": operation["get"]["summary"], "content": _json({"type": "object"})}
        operation["get"]["responses"] = {"200": answer}
        if path == "/readyz":
            operation["get"]["responses"]["503"] = {**answer, "description": "It cannot judge now."}
    metric, request_id = components["parameters"].pop("Metric"), {"$ref": "#/components/parameters/RequestId"}
    for judge, item, judgment in zip(every, items, judgments, strict=True):
        metrics = {"type": "array", "items": {"type": "string", "enum": list(judge.metrics)}}
        paths[JUDGE_PATH.format(format=judge.name)] = post(
            item,
            judgment,
            "The judgment. Each measure has a value, or a reason and no value.",
            operationId=f"judge_{judge.name.replace('-', '_')}",
            summary=judge.summary,
            description=f"Scale: {judge.scale}. Score: {judge.score}. Source: {judge.source}",
            parameters=[metric | {"schema": metrics}, request_id],
        )
    paths[METRICS_PATH] = post(
        MetricsRequest,
        MetricsResponse,
        "The judgments, in the order of the items.",
        operationId="judge_metrics",
        summary="Metrics of any formats, and criteria, of up to 64 items",
        parameters=[request_id],
    )
    if keyed:
        components["securitySchemes"] = {"key": {"type": "http", "scheme": "bearer"}}
        document["security"] = [{"key": []}]
        for path in OPEN:
            paths[path]["get"]["security"] = []
    return document


_FROM_MESSAGES = frozenset({"topic", "argument", "documents"})
"""What an item's messages say, so that it need not say it itself."""


def _or_messages(schema: dict[str, Any], conversation: Mapping[str, Any]) -> None:
    """Change the schema of an item so that a conversation in any form of chat messages may stand in place of its
    fields."""
    schema["properties"] |= conversation
    required = schema.pop("required")
    others = [name for name in required if name not in _FROM_MESSAGES]
    schema["anyOf"] = [{"required": required}, {"required": ["messages", *others]}]


def _json(schema: Any) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}


def _camel(judge: Judge) -> str:
    return "".join(part.capitalize() for part in judge.name.replace("_", "-").split("-"))
