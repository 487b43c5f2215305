"""TREC files: qrels (``topic 0 document grade``) and runs (``topic Q0 document rank score tag``).

Rows are named tuples with the field names of ir_datasets and ir_measures. Files ending in ``.gz`` are compressed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from ctypes import c_float
from pathlib import Path
from typing import NamedTuple, TypeVar

from conqret.data.corpus import Qrel
from conqret.data.digest import gathered
from conqret.errors import DeclarationError, Fault
from conqret.errors import number as counted
from conqret.io import limits
from conqret.io.limits import byte_lines
from conqret.io.safe_files import write_all
from conqret.text.numbers import number_in, whole_number_in

_Row = TypeVar("_Row")
MAX_PARTS = 10
"""A line is split into at most so many parts and a rest: more than any form has."""


class ScoredDoc(NamedTuple):
    """One line of a ranking: a document's score for a query; a higher score ranks earlier."""

    query_id: str
    doc_id: str
    score: float


def read_qrels(path: str | Path, *, by_iteration: bool = False) -> Iterator[Qrel]:
    """Yield the judged pairs of a qrels file, plain or gzipped, in file order; repeated lines are
    skipped.

    Args:
        path: the file.
        by_iteration: allow one grade per pair and iteration (second column), as for numbered perspectives.

    Raises:
        DeclarationError: the file is missing, a line has not four parts or no whole number as grade, or a pair has two
            grades.
    """

    def row(parts: list[str]) -> Qrel:
        query, iteration, document, grade = parts
        return Qrel(query, document, whole_number_in(grade), iteration)

    seen: dict[tuple[str, str, str], tuple[int, int]] = {}
    for number, qrel in parsed_lines(Path(path), row, "topic 0 document grade"):
        pair = qrel.query_id, qrel.doc_id, qrel.iteration if by_iteration else ""
        first, grade = seen.setdefault(pair, (number, qrel.relevance))
        if grade != qrel.relevance:
            raise DeclarationError(
                f"{path}:{number} gives {qrel.doc_id!r} the grade {qrel.relevance} for {qrel.query_id!r}, and line "
                f"{first} the grade {grade}: remove one"
            )
        if first == number:
            yield qrel


def read_run(path: str | Path) -> Iterator[ScoredDoc]:
    """Yield the lines of a TREC run, plain or gzipped, in file order; ranks are ignored, as in trec_eval.

    Raises:
        DeclarationError: the file is missing, a line has not six parts or no finite score, or a topic ranks a document
            twice.
    """

    def row(parts: list[str]) -> ScoredDoc:
        query, _, document, _, score, _ = parts
        return ScoredDoc(query, document, number_in(score))

    seen: dict[tuple[str, str], int] = {}
    for number, line in parsed_lines(Path(path), row, "topic Q0 document rank score tag"):
        first = seen.setdefault((line.query_id, line.doc_id), number)
        if first != number:
            raise DeclarationError(
                f"{path}:{number} ranks {line.doc_id!r} twice for {line.query_id!r} (first in line {first}): remove one"
            )
        yield line


class Rankings(dict[str, list[str]]):
    """A mapping from each topic to its document ids, best first.

    ``tied`` holds the topics in which documents have equal scores.
    """

    tied: tuple[str, ...] = ()

    def remarks(self) -> tuple[str, ...]:
        """Return a remark that equal scores are ordered by document id, or nothing if there are none."""
        if not self.tied:
            return ()
        topics = counted(len(self.tied), "topic")
        return (f"documents with equal scores in {topics} are sorted by id, descending, as trec_eval does",)


def read_rankings(path: str | Path) -> Rankings:
    """Read the rankings of a TREC run, ordered as in trec_eval: by score, then by document id, both
    descending.

    Raises:
        DeclarationError: the file is missing, no run, or empty.
    """
    lines_by_topic = gathered((line.query_id, line) for line in read_run(path))
    if not lines_by_topic:
        raise DeclarationError(f"{path} contains no ranking")
    rankings = Rankings(
        (topic, [line.doc_id for line in sorted(lines, key=_place, reverse=True)])
        for topic, lines in lines_by_topic.items()
    )
    rankings.tied = tuple(
        topic
        for topic, lines in lines_by_topic.items()
        if len({_place(line)[0] for line in lines}) < len(lines)
    )
    return rankings


def _place(line: ScoredDoc) -> tuple[float, str]:
    """Return the key by which trec_eval sorts: the score in single precision, then the document id."""
    return c_float(line.score).value, line.doc_id


def write_qrels(path: str | Path, qrels: Iterable[Qrel]) -> int:
    """Write judged pairs to a qrels file, and return their number.

    Raises:
        DeclarationError: an id is empty or has white space in it, which the format cannot hold.
    """
    lines = (
        f"{_id(row.query_id)} {_id(row.iteration)} {_id(row.doc_id)} {int(row.relevance)}\n" for row in qrels
    )
    return write_all(Path(path), (line.encode("utf-8") for line in lines))


def scored(rankings: Mapping[str, Sequence[str]]) -> list[ScoredDoc]:
    """Convert rankings (best first) to run lines with descending scores; the last document of a topic
    gets 1."""
    return [
        ScoredDoc(topic, document, float(len(documents) - place))
        for topic, documents in rankings.items()
        for place, document in enumerate(documents)
    ]


def write_run(path: str | Path, run: Iterable[ScoredDoc], tag: str = "conqret") -> int:
    """Write a TREC run with this ``tag`` in its last column, and return the number of lines; a path that
    ends in ``.gz`` is compressed.

    The lines of a topic are sorted as in :func:`read_rankings`, with ranks from 1; topics keep their order.

    Raises:
        DeclarationError: an id has white space in it, a score is not finite, or a topic ranks a document
            twice.
    """
    topics: dict[str, dict[str, ScoredDoc]] = {}
    for line in run:
        ranking = topics.setdefault(line.query_id, {})
        if line.doc_id in ranking:
            raise DeclarationError(f"the run ranks {line.doc_id!r} twice for {line.query_id!r}: remove one")
        if not math.isfinite(line.score):
            raise DeclarationError(
                f"the score of {line.doc_id!r} for {line.query_id!r} is {line.score}: write a finite number"
            )
        ranking[line.doc_id] = line
    name = _id(tag)
    lines = (
        f"{_id(query)} Q0 {_id(line.doc_id)} {rank} {float(line.score)!r} {name}\n"
        for query, ranking in topics.items()
        for rank, line in enumerate(sorted(ranking.values(), key=_place, reverse=True), start=1)
    )
    return write_all(Path(path), (line.encode("utf-8") for line in lines))


def parsed_lines(path: Path, row: Callable[[list[str]], _Row], shape: str) -> Iterator[tuple[int, _Row]]:
    """Yield the line number and the parsed row of each line of a file, plain or gzipped; blank lines are
    skipped.

    ``row`` converts the parts between whitespace; ``shape`` describes a valid line in the error message.

    Raises:
        DeclarationError: the file is missing or has too many lines, or ``row`` raises ValueError.
    """
    if not path.is_file():
        raise DeclarationError(f"{path}: there is no such file")
    most = limits.UNPACKED.most
    for line in byte_lines(path, str(path)):
        if isinstance(line, Fault):
            raise DeclarationError(f"{path}:{line.line}: {line.problem}. {line.remedy}")
        if line.offset > most:
            raise DeclarationError(
                f"{path} has more than {limits.UNPACKED}: split it, {limits.UNPACKED.remedy}"
            )
        parts = line.data.decode("utf-8", "replace").split(maxsplit=MAX_PARTS)
        if not parts:
            continue
        try:
            parsed = row(parts)
        except ValueError as error:
            line_text = " ".join(parts)[:80]
            why = f" ({str(error)!r} is not such a number)" if len(parts) == len(shape.split()) else ""
            raise DeclarationError(f"{path}:{line.number} is not “{shape}”{why}: {line_text!r}") from None
        yield line.number, parsed


def _id(text: str) -> str:
    if not text or any(char.isspace() for char in text):
        raise DeclarationError(
            f"the id {text!r} is empty or contains white space, which TREC files do not allow: give another id"
        )
    return text
