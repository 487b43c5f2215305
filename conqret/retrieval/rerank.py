"""Listwise reranking by a language model, as a PyTerrier transformer (ConQRet, section 3.2.1)."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self, TypeVar

import pandas as pd
import pyterrier as pt
from pydantic import ValidationInfo, field_validator

from conqret.data import Document, Item, Reason, Stance
from conqret.errors import DeclarationError, check_known, number
from conqret.judging.responses import Typed
from conqret.llm.client import Client
from conqret.llm.client_options import ClientOptions
from conqret.llm.decisions import UnansweredError
from conqret.llm.prompt_fitting import fit
from conqret.llm.request import Request, messages
from conqret.retrieval.graded_relevance import grade, order_of
from conqret.retrieval.system_names import STEP, WINDOW
from conqret.runs.session import Session
from conqret.runs.trials import collect
from conqret.show.words import reason
from conqret.text.stance_detection import stance_order

T = TypeVar("T")

_LABELLED = re.compile(r"\[\s*(\d+)\s*\]")
_CHAIN = re.compile(r"(?<!\d)\d++(?:\s*+>\s*+\d++)++")


def spans(count: int, *, window: int = WINDOW, step: int = STEP) -> list[tuple[int, int]]:
    """Return the windows over ``count`` documents as (start, end) pairs, end exclusive, from the last
    documents to the first.

    Adjacent windows overlap by at least ``window - step``, and the last window starts at 0. Fewer than two
    documents need no window.

    Raises:
        DeclarationError: ``step`` is not between 1 and ``window``, or ``window`` is below 2.
    """
    if window < 2 or not 1 <= step <= window:
        raise DeclarationError(
            f"the window is {window} and the step {step}, but the window must be at least 2, and "
            "the step from 1 to the window"
        )
    if count < 2:
        return []
    ends = range(count, window - step, -step) or (count,)
    return [(max(0, end - window), end) for end in ends]


def repair(ranking: Sequence[int], count: int) -> tuple[tuple[int, ...], dict[str, Any]]:
    """Turn a response that numbers documents from 1 into a permutation of ``range(count)``.

    Repeated numbers and numbers without a document are dropped. Missing documents follow in their old
    order.

    Returns:
        The permutation, and the counts of numbers that were ``duplicates``, ``invented`` or
            ``missing``.
    """
    there = [number - 1 for number in ranking if 1 <= number <= count]
    order = dict.fromkeys(there)
    rest = [place for place in range(count) if place not in order]
    duplicates, invented = len(there) - len(order), len(ranking) - len(there)
    return (*order, *rest), {"duplicates": duplicates, "invented": invented, "missing": len(rest)}


def apply(items: Sequence[T], start: int, order: Sequence[int]) -> list[T]:
    """Return ``items`` with the window that begins at ``start`` reordered by ``order``, a permutation of the
    window's places from 0."""
    window = [items[start + place] for place in order]
    return [*items[:start], *window, *items[start + len(order) :]]


class RankingAnswer(Typed):
    """The numbers of all the documents, each exactly once, the most useful first."""

    # That docstring is what a model is shown. Read is more: the bare list [3, 1, 2], [3] > [1] > [2] or 3 > 1 > 2 in
    # any prose, numbers as text ("[3]"), and what is no permutation (repair makes it one), as long as it names one of
    # the documents that the validation context counts.

    ranking: list[int]

    @field_validator("ranking", mode="before")
    @classmethod
    def _read_numbers(cls, value: Any) -> Any:
        if isinstance(value, str):
            return ranking_in(value) or value
        if isinstance(value, list):
            return [_number(entry) for entry in value]
        return value

    @field_validator("ranking")
    @classmethod
    def _names_a_document(cls, ranking: list[int], info: ValidationInfo) -> list[int]:
        count = (info.context or {}).get("documents")
        if not any(number >= 1 and (count is None or number <= count) for number in ranking):
            raise ValueError(
                f"it names none of the documents, whose numbers are 1 to {count or 'their count'}"
            )
        return ranking

    @classmethod
    def model_validate_json(cls, json_data: str | bytes | bytearray, **options: Any) -> Self:
        """Parse a response; if it is not a JSON object, search the text for a ranking such as ``[3] > [1]``."""
        text = json_data if isinstance(json_data, str) else bytes(json_data).decode("utf-8", "replace")
        if "{" not in text and (ranking := ranking_in(text)):
            return super().model_validate_json(json.dumps({"ranking": ranking}), **options)
        return super().model_validate_json(json_data, **options)


def ranking_in(text: str) -> list[int]:
    """Return the numbers of a ranking such as ``[3, 1, 2]``, ``[3] > [1]`` or ``3 > 1`` in ``text``, or an
    empty list.
    """
    for part in re.findall(r"\[[\d\s,]+\]", text):
        numbers = re.findall(r"\d+", part)
        if len(numbers) > 1:
            return _whole(numbers)
    if labelled := _LABELLED.findall(text):
        return _whole(labelled)
    chain = _CHAIN.search(text)
    return _whole(re.findall(r"\d+", chain.group())) if chain else []


def _whole(numbers: Sequence[str]) -> list[int]:
    """Numbers of documents; of one with more digits than any document has, those that it begins with."""
    return [int(number[:10]) for number in numbers]


def _number(entry: Any) -> Any:
    if isinstance(entry, str) and (
        digits := re.fullmatch(r"\A\W*+(?:(?:document|doc|passage)\W*+)?(\d{1,9})\W*+", entry, re.I)
    ):
        return int(digits.group(1))
    return entry


MODEL = "gpt-4o-mini"
"""The reranker of the paper (ConQRet, section 3.2.1)."""

INSTRUCTIONS: dict[Stance, str] = {"none": "rerank/generic", "pro": "rerank/pro", "con": "rerank/con"}
"""The prompt for each stance; ``none`` is the generic instruction."""


@dataclass(frozen=True, slots=True)
class WindowOutcome:
    """The result of one reranking window: how its response was repaired.

    ``reason`` is None, or says why there was no response; the window then kept its order. ``trimmed`` counts
    the documents that were cut to fit the model's context window.
    """

    duplicates: int = 0
    invented: int = 0
    missing: int = 0
    trimmed: int = 0
    reason: Reason | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class RerankSummary:
    """Counts over all windows of a reranker: failures by reason, and repairs of the other responses."""

    windows: int
    failed: int
    reasons: dict[str, int]
    duplicates: int
    invented: int
    missing: int
    trimmed: int

    def describe(self) -> str:
        """Return the counts as a phrase."""
        parts = [f"documents ordered in {number(self.windows, 'window')}"]
        if self.failed:
            reasons = ", ".join(f"{count}: {reason(name)}" for name, count in sorted(self.reasons.items()))
            parts.append(f"{self.failed} of them got no valid response and kept their order ({reasons})")
        counts = {
            "documents left out of answers": self.missing,
            "repeated": self.duplicates,
            "invented": self.invented,
            "cut to fit the model": self.trimmed,
        }
        return ", ".join([*parts, *(f"{count} {words}" for words, count in counts.items() if count)])


class ListwiseReranker(pt.Transformer):
    """A PyTerrier transformer that reranks listwise: a model orders overlapping windows, from the bottom up.

    Columns in: ``qid``, ``query``, ``docno``, ``text``, and ``score`` or ``rank``; ``title`` is optional.
    Columns out: the same, with new ``rank`` (from 0) and ``score`` (falling by 1). ``failed_windows``
    counts the query's windows that got no valid response and kept their order. :attr:`outcomes` has every
    window of the last call, and :attr:`summary` their counts.

    ``stance`` is pro, con, or none for the generic instruction. ``model`` is any litellm model, or
    ``offline`` for the lexical baseline. A decision model grades each document by itself, without windows.
    A ``session`` (with recordings and a budget) replaces ``model``.

    Raises:
        DeclarationError: the stance is unknown, the windows are impossible, or as :class:`Session`.
    """

    def __init__(
        self,
        model: str | ClientOptions = MODEL,
        stance: Stance = "none",
        *,
        window: int = WINDOW,
        step: int = STEP,
        session: Session | None = None,
        on_query: Callable[[str], None] = lambda topic: None,
    ) -> None:
        super().__init__()
        check_known("stance", INSTRUCTIONS, stance)
        spans(0, window=window, step=step)
        self.session = session or Session(model)
        self.stance, self.window, self.step = stance, window, step
        self.outcomes: tuple[WindowOutcome, ...] = ()
        self._on_query = on_query

    def transform(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Rerank every query of the frame and return the new frame; requests of all queries are concurrent."""
        return self.session.run(lambda client: self.rerank(frame, client))

    async def rerank(self, frame: pd.DataFrame, client: Client) -> pd.DataFrame:
        """Rerank every query of the frame, and return the new frame, with the number of failed windows in
        ``failed_windows``; such windows keep their order. Sets :attr:`outcomes`."""
        pt.validate.result_frame(frame, extra_columns=["query", "text"])
        self.outcomes = ()
        if frame.empty:
            return frame.assign(score=0.0, rank=0, failed_windows=0)
        groups = [ordered(group) for _, group in frame.groupby("qid", sort=False)]
        works = ((str(group["qid"].iloc[0]), partial(self._one, group, client)) for group in groups)
        reranked = await collect(works, in_flight=client.in_flight)
        self.outcomes = tuple(outcome for _, outcomes in reranked for outcome in outcomes)
        parts = []
        for group, (order, outcomes) in zip(groups, reranked, strict=True):
            failed = sum(outcome.reason is not None for outcome in outcomes)
            parts.append(renumbered(group.iloc[order]).assign(failed_windows=failed))
        return pd.concat(parts, ignore_index=True)

    @property
    def summary(self) -> RerankSummary:
        """The counts over the windows of the last call."""
        reasons = Counter(str(outcome.reason) for outcome in self.outcomes if outcome.reason is not None)
        counted = ("duplicates", "invented", "missing", "trimmed")
        sums = {name: sum(getattr(outcome, name) for outcome in self.outcomes) for name in counted}
        return RerankSummary(len(self.outcomes), reasons.total(), dict(reasons), **sums)

    async def _one(self, group: pd.DataFrame, client: Client) -> tuple[list[int], list[WindowOutcome]]:
        """Return the order of one ranking (places of its documents, best first), and the outcome of each window.
        Windows are requested one after another, from the end to the top: each begins with what the one before it put
        first."""
        topic, question = str(group["qid"].iloc[0]), str(group["query"].iloc[0])
        documents = _documents(group)
        if client.decides:
            order, outcomes = await self._graded(topic, question, documents, client)
            self._on_query(topic)
            return order, outcomes
        order = list(range(len(documents)))
        outcomes = []
        for start, end in spans(len(documents), window=self.window, step=self.step):
            shown = [documents[place] for place in order[start:end]]
            item = self._item(f"{topic}:{start + 1}-{end}", question, shown)
            window_order, outcome = await self._ask(item, client)
            order = apply(order, start, window_order)
            outcomes.append(outcome)
        self._on_query(topic)
        return order, outcomes

    def _item(self, name: str, question: str, documents: Sequence[Document]) -> Item:
        return Item.model_construct(id=name, topic=question, stance=self.stance, documents=tuple(documents))

    async def _graded(
        self, topic: str, question: str, documents: Sequence[Document], client: Client
    ) -> tuple[list[int], list[WindowOutcome]]:
        """Return the order by a decision model's grades, and an outcome for each document, which is a window of its
        own. How many documents were trimmed is in the first outcome."""
        item = self._item(topic, question, documents)
        grades, trimmed = await grade(item, client, INSTRUCTIONS[self.stance])
        outcomes = [
            WindowOutcome(reason=value.reason, detail=str(value))
            if isinstance(value, UnansweredError)
            else WindowOutcome()
            for value in grades
        ]
        if outcomes:
            outcomes[0] = replace(outcomes[0], trimmed=trimmed)
        return order_of(grades), outcomes

    async def _ask(self, item: Item, client: Client) -> tuple[Sequence[int], WindowOutcome]:
        count = len(item.documents)
        texts = [f"{document.title}\n\n{document.text}" for document in item.documents]
        prompt = self.session.library[INSTRUCTIONS[self.stance]]
        fitted = fit(
            item.documents,
            lambda shown: prompt.render({"topic": item.topic, "stance": item.stance, "documents": shown}),
            client,
        )
        if fitted is None:
            return range(count), WindowOutcome(reason=Reason.CONTEXT_OVERFLOW)
        answer = await client.request(
            Request(
                ask=prompt.id,
                item=item.id,
                messages=messages(fitted.rendered),
                response=RankingAnswer,
                context={"documents": count},
                temperature=0.0,
                baseline=lambda: {
                    "ranking": [number + 1 for number in stance_order(item.topic, item.stance, texts)]
                },
            )
        )
        trimmed = len(fitted.trims)
        if answer.value is None:
            reason = answer.reason or Reason.INVALID_ANSWER
            return range(count), WindowOutcome(trimmed=trimmed, reason=reason, detail=answer.detail)
        order, repairs = repair(answer.value.ranking, count)
        return order, WindowOutcome(**repairs, trimmed=trimmed)


def ordered(group: pd.DataFrame) -> pd.DataFrame:
    """Return one query's rows, best first: by rank if there is one, else by score, else unchanged."""
    if "rank" in group:
        return group.sort_values("rank", kind="stable")
    return group.sort_values("score", ascending=False, kind="stable") if "score" in group else group


def renumbered(group: pd.DataFrame) -> pd.DataFrame:
    """Return one query's rows, which are best first, with ``rank`` from 0 and ``score`` falling by 1."""
    places = range(len(group))
    scores = [float(len(group) - place) for place in places]
    return group.reset_index(drop=True).assign(rank=places, score=scores)


def _documents(group: pd.DataFrame) -> list[Document]:
    titles = [str(title or "") for title in group["title"]] if "title" in group else [""] * len(group)
    return [
        Document.model_construct(id=str(identifier), text=str(text), title=title, url="")
        for identifier, text, title in zip(group["docno"], group["text"], titles, strict=True)
    ]
