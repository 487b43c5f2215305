"""listwise-rag: the documents together, groundedness, and the fifteen dimensions (ConQRet, section 5.2.2).

Rated from 0 to 5 like rag-fine-grained, its counterpart by single document, so that the two compare.
"""

from __future__ import annotations

from conqret.baseline import Evidence
from conqret.judges._sections import (
    DOCUMENTS_AND_ARGUMENT,
    GROUNDEDNESS,
    dimension_sections,
    in_one_call,
    rating_section,
)
from conqret.judging.deciding import declared, rating_questions
from conqret.judging.judge_parts import Judge
from conqret.judging.responses import ZeroToFive, ZeroToFiveOrNull
from conqret.judging.scales import ZERO_TO_FIVE

JUDGE = Judge(
    name="listwise-rag",
    summary="relevance of the documents together, groundedness and the 15 quality dimensions, in one call",
    scale=str(ZERO_TO_FIVE),
    score="rating / 5",
    source="ConQRet, section 5.2.2",
    judge_prompts=(
        in_one_call(
            "listwise-rag",
            "ListwiseRagAnswer",
            (
                rating_section(
                    "context_relevance",
                    ZERO_TO_FIVE,
                    ZeroToFive,
                    Evidence.context_relevance,
                    needs=frozenset({"documents"}),
                    typed=lambda: rating_questions("context_relevance", declared("context_relevance")),
                ),
                GROUNDEDNESS,
                *dimension_sections(ZERO_TO_FIVE, ZeroToFiveOrNull, DOCUMENTS_AND_ARGUMENT),
            ),
        ),
    ),
)
