"""The offline baseline of answers: sentences of what was found, as they stand. It understands nothing: a floor."""

from __future__ import annotations

from collections.abc import Sequence

from conqret.debateqa.curation.offline_perspectives import points_of_view
from conqret.text.sides import standpoints

SENTENCES = 8
"""Of an answer, where nothing is said of its length."""
TOKENS = 30
"""Of a sentence, to keep a length: those of the fixtures have 20 words."""


def answer(question: str, texts: Sequence[str], length: int | None = None) -> str:
    """The sentences that say most on the question, at most two of a chunk; the question itself with yes and no where
    there are none."""
    most = SENTENCES if length is None else max(1, length // TOKENS)
    said = [one["point_of_view"] for one in points_of_view(question, texts, most)["points_of_view"]]
    return " ".join(said or standpoints(question).values())


def next_step(question: str, done: int) -> dict[str, str]:
    """After the question itself its yes side, then its no side, then nothing."""
    sides = list(standpoints(question).values())
    query = sides[done - 1] if done <= len(sides) else ""
    return {"thought": "by rule: the question itself, then the words of either side", "query": query}
