"""Read lists of questions in conqret's own layout and those of DELPHI and ConflictingQA.

Own files have a column ``question`` (or ``topic``), perhaps ``id``, ``source``, ``url`` and ``licence``. DELPHI (Sun et
al. 2023) has the columns ``qid`` and ``Controversial question`` and no texts: these stand in the Quora Question Pairs,
under ``qid1``, ``question1``, ``qid2`` and ``question2``. ConflictingQA (Wan et al. 2024) has ``search_query``, on a
row for each page that was found.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated

from conqret.errors import DeclarationError, number
from conqret.io.checks import Identifier, OneLine, Text, one_of
from conqret.io.files import file_rows
from conqret.io.rows import Rows, columns_of
from conqret.io.schema import in_columns, read_table

DELPHI, CONFLICTING = "delphi", "conflictingqa"
"""The names of the sources whose layouts are known."""

_CONTROVERSIAL = "Controversial question"


@dataclass(frozen=True, slots=True)
class SourcedQuestion:
    """A question with its id and its source: the source's name, a URL and a license (empty if unknown)."""

    id: Identifier
    question: Annotated[OneLine, in_columns("question", "topic", needed="Write the question")]
    source: Text = ""
    url: Text = ""
    licence: Annotated[Text, in_columns("licence", "license")] = ""

    def record(self) -> dict[str, str]:
        """Return the non-empty fields as a dictionary for writing."""
        return {name: value for name, value in asdict(self).items() if value}


@dataclass(frozen=True, slots=True)
class _DelphiRow:
    id: Annotated[Identifier, in_columns("qid", needed="Give the number of the question")]
    debatable: Annotated[
        bool,
        one_of({"true": True, "false": False}, "truth value"),
        in_columns(_CONTROVERSIAL, needed="Write TRUE or FALSE"),
    ]


@dataclass(frozen=True, slots=True)
class _ConflictingQaRow:
    question: Annotated[OneLine, in_columns("search_query", needed="Write the question")]


@dataclass(frozen=True, slots=True)
class _QuoraPair:
    first: Annotated[Identifier, in_columns("qid1", needed="Give its number")]
    second: Annotated[Identifier, in_columns("qid2", needed="Give its number")]
    one: Annotated[Text, in_columns("question1")] = ""
    other: Annotated[Text, in_columns("question2")] = ""


def read_sourced(paths: Sequence[str | Path], texts: str | Path | None = None) -> tuple[SourcedQuestion, ...]:
    """Read the questions of one or several files, in file order.

    ``texts`` is the Quora Question Pairs table, which holds the texts of DELPHI's questions; only those
    labeled controversial are taken. A question without an id is named by its file and row. A question
    without a source takes its file's name, if there are several files.

    Raises:
        ItemsError: rows have faults, or an id stands twice in a file; all are listed.
        DeclarationError: a file holds no question, DELPHI's texts are not given or not there, or an id stands in two
            files.
    """
    questions: list[SourcedQuestion] = []
    for path in map(Path, paths):
        rows = file_rows(path)
        there = set(columns_of(rows))
        if {"qid", _CONTROVERSIAL} <= there:
            part = _delphi(rows, path, texts)
        elif "search_query" in there and "question" not in there:
            wordings = dict.fromkeys(row.question for row in read_table(rows, _ConflictingQaRow))
            part = [
                SourcedQuestion(f"{CONFLICTING}-{n}", question, CONFLICTING)
                for n, question in enumerate(wordings, start=1)
            ]
        else:
            name = path.name.split(".")[0]
            own = read_table(rows, SourcedQuestion, "Give each question an id of its own", f"{name}-")
            named = name if len(paths) > 1 else ""
            part = [replace(question, source=question.source or named) for question in own]
        if not part:
            raise DeclarationError(f"{path} contains no question")
        questions += part
    repeated = [
        question_id
        for question_id, count in Counter(question.id for question in questions).items()
        if count > 1
    ]
    if repeated:
        raise DeclarationError(
            f"the id {repeated[0]!r} occurs in two of the files ({number(len(repeated), 'id')} in "
            "all): give one of the questions another id"
        )
    return tuple(questions)


def _delphi(rows: Rows, path: Path, texts: str | Path | None) -> list[SourcedQuestion]:
    if texts is None:
        raise DeclarationError(
            f"{path} has DELPHI's numbers and labels, but no texts: they are in train.csv of the Quora Question "
            "Pairs (columns qid1, question1, qid2, question2); name that file with --texts"
        )
    wanted = dict.fromkeys(row.id for row in read_table(rows, _DelphiRow) if row.debatable)
    known = {
        number: words
        for pair in read_table(texts, _QuoraPair)
        for number, words in ((pair.first, pair.one), (pair.second, pair.other))
        if number in wanted
    }
    lacking = [number for number in wanted if not known.get(number, "").strip()]
    if lacking:
        raise DeclarationError(
            f"{texts} lacks {len(lacking)} of DELPHI's {len(wanted)} controversial questions (first: qid "
            f"{lacking[0]}); give the train.csv from which DELPHI was made"
        )
    return [SourcedQuestion(f"{DELPHI}-{topic}", " ".join(known[topic].split()), DELPHI) for topic in wanted]


def by_source(questions: Sequence[SourcedQuestion]) -> Mapping[str, int]:
    """Count the questions of each source, in the order of each source's first question; those without a
    source count as ``questions``.
    """
    return dict(Counter(question.source or "questions" for question in questions))
