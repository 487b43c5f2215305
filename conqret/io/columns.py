"""Dialects: tables of the column names in conqret's own files and in other tools' files.

A plug-in brings a further :class:`Dialect` by an entry point in the group ``conqret.adapters``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from conqret.errors import Fault
from conqret.io.benchmarks import grouped, sample_records, squad_records
from conqret.io.reports import TOPIC_IDS, assignment_records, report_records
from conqret.io.rows import Row, Rows
from conqret.io.schema import loose_name
from conqret.registry import Registry

FIELDS = tuple(
    "id topic stance documents argument second_argument reference nuggets messages images language metadata".split()
)
"""The fields of an item, which ``--columns`` may map."""
SEPARATOR = "separator"
"""Under this name ``--columns`` has what stands between documents in one cell."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """The layout of one tool's files: which column holds which field of an item.

    Attributes:
        name: the name shown in messages ("read as ragas v2").
        columns: for each field, the columns that may hold it; the first with a value is used. Dots
            reach into objects and lists, and + joins several columns (see
            :class:`~conqret.io.schema.Field`): ``query.text``, ``hits.body.content``, ``doc 1+doc 2``.
        marks: sets of columns; the dialect is recognized if at least one column of each set exists.
        separator: the text between documents if the tool writes them into one CSV cell.
        native: if true, a misspelled field name (``arguement``) is a fault.
        mapped: the columns that the user set, by field.
        long: if true, a row is a pair of item and document, and adjacent rows with the same id form
            one item.
        records: converts the rows to one record for each item, if a row is not one.
        turns: if true, the dialect is only recognized if its messages column holds a list of messages.
        note: a note to the user for each item of this dialect.
    """

    name: str
    columns: Mapping[str, tuple[str, ...]]
    marks: tuple[frozenset[str], ...] = ()
    separator: str = ""
    long: bool = False
    records: Callable[[Rows], Iterator[Row | Fault]] = iter
    native: bool = False
    mapped: Mapping[str, str] = field(default_factory=dict)
    turns: bool = False
    note: str = ""


def _dialect(name: str, marks: str, columns: str, base: Dialect | None = None, **settings: Any) -> Dialect:
    """Build a dialect from texts. ``marks`` are separated by spaces, with ``|`` between columns of which one
    is enough.

    ``columns`` are ``field=column`` separated by spaces, with ``|`` between columns that may hold the field;
    a field alone has a column of its own name. The columns of ``base`` are added, and ``settings`` are other
    attributes of :class:`Dialect`.
    """
    held, sets = dict(base.columns) if base else {}, list[frozenset[str]]()
    for column in columns.split():
        field_name, _, names = column.partition("=")
        held[field_name] = tuple((names or field_name).split("|"))
    for mark in marks.split():
        sets.append(frozenset(mark.split("|")))
    return Dialect(name, held, tuple(sets), **settings)


_GOLD = "ground_truth|ground_truths|reference|reference_answer|gold_answer"
"""How tools that mark a column of their own as the answer, and users without a tool, call the reference."""
_DOCUMENTS = (
    "contexts|context|retrieved_contexts|documents|docs|passages|chunks|retrieved_documents|retrieved_docs"
)
"""How users without a tool call the documents of a question."""
GOLD = ("reference", "gold_answer")
"""The columns of pyterrier-rag's frames with a question's right answer."""

CONQRET = _dialect("conqret", "topic", " ".join(FIELDS), native=True)
"""The native dialect: the columns are called as the fields of :class:`conqret.data.Item`."""
RAGAS_2 = _dialect(
    "ragas v2",
    "user_input retrieved_contexts|response|reference",
    "topic=user_input documents=retrieved_contexts argument=response reference=reference messages=user_input|messages",
)
RAGAS_TURNS = replace(RAGAS_2, name="ragas conversations", marks=(frozenset({"user_input"}),), turns=True)
"""Samples of several turns, which need only their messages."""
RAGAS_1 = _dialect(
    "ragas v1",
    f"question answer|response|ground_truth|ground_truths|{_DOCUMENTS}",
    f"topic=question documents={_DOCUMENTS} argument=answer|response|output reference={_GOLD}",
)
ALCE = _dialect(
    "ALCE",
    "question docs output",
    "topic=question documents=docs argument=output reference=answer",
    note="'output' is read as the answer, and 'answer' as the reference, as ALCE writes them",
)
DEEPEVAL = _dialect(
    "DeepEval",
    "input actual_output|retrieval_context|expected_output",
    "topic=input documents=retrieval_context argument=actual_output reference=expected_output messages=input|messages",
    separator="|",  # EvaluationDataset.save_as joins a CSV cell with it
)
TRULENS = _dialect(
    "TruLens",
    "input|main_input output|main_output",
    f"id=record_id|id topic=input|main_input documents={_DOCUMENTS} "
    f"argument=output|main_output reference=expected_response|{_GOLD} messages=input|messages",
)
RAGCHECKER = _dialect(
    "RAGChecker",
    "query retrieved_context|gt_answer",
    f"id=query_id topic=query documents=retrieved_context argument=response reference=gt_answer|{_GOLD}",
)
NUGGETIZER = _dialect(
    "nuggetizer",
    "query candidates",
    "id=query.qid|qid topic=query.text|query documents=candidates argument=answer_text",
)
NUGGETIZER_ASSIGNMENTS = _dialect(
    "AutoNuggetizer assignments", "query nuggets answer_text|run_id", "", CONQRET, records=assignment_records
)
PYTERRIER_LONG = _dialect(
    "pyterrier-rag",
    "qid query docno text",
    f"id=qid topic=query documents=documents argument=qanswer reference={'|'.join(GOLD)}",
    long=True,
    records=grouped,
)
PYTERRIER_ANSWERS = _dialect(
    "pyterrier-rag answers",
    "qid query qanswer|qcontext",
    f"id=qid topic=query documents=qcontext argument=qanswer reference={'|'.join(GOLD)}",
)
LLAMA_INDEX = _dialect(
    "LlamaIndex",
    "query|query_str source_nodes|reference_contexts",
    "id=query_id topic=query|query_str documents=source_nodes|reference_contexts argument=response|answer "
    f"reference={_GOLD}",
)
SQUAD = _dialect(
    "SQuAD",
    "paragraphs",
    "topic=question documents=context argument=prediction_text|prediction|response|answer "
    f"reference=answers.text|answers|{_GOLD}",
    records=squad_records,
)
QUESTION = replace(
    SQUAD, name="question and context", marks=(frozenset({"question"}), frozenset({"context"})), records=iter
)
"""SQuAD as a flat table, and any other of questions with one text each."""
BEIR = _dialect("BEIR", "_id grades", "id=_id topic=text documents=documents")
QUERY = _dialect(
    "query and contexts",
    f"query {_DOCUMENTS}",
    f"id=query_id|qid topic=query documents={_DOCUMENTS} argument=response|answer|output reference={_GOLD}",
)
"""A query with its contexts and a response, as many write it who use no tool."""
STATEMENTS = _dialect(
    "statements", "topic side statement|response", "stance=side argument=statement|response", CONQRET
)
"""Statements that were to take a side, as DEBATunE publishes them; its ``argument`` is only the point to be made."""
MESSAGES = _dialect(
    "messages",
    "messages|conversation|conversations",
    f"documents=documents|{_DOCUMENTS} argument=argument|response|answer|completion "
    f"reference=ideal|expected_response|{_GOLD} messages=messages|conversation|conversations",
    CONQRET,
)
"""Conversations as OpenAI's chat has them, as logs and files for tuning do, and LangChain's and ShareGPT's."""
GEMINI = _dialect("Gemini", "contents", "messages=contents", MESSAGES, turns=True)
DEEPEVAL_TURNS = _dialect(
    "DeepEval conversations", "turns", "reference=expected_outcome messages=turns", CONQRET
)
INSPECT = _dialect(
    "inspect_ai",
    "messages epoch target",
    "id=id topic=topic documents=documents reference=target messages=messages metadata=metadata",
    records=sample_records,
)
"""The samples of a log in JSON."""
TREC_REPORTS = _dialect("TREC RAG reports", "metadata responses|answer", "", CONQRET, records=report_records)
TREC_2024_REPORTS = _dialect(
    "TREC RAG 2024 reports",
    f"{'|'.join(TOPIC_IDS)} references responses|answer run_id|response_length",
    "",
    CONQRET,
    records=report_records,
)

DIALECTS = (
    STATEMENTS,
    TREC_2024_REPORTS,  # which say their topic
    CONQRET,
    RAGAS_2,
    SQUAD,
    ALCE,
    QUESTION,
    RAGAS_1,
    DEEPEVAL,
    RAGCHECKER,
    NUGGETIZER,
    NUGGETIZER_ASSIGNMENTS,
    INSPECT,  # whose samples have an input and an output, too
    TRULENS,
    PYTERRIER_LONG,
    PYTERRIER_ANSWERS,
    TREC_REPORTS,
    LLAMA_INDEX,
    BEIR,
    QUERY,
    MESSAGES,
    GEMINI,
    DEEPEVAL_TURNS,
    RAGAS_TURNS,
)
"""conqret's own dialects, in the order in which they are tried."""
ANSWERS = set[str]()
"""The columns with the answer in any of these dialects."""
for _known in DIALECTS:
    ANSWERS.update(_known.columns.get("argument", ()))
PLUGGED = Registry("dialect of items", "conqret.adapters", Dialect, shared=True)
"""The dialects of plug-ins, which are tried after conqret's own."""


def recognise(names: Iterable[str]) -> Dialect | None:
    """Return the first known dialect that matches these column names, or None.

    If no exact name matches, names also match in any case and with spaces (``Retrieved Contexts``).
    """
    there, written = list(names), dict[str, str]()
    for name in reversed(there):
        written[loose_name(name)] = name
    written |= zip(there, there, strict=True)
    dialect = _fitting(there) or _fitting(written)
    if dialect is None or len(written) == len(there):
        return dialect
    if dialect.records is not iter:  # which reads columns under its own names
        return _fitting(there)
    columns = {**CONQRET.columns, **dialect.columns}
    return replace(
        dialect,
        columns={
            name: known if name in _EXACT else tuple(written.get(column, column) for column in known)
            for name, known in columns.items()
        },
    )


_EXACT = frozenset({"images", "language", "metadata", "nuggets"})
"""Fields whose names many tables have, in capitals, for something else."""


def _fitting(names: Iterable[str]) -> Dialect | None:
    there = frozenset(names)
    for known in (DIALECTS, PLUGGED.values):
        for dialect in known() if callable(known) else known:
            if all(map(there.intersection, dialect.marks)):
                return dialect
    return None


def nearly(names: Iterable[str]) -> Mapping[str, str]:
    """Return the dialects that these columns miss by one column.

    The result maps the dialect's name to the missing column, or to the alternatives of which one is enough.
    Dialects with a single mark are never among them.
    """
    there = frozenset(names)
    known = (*DIALECTS, *PLUGGED.values())
    lacking = {
        dialect.name: [mark for mark in dialect.marks if not mark & there]
        for dialect in known
        if len(dialect.marks) > 1
    }
    return {
        name: " or ".join(map(repr, sorted(missing[0])))
        for name, missing in lacking.items()
        if len(missing) == 1 and name != CONQRET.name
    }


def with_columns(dialect: Dialect, mapping: Mapping[str, str]) -> Dialect:
    """Return ``dialect`` with the columns of some fields replaced by the user's ``mapping`` from field to column,
    and with their separator of documents.

    A column that the user names for one field no longer counts for another: not as the reference, and the column of the
    topic and that of the messages never both.
    """
    shown = ", ".join(
        f"{name}={f'“{column}”' if name == SEPARATOR else column}" for name, column in mapping.items()
    )
    named, mapping = mapping, {name: column for name, column in mapping.items() if name != SEPARATOR}
    separator = named.get(SEPARATOR, dialect.separator).replace(r"\n", "\n")
    columns_by_field = dict(dialect.columns)
    rivals = mapping.values()  # a reference is one where the user says so
    columns_by_field["reference"] = tuple(
        column for column in columns_by_field.get("reference", ("reference",)) if column not in rivals
    )
    if "topic" in mapping:  # what else stands in its column is then no conversation
        messages = columns_by_field.get("messages", ("messages",))
        columns_by_field["messages"] = tuple(
            name for name in messages if name not in dialect.columns["topic"]
        )
    if "messages" in mapping:  # and so is what the messages stand in no question
        own = {mapping["messages"], mapping["messages"].split(".")[0]}
        columns_by_field["topic"] = tuple(name for name in dialect.columns["topic"] if name not in own) or (
            "topic",
        )
    columns = {**columns_by_field, **{name: (column,) for name, column in mapping.items()}}
    return replace(
        dialect,
        separator=separator,
        name=f"{dialect.name} with {shown}",
        columns=columns,
        mapped=named,
        note="" if "argument" in mapping or "reference" in mapping else dialect.note,
    )
