"""``conqret retrieve tune``: the lambda of MMR, on a development split."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conqret.console import shared_options as options
from conqret.console.option_groups import grouped
from conqret.console.printing import result
from conqret.errors import number
from conqret.retrieval.evaluate_command import lines, scores_of
from conqret.retrieval.retrieve_session import Corpus, Depth, Engines, MmrEncoder, Split, Where

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from conqret.retrieval.evaluation.evaluate import Evaluation

EPILOG = (
    "Examples:\n\n"
    "conqret retrieve tune corpus/\n\n"
    "conqret retrieve tune corpus/ --engine bm25,dense --mmr-encoder WhereIsAI/UAE-Large-V1"
)


@grouped
def tune(
    corpus: Corpus,
    *,
    engine: Engines = "bm25",
    encoder: Where = None,
    mmr_encoder: MmrEncoder = None,
    split: Split = "train",
    depth: Depth = 100,
    shown: options.OutputOptions,
) -> None:
    """Choose MMR's lambda: the one with the highest alpha_nDCG@10, the two sides as subtopics, on the train
    split.

    The values 0.5, 0.75, 0.9, 0.95 and 0.99 are tried (BeRDS). Report figures on other topics than these.
    """
    from conqret.retrieval.evaluation.mmr_tuning import MEASURE
    from conqret.retrieval.evaluation.ranking_evaluation import choose_mmr

    def started(topics: int, documents: int, engines: str) -> None:
        shown.tell(f"{topics} topics, {number(documents, 'document')} ({engines})")

    found, best = choose_mmr(
        corpus, engine=engine, encoder=encoder, mmr_encoder=mmr_encoder, split=split, depth=depth, on_start=started,
    )  # fmt: skip
    facts = {"mmr": best, "measure": MEASURE, "topics": dict(found.topics), "scores": scores_of(found)}
    result(facts, _lines(found, best, MEASURE), as_json=shown.json_output)


def _lines(found: Evaluation, best: float, measure: str) -> Iterator[RenderableType]:
    yield from lines(found)
    chosen, without = (
        found.score("stance", name, measure).interval.value or 0.0 for name in (f"{best:g}", found.baseline)
    )
    yield f"best       --mmr {best:g} ({'highest' if chosen > without else 'no better than without in'} {measure})"
