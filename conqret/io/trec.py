"""TREC files: qrels (``topic 0 document grade``) and runs (``topic Q0 document rank score tag``).

Rows are named tuples with the field names of ir_datasets and ir_measures. Files ending in ``.gz`` are compressed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

from conqret.data.corpus import Qrel
from conqret.data.digest import gathered
from conqret.errors import DeclarationError, Fault
from conqret.io import limits
from conqret.io.decoding import byte_lines
from conqret.io.safe_files import write_all

_Row = TypeVar("_Row")
MOST_PARTS = 10
"""Of a line that are told apart: more than any form has."""


class ScoredDoc(NamedTuple):
    """One line of a ranking; a higher score stands earlier."""

    query_id: str
    doc_id: str
    score: float


def read_qrels(path: str | Path) -> Iterator[Qrel]:
    """The judged pairs of a file, plain or gzipped, in file order.

    Raises:
        DeclarationError: the file is missing, or a line has not four parts or no whole number as grade.
    """

    def row(parts: list[str]) -> Qrel:
        query, iteration, document, grade = parts
        return Qrel(query, document, int(grade), iteration)

    return parsed_lines(Path(path), row, "topic 0 document grade")


def read_run(path: str | Path) -> Iterator[ScoredDoc]:
    """The lines of a run, plain or gzipped, in file order; ranks are ignored, as trec_eval does.

    Raises:
        DeclarationError: the file is missing, or a line has not six parts or no finite score.
    """

    def row(parts: list[str]) -> ScoredDoc:
        query, _, document, _, score, _ = parts
        if not math.isfinite(float(score)):
            raise ValueError(score)
        return ScoredDoc(query, document, float(score))

    return parsed_lines(Path(path), row, "topic Q0 document rank score tag")


def read_rankings(path: str | Path) -> dict[str, list[str]]:
    """The document ids of each topic of a TREC run, best first.

    Raises:
        DeclarationError: the file is missing, no run, or empty.
    """
    lines_by_topic = gathered((line.query_id, (line.score, line.doc_id)) for line in read_run(path))
    if not lines_by_topic:
        raise DeclarationError(f"{path} contains no ranking")
    return {
        topic: [document for _, document in sorted(lines, key=lambda pair: -pair[0])]
        for topic, lines in lines_by_topic.items()
    }


def write_qrels(path: str | Path, qrels: Iterable[Qrel]) -> int:
    """Write judged pairs; returns their number.

    Raises:
        DeclarationError: an id is empty or has white space in it, which the format cannot hold.
    """
    lines = (
        f"{_id(row.query_id)} {_id(row.iteration)} {_id(row.doc_id)} {int(row.relevance)}\n" for row in qrels
    )
    return write_all(Path(path), (line.encode("utf-8") for line in lines))


def scored(rankings: Mapping[str, Sequence[str]]) -> list[ScoredDoc]:
    """The documents of each topic, best first, as lines of a run: the last one's score is 1."""
    return [
        ScoredDoc(topic, document, float(len(documents) - place))
        for topic, documents in rankings.items()
        for place, document in enumerate(documents)
    ]


def write_run(path: str | Path, run: Iterable[ScoredDoc], tag: str = "conqret") -> int:
    """Write rankings; returns the number of lines.

    The lines of a topic are sorted by falling score, and among equal scores stay as they came; ranks count
    from 1. Topics keep the order of their first line.

    Raises:
        DeclarationError: an id has white space in it, a score is not finite, or a topic ranks a document twice.
    """
    topics: dict[str, dict[str, float]] = {}
    for line in run:
        ranking = topics.setdefault(line.query_id, {})
        if line.doc_id in ranking:
            raise DeclarationError(f"the run ranks {line.doc_id!r} twice for {line.query_id!r}: remove one")
        if not math.isfinite(line.score):
            raise DeclarationError(
                f"the score of {line.doc_id!r} for {line.query_id!r} is {line.score}: write a finite number"
            )
        ranking[line.doc_id] = float(line.score)
    name = _id(tag)
    lines = (
        f"{_id(query)} Q0 {_id(document)} {rank} {score!r} {name}\n"
        for query, ranking in topics.items()
        for rank, (document, score) in enumerate(sorted(ranking.items(), key=lambda pair: -pair[1]), start=1)
    )
    return write_all(Path(path), (line.encode("utf-8") for line in lines))


def parsed_lines(path: Path, row: Callable[[list[str]], _Row], shape: str) -> Iterator[_Row]:
    """The lines of a file, plain or gzipped, from their parts between white space; ``shape`` says in the error what a
    line is.

    Raises:
        DeclarationError: the file is missing or has too many lines, or ``row`` raises ValueError.
    """
    if not path.is_file():
        raise DeclarationError(f"{path}: there is no such file")
    return _parsed(path, row, shape)


def _parsed(path: Path, row: Callable[[list[str]], _Row], shape: str) -> Iterator[_Row]:
    most = limits.LINES.most
    for line in byte_lines(path, str(path)):
        if isinstance(line, Fault):
            raise DeclarationError(f"{path}:{line.line}: {line.problem}. {line.remedy}")
        if line.number > most:
            raise DeclarationError(f"{path} has more than {limits.LINES}: split it, {limits.LINES.remedy}")
        parts = line.data.decode("utf-8", "replace").split(maxsplit=MOST_PARTS)
        if not parts:
            continue
        try:
            yield row(parts)
        except ValueError:
            line_text = " ".join(parts)[:80]
            raise DeclarationError(
                f"{path}:{line.number} does not have the form “{shape}”: {line_text!r}"
            ) from None


def _id(text: str) -> str:
    if not text or any(char.isspace() for char in text):
        raise DeclarationError(
            f"the id {text!r} is empty or contains white space, which TREC files do not allow: give another id"
        )
    return text
