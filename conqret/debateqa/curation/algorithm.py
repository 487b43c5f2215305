"""Algorithm 1 of DebateQA as trials that wait for each other: queries, documents, points of view, explanations.

Each step of a question is a row of its own, so that a stopped run goes on in the middle of a question. How many points
of view there are is known only once they are there, so there is a place for each that there may be; the row of a place
that stays free is empty.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from conqret.data import Document
from conqret.debateqa.curation import curation_requests as asking
from conqret.debateqa.curation.curation_requests import NoValidResponse, PointOfView, asked, fitted
from conqret.debateqa.curation.trusted_domains import TrustedDomains
from conqret.errors import DeclarationError, check_known, check_positive
from conqret.io.questions import SourcedQuestion
from conqret.judging.prompt_fitting import ANSWER_ROOM, with_texts
from conqret.llm.backend import backend_of
from conqret.llm.client import Client
from conqret.llm.trim import trim_proportionally
from conqret.runs.session import Session
from conqret.runs.study_run import ResponseRow
from conqret.runs.trials import Trial
from conqret.text.stance_detection import stance_order

LISTWISE, LEXICAL = "listwise", "lexical"
RERANKERS = (LISTWISE, LEXICAL)
"""The run's model puts the documents in order, or the words that they share with the question do."""


PAGES = "pages.jsonl"
"""The pages of the web that a search has found, in the run's folder; a corpus of its own once it is called
``documents.jsonl``."""


@dataclass(frozen=True, slots=True)
class PageEvidence:
    """A document, and the licence that it states (empty: none)."""

    document: Document
    licence: str = ""


class PageSource(Protocol):
    """What finds documents."""

    @property
    def name(self) -> str:
        """What stands for it in the record of a run: another name is another run."""

    @property
    def described(self) -> str:
        """What it is, for people."""

    def opened(self, folder: Path) -> AbstractAsyncContextManager[Any]:
        """What must be held while it is searched; it may keep files in the run's ``folder``."""

    async def search(self, queries: Sequence[str], depth: int) -> list[list[str]]:
        """For each query the ids of its documents, best first, ``depth`` at most. Those that :meth:`read` does not
        know were found, and could not be had or are not trusted."""

    def likely(self, question: str, depth: int) -> list[Document]:
        """For a price, documents like those that a search may find, without one that costs anything."""

    def read(self, identifiers: Sequence[str]) -> list[PageEvidence]:
        """The documents of these ids, in this order; an unknown one is left out."""


def by_words(question: SourcedQuestion, documents: Sequence[Document]) -> list[Document]:
    """The documents that keep most to the question first."""
    texts = [f"{document.title}\n\n{document.text}" for document in documents]
    return [documents[place] for place in stance_order(question.question, "none", texts)]


async def listwise(
    question: SourcedQuestion, documents: Sequence[Document], session: Session
) -> list[Document]:
    """The documents in the order of a listwise reranker without a side, best first.

    Raises:
        NoValidResponse: a window got no valid answer: what the search thinks best is not taken in its place.
    """
    import pandas as pd

    from conqret.retrieval.rerank import ListwiseReranker

    frame = pd.DataFrame(
        {
            "qid": question.id,
            "query": question.question,
            "docno": [document.id for document in documents],
            "title": [document.title for document in documents],
            "text": [document.text for document in documents],
            "rank": range(len(documents)),
            "score": [float(len(documents) - place) for place in range(len(documents))],
        }
    )
    reranker = ListwiseReranker(session=session)
    ranked = await reranker.rerank(frame, session.client)
    for window in reranker.outcomes:
        if window.reason is not None:
            raise NoValidResponse(window.reason, window.detail)
    by_id = {document.id: document for document in documents}
    return [by_id[str(identifier)] for identifier in ranked["docno"]]


DEPTH = 20
"""Documents that are taken of each query."""
POOL = 20
"""Trusted documents that are reranked: one window of the listwise reranker."""

_Bound = Callable[[str, Mapping[str, "CurationStep"]], Awaitable["CurationStep"]]
_Work = Callable[[SourcedQuestion, str, Mapping[str, "CurationStep"]], Awaitable["CurationStep"]]
_ADDRESS = re.compile(r"(?:https?://|www\.)\S+")
_RULE = re.compile(r"_{2,}")


@dataclass(frozen=True, slots=True)
class CurationPlan:
    """How partial answers are collected (DebateQA, A.2 and A.3).

    Attributes:
        keep: documents of a question at most, the best by the reranker.
        least_documents, least_views: a question with fewer is filtered.
        document_tokens, prompt_tokens: what a document, and all of a prompt together, are cut to.
        rerank: who puts the documents in order, one of :data:`~conqret.debateqa.curation.algorithm.RERANKERS`.

    Raises:
        DeclarationError: a number is below 1, fewer documents are kept than are needed, or there is no such reranker.
    """

    keep: int = 5
    least_documents: int = 3
    least_views: int = 3
    document_tokens: int = 80_000
    prompt_tokens: int = 120_000
    rerank: str = LISTWISE

    def __post_init__(self) -> None:
        numbers = {name: value for name, value in asdict(self).items() if name != "rerank"}
        check_positive({f"--{name.replace('_', '-')}": value for name, value in numbers.items()})
        check_known("reranker", RERANKERS, self.rerank)
        if self.keep < self.least_documents:
            raise DeclarationError(
                f"--keep {self.keep} leaves every question with fewer documents than --least-documents "
                f"{self.least_documents}"
            )


class CurationStep(ResponseRow):
    """What became of one step of one question; only what the step is about is set.

    ``found`` documents came of the search, ``trusted`` of them from trusted domains, ``documents`` are those kept.
    ``cut`` counts the tokens that were taken off the documents to keep the budget. A step has the reason of the one
    before it that got no valid answer.
    """

    queries: tuple[str, ...] = ()
    found: int = 0
    trusted: int = 0
    documents: tuple[str, ...] = ()
    views: tuple[PointOfView, ...] = ()
    explanation: str = ""
    cut: int = 0


STEPS = (
    "queries",
    "documents",
    "views",
    *(f"explanation {number}" for number in range(1, asking.MOST_VIEWS + 1)),
)
"""The steps of a question, in their order."""


def key(question: SourcedQuestion, step: str) -> str:
    """The id of a step, one of :data:`STEPS`."""
    return f"{question.id} {step}"


class Collector:
    """Collects partial answers: what all steps share."""

    def __init__(
        self, source: PageSource, trusted: TrustedDomains, plan: CurationPlan, session: Session
    ) -> None:
        self.source, self.trusted, self.plan, self.session = source, trusted, plan, session

    def trials(self, question: SourcedQuestion) -> list[Trial[CurationStep]]:
        """The steps of a question, each after those that it needs."""
        queries, documents, views, *explanations = (key(question, step) for step in STEPS)

        def trial(name: str, work: _Work, *after: str) -> Trial[CurationStep]:
            return Trial(name, partial(_settled, name, partial(work, question)), after)

        return [
            trial(queries, self._queries),
            trial(documents, self._documents, queries),
            trial(views, self._views, documents),
            *(
                trial(name, partial(self._explanation, number), documents, views)
                for number, name in enumerate(explanations)
            ),
        ]

    async def _queries(
        self, question: SourcedQuestion, name: str, earlier: Mapping[str, CurationStep]
    ) -> CurationStep:
        prompt = asking.queries_prompt(self.session.library, question.question)
        offline = partial(asking.offline_queries, question.question)
        answer = await asked(asking.QUERIES, name, prompt, asking.SearchQueries, self.session.client, offline)
        return CurationStep(id=name, queries=tuple(answer.queries))

    async def _documents(
        self, question: SourcedQuestion, name: str, earlier: Mapping[str, CurationStep]
    ) -> CurationStep:
        from conqret.retrieval.first_stage import round_robin

        (before,) = earlier.values()
        rankings = await self.source.search(before.queries, DEPTH)
        candidates = list(dict.fromkeys(identifier for ranking in rankings for identifier in ranking))
        trusted = {
            page.document.id: page
            for page in self.source.read(candidates)
            if page.document.url in self.trusted
        }
        merged = round_robin(
            [[identifier for identifier in ranking if identifier in trusted] for ranking in rankings], POOL
        )
        pool = [trusted[identifier].document for identifier, _ in merged]
        if len(pool) > self.plan.keep:
            words = self.plan.rerank == LEXICAL
            pool = by_words(question, pool) if words else await listwise(question, pool, self.session)
        kept = tuple(document.id for document in pool[: self.plan.keep])
        return CurationStep(id=name, found=len(candidates), trusted=len(trusted), documents=kept)

    async def _views(
        self, question: SourcedQuestion, name: str, earlier: Mapping[str, CurationStep]
    ) -> CurationStep:
        (before,) = earlier.values()
        if len(before.documents) < self.plan.least_documents:
            return CurationStep(id=name)
        client = self.session.client
        documents, cut = self.within_budget(self._texts(before.documents), client)
        rendered = fitted(
            lambda shown: asking.views_prompt(self.session.library, question.question, shown),
            documents, client, answer_room=ANSWER_ROOM,
        )  # fmt: skip
        texts = [document.text for document in documents]
        answer = await asked(
            asking.VIEWS, name, rendered, asking.PointsOfView, client,
            lambda: asking.offline_views(question.question, texts, asking.MOST_VIEWS),
            context={"documents": len(documents)},
        )  # fmt: skip
        return CurationStep(id=name, views=tuple(answer.points_of_view), cut=cut)

    async def _explanation(
        self, number: int, question: SourcedQuestion, name: str, earlier: Mapping[str, CurationStep]
    ) -> CurationStep:
        collected, before = earlier.values()
        if len(before.views) < max(self.plan.least_views, number + 1):
            return CurationStep(id=name)
        view = before.views[number]
        client = self.session.client
        documents = [collected.documents[place - 1] for place in sorted(set(view.documents))]
        shown, cut = self.within_budget(self._texts(documents), client)
        about = question.question, view.point_of_view
        rendered = fitted(
            lambda texts: asking.explanation_prompt(self.session.library, *about, texts),
            shown,
            client,
            answer_room=asking.EXPLANATION_ROOM,
        )
        texts = [document.text for document in shown]
        offline = partial(asking.offline_explanation, *about, texts)
        answer = await asked(asking.EXPLANATION, name, rendered, asking.Explanation, client, offline)
        return CurationStep(id=name, explanation=answer.explanation, cut=cut)

    def _texts(self, identifiers: Sequence[str]) -> list[Document]:
        return [cleaned(page.document) for page in self.source.read(identifiers)]

    def within_budget(
        self, documents: Sequence[Document], client: Client
    ) -> tuple[tuple[Document, ...], int]:
        """The documents cut to the budget, each for itself and then all by the same share; and the tokens that went."""
        encode = backend_of(client.model_id).encoder(client.model_id)
        one_by_one = [
            trim_proportionally([document.text], self.plan.document_tokens, encode=encode)[0]
            for document in documents
        ]
        together = trim_proportionally(
            [fitted_text.text for fitted_text in one_by_one], self.plan.prompt_tokens, encode=encode
        )
        taken = sum(one.before for one in one_by_one) - sum(one.after for one in together)
        return with_texts(documents, [cut.text or "…" for cut in together]), taken


def cleaned(document: Document) -> Document:
    """A document as prompts show it: without addresses and rules of underscores (DebateQA, A.3)."""
    text = _RULE.sub(" ", _ADDRESS.sub("", document.text)).strip()
    return document.model_copy(update={"text": text or "…"})


async def _settled(name: str, work: _Bound, earlier: Mapping[str, CurationStep]) -> CurationStep:
    """The step, or why there is none: its own reason, or that of a step before it."""
    failed = next((row for row in earlier.values() if not row.answered), None)
    if failed is not None:
        return CurationStep(id=name, reason=failed.reason, detail=failed.detail)
    try:
        return await work(name, earlier)
    except NoValidResponse as error:
        return CurationStep(id=name, reason=error.reason, detail=error.detail)
