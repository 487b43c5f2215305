"""The parts of a corpus: debates with their sources, topics with their split, judged pairs, the outcome of
fetching every source, and the figures of ConQRet's Table 2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, NamedTuple, get_args

from pydantic import Field

from conqret.data.item import Frozen, Identifier, NonEmpty

Split = Literal["train", "test"]
SPLITS: tuple[Split, ...] = get_args(Split)
QrelsStance = Literal["pro", "con", "all"]
QRELS_STANCES: tuple[QrelsStance, ...] = get_args(QrelsStance)
"""The side whose evidence counts as relevant; ``all`` is either side's (the PRO+CON of ConQRet, Table 4)."""
SourceStatus = Literal["ok", "not-found", "blocked", "robots", "unparsable", "too-large", "error"]
SOURCE_STATUSES: tuple[SourceStatus, ...] = get_args(SourceStatus)


class Source(Frozen):
    """One entry of a debate page's list of sources.

    ``number`` is its number on the page. ``url`` is empty if the page gives none; the source is then
    searched by title. ``cited`` is the date printed on the page, or empty.
    """

    number: int = Field(ge=0)
    title: str
    url: str = ""
    cited: str = ""


class DebateArgument(Frozen):
    """One pro or con argument of a debate page: its headline and its paragraphs, with citation marks.

    ``counterpoint`` is the page's own reply for the other side, as Debatabase prints one under each point.
    """

    title: str
    paragraphs: tuple[str, ...]
    counterpoint: tuple[str, ...] = ()


class Debate(Frozen):
    """One debate page.

    ``id`` is a slug that is safe as a file name, and ``layout`` names the parser that read the page.
    ``archived`` is the address of the archived copy that was read, or empty for the page itself.
    """

    id: Identifier
    url: str
    title: str
    question: NonEmpty
    introduction: str = ""
    pros: tuple[DebateArgument, ...]
    cons: tuple[DebateArgument, ...]
    sources: tuple[Source, ...]
    layout: str
    archived: str = ""


class CorpusTopic(Frozen):
    """One topic of a corpus: its id, its question, and the split (train or test) that it belongs to."""

    id: Identifier
    question: NonEmpty
    split: Split


class Qrel(NamedTuple):
    """One relevance judgment of a topic and a document, with the field names of ir_datasets and
    ir_measures.

    ``relevance`` is 1 for a document that the topic's page cites, and 0 for a random one of another topic.
    """

    query_id: str
    doc_id: str
    relevance: int
    iteration: str = "0"


@dataclass(frozen=True, slots=True)
class CorpusParts:
    """The topics, relevance judgments and statistics that are built from debates and documents.

    ``qrels`` maps a side and a split to its judged pairs; ``splits`` maps the id of each document to its
    split.
    """

    topics: tuple[CorpusTopic, ...]
    qrels: Mapping[tuple[QrelsStance, Split], tuple[Qrel, ...]]
    splits: Mapping[str, Split]
    statistics: Mapping[str, Any]


def judged_pairs(
    topic: str, relevant: Mapping[QrelsStance, Sequence[str]], others: Sequence[str]
) -> dict[QrelsStance, list[Qrel]]:
    """Return the judged pairs of one topic for each side (``pro``, ``con``, ``all``).

    ``topic`` and documents are ids. The ``relevant`` documents of a side get relevance 1, and documents from
    ``others`` get relevance 0. ``all`` takes every document from ``others``. ``pro`` takes as many as it has
    relevant documents from the front of ``others``; ``con`` takes its share from the end.
    """
    shares = {
        "pro": others[: len(relevant["pro"])],
        "con": others[max(0, len(others) - len(relevant["con"])) :],
        "all": others,
    }
    return {
        side: [Qrel(topic, qrel, 1) for qrel in relevant_qrels]
        + [Qrel(topic, document, 0) for document in shares[side]]
        for side, relevant_qrels in relevant.items()
    }


class LedgerEntry(Frozen, extra="ignore"):
    """The outcome of fetching one source of one debate; ``number`` is the source's number on the debate's
    page.

    ``url`` is the address that was requested (from the page, or found by title); ``final_url`` is the
    address after redirects. ``detail`` says why the ``status`` is not ``ok``. ``document`` is the id of the
    extracted document, or None; sources with the same final content share it. Further fields of a ledger's
    line are ignored.
    """

    debate: Identifier
    number: int = Field(ge=0)
    title: str = ""
    url: str = ""
    final_url: str = ""
    status: SourceStatus
    detail: str = ""
    document: Identifier | None = None


Qrels = Mapping[tuple[QrelsStance, Split], Sequence[Qrel]]
"""The judged pairs by side and split."""


@dataclass(frozen=True, slots=True)
class Table2Column:
    """The figures of one split in Table 2; averages are over topics.

    As in the paper, a document that is judged for both sides counts twice. ``docs_per_stance`` is thus
    half of ``relevant_per_topic``.
    """

    topics: int
    docs_per_topic: float
    relevant_per_topic: float
    docs_per_stance: float


ROWS = {
    "topics": "Total topics",
    "docs_per_topic": "Avg. docs per topic",
    "relevant_per_topic": "Avg. relevant docs per topic",
    "docs_per_stance": "Avg. docs per stance",
}
"""The rows of the table, by the field of a :class:`Table2Column`."""
TOTAL = "Total evidence documents"
PAPER: Mapping[Split, Table2Column] = {
    "train": Table2Column(68, 69, 34, 17),
    "test": Table2Column(30, 64, 32, 16),
}
"""ConQRet, Table 2."""
PAPER_DOCUMENTS = 6500
"""ConQRet, Table 2; the text of section 4.2 has 6,514."""
PAPER_CITED, PAPER_EXTRACTED = 7177, 6514
"""Sources cited and sources extracted (ConQRet, section 4.2)."""


def column(topics: Sequence[CorpusTopic], qrels: Qrels, split: Split) -> Table2Column:
    """Compute the Table 2 figures of one split from its topics and judged pairs.

    Documents per topic are the judged pairs for pro plus those for con, divided by the number of topics.
    The relevant ones are averaged in the same manner. All figures are 0 if the split has no topics.
    """
    count = sum(topic.split == split for topic in topics)
    judged = [*qrels.get(("pro", split), ()), *qrels.get(("con", split), ())]
    relevant = sum(pair.relevance > 0 for pair in judged)
    if not count:
        return Table2Column(0, 0.0, 0.0, 0.0)
    return Table2Column(count, len(judged) / count, relevant / count, relevant / count / 2)


def table2(topics: Sequence[CorpusTopic], qrels: Qrels, documents: int) -> dict[str, Any]:
    """Return Table 2 as a dictionary with keys ``train``, ``test`` and ``documents``.

    The key ``paper`` holds the figures of the published table under the same three keys.
    """
    return {
        **{split: asdict(column(topics, qrels, split)) for split in SPLITS},
        "documents": documents,
        "paper": {**{split: asdict(PAPER[split]) for split in SPLITS}, "documents": PAPER_DOCUMENTS},
    }
