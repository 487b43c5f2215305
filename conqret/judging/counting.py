"""What a dry run asks: a model that is not asked, but counts what it would be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from pydantic import BaseModel

from conqret.data import Reason
from conqret.judging.cost import ExpectedCost, capped, expected
from conqret.llm.client import Client
from conqret.llm.client_options import ClientOptions
from conqret.llm.request import Answer, Request


@dataclass(frozen=True)
class RunPrompt:
    """A prompt of a run: the type of its answers, and for a dry run what the work is called, how many tokens an answer
    has, and whether offline answers are lengthened to that because later prompts show them. ``file`` is False where the
    prompt is no file, but comes whole from elsewhere."""

    response: type[BaseModel]
    task: str
    tokens: int | Callable[[Request[Any]], int]
    by: str = ""
    shown_later: bool = False
    file: bool = True


class Counted(Exception):  # noqa: N818 - nothing is wrong
    """Ends a dry run, with the expected ``costs``, and what is ``shown`` before them."""

    def __init__(self, costs: list[ExpectedCost], **shown: Any) -> None:
        self.costs, self.shown = costs, shown


def costs_of(study: Callable[[], object]) -> list[ExpectedCost]:
    """What the dry run that ``study`` does is expected to cost."""
    try:
        study()
    except Counted as counted:
        return counted.costs
    return []


class CountingClient(Client):
    """A model that is not asked: its prompts are counted, and the offline baseline answers."""

    def __init__(self, options: ClientOptions, prompts: Mapping[str, RunPrompt]) -> None:
        super().__init__(replace(options, budget_usd=None), store=None)
        self._prompts, self.weight, self._counts = prompts, 1.0, Counter[tuple[str, str, str]]()

    async def ask(self, request: Request[Any]) -> Answer[Any]:
        """What the offline baseline answers; the question is counted."""
        prompt = self._prompts[request.ask]
        written = prompt.tokens if isinstance(prompt.tokens, int) else prompt.tokens(request)
        read = capped(sum(self.count_tokens(message.content) for message in request.messages), self)
        for what, count in (("calls", 1), ("read", read), ("written", written)):
            self._counts[prompt.task, prompt.by, what] += self.weight * count  # type: ignore[assignment]
        if request.baseline is None:
            return Answer(None, (), reason=Reason.NOTHING_TO_JUDGE, detail="only counted")
        value = request.baseline()
        plain = {"text": value} if request.plain else value
        answer = request.response.model_validate(plain, context=dict(request.context))
        if prompt.shown_later:
            more = written - self.count_tokens(str(value))
            answer = answer.model_copy(update=_lengthened(dict(answer), more))
        return Answer(answer, ())

    def costs(self, sampled: float) -> Iterator[ExpectedCost]:
        """What was counted, a line for each kind of work."""
        for task, by in dict.fromkeys(name[:2] for name in self._counts):
            calls, read, written = (
                round(self._counts[task, by, what]) for what in ("calls", "read", "written")
            )
            yield expected(
                task, self._options, calls, read, written * self._backend.writes, by=by, sampled=sampled
            )


def _lengthened(value: Any, tokens: int) -> Any:
    """The answer with its longest text so many tokens longer."""
    if isinstance(value, str):
        return value + " so" * tokens
    parts = (
        dict(value)
        if isinstance(value, Mapping)
        else dict(enumerate(value))
        if isinstance(value, list)
        else {}
    )
    if not parts:
        return value
    longest = max(parts, key=lambda name: len(str(parts[name])))
    parts[longest] = _lengthened(parts[longest], tokens)
    return parts if isinstance(value, Mapping) else list(parts.values())
