"""Questions without duplicates (DebateQA, A.1): as few as possible are removed so that no two similar ones are left."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from conqret.data.item import Frozen
from conqret.debateqa.curation.embeddings import LEXICAL, similar_pairs, vectors_of
from conqret.errors import strict_options
from conqret.io.label_sheets import csv_text
from conqret.io.questions import SourcedQuestion, by_source, read_sourced


def vertex_cover(pairs: Iterable[tuple[int, int]]) -> list[int]:
    """Texts, in rising order, of which at least one stands in every pair; removed together, they leave no pair.

    The text that stands in most of the pairs left is taken again and again, the later one of equals; then those whose
    partners are all taken are put back. A minimum cover is NP-hard to find; this one has at most
    ``H(D) = 1 + 1/2 + … + 1/D`` times its size, D being the most pairs of one text (Chvátal 1979).
    """
    partners: dict[int, set[int]] = {}
    for first, second in pairs:
        if first != second:
            partners.setdefault(first, set()).add(second)
            partners.setdefault(second, set()).add(first)
    left = {text: len(others) for text, others in partners.items()}
    queue = [(-count, -text) for text, count in left.items()]
    heapq.heapify(queue)
    taken: list[int] = []
    inside: set[int] = set()
    while queue:
        count, text = (-degree for degree in heapq.heappop(queue))
        if text in inside or not left[text]:
            continue
        if count != left[text]:  # some of its partners were taken since
            heapq.heappush(queue, (-left[text], -text))
            continue
        taken.append(text)
        inside.add(text)
        left[text] = 0
        for other in partners[text] - inside:
            left[other] -= 1
    for text in reversed(taken):
        if partners[text] <= inside:
            inside.remove(text)
    return sorted(inside)


THRESHOLD = 0.78
"""Below it the paper found no duplicate among 500 pairs (gte-large-en-v1.5; DebateQA, A.1). Another encoder needs
another: ``conqret debateqa questions --pairs`` chooses it."""


class DecidingPair(Frozen):
    """Two similar questions, of which at least one was removed: their ids, texts, cosine, and which is ``removed``
    (the first, the second or both)."""

    first: str
    second: str
    similarity: float
    removed: str
    first_question: str
    second_question: str


class Deduplication(Frozen):
    """What is kept and what is not: ``before`` and ``after`` count questions by source, ``removed`` are ids, ``pairs``
    the similar ones that decided it, by falling similarity."""

    encoder: str
    threshold: float
    before: dict[str, int]
    after: dict[str, int]
    removed: tuple[str, ...]
    pairs: tuple[DecidingPair, ...]


@strict_options
def dedupe(
    questions: str | Path | Sequence[str | Path],
    *,
    encoder: str = LEXICAL,
    threshold: float = THRESHOLD,
    embeddings: str | Path | None = None,
    texts: str | Path | None = None,
) -> tuple[tuple[SourcedQuestion, ...], Deduplication]:
    """Remove as few questions as possible so that no two similar ones are left (DebateQA, A.1).

    Args:
        questions: files with a column ``question``.
        encoder: the folder of a sentence-transformers model, or ``lexical``: word stems by TF-IDF.
        threshold: the cosine from which two questions are duplicates.
        embeddings: embeddings that are there already, a ``.npy`` file with a row for each question.
        texts: for DELPHI, the Quora Question Pairs, which have its questions' texts.

    Raises:
        DeclarationError: a file or an encoder is wrong.
    """
    read = read_sourced([questions] if isinstance(questions, str | Path) else questions, texts)
    return without_duplicates(read, encoder, threshold, embeddings)


def without_duplicates(
    questions: Sequence[SourcedQuestion], encoder: str, threshold: float, embeddings: str | Path | None
) -> tuple[tuple[SourcedQuestion, ...], Deduplication]:
    """As :func:`dedupe`, of questions that were read."""
    vectors = vectors_of(questions, encoder, embeddings)
    return deduplicate(questions, vectors, encoder=str(embeddings or encoder), threshold=threshold)


def pairs_text(outcome: Deduplication) -> str:
    """The similar pairs as a table."""
    return csv_text(DecidingPair.model_fields, (pair.model_dump().values() for pair in outcome.pairs))


def deduplicate(
    questions: Sequence[SourcedQuestion], vectors: Any, *, encoder: str, threshold: float = THRESHOLD
) -> tuple[tuple[SourcedQuestion, ...], Deduplication]:
    """The questions that are kept, in their order, and how it came; ``vectors`` are their embeddings, a row each.

    Raises:
        DeclarationError: as :func:`conqret.debateqa.curation.embeddings.similar_pairs`.
    """
    pairs = similar_pairs(vectors, threshold)
    removed = set(vertex_cover((pair.first, pair.second) for pair in pairs))
    kept = tuple(question for place, question in enumerate(questions) if place not in removed)
    after = by_source(kept)
    before = by_source(questions)
    words = {(True, False): "first", (False, True): "second", (True, True): "both"}
    return kept, Deduplication(
        encoder=encoder,
        threshold=threshold,
        before=dict(before),
        after={source: after.get(source, 0) for source in before},
        removed=tuple(questions[place].id for place in sorted(removed)),
        pairs=tuple(
            DecidingPair(
                first=questions[similar.first].id,
                second=questions[similar.second].id,
                similarity=similar.similarity,
                removed=words[similar.first in removed, similar.second in removed],
                first_question=questions[similar.first].question,
                second_question=questions[similar.second].question,
            )
            for similar in sorted(pairs, key=lambda pair: -pair.similarity)
        ),
    )
