"""Perspective query expansion: ask for the perspectives on a question, and search with each (BeRDS, section 6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import pandas as pd
import pyterrier as pt
from pydantic import Field, field_validator

from conqret.data import Reason
from conqret.errors import check_positive
from conqret.judging.responses import Typed
from conqret.llm.client import Client
from conqret.llm.client_options import ClientOptions
from conqret.llm.request import Request, messages
from conqret.retrieval.first_stage import round_robin
from conqret.retrieval.rerank import MODEL, ordered, renumbered
from conqret.runs.session import Session
from conqret.runs.trials import collect
from conqret.text.stance_detection import standpoints

MOST = 10
"""Perspectives at most; GPT-4 gave 6.1 a question on average (BeRDS, footnote 11)."""

DEPTH = 100
"""Documents a question after merging, as many as any first stage gives."""

PROMPT = "perspectives"


class Perspective(Typed):
    """One perspective: its name, and the text to search with."""

    name: str
    text: str = Field(min_length=1)


class Perspectives(Typed):
    """The distinct perspectives on a question."""

    perspectives: list[Perspective] = Field(min_length=2, max_length=MOST)

    @field_validator("perspectives")
    @classmethod
    def _distinct(cls, perspectives: list[Perspective]) -> list[Perspective]:
        texts = [" ".join(perspective.text.lower().split()) for perspective in perspectives]
        if len(set(texts)) < len(texts):
            raise ValueError("the perspectives must all be different; some have the same text")
        return perspectives


@dataclass(frozen=True, slots=True)
class QueryExpansion:
    """The perspectives on one topic; empty with a ``reason`` where the model gave none."""

    topic: str
    perspectives: tuple[Perspective, ...]
    reason: Reason | None = None
    detail: str = ""


class PerspectiveExpansion(pt.Transformer):
    """Search with every perspective on the question, and merge the rankings round robin without duplicates.

    ``retriever`` is any transformer from queries to rankings. Columns in: ``qid`` and ``query``. Columns out:
    the retriever's, with the question as ``query``, ``rank`` and ``score`` anew, ``perspective`` (the name of
    the one that brought the document) and ``expanded`` (False where the model gave no perspectives: the
    question itself was searched with). :attr:`expanded` holds the perspectives of the last call.

    Raises:
        DeclarationError: ``depth`` is below 1, or what :class:`Session` raises.
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
        """Expand, search and merge for every query."""
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
        """The rankings of one topic's perspectives as one."""
        rankings = [list(map(str, group["docno"])) for group in groups]
        merged = round_robin(rankings, self.depth)
        rows = [groups[which].iloc[rankings[which].index(document)] for document, which in merged]
        return renumbered(pd.DataFrame(rows)).assign(
            qid=expanded.topic,
            query=question,
            perspective=[_names(expanded)[which] for _, which in merged],
            expanded=bool(expanded.perspectives),
        )

    async def _all(self, topics: Sequence[tuple[str, str]], client: Client) -> list[QueryExpansion]:
        works = (
            (f"{place}", partial(self._one, topic, question, client))
            for place, (topic, question) in enumerate(topics)
        )
        return await collect(works, in_flight=client.in_flight)

    async def _one(self, topic: str, question: str, client: Client) -> QueryExpansion:
        rendered = self.session.library[PROMPT].render({"topic": question}, {"most": MOST})
        sides = standpoints(question)  # what the offline model answers: the yes side and the no side
        answer = await client.ask(
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

    def __repr__(self) -> str:
        return f"PerspectiveExpansion({self.retriever!r})"


def _names(expanded: QueryExpansion) -> list[str]:
    """The names of the perspectives; one without a name, the question itself, where there are none."""
    return [perspective.name for perspective in expanded.perspectives] or [""]
