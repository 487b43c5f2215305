"""``conqret retrieve run``: rank a corpus's documents for its topics; ``conqret retrieve evaluate`` scores systems."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from conqret.console import shared_options as options
from conqret.console.option_groups import OptionGroup, grouped
from conqret.console.printing import end, note, progress, result
from conqret.errors import number
from conqret.retrieval import retrieve_session

if TYPE_CHECKING:
    from conqret.retrieval.expansion import QueryExpansion
    from conqret.retrieval.rerank import RerankSummary


@dataclass(frozen=True, kw_only=True)
class RankingSize(OptionGroup):
    """How many documents of which topics.

    Args:
        keep (--top, -k): Documents to keep for each topic.
    """

    keep: int = 100
    depth: retrieve_session.Depth = 100
    split: retrieve_session.Split = "all"


@dataclass(frozen=True, kw_only=True)
class Reranking(OptionGroup):
    """The listwise reranker.

    Args:
        stance: The side that `--rerank` prefers documents for: `pro`, `con`, or `none` for relevance alone.
        rerank: Rerank the documents listwise with this model: any name that litellm knows, or `offline`, which reranks
            by word statistics.
        perspectives: Have this model name the perspectives on each question, search for each of them, and merge the
            results. With `--rerank`, it must be the same model.
    """

    stance: Literal["none", "pro", "con"] = "none"
    rerank: str | None = None
    perspectives: str | None = None


@dataclass(frozen=True, kw_only=True)
class DiversityOptions(OptionGroup):
    """Maximal marginal relevance.

    Args:
        mmr: Reorder the ranking for diversity by maximal marginal relevance (MMR), with this lambda: 1 is relevance
            alone, 0 diversity alone. `conqret retrieve evaluate --tune` chooses a value.
    """

    mmr: float | None = None
    mmr_encoder: retrieve_session.MmrEncoder = None


@dataclass(frozen=True, kw_only=True)
class CrossEncoding(OptionGroup):
    """The cross-encoder.

    Args:
        cross_encoder: Rerank the first stage's documents with a cross-encoder, a model that reads question and passage
            together: a folder, a name on the Hugging Face hub, or a Python function `MODULE:FUNCTION` that returns one.
        instruction: An instruction that the model of `--cross-encoder` reads with each question, for models that take
            instructions, such as TART.
    """

    cross_encoder: str | None = None
    instruction: str = ""


@dataclass(frozen=True, kw_only=True)
class RetrievalRun(OptionGroup):
    """How models are called."""

    calls: options.Calls
    answers: retrieve_session.RunRecordings
    prompts: options.Prompts = None


@grouped
def run(
    corpus: retrieve_session.Corpus,
    *,
    engine: retrieve_session.Engines = "bm25",
    encoder: retrieve_session.Where = None,
    weights: str | None = None,
    reranking: Reranking,
    diversity: DiversityOptions,
    crossing: CrossEncoding,
    size: RankingSize,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="The TREC run to write (.gz is compressed). Default: runs/CORPUS-STANCE.res.gz",
            dir_okay=False,
        ),
    ] = None,
    ran: RetrievalRun,
    shown: options.OutputOptions,
) -> None:
    """Rank documents for every topic: a first stage, then the steps that the options name. Writes a TREC run.

    Args:
        weights: To fuse the engines' scores (each scaled to 0 to 1), one weight for each, such as `0.3,0.7`. Default:
            fuse their ranks.

    Examples:

    conqret retrieve run corpus/ --stance pro --rerank gpt-4o-mini -k 10 -o runs/pro.res.gz

    conqret retrieve run corpus/ --engine bm25,dense -o runs/hybrid.res.gz

    conqret retrieve run corpus/ --cross-encoder models/tart --instruction 'Find arguments of both sides.'

    conqret retrieve run corpus/ --perspectives offline --mmr 0.95
    """
    from dataclasses import asdict

    from conqret.retrieval.retrieve import retrieve

    with progress("indexing" if reranking.rerank is None else "reranking", quiet=shown.quiet) as bar:

        def started(topics: int, documents: int, engine: str) -> None:
            shown.tell(f"{number(topics, 'topic')}, {number(documents, 'document')}, indexed with {engine}")
            bar.reach(0, total=topics)

        models = {
            "rerank": reranking.rerank and ran.calls.of(reranking.rerank),
            "perspectives": reranking.perspectives and ran.calls.of(reranking.perspectives),
        }
        retrieved = retrieve(
            corpus,
            engine=engine,
            encoder=encoder,
            weights=options.numbers(weights, "numbers such as 0.3,0.7") or None,
            **(vars(reranking) | models),
            **vars(diversity),
            **vars(crossing),
            **vars(size),
            **vars(ran.answers),
            prompts=ran.prompts,
            output=output,
            on_document=bar.advance,
            on_start=started,
            on_topic=bar.advance,
        )
    if not shown.quiet:
        empty = retrieved.topics - len(retrieved.rankings)
        _remark(retrieved.windows, retrieved.expanded, empty, retrieved.elsewhere)
    facts = {
        "run": str(retrieved.file),
        "topics": retrieved.topics,
        "lines": retrieved.lines,
        "engine": retrieved.engine,
        "windows": asdict(retrieved.windows) if retrieved.windows else None,
        "cost_usd": retrieved.session.cost_usd,
        "unexpanded": sum(expansion.reason is not None for expansion in retrieved.expanded),
    }
    result(
        facts, [f"run        {retrieved.file} ({number(retrieved.lines, 'line')})"], as_json=shown.json_output
    )
    end(retrieved.failed, retrieved.session)


def _remark(
    windows: RerankSummary | None, expanded: tuple[QueryExpansion, ...], empty: int, elsewhere: int
) -> None:
    if windows is not None:
        note(retrieve_session.describe_windows(windows))
    if failed := [expansion for expansion in expanded if expansion.reason is not None]:
        note(
            f"no perspectives for {len(failed)} of {number(len(expanded), 'topic')} ({failed[0].reason}): "
            "these were searched with the question only"
        )
    if elsewhere:
        note(
            f"the best document is in another language than the question for {number(elsewhere, 'topic')}: a word "
            "index does not translate; --engine dense with a multilingual encoder can match across languages"
        )
    if empty:
        note(f"the search found no document for {number(empty, 'topic')}")
