"""The parts of a corpus: topics with their split, judged pairs, and what became of every source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, get_args

from pydantic import Field

from conqret.data.item import Frozen, Identifier, NonEmpty

Split = Literal["train", "test"]
SPLITS: tuple[Split, ...] = get_args(Split)
QrelsStance = Literal["pro", "con", "all"]
QRELS_STANCES: tuple[QrelsStance, ...] = get_args(QrelsStance)
"""Which side's evidence counts as relevant; ``all`` is either side's (the PRO+CON of ConQRet, Table 4)."""
SourceStatus = Literal["ok", "not-found", "blocked", "robots", "unparsable", "too-large", "error"]
SOURCE_STATUSES: tuple[SourceStatus, ...] = get_args(SourceStatus)


class CorpusTopic(Frozen):
    """A topic of a corpus and the split that it belongs to."""

    id: Identifier
    question: NonEmpty
    split: Split


class Qrel(NamedTuple):
    """One judged pair, with the field names of ir_datasets and ir_measures.

    ``relevance`` is 1 for a document that the topic's page cites, 0 for a random one of another topic.
    """

    query_id: str
    doc_id: str
    relevance: int
    iteration: str = "0"


@dataclass(frozen=True, slots=True)
class CorpusParts:
    """What is made of debates and documents: ``splits`` has the split of each document of a topic."""

    topics: tuple[CorpusTopic, ...]
    qrels: Mapping[tuple[QrelsStance, Split], tuple[Qrel, ...]]
    splits: Mapping[str, Split]
    statistics: Mapping[str, Any]


def judged_pairs(
    topic: str, relevant: Mapping[QrelsStance, Sequence[str]], others: Sequence[str]
) -> dict[QrelsStance, list[Qrel]]:
    """The judged pairs of a topic for each side: its relevant documents, and its share of the ``others``.

    ``pro`` gets as many of these as it has relevant documents, from the front, ``con`` from the end, ``all`` gets
    all of them.
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
    """What became of one source of one debate.

    ``url`` is what was asked for (from the page, or found by title), ``final_url`` where it led;
    ``document`` is set where the text was extracted, and shared by sources with the same final content.
    Further fields of a ledger's line are left alone.
    """

    debate: Identifier
    number: int = Field(ge=0)
    title: str = ""
    url: str = ""
    final_url: str = ""
    status: SourceStatus
    detail: str = ""
    document: Identifier | None = None
