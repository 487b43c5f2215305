"""The figures of ConQRet's Table 2 for any corpus, beside those of the paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from conqret.data.corpus import SPLITS, CorpusTopic, Qrel, QrelsStance, Split

Qrels = Mapping[tuple[QrelsStance, Split], Sequence[Qrel]]
"""The judged pairs by side and split."""


@dataclass(frozen=True, slots=True)
class Table2Column:
    """One column of Table 2; averages are over topics.

    Documents are counted for each side that they are judged for, as the paper does: one that is relevant
    for both counts twice. ``docs_per_stance`` is thus half of ``relevant_per_topic``.
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
    """The figures of one split: with *P* and *C* the pairs judged for pro and for con, and *T* topics,
    docs per topic are (\\|P\\| + \\|C\\|) / T, and likewise for the relevant ones. All 0 without topics.
    """
    count = sum(topic.split == split for topic in topics)
    judged = [*qrels.get(("pro", split), ()), *qrels.get(("con", split), ())]
    relevant = sum(pair.relevance > 0 for pair in judged)
    if not count:
        return Table2Column(0, 0.0, 0.0, 0.0)
    return Table2Column(count, len(judged) / count, relevant / count, relevant / count / 2)


def table2(topics: Sequence[CorpusTopic], qrels: Qrels, documents: int) -> dict[str, Any]:
    """Table 2 as plain values: ``train``, ``test``, ``documents``, and ``paper`` with the same keys."""
    return {
        **{split: asdict(column(topics, qrels, split)) for split in SPLITS},
        "documents": documents,
        "paper": {**{split: asdict(PAPER[split]) for split in SPLITS}, "documents": PAPER_DOCUMENTS},
    }
