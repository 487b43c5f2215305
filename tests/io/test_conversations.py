"""Messages of whatever form become one item, with its documents and images; what cannot be read is named."""

import base64
import json
from pathlib import Path

import pytest

from conqret.io import open_items

PNG = b"\x89PNG\r\n\x1a\n" + bytes(40)
JPEG = b"\xff\xd8\xff\xe0" + bytes(40)
DATA = f"data:image/png;base64,{base64.b64encode(PNG).decode()}"
USER, ANSWER = (
    {"role": "user", "content": "And the sun?"},
    {"role": "assistant", "content": "Half as much [1]."},
)
TEXT = "The moon pulls."

FORMS = json.loads((Path(__file__).parent / "conversations.json").read_text())
"""One conversation as seven providers and libraries write it."""
OPENAI = FORMS["openai"]


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same_item(form):
    (item,) = open_items([{"id": "i", "messages": FORMS[form]}])
    assert (item.topic, item.argument) == ("And the sun?", "Half as much [1].")
    assert [(document.id, document.text, document.title) for document in item.documents] == [
        ("tool-1", TEXT, 'look {"at":"tides"}')
    ]
    turns = [(turn.role, turn.content, turn.calls, turn.document) for turn in item.messages]
    assert turns == [
        ("system", "Be brief.", (), ""),
        ("user", "Tides?", (), ""),
        ("assistant", "", ('look {"at":"tides"}',), ""),
        ("tool", "", (), "tool-1"),
        ("assistant", "The moon [1].", (), ""),
    ]


@pytest.mark.parametrize(
    "output",
    [
        ANSWER,
        {"type": "ai", "content": "Half as much [1]."},
        [
            {"type": "reasoning"},
            {**ANSWER, "content": [{"type": "output_text", "text": "Half as much [1]."}]},
        ],
    ],
)
def test_an_answer_may_be_a_message_of_its_own(output):
    (item,) = open_items([{"input": [USER], "output": output, "expected_response": output}])
    wanted = ("And the sun?", "Half as much [1].", "Half as much [1].")
    assert (item.topic, item.argument, item.reference) == wanted


def test_tools_come_behind_the_items_own_documents_under_free_ids():
    tool = {"role": "tool", "content": "Second."}
    row = {"documents": [{"id": "tool-1", "text": "First."}], "messages": [USER, tool, ANSWER]}
    (item,) = open_items([row])
    assert [(document.id, document.text) for document in item.documents] == [
        ("tool-1", "First."),
        ("tool-2", "Second."),
    ]


def test_sharegpt_in_csv(write):
    chat = [{"from": "human", "value": "T?"}, {"from": "gpt", "value": "Yes."}]
    cell = json.dumps(chat).replace('"', '""')
    source = open_items(write("a.csv", f'id,messages\ni,"{cell}"\n'))
    (item,) = source
    assert (source.layout.name, item.topic, item.argument) == ("messages", "T?", "Yes.")


def test_the_tool_turns_of_sharegpt():
    call = {"name": "look", "arguments": {"at": "tides"}}
    chat = [
        {"from": "human", "value": "Tides?"},
        {"from": "gpt", "value": "Wait."},
        {"from": "human", "value": "So?"},
        {"from": "function_call", "value": json.dumps(call)},
        {"from": "observation", "value": TEXT},
        {"from": "gpt", "value": "The moon [1]."},
    ]
    (item,) = open_items([{"conversations": chat}])
    assert (item.topic, item.argument, item.documents[0].text) == ("So?", "The moon [1].", TEXT)
    (earlier,) = open_items([{"conversations": [*chat, chat[0], chat[-1]]}])
    assert earlier.messages[3].calls == ('look {"at": "tides"}',)


CALL = {"role": "assistant", "content": None, "tool_calls": [{"id": "c", "function": {"name": "look"}}]}
TOOL = {"role": "tool", "tool_call_id": "c", "content": TEXT}
NOTHING = {
    "empty": [{"role": "assistant", "content": ""}],
    "thoughts": [{"role": "assistant", "content": [{"type": "thinking", "thinking": "Hm."}]}],
    "a call, then a user": [CALL, TOOL, {"role": "user", "content": "Hello?"}],
    "behind a remark": [{**CALL, "content": "Wait."}, TOOL, {"role": "assistant", "content": ""}],
}


@pytest.mark.parametrize("name", NOTHING)
def test_a_last_answer_that_is_empty_is_no_earlier_one(name, fault_of):
    chat = [{"role": "user", "content": "Tides?"}, {"role": "assistant", "content": "The moon."}, USER]
    row = {"messages": [*chat, *NOTHING[name]]}
    (item,) = open_items([row])
    assert (item.topic, item.argument, item.messages[1].content) == ("And the sun?", None, "The moon.")
    assert len(item.documents) == ("tool_calls" in str(row))
    assert "answer of the assistant is empty" in str(open_items([row]).check().notes)
    fault = fault_of([row], {"argument": "a format judges an argument"})
    assert fault.problem == "is missing or empty, and a format judges an argument"
    (own,) = open_items([{**row, "argument": "Half."}])
    assert (own.argument, {turn.content for turn in own.messages} >= {"Tides?", "The moon."}) == (
        "Half.",
        True,
    )


FAULTY = {
    "empty": ([], "messages", "is an empty list"),
    "no answer": ([USER], "messages", "has no answer of the assistant"),
    "role": (
        [{"role": "robot", "content": "x"}, ANSWER],
        "messages[1].role",
        "is 'robot', which is not a known role",
    ),
    "number": ([USER, {"role": "assistant", "content": 5}], "messages[2].content", "is a number"),
    "audio": (
        [{"role": "user", "content": [{"type": "input_audio"}]}, ANSWER],
        "messages[1].content[1]",
        "is a part of type 'input_audio'",
    ),
    "no content": (
        [{"role": "user", "said": "T?"}, ANSWER],
        "messages[1]",
        "has no content, and holds 'said'",
    ),
    "image answer": (
        [
            USER,
            {
                "role": "assistant",
                "content": [{"type": "text", "text": "x"}, {"type": "image_url", "image_url": {"url": DATA}}],
            },
        ],
        "messages[2]",
        "is an answer that contains an image",
    ),
}


@pytest.mark.parametrize("name", FAULTY)
def test_faults_have_file_line_and_place(name, write, faults_of):
    messages, field, problem = FAULTY[name]
    lines = [{"id": "sound", "messages": [USER, ANSWER]}, {"id": "faulty", "messages": messages}]
    path = write("chats.jsonl", "\n".join(map(json.dumps, lines)))
    (fault, *_) = faults_of(path)
    assert (fault.file, fault.line, fault.field) == (str(path), 2, field)
    assert problem in fault.problem


IMAGES = {
    "data": DATA,
    "openai": {"type": "image_url", "image_url": {"url": DATA, "detail": "low"}},
    "responses": {"type": "input_image", "image_url": DATA},
    "anthropic": {
        "type": "image",
        "source": {"type": "base64", "media_type": "image/png", "data": DATA.split(",")[1]},
    },
    "langchain": {"type": "image", "base64": DATA.split(",")[1], "mime_type": "image/png"},
    "inspect": {"type": "image", "image": DATA},
    "field": {"image": DATA},
    "bare": base64.b64encode(PNG + bytes(100)).decode(),
}


@pytest.mark.parametrize("name", IMAGES)
def test_images_among_documents(name):
    (item,) = open_items([{"topic": "T?", "documents": ["One.", IMAGES[name]]}])
    assert item.documents[1].image.startswith("data:image/png;base64,iVBORw0KGgo")
    assert item.documents[1].text == "[image]"
    assert len(item.pictures) == 1


def test_a_file_beside_the_items_becomes_its_bytes(write, tmp_path):
    (tmp_path / "charts").mkdir()
    (tmp_path / "charts" / "tides.jpg").write_bytes(JPEG)
    rows = [
        {
            "topic": "T?",
            "documents": ["charts/tides.jpg", {"image": "charts/tides.jpg", "caption": "Tides."}],
        },
        {
            "messages": [
                {"role": "user", "content": [{"type": "image_url", "image_url": "charts/tides.jpg"}]},
                ANSWER,
            ]
        },
    ]
    one, two = open_items(write("a.jsonl", "\n".join(map(json.dumps, rows))))
    assert {document.image[:23] for document in one.documents} == {"data:image/jpeg;base64,"}
    assert [document.title for document in one.documents] == ["", "Tides."]
    assert two.images == (one.documents[0].image,)


BAD_IMAGES = {
    "../secret.png": "outside of the items' folder",
    "link.png": "outside of the items' folder",
    "missing.png": "does not exist",
    "notes.png": "not an image of a supported type",
    "http://example.org/a.png": "http:",
    "https://127.0.0.1/a.png": "at a private address",
    "https://127.1/a.png": "at a private address",
    "https://127.0.0\u30021/a.png": "at a private address",
    "https://[::1]/a.png": "at a private address",
    "https://intranet/a.png": "at a private address",
    "https://user:secret@example.org/a.png": "at a private address",
    "data:image/png;base64,!!!!": "base64 is not valid",
    "data:image/png;base64,PHN2Zz4=": "not an image of a supported type",
}


@pytest.mark.parametrize("value", BAD_IMAGES)
def test_hostile_images(value, write, tmp_path, fault_of):
    (tmp_path / "in").mkdir()
    (tmp_path / "secret.png").write_bytes(PNG)
    (tmp_path / "in" / "notes.png").write_text("password: hunter2")
    (tmp_path / "in" / "link.png").symlink_to(tmp_path / "secret.png")
    fault = fault_of(write("in/a.jsonl", json.dumps({"topic": "T?", "documents": [{"image": value}]})))
    assert BAD_IMAGES[value] in fault.problem, fault
    assert (fault.line, fault.field) == (1, "documents[1]")


def test_no_file_is_read_for_items_from_memory(tmp_path, monkeypatch, fault_of):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.png").write_bytes(PNG)
    assert "the items are in no file" in fault_of([{"topic": "T?", "documents": ["a.png"]}]).problem


def test_too_large_and_too_many(monkeypatch, fault_of):
    monkeypatch.setenv("CONQRET_MAX_IMAGE", "20")
    assert "more than 20 bytes" in fault_of([{"topic": "T?", "documents": [DATA]}]).problem
    monkeypatch.setenv("CONQRET_MAX_IMAGE", "1000")
    monkeypatch.setattr("conqret.io.images.MAX_IMAGES", 2)
    assert "has 3 images" in fault_of([{"topic": "T?", "documents": [DATA] * 2, "images": [DATA]}]).problem


def test_an_address_is_kept_and_not_fetched():
    for address in ("https://1.0x7f.example.org:8443/a.png?x=1", "https://8.8.8.8/a.png"):
        (item,) = open_items([{"topic": "T?", "documents": [address]}])
        assert item.documents[0].image == address
