"""``evaluate_rankings``: systems that rank a corpus's documents, held against its qrels."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Unpack

from conqret._optional import require
from conqret.errors import DeclarationError, number, strict_options
from conqret.io.corpus_folder import CorpusDirectory, select_topics
from conqret.llm.client_options import OFFLINE_MODEL, ClientOptions
from conqret.retrieval.corpus_index import open_index
from conqret.retrieval.evaluate import Evaluation, check_depth, cutoff, default_measures, evaluate
from conqret.retrieval.retrieve import RankingSettings, as_split, retrieval_session, topics_of
from conqret.retrieval.system_names import PipelinePlan, check_systems, has_step
from conqret.retrieval.systems import SystemRun, judgments, run_systems
from conqret.runs.run_folder import RUNS
from conqret.runs.session import SessionCounts

SYSTEMS = ("bm25", "generic", "pro", "con")
"""Those of the paper's Table 4."""


@dataclass(frozen=True, slots=True)
class RankingEvaluation:
    """The scores and the rankings of all systems.

    ``lacking`` names the views in which no topic has a relevant document, and ``left_out`` has, by view, the
    topics without one.
    """

    evaluation: Evaluation
    runs: tuple[SystemRun, ...]
    lacking: tuple[str, ...]
    left_out: Mapping[str, tuple[str, ...]]
    session: SessionCounts

    @property
    def failed(self) -> int:
        """The number of reranker windows without a valid response, which kept their order."""
        return sum(run.windows.failed for run in self.runs if run.windows)


@strict_options
def evaluate_rankings(
    corpus: str | Path,
    *,
    systems: Sequence[str] = SYSTEMS,
    rerank: str | ClientOptions = OFFLINE_MODEL,
    measures: Sequence[str] = (),
    topics: str | None = None,
    split: str = "test",
    depth: int = 100,
    on_start: Callable[[int, int, str], object] = lambda topics, documents, engine: None,
    on_topic: Callable[[str], None] = lambda topic: None,
    **settings: Unpack[RankingSettings],
) -> RankingEvaluation:
    """Score systems against the qrels of a corpus: means, 95% intervals, significant differences; for pro, con and
    both where the qrels have sides.

    Args:
        corpus: a corpus directory; a missing index is built.
        systems: ``bm25``, ``dense`` or ``hybrid``, optionally with steps after a plus (``dense+mmr``),
            or ``NAME=FILE`` for a TREC run. All are compared with the first.
        rerank: the model of the steps ``generic``, ``pro``, ``con`` and ``perspectives``.
        measures: names of ir-measures, ``balance@K`` or ``alpha_nDCG@K``; by default P@10, nDCG@10, R at ``depth``
            and, where the qrels have sides, balance@10 and alpha_nDCG@10.
        topics: only these topics of the split: comma-separated ids, or a file with one id per line.
        split: the topics of this split: ``train``, ``test`` or ``all``.
        depth: documents that the first stage retrieves for each topic.
        on_start: called with the numbers of topics and documents, and the name of the index.
        on_topic: called with the id of each topic that is reranked.
        settings: :class:`conqret.retrieval.retrieve.RankingSettings`.

    Raises:
        DeclarationError: a system, measure or topic is unknown, the split has no topic, or a file
            cannot be read.
        MissingDependencyError: pyterrier is not installed.
    """
    require("pandas", "pyterrier", extra="retrieval")

    wanted = list(measures or default_measures(depth))
    for measure in wanted:
        cutoff(measure)  # an unknown one is named before anything is done
    check_systems(systems)
    chosen = select_topics(topics_of(Path(corpus), split), topics, split)
    directory = CorpusDirectory(Path(corpus))
    judged = judgments(directory, as_split(split), {topic.id for topic in chosen})
    if not judged:
        raise DeclarationError(
            f"{directory.path / 'qrels'}: none of the {number(len(chosen), 'topic')} has a relevant document; give "
            "other topics, or qrels with a grade of 1 or more"
        )
    session = retrieval_session(
        rerank, RUNS / "evaluate", settings, writes=any(has_step(name, {"perspectives"}) for name in systems)
    )
    index = open_index(Path(corpus))
    if not any("=" in name for name in systems):
        check_depth(wanted, depth, len(index))
    on_start(len(chosen), len(index), str(index))
    plan, encoder = PipelinePlan(depth=depth), settings.get("encoder")
    runs = run_systems(
        list(systems),
        index,
        chosen,
        plan,
        session,
        on_topic,
        encoder=encoder,
        mmr_encoder=settings.get("mmr_encoder"),
    )
    found = evaluate(
        {run.name: run.run for run in runs},
        judged,
        measures=measures or default_measures(depth, sided={"pro", "con"} <= judged.keys()),
        depths={run.name: run.depth for run in runs},
    )
    lacking = tuple(view for view in directory.views(as_split(split)) if view not in judged)
    left_out = {
        view: tuple(topic.id for topic in chosen if max(pairs.get(topic.id, {"": 0}).values()) <= 0)
        for view, pairs in judged.items()
    }
    return RankingEvaluation(found, tuple(runs), lacking, left_out, session.counts)
