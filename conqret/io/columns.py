"""Whose column names a file uses: the layouts of conqret and of its peers, as tables."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from conqret.errors import UnknownNameError

FIELDS = ("id", "topic", "stance", "documents", "argument", "second_argument", "metadata")
"""The fields of an item, which ``--columns`` may map."""

DOCUMENT_FIELDS: Mapping[str, tuple[str, ...]] = {
    "text": ("text", "segment", "content", "page_content", "doc.segment", "doc.text", "doc.contents"),
    "id": ("id", "docid", "doc_id", "docno"),
    "title": ("title", "doc.title"),
    "url": ("url", "doc.url"),
}
"""Where the parts of a document may stand: conqret, nuggetizer, LangChain, RAGChecker, PyTerrier."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Which column holds which field of an item, in one tool's files.

    Attributes:
        name: what messages show ("read as ragas v2").
        columns: for a field of an item the columns that may hold it; the first that has a value counts.
            A name with dots reaches into objects: ``query.text``.
        marks: the layout is recognised where of each set at least one column is there.
        separator: what parts the documents where the tool writes them into one CSV cell.
        one_document: the documents' column holds one text, which becomes one document.
        native: a column that is a slip of a field's name is a fault (``arguement``).
        mapped: the columns that the user set, by field.
        long: a row is a pair of item and document; adjacent rows with the same id make one item.
    """

    name: str
    columns: Mapping[str, tuple[str, ...]]
    marks: tuple[frozenset[str], ...] = ()
    separator: str = ""
    one_document: bool = False
    long: bool = False
    native: bool = False
    mapped: Mapping[str, str] = field(default_factory=dict)

    def fits(self, names: Iterable[str]) -> bool:
        """Whether a file with these columns is of this layout."""
        there = set(names)
        return all(mark & there for mark in self.marks)


def _any(*names: str) -> frozenset[str]:
    return frozenset(names)


CONQRET = Layout("conqret", {name: (name,) for name in FIELDS}, (_any("topic"),), native=True)
"""The native layout: the columns are called as the fields of :class:`conqret.data.Item`."""

RAGAS_2 = Layout(
    "ragas v2",
    {
        "topic": ("user_input",),
        "documents": ("retrieved_contexts",),
        "argument": ("response",),
        "second_argument": ("reference",),
    },
    (_any("user_input"), _any("retrieved_contexts", "response", "reference")),
)
RAGAS_1 = Layout(
    "ragas v1",
    {
        "topic": ("question",),
        "documents": ("contexts",),
        "argument": ("answer",),
        "second_argument": ("ground_truth",),
    },
    (_any("question"), _any("contexts", "answer", "ground_truth", "ground_truths")),
)
DEEPEVAL = Layout(
    "DeepEval",
    {
        "topic": ("input",),
        "documents": ("retrieval_context",),
        "argument": ("actual_output",),
        "second_argument": ("expected_output",),
    },
    (_any("input"), _any("actual_output", "retrieval_context", "expected_output")),
    separator="|",  # EvaluationDataset.save_as joins a CSV cell with it
)
TRULENS = Layout(
    "TruLens",
    {
        "id": ("record_id",),
        "topic": ("input", "main_input"),
        "documents": ("contexts", "context", "retrieved_contexts"),
        "argument": ("output", "main_output"),
        "second_argument": ("expected_response",),
    },
    (_any("input", "main_input"), _any("output", "main_output")),
    one_document=True,
)
RAGCHECKER = Layout(
    "RAGChecker",
    {
        "id": ("query_id",),
        "topic": ("query",),
        "documents": ("retrieved_context",),
        "argument": ("response",),
        "second_argument": ("gt_answer",),
    },
    (_any("query"), _any("retrieved_context", "gt_answer")),
)
NUGGETIZER = Layout(
    "nuggetizer",
    {
        "id": ("query.qid", "qid"),
        "topic": ("query.text", "query"),
        "documents": ("candidates",),
        "argument": ("answer_text",),
    },
    (_any("query"), _any("candidates")),
)
PYTERRIER_LONG = Layout(
    "pyterrier-rag",
    {"id": ("qid",), "topic": ("query",), "documents": ("documents",), "argument": ("qanswer",)},
    (_any("qid"), _any("query"), _any("docno"), _any("text")),
    long=True,
)
PYTERRIER_ANSWERS = Layout(
    "pyterrier-rag answers",
    {"id": ("qid",), "topic": ("query",), "documents": ("qcontext",), "argument": ("qanswer",)},
    (_any("qid"), _any("query"), _any("qanswer", "qcontext")),
    one_document=True,
)

LAYOUTS = (
    CONQRET,
    RAGAS_2,
    RAGAS_1,
    DEEPEVAL,
    RAGCHECKER,
    NUGGETIZER,
    TRULENS,
    PYTERRIER_LONG,
    PYTERRIER_ANSWERS,
)
"""All layouts, in the order in which they are tried."""


def recognise(names: Iterable[str]) -> Layout | None:
    """Return the first layout that a file with these columns fits, or ``None``."""
    there = frozenset(names)
    return next((layout for layout in LAYOUTS if layout.fits(there)), None)


def with_columns(layout: Layout, mapping: Mapping[str, str]) -> Layout:
    """Return ``layout`` with the columns of some fields set by the user.

    Raises:
        UnknownNameError: a key of ``mapping`` is no field of an item.
    """
    for name in mapping:
        if name not in FIELDS:
            raise UnknownNameError("field of an item", name, FIELDS)
    if not mapping:
        return layout
    columns = {**layout.columns, **{name: (column,) for name, column in mapping.items()}}
    shown = ", ".join(f"{name}={column}" for name, column in mapping.items())
    return replace(layout, name=f"{layout.name} with {shown}", columns=columns, mapped=dict(mapping))


def look_up(record: Mapping[str, object], column: str) -> tuple[str, object]:
    """Return the top-level column behind a (dotted) name and the value there, or ``("", None)``."""
    if column in record:
        return column, record[column]
    head, *rest = column.split(".")
    value: object = record.get(head) if rest else None
    for part in rest:
        value = value.get(part) if isinstance(value, Mapping) else None
    return (head, value) if value is not None else ("", None)


def near(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that ``name`` is probably a slip of, if there is one.

    A name that only extends a known one (``argument_id``) is no slip.
    """
    candidates = [one for one in known if not name.startswith(one + "_")]
    found = difflib.get_close_matches(name.lower(), candidates, n=1, cutoff=0.83)
    return found[0] if found and found[0] != name else None
