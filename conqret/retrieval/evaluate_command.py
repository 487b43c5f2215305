"""``conqret retrieve evaluate``: Table 4 of the paper for a corpus and any systems, and the lambda of MMR."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from conqret.console import shared_options as options
from conqret.console.option_groups import OptionGroup, grouped
from conqret.console.printing import end, named, note, note_all, note_each, progress, result
from conqret.errors import number
from conqret.retrieval import retrieve_session

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from rich.console import RenderableType

    from conqret.retrieval.evaluation.evaluate import Evaluation
    from conqret.retrieval.evaluation.systems import SystemRun
    from conqret.show.table import Cell


@dataclass(frozen=True)
class SearchedTopics(OptionGroup):
    """The topics of a split, and how they are searched."""

    split: retrieve_session.Split = "test"
    depth: retrieve_session.Depth = 100
    encoder: retrieve_session.Where = None
    mmr_encoder: retrieve_session.MmrEncoder = None


@grouped
def evaluate(
    corpus: retrieve_session.Corpus,
    *,
    systems: str = "bm25,generic,pro,con",
    rerank: str = "offline",
    measure: list[str] | None = None,
    topics: str | None = None,
    ranked: SearchedTopics,
    tune: bool = False,
    calls: options.Calls,
    answers: retrieve_session.RunRecordings,
    prompts: options.Prompts = None,
    shown: options.OutputOptions,
) -> None:
    """Score systems against the qrels for pro, con and both: means, 95% intervals, and what differs significantly.

    Values that differ significantly from those of the first of `--systems` are marked (paired t-test at the 5% level,
    with Holm's correction for the number of systems). The last table says how evenly documents of both sides are
    ranked.

    Args:
        systems: The systems to compare, comma-separated: `bm25`, `dense` or `hybrid`, optionally with further steps
            after a plus, such as `dense+mmr`: `mmr` (diversity), `perspectives` (a search per perspective), or
            reranking by a model for relevance (`generic`) or for one side (`pro`, `con`); a step alone follows `bm25`.
            `NAME=FILE` is a TREC run. The first is the baseline.
        rerank: The model that reranks for systems with the steps `generic`, `pro`, `con` or `perspectives`: any name
            that litellm knows, or `offline`, which reranks by word statistics.
        measure: A measure of ir-measures; may be repeated. Default: P@10, nDCG@10, and R at `--depth`.
        topics: Only these topics of the split: ids, comma-separated, or a file with one per line.
        tune: Choose MMR's lambda for the first of `--systems`, of 0.5, 0.75, 0.9, 0.95 and 0.99 (BeRDS): the one with
            the highest alpha_nDCG@10, the two sides as subtopics. Use `--split train`, and report figures on other
            topics.

    Examples:

    conqret retrieve evaluate corpus/ --systems bm25,generic,pro,con --rerank gpt-4o-mini

    conqret retrieve evaluate corpus/ --systems bm25,dense,hybrid,mine=my.res.gz --split train --measure nDCG@10

    conqret retrieve evaluate corpus/ --systems bm25,mmr --topics zoos,homework --depth 20

    conqret retrieve evaluate corpus/ --systems hybrid --split train --tune --mmr-encoder WhereIsAI/UAE-Large-V1
    """
    from conqret.retrieval.evaluation.ranking_evaluation import evaluate_rankings
    from conqret.retrieval.evaluation.system_names import ASKING, RERANKED, has_step

    names, client = options.listed(systems), calls.of(rerank)
    if tune:
        _tune(corpus, names[0], ranked, shown)
        return
    reranked = [metrics for metrics in names if has_step(metrics, RERANKED)]
    with progress("reranking", quiet=shown.quiet) as bar:

        def started(topics: int, documents: int, engine: str) -> None:
            by = named(rerank, client.backend.baseline, "a model")
            asking = f"; reranked by {by}" if any(has_step(metrics, ASKING) for metrics in names) else ""
            shown.tell(f"{number(topics, 'topic')}, {number(documents, 'document')} ({engine}){asking}")
            bar.reach(0, total=topics * len(reranked))

        done = evaluate_rankings(
            corpus,
            systems=names,
            rerank=client,
            measures=measure or (),
            topics=topics,
            prompts=prompts,
            **vars(ranked),
            **vars(answers),
            on_start=started,
            on_topic=bar.advance,
        )
    results, runs = done.evaluation, done.runs
    if not shown.quiet:
        note_each(
            f"{run.name}: {retrieve_session.describe_windows(run.windows)}" for run in runs if run.windows
        )
        note_each(f"none of the topics has a relevant document of the view {view}" for view in done.lacking)
        note_each(f"{run.name}: {remark}" for run in runs for remark in run.remarks)
        for name, left in results.unranked.items():
            note_all(f"{name} ranks nothing for {number(len(left), 'topic')}, which count as 0", left, 5)
    result(_facts(results, runs, done.session.cost_usd), _lines(results), as_json=shown.json_output)
    if (
        reranked
        and (measure is None or f"R@{ranked.depth}" in measure)
        and not (shown.quiet or shown.json_output)
    ):
        note(
            f"a reranker only reorders what the first stage found, so R@{ranked.depth} of the first stage is its upper "
            "limit"
        )
    end(done.failed, done.session)


def _facts(results: Evaluation, runs: Sequence[SystemRun], cost: float | None) -> dict[str, Any]:
    from dataclasses import asdict

    return {
        "baseline": results.baseline,
        "topics": dict(results.topics),
        "unranked": results.unranked,
        "depths": {run.name: run.depth for run in runs},
        "windows": {run.name: asdict(run.windows) for run in runs if run.windows},
        "cost_usd": cost,
        "scores": _scores_of(results),
    }


def _scores_of(evaluation: Evaluation) -> list[dict[str, Any]]:
    """The scores as JSON holds them."""
    return [
        {
            "view": score.view,
            "system": score.system,
            "measure": score.measure,
            "mean": score.interval.value,
            "low": score.interval.low,
            "high": score.interval.high,
            "n": len(score.by_topic),
            "difference": score.difference,
            "p": score.p,
            "significant": score.significant,
            "by_topic": dict(score.by_topic),
        }
        for score in evaluation.scores
    ]


def _lines(evaluation: Evaluation) -> Iterator[RenderableType]:
    """A table for each view, and what the marks say."""
    from conqret.retrieval.evaluation.evaluate import marks_legend
    from conqret.show.table import Table

    for view, count in evaluation.topics.items():
        scores = [score for score in evaluation.scores if score.view == view]
        measures = dict.fromkeys(score.measure for score in scores)
        cells: dict[tuple[str, str], Cell] = {
            (score.system, score.measure): f"{score.interval} {score.mark}".rstrip()
            if score.by_topic
            else score.interval
            for score in scores
        }
        systems = dict.fromkeys(score.system for score in scores)
        rows = [(system, *(cells.get((system, measure)) for measure in measures)) for system in systems]
        title = {"all": "PRO+CON", "stance": "BOTH SIDES"}.get(view, view.upper())
        yield from (Table(f"{title} ({number(count, 'topic')})", ("system", *measures), rows), "")
    for line in marks_legend(evaluation.scores, evaluation.baseline):
        note(line)


def _tune(corpus: Path, system: str, ranked: SearchedTopics, shown: options.OutputOptions) -> None:
    from conqret.retrieval.evaluation.mmr_tuning import MEASURE
    from conqret.retrieval.evaluation.ranking_evaluation import choose_mmr

    def started(topics: int, documents: int, engines: str) -> None:
        shown.tell(f"{topics} topics, {number(documents, 'document')} ({engines})")

    results, best = choose_mmr(corpus, system=system, **vars(ranked), on_start=started)
    facts = {"mmr": best, "measure": MEASURE, "topics": dict(results.topics), "scores": _scores_of(results)}
    result(facts, _tuned(results, best, MEASURE), as_json=shown.json_output)


def _tuned(evaluation: Evaluation, best: float, measure: str) -> Iterator[RenderableType]:
    yield from _lines(evaluation)
    chosen, without = (
        evaluation.score("stance", name, measure).interval.value or 0.0
        for name in (f"{best:g}", evaluation.baseline)
    )
    yield f"best       --mmr {best:g} ({'highest' if chosen > without else 'no better than without in'} {measure})"
