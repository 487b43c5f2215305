"""Convert conversations to items: the last answer is the argument, the question before it the topic; other
messages are turns.

Read are the messages of OpenAI (content parts, tool calls, the items of its Responses interface, too), Anthropic,
Bedrock, Gemini (``parts``), ragas (``type: human|ai|tool``), LangChain, inspect_ai, DeepEval (``turns``) and ShareGPT
(``from``, ``value``). What tools gave back are documents.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import Any

from conqret.data.item import PICTURE, Document, Role, Turn
from conqret.io.cell_values import as_list, is_missing, sound, structure_or_none
from conqret.io.checks import a_list
from conqret.io.images import (
    LIST_OF_MESSAGES,
    THOUGHTS,
    ChatMessage,
    as_json,
    part_type,
    plain_message,
    read_content,
    read_image,
    says_image,
)
from conqret.io.rows import InvalidCell, kind, listed, quoted
from conqret.io.schema import TableReader

_SPEAKERS: Mapping[Role, str] = {
    "user": "user human",
    "assistant": "assistant ai gpt bot chatbot chatgpt model",
    "system": "system developer",
    "tool": "tool function observation tool_response function_response",
}
ROLES: dict[str, Role] = {}
for _role_name, _words in _SPEAKERS.items():
    ROLES |= dict.fromkeys(_words.split(), _role_name)
"""The words for who speaks, in any case; every other one is a fault."""
_SPEAKER = ("role", "type", "from")
_CONTENTS = ("content", "parts", "value", "text", "message", "refusal")
"""Where the content of a message may stand."""
_ANSWER = "Add the answer as a last message of the assistant, or put it into argument"
_MAX_NAME, _MAX_CALL = 200, 4_000
"""Characters of a tool's name, and of a call of it, that are shown."""


def holds_messages(value: object) -> bool:
    """Return True if ``value`` is a list of chat messages, also one that is written in a text cell.

    Only the first message, or the beginning of a text, is looked at.
    """
    if isinstance(value, str):
        return value.lstrip()[:2000].startswith("[") and any(f'"{name}"' in value[:2000] for name in _SPEAKER)
    listed = None if isinstance(value, Mapping) else as_list(value)
    if not isinstance(listed, list) or not listed:
        return False
    first = plain_message(listed[0])
    return isinstance(first, Mapping) and any(name in first for name in (*_SPEAKER, "lc"))


def read_messages(value: object, where: str, reader: TableReader) -> list[ChatMessage]:
    """Parse the chat messages in a column's value. Invalid messages are recorded as faults of the reader.

    Messages without content are left out with a note, except the assistant's last one.

    Raises:
        InvalidCell: the value is no list, or an empty one.
    """
    listed = a_list(value, "a list of messages", LIST_OF_MESSAGES)
    if not listed:
        raise InvalidCell("is an empty list", LIST_OF_MESSAGES)
    read = [
        message
        for number, entry in enumerate(listed, start=1)
        for message in _message(entry, f"{where}[{number}]", reader)
    ]
    messages = [message for message in read if message is not None]
    last = max((n for n, message in enumerate(messages) if message.role == "assistant"), default=-1)
    blank = [n for n, message in enumerate(messages) if message.says_nothing and n != last]
    for n in blank:
        reader.note("messages without content are left out", messages[n].where)
    return [message for n, message in enumerate(messages) if n not in set(blank)]


def answer_in(value: object, where: str, reader: TableReader) -> object:
    """Return the text of the assistant's last message if ``value`` is one message or a list of messages;
    else ``value`` itself.

    Raises:
        InvalidCell: the messages contain no answer of the assistant.
    """
    entries = [value] if isinstance(value, Mapping) else as_list(value)
    plain = [plain_message(entry) for entry in (entries if isinstance(entries, list) else [value])]
    if not any(
        isinstance(entry, Mapping) and any(str(entry.get(name)).lower() in ROLES for name in _SPEAKER)
        for entry in plain
    ):
        return value
    values: dict[str, Any] = {"argument": None, "documents": ()}
    _answered(read_messages(plain, where, reader), values, where, reader)
    return values["argument"]


def _message(entry: object, where: str, reader: TableReader) -> Iterator[ChatMessage | None]:
    try:
        yield from _read(plain_message(entry), where, reader)
    except InvalidCell as invalid:
        reader.fault(invalid.where or where, invalid.problem, invalid.remedy)
        yield None


def _read(entry: object, where: str, reader: TableReader) -> Iterator[ChatMessage]:
    if not isinstance(entry, Mapping):
        raise InvalidCell(f"is {kind(entry)}, and a message is expected", LIST_OF_MESSAGES)
    form = part_type(entry)
    if form in THOUGHTS:
        reader.note("what a model thought to itself is left out", where)
    elif form.endswith(
        "_call"
    ):  # an item of OpenAI's Responses: of a function, or of a tool of the provider's
        arguments = next((entry[key] for key in ("arguments", "input", "action") if entry.get(key)), None)
        called = (
            str(entry.get("call_id") or entry.get("id") or ""),
            _call(entry.get("name") or form, arguments),
        )
        yield ChatMessage(where, "assistant", calls=(called,))
    elif form.endswith("_call_output"):
        yield _given_back(entry.get("output"), f"{where}.output", entry.get("call_id"), reader)
    elif any(entry.get(name) in ("function_call", "tool_call") for name in _SPEAKER):
        yield ChatMessage(where, "assistant", calls=tuple(_written_calls(entry)))
    else:
        yield from _spoken(entry, where, reader)


def _spoken(entry: Mapping[str, Any], where: str, reader: TableReader) -> Iterator[ChatMessage]:
    role = _role(entry, where)
    text = _where_content(entry)
    content = read_content(entry.get(text), f"{where}.{text}", reader)
    answers = [(part, inside) for part, inside in content.others if part_type(part) == "tool_result"]
    for part, inside in answers:  # Anthropic's tools answer in parts of a user's message
        call = part.get("tool_use_id") or part.get("id")
        yield _given_back(_result(part), inside, call, reader)
    extra = [] if role == "tool" else _listed(entry.get("images"))
    images = [read_image(image, f"{where}.images[{n}]", reader) for n, image in enumerate(extra, start=1)]
    name = entry.get("name") or (entry.get("function") if role == "tool" else "")
    message = ChatMessage(
        where,
        role,
        content.text,
        sound(name)[:_MAX_NAME] if isinstance(name, str) else "",
        tuple(_calls(entry, [part for part, _ in content.others])),
        (*content.images, *images),
        "" if content.text or content.images else str(entry.get("document") or ""),
        str(entry.get("tool_call_id") or ""),
        tuple(_passages(entry, where, reader)),
    )
    if role == "tool":
        message = _seen(message, reader)
        error = entry.get("error")
        if not message.content.strip() and isinstance(error, Mapping):
            message = replace(message, content=sound(str(error.get("message") or "")))
        if not answers or message.content.strip():
            yield message if message.document else _filled(message)
    elif not (message.says_nothing and answers):
        unread = [] if role != "user" or text in entry else [key for key in entry if key not in _SPEAKER]
        if message.says_nothing and unread:
            raise InvalidCell(f"has no content, and holds {listed(unread, 5)}", LIST_OF_MESSAGES)
        yield message


def _where_content(entry: Mapping[str, Any]) -> str:
    """Under which name the content of a message stands."""
    named = [name for name in _CONTENTS if not is_missing(entry.get(name))]
    filled = [name for name in named if not isinstance(entry[name], str) or entry[name].strip()]
    return next(iter([*filled, *named]), "content")


def _result(part: Mapping[str, Any]) -> object:
    """Return what a tool returned in a part: a text, a list of parts, or another object as JSON."""
    value = part.get("content", part.get("response"))
    if not isinstance(value, Mapping) or isinstance(value.get("text"), str) or part_type(value):
        return value
    inner = next(iter(value.values())) if len(value) == 1 else None
    return inner if isinstance(inner, str) else as_json(value)


def _given_back(value: object, where: str, call: object, reader: TableReader) -> ChatMessage:
    content = read_content(value, where, reader)
    message = ChatMessage(where, "tool", content.text, images=tuple(content.images), call=str(call or ""))
    return _filled(_seen(message, reader))


def _seen(message: ChatMessage, reader: TableReader) -> ChatMessage:
    """Return a tool's message with its content as an image, if the content is only an image; else the message
    unchanged.
    """
    if not says_image(message.content):
        return message
    image = read_image(message.content, message.where, reader)
    return replace(message, content="", images=(*message.images, image))


def _listed(value: object) -> list[Any]:
    """A list's places; none of what is no list."""
    listed = None if isinstance(value, str | Mapping) else as_list(value)
    return listed if isinstance(listed, list) else []


def _filled(message: ChatMessage) -> ChatMessage:
    """Return a tool's message unchanged, after checking that it is not empty.

    Raises:
        InvalidCell: it has neither text nor image.
    """
    if not message.content.strip() and not message.images:
        raise InvalidCell("is a tool's message without content", "Write what it gave back, or delete it")
    return message


_OTHER_ROLES = ", ".join(sorted(set(ROLES) - set(ROLES.values())))


def _role(entry: Mapping[str, Any], where: str) -> Role:
    for name in _SPEAKER:
        word = entry.get(name)
        if isinstance(word, str) and (name != "type" or word != "message"):
            role = ROLES.get(word.strip().lower())
            if role is None:
                remedy = f"Write user, assistant, system or tool (also read: {_OTHER_ROLES})"
                raise InvalidCell(f"is {quoted(word)}, which is not a known role", remedy, f"{where}.{name}")
            return role
    raise InvalidCell("does not name its role", LIST_OF_MESSAGES)


def _passages(entry: Mapping[str, Any], where: str, reader: TableReader) -> Iterator[tuple[str, str]]:
    """Yield the text and the image (or "") of what an answer used, as DeepEval writes it next to a turn: first the
    outputs of the tools that it called, then the ``retrieval_context``. Empty texts are left out.

    Raises:
        InvalidCell: a passage is no text, or an image cannot be used.
    """
    outputs = [
        call.get("output")
        for call in map(plain_message, _listed(entry.get("tools_called")))
        if isinstance(call, Mapping)
    ]
    texts = [str(output) for output in outputs if not is_missing(output)]
    value, place = entry.get("retrieval_context"), f"{where}.retrieval_context"
    listed = [] if is_missing(value) else as_list(value)
    for passage in listed if isinstance(listed, list) else [listed]:
        text = passage.get("context") if isinstance(passage, Mapping) else passage
        if not isinstance(text, str):
            raise InvalidCell(f"is {kind(text)}, and a text is expected", "Write a list of texts", place)
        texts.append(text)
    for text in filter(str.strip, texts):
        yield (PICTURE, read_image(text, place, reader)) if says_image(text) else (sound(text), "")


def _calls(entry: Mapping[str, Any], parts: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    """Yield for each tool that a message calls the id of the call (empty if it has none) and the call in words. Forms
    of several libraries are read; what is in none of them is left out."""
    called = entry.get("function_call")
    yield from (("", sound(str(call)[:_MAX_CALL])) for call in _listed(entry.get("calls")))
    if isinstance(called, Mapping):
        yield "", _call(called.get("name"), called.get("arguments"))
    listed = [
        *_listed(entry.get("tool_calls")),
        *(_listed(inside.get("tool_calls")) if isinstance(inside := entry.get("content"), Mapping) else ()),
        *_listed(entry.get("tools_called")),
        *(part for part in parts if part_type(part) in ("tool_use", "tool_call")),
    ]
    for call in map(plain_message, listed):
        if isinstance(call, Mapping):
            inner = call.get("function")
            source = inner if isinstance(inner, Mapping) else call
            name = inner if isinstance(inner, str) else source.get("name")
            arguments = next(
                (
                    source[key]
                    for key in ("arguments", "args", "input", "input_parameters")
                    if source.get(key)
                ),
                None,
            )
            yield str(call.get("id") or ""), _call(name, arguments)


def _written_calls(entry: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the calls in a turn of ShareGPT that holds nothing but calls, each as an empty id and the call in
    words.

    The turn has one object or a list, also as JSON in a text; what is no object comes as the beginning of the
    turn's text.
    """
    text = entry.get(_where_content(entry))
    read = structure_or_none(text) if isinstance(text, str) else text
    for call in read if isinstance(read, list) else [read]:
        if isinstance(call, Mapping):
            yield "", _call(call.get("name"), call.get("arguments"))
        else:
            yield "", sound(str(text)[:_MAX_CALL])


def _call(name: object, arguments: object) -> str:
    """A call in words: the tool's name, and its arguments as JSON."""
    written = arguments if isinstance(arguments, str) else as_json(arguments)
    words = f"{name or 'a tool'} {'' if arguments is None else written}".strip()
    return sound(words[:_MAX_CALL])


def with_conversation(
    values: dict[str, Any], where: str, reader: TableReader, *, unanswered: bool = False
) -> dict[str, Any]:
    """Split the messages of an item into question, answer, earlier turns and documents; return its fields
    (``values``), which are changed in place.

    The assistant's last message is the answer, and the user's last message before it is the question, if the
    item has no own ones. Earlier messages become turns, and tool results become documents after the item's
    own. If ``unanswered`` is true, the record has an argument column, so its messages may end with an
    earlier turn.

    Raises:
        InvalidCell: there is no answer, no question, or an image that no prompt could show.
    """
    messages: list[ChatMessage] = values["messages"]
    later: list[ChatMessage] = []
    if values["topic"]:
        if (
            values["argument"] is None
            and not unanswered
            and messages
            and messages[-1].role == "assistant"
            and messages[-1].content
        ):
            remedy = (
                "Leave the question out (it is then the user's last message), or put the answer into argument"
            )
            raise InvalidCell("ends with an answer, and the item has a question of its own", remedy)
        passages = messages
    else:
        before = messages[: _answered(messages, values, where, reader)]
        place = max((n for n, message in enumerate(before) if message.role == "user"), default=None)
        if place is None:
            raise InvalidCell("has no user message before the answer", "Add the question that is answered")
        question, messages, later = before[place], before[:place], before[place + 1 :]
        values["topic"] = question.content.strip() or "(The question is an image.)"
        values["images"] = (*values["images"], *question.images)
        passages = [*messages, *later]
    called = {name: words for message in (*messages, *later) for name, words in message.calls if name}
    values["documents"], places = _documents(values["documents"], passages, called)
    messages = [message for message in messages if not message.says_nothing]
    values["messages"] = tuple(
        Turn(
            role=message.role,
            content="" if message.role == "tool" else message.content,
            name=(message.name or called.get(message.call, "").partition(" ")[0])[:_MAX_NAME],
            calls=tuple(words for _, words in message.calls),
            document=message.document or places.get(message.where, ""),
            images=() if message.role == "tool" else message.images,
        )
        for message in messages
    )
    return values


def _answered(
    messages: Sequence[ChatMessage], values: dict[str, Any], where: str, reader: TableReader
) -> int:
    """Return the place of the answer: the question and its context are the messages before it.

    If the item has no argument yet, the answer becomes ``values["argument"]``, and its passages are added to
    ``values["documents"]``. If it has one, a last message of the assistant is left out, with a note if it differs. An
    empty last answer counts as absent, with a note.

    Raises:
        InvalidCell: no message is the assistant's, or the answer contains an image.
    """
    spoken = [n for n, message in enumerate(messages) if message.role == "assistant"]
    answers = [n for n in spoken if messages[n].content.strip()]
    if values["argument"] is not None:
        last = len(messages) - 1
        if spoken and spoken[-1] == last and (messages[last].says_nothing or answers[-1:] == [last]):
            if messages[last].content.strip() != values["argument"].strip():
                reader.note("the last message of the assistant gives way to the item's own argument", where)
            return last
        return len(messages)
    if not spoken:
        raise InvalidCell("has no answer of the assistant", _ANSWER)
    place = _last_answer(messages, spoken[-1], answers)
    if place is None:
        reader.note("a last answer of the assistant is empty, and counts as absent", where)
        behind = range(spoken[-1] + 1, len(messages))
        return next((n for n in behind if messages[n].role == "user"), len(messages))
    answer = messages[place]
    if answer.images:
        remedy = "Leave the image out, or put it among the documents"
        raise InvalidCell("is an answer that contains an image", remedy, answer.where)
    if place < len(messages) - 1:
        reader.note("messages behind the last answer are left out", where)
    values["argument"] = answer.content
    ids = _free("context", values["documents"])
    contexts = [Document(id=next(ids), text=text, image=image) for text, image in answer.passages]
    values["documents"] = (*values["documents"], *contexts)
    return place


def _last_answer(messages: Sequence[ChatMessage], last: int, answers: Sequence[int]) -> int | None:
    """Return the index of the last answer of the assistant; None if it is empty.

    ``last`` is the index of the assistant's last message, and ``answers`` are those of its messages with
    text. If the last message is empty, or only calls a tool in a turn without any text of the assistant, an
    earlier turn's answer does not count.
    """
    if messages[last].images or (answers and answers[-1] == last):
        return last
    asked = max((n for n in range(last) if messages[n].role == "user"), default=-1)
    if messages[last].says_nothing or not answers or answers[-1] < asked:
        return None
    return answers[-1]


def _documents(
    documents: Sequence[Document], passages: Sequence[ChatMessage], called: Mapping[str, str]
) -> tuple[tuple[Document, ...], dict[str, str]]:
    """Return the documents of an item with the results of its tools added under new ids, and by the place of a message
    the id of the first document that it became. ``called`` has the names of calls by their ids, for the titles."""
    ids = _free("tool", documents)
    added, places = list[Document](), dict[str, str]()
    for message in passages:
        contents = list(message.passages)
        if message.role == "tool" and not message.document:
            contents += [(message.content, "")] if message.content.strip() else []
            contents += [(PICTURE, image) for image in message.images]
        title = (called.get(message.call) or message.name)[:300] if message.role == "tool" else ""
        for text, image in contents:
            added.append(Document(id=next(ids), text=text, title=title, image=image))
            places.setdefault(message.where, added[-1].id)
    return (*documents, *added), places


def _free(stem: str, documents: Sequence[Document]) -> Iterator[str]:
    """Ids that begin so and that none of the documents has."""
    taken = {document.id for document in documents}
    return (name for name in (f"{stem}-{number}" for number in count(1)) if name not in taken)
