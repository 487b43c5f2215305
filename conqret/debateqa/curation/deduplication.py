"""Questions without duplicates (DebateQA, A.1): as few as possible are removed so that no two similar ones are left."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from conqret.data.item import Frozen
from conqret.debateqa.curation.cover import vertex_cover
from conqret.debateqa.curation.similarity import similar_pairs
from conqret.io.questions import SourcedQuestion, by_source

THRESHOLD = 0.78
"""Below it the paper found no duplicate among 500 pairs (gte-large-en-v1.5; DebateQA, A.1). Another encoder needs
another: ``conqret debateqa questions pairs`` and ``threshold`` choose it."""


class DecidingPair(Frozen):
    """Two similar questions, of which at least one was removed: their ids, texts, cosine, and which is ``removed``
    (the first, the second or both)."""

    first: str
    second: str
    similarity: float
    removed: str
    first_question: str
    second_question: str


class Deduplicated(Frozen):
    """What is kept and what is not: ``before`` and ``after`` count questions by source, ``removed`` are ids, ``pairs``
    the similar ones that decided it, by falling similarity."""

    encoder: str
    threshold: float
    before: dict[str, int]
    after: dict[str, int]
    removed: tuple[str, ...]
    pairs: tuple[DecidingPair, ...]


def deduplicate(
    questions: Sequence[SourcedQuestion], vectors: Any, *, encoder: str, threshold: float = THRESHOLD
) -> tuple[tuple[SourcedQuestion, ...], Deduplicated]:
    """The questions that are kept, in their order, and how it came; ``vectors`` are their embeddings, a row each.

    Raises:
        DeclarationError: as :func:`conqret.debateqa.curation.similarity.similar_pairs`.
    """
    pairs = similar_pairs(vectors, threshold)
    removed = set(vertex_cover((one.first, one.second) for one in pairs))
    kept = tuple(one for place, one in enumerate(questions) if place not in removed)
    after = by_source(kept)
    before = by_source(questions)
    words = {(True, False): "first", (False, True): "second", (True, True): "both"}
    return kept, Deduplicated(
        encoder=encoder,
        threshold=threshold,
        before=dict(before),
        after={source: after.get(source, 0) for source in before},
        removed=tuple(questions[place].id for place in sorted(removed)),
        pairs=tuple(
            DecidingPair(
                first=questions[one.first].id,
                second=questions[one.second].id,
                similarity=one.similarity,
                removed=words[one.first in removed, one.second in removed],
                first_question=questions[one.first].question,
                second_question=questions[one.second].question,
            )
            for one in sorted(pairs, key=lambda pair: -pair.similarity)
        ),
    )
