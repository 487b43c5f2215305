"""The pipelines that the command line offers, from a few settings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pyterrier as pt

from conqret.data import Stance
from conqret.errors import DeclarationError
from conqret.retrieval.bm25 import BM25, DEPTH
from conqret.retrieval.expansion import PerspectiveExpansion
from conqret.retrieval.index import Index
from conqret.retrieval.mmr import MMR
from conqret.retrieval.rerank import ListwiseReranker
from conqret.retrieval.windows import STEP, WINDOW
from conqret.runs.session import Session


@dataclass(frozen=True, slots=True)
class Plan:
    """Which stages a pipeline has: BM25 (per perspective, with ``perspectives``), then a listwise reranker
    (with ``rerank``, under the instruction for ``stance``), then MMR (with a trade-off).

    Raises:
        DeclarationError: a stance without a reranker, which alone can follow it.
    """

    stance: Stance = "none"
    rerank: bool = False
    perspectives: bool = False
    mmr: float | None = None
    depth: int = DEPTH
    window: int = WINDOW
    step: int = STEP

    def __post_init__(self) -> None:
        if self.stance != "none" and not self.rerank:
            raise DeclarationError(
                f"--stance {self.stance} needs a reranker, for BM25 takes no side: "
                "add --rerank gpt-4o-mini or --rerank offline"
            )


@dataclass(frozen=True, slots=True)
class Stages:
    """A pipeline, and those of its stages that have something to report."""

    pipeline: pt.Transformer
    expansion: PerspectiveExpansion | None
    reranker: ListwiseReranker | None


def assemble(
    index: Index, plan: Plan, session: Session | None, on_query: Callable[[str], None] | None = None
) -> Stages:
    """Put the stages of ``plan`` together.

    Raises:
        DeclarationError: a stage asks a model, and there is no session.
    """
    pipeline: pt.Transformer = BM25(index, depth=plan.depth)
    expansion = reranker = None
    if (plan.perspectives or plan.rerank) and session is None:
        raise DeclarationError("perspectives and reranking ask a model; name one, or offline")
    if plan.perspectives:
        pipeline = expansion = PerspectiveExpansion(pipeline, depth=plan.depth, session=session)
    if plan.rerank:
        reranker = ListwiseReranker(
            stance=plan.stance, window=plan.window, step=plan.step, session=session, on_query=on_query
        )
        pipeline = pipeline >> reranker
    if plan.mmr is not None:
        pipeline = pipeline >> MMR(plan.mmr)
    return Stages(pipeline, expansion, reranker)
