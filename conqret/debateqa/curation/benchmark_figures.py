"""What embeddings say of a benchmark: are its documents relevant, and are its points of view distinct? (DebateQA, A.2,
A.3). And which domains its questions are from (Figure 7).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import BaseModel

from conqret.data.digest import gathered
from conqret.debateqa.answering.retrieved_chunks import chunks
from conqret.debateqa.curation.benchmark import CurateFolder
from conqret.debateqa.curation.embeddings import LEXICAL, Embed, embedder, unit_rows
from conqret.errors import DeclarationError, strict_options
from conqret.io.schema import read_models
from conqret.stats.estimate import Estimate
from conqret.stats.resampling import mean_interval


class MadeAnswer(BaseModel, frozen=True):
    """A partial answer, and the ids of its documents."""

    point_of_view: str
    explanation: str
    documents: tuple[str, ...] = ()


class MadeQuestion(BaseModel, frozen=True, extra="allow"):
    """A question of a benchmark with its partial answers, and the ids of the documents that were read for it. What else
    its line holds is kept."""

    id: str
    question: str
    partial_answers: tuple[MadeAnswer, ...]
    documents: tuple[str, ...] = ()

    def name(self, place: int) -> str:
        """The id of the partial answer at this place, from 0."""
        return f"{self.id}#{place + 1}"

    @property
    def views(self) -> list[str]:
        """Its points of view."""
        return [partial_answer.point_of_view for partial_answer in self.partial_answers]

    def record(self, answers: Sequence[MadeAnswer]) -> dict[str, Any]:
        """Its line with these partial answers alone."""
        return {**self.model_dump(), "partial_answers": [answer.model_dump() for answer in answers]}


class MadeDocument(BaseModel, frozen=True, extra="allow"):
    """A document of a benchmark."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class MadeBenchmark:
    """A benchmark, and the texts of its documents by id."""

    questions: tuple[MadeQuestion, ...]
    texts: Mapping[str, str]


def read_made(path: str | Path) -> MadeBenchmark:
    """Read the benchmark of a folder of ``conqret debateqa curate``.

    Raises:
        DeclarationError: it is no such folder, its run is not finished, or it holds no question.
        FaultsError: a line cannot be read.
    """
    folder = CurateFolder(Path(path))
    folder.record()
    if not folder.summary_file.is_file():
        raise DeclarationError(f"{path} contains no finished benchmark; run the command that made it again")
    questions = tuple(read_models(folder.benchmark_file, MadeQuestion))
    if not questions:
        raise DeclarationError(
            f"{path} contains no question: all were filtered out ({folder.filtered_file.name} has the reasons)"
        )
    return MadeBenchmark(
        questions, {model.id: model.text for model in read_models(folder.documents_file, MadeDocument)}
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
    """A chunk of a document of a question, and its cosine with the question."""

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
    """Two points of view of one question by their ids, and their cosine."""

    question: str
    first: str
    second: str
    similarity: float


class Domain(BaseModel, frozen=True):
    """Questions that belong together: words that set them apart, how many they are, and one from their middle."""

    words: tuple[str, ...]
    questions: int
    example: str


def near_chunks(made: MadeBenchmark, embed: Embed) -> list[Near]:
    """Every chunk of the documents that were read for a question, nearest first for each question."""
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
    """Measure how near documents' chunks of 1,000 tokens are to their questions (DebateQA, A.2 and Figure 4).

    Args:
        benchmark: the folder of ``conqret debateqa curate``.
        encoder: the folder of a sentence-transformers model, or ``lexical``: word stems by TF-IDF.

    Raises:
        DeclarationError: there is no finished benchmark, it holds no text, or the encoder is wrong.
    """
    return relevance(near_chunks(read_made(benchmark), embedder(encoder)))


@strict_options
def benchmark_domains(
    benchmark: str | Path, *, number: int = DOMAINS, encoder: str = LEXICAL
) -> list[Domain]:
    """Group a benchmark's questions into domains, named by their words (DebateQA, Figure 7).

    Args:
        benchmark: the folder of ``conqret debateqa curate``.
        number: how many domains; not more than there are questions.
        encoder: the folder of a sentence-transformers model, or ``lexical``: word stems by TF-IDF.

    Raises:
        DeclarationError: as :func:`domains`, there is no finished benchmark, or the encoder is wrong.
    """
    questions = [question.question for question in read_made(benchmark).questions]
    return domains(questions, embedder(encoder), min(number, len(questions)))


def relevance(near: Sequence[Near]) -> Relevance:
    """The relevance of chunks to their questions."""
    by_question = gathered((chunk.question, chunk.similarity) for chunk in near)
    means = {name: sum(values) / len(values) for name, values in by_question.items()}
    return Relevance(
        mean=mean_interval(list(means.values())),
        chunks=len(near),
        documents=len({(chunk.question, chunk.document) for chunk in near}),
        by_question=dict(sorted(means.items(), key=lambda pair: pair[1])),
    )


def alike_views(made: MadeBenchmark, embed: Embed, threshold: float = ALIKE) -> list[AlikeViews]:
    """The points of view of one question whose cosine is ``threshold`` or more, by falling similarity.

    Raises:
        DeclarationError: the threshold is outside (0, 1].
    """
    if not 0 < threshold <= 1:
        raise DeclarationError(f"--threshold is {threshold}, but it must be a cosine above 0 and at most 1")
    rows = unit_rows(embed([view for question in made.questions for view in question.views]))
    pairs, start = [], 0
    for question in made.questions:
        count = len(question.partial_answers)
        for second in range(count):
            for first in range(second):
                cosine = _cosine(rows, start + first, start + second)
                if cosine >= threshold:
                    pairs.append(AlikeViews(question.id, question.name(first), question.name(second), cosine))
        start += count
    return sorted(pairs, key=lambda pair: -pair.similarity)


def domains(
    questions: Sequence[str], embed: Embed, count: int = DOMAINS, *, seed: int = SEED
) -> list[Domain]:
    """The questions in ``count`` groups by k-means over their embeddings, the largest first.

    The words of a group are the stems that set it apart, weighed as in BERTopic: frequency in the group times
    ``log(1 + A / f)``, A the mean number of words of a group, f the frequency over all (Grootendorst 2022).

    Raises:
        DeclarationError: fewer than 2 groups are wanted, or more than there are questions.
    """
    import numpy as np

    if not 2 <= count <= len(questions):
        raise DeclarationError(
            f"the number of domains is {count}, but it must be from 2 to the number of questions ({len(questions)})"
        )
    rows = unit_rows(embed(questions))
    rows = rows if isinstance(rows, np.ndarray) else rows.toarray()
    rng = np.random.default_rng(seed)
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
                words=tuple(names[group]), questions=int((nearest == group).sum()),
                example=questions[int(np.argmax(np.where(nearest == group, rows @ means[group], -np.inf)))],
            )
            for group in range(count) if (nearest == group).any()
        ),
        key=lambda domain: -domain.questions,
    )  # fmt: skip


def _words(groups: Sequence[Sequence[str]]) -> list[list[str]]:
    import math

    from conqret.text.text_passages import root
    from conqret.text.word_lists import fold, words

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
