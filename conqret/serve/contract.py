"""The types of the service: the item that each format takes, the judgment that it returns, and both as an
OpenAPI document.

All of it is made of :class:`conqret.Item`, :class:`conqret.Judgment` and what the formats declare.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

from pydantic import BaseModel, Field, create_model
from pydantic.json_schema import JsonSchemaMode, models_json_schema

from conqret._version import __version__
from conqret.data import Document, Item, Judgment, Measure, Nugget
from conqret.data.item import Identifier, NonEmpty
from conqret.judging.judge_parts import Judge
from conqret.serve.intake import MEDIA_TYPE, Problem

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


_STATUSES = {
    400: "The body is not valid JSON.",
    401: "The key is missing or wrong.",
    408: "The body came too slowly.",
    413: "The body is too large.",
    415: "The body is said to be something else than JSON, or packed.",
    422: "The item has faults, all of which are named, or a parameter is wrong.",
    429: "Too many requests, or a full queue; Retry-After says when to try again.",
    502: "The provider, or the connection to it, failed.",
    503: "The provider is paused after failures (Retry-After), or the budget is spent.",
    504: "No answer came in time.",
}

_DocumentIn: type[Document] = create_model("GivenDocument", __base__=Document, id=(Identifier | None, None))


def needed(judge: Judge) -> frozenset[str]:
    """Return the item fields that every metric of a format needs (``documents``, ``argument`` and so on)."""
    return frozenset.intersection(*(part.needs for part in judge.parts()))


def item_type(judge: Judge) -> type[Item]:
    """Return the item type of a format for requests: the id is optional, and documents may be plain texts."""
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
    """Return the OpenAPI 3.1 document of a service with these formats; ``keyed`` is True if requests need a
    key.
    """
    every = tuple(judges)
    items, judgments = [item_type(judge) for judge in every], [judgment_type(judge) for judge in every]
    models: list[tuple[type[BaseModel], JsonSchemaMode]] = [(item, "validation") for item in items]
    models.append((MetricsRequest, "validation"))
    given: list[type[BaseModel]] = [*judgments, MetricsResponse, Problem]
    models += [(model, "serialization") for model in given]
    names, schemas = models_json_schema(models, ref_template="#/components/schemas/{model}")
    for item in items:
        _or_messages(schemas["$defs"][names[item, "validation"]["$ref"].rpartition("/")[2]])
    problem = {MEDIA_TYPE: {"schema": names[Problem, "serialization"]}}
    refusals = {
        str(status): {"description": description, "content": problem}
        for status, description in _STATUSES.items()
        if keyed or status != 401
    }
    paths: dict[str, Any] = {
        JUDGE_PATH.format(format=judge.name): {
            "post": {
                "operationId": f"judge_{judge.name.replace('-', '_')}",
                "summary": judge.summary,
                "description": f"Scale: {judge.scale}. Score: {judge.score}. Source: {judge.source}",
                "parameters": [
                    _METRIC
                    | {"schema": {"type": "array", "items": {"type": "string", "enum": list(judge.metrics)}}},
                    {"$ref": "#/components/parameters/RequestId"},
                ],
                "requestBody": {"required": True, "content": _json(names[item, "validation"])},
                "responses": {
                    "200": {
                        "description": "The judgment. Each measure has a value, or a reason and no value.",
                        "content": _json(names[judgment, "serialization"]),
                    },
                    **refusals,
                },
            }
        }
        for judge, item, judgment in zip(every, items, judgments, strict=True)
    }
    paths[METRICS_PATH] = {
        "post": {
            "operationId": "judge_metrics",
            "summary": "Metrics of any formats, and criteria, of up to 64 items",
            "parameters": [{"$ref": "#/components/parameters/RequestId"}],
            "requestBody": {"required": True, "content": _json(names[MetricsRequest, "validation"])},
            "responses": {
                "200": {
                    "description": "The judgments, in the order of the items.",
                    "content": _json(names[MetricsResponse, "serialization"]),
                },
                **refusals,
            },
        }
    }
    paths |= {path: {"get": _told(path, summary)} for path, summary in _TOLD.items()}
    components: dict[str, Any] = {"schemas": schemas["$defs"], "parameters": {"RequestId": _REQUEST_ID}}
    document: dict[str, Any] = {
        "openapi": "3.1.0",
        "info": {
            "title": "conqret serve http",
            "version": __version__,
            "summary": "LLM judges for retrieval-augmented arguments: an item in, a judgment out.",
        },
        "paths": paths,
        "components": components,
    }
    if keyed:
        components["securitySchemes"] = {"key": {"type": "http", "scheme": "bearer"}}
        document["security"] = [{"key": []}]
        for path in ("/healthz", "/readyz"):
            paths[path]["get"]["security"] = []
    return document


_FROM_MESSAGES = frozenset({"topic", "argument", "documents"})
"""What an item's messages say, so that it need not say it itself."""


def _or_messages(schema: dict[str, Any]) -> None:
    """Change the schema of an item so that a conversation in any form of chat messages may stand in place of its
    fields."""
    schema["properties"]["messages"] = {
        "type": "array",
        "items": {"type": "object"},
        "description": "The messages of a conversation (role, content); without a topic, the last answer is judged.",
    }
    schema["properties"]["images"] = {
        "type": "array",
        "items": {"type": ["string", "object"]},
        "description": "Images that the question shows: data: or https: URLs.",
    }
    required = schema.pop("required")
    others = [name for name in required if name not in _FROM_MESSAGES]
    schema["anyOf"] = [{"required": required}, {"required": ["messages", *others]}]


_TOLD = {
    "/": "The formats with their metrics, and what each needs.",
    "/healthz": "Whether the service is there.",
    "/readyz": "Whether it can judge now; 503 where it cannot.",
    "/openapi.json": "This document.",
}
_METRIC = {
    "name": "metric",
    "in": "query",
    "required": False,
    "description": "Only these metrics, and nothing else is paid for; all that the item allows, if none is named.",
    "style": "form",
    "explode": True,
}
_REQUEST_ID = {
    "name": "X-Request-ID",
    "in": "header",
    "required": False,
    "description": "A name for the request: it comes back, and stands in the log; made where none is given.",
    "schema": {"type": "string", "pattern": "^[A-Za-z0-9._-]{1,64}$"},
}


def _told(path: str, summary: str) -> dict[str, Any]:
    answers: dict[str, Any] = {"200": {"description": summary, "content": _json({"type": "object"})}}
    if path == "/readyz":
        answers["503"] = {"description": "It cannot judge now.", "content": _json({"type": "object"})}
    name = path.strip("/").partition(".")[0] or "formats"
    return {"operationId": name, "summary": summary, "responses": answers}


def _json(schema: Any) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}


def _camel(judge: Judge) -> str:
    return "".join(part.capitalize() for part in judge.name.replace("_", "-").split("-"))
