"""``conqret retrieve evaluate``: Table 4 of the paper for a corpus and any systems; ``tune``: the lambda of MMR."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conqret.console import shared_options as options
from conqret.console.option_groups import grouped
from conqret.console.printing import end, named, note, note_all, progress, result
from conqret.errors import number
from conqret.retrieval.retrieve_session import (
    AnswersBeside,
    Corpus,
    Depth,
    Engines,
    MmrEncoder,
    Split,
    Where,
    describe_windows,
)
from conqret.runs.run_folder import RUNS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from conqret.retrieval.evaluation.evaluate import Evaluation
    from conqret.retrieval.evaluation.systems import SystemRun
    from conqret.show.table import Cell

EVALUATE_EPILOG = (
    "Examples:\n\n"
    "conqret retrieve evaluate corpus/ --systems bm25,generic,pro,con --rerank gpt-4o-mini\n\n"
    "conqret retrieve evaluate corpus/ --systems bm25,dense,hybrid,mine=my.res.gz --split train --measure nDCG@10\n\n"
    "conqret retrieve evaluate corpus/ --systems bm25,mmr --topics zoos,homework --depth 20"
)
TUNE_EPILOG = (
    "Examples:\n\n"
    "conqret retrieve tune corpus/\n\n"
    "conqret retrieve tune corpus/ --engine bm25,dense --mmr-encoder WhereIsAI/UAE-Large-V1"
)


@grouped
def evaluate(
    corpus: Corpus,
    *,
    systems: str = "bm25,generic,pro,con",
    rerank: str = "offline",
    measure: list[str] | None = None,
    topics: str | None = None,
    split: Split = "test",
    depth: Depth = 100,
    encoder: Where = None,
    calls: options.Calls,
    answers: AnswersBeside,
    prompts: options.Prompts = None,
    shown: options.OutputOptions,
) -> None:
    """Score systems against the qrels for pro, con and both: means, 95% intervals, and what differs significantly.

    Marks show significant differences from the first system: a paired t-test at the 5% level, with Holm's correction
    over the systems of each measure. The last table says how evenly both sides are shown.

    Args:
        systems: `bm25`, `dense` or `hybrid`, and further steps after a plus: `generic`, `pro`, `con`, `mmr`,
            `perspectives`, as in `dense+mmr` (a step alone follows `bm25`); or `NAME=FILE` for a TREC run. The first is
            the baseline.
        rerank: The model behind `generic`, `pro`, `con` and `perspectives`, or `offline`, the lexical baseline.
        measure: A measure of ir-measures; may be repeated. Default: P@10, nDCG@10, and R at `--depth`.
        topics: Only these topics of the split: ids, comma-separated, or a file with one per line.
    """

    from conqret.io.corpus_folder import CorpusDirectory
    from conqret.retrieval.corpus_index import open_index
    from conqret.retrieval.evaluation.depths import check_depth, default_measures
    from conqret.retrieval.evaluation.evaluate import evaluate as score
    from conqret.retrieval.evaluation.system_names import ASKING, RERANKED, check_systems, has_step
    from conqret.retrieval.evaluation.systems import VIEWS, judgments, run_systems
    from conqret.retrieval.pipeline import PipelinePlan
    from conqret.retrieval.retrieve import as_split, chosen_topics, retrieval_session

    names, measures = options.listed(systems), measure or list(default_measures(depth))
    check_systems(names)
    chosen = chosen_topics(corpus, split, topics)
    judged = judgments(CorpusDirectory(corpus), as_split(split), {one.id for one in chosen})
    session = retrieval_session(
        calls.of(rerank), beside=RUNS / "evaluate", recordings=answers.recordings, replay=answers.replay,
        prompts=prompts,
    )  # fmt: skip
    index = open_index(corpus)
    if not any("=" in name for name in names):
        check_depth(measures, depth, len(index))
    by = named(rerank, session.options.backend.baseline, "a model")
    asking = f"; reranked by {by}" if any(has_step(one, ASKING) for one in names) else ""
    shown.tell(f"{number(len(chosen), 'topic')}, {number(len(index), 'document')} ({index.engine}){asking}")
    reranked = [one for one in names if has_step(one, RERANKED)]
    with progress("reranking", len(chosen) * len(reranked), quiet=shown.quiet) as bar:
        runs = run_systems(
            names, index, chosen, PipelinePlan(depth=depth), session, bar.advance, encoder=encoder
        )
    found = score(
        {one.name: one.run for one in runs},
        judged,
        measures=measures,
        depths={one.name: one.depth for one in runs},
    )
    failed = sum(one.windows.failed for one in runs if one.windows)
    if not shown.quiet:
        for one in runs:
            if one.windows:
                note(f"{one.name}: {describe_windows(one.windows)}")
        for view in [one for one in VIEWS if one not in judged]:
            note(f"none of the topics has a relevant document of the view {view}")
        for name, left in found.unranked.items():
            note_all(f"{name} ranks nothing for {number(len(left), 'topic')}, and has 0 there", left, 5)
    result(_facts(found, runs, session.cost_usd), _lines(found), as_json=shown.json_output)
    if reranked and f"R@{depth}" in measures and not (shown.quiet or shown.json_output):
        note(f"R@{depth} is the ceiling that the first stage leaves: a reranker only reorders what it found")
    end(failed, session.counts)


def _facts(found: Evaluation, runs: list[SystemRun], cost: float | None) -> dict[str, Any]:
    from dataclasses import asdict

    return {
        "baseline": found.baseline,
        "topics": dict(found.topics),
        "unranked": found.unranked,
        "depths": {one.name: one.depth for one in runs},
        "windows": {one.name: asdict(one.windows) for one in runs if one.windows},
        "cost_usd": cost,
        "scores": _scores_of(found),
    }


def _scores_of(found: Evaluation) -> list[dict[str, Any]]:
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
        for score in found.scores
    ]


def _lines(found: Evaluation) -> Iterator[RenderableType]:
    """A table for each view, and what the marks say."""
    from conqret.retrieval.evaluation.evaluate import MARK_BETTER, MARK_WORSE
    from conqret.show.table import Table

    for view, count in found.topics.items():
        scores = [score for score in found.scores if score.view == view]
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
    bare = all(score.interval.low is None for score in found.scores)
    means = "means over topics, too few for intervals" if bare else "means with 95% intervals over topics"
    note(f"{means}; {MARK_BETTER} better and {MARK_WORSE} worse than {found.baseline}, "
         "p < .05 (paired t-test, Holm-Bonferroni)")  # fmt: skip


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
    from conqret.io.corpus_folder import CorpusDirectory
    from conqret.retrieval.evaluation.mmr_tuning import MEASURE, tune_mmr
    from conqret.retrieval.evaluation.systems import judgments, queries
    from conqret.retrieval.pipeline import PipelinePlan, assemble, open_indexes
    from conqret.retrieval.pipeline import mmr_encoder as encoder_of
    from conqret.retrieval.retrieve import as_split, topics_of

    topics, judged = topics_of(corpus, split), judgments(CorpusDirectory(corpus), as_split(split))
    indexes = open_indexes(corpus, options.listed(engine), encoder)
    engines = ", ".join(one.engine for one in indexes)
    shown.tell(f"{len(topics)} topics, {number(len(indexes[0]), 'document')} ({engines})")
    ranked = assemble(indexes, PipelinePlan(depth=depth), None).pipeline(queries(topics))
    found, best = tune_mmr(ranked, judged, encoder_of(mmr_encoder))
    facts = {"mmr": best, "measure": MEASURE, "topics": dict(found.topics), "scores": _scores_of(found)}
    result(facts, _tuned(found, best, MEASURE), as_json=shown.json_output)


def _tuned(found: Evaluation, best: float, measure: str) -> Iterator[RenderableType]:
    yield from _lines(found)
    chosen, without = (
        found.score("stance", name, measure).interval.value or 0.0 for name in (f"{best:g}", found.baseline)
    )
    yield f"best       --mmr {best:g} ({'highest' if chosen > without else 'no better than without in'} {measure})"
