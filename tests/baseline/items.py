"""Small items on two topics, written for these tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from conqret.data import Document, Item

FIXTURES = Path(__file__).parents[2] / "fixtures" / "topics"

UNIFORMS = (
    "School uniforms cost families money, because a uniform must be bought each year. A survey of 1,200 parents "
    "found that uniforms took 64% of the clothing budget.",
    "Wearing a uniform reduces bullying in school. In Larkfield the number of reports fell from 90 to 30, which "
    "shows that students benefit when a school requires uniforms.",
    "Students have a right to express themselves, and uniforms limit it. Therefore a school should not require a "
    "uniform unless the students agree.",
)
ELSEWHERE = (
    "The reactor at Skarnvik was shut for repairs in May. Engineers replaced two pumps, because the old ones had "
    "worn out, and the grid drew on hydro power.",
    "Bake the loaf for forty minutes until the crust is brown. Let it cool on a rack, since hot bread tears.",
    "The ferry leaves at noon and should reach the island by three, if the tide allows it.",
)


def item(*texts: str, argument: str | None = None, second: str | None = None, stance: Any = "pro") -> Item:
    """An item on school uniforms with these documents."""
    return Item(
        id="uniforms",
        topic="Should students have to wear school uniforms?",
        stance=stance,
        documents=tuple(Document(id=f"d{n}", text=text) for n, text in enumerate(texts, start=1)),
        argument=argument,
        second_argument=second,
    )


def fixture_topics() -> list[dict[str, Any]]:
    """The raw records of the repository's fixture topics."""
    return [json.loads(path.read_text(encoding="utf-8")) for path in sorted(FIXTURES.glob("*.json"))]


def fixture_items(documents: int | None = None) -> list[Item]:
    """An item for each fixture topic and stance; citations stand after the full stop."""
    found = []
    for topic in fixture_topics():
        place = {document["id"]: n for n, document in enumerate(topic["documents"], start=1)}
        for stance, argument in topic["arguments"].items():
            text = " ".join(
                sentence["text"] + "".join(f" [{place[cite]}]" for cite in sentence["cites"])
                for sentence in argument["sentences"]
            )
            found.append(
                Item(
                    id=f"{topic['slug']}-{stance}",
                    topic=topic["question"],
                    stance=stance,
                    documents=tuple(
                        Document(id=d["id"], text=d["text"], title=d["title"])
                        for d in topic["documents"][:documents]
                    ),
                    argument=text,
                )
            )
    return found
