"""The pipelines that the command line offers, from a few settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyterrier as pt

from conqret.errors import DeclarationError
from conqret.retrieval.corpus_index import Index, open_index
from conqret.retrieval.engines import ENGINES
from conqret.retrieval.first_stage import FirstStage, Fusion, PerspectiveExpansion
from conqret.retrieval.rerank import ListwiseReranker
from conqret.retrieval.rescoring import MMR, CrossEncoder, remembering
from conqret.retrieval.system_names import BM25_NAME, PipelinePlan
from conqret.retrieval.text_encoding import Encoding
from conqret.retrieval.vectors import load
from conqret.runs.session import Session


@dataclass(frozen=True, slots=True)
class Stages:
    """An assembled pipeline, with its query expansion and its reranker (None if it lacks them)."""

    pipeline: pt.Transformer
    expansion: PerspectiveExpansion | None
    reranker: ListwiseReranker | None


def open_indexes(
    corpus: str | Path,
    engines: Sequence[str] = (BM25_NAME,),
    encoder: str | None = None,
    on_document: Callable[[], object] = lambda: None,
) -> list[Index]:
    """Open the indexes of a corpus for the named engines, in order.

    ``bm25`` is the word index, whichever engine built it. ``encoder`` is the encoder of the vector
    indexes.

    Raises:
        DeclarationError: as :func:`open_index`; or an encoder is given and no named engine uses one.
    """
    takers = {name for name in engines if name != BM25_NAME and not ENGINES[name].folds}
    if encoder is not None and not takers:
        raise DeclarationError(
            f"--encoder {encoder} needs an engine that compares vectors: add --engine dense, or --engine bm25,dense"
        )
    settings: Mapping[str, Any] = {} if encoder is None else {"encoder": encoder}
    return [
        open_index(
            corpus, None if name == BM25_NAME else name, settings if name in takers else None, on_document
        )
        for name in engines
    ]


def assemble(
    indexes: Index | Sequence[Index],
    plan: PipelinePlan,
    session: Session | None,
    on_query: Callable[[str], None] = lambda topic: None,
) -> Stages:
    """Build the pipeline of ``plan`` over one index, or over several whose rankings are fused.

    Returns:
        The pipeline, with its query expansion and its reranker (None where the plan has none).

    Raises:
        DeclarationError: a stage needs a model but there is no session, or weights are given for a
            single index.
    """
    opened = [indexes] if isinstance(indexes, Index) else list(indexes)
    stages = [FirstStage(index, depth=plan.depth) for index in opened]
    if len(stages) == 1 and plan.weights is None:
        pipeline: pt.Transformer = stages[0]
    else:
        pipeline = Fusion(*stages, weights=plan.weights, depth=plan.depth)
    expansion = reranker = None
    if (plan.perspectives or plan.rerank) and session is None:
        raise DeclarationError("perspectives and reranking need a model: name one, or offline")
    if plan.perspectives:
        pipeline = expansion = PerspectiveExpansion(pipeline, depth=plan.depth, session=session)
    if plan.cross_encoder is not None:
        pipeline = pipeline >> CrossEncoder(
            plan.cross_encoder, instruction=plan.instruction, candidates=plan.depth
        )
    if plan.rerank:
        reranker = ListwiseReranker(
            stance=plan.stance, window=plan.window, step=plan.step, session=session, on_query=on_query
        )
        pipeline = pipeline >> reranker
    if plan.mmr is not None:
        encoder = None  # by words
        if plan.mmr_encoder is not None:
            encoder = remembering(load(Encoding(plan.mmr_encoder).settled(ENGINES["dense"])).passages)
        pipeline = pipeline >> MMR(plan.mmr, encoder=encoder)
    return Stages(pipeline, expansion, reranker)
