"""Messages with anything in any place: each is an item that is read back as it was, or faults; never another error."""

from __future__ import annotations

import json
import random

from conqret.data import Item
from conqret.errors import ConqretError
from conqret.io import open_items
from conqret.io.rows import item_record
from tests.io.test_conversations import DATA, FORMS, IMAGES
from tests.torture.mutations import mutated


def test_odd_messages_are_items_or_faults() -> None:
    rng, read = random.Random(0), 0
    for _ in range(400):
        parts = {"images": [DATA], "documents": [rng.choice(list(IMAGES.values())), "text"]}
        chat = {rng.choice(("messages", "user_input", "turns")): rng.choice(list(FORMS.values()))}
        text = json.dumps({"id": "i", **parts, **chat})
        for _ in range(rng.randint(1, 3)):
            text = mutated(text, rng)
        try:
            record = json.loads(text)
        except ValueError:
            continue
        try:
            (item,) = open_items([record])
        except ConqretError:
            continue
        read += 1
        again = json.loads(json.dumps(item_record(item)))
        assert next(iter(open_items([again]))) == item == Item.model_validate(again)
    assert read > 10
