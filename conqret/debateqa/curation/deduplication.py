"""Questions without duplicates (DebateQA, A.1): as few as possible are removed so that no two similar ones are left.
And pairs to label, and the threshold that their labels speak for (500 pairs, .78).

Duplicates are rare, so that pairs are drawn by bands of similarity, as many from each. A band's pairs then stand for
all of the band: each labeled one counts for as many as there are in the band for one labeled.
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, diags
from scipy.sparse.linalg import norm

from conqret.data.item import Frozen
from conqret.errors import DeclarationError, strict_options
from conqret.io.checks import Filled, Number, one_of, whole_number
from conqret.io.pairs import ANSWERS
from conqret.io.questions import SourcedQuestion, by_source, read_sourced
from conqret.io.safe_files import csv_text
from conqret.io.schema import in_columns, read_table
from conqret.local.models import load_encoder
from conqret.text.text_passages import lexical

LEXICAL = "lexical"
"""The name of the offline embedding: word stems by TF-IDF."""

Embed = Callable[[Sequence[str]], Any]
"""From n texts to n rows: an array, or a sparse matrix of scipy."""


def embedder(name: str) -> Embed:
    """Return a function from texts to vectors, one row for each text: ``lexical``, or the
    sentence-transformers model in a folder.

    Nothing is downloaded.

    Raises:
        DeclarationError: there is no such folder, or no model in it.
        MissingDependencyError: sentence-transformers (for a folder) is not installed.
    """
    if name == LEXICAL:
        return lexical
    folder = Path(name)
    if not folder.is_dir():
        raise DeclarationError(
            f"--encoder takes {LEXICAL} or the folder of a sentence-transformers model, and {name!r} is neither"
        )
    model = load_encoder(str(folder), extra="dense")
    return lambda texts: model.encode(list(texts), convert_to_numpy=True, show_progress_bar=False)


BLOCK = 1024
"""Rows that are compared with all later ones at a time: with 10,000 texts 40 MB of single-precision cosines."""

MAX_PAIRS = 5_000_000
"""Similar pairs at most, which take 80 MB; there are more only where the threshold is far too low."""

ROUNDING = 1e-6
"""Cosines in single precision are good to about so much: two equal texts may have one of 0.9999999."""


class SimilarPair(NamedTuple):
    """The indexes of two similar texts (``first`` before ``second``), and their cosine."""

    first: int
    second: int
    similarity: float


Cosines = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]
"""The cosines of one block: first texts, second texts, and the cosine of each pair, which comes once."""


def similar_pairs(vectors: Any, threshold: float) -> list[SimilarPair]:
    """Return all pairs of rows with a cosine of at least ``threshold``, in the order of the rows.

    ``vectors`` is an array or a scipy sparse matrix with one row for each text. A row of zeros is similar to
    no other.

    Raises:
        DeclarationError: the threshold is outside (0, 1], or more than :data:`MAX_PAIRS` pairs are similar.
    """
    if not 0 < threshold <= 1:
        raise DeclarationError(f"the threshold is {threshold}, but it must be a cosine above 0 and at most 1")
    pairs: list[SimilarPair] = []
    for block in cosines(vectors, at_least=threshold - ROUNDING):
        if len(pairs) + len(block[0]) > MAX_PAIRS:
            raise DeclarationError(
                f"more than {MAX_PAIRS:,} pairs have a similarity of at least {threshold}: raise the threshold, and "
                "look at such pairs with `conqret debateqa questions --pairs`"
            )
        rows = zip(*(part.tolist() for part in block), strict=True)
        pairs += [SimilarPair(first, second, round(value, 6)) for first, second, value in rows]
    return pairs


def cosines(vectors: Any, *, at_least: float = -1.0) -> Iterator[Cosines]:
    """Yield, block by block, the pairs of rows with a cosine of at least ``at_least``: first rows, second
    rows, cosines (in single precision).

    Rows are numbered from 0. Each pair occurs once, the earlier row first.
    """
    unit = unit_rows(vectors)
    sparse = not isinstance(unit, np.ndarray)
    for start in range(0, unit.shape[0], BLOCK):
        product = unit[start : start + BLOCK] @ unit[start:].T
        if sparse and at_least > 0:
            held = product.tocoo()
            first, second, values = held.row.astype(np.int64), held.col.astype(np.int64), held.data
            kept = (second > first) & (values >= at_least)
            first, second, values = first[kept], second[kept], values[kept]
            order = np.lexsort((second, first))
            first, second, values = first[order], second[order], values[order]
        else:
            dense = product.toarray() if sparse else product
            above = np.triu(np.ones(dense.shape, dtype=bool), k=1)
            first, second = np.nonzero((dense >= at_least) & above)
            values = dense[first, second]
        yield first + start, second + start, np.minimum(values, 1.0).astype(np.float32)


def unit_rows(vectors: Any) -> Any:
    """Return the rows scaled to length 1, in single precision; rows of zeros are unchanged.

    Raises:
        DeclarationError: an encoder's embedding has a value that is no finite number.
    """
    if not isinstance(vectors, np.ndarray):
        rows = csr_matrix(vectors, dtype=np.float32)
        lengths = norm(rows, axis=1)
        return csr_matrix(diags(1 / np.where(lengths > 0, lengths, 1)) @ rows, dtype=np.float32)
    if not np.isfinite(vectors).all():
        raise DeclarationError(
            "embeddings must be finite numbers, and some are not: choose another --encoder"
        )
    rows = vectors.astype(np.float32)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)


def vertex_cover(pairs: Iterable[tuple[int, int]]) -> list[int]:
    """Return the texts, in rising order, whose removal leaves no pair: a small vertex cover of the graph of
    pairs.

    The greedy algorithm takes the text with most remaining pairs (of equal ones the later). It then puts back
    texts that are not needed. A minimum cover is NP-hard to find. This one is at most ``H(D)`` times as
    large, where D is the most pairs of one text and ``H(D) = 1 + 1/2 + … + 1/D`` (Chvátal 1979).
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
    """Two similar questions, of which at least one was removed: ids, texts, cosine, and which was removed.

    ``removed`` is "first", "second" or "both".
    """

    first: str
    second: str
    similarity: float
    removed: str
    first_question: str
    second_question: str


class Deduplication(Frozen):
    """The result of removing duplicate questions.

    ``before`` and ``after`` count the questions by source, ``removed`` has the ids of the removed ones, and
    ``pairs`` the similar pairs, the most similar first.
    """

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
    texts: str | Path | None = None,
) -> tuple[tuple[SourcedQuestion, ...], Deduplication]:
    """Remove as few questions as possible so that no two similar ones are left (DebateQA, A.1).

    Args:
        questions: files with a column ``question``.
        encoder: the folder of a sentence-transformers model, or ``lexical``: word stems by TF-IDF.
        threshold: the cosine from which two questions are duplicates.
        texts: for DELPHI: the file of Quora Question Pairs with the texts of its questions.

    Returns:
        The questions that are kept, and the result of the deduplication.

    Raises:
        DeclarationError: a file or an encoder is wrong.
    """
    read = read_sourced([questions] if isinstance(questions, str | Path) else questions, texts)
    vectors = embedder(encoder)([question.question for question in read])
    return deduplicate(read, vectors, encoder=encoder, threshold=threshold)


def deduplicate(
    questions: Sequence[SourcedQuestion], vectors: Any, *, encoder: str, threshold: float = THRESHOLD
) -> tuple[tuple[SourcedQuestion, ...], Deduplication]:
    """Remove as few questions as possible so that no two similar ones are left, by their embeddings
    (``vectors``, one row for each question).

    Returns:
        The questions that are kept, in order, and the result of the deduplication.

    Raises:
        DeclarationError: as :func:`conqret.debateqa.curation.deduplication.similar_pairs`.
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


PAIRS = 500
"""Pairs to label (DebateQA, A.1)."""
LOWEST = 0.4
"""Below it no encoder's duplicates lie, and nearly all pairs do."""
WIDTH = 0.05
"""How wide a band is."""
SEED = 13

COLUMNS = (
    "pair",
    "similarity",
    "band",
    "band_pairs",
    "first",
    "second",
    "first_question",
    "second_question",
    "duplicate",
)
"""The form; ``duplicate`` is left empty for annotators: yes or no."""


class DrawnPair(Frozen):
    """A sampled pair of questions to label: its cosine, the lower end of its similarity band, and the band's
    size.

    ``first`` and ``second`` are indexes of the questions, from 0.
    """

    first: int
    second: int
    similarity: float
    band: float
    band_pairs: int


@strict_options
def draw_question_pairs(
    questions: str | Path | Sequence[str | Path], *, encoder: str = LEXICAL, texts: str | Path | None = None
) -> tuple[tuple[SourcedQuestion, ...], tuple[DrawnPair, ...]]:
    """Sample pairs of questions to label, equally from each similarity band, to choose a duplicate threshold.

    Args:
        questions: files with a column ``question``.
        encoder: the folder of a sentence-transformers model, or ``lexical``: word stems by TF-IDF.
        texts: for DELPHI: the file of Quora Question Pairs with the texts of its questions.

    Returns:
        The questions, and the pairs as indexes into them.

    Raises:
        DeclarationError: as :func:`draw_pairs`, or a file or an encoder is wrong.
    """
    read = tuple(read_sourced([questions] if isinstance(questions, str | Path) else questions, texts))
    return read, draw_pairs(embedder(encoder)([question.question for question in read]))


def draw_pairs(vectors: Any, wanted: int = PAIRS) -> tuple[DrawnPair, ...]:
    """Sample ``wanted`` pairs of rows (fewer if the bands have fewer), as equally as possible from the
    similarity bands; return the most similar first. The random seed is fixed.

    Raises:
        DeclarationError: no pair is in a band.
    """
    rng = np.random.default_rng(SEED)
    count = int(np.ceil(round((1 - LOWEST) / WIDTH, 6)))
    sizes = np.zeros(count, dtype=np.int64)
    held: list[list[tuple[float, int, int, float]]] = [[] for _ in range(count)]
    for firsts, seconds, values in cosines(vectors, at_least=LOWEST):
        bands = np.minimum(((values - LOWEST) / WIDTH + 1e-6).astype(np.int64), count - 1)
        lots = rng.random(len(bands))
        for band in np.unique(bands):
            (places,) = np.nonzero(bands == band)
            sizes[band] += len(places)
            best = places[np.argsort(lots[places], kind="stable")[:wanted]]
            new = zip(lots[best], firsts[best], seconds[best], values[best], strict=True)
            held[band] = sorted([*held[band], *(tuple(cell.item() for cell in row) for row in new)])[:wanted]
    shares = _shares([len(pair_list) for pair_list in held], wanted)
    drawn = [
        DrawnPair(
            first=first,
            second=second,
            similarity=round(value, 6),
            band=round(LOWEST + WIDTH * band, 6),
            band_pairs=int(sizes[band]),
        )
        for band, rows in enumerate(held)
        for _, first, second, value in rows[: shares[band]]
    ]
    if not drawn:
        raise DeclarationError(
            f"no two questions have a cosine of {LOWEST} or more, so there is nothing to label"
        )
    return tuple(sorted(drawn, key=lambda pair: -pair.similarity))


def pairs_form(drawn: Iterable[DrawnPair], questions: Sequence[SourcedQuestion]) -> str:
    """Return the annotation form for sampled pairs as CSV."""
    rows = []
    for place, pair in enumerate(drawn, start=1):
        first, second = questions[pair.first], questions[pair.second]
        band = (place, pair.similarity, pair.band, pair.band_pairs)
        rows.append((*band, first.id, second.id, first.question, second.question, ""))
    return csv_text(COLUMNS, rows)


class BandLabels(Frozen):
    """The labels of one similarity band: its lower end, and the numbers of pairs, labeled pairs and
    duplicates."""

    band: float
    pairs: int
    labelled: int
    duplicates: int


class ChosenThreshold(Frozen):
    """Thresholds of duplicates that follow from labels.

    ``none_below`` is the highest threshold, in hundredths, below which no labeled pair is a duplicate (the
    paper's rule). ``labelled_below`` counts the labeled pairs below it. With 95% confidence, at most
    ``at_most_below`` of all such pairs are duplicates (1 - .05^(1/n)). ``best_f1`` is the threshold with the
    highest F1 over all pairs, where bands are weighted by their size.
    """

    bands: tuple[BandLabels, ...]
    unlabelled: int
    none_below: float
    labelled_below: int
    at_most_below: float | None
    best_f1: float
    precision: float
    recall: float
    f1: float


_AS_WRITTEN = "Give the annotation form that `conqret debateqa questions --pairs` wrote"


@dataclass(frozen=True, slots=True)
class _LabelledPair:
    similarity: Annotated[Number, in_columns(needed=_AS_WRITTEN)]
    band: Annotated[Number, in_columns(needed=_AS_WRITTEN)]
    band_pairs: Annotated[int, whole_number, in_columns(needed=_AS_WRITTEN)]
    first: Annotated[Filled, in_columns("first_question")] = ""
    duplicate: Annotated[bool | None, one_of(ANSWERS, "label")] = None


@strict_options
def duplicate_threshold(form: str | Path) -> ChosenThreshold:
    """Choose the threshold of duplicates from labeled pairs.

    Args:
        form: a completed form of ``conqret debateqa questions --pairs``.

    Raises:
        ItemsError: rows have faults; all are listed.
        DeclarationError: no pair is labeled, or none is a duplicate.
    """
    path = Path(form)
    every = read_table(path, _LabelledPair)
    rows = [row for row in every if row.duplicate is not None]
    if not rows:
        raise DeclarationError(f"no pair of {path} is labeled: write yes or no into the column duplicate")
    positive = [row.similarity for row in rows if row.duplicate]
    if not positive:
        raise DeclarationError(
            f"none of the {len(rows)} labeled pairs of {path} is a duplicate: label more pairs of high similarity"
        )
    labelled = Counter(row.band for row in rows)
    sizes = {row.band: row.band_pairs for row in rows}
    none_below = int(min(positive) * 100 + 1e-6) / 100
    below = sum(row.similarity < none_below for row in rows)
    found = {}
    for hundredth in range(int(min(row.similarity for row in rows) * 100), 101):
        counts = defaultdict[tuple[bool, bool], float](float)
        for row in rows:
            said = row.similarity >= hundredth / 100 - 1e-6
            counts[said, bool(row.duplicate)] += sizes[row.band] / labelled[row.band]
        hits, wrong, missed = counts[True, True], counts[True, False], counts[False, True]
        precision = hits / (hits + wrong) if hits + wrong else 0.0
        recall = hits / (hits + missed)
        score = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
        found[hundredth / 100] = (score, precision, recall)
    best = max(found, key=lambda threshold: (found[threshold][0], -threshold))
    return ChosenThreshold(
        bands=tuple(
            BandLabels(
                band=band,
                pairs=sizes[band],
                labelled=labelled[band],
                duplicates=sum(bool(row.duplicate) for row in rows if row.band == band),
            )
            for band in sorted(labelled, reverse=True)
        ),
        unlabelled=len(every) - len(rows),
        none_below=none_below,
        labelled_below=below,
        at_most_below=1 - 0.05 ** (1 / below) if below else None,
        best_f1=best,
        f1=found[best][0],
        precision=found[best][1],
        recall=found[best][2],
    )


def _shares(there: Sequence[int], wanted: int) -> list[int]:
    """Return how many pairs to take from each band, given how many it has (``there``): equal shares as far as
    they last, and what is left over from the highest band down."""
    taken = [0] * len(there)
    while sum(taken) < min(wanted, sum(there)):
        for band in reversed(range(len(there))):
            if taken[band] < there[band] and sum(taken) < wanted:
                taken[band] += 1
    return taken
