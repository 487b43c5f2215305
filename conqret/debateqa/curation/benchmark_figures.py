"""What embeddings say of a benchmark: are its documents relevant, and are its points of view distinct? (DebateQA, A.2,
A.3). Which domains its questions are from (Figure 7), and what is left of it without what annotators rejected (A.4).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from pydantic import BaseModel

from conqret.data.digest import gathered
from conqret.debateqa.answering.retrieved_chunks import chunks
from conqret.debateqa.curation.benchmark import CurateFolder
from conqret.debateqa.curation.deduplication import LEXICAL, Embed, embedder, unit_rows
from conqret.errors import DeclarationError, strict_options
from conqret.io.checks import identifier, one_of
from conqret.io.files import file_rows
from conqret.io.label_set import LabelSet
from conqret.io.labels import Labels, read_labels
from conqret.io.pairs import ANSWERS
from conqret.io.safe_files import unguarded
from conqret.io.schema import Field, TableReader, read_models, table_schema
from conqret.stats.estimate import Estimate
from conqret.stats.resampling import mean_interval
from conqret.text.text_passages import root
from conqret.text.words import fold, words


class CuratedAnswer(BaseModel, frozen=True):
    """A partial answer, and the ids of its documents."""

    point_of_view: str
    explanation: str
    documents: tuple[str, ...] = ()


class CuratedQuestion(BaseModel, frozen=True, extra="allow"):
    """A question of a benchmark with its partial answers, and the ids of the documents that were read for it.
    Other fields of its line are kept."""

    id: str
    question: str
    partial_answers: tuple[CuratedAnswer, ...]
    documents: tuple[str, ...] = ()

    @property
    def names(self) -> list[str]:
        """Return the ids of the question's partial answers: ``QUESTION#1``, ``QUESTION#2`` and so on."""
        return [f"{self.id}#{number}" for number in range(1, len(self.partial_answers) + 1)]

    @property
    def views(self) -> list[str]:
        """Return the points of view of the question's partial answers."""
        return [partial_answer.point_of_view for partial_answer in self.partial_answers]

    def record(self, answers: Sequence[CuratedAnswer]) -> dict[str, Any]:
        """Return the question's row of the benchmark with ``answers`` in place of its partial answers."""
        return {**self.model_dump(), "partial_answers": [answer.model_dump() for answer in answers]}


class CuratedDocument(BaseModel, frozen=True, extra="allow"):
    """A document of a benchmark."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class CuratedBenchmark:
    """The questions of a curated benchmark, and a mapping from document ids to texts."""

    questions: tuple[CuratedQuestion, ...]
    texts: Mapping[str, str]


def read_curated(path: str | Path) -> CuratedBenchmark:
    """Read the benchmark in a folder of ``conqret debateqa curate``.

    Raises:
        DeclarationError: it is not such a folder, its run is not finished, or it has no question.
        FaultsError: a line cannot be read.
    """
    folder = CurateFolder(Path(path))
    folder.record()
    if not folder.summary_file.is_file():
        raise DeclarationError(f"{path} contains no finished benchmark; run the command that made it again")
    questions = tuple(read_models(folder.benchmark_file, CuratedQuestion))
    if not questions:
        raise DeclarationError(
            f"{path} contains no question: all were filtered out ({folder.filtered_file.name} has the reasons)"
        )
    return CuratedBenchmark(
        questions, {model.id: model.text for model in read_models(folder.documents_file, CuratedDocument)}
    )


ALIKE = 0.75
"""The cosine from which two points of view are looked at again (DebateQA, A.3)."""
NEAREST = 5
"""Chunks of a question in which missed perspectives are looked for (A.3)."""
DOMAINS = 8
"""Domains that are shown (Figure 7)."""
ROUNDS, WORDS, SEED = 50, 4, 13
"""Rounds of k-means at most; words that name a domain; the seed of its first centres."""


class Near(NamedTuple):
    """A chunk of one of a question's documents, and the cosine of chunk and question."""

    question: str
    document: str
    text: str
    similarity: float


class Relevance(BaseModel, frozen=True):
    """How near chunks are to their questions: the mean cosine over questions (each the mean of its chunks) with an
    interval over questions, the numbers of chunks and documents, and the questions by rising relevance."""

    mean: Estimate
    chunks: int
    documents: int
    by_question: dict[str, float]


class AlikeViews(NamedTuple):
    """Two similar points of view of one question: their ids and their cosine."""

    question: str
    first: str
    second: str
    similarity: float


class Domain(BaseModel, frozen=True):
    """Questions that belong together: words that set them apart, how many they are, and one from their middle."""

    words: tuple[str, ...]
    questions: int
    example: str


def near_chunks(made: CuratedBenchmark, embed: Embed) -> list[Near]:
    """Return all chunks of each question's documents with their cosines, the most similar first within each
    question.

    Raises:
        DeclarationError: the benchmark has no texts of documents.
    """
    chunk_list = [
        (place, name, text)
        for place, question in enumerate(made.questions)
        for name in question.documents
        for text in chunks(made.texts.get(name, ""))
    ]
    if not chunk_list:
        raise DeclarationError("the benchmark has no texts of documents: documents.jsonl is empty")
    rows = unit_rows(
        embed([*(question.question for question in made.questions), *(text for _, _, text in chunk_list)])
    )
    count = len(made.questions)
    near = [
        Near(made.questions[place].id, name, text, _cosine(rows, place, count + number))
        for number, (place, name, text) in enumerate(chunk_list)
    ]
    order = {question.id: place for place, question in enumerate(made.questions)}
    return sorted(near, key=lambda chunk: (order[chunk.question], -chunk.similarity))


@strict_options
def benchmark_relevance(benchmark: str | Path, *, encoder: str = LEXICAL) -> Relevance:
    """Measure the mean cosine of documents' chunks of 1,000 tokens with their questions (DebateQA, A.2 and
    Figure 4).

    Args:
        benchmark: the folder of ``conqret debateqa curate``.
        encoder: the folder of a sentence-transformers model, or ``lexical``: word stems by TF-IDF.

    Raises:
        DeclarationError: there is no finished benchmark, it has no text, or the encoder is wrong.
    """
    return relevance(near_chunks(read_curated(benchmark), embedder(encoder)))


@strict_options
def benchmark_domains(benchmark: str | Path, *, encoder: str = LEXICAL) -> list[Domain]:
    """Group a benchmark's questions into domains, named by their typical words (DebateQA, Figure 7).

    Args:
        benchmark: the folder of ``conqret debateqa curate``.
        encoder: the folder of a sentence-transformers model, or ``lexical``: word stems by TF-IDF.

    Returns:
        The domains, the largest first.

    Raises:
        DeclarationError: as :func:`domains`, there is no finished benchmark, or the encoder is wrong.
    """
    questions = [question.question for question in read_curated(benchmark).questions]
    return domains(questions, embedder(encoder), min(DOMAINS, len(questions)))


def relevance(near: Sequence[Near]) -> Relevance:
    """Compute the mean cosine of chunks with their questions, with an interval over questions.
    ``by_question`` of the result has the lowest mean first."""
    by_question = gathered((chunk.question, chunk.similarity) for chunk in near)
    means = {name: sum(values) / len(values) for name, values in by_question.items()}
    return Relevance(
        mean=mean_interval(list(means.values())),
        chunks=len(near),
        documents=len({(chunk.question, chunk.document) for chunk in near}),
        by_question=dict(sorted(means.items(), key=lambda pair: pair[1])),
    )


def alike_views(made: CuratedBenchmark, embed: Embed, threshold: float = ALIKE) -> list[AlikeViews]:
    """Return the pairs of points of view, each of one question, with a cosine of at least ``threshold``, most
    similar first.

    Raises:
        DeclarationError: the threshold is outside (0, 1].
    """
    if not 0 < threshold <= 1:
        raise DeclarationError(f"--threshold is {threshold}, but it must be a cosine above 0 and at most 1")
    rows = unit_rows(embed([view for question in made.questions for view in question.views]))
    pairs, start = [], 0
    for question in made.questions:
        names = question.names
        for second in range(len(names)):
            for first in range(second):
                cosine = _cosine(rows, start + first, start + second)
                if cosine >= threshold:
                    pairs.append(AlikeViews(question.id, names[first], names[second], cosine))
        start += len(names)
    return sorted(pairs, key=lambda pair: -pair.similarity)


def domains(questions: Sequence[str], embed: Embed, count: int = DOMAINS) -> list[Domain]:
    """Group questions into at most ``count`` domains by k-means over their embeddings; return the largest first.

    A domain is named by its stems with the highest weight, as in BERTopic (Grootendorst 2022). The weight is
    the frequency in the group times ``log(1 + A / f)``. A is the mean number of words of a group, and f the
    frequency over all groups.

    Raises:
        DeclarationError: ``count`` is below 2, or above the number of questions.
    """
    if not 2 <= count <= len(questions):
        raise DeclarationError(
            f"the number of domains is {count}, but it must be from 2 to the number of questions ({len(questions)})"
        )
    rows = unit_rows(embed(questions))
    rows = rows if isinstance(rows, np.ndarray) else rows.toarray()
    rng = np.random.default_rng(SEED)
    centres = [int(rng.integers(len(rows)))]
    while len(centres) < count:  # each next one is the farthest from all before: no empty group, and no luck
        centres.append(int(np.argmin((rows @ rows[centres].T).max(axis=1))))
    means, nearest = rows[centres], np.full(len(rows), -1)
    for _ in range(ROUNDS):
        new = np.argmax(rows @ means.T, axis=1)
        if (new == nearest).all():
            break
        nearest = new
        sums = [
            rows[nearest == group].sum(axis=0) if (nearest == group).any() else means[group]
            for group in range(count)
        ]
        means = unit_rows(np.stack(sums))
    groups = [np.nonzero(nearest == group)[0].tolist() for group in range(count)]
    names = _words([[questions[place] for place in group] for group in groups])
    return sorted(
        (
            Domain(
                words=tuple(names[group]),
                questions=int((nearest == group).sum()),
                example=questions[int(np.argmax(np.where(nearest == group, rows @ means[group], -np.inf)))],
            )
            for group in range(count)
            if (nearest == group).any()
        ),
        key=lambda domain: -domain.questions,
    )


def _words(groups: Sequence[Sequence[str]]) -> list[list[str]]:

    counts = [Counter(word for text in group for word in words(fold(text)) if root(word)) for group in groups]
    every: Counter[str] = sum(counts, Counter())
    mean = every.total() / max(1, len(groups))
    return [
        sorted(count, key=lambda word: (-count[word] * math.log(1 + mean / every[word]), word))[:WORDS]
        for count in counts
    ]


def _cosine(rows: Any, first: int, second: int) -> float:
    product = rows[[first]] @ rows[[second]].T
    return round(float(product[0, 0]), 6)


def read_review(path: Path, column: str) -> dict[str, bool]:
    """Read a completed review form: return a mapping from ids to True for yes; blank rows are left out.

    Raises:
        ItemsError: rows have faults; all are listed.
    """
    needed = "Give the annotation form with the ids that it was written with"
    answer = Field((column,), one_of(ANSWERS, "answer"))
    reader = TableReader(
        file_rows(path), table_schema(id=Field(("id",), identifier, needed=needed), said=answer)
    )
    answers: dict[str, bool] = {}
    for values in reader:
        reader.once("id", values["id"], "Keep one of its answers")
        if values["said"] is not None:
            answers[unguarded(values["id"])] = values["said"]
    reader.finish()
    return answers


MIN_REJECTIONS = 2
"""Annotators who reject what is removed: two of three (A.4)."""


class Removal(BaseModel, frozen=True):
    """What is removed of a benchmark: how many partial answers there were, how many go because annotators
    reject them (``rejected``) or because they say what another says (``duplicates``), how many no one
    labeled, how often each question of the form was answered with no, which questions lose all (``lost``),
    and how many partial answers (``kept``) and ``questions`` are left."""

    answers: int
    rejected: int
    duplicates: int
    unlabelled: int
    noes: dict[str, int]
    lost: tuple[str, ...]
    kept: int
    questions: int


@strict_options
def remove_partial_answers(
    benchmark: str | Path, *, labels: Labels | None = None, duplicates: str | Path | None = None
) -> tuple[list[dict[str, object]], Removal]:
    """Remove the partial answers that at least two annotators reject (DebateQA, A.4), and those that repeat
    an earlier one.

    An annotator rejects a partial answer with the answer no to any question of the form. Questions without
    a remaining partial answer are removed, too.

    Args:
        benchmark: the folder of ``conqret debateqa curate``.
        labels: human labels: completed forms of ``conqret labels sample --task partial-answer``.
        duplicates: the completed form of ``conqret debateqa curate --check distinctiveness``.

    Returns:
        The rows of the remaining benchmark, and the numbers of removed partial answers.

    Raises:
        DeclarationError: as :func:`remove`, neither labels nor duplicates are given, or a form is not
            filled in.
    """
    if labels is None and duplicates is None:
        raise DeclarationError(
            "nothing is given to do with a benchmark: give --check, or --labels, --duplicates or both to remove by"
        )
    made = read_curated(benchmark)
    known = labels if labels is None or isinstance(labels, LabelSet) else read_labels(labels, scales=["0:1"])
    alike = {} if duplicates is None else read_review(Path(duplicates), "duplicate")
    if duplicates is not None and not alike:
        raise DeclarationError(f"{duplicates} is not filled in: write yes or no into its column duplicate")
    return remove(made, known, alike)


def remove(
    made: CuratedBenchmark, labels: LabelSet | None, duplicates: Mapping[str, bool]
) -> tuple[list[dict[str, Any]], Removal]:
    """Remove rejected and duplicate partial answers from a benchmark.

    Args:
        made: the benchmark.
        labels: annotators' labels of the partial answers; None without labels.
        duplicates: maps pairs of partial answers (``first=second``) to True if they say the same; the
            second is removed.

    Returns:
        The rows of the remaining benchmark, and the numbers of removed partial answers.

    Raises:
        DeclarationError: a label or a pair concerns a partial answer that the benchmark lacks.
    """
    names = [name for question in made.questions for name in question.names]
    labels_read = labels.labels if labels is not None else ()
    pairs = [label.rpartition("=")[2] for label, same in duplicates.items() if same]
    strangers = sorted({*(label.unit.item for label in labels_read), *pairs} - {*names})
    if strangers:
        raise DeclarationError(
            f"the benchmark has no partial answer {strangers[0]!r} ({len(strangers)} unknown ids): give labels "
            "of the benchmark from which their annotation form was made"
        )
    noes = [
        label
        for label in labels_read
        if label.value is not None and label.value == (labels.scale(label.dimension).low if labels else None)
    ]
    people = gathered((label.unit.item, label.annotator) for label in noes)
    rejected = {name for name, names in people.items() if len(set(names)) >= MIN_REJECTIONS}
    alike = set(pairs) - rejected
    labelled = {label.unit.item for label in labels_read if label.value is not None}
    lines, lost = [], []
    for question in made.questions:
        named = zip(question.names, question.partial_answers, strict=True)
        left = [answer for name, answer in named if name not in rejected | alike]
        if left:
            lines.append(question.record(left))
        else:
            lost.append(question.id)
    return lines, Removal(
        answers=len(names),
        rejected=len(rejected),
        duplicates=len(alike),
        unlabelled=len(set(names) - labelled) if labels else 0,
        noes={
            name: sum(rejection.dimension == name for rejection in noes)
            for name in (labels.dimensions if labels else ())
        },
        lost=tuple(lost),
        kept=len(names) - len(rejected) - len(alike),
        questions=len(lines),
    )
