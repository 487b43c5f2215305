"""A client whose answers are written down, and the short way from an answer to its measures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from conqret import Document, Item, Measure
from conqret.data import Call, Nugget, Reason
from conqret.judging.instrument import Instrument
from conqret.judging.judge_options import JudgeOptions
from conqret.judging.judge_parts import JUDGES, Case, JudgeReply
from conqret.llm.request import Answer, Request
from conqret.prompts import Library

ITEM = Item(
    id="one",
    topic="Should zoos be closed?",
    stance="pro",
    documents=(
        Document(id="a", text="Bears pace."),
        Document(id="b", text="Cranes came back."),
        Document(id="c", text="Buy ice."),
    ),
    argument="Bears pace in their cages [1]. Cranes do not need a cage [2][3]. So it must end.",
    second_argument="Cranes came back because of cages [2].",
    reference="Bears pace. Cranes came back.",
    nuggets=(Nugget(text="Bears pace.", importance="vital", sub_narrative="Bears"),),
)


def measures(
    name: str,
    answer: Any,
    metric: str | None = None,
    item: Item = ITEM,
    distribution: Mapping[int, float] | None = None,
    **options: Any,
) -> Mapping[str, Measure]:
    """What the format ``name`` makes of ``answer`` to its question about ``metric``."""
    case = Case(item, JudgeOptions(**options))
    (ask, *_) = JUDGES[name].select([metric] if metric else ())
    value = ask.answer(case).model_validate(answer, context=ask.context(case))
    return ask.score(JudgeReply(value, distribution), case)


@dataclass
class Scripted:
    """Answers each request with what ``answer`` makes of it: data for the response, or a reason."""

    answer: Callable[[Request[Any]], Any]
    context_window: int | None = None
    model_id: str = "scripted"
    baseline: bool = False
    decides: bool = False
    requests: list[Request[Any]] = field(default_factory=list)

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    def count_as_usable(self, answer: Answer[Any]) -> None:
        """It has no failure_limit."""

    async def request(self, request: Request[Any]) -> Answer[Any]:
        self.requests.append(request)
        answer = self.answer(request)
        call = Call(
            key=str(len(self.requests)), ask=request.ask, sample=request.sample, attempts=1, cost_usd=0.25
        )
        if isinstance(answer, Reason):
            return Answer(None, (call,), reason=answer, detail="as scripted")
        return Answer(request.response.model_validate(answer, context=request.context), (call,))


def instrument(name: str, answer: Callable[[Request[Any]], Any], **options: Any) -> Instrument:
    """A format over a scripted client."""
    return Instrument(JUDGES[name], JudgeOptions(**options), Library(), Scripted(answer), "scripted", "f")
