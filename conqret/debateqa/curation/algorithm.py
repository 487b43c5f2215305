"""Algorithm 1 of DebateQA, step by step: queries, documents, points of view, explanations.

Each step of a question is a row of its own, so that a stopped run goes on in the middle of a question. How many points
of view there are is known only once they are there, so there is a place for each that there may be; the row of a place
that stays free is empty.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from annotated_types import Interval

from conqret.data import Document
from conqret.debateqa.curation import curation_requests as requests
from conqret.debateqa.curation.curation_requests import NoValidResponse, PointOfView, fitted, response_to
from conqret.debateqa.curation.page_sources import PageSource, TrustedDomains
from conqret.io.questions import SourcedQuestion
from conqret.llm.client_options import backend_of
from conqret.llm.prompt_fitting import ANSWER_ROOM, with_texts
from conqret.llm.request import NucleusSampling
from conqret.llm.text_trimming import trim_proportionally
from conqret.options import check_ranges
from conqret.runs.request_run import Run, gather_all
from conqret.runs.session import Session
from conqret.runs.study_run import ResponseRow
from conqret.text.stance_detection import stance_order

if TYPE_CHECKING:
    import pandas as pd

    from conqret.retrieval.rescoring import CrossEncoder

LISTWISE, LEXICAL = "listwise", "lexical"
RERANKERS = (LISTWISE, LEXICAL)
"""The run's model puts the documents in order, or the words that they share with the question do. Other names are
cross-encoders."""


def ranking_frame(question: SourcedQuestion, documents: Sequence[Document]) -> pd.DataFrame:
    """Return a ranking of documents for one question, in their order, as rerankers read it. The columns are
    qid, query, docno, title, text, rank (from 0) and score (falling to 1)."""
    import pandas as pd

    return pd.DataFrame(
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


async def listwise(
    question: SourcedQuestion, documents: Sequence[Document], session: Session
) -> list[Document]:
    """Rank documents by a listwise reranker that prefers no side, and return them, best first.

    Raises:
        NoValidResponse: a window of documents got no valid response.
    """
    from conqret.retrieval.rerank import ListwiseReranker

    reranker = ListwiseReranker(session=session)
    ranked = await reranker.rerank(ranking_frame(question, documents), session.client)
    for window in reranker.outcomes:
        if window.reason is not None:
            raise NoValidResponse(window.reason, window.detail)
    return in_rank_order(documents, ranked)


def in_rank_order(documents: Sequence[Document], ranked: pd.DataFrame) -> list[Document]:
    """Return the documents in the order of a ranking's rows; those that it lacks are left out."""
    by_id = {document.id: document for document in documents}
    return [by_id[str(identifier)] for identifier in ranked["docno"]]


DEPTH = 20
"""Documents that are taken of each query."""
POOL = 20
"""Trusted documents that are reranked: one window of the listwise reranker."""
MIN_DOCUMENTS, MIN_VIEWS = 3, 3
"""Documents and points of view that a question needs (A.2, A.3)."""
DOCUMENT_TOKENS, PROMPT_TOKENS = 80_000, 120_000
"""The most tokens of a document, and of all documents of a prompt."""

_ADDRESS = re.compile(r"(?:https?://|www\.)\S+")
_RULE = re.compile(r"_{2,}")


@dataclass(frozen=True, slots=True)
class CurationPlan(NucleusSampling):
    """The settings by which partial answers are collected (DebateQA, A.2 and A.3), and how their texts are drawn (the
    paper: temperature .7 and top-p .7).

    Filters:
        keep: The most documents per question; those that the reranker ranks first are kept.
        rerank: The reranker: `listwise` (the model of --model), `lexical` (shared words), or a cross-encoder, by a
            document's best passage of 100 words: a folder, a name on the Hugging Face hub, or an adapter,
            `module:function`.
        views: The most points of view per question.

    Raises:
        DeclarationError: a number is out of its range.
    """

    keep: Annotated[int, Interval(ge=MIN_DOCUMENTS)] = 5
    rerank: str = LISTWISE
    views: Annotated[int, Interval(ge=MIN_VIEWS)] = requests.MAX_VIEWS

    def __post_init__(self) -> None:
        check_ranges(self)

    @property
    def steps(self) -> tuple[str, ...]:
        """Return the names of a question's steps, in their order."""
        places = (f"explanation {number}" for number in range(1, self.views + 1))
        return ("queries", "documents", "views", *places)

    def record(self) -> dict[str, Any]:
        """Return the settings as stored in a run's record: only those that are not the default, and the limits."""
        limits = {"least_documents": MIN_DOCUMENTS, "least_views": MIN_VIEWS}
        limits |= {"document_tokens": DOCUMENT_TOKENS, "prompt_tokens": PROMPT_TOKENS}
        later = {"temperature": None, "top_p": None, "views": requests.MAX_VIEWS}
        own = {name: value for name, value in asdict(self).items() if (name, value) not in later.items()}
        return own | limits

    @property
    def sampling(self) -> dict[str, Any]:
        """Return how the texts are drawn, as settings of a request."""
        return {"temperature": self.sampling_temperature, "top_p": self.top_p}


class CurationStep(ResponseRow):
    """The result of one step of the curation of one question; only the fields of that step are set.

    ``found`` counts the documents that the search found, and ``trusted`` those from trusted domains.
    ``documents`` are the ids of those kept. ``cut`` counts the tokens cut off to fit the budget. After a
    failed step, later steps have its reason.
    """

    queries: tuple[str, ...] = ()
    found: int = 0
    trusted: int = 0
    documents: tuple[str, ...] = ()
    views: tuple[PointOfView, ...] = ()
    explanation: str = ""
    cut: int = 0


VIEWS = 4
"""Points of view of a question, for an estimate: 11,640 on 2,941 questions, removed ones included (A.4)."""
SOURCES = 2
"""Documents that a point of view rests on, for an estimate."""
UNSTATED = "not stated"
"""The license of a text for which neither the corpus nor the list of domains has one."""
FEW_DOCUMENTS, FEW_VIEWS = "few documents", "few points of view"


@dataclass(frozen=True, slots=True)
class QuestionOutcome:
    """The result of the curation of one question: its documents and partial answers, or why it has none.

    Each of ``answers`` is a point of view, its explanation and the ids of its documents. ``why`` is ``few
    documents``, ``few points of view`` or the reason of a failed step.
    """

    question: SourcedQuestion
    documents: tuple[str, ...] = ()
    answers: tuple[tuple[str, str, tuple[str, ...]], ...] = ()
    why: str = ""
    detail: str = ""

    def record(self) -> dict[str, Any]:
        """Return the question as a row of the benchmark's file; an unknown license is written as :data:`UNSTATED`."""
        record = self.question.record()
        answers = [
            {"point_of_view": view, "explanation": explanation, "documents": list(documents)}
            for view, explanation, documents in self.answers
        ]
        return {
            **record,
            "licence": record.get("licence", UNSTATED),
            "partial_answers": answers,
            "documents": list(self.documents),
        }


class Collector:
    """Collects the partial answers of questions, with the sources, settings and model of one run."""

    def __init__(
        self,
        source: PageSource,
        trusted: TrustedDomains,
        plan: CurationPlan,
        run: Run[CurationStep],
        reranker: CrossEncoder | None = None,
    ) -> None:
        self.source, self.trusted, self.plan, self.run = source, trusted, plan, run
        self.reranker = reranker
        self.client, self.library = run.client(), run.library

    async def collect(self, question: SourcedQuestion) -> QuestionOutcome:
        """Run all steps for a question, and return its documents and partial answers, or why it has none: a step
        failed, or there are too few trusted documents or points of view. Never raises for a failed request."""
        queries, documents, views, *places = (f"{question.id} {step}" for step in self.plan.steps)
        searched = await self._step(queries, partial(self._queries, question))
        found = await self._step(documents, partial(self._documents, question, searched), searched)
        taken = await self._step(views, partial(self._views, question, found), found)
        explained = await gather_all(
            *(
                self._step(place, partial(self._explanation, question, number, found, taken), found, taken)
                for number, place in enumerate(places)
            )
        )
        failed = next((step for step in (searched, found, taken, *explained) if not step.answered), None)
        if failed is not None:
            return QuestionOutcome(question, why=str(failed.reason), detail=failed.detail)
        kept = found.documents
        if len(kept) < MIN_DOCUMENTS:
            return QuestionOutcome(question, why=FEW_DOCUMENTS, detail=f"{len(kept)} trusted documents")
        if len(taken.views) < MIN_VIEWS:
            return QuestionOutcome(question, why=FEW_VIEWS, detail=f"{len(taken.views)} points of view")
        answers = (
            (view.point_of_view, step.explanation, tuple(kept[number - 1] for number in _numbers(view)))
            for view, step in zip(taken.views, explained, strict=False)
        )
        return QuestionOutcome(question, kept, tuple(answers))

    async def _step(
        self, key: str, work: Callable[[str], Awaitable[CurationStep]], *after: CurationStep
    ) -> CurationStep:
        """Return the row of a step, from an earlier run if there is one. It is not worked on if a step ``after`` which
        it comes has failed: then it has that one's reason. Rows of failed steps have their own reason."""

        async def made() -> CurationStep:
            failed = next((step for step in after if not step.answered), None)
            if failed is not None:
                return CurationStep(id=key, reason=failed.reason, detail=failed.detail)
            try:
                return await work(key)
            except NoValidResponse as error:
                return CurationStep(id=key, reason=error.reason, detail=error.detail)

        return await self.run.row(key, made)

    async def _queries(self, question: SourcedQuestion, key: str) -> CurationStep:
        limits = {"most": requests.MAX_QUERIES}
        prompt = self.library[requests.QUERIES].render({"question": question.question}, limits)
        offline = partial(requests.offline_queries, question.question)
        answer = await response_to(
            requests.QUERIES, key, prompt, requests.SearchQueries, self.client, offline, **self.plan.sampling
        )
        return CurationStep(id=key, queries=tuple(answer.queries))

    async def _documents(self, question: SourcedQuestion, searched: CurationStep, key: str) -> CurationStep:
        from conqret.retrieval.first_stage import round_robin

        rankings = await self.source.search(searched.queries, DEPTH)
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
        if len(pool) > self.plan.keep and self.plan.rerank == LEXICAL:
            texts = [f"{document.title}\n\n{document.text}" for document in pool]
            pool = [pool[place] for place in stance_order(question.question, "none", texts)]
        elif len(pool) > self.plan.keep and self.reranker is not None:
            pool = in_rank_order(pool, self.reranker.transform(ranking_frame(question, pool)))
        elif len(pool) > self.plan.keep and self.plan.rerank == LISTWISE:
            pool = await listwise(question, pool, self.run.session())
        kept = tuple(document.id for document in pool[: self.plan.keep])
        return CurationStep(id=key, found=len(candidates), trusted=len(trusted), documents=kept)

    async def _views(self, question: SourcedQuestion, found: CurationStep, key: str) -> CurationStep:
        if len(found.documents) < MIN_DOCUMENTS:
            return CurationStep(id=key)
        documents, cut = self._within_budget(self._texts(found.documents))
        rendered = fitted(
            lambda shown: self.library[requests.VIEWS].render(
                {"question": question.question, "documents": shown}, {"most": self.plan.views}
            ),
            documents,
            self.client,
            answer_room=ANSWER_ROOM,
        )
        texts = [document.text for document in documents]

        def offline() -> dict[str, Any]:
            if not self.run.dry:
                return requests.offline_views(question.question, texts, self.plan.views)
            numbers = list(range(1, min(SOURCES, len(texts)) + 1))
            count = min(self.plan.views, max(VIEWS, MIN_VIEWS))
            views = [f"{number}. {question.question}" for number in range(1, count + 1)]
            return {"points_of_view": [{"point_of_view": view, "documents": numbers} for view in views]}

        answer = await response_to(
            requests.VIEWS,
            key,
            rendered,
            requests.views_response(self.plan.views),
            self.client,
            offline,
            context={"documents": len(documents)},
            **self.plan.sampling,
        )
        return CurationStep(id=key, views=tuple(answer.points_of_view), cut=cut)

    async def _explanation(
        self, question: SourcedQuestion, number: int, found: CurationStep, taken: CurationStep, key: str
    ) -> CurationStep:
        if len(taken.views) < max(MIN_VIEWS, number + 1):
            return CurationStep(id=key)
        view = taken.views[number]
        shown, cut = self._within_budget(
            self._texts([found.documents[place - 1] for place in _numbers(view)])
        )
        about = question.question, view.point_of_view
        rendered = fitted(
            lambda texts: self.library[requests.EXPLANATION].render(
                {"question": about[0], "perspective": about[1], "documents": texts}, {"most": requests.WORDS}
            ),
            shown,
            self.client,
            answer_room=requests.EXPLANATION_ROOM,
        )
        offline = partial(requests.offline_explanation, *about, [document.text for document in shown])
        answer = await response_to(
            requests.EXPLANATION,
            key,
            rendered,
            requests.Explanation,
            self.client,
            offline,
            **self.plan.sampling,
        )
        return CurationStep(id=key, explanation=answer.explanation, cut=cut)

    def _texts(self, identifiers: Sequence[str]) -> list[Document]:
        return [cleaned(page.document) for page in self.source.read(identifiers)]

    def _within_budget(self, documents: Sequence[Document]) -> tuple[tuple[Document, ...], int]:
        """Return the documents cut to the budget, first each for itself and then all by the same share, and how many
        tokens were cut off. A document that is cut to nothing becomes "…"."""
        encode = backend_of(self.client.model_id).encoder(self.client.model_id)
        one_by_one = [
            trim_proportionally([document.text], DOCUMENT_TOKENS, encode=encode)[0] for document in documents
        ]
        together = trim_proportionally(
            [fitted_text.text for fitted_text in one_by_one], PROMPT_TOKENS, encode=encode
        )
        taken = sum(one.before for one in one_by_one) - sum(one.after for one in together)
        return with_texts(documents, [cut.text or "…" for cut in together]), taken


def cleaned(document: Document) -> Document:
    """Return a copy of a document without web addresses and lines of underscores, as prompts show it
    (DebateQA, A.3)."""
    text = _RULE.sub(" ", _ADDRESS.sub("", document.text)).strip()
    return document.model_copy(update={"text": text or "…"})


def _numbers(view: PointOfView) -> list[int]:
    """The numbers of its documents."""
    return sorted(set(view.documents))
