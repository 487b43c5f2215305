"""What answers will take, before the first call: the strategy is followed, and the offline baseline answers in place of
the models, so that each prompt is the one that may be sent."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import Any

from conqret.debateqa.answering.answering_run import Answering
from conqret.debateqa.curation.curation_requests import Unanswered
from conqret.generation.cited_argument import GeneratedArgument
from conqret.generation.generation_cost import GENERATED_TOKENS
from conqret.judging.cost import Expected, expected
from conqret.judging.fitting import prompt_tokens
from conqret.llm.client import Client
from conqret.llm.client_options import ClientOptions
from conqret.llm.request import Answer, Plain, Request
from conqret.prompts import Library, Rendered
from conqret.runs.loop import Loop

ANSWER_TOKENS = 500
"""An answer where nothing is said of its length: between the averages of 250 and 800 of the paper's models (Figure
14)."""
STEP_TOKENS = 80
"""A thought and a query."""


class _Priced(Client):
    """A model that is not asked: it counts what it would be, and has the offline baseline answer."""

    def __init__(self, options: ClientOptions) -> None:
        super().__init__(replace(options, budget_usd=None), store=None)
        self.prompts: dict[str, list[int]] = defaultdict(list)

    async def ask(self, request: Request[Any]) -> Answer[Any]:
        system, user = (one.content for one in request.messages)
        self.prompts[request.ask].append(prompt_tokens(Rendered(system, user), self))
        made = request.baseline() if request.baseline is not None else None
        value = {"text": made} if request.plain else made
        return Answer(request.response.model_validate(value, context=dict(request.context)), ())


def estimate(run: Answering, library: Library) -> list[Expected]:
    """The calls, tokens and dollars of answerer and agent; nothing that is recorded already is taken off."""
    run.check(library)
    answerer, agent = _Priced(run.answerer), _Priced(run.searcher)

    async def follow() -> None:
        for question in run.questions:
            try:
                await run.strategy.respond(run.desk(question, library, answerer, agent))
            except Unanswered:
                continue

    with Loop() as loop:
        loop.run(follow())
    types = run.prompts
    return [
        expected(
            "answer", model, len(prompts), sum(prompts), len(prompts) * _tokens(types[name], run), by=name
        )
        for model, asked in ((run.answerer, answerer), (run.searcher, agent))
        for name, prompts in asked.prompts.items()
    ]


def _tokens(response: type[Any], run: Answering) -> int:
    """Of an answer of this type."""
    if response is GeneratedArgument:
        return GENERATED_TOKENS
    return (run.plan.length or ANSWER_TOKENS) if response is Plain else STEP_TOKENS
