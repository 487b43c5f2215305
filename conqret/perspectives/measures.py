"""MRecall and precision over perspectives, as measures of ir-measures (BeRDS, section 3).

The qrels hold a row for each judged pair of a document and a perspective: the perspective stands in the
column ``iteration``, and the relevance is 1 where the document contains it, else 0. A perspective that no
document contains is known by its zeros, and makes MRecall 0::

    ir_measures.iter_calc([MRecall @ 5, PerspectiveP @ 5], qrels, run)

Where the relevance is the grade of :mod:`conqret.perspectives.detection`, ``rel`` is the grade from which it is a yes::

    ir_measures.iter_calc([MRecall(rel=YES_FROM) @ 5], qrels, run)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from ir_measures import Metric, measures

from conqret.perspectives.ranking_diversity import Holders, mrecall, precision

if TYPE_CHECKING:
    import pandas as pd


class _OverPerspectives(measures.Measure):
    """What the two share: qrels to perspectives, runs to rankings."""

    SUPPORTED_PARAMS: ClassVar[dict[str, Any]] = {  # type: ignore[misc]
        "cutoff": measures.ParamInfo(  # type: ignore[no-untyped-call]
            dtype=int, required=True, desc="ranking cutoff threshold"
        ),
        "rel": measures.ParamInfo(  # type: ignore[no-untyped-call]
            dtype=int,
            required=False,
            default=1,
            desc="relevance from which a document contains a perspective",
        ),
    }
    FIGURE: ClassVar[staticmethod[[Sequence[str], Holders, int], float]]
    RUN_INPUTS = ("query_id", "doc_id", "score")
    QREL_INPUTS = ("query_id", "doc_id", "relevance", "iteration")

    def runtime_impl(self, qrels: pd.DataFrame, run: pd.DataFrame) -> Iterator[Any]:
        """The value of every query that has qrels and a ranking."""
        rankings = {
            str(topic): [str(identifier) for identifier in rows["doc_id"]]
            for topic, rows in run.groupby("query_id")
        }
        for topic, rows in qrels.groupby("query_id"):
            if str(topic) in rankings:
                value = self.FIGURE(rankings[str(topic)], _holders(rows, self["rel"]), self["cutoff"])
                yield Metric(str(topic), self, value)


class _MRecall(_OverPerspectives):
    """Whether the top documents cover all perspectives, or as many different ones as there are documents.

    .. cite.dblp:: conf/emnlp/MinLCTH21
    """

    __name__ = NAME = "MRecall"
    PRETTY_NAME = "Multi-answer recall over perspectives"
    SHORT_DESC = "1 where the top k documents contain all n perspectives (k of them where n > k), else 0."

    FIGURE = staticmethod(mrecall)


class _PerspectiveP(_OverPerspectives):
    """The share of the top documents that contain any perspective."""

    __name__ = NAME = "PerspectiveP"
    PRETTY_NAME = "Precision over perspectives"
    SHORT_DESC = "The share of the top k documents that contain at least one of the perspectives."

    FIGURE = staticmethod(precision)


def _holders(rows: pd.DataFrame, least: int) -> dict[str, set[str]]:
    """For each judged perspective the documents that contain it: those with a relevance of ``least`` or more."""
    holders: dict[str, set[str]] = {}
    for perspective, document, relevance in zip(
        rows["iteration"], rows["doc_id"], rows["relevance"], strict=True
    ):
        held = holders.setdefault(str(perspective), set())
        if int(relevance) >= least:
            held.add(str(document))
    return holders


MRecall: Any = _MRecall()  # type: ignore[no-untyped-call]
PerspectiveP: Any = _PerspectiveP()  # type: ignore[no-untyped-call]
for _measure in (MRecall, PerspectiveP):
    measures.register(_measure)  # type: ignore[no-untyped-call]
