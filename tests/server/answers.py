"""A valid answer to any request: the JSON schema in it, filled by seed."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from typing import Any

WORDS = (
    "the passage argues with evidence that the claim holds for most cities but not for all of them".split()
)


def schema_of(body: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The schema that a chat request asks for: by response_format, by its first tool, or in a message."""
    schema = schema_in_request(body)
    if schema is not None:
        return schema
    for message in body["messages"]:
        _, found, rest = str(message["content"]).partition("json_schema:")
        if found:
            return json.JSONDecoder().raw_decode(rest.strip())[0]
    return None


def schema_in_request(body: Mapping[str, Any]) -> Mapping[str, Any] | None:
    wanted = body.get("response_format") or {}
    if wanted.get("type") == "json_schema":
        return wanted["json_schema"]["schema"]
    if body.get("tools"):
        return body["tools"][0]["function"]["parameters"]
    return None


def fill(schema: Mapping[str, Any], rng: random.Random, *, length: int = 3) -> Any:
    """A value that fits ``schema``; lists have ``length`` entries unless it bounds them otherwise."""
    return _fill(schema, schema.get("$defs", {}), rng, length, 0)


def _fill(
    schema: Mapping[str, Any], defs: Mapping[str, Any], rng: random.Random, length: int, place: int
) -> Any:
    if "$ref" in schema:
        return _fill(defs[schema["$ref"].rsplit("/", 1)[-1]], defs, rng, length, place)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return rng.choice(schema["enum"])
    for key in ("anyOf", "oneOf", "allOf"):
        if key in schema:
            options = [option for option in schema[key] if option.get("type") != "null"]
            return _fill((options or schema[key])[0], defs, rng, length, place)
    kind = schema.get("type")
    if kind == "object":
        return _fill_object(schema, defs, rng, length, place)
    if kind == "array":
        count = min(max(length, schema.get("minItems", 0)), schema.get("maxItems", 10**6))
        prefix = schema.get("prefixItems", [])
        return [
            _fill(prefix[i] if i < len(prefix) else schema.get("items", {}), defs, rng, length, i)
            for i in range(count)
        ]
    return _fill_plain(kind, schema, rng)


def _fill_object(
    schema: Mapping[str, Any], defs: Mapping[str, Any], rng: random.Random, length: int, place: int
) -> Any:
    filled = {}
    for name, part in schema.get("properties", {}).items():
        counts = name in ("number", "index", "document", "nugget") and part.get("type") == "integer"
        filled[name] = place + 1 if counts else _fill(part, defs, rng, length, place)
    return filled


def _fill_plain(kind: str | None, schema: Mapping[str, Any], rng: random.Random) -> Any:
    low = schema.get("minimum", schema.get("exclusiveMinimum", -1 if kind == "number" else 0))
    high = schema.get("maximum", schema.get("exclusiveMaximum", low + 5))
    if kind == "integer":
        return rng.randint(low + ("exclusiveMinimum" in schema), high - ("exclusiveMaximum" in schema))
    if kind == "number":
        return round(low + (high - low) * rng.uniform(0.1, 0.9), 3)
    if kind == "boolean":
        return rng.random() < 0.5
    if kind == "null":
        return None
    text = " ".join(rng.choice(WORDS) for _ in range(rng.randint(8, 16)))
    text = text.ljust(schema.get("minLength", 0), ".")
    return text[: schema.get("maxLength", len(text))]
