"""First stages as PyTerrier transformers: questions in, ranked documents with their texts out. By words, by vectors,
several fused, or with a search for each perspective on the question (BeRDS, section 6)."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np
import pandas as pd
import pyterrier as pt
from pydantic import Field, field_validator

from conqret.data import Reason
from conqret.errors import DeclarationError, check_positive
from conqret.judging.responses import Typed
from conqret.llm.client import Client
from conqret.llm.client_options import ClientOptions
from conqret.llm.request import Request, messages
from conqret.retrieval.corpus_index import Index, open_index
from conqret.retrieval.rerank import MODEL, ordered, renumbered
from conqret.retrieval.system_names import DEPTH
from conqret.runs.session import Session
from conqret.runs.trials import collect
from conqret.text.stance_detection import standpoints


class Texts(pt.Transformer):
    """A PyTerrier transformer that adds ``title`` and ``text`` by ``docno``, from the documents of a corpus.

    Use it after a first stage that returns only ids: ``dense >> Texts("corpus/") >> ListwiseReranker(…)``.

    Raises:
        DeclarationError: the corpus cannot be opened; or, when called, it lacks a document.
    """

    def __init__(self, corpus: Index | str | Path) -> None:
        super().__init__()
        self.index = corpus if isinstance(corpus, Index) else open_index(corpus)

    def transform(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return the frame with the columns ``title`` and ``text`` added.

        Raises:
            DeclarationError: the corpus lacks a document of the frame.
        """
        pt.validate.columns(frame, includes=["docno"])
        identifiers = [str(identifier) for identifier in frame["docno"]]
        entries = self.index.entries(identifiers)
        if strangers := [identifier for identifier in identifiers if identifier not in entries]:
            raise DeclarationError(
                f"{self.index.collection.documents_file} has no document {strangers[0]!r} "
                f"({len(set(strangers))} unknown ids): give the corpus that the ranking was made from"
            )
        return frame.assign(
            title=[entries[identifier].title for identifier in identifiers],
            text=[entries[identifier].text for identifier in identifiers],
        )


class FirstStage(pt.Transformer):
    """A PyTerrier retriever that searches a corpus directory or an index of
    :func:`conqret.retrieval.build_index`.

    Columns in: ``qid``, ``query`` and any others. Columns out: the same, and ``docno``, ``score`` and
    ``rank`` (from 0), ``title`` and ``text``.

    Raises:
        DeclarationError: ``depth`` is below 1, or the corpus cannot be opened.
    """

    engine: str | None = None
    """The engine whose index of a corpus directory is opened; None is that by words."""

    def __init__(self, index: Index | str | Path, *, depth: int = DEPTH) -> None:
        super().__init__()
        check_positive({"depth": depth})
        self.index = index if isinstance(index, Index) else open_index(index, self.engine)
        self.depth = depth

    def transform(self, queries: pd.DataFrame) -> pd.DataFrame:
        """Search for every query of the frame, and return the ranked documents, at most ``depth`` for each query and
        best first. A query without hits has no row."""
        pt.validate.query_frame(queries, extra_columns=["query"])
        hits = self.index.search(
            [str(query) for query in queries["query"]], self.depth, [str(topic) for topic in queries["qid"]]
        )
        frame = queries.iloc[hits.queries].reset_index(drop=True)
        frame = frame.drop(columns=[name for name in ("docno", "score", "rank") if name in frame])
        frame = frame.assign(
            docno=np.array(self.index.ids, dtype=object)[hits.documents],
            score=hits.scores,
            rank=frame.groupby(hits.queries).cumcount(),
        )
        return Texts(self.index).transform(frame)


class BM25(FirstStage):
    """A PyTerrier retriever that searches the word index of ``conqret retrieve index CORPUS``."""


class Dense(FirstStage):
    """A PyTerrier retriever that searches a vector index, such as that of ``conqret retrieve index --engine
    dense``.
    """

    engine = "dense"


T = TypeVar("T", bound=Hashable)


def round_robin(rankings: Sequence[Sequence[T]], limit: int | None = None) -> list[tuple[T, int]]:
    """Merge rankings round robin: the first entry of each in turn, then the second of each (BeRDS, section
    6).

    A ranking whose next entry is already in the result skips its turn. Returns at most ``limit`` pairs of
    an entry and the number (from 0) of the ranking that it comes from.
    """
    rounds: dict[T, int] = {}
    for place in range(max((len(ranking) for ranking in rankings), default=0)):
        for number, ranking in enumerate(rankings):
            if limit is not None and len(rounds) >= limit:
                return list(rounds.items())
            if place < len(ranking):
                rounds.setdefault(ranking[place], number)
    return list(rounds.items())


SMOOTHING = 60
"""k of reciprocal rank fusion, as its authors set it (Cormack, Clarke and Buettcher 2009)."""


class Fusion(pt.Transformer):
    """A PyTerrier transformer that searches with several retrievers and adds up their scores for each
    document.

    Without ``weights``, a ranking contributes ``1 / (k + rank)``, with ranks from 1 (reciprocal rank
    fusion). With one weight per retriever, it contributes weight times score, scaled to [0, 1] within each
    ranking (1 if all are equal). A ranking without the document contributes 0. Columns in: ``qid``,
    ``query``. Columns out: those of the retrievers, with new ``score`` and ``rank`` (from 0). Among ties,
    the earlier retriever's document comes first.

    Raises:
        DeclarationError: there are fewer than two retrievers, or not one weight of at least 0 per
            retriever, or all weights are 0.
    """

    def __init__(
        self,
        *retrievers: pt.Transformer,
        weights: Sequence[float] | None = None,
        k: int = SMOOTHING,
        depth: int = DEPTH,
    ) -> None:
        super().__init__()
        if len(retrievers) < 2:
            raise DeclarationError(
                f"{len(retrievers)} rankings cannot be fused; name at least two, such as bm25,dense"
            )
        sound = weights is None or (all(0 <= one < float("inf") for one in weights) and any(weights))
        if weights is not None and (len(weights) != len(retrievers) or not sound):
            raise DeclarationError(
                f"the weights are {', '.join(map(str, weights))}, but each of the {len(retrievers)} "
                "rankings needs a weight of at least 0, and at least one weight must be above 0"
            )
        self.retrievers, self.weights, self.k, self.depth = retrievers, weights, k, depth

    def transform(self, queries: pd.DataFrame) -> pd.DataFrame:
        """Search with each retriever, and return the fused ranking, at most ``depth`` documents for each
        query, best first: scores are summed points, and a document's other columns are those of the first
        retriever that found it."""
        pt.validate.query_frame(queries, extra_columns=["query"])
        parts = [
            ranking.assign(score=self._points(ranking, number))
            for number, ranking in enumerate(retriever.transform(queries) for retriever in self.retrievers)
        ]
        whole = pd.concat([part for part in parts if not part.empty] or parts[:1], ignore_index=True)
        names = ["qid", "docno"]
        fused = whole.drop_duplicates(names).assign(
            score=whole.groupby(names, sort=False)["score"].sum().to_numpy()
        )
        fused = fused.sort_values("score", ascending=False, kind="stable")
        fused["rank"] = fused.groupby("qid", sort=False).cumcount()
        places = {name: place for place, name in enumerate(queries["qid"])}
        fused = fused.sort_values("qid", key=lambda names: names.map(places), kind="stable")
        return fused[fused["rank"] < self.depth].reset_index(drop=True)

    def _points(self, frame: pd.DataFrame, number: int) -> pd.Series[float]:
        if self.weights is None:
            return 1 / (self.k + 1 + frame["rank"])
        scores = frame.groupby("qid")["score"]
        low, high = scores.transform("min"), scores.transform("max")
        scaled = ((frame["score"] - low) / (high - low)).where(high > low, 1.0)
        return self.weights[number] * scaled


MAX_PERSPECTIVES = 10
"""Perspectives at most; GPT-4 gave 6.1 a question on average (BeRDS, footnote 11)."""

PROMPT = "perspectives"


class Perspective(Typed):
    """One perspective: its name, and the text to search with."""

    name: str
    text: str = Field(min_length=1)


class Perspectives(Typed):
    """The distinct perspectives on a question."""

    perspectives: list[Perspective] = Field(min_length=2, max_length=MAX_PERSPECTIVES)

    @field_validator("perspectives")
    @classmethod
    def _distinct(cls, perspectives: list[Perspective]) -> list[Perspective]:
        texts = [" ".join(perspective.text.lower().split()) for perspective in perspectives]
        if len(set(texts)) < len(texts):
            raise ValueError("the perspectives must all be different; some have the same text")
        return perspectives


@dataclass(frozen=True, slots=True)
class QueryExpansion:
    """The perspectives on one topic; if the model gave none, they are empty and ``reason`` says why."""

    topic: str
    perspectives: tuple[Perspective, ...]
    reason: Reason | None = None
    detail: str = ""


class PerspectiveExpansion(pt.Transformer):
    """A PyTerrier transformer that searches for each perspective on a question and merges the rankings round
    robin.

    ``retriever`` is any transformer from queries to rankings. Columns in: ``qid`` and ``query``. Columns
    out: the retriever's, with the question as ``query`` and new ``rank`` and ``score``. ``perspective`` is
    the name of the perspective that found the document. ``expanded`` is False if the model gave no
    perspectives, so that the question itself was searched. The attribute :attr:`expanded` holds the
    perspectives of the last call.

    Raises:
        DeclarationError: ``depth`` is below 1, or as :class:`Session`.
    """

    def __init__(
        self,
        retriever: pt.Transformer,
        model: str | ClientOptions = MODEL,
        *,
        depth: int = DEPTH,
        session: Session | None = None,
    ) -> None:
        super().__init__()
        check_positive({"depth": depth})
        self.retriever, self.depth = retriever, depth
        self.session = session or Session(model)
        self.expanded: tuple[QueryExpansion, ...] = ()

    def transform(self, queries: pd.DataFrame) -> pd.DataFrame:
        """Have the model name the perspectives of every query, search for each, and return the merged rankings. Sets
        :attr:`expanded`. A query whose request failed is searched for itself, with ``expanded`` False in its rows."""
        pt.validate.query_frame(queries, extra_columns=["query"])
        if queries.empty:
            return self.retriever.transform(queries).assign(perspective="", expanded=False)
        topics = list(zip(map(str, queries["qid"]), map(str, queries["query"]), strict=True))
        self.expanded = tuple(self.session.run(lambda client: self._all(topics, client)))
        names: list[list[str]] = []
        searches = []
        for number, (expanded, (_, question)) in enumerate(zip(self.expanded, topics, strict=True)):
            texts = [perspective.text for perspective in expanded.perspectives] or [question]
            names.append([f"{expanded.topic}:{number}:{place}" for place in range(len(texts))])
            searches += list(zip(names[-1], texts, strict=True))
        results = self.retriever.transform(pd.DataFrame(searches, columns=["qid", "query"]))
        found = {str(name): ordered(group) for name, group in results.groupby("qid", sort=False)}
        nothing = results.iloc[:0]
        parts = [
            self._merged([found.get(name, nothing) for name in searched], expanded, question)
            for searched, expanded, (_, question) in zip(names, self.expanded, topics, strict=True)
        ]
        whole = [part for part in parts if not part.empty]
        return pd.concat(whole, ignore_index=True) if whole else self.retriever.transform(queries.iloc[:0])

    def _merged(
        self, groups: Sequence[pd.DataFrame], expanded: QueryExpansion, question: str
    ) -> pd.DataFrame:
        """Return the rankings of one topic's perspectives as one, by taking from each in turn; a document occurs once,
        with the perspective that brought it first."""
        names = [perspective.name for perspective in expanded.perspectives] or [""]
        rankings = [list(map(str, group["docno"])) for group in groups]
        merged = round_robin(rankings, self.depth)
        rows = [groups[which].iloc[rankings[which].index(document)] for document, which in merged]
        return renumbered(pd.DataFrame(rows)).assign(
            qid=expanded.topic,
            query=question,
            perspective=[names[which] for _, which in merged],
            expanded=bool(expanded.perspectives),
        )

    async def _all(self, topics: Sequence[tuple[str, str]], client: Client) -> list[QueryExpansion]:
        works = (
            (f"{place}", partial(self._one, topic, question, client))
            for place, (topic, question) in enumerate(topics)
        )
        return await collect(works, in_flight=client.in_flight)

    async def _one(self, topic: str, question: str, client: Client) -> QueryExpansion:
        rendered = self.session.library[PROMPT].render({"topic": question}, {"most": MAX_PERSPECTIVES})
        sides = standpoints(question)  # what the offline model answers: the yes side and the no side
        answer = await client.request(
            Request(
                ask=PROMPT,
                item=topic,
                messages=messages(rendered),
                response=Perspectives,
                temperature=0.0,
                baseline=lambda: {"perspectives": [{"name": n, "text": t} for n, t in sides.items()]},
            )
        )
        if answer.value is None:
            return QueryExpansion(topic, (), answer.reason or Reason.INVALID_ANSWER, answer.detail)
        return QueryExpansion(topic, tuple(answer.value.perspectives))
