"""Rankings with their texts, as BeRDS's scripts read and write them: a row for each question, its passages in ``ctxs``.

A row has ``question``, perhaps ``id`` and ``perspectives``, and ``ctxs``, the best first, each with ``text``, perhaps
``title``, ``id``, and what was judged: a list of true and false in ``preds`` (there ``mistral-preds``, ``gpt4-preds``),
one for each perspective. Passages are told apart by their text, so that equal ones of two files are judged once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Protocol

from conqret.data.digest import digest_of
from conqret.errors import DeclarationError
from conqret.io.checks import Cell, Filled, Text, a_list, each
from conqret.io.files import file_rows
from conqret.io.jsonl import json_lines
from conqret.io.schema import TableReader, in_columns
from conqret.perspectives.perspective_files import PerspectiveQuestion
from conqret.retrieval.systems import SystemRun

SUFFIXES = (".jsonl", ".jsonl.gz", ".json")
"""Names of files that hold rankings with texts; all others are TREC runs."""
ID_LENGTH = 16


class Passage(Protocol):
    """A document with a title and a text."""

    @property
    def title(self) -> str: ...  # noqa: D102

    @property
    def text(self) -> str: ...  # noqa: D102

    @property
    def whole(self) -> str: ...  # noqa: D102


def _verdicts(value: object, where: str, reader: TableReader) -> tuple[bool, ...]:
    listed = a_list(value, "a list of true and false", "Write [true, false]", lambda entry: entry in (0, 1))
    return tuple(map(bool, listed))


@dataclass(frozen=True, slots=True)
class RetrievedPassage:
    """A passage of a ranking; ``preds`` says which perspectives it contains, in their order (empty: not
    judged)."""

    text: Annotated[Filled, in_columns(needed="Give the text of the passage")]
    title: Text = ""
    preds: Annotated[tuple[bool, ...], _verdicts, in_columns("preds", "mistral-preds", "gpt4-preds")] = ()

    @property
    def whole(self) -> str:
        """The text with the title behind it, as the released evaluation joins them."""
        return f"{self.text} {self.title}".rstrip()


@dataclass(frozen=True, slots=True)
class _Retrieved:
    ctxs: Annotated[
        tuple[RetrievedPassage, ...],
        each(RetrievedPassage),
        in_columns(needed="List the passages, best first"),
    ]
    id: Cell = ""
    question: Annotated[Text, in_columns("question", "topic")] = ""


@dataclass(frozen=True)
class RetrievedContexts:
    """The contents of a file: a ranking for each question, the passages by id, and what was judged.

    ``judged`` maps question, number of the perspective (from 1) and passage to whether it contains it.
    """

    run: SystemRun
    passages: Mapping[str, RetrievedPassage]
    judged: Mapping[tuple[str, int, str], bool]


def holds_contexts(path: str | Path) -> bool:
    """Return True if a file's name is that of rankings with texts, and not of a TREC run or qrels."""
    return str(path).lower().endswith(SUFFIXES)


def read_contexts(named: str, questions: Sequence[PerspectiveQuestion]) -> RetrievedContexts:
    """Read ``NAME=FILE``, rankings with texts; a row belongs to the question with its words, else with its id.

    A passage that a ranking has twice counts twice, as in the released evaluation.

    Raises:
        ItemsError: rows have faults; all are listed.
        DeclarationError: no row belongs to one of the questions.
    """
    name, _, path = named.partition("=")
    by_words = {_plain(question.question): question for question in questions}
    by_id = {question.id: question for question in questions}
    rankings = dict[str, list[str]]()
    passages, judged = dict[str, RetrievedPassage](), dict[tuple[str, int, str], bool]()
    reader = TableReader(file_rows(Path(path)))
    for row in reader.read_as(_Retrieved):
        question = by_words.get(_plain(row.question)) or by_id.get(row.id or str(reader.number))
        if question is None:
            continue
        ranking = rankings[question.id] = list[str]()
        for passage in row.ctxs:
            document = digest_of([passage.title, passage.text])[:ID_LENGTH]
            times = sum(known.partition("~")[0] == document for known in ranking)
            document += f"~{times + 1}" if times else ""
            ranking.append(document)
            passages[document] = passage
            for place, yes in enumerate(passage.preds, start=1):
                judged[question.id, place, document] = yes
    reader.finish(wanted="rankings")
    if not rankings:
        raise DeclarationError(
            f"{path} ranks nothing for any of the {len(questions)} questions: give its rows the same questions or ids"
        )
    return RetrievedContexts(
        SystemRun(name, rankings, None, max(map(len, rankings.values()))), passages, judged
    )


def context_lines(
    questions: Sequence[PerspectiveQuestion],
    run: SystemRun,
    passages: Mapping[str, Passage],
    judged: Mapping[str, Mapping[str, Any]],
    depth: int,
) -> Iterator[str]:
    """Return the rankings of a system as JSON Lines in this format, down to ``depth``.

    ``judged`` has, by question and document, the places (from 0) of the perspectives that the document
    contains. Documents without a text are left out.
    """

    def contexts(question: PerspectiveQuestion) -> Iterator[dict[str, Any]]:
        known = judged[question.id]
        for document in run.run.get(question.id, ())[:depth]:
            if document in passages:
                passage = passages[document]
                yield {"id": document, "title": passage.title, "text": passage.text} | (
                    {"preds": [place in known[document] for place in range(len(question.perspectives))]}
                    if document in known
                    else {}
                )

    return json_lines(
        {
            "id": question.id,
            "question": question.question,
            "perspectives": [perspective.text for perspective in question.perspectives],
            "ctxs": list(contexts(question)),
        }
        for question in questions
    )


def _plain(question: str) -> str:
    return " ".join(question.casefold().split())
