"""``retrieve``: rankings of the documents of a corpus."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from conqret._optional import require
from conqret.data import Stance
from conqret.data.corpus import SPLITS, CorpusTopic, Split
from conqret.errors import DeclarationError, check_known, strict_options
from conqret.io.corpus_folder import CorpusDirectory
from conqret.io.trec import scored, write_run
from conqret.llm.client_options import ClientOptions
from conqret.llm.recordings import STORE_NAME
from conqret.retrieval.system_names import PipelinePlan
from conqret.retrieval.systems import falling, queries, rankings
from conqret.runs.run_folder import RUNS, as_path
from conqret.runs.session import Session, SessionCounts

if TYPE_CHECKING:
    from conqret.retrieval.first_stage import QueryExpansion
    from conqret.retrieval.rerank import RerankSummary

KEEP = 100
"""Documents that are kept for each topic."""


@dataclass(frozen=True, slots=True)
class RetrievalResult:
    """The result of retrieval: the ids of each topic's documents, best first.

    ``file`` is the TREC run that was written. ``windows`` counts the reranker's windows. ``expanded`` has
    the perspectives searched for each topic. ``topics`` is the number of topics.
    """

    file: Path
    rankings: Mapping[str, tuple[str, ...]]
    topics: int
    engine: str
    windows: RerankSummary | None
    expanded: tuple[QueryExpansion, ...]
    session: SessionCounts

    @property
    def lines(self) -> int:
        """The number of ranked documents over all topics, the lines of the TREC run."""
        return sum(map(len, self.rankings.values()))

    @property
    def failed(self) -> bool:
        """True if a request of the reranker or the expansion got no valid response.

        The documents concerned kept their order, or the question itself was searched.
        """
        return bool(self.windows and self.windows.failed) or any(
            expansion.reason for expansion in self.expanded
        )


class RankingSettings(TypedDict, total=False):
    """What systems are given that rank the documents of a corpus.

    - ``encoder``: the encoder of a vector index, by default the one it was built with
    - ``mmr_encoder``: the encoder whose vectors MMR compares; by default it compares words
    - ``prompts``: a folder of custom prompts
    - ``recordings``: a store of responses; by default one next to the run (of an evaluation: under ``runs``), for
      models that cost money
    - ``replay``: recordings to read responses from; no request is sent
    """

    encoder: str | None
    mmr_encoder: str | None
    prompts: str | Path | None
    recordings: str | Path | None
    replay: str | Path | None


class RetrievalSettings(RankingSettings, total=False):
    """The keyword settings of :func:`retrieve`: those of :class:`RankingSettings`, and further steps.

    - ``weights``: one weight per engine, to fuse scores; by default ranks are fused (reciprocal rank
      fusion)
    - ``depth``: documents that the first stage retrieves for each topic
    - ``cross_encoder``: a model that reranks by question and passage, before ``rerank``
    - ``instruction``: an instruction that the cross-encoder reads with each question
    - ``mmr``: lambda, 0 to 1, of a final reordering by maximal marginal relevance
    """

    weights: Sequence[float] | None
    depth: int
    cross_encoder: str | None
    instruction: str
    mmr: float | None


@strict_options
def retrieve(
    corpus: str | Path,
    *,
    engine: str = "bm25",
    stance: Stance = "none",
    rerank: str | ClientOptions | None = None,
    perspectives: str | ClientOptions | None = None,
    keep: int = KEEP,
    split: str = "all",
    output: str | Path | None = None,
    on_document: Callable[[], object] = lambda: None,
    on_start: Callable[[int, int, str], None] = lambda topics, documents, engine: None,
    on_topic: Callable[[str], None] = lambda topic: None,
    **settings: Unpack[RetrievalSettings],
) -> RetrievalResult:
    """Rank the documents of a corpus for its topics with a first stage and optional further steps; writes a
    TREC run.

    Args:
        corpus: a corpus directory; a missing index is built.
        engine: ``bm25``, ``dense``, a plug-in's name, or several separated by commas, whose rankings
            are fused.
        stance: the side that the reranker prefers; ``none`` for the generic instruction.
        rerank: the model that reranks listwise; ``offline`` uses lexical stance evidence.
        perspectives: the model that names the perspectives on each question. Each is searched for, and
            the rankings are merged (BeRDS, section 5). It must be the model of ``rerank`` if both are
            given.
        keep: documents to keep for each topic.
        split: the topics of this split: ``train``, ``test`` or ``all``.
        output: the TREC run to write (``.gz`` is compressed); by default
            ``runs/CORPUS-STANCE.res.gz``.
        on_document: called as each document is read for indexing.
        on_start: called with the numbers of topics and documents, and the engines with their settings.
        on_topic: called with the id of each topic that is reranked.
        settings: further steps and model settings: :class:`RetrievalSettings`.

    Raises:
        DeclarationError: a setting is out of range or conflicts with others, the split has no topic,
            or there are no such recordings.
        MissingDependencyError: pyterrier is not installed.
    """
    require("pyterrier", extra="retrieval")
    from conqret.retrieval.pipeline import assemble, open_indexes

    if keep < 1:
        raise DeclarationError(f"-k is {keep}, but it must be at least 1 document")
    if rerank and perspectives and rerank != perspectives:
        raise DeclarationError("--rerank and --perspectives name different models: name the same one")
    given: dict[str, Any] = {**settings}
    steps = {field.name: given[field.name] for field in fields(PipelinePlan) if field.name in given}
    plan = PipelinePlan(
        stance=stance, rerank=rerank is not None, perspectives=perspectives is not None, **steps
    )
    asked = rerank or perspectives
    folder = Path(corpus)
    target = RUNS / f"{folder.resolve().name}-{stance}.res.gz" if output is None else Path(output)
    topics = topics_of(folder, split)
    session = retrieval_session(asked, target, settings, writes=bool(perspectives)) if asked else None
    indexes = open_indexes(
        folder, [name.strip() for name in engine.split(",")], settings.get("encoder"), on_document
    )
    on_start(len(topics), len(indexes[0]), ", ".join(map(str, indexes)))
    stages = assemble(indexes, plan, session, on_topic)
    frame: Any = stages.pipeline(queries(topics))
    ranked = {str(topic): tuple(map(str, documents[:keep])) for topic, documents in rankings(frame).items()}
    if plan == PipelinePlan(depth=plan.depth, weights=plan.weights):  # a first stage alone has its own scores
        write_run(target, falling(frame[frame["rank"] < keep]), tag=engine.replace(" ", "").replace(",", "+"))
    else:
        write_run(target, scored(ranked), tag=f"conqret-{stance}")
    return RetrievalResult(
        file=target,
        rankings=ranked,
        topics=len(topics),
        engine=", ".join(index.engine for index in indexes),
        windows=stages.reranker.summary if stages.reranker else None,
        expanded=stages.expansion.expanded if stages.expansion else (),
        session=session.counts if session else SessionCounts(),
    )


def as_split(split: str) -> Split | None:
    """Return the split with this name, or None for ``all``.

    Raises:
        UnknownNameError: there is no such split.
    """
    check_known("split", ("all", *SPLITS), split)
    return next((known for known in SPLITS if known == split), None)


def topics_of(corpus: Path, split: str) -> list[CorpusTopic]:
    """Return the topics of a split, or of ``all``.

    Raises:
        UnknownNameError: there is no such split.
        DeclarationError: the split has no topics.
    """
    topics = list(CorpusDirectory(corpus).topics(as_split(split)))
    if not topics:
        raise DeclarationError(f"{corpus} has no topics of the split {split!r}; choose another with --split")
    return topics


def retrieval_session(
    model: str | ClientOptions, output: Path, settings: Mapping[str, Any], *, writes: bool
) -> Session:
    """Return a session with ``model`` that records responses where ``settings`` say, or next to the output.

    ``settings`` may have ``recordings``, ``replay`` and ``prompts``. The baseline's responses are not
    recorded by default. The folder of the recordings is made. With ``writes``, the model has to name
    perspectives; without, it only reranks.

    Raises:
        DeclarationError: the model cannot answer these requests (a decision model writes no texts).
    """
    chosen = ClientOptions.from_model(model)
    purpose = "the question for perspectives" if writes else "what retrieval asks"
    chosen.backend.check_can_request(purpose, decided=not writes)
    store, replay = as_path(settings.get("recordings")), settings.get("replay")
    if replay is None and store is None and not chosen.backend.baseline:
        store = output.parent / STORE_NAME
    if store is not None:
        store.parent.mkdir(parents=True, exist_ok=True)
    return Session(chosen, recordings=store, replay=replay, prompts=as_path(settings.get("prompts")))
