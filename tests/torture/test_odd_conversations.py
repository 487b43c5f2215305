"""Messages with anything in any place: each is an item that is read back as it was, or faults; never another error."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

from conqret.data import Item
from conqret.errors import ConqretError
from conqret.io import open_items
from conqret.io.rows import item_record
from tests.io.test_conversations import DATA, FORMS, IMAGES

ODD: list[Any] = [
    *(None, 3, True, float("nan"), 10**400, "", "user", "\ud800", "\x00", DATA, "https://example.org/a.png"),
    *([], ["a"], [[[]]], [None], {}, {"type": "text", "text": "t"}, {"type": ["x"]}, {"image": 5}),
    *({"image_url": {"url": {"url": "x"}}}, {"source": {"data": 3}}, {"function": {"name": 5}}),
]
KEYS = "role type content text image document calls tool_calls images data kwargs lc".split()


def places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield at
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in inside:
        yield from places(inner, (*at, key))


def changed(value: Any, at: tuple[Any, ...], odd: Any, name: Any) -> Any:
    """The value with something odd at a place, under this name."""
    if not at:
        return odd
    copy = dict(value) if isinstance(value, dict) else list(value)
    inner = copy[at[0]]
    if len(at) == 1 and isinstance(copy, dict) and name:
        del copy[at[0]]
        copy[name] = inner
    else:
        copy[at[0]] = changed(inner, at[1:], odd, name)
    return copy


def test_odd_messages_are_items_or_faults() -> None:
    chance, read = random.Random(0), 0
    for _ in range(300):
        record: Any = {
            "id": "i",
            "messages": chance.choice(list(FORMS.values())),
            "images": [DATA],
            "documents": [chance.choice(list(IMAGES.values())), "text"],
        }
        if chance.random() < 0.4:
            record = {chance.choice(("user_input", "turns")): record["messages"]}
        for _ in range(chance.randint(1, 4)):
            at = chance.choice([*places(record)][1:])
            name = chance.choice(KEYS) if chance.random() < 0.3 and isinstance(at[-1], str) else None
            record = changed(record, at, chance.choice(ODD), name)
        try:
            (item,) = open_items([record])
        except ConqretError:
            continue
        read += 1
        again = json.loads(json.dumps(item_record(item)))
        assert next(iter(open_items([again]))) == item == Item.model_validate(again)
    assert read > 10
