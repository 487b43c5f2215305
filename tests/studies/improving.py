"""A model whose judgments follow rules, labels of annotators who reward what it does not look at, and the
texts of both."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tests.server.answers import schema_of

CRITERION = "quality: How good is this speech? 1-5"
TOPICS, EACH = 12, 5
WORDS = (
    "road mill bridge town river boat stone wall field barn horse cart lane gate hill path wood leaf bird nest cloud "
    "mountain umbrella vegetable cathedral "
    "rain wind snow frost lamp clock chair table door roof floor shelf plate spoon bread salt soup apple pear plum"
).split()
SENTENCE = 12
LONGER = "Rate longer texts higher."


def texts(rng: np.random.Generator, count: int) -> tuple[list[str], list[float], list[float]]:
    """Texts, with their reasons and length, both in [0, 1]."""
    reasons, lengths, swears = rng.integers(0, 6, count), rng.integers(1, 13, count), rng.random(count) < 0.4
    found = [
        f"It holds{' because it does' * r}. {filler(rng, n)}{'This is bullshit. ' * bool(s)}"
        for r, n, s in zip(reasons.tolist(), lengths.tolist(), swears.tolist(), strict=True)
    ]
    return found, (reasons / 5).tolist(), (lengths / 12).tolist()


def filler(rng: np.random.Generator, sentences: int) -> str:
    """So many sentences that say nothing."""
    return "".join(f"The {' '.join(rng.choice(WORDS, SENTENCE))} end. " for _ in range(sentences))


def write_case(
    folder: Path, reward: str, *, topics: int = TOPICS, first: int = 0, seed: int = 3, annotators: int = 3
) -> tuple[Path, Path]:
    """Items and labels of annotators who reward length (``length``) or not (``nothing``), or whose labels hang together
    with nothing (``chance``)."""
    rng = np.random.default_rng(seed)
    found, reasons, lengths = texts(rng, topics * EACH)
    items, labels = folder / f"items-{first}.jsonl", folder / f"labels-{first}.csv"
    with items.open("w") as out, labels.open("w", newline="") as table:
        writer = csv.writer(table)
        writer.writerow(("id", "annotator", "quality"))
        for place, text in enumerate(found):
            name = f"i{first + place}"
            topic = f"Topic {first + place // EACH}?"
            out.write(json.dumps({"id": name, "topic": topic, "stance": "pro", "argument": text}) + "\n")
            level = {
                "length": 0.35 * reasons[place] + 0.65 * lengths[place],
                "nothing": reasons[place],
                "chance": rng.random(),
            }[reward]
            for who in range(annotators):
                said = round(float(np.clip(1 + 4 * (level + rng.normal() * 0.12), 1, 5)))
                writer.writerow((name, f"a{who}", said))
    return items, labels


def rule_model(body: Mapping[str, Any]) -> Any:
    """Rate by the reasons in a text; by its length, too, where the wording says so. Propose such a wording."""
    system, user = (str(message["content"]) for message in body["messages"][:2])
    if system.startswith("You improve the instructions"):
        ratings = re.search(r"each of these ratings: ([\d, ]+)", user)
        anchors = (
            [{"rating": int(one), "meaning": "So good."} for one in ratings[1].split(", ")] if ratings else []
        )
        return {"observations": [f"They would say: {LONGER}"], "wording": LONGER, "anchors": anchors}
    text = user.partition("<answer>")[2].partition("</answer>")[0] + " "
    level = text.count("because") / 5
    if LONGER in system:
        level = 0.35 * level + 0.65 * text.count(" end. ") / 12
    low, high = _ends(schema_of(body))
    return {"criterion_1": {"explanation": "By its reasons.", "rating": round(low + level * (high - low))}}


def _ends(schema: Any) -> tuple[int, int]:
    (rating,) = (one for name, one in schema["$defs"].items() if name.startswith("Rating"))
    number = next(one for one in rating["properties"]["rating"]["anyOf"] if one["type"] == "integer")
    return number["minimum"], number["maximum"]
