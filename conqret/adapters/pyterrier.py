"""conqret's formats as transformers of PyTerrier, with measures for ``pt.Experiment``, and items as frames.

Frames are those of pyterrier-rag: ``qid``, ``query`` and ``qanswer``, and the documents as ``qcontext`` (one text), or
as ``docno`` and ``text``, a row each.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Unpack

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
"""What belongs to a document, and not to the answer of the same row."""


class ConqretJudge(pt.Transformer):  # type: ignore[misc]
    """One of conqret's formats on answers: a row each goes out, with a column for each metric (0 to 1, or nothing),
    its explanation, and ``status`` and ``reason``, which say why there is nothing.

    A reader drops the documents that it was given. ``documents`` is the transformer that finds them for a query again.
    ``metrics`` are all of the format's, if none are named, and of the format ``criteria`` the criteria themselves;
    ``settings`` are those of :func:`conqret.judge`.

    Raises:
        DeclarationError: there is no such format, metric or setting.
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
        """The answers of a frame with their scores."""
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
    """A metric as a measure of ``pt.Experiment``, over all queries.

    PyTerrier's mean leaves nothing out, so that of a system with an answer that has no score is no number (NaN), and no
    mean in which that answer counts as 0. ``missing`` 0 and 1 are the bounds between which the mean would lie;
    :func:`scored` says how many have a score.
    """
    name = metric if math.isnan(missing) else f"{metric} (missing {missing:g})"
    return _measure(name, metric, lambda column: column.astype(float).fillna(missing), missing)


def scored(metric: str) -> Any:
    """The share of the queries whose answer has a score."""
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
    """Items (a file, a frame or a list) as a frame with a row for each document, in their order, as a reader takes it
    and :func:`conqret.judge` reads it again. What PyTerrier has no column for keeps its own name."""
    import pandas as pd

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
