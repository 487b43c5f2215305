"""The lexical stance evidence of retrieval, in the form in which the offline generator takes it."""

from __future__ import annotations

from collections.abc import Sequence


def leaning(question: str, texts: Sequence[str]) -> list[float]:
    """How far each text takes the yes side of a question, from -1 (no) to 1 (yes)."""
    from conqret.retrieval.sides import Sides
    from conqret.retrieval.stance import lean, signs

    sides = Sides.of(question)
    return [lean(signs(text), sides).value for text in texts]
