"""What a way to answer a debatable question is, and all of them by name: conqret's own and those of plug-ins."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from pydantic import BaseModel

from conqret.debateqa.answering.rag_session import RagSession
from conqret.registry import Registry


@dataclass(frozen=True)
class AnswerStrategy:
    """A way to answer a question.

    - ``respond(desk)`` answers the question of the desk: it may search and ask an agent there, and returns the text. It
      raises nothing for what the world did but :class:`~conqret.debateqa.curation.curation_requests.NoValidResponse`.
    - ``chunks`` are taken of one retrieval (0: nothing is retrieved), ``searches`` is how many retrievals there may be
    - ``agent`` is the id of the prompt by which an agent is asked what to do next; empty where there is none
    - ``prompts`` are the ids of other prompts of its own, each with its type of answer; where there are none, the
      answer is asked for by the prompt that the user chooses
    """

    name: str
    summary: str
    source: str
    respond: Callable[[RagSession], Awaitable[str]]
    chunks: int = 0
    searches: int = 1
    agent: str = ""
    prompts: Mapping[str, type[BaseModel]] = field(default_factory=dict)


ANSWER_STRATEGIES = Registry(
    "answering strategy",
    "conqret.answers",
    AnswerStrategy,
    package="conqret.debateqa.answering.strategies",
    attribute="STRATEGIES",
    first=("none", "rag", "react"),
)
"""Every way to answer by its name."""
