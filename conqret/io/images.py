"""Images, and the parts of messages that contain them next to texts and tool calls, as providers write
them.

Each image becomes a ``data:`` URL whose bytes were looked at, or an ``https:`` URL.

Nothing is ever fetched here. A file is read only from the folder of the file of items, and if it is an image, so
that a stranger's items can have no other file sent to a model.
"""

from __future__ import annotations

import base64
import binascii
import ipaddress
import json
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, is_dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from conqret.data.item import PICTURE, Role, Turn
from conqret.io.cell_values import as_list, is_missing, sound
from conqret.io.limits import IMAGE, LINE, MAX_IMAGES
from conqret.io.rows import InvalidCell, kind, listed, quoted
from conqret.io.schema import TableReader

_SUFFIXES = (".png", ".jpg", ".jpeg", ".gif", ".webp")
_MAX_NAME = 4_000
"""Characters of a file's name or address with its query."""
_BARE = re.compile(r"(?:iVBORw0KGgo|/9j/|R0lGOD|UklGR)[A-Za-z0-9+/\s]{100,}+={0,2}\s*+\Z")
"""The beginnings of PNG, JPEG, GIF and WebP in base64, with nothing but base64 behind them."""
_DATA = re.compile(r"data:([\w.+-]{1,40}/[\w.+-]{1,60})?(?:;[\w=-]{1,60}){0,5}?;base64,", re.I)
DOCUMENT_TEXTS = tuple("text segment content page_content pageContent contents passage snippet body".split())
"""The keys under which the text of a document may stand."""
_KINDS = "PNG, JPEG, GIF and WebP"
_REMEDY = (
    "Write a data: URL in base64, an https: URL, or the path of a file in the folder of the file of items"
)
IMAGE_PARTS = frozenset({"image", "image_url", "input_image"})
"""The types of parts of messages that are images."""


def is_image(value: object) -> bool:
    """Return True if a document's value is an image.

    A text is one if :func:`says_image` accepts it, or if it is only the name of an image file. An object
    is one by its type, by such a text, or if it has an image and no text.
    """
    if isinstance(value, Mapping):
        text = _text(value)
        named = value.get("image") or value.get("image_url")
        of_type = isinstance(value.get("type"), str) and value["type"] in IMAGE_PARTS
        return of_type or says_image(text) or (bool(named) and text in ("", PICTURE))
    return isinstance(value, str) and (says_image(value) or _is_named(value.strip()))


def _is_named(text: str) -> bool:
    """Return True if a text is only a name or an address with the ending of an image file (before a query)."""
    path = text[:_MAX_NAME].partition("?")[0].lower()
    return (
        len(text) <= _MAX_NAME
        and path.endswith(_SUFFIXES)
        and path not in _SUFFIXES
        and len(text.split(maxsplit=1)) == 1
    )


def says_image(text: str) -> bool:
    """Return True if a text is only an image: a ``data:`` URL, bare base64, or the address of an image
    file."""
    text = text.strip()
    if text[:11].lower() == "data:image/" or _BARE.match(text):
        return True
    return "://" in text[:20] and _is_named(text)


def _text(document: Mapping[str, Any]) -> str:
    """The text that a document has next to an image; empty where there is none."""
    for name in DOCUMENT_TEXTS:
        text = document.get(name)
        if isinstance(text, str):
            return text.strip()
    return ""


def image_url(value: object, folder: Path | None, within: Path | None) -> str:
    """Return an image as a ``data:`` or ``https:`` URL.

    Args:
        value: a text, or an object as OpenAI (``image_url``, ``input_image``), Anthropic (``source``), LangChain
            (``base64``, ``mime_type``) and inspect_ai (``image``) write it.
        folder: the folder for relative paths; None if paths are not allowed.
        within: the folder in which files must lie.

    Raises:
        InvalidCell: the value is not an image that can be sent to a model.
    """
    text = _source(value).strip()
    if _DATA.match(text):
        return _checked(_decoded(text.split(",", 1)[1]))
    if text[:5].lower() == "data:":
        raise InvalidCell("is a data: URL that is not in base64", _REMEDY)
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]{0,30}://", text):
        return _address(text)
    if _BARE.match(text):
        return _checked(_decoded(text))
    return _checked(_file(text, folder, within))


_INLINE = re.compile(r"data:image/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+\Z")


def inline(url: str) -> str:
    """Return ``url`` if it is a ``data:`` URL, which a page can show without a request; else an empty
    text."""
    return url if _INLINE.match(url) else ""


def described(url: str) -> str:
    """Describe an image for display: kind and size of a ``data:`` URL, or the address itself."""
    if not url.startswith("data:"):
        return url
    head, _, body = url.partition(",")
    size = len(body) * 3 // 4
    return f"{head[5:].partition(';')[0]}, {f'{size:,} bytes' if size < 1024 else f'{size / 1024:,.0f} kB'}"


def _source(value: object) -> str:
    """Return the text that names an image (an address, a path or a ``data:`` URL), searched in nested objects.

    Raises:
        InvalidCell: there is none, or it is a file at a provider (``file_id``).
    """
    while isinstance(value, Mapping):
        source: Mapping[str, Any] = value
        if source.get("file_id"):
            raise InvalidCell("names a file stored at a provider (file_id)", _REMEDY)
        data = source.get("data") or source.get("base64") or source.get("bytes")
        if isinstance(data, str) and not data.lower().startswith("data:"):
            return f"data:{source.get('media_type') or source.get('mime_type') or 'image/png'};base64,{data}"
        named = ("image_url", "image", "source", "url", "data", *DOCUMENT_TEXTS)
        value = next((source[name] for name in named if source.get(name)), None)
    if not isinstance(value, str) or not value.strip():
        raise InvalidCell(f"is {kind(value)}, and an image is expected", _REMEDY)
    return value


def _decoded(body: str) -> bytes:
    if len(body) > IMAGE.most * 4 // 3 + 1000:
        raise InvalidCell(f"is an image of more than {IMAGE}", f"Make it smaller, {IMAGE.remedy}")
    try:
        return base64.b64decode("".join(body.split()), validate=True)
    except (binascii.Error, ValueError):
        raise InvalidCell("is an image whose base64 is not valid", "Encode it again") from None


_INNER = ("", "local", "localhost", "internal")
"""The last parts of hosts of inner networks."""


def _address(text: str) -> str:
    """Return an ``https:`` address that a provider may fetch. Addresses of private networks are refused, because a
    model's server may stand in one; host names are not resolved.

    Raises:
        InvalidCell: it has another scheme, a private host, a user name or a space.
    """
    try:
        parts = urlsplit(text)
        spelled = unquote(parts.hostname or "")
        _ = parts.port  # reading it checks it
    except ValueError:
        raise InvalidCell(f"is not the address of an image: {quoted(text)}", _REMEDY) from None
    if parts.scheme.lower() != "https":
        raise InvalidCell(f"is an image with a {parts.scheme}: address, not https:", _REMEDY)
    host = unicodedata.normalize("NFKC", spelled).replace("\N{IDEOGRAPHIC FULL STOP}", ".").rstrip(".")
    try:
        private = not ipaddress.ip_address(host).is_global
    except (
        ValueError
    ):  # a name, which is one of an inner network, or a number in another spelling (127.1, 0x7f.1)
        _, dot, last = host.lower().rpartition(".")
        private = not dot or last in _INNER or last.isdigit() or last.startswith("0x")
    if private or parts.username or parts.password or not text.isprintable() or " " in text:
        raise InvalidCell(f"is an image at a private address: {quoted(text)}", _REMEDY)
    return text


def _file(text: str, folder: Path | None, within: Path | None) -> bytes:
    if folder is None or within is None:
        problem = f"is an image in a file ({quoted(text)}), but the items are in no file"
        raise InvalidCell(problem, "Write a data: URL in base64, or an https: URL")
    try:
        path = (folder / text).resolve()
        if not path.is_relative_to(within.resolve()):
            raise InvalidCell(f"is an image outside of the items' folder: {quoted(text)}", "Put it there")
        if not path.is_file():
            raise InvalidCell(f"is an image in a file that does not exist: {quoted(text)}", _REMEDY)
        with path.open("rb") as file:
            data = file.read(IMAGE.most + 1)
    except (OSError, ValueError) as error:
        raise InvalidCell(f"is an image that cannot be read: {quoted(text)} ({error})", _REMEDY) from None
    return data


def _checked(data: bytes) -> str:
    """Return the ``data:`` URL of an image whose first bytes are those of PNG, JPEG, GIF or WebP; nothing after them is
    checked.

    Raises:
        InvalidCell: it is of another kind, or larger than the limit.
    """
    if len(data) > IMAGE.most:
        raise InvalidCell(f"is an image of more than {IMAGE}", f"Make it smaller, {IMAGE.remedy}")
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        media = "image/png"
    elif data.startswith(b"\xff\xd8\xff"):
        media = "image/jpeg"
    elif data.startswith((b"GIF87a", b"GIF89a")):
        media = "image/gif"
    elif data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        media = "image/webp"
    else:
        raise InvalidCell(f"is not an image of a supported type: {_KINDS}", f"Convert it to one of {_KINDS}")
    return f"data:{media};base64,{base64.b64encode(data).decode()}"


def check_images(values: Mapping[str, Any]) -> None:
    """Check the number (at most :data:`~conqret.io.limits.MAX_IMAGES`) and total size of the images of an item, given
    by its fields.

    Raises:
        InvalidCell: a limit is exceeded.
    """
    of_turns = [image for turn in values["messages"] for image in turn.images]
    of_documents = [document.image for document in values["documents"] if document.image]
    urls = [*of_turns, *values["images"], *of_documents]
    if len(urls) > MAX_IMAGES:
        raise InvalidCell(f"has {len(urls)} images, and {MAX_IMAGES} are the most", "Leave some out")
    size, most = sum(map(len, urls)), LINE.most * 7 // 8
    if size > most:
        problem = f"has images of {size:,} bytes in base64, and {most:,} bytes fit into a line with the texts"
        raise InvalidCell(problem, f"Leave some out, make them smaller, {LINE.remedy}")


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
"""Keys or types of parts that have no content."""


def plain_message(entry: object) -> object:
    """Convert a chat message of another library (pydantic, dataclass, LangChain) to a dictionary; return what cannot be
    converted unchanged. Messages of LangChain get a ``type`` such as ``human``."""
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
    """Return the ``type`` of a message or of one of its parts; an empty text if it has none."""
    form = part.get("type")
    return form if isinstance(form, str) else ""


@dataclass(frozen=True, slots=True)
class Content:
    """The content of one message: texts, images, and parts that are neither, each of these with its
    position."""

    texts: list[str] = field(default_factory=list)
    images: list[str] = field(default_factory=list)
    others: list[tuple[Mapping[str, Any], str]] = field(default_factory=list)

    @property
    def text(self) -> str:
        """All texts joined by blank lines."""
        return "\n\n".join(self.texts)


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One chat message, converted from any provider's format.

    ``where`` is its position for error messages, ``call`` the id of the tool call that it responds to.
    ``passages`` are attached documents (texts) or image URLs.
    """

    where: str
    role: Role
    content: str = ""
    name: str = ""
    calls: tuple[tuple[str, str], ...] = ()
    images: tuple[str, ...] = ()
    document: str = ""
    call: str = ""
    passages: tuple[tuple[str, str], ...] = ()

    @property
    def says_nothing(self) -> bool:
        """True if the message has no content. A tool's message never counts as empty, since it may stand
        for a document."""
        shown = self.content.strip() or self.calls or self.images or self.passages
        return self.role != "tool" and not shown


def read_content(value: object, where: str, reader: TableReader) -> Content:
    """Parse the content of a message, which is a text or a list of parts. Raises InvalidCell if it is
    neither."""
    content = Content()
    if is_missing(value):
        return content
    if isinstance(value, Mapping) and isinstance(value.get("parts"), list):
        value = value["parts"]
    parts = [value] if isinstance(value, str | Mapping) else as_list(value)
    if not isinstance(parts, list):
        raise InvalidCell(f"is {kind(value)}, and no text or list of parts", LIST_OF_MESSAGES, where)
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
    """Return a part whose kind is only the name of one of its keys (``toolUse``, ``json``, ``thought``) in the form of
    one with a ``type``; all other parts unchanged."""
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
    """Return a value as JSON with unescaped Unicode, or "…" if it cannot be serialized."""
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (ValueError, TypeError, RecursionError):  # nested without end, or with keys that JSON has not
        return "…"


def _take(content: Content, part: object, where: str, reader: TableReader) -> None:
    """Add a part of a message to ``content``: to its texts, its images or, for calls of tools and their results, to its
    ``others``. Thoughts are left out with a note, and parts without content silently.

    Raises:
        InvalidCell: the part is of a kind that cannot be judged, or no object.
    """
    if not isinstance(part, Mapping):
        raise InvalidCell(f"is {kind(part)}, and a part of a message is expected", LIST_OF_MESSAGES, where)
    form = part_type(part)
    text = part.get("refusal") if form == "refusal" else part.get("text")
    if form in _TEXTS or (not form and isinstance(text, str)):
        if not isinstance(text, str):
            raise InvalidCell(f"is a part of text whose text is {kind(text)}", LIST_OF_MESSAGES, where)
        content.texts.append(sound(text))
    elif form in IMAGE_PARTS:
        content.images.append(read_image(part, where, reader))
    elif form in THOUGHTS:
        reader.note("what a model thought to itself is left out", where)
    elif form in ("tool_use", "tool_result", "tool_call"):
        content.others.append((part, where))
    elif form not in _NO_CONTENT and not _NO_CONTENT & part.keys():
        holds = f"of type {quoted(form)}" if form else f"that holds {listed(part, 5)}"
        raise InvalidCell(
            f"is a part {holds}", "Leave it out: texts, images and tool calls are judged", where
        )


def read_image(value: object, where: str, reader: TableReader) -> str:
    """Return the URL of the image in a value. Raises InvalidCell, with ``where``, if it is not a valid
    image."""
    try:
        return image_url(value, reader.folder, reader.within)
    except InvalidCell as invalid:
        raise InvalidCell(invalid.problem, invalid.remedy, where) from None


def read_images(value: object, where: str, reader: TableReader) -> tuple[str, ...]:
    """Return the URLs of the images in a column's value. Raises InvalidCell if it is neither an image nor
    a list of them."""
    listed = [value] if isinstance(value, str | Mapping) else as_list(value)
    if not isinstance(listed, list):
        raise InvalidCell(f"is {kind(value)}, and no list of images", "Write a list of URLs or paths")
    return tuple(
        read_image(image, f"{where}[{number}]", reader) for number, image in enumerate(listed, start=1)
    )
