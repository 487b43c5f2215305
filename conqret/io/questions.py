"""Lists of questions: conqret's own layout, and those of DELPHI and ConflictingQA.

Own files have a column ``question`` (or ``topic``), perhaps ``id``, ``source``, ``url`` and ``licence``. DELPHI (Sun et
al. 2023) has the columns ``qid`` and ``Controversial question`` and no texts: these stand in the Quora Question Pairs,
under ``qid1``, ``question1``, ``qid2`` and ``question2``. ConflictingQA (Wan et al. 2024) has ``search_query``, on a
row for each page that was found.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from conqret.errors import DeclarationError, number
from conqret.io.checks import identifier, one_line, one_of, text
from conqret.io.files import file_rows
from conqret.io.rows import Rows, columns_of
from conqret.io.schema import Field, Schema, TableReader

DELPHI, CONFLICTING = "delphi", "conflictingqa"
"""The names of the sources whose layouts are known."""

_CONTROVERSIAL = "Controversial question"


@dataclass(frozen=True, slots=True)
class SourcedQuestion:
    """A question under an id, and where it comes from: its source's name, an address, a licence (empty: not said)."""

    id: str
    question: str
    source: str = ""
    url: str = ""
    licence: str = ""

    def record(self) -> dict[str, str]:
        """What is written of it; what is empty is left out."""
        return {name: value for name, value in asdict(self).items() if value}


OWN = Schema(
    "a question",
    {
        "id": Field(("id",), identifier),
        "question": Field(("question", "topic"), one_line, needed="Write the question"),
        "source": Field(("source",), text, ""),
        "url": Field(("url",), text, ""),
        "licence": Field(("licence", "license"), text, ""),
    },
)
_OF_DELPHI = Schema(
    "a question of DELPHI",
    {
        "id": Field(("qid",), identifier, needed="Give the number of the question"),
        "debatable": Field(
            (_CONTROVERSIAL,),
            one_of({"true": True, "false": False}, "truth value"),
            needed="Write TRUE or FALSE",
        ),
    },
)
_OF_CONFLICTING = Schema(
    "a question of ConflictingQA",
    {"question": Field(("search_query",), one_line, needed="Write the question")},
)
_OF_QUORA = Schema(
    "a pair of questions",
    {
        "first": Field(("qid1",), identifier, needed="Give its number"),
        "one": Field(("question1",), text, ""),
        "second": Field(("qid2",), identifier, needed="Give its number"),
        "other": Field(("question2",), text, ""),
    },
)


def read_sourced(paths: Sequence[str | Path], texts: str | Path | None = None) -> tuple[SourcedQuestion, ...]:
    """Read the questions of one or several files, in their order.

    ``texts`` is the table of Quora Question Pairs, which holds the texts of DELPHI's questions; of these only the ones
    labelled controversial are taken. A question without an id has the name of its file and its row; one without a
    source the name of its file, where there are several.

    Raises:
        ItemsError: rows have faults, or an id stands twice in a file; all are listed.
        DeclarationError: a file holds no question, DELPHI's texts are not given or not there, or an id stands in two
            files.
    """
    questions: list[SourcedQuestion] = []
    for path in map(Path, paths):
        rows = file_rows(path)
        columns = set(columns_of(rows))
        if {"qid", _CONTROVERSIAL} <= columns:
            part = _delphi(rows, path, texts)
        elif "search_query" in columns and "question" not in columns:
            part = _conflicting(rows)
        else:
            part = _own(rows, path, several=len(paths) > 1)
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


def _own(rows: Rows, path: Path, *, several: bool) -> list[SourcedQuestion]:
    reader = TableReader(rows, OWN)
    name, questions = path.name.split(".")[0], []
    for values in reader.named("Give each question an id of its own", f"{name}-"):
        values["source"] = values["source"] or (name if several else "")
        questions.append(SourcedQuestion(**values))
    reader.finish()
    return questions


def _conflicting(rows: Rows) -> list[SourcedQuestion]:
    reader = TableReader(rows, _OF_CONFLICTING)
    texts = dict.fromkeys(values["question"] for values in reader)
    reader.finish()
    return [
        SourcedQuestion(f"{CONFLICTING}-{n}", question, CONFLICTING)
        for n, question in enumerate(texts, start=1)
    ]


def _delphi(rows: Rows, path: Path, texts: str | Path | None) -> list[SourcedQuestion]:
    if texts is None:
        raise DeclarationError(
            f"{path} has DELPHI's numbers and labels, but no texts: they are in train.csv of the Quora Question "
            "Pairs (columns qid1, question1, qid2, question2); name that file with --texts"
        )
    reader = TableReader(rows, _OF_DELPHI)
    wanted = dict.fromkeys(values["id"] for values in reader if values["debatable"])
    reader.finish()
    known = {number: words for number, words in _pairs(texts) if number in wanted}
    lacking = [number for number in wanted if not known.get(number, "").strip()]
    if lacking:
        raise DeclarationError(
            f"{texts} lacks {len(lacking)} of DELPHI's {len(wanted)} controversial questions (the first: qid "
            f"{lacking[0]}); give the train.csv from which DELPHI was made"
        )
    return [SourcedQuestion(f"{DELPHI}-{topic}", " ".join(known[topic].split()), DELPHI) for topic in wanted]


def _pairs(texts: str | Path) -> Iterator[tuple[str, str]]:
    reader = TableReader(file_rows(texts), _OF_QUORA)
    for values in reader:
        yield values["first"], values["one"]
        yield values["second"], values["other"]
    reader.finish()


def by_source(questions: Sequence[SourcedQuestion]) -> Mapping[str, int]:
    """How many questions each source has, in the order of the first of each."""
    return dict(Counter(question.source or "questions" for question in questions))
