"""``conqret retrieve run``: rank a corpus's documents for its topics; ``conqret retrieve evaluate`` scores systems."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from rich.console import RenderableType

from conqret._optional import require
from conqret.console import shared_options as options
from conqret.console.exit_codes import end
from conqret.console.option_groups import OptionGroup
from conqret.console.printing import named, note, note_all, note_each, progress, result
from conqret.console.shared_options import RecordingOptions
from conqret.console.source_options import EncoderFolder, MmrEncoder
from conqret.errors import number
from conqret.retrieval.system_names import MODEL_STEPS, RERANKED, has_step
from conqret.show import words

if TYPE_CHECKING:
    from conqret.retrieval.evaluate import Evaluation
    from conqret.show.table import Cell


Corpus = Annotated[Path, options.option(None, "A corpus directory; it is indexed first if it is not.")]
Engines = Annotated[
    str,
    options.option(
        None,
        "bm25, dense or a plug-in's; several with commas are fused. Build an index for `dense` first, with "
        "`conqret retrieve index`.",
    ),
]
Depth = Annotated[
    int,
    options.option(
        None,
        "How many documents each system's first stage (search by words or vectors) retrieves per topic, before "
        "reranking.",
    ),
]
Split = Annotated[str, options.option(None, "The topics of this split: train, test or all.")]


@dataclass(frozen=True)
class RunRecordings(RecordingOptions):
    """The same for a run, which is a file.

    Files:
        recordings: The file of recorded model responses to read from and add to. Default: recordings.sqlite next to the
            run.
    """

    recordings: Path | None = None


@dataclass(frozen=True)
class SearchedTopics(OptionGroup):
    """The topics of a split, and how they are searched."""

    split: Split = "test"
    depth: Depth = 100
    encoder: EncoderFolder = None
    mmr_encoder: MmrEncoder = None


def evaluate(
    corpus: Corpus,
    *,
    systems: str = "bm25,generic,pro,con",
    rerank: str = "offline",
    measure: list[str] | None = None,
    topics: str | None = None,
    ranked: SearchedTopics,
    calls: options.Calls,
    answers: RunRecordings,
    prompts: options.Prompts = None,
    shown: options.OutputOptions,
) -> None:
    """Score systems against the qrels: means, 95% intervals, and what differs significantly; for pro, con and both
    where the qrels have sides.

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
        measure: A measure of ir-measures, or `balance@K` or `alpha_nDCG@K` of both sides; may be repeated. Default:
            P@10, nDCG@10, R at `--depth` and, of both sides, balance@10 and alpha_nDCG@10.
        topics: Only these topics of the split: ids, comma-separated, or a file with one per line.

    Examples:

    conqret retrieve evaluate corpus/ --systems bm25,generic,pro,con --rerank gpt-4o-mini

    conqret retrieve evaluate corpus/ --systems bm25,dense,hybrid,mine=my.res.gz --split train --measure nDCG@10

    conqret retrieve evaluate corpus/ --systems bm25,mmr --topics zoos,homework --depth 20
    """
    require("pandas", "pyterrier", extra="retrieval")
    from conqret.retrieval.evaluate import marks_legend
    from conqret.retrieval.ranking_evaluation import evaluate_rankings

    names, client, made = options.listed(systems), calls.for_model(rerank), list[str]()
    reranked = [metrics for metrics in names if has_step(metrics, RERANKED)]
    with progress("reranking", quiet=shown.quiet) as bar:

        def started(topics: int, documents: int, engine: str) -> None:
            by = named(rerank, client.backend.baseline, "a model")
            reranker = (
                f"; reranked by {by}" if any(has_step(metrics, MODEL_STEPS) for metrics in names) else ""
            )
            made.append(
                f"{number(topics, 'topic')}, {number(documents, 'document')}, indexed with {engine}{reranker}"
            )
            shown.tell(made[0])
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
        note_each(f"reranking by {run.name}: {run.windows.describe()}" for run in runs if run.windows)
        note_each(f"none of the topics has a relevant document of the view {view}" for view in done.lacking)
        for view, bare in done.left_out.items():
            if bare:
                of_view = "" if len(done.left_out) == 1 else f"{view}: "
                note_all(
                    f"{of_view}{number(len(bare), 'topic')} left out, without a relevant document", bare, 5
                )
        note_each(f"{run.name}: {remark}" for run in runs for remark in run.remarks)
        for name, left in results.unranked.items():
            note_all(f"{name} ranks nothing for {number(len(left), 'topic')}, which count as 0", left, 5)
    facts = {
        "baseline": results.baseline,
        "topics": dict(results.topics),
        "unranked": results.unranked,
        "depths": {run.name: run.depth for run in runs},
        "windows": {run.name: asdict(run.windows) for run in runs if run.windows},
        "cost_usd": done.session.cost_usd,
        "scores": [score.record() for score in results.scores],
    }
    how = list(marks_legend(results.scores, results.baseline))
    lines = _lines(results, [*how, *made] if shown.json_output is False else ())
    result(facts, lines, as_json=shown.json_output)
    note(*how)
    end(done.failed, done.session)


def _lines(evaluation: Evaluation, remarks: Sequence[str]) -> Iterator[RenderableType]:
    """Yield for each view its table of systems by measures, and an empty line; ``remarks`` become the note
    below each table (for LaTeX)."""
    from conqret.show.table import Table

    sided = [*evaluation.topics] != ["all"]
    text = " ".join(f"{words.capitalised(remark)}." for remark in remarks)
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
        title = {"all": "PRO+CON", "stance": "BOTH SIDES"}.get(view, view.upper()) if sided else view.upper()
        paper = "; ConQRet, Table 4" if remarks and view in ("pro", "con", "all") and sided else ""
        title = f"{title} ({number(count, 'topic')}{paper})"
        yield from (Table(title, ("system", *measures), rows, note=text), "")


@dataclass(frozen=True, kw_only=True)
class RankingSteps(OptionGroup):
    """What ranks, step by step, and how many documents of which topics.

    Args:
        weights: To fuse the engines' scores (each scaled to 0 to 1), one weight for each, such as `0.3,0.7`. Default:
            fuse their ranks.
        stance: The side that `--rerank` prefers documents for: `pro`, `con`, or `none` for relevance alone.
        rerank: Rerank the documents listwise with this model: any name that litellm knows, or `offline`, which reranks
            by word statistics.
        perspectives: Have this model name the perspectives on each question, search for each of them, and merge the
            results. With `--rerank`, it must be the same model.
        mmr: Reorder the ranking for diversity by maximal marginal relevance (MMR), with this lambda: 1 is relevance
            alone, 0 diversity alone. `conqret retrieve evaluate --systems bm25,bm25+mmr@0.9` compares values.
        cross_encoder: Rerank the first stage's documents with a cross-encoder, a model that reads question and passage
            together: a folder, a name on the Hugging Face hub, or a Python function `MODULE:FUNCTION` that returns one.
        instruction: An instruction that the model of `--cross-encoder` reads with each question, for models that take
            instructions, such as TART.
        keep (--top, -k): Documents to keep for each topic.
    """

    engine: Engines = "bm25"
    encoder: EncoderFolder = None
    weights: str | None = None
    stance: Literal["none", "pro", "con"] = "none"
    rerank: str | None = None
    perspectives: str | None = None
    mmr: float | None = None
    mmr_encoder: MmrEncoder = None
    cross_encoder: str | None = None
    instruction: str = ""
    keep: int = 100
    depth: Depth = 100
    split: Split = "all"


def run(
    corpus: Corpus,
    *,
    steps: RankingSteps,
    output: Path | None = None,
    calls: options.Calls,
    answers: RunRecordings,
    prompts: options.Prompts = None,
    shown: options.OutputOptions,
) -> None:
    """Rank documents for every topic: a first stage, then the steps that the options name. Writes a TREC run.

    Args:
        weights: To fuse the engines' scores (each scaled to 0 to 1), one weight for each, such as `0.3,0.7`. Default:
            fuse their ranks.
        output (--output, -o): The TREC run to write (.gz is compressed). Default: runs/CORPUS-STANCE.res.gz

    Examples:

    conqret retrieve run corpus/ --stance pro --rerank gpt-4o-mini -k 10 -o runs/pro.res.gz

    conqret retrieve run corpus/ --engine bm25,dense -o runs/hybrid.res.gz

    conqret retrieve run corpus/ --cross-encoder models/tart --instruction 'Find arguments of both sides.'

    conqret retrieve run corpus/ --perspectives offline --mmr 0.95
    """
    require("pandas", "pyterrier", extra="retrieval")
    from conqret.retrieval.retrieve import retrieve

    with progress("indexing" if steps.rerank is None else "reranking", quiet=shown.quiet) as bar:

        def started(topics: int, documents: int, engine: str) -> None:
            shown.tell(f"{number(topics, 'topic')}, {number(documents, 'document')}, indexed with {engine}")
            bar.reach(0, total=topics)

        settings = {
            "rerank": steps.rerank and calls.for_model(steps.rerank),
            "perspectives": steps.perspectives and calls.for_model(steps.perspectives),
            "weights": options.numbers(steps.weights, "numbers such as 0.3,0.7") or None,
        }
        retrieved = retrieve(
            corpus,
            **(vars(steps) | settings),
            **vars(answers),
            prompts=prompts,
            output=output,
            on_document=bar.advance,
            on_start=started,
            on_topic=bar.advance,
        )
    failed = [expansion.reason for expansion in retrieved.expanded if expansion.reason is not None]
    if not shown.quiet:
        note_each(f"reranking: {windows.describe()}" for windows in [retrieved.windows] if windows)
        if failed:
            note(
                f"no perspectives for {len(failed)} of {number(len(retrieved.expanded), 'topic')} ({failed[0]}): "
                "these were searched with the question only"
            )
        if empty := retrieved.topics - len(retrieved.rankings):
            note(f"the search found no document for {number(empty, 'topic')}")
    facts = {
        "run": str(retrieved.file),
        "topics": retrieved.topics,
        "lines": retrieved.lines,
        "engine": retrieved.engine,
        "windows": asdict(retrieved.windows) if retrieved.windows else None,
        "cost_usd": retrieved.session.cost_usd,
        "unexpanded": len(failed),
    }
    result(
        facts, [f"run        {retrieved.file} ({number(retrieved.lines, 'line')})"], as_json=shown.json_output
    )
    end(retrieved.failed, retrieved.session)
