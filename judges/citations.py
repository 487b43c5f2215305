"""citations: how an argument cites its documents, counted; no model is called.

A statement is a sentence of four words or more, or one that cites (as in :mod:`conqret.judges.citation_support`, which
asks a model whether each citation bears its sentence out). Here only the marks count: whether statements cite at all,
whether what is cited is there, and how much of the evidence is used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from conqret.data import Item, Measure, Part, Reason
from conqret.judges.citation_support import statements, too_many
from conqret.judging.computed_metrics import ComputedMetrics
from conqret.judging.judge_parts import Judge
from conqret.judging.scales import mean_of_parts


def measures(item: Item) -> Mapping[str, Measure]:
    """Compute the shares of statements with citations, of valid citations, and of cited documents.

    A share without anything to count is missing; with more citations than are judged (:func:`too_many`), all
    are.
    """
    there = range(1, len(item.documents) + 1)
    if (missing := too_many(item)) is not None:
        return dict.fromkeys(("statements_cited", "citations_valid", "documents_cited"), missing)
    statement_list = statements(item.argument or "")
    cited = [(statement.number, number) for statement in statement_list for number in statement.cites]
    used = {number for _, number in cited}
    return {
        "statements_cited": _share(
            [
                _part(
                    f"sentence {statement.number}",
                    any(number in there for number in statement.cites),
                    "cites",
                    "cites nothing",
                )
                for statement in statement_list
            ],
            "the argument makes no statement",
        ),
        "citations_valid": _share(
            [
                _part(
                    f"sentence {sentence}, document {number}", number in there, "is there", "no such document"
                )
                for sentence, number in cited
            ],
            "the argument cites nothing",
        ),
        "documents_cited": _share(
            [
                _part(document.id, number in used, "cited", "not cited")
                for number, document in zip(there, item.documents, strict=True)
            ],
            "there are no documents",
        ),
    }


def _part(name: str, holds: bool, yes: str, no: str) -> Part:
    return Part(id=name, value=float(holds), label=yes if holds else no)


def _share(parts: Sequence[Part], nothing: str) -> Measure:
    return mean_of_parts(parts) if parts else Measure.missing(Reason.NOTHING_TO_JUDGE, nothing)


JUDGE = Judge(
    name="citations",
    summary="how the argument cites its documents, counted without a model: statements that cite, citations of "
    "documents that are there, documents that are cited",
    scale="0 to 1, a share",
    score="the share itself",
    source="conqret; statements as in ALCE (Gao et al. 2023)",
    computed=(
        ComputedMetrics(
            metrics=("statements_cited", "citations_valid", "documents_cited"),
            needs=frozenset({"argument", "documents"}),
            score=measures,
        ),
    ),
)
