"""Small items on two topics, written for these tests."""

from __future__ import annotations

from typing import Any

from conqret.data import Document, Item

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
