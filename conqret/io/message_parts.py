"""The parts of a message: texts, images, calls of tools and what these gave back, as providers write them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, is_dataclass
from typing import Any

from conqret.data.item import Turn
from conqret.io.cell_values import as_list, is_missing, sound
from conqret.io.images import IMAGE_PARTS, image_url
from conqret.io.rows import Unfit, kind, listed, quoted
from conqret.io.schema import TableReader

LIST_OF_MESSAGES = 'Write a list of objects {"role": "user", "content": "…"}'
_TEXTS = frozenset({"text", "input_text", "output_text", "refusal"})
THOUGHTS = frozenset({"reasoning", "thinking", "redacted_thinking"})
_KEYED_PARTS = {
    "toolUse": "tool_use",
    "functionCall": "tool_use",
    "function_call": "tool_use",
    "toolResult": "tool_result",
    "functionResponse": "tool_result",
    "function_response": "tool_result",
    "reasoningContent": "reasoning",
    "inlineData": "image",
    "inline_data": "image",
    "image": "image",
}
"""Parts of messages of Bedrock and Gemini, whose type is the name of what they hold."""
_NO_CONTENT = frozenset({"cachePoint", "step-start"})
"""Keys or types of parts in which nobody says anything."""


def plain_message(entry: object) -> object:
    """A message as an object: those of other libraries are dumped, and LangChain's serialised forms unwrapped."""
    if isinstance(entry, Turn):
        return entry.model_dump()
    if not isinstance(entry, Mapping) and hasattr(entry, "model_dump"):
        entry = entry.model_dump(exclude_none=True)
    elif is_dataclass(entry) and not isinstance(entry, type):
        entry = asdict(entry)
    if not isinstance(entry, Mapping):
        return entry
    record: Mapping[str, Any] = entry
    if isinstance(inner := record.get("kwargs"), Mapping) and record.get("lc") is not None:
        named = record.get("id")
        name = str(named[-1] if isinstance(named, list) and named else "").lower()
        return {"type": name.removesuffix("chunk").removesuffix("message"), **inner}
    if isinstance(inner := record.get("data"), Mapping) and "content" in inner and "content" not in record:
        return {**inner, "type": record.get("type")}
    return record


def part_type(part: Mapping[str, Any]) -> str:
    """The type that a message or a part of it names; empty where it names none."""
    form = part.get("type")
    return form if isinstance(form, str) else ""


@dataclass(frozen=True, slots=True)
class Content:
    """What a message holds: texts, images, and parts that are neither, each with its place."""

    texts: list[str] = field(default_factory=list)
    images: list[str] = field(default_factory=list)
    others: list[tuple[Mapping[str, Any], str]] = field(default_factory=list)

    @property
    def text(self) -> str:
        """All texts as one."""
        return "\n\n".join(self.texts)


def read_content(value: object, where: str, reader: TableReader) -> Content:
    """The content of a message: a text, or a list of parts."""
    content = Content()
    if is_missing(value):
        return content
    if isinstance(value, Mapping) and isinstance(value.get("parts"), list):
        value = value["parts"]
    parts = [value] if isinstance(value, str | Mapping) else as_list(value)
    if not isinstance(parts, list):
        raise Unfit(f"is {kind(value)}, and a text or a list of parts is expected", LIST_OF_MESSAGES, where)
    if isinstance(value, str):
        content.texts.append(sound(value))
        return content
    for number, part in enumerate(parts, start=1):
        _take(
            content,
            {"text": part} if isinstance(part, str) else _typed(plain_message(part)),
            f"{where}[{number}]",
            reader,
        )
    return content


def _typed(part: object) -> object:
    """A part that names what it is by a key of its own, as one that has a type."""
    if not isinstance(part, Mapping) or part_type(part):
        return part
    if part.get("thought") is True:
        return {"type": "thinking"}
    if "json" in part:
        return {"type": "text", "text": as_json(part["json"])}
    key = next((key for key in _KEYED_PARTS if isinstance(part.get(key), Mapping)), None)
    if key is None:
        return part
    inner = part[key]
    named = inner.get("toolUseId") or inner.get("id") or inner.get("name")
    return {**inner, "id": named, "type": _KEYED_PARTS[key]}


def as_json(value: object) -> str:
    """A value as JSON, for people: an ellipsis where it cannot be written so."""
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (ValueError, TypeError, RecursionError):  # nested without end, or with keys that JSON has not
        return "…"


def _take(content: Content, part: object, where: str, reader: TableReader) -> None:
    """Put a part of a message where it belongs."""
    if not isinstance(part, Mapping):
        raise Unfit(f"is {kind(part)}, and a part of a message is expected", LIST_OF_MESSAGES, where)
    form = part_type(part)
    text = part.get("refusal") if form == "refusal" else part.get("text")
    if form in _TEXTS or (not form and isinstance(text, str)):
        if not isinstance(text, str):
            raise Unfit(f"is a part of text whose text is {kind(text)}", LIST_OF_MESSAGES, where)
        content.texts.append(sound(text))
    elif form in IMAGE_PARTS:
        content.images.append(read_image(part, where, reader))
    elif form in THOUGHTS:
        reader.note("what a model thought to itself is left out", where)
    elif form in ("tool_use", "tool_result", "tool_call"):
        content.others.append((part, where))
    elif form not in _NO_CONTENT and not _NO_CONTENT & part.keys():
        holds = f"of type {quoted(form)}" if form else f"that holds {listed(part, 5)}"
        raise Unfit(
            f"is a part {holds}, which cannot be judged",
            "Leave it out: only texts, images and tool calls can be judged",
            where,
        )


def read_image(value: object, where: str, reader: TableReader) -> str:
    """The URL of the image in a value, with its place where it is none."""
    try:
        return image_url(value, reader.folder, reader.within)
    except Unfit as unfit:
        raise Unfit(unfit.problem, unfit.remedy, where) from None


def read_images(value: object, where: str, reader: TableReader) -> tuple[str, ...]:
    """The images that the question shows."""
    listed = [value] if isinstance(value, str | Mapping) else as_list(value)
    if not isinstance(listed, list):
        raise Unfit(f"is {kind(value)}, and a list of images is expected", "Write a list of URLs or paths")
    return tuple(
        read_image(image, f"{where}[{number}]", reader) for number, image in enumerate(listed, start=1)
    )
