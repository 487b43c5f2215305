"""conqret's formats as transformers of PyTerrier, with measures for ``pt.Experiment``, and items as
frames.

Frames are those of pyterrier-rag: ``qid``, ``query`` and ``qanswer``, and the documents as ``qcontext`` (one text), or
as ``docno`` and ``text``, a row each.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Unpack

import pandas as pd

from conqret._optional import require
from conqret.adapters.single import MetricName, SingleSettings, beyond
from conqret.errors import check_known
from conqret.io import open_items
from conqret.judging.judge import Items
from conqret.judging.judge_options import CRITERIA
from conqret.judging.judge_parts import JUDGES
from conqret.judging.judge_settings import chosen_format
from conqret.judging.session_judge import SessionJudge

pt: Any = require("pyterrier", extra="pyterrier")
ir_measures: Any = require("ir_measures", extra="pyterrier")

DOCUMENT_COLUMNS = ("docno", "docid", "text", "title", "url", "score", "rank")
"""The columns that describe a document, not the answer of the same row."""


class ConqretJudge(pt.Transformer):  # type: ignore[misc]
    """A PyTerrier transformer that judges answers with a conqret format and returns one row per answer.

    Each metric has a column (0 to 1, or empty) and an explanation. ``status`` and ``reason`` say why a
    score is missing.

    RAG readers drop the documents, so ``documents`` is a transformer that retrieves them again for each
    query. ``metrics`` defaults to all metrics of the format; for the format ``criteria`` it is the
    criteria themselves. ``settings`` are those of :func:`conqret.judge`.

    Raises:
        DeclarationError: the format, metric or setting does not exist.
    """

    def __init__(
        self,
        format: str,  # noqa: A002
        metrics: Sequence[MetricName] = (),
        *,
        documents: Any = None,
        **settings: Unpack[SingleSettings],
    ) -> None:
        check_known("option of a judge", SingleSettings.__annotations__, *settings)
        own = {"criteria": tuple(metrics)} if format == CRITERIA else {}
        of_a_rubric: dict[str, Any] = {
            name: settings.pop(name) for name in ("rubric", "criteria_per_call") if name in settings
        }
        asked = JUDGES.resolve(chosen_format({"format": format, **own, **of_a_rubric}) or format)
        self.format = format
        self.metrics = asked.metrics if own else tuple(map(str, metrics)) or asked.metrics
        asked.select(self.metrics)
        self.documents = documents
        self.judge = SessionJudge(format=asked, metrics=self.metrics, **settings)

    def transform(self, inp: Any) -> Any:
        """Judge the answers in the column ``qanswer``, and return the frame with their scores, one row for each query.
        If the judge has a transformer for ``documents``, it finds them first; document columns are dropped."""
        pt.validate.columns(inp, includes=["qid", "query", "qanswer"])
        frame = inp
        if self.documents is not None:
            texts = self.documents.transform(inp[["qid", "query"]])
            found = [name for name in DOCUMENT_COLUMNS if name in texts.columns and name not in inp.columns]
            frame = inp.merge(texts[["qid", *found]], on="qid", how="left")
        if not len(frame):
            return inp.assign(**dict.fromkeys(self.metrics, ()))
        judged = self.judge.judge(frame)
        of_documents = [name for name in DOCUMENT_COLUMNS if name in judged.columns]
        return judged.drop_duplicates("qid").drop(columns=of_documents).reset_index(drop=True)


def measure(metric: str, missing: float = math.nan) -> Any:
    """Return a metric as a PyTerrier measure for ``pt.Experiment``, averaged over all queries.

    Args:
        metric: the name of the metric.
        missing: the value of an answer without a score. The default NaN makes the system's mean NaN.
            With 0 and 1 the means are the lower and upper bound of the mean; :func:`scored` gives the
            share with a score.
    """
    name = metric if math.isnan(missing) else f"{metric} (missing {missing:g})"
    return _measure(name, metric, lambda column: column.astype(float).fillna(missing), missing)


def scored(metric: str) -> Any:
    """Return a PyTerrier measure: the share of queries whose answer has a score of this metric."""
    return _measure(f"{metric} scored", metric, lambda column: column.notna().astype(float), 0.0)


def _measure(name: str, metric: str, values: Callable[[Any], Any], of_no_answer: float) -> Any:
    ir_measure = ir_measures.define(
        lambda qrels, run: zip(run["query_id"], values(run[metric]), strict=True),
        name=name,
        support_cutoff=False,
        run_inputs=[metric],
        qrel_inputs=[],
    )
    type(ir_measure).DEFAULT = of_no_answer  # a query without an answer would be a 0
    return ir_measure


def as_frame(items: Items) -> Any:
    """Convert items (a file, a frame or a list) into a PyTerrier frame with one row per document, in order.

    :func:`conqret.judge` can read the frame again. Fields without a PyTerrier column keep their conqret
    name.
    """
    rows = []
    for item in open_items(items):
        more = beyond(item.model_copy(update={"documents": ()}))  # whose titles and addresses have columns
        answer_fields = {"qid": more.pop("id"), "query": item.topic, "qanswer": item.argument, **more}
        last = len(item.documents)
        documents = [
            {"docno": each.id, **each.model_dump(exclude={"id"}), "score": float(last - rank), "rank": rank}
            for rank, each in enumerate(item.documents)
        ]
        rows += [{**answer_fields, **document} for document in documents or [{}]]
    return pd.DataFrame(rows)
