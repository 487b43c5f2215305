"""Write one argument: examples, budget, question, rendering, check."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from conqret.data import Call, Document, Item, Reason, Stance
from conqret.data.corpus import CorpusTopic
from conqret.errors import DeclarationError, UnknownNameError
from conqret.generation.arguments import GeneratedArgument, render
from conqret.generation.budget import ANSWER_ROOM, FittedPrompt, Question, fit_prompt
from conqret.generation.check import check_citations
from conqret.generation.examples import SEED, SHOTS, Example, Expert
from conqret.generation.strategy import DEFAULT_STRATEGY, STRATEGIES, Strategy
from conqret.judging.fitting import Window
from conqret.llm.options import OFFLINE_MODEL
from conqret.llm.request import Answer, Message, Request
from conqret.prompts import Library, Rendered

DOCUMENTS = 10
"""Documents an argument is built from (ConQRet, section 3.2.2)."""

LONGEST_ID = 120
"""Characters of a topic's id in an item's: perturbations add theirs, and an id has 200 at most."""

TEMPERATURE = 0.0
"""The paper states none; at 0 a run can be repeated."""

UNASKED: Mapping[str, Any] = {
    "model": OFFLINE_MODEL,
    "prompt": None,
    "examples": [],
    "trimmed": [],
    "examples_trimmed": [],
}
"""What the item says of its making where no model was asked."""


class Asks(Window, Protocol):
    """What a generator needs of a client: its model's window, and answers."""

    async def ask(self, request: Request[Any]) -> Answer[Any]:
        """Ask; never raises for what the world did."""


@dataclass(frozen=True, slots=True)
class GenerateOptions:
    """How arguments are written: examples a prompt, documents an argument, what draws the examples.

    ``expert`` adds the expert's argument on the same topic and side, where the corpus has one, as the item's
    second argument. ``temperature`` is the model's (None: :data:`TEMPERATURE`). ``strategy`` is the way to answer.

    Raises:
        DeclarationError: a number is out of its range, or there is no such strategy.
    """

    shots: int = SHOTS
    documents: int = DOCUMENTS
    seed: int = SEED
    temperature: float | None = None
    expert: bool = False
    strategy: str = DEFAULT_STRATEGY

    @property
    def way(self) -> Strategy:
        """The strategy itself."""
        return STRATEGIES[self.strategy]

    def __post_init__(self) -> None:
        if self.shots < 0:
            raise DeclarationError(f"--shots is {self.shots}; it is the number of examples, 0 or more")
        if self.documents < 1:
            raise DeclarationError(f"-k is {self.documents}; an argument needs at least 1 document")
        if self.strategy not in STRATEGIES:
            raise UnknownNameError("strategy", self.strategy, STRATEGIES)


@dataclass(frozen=True, slots=True)
class Task:
    """One argument to write: the topic, the side, the ranked documents, the examples, and perhaps the expert's."""

    topic: CorpusTopic
    stance: Stance
    documents: tuple[Document, ...]
    examples: tuple[Example, ...] = ()
    expert: Expert | None = None

    @property
    def id(self) -> str:
        """The id of the item that comes of it: ``voting-age-pro``."""
        return f"{self.topic.id[:LONGEST_ID]}-{self.stance}"


@dataclass(frozen=True, slots=True)
class Generated:
    """What became of a task: an item with an argument, or the reason why there is none."""

    task: Task
    item: Item | None
    calls: tuple[Call, ...] = ()
    reason: Reason | None = None
    detail: str = ""

    def record(self) -> dict[str, Any]:
        """The line of ``generations.jsonl``."""
        return {
            "item": self.task.id,
            "topic": self.task.topic.id,
            "stance": self.task.stance,
            "status": "written" if self.item is not None else str(self.reason.status if self.reason else ""),
            "reason": str(self.reason) if self.reason else None,
            "detail": self.detail,
            "calls": [call.model_dump(mode="json") for call in self.calls],
        }


@dataclass(frozen=True)
class Generator:
    """Writes arguments with one model."""

    options: GenerateOptions
    library: Library
    client: Asks
    model: str
    answer_room: int = ANSWER_ROOM

    async def write(self, task: Task) -> Generated:
        """Write the argument of a task. Never raises for what the world did."""
        if not task.documents:
            return Generated(task, None, reason=Reason.NOTHING_TO_JUDGE, detail="no document was retrieved")
        strategy = self.options.way
        if not strategy.prompts:
            made = strategy.baseline(task.topic.question, task.stance, task.documents)
            return Generated(task, self._item(task, GeneratedArgument.model_validate(made)))
        prompt = strategy.prompt(self.library, task.stance)
        fitted = self.fit(task)
        if fitted is None:
            detail = (
                "the prompt does not fit the model's window even without the documents' texts; lower --shots"
            )
            return Generated(task, None, reason=Reason.CONTEXT_OVERFLOW, detail=detail)
        temperature = self.options.temperature
        answer = await self.client.ask(
            Request(
                ask=prompt.id,
                item=task.id,
                messages=(Message("system", fitted.rendered.system), Message("user", fitted.rendered.user)),
                response=GeneratedArgument,
                temperature=TEMPERATURE if temperature is None else temperature,
                baseline=lambda: strategy.baseline(task.topic.question, task.stance, fitted.documents),
            )
        )
        if answer.value is None:
            reason = answer.reason or Reason.INVALID_ANSWER
            return Generated(task, None, answer.calls, reason, answer.detail)
        facts = {
            "model": self.model,
            "prompt": f"{prompt.id} v{prompt.version} {prompt.digest}",
            "examples": [one.expert.topic for one in task.examples],
            "trimmed": [trim.model_dump() for trim in fitted.trims],
            "examples_trimmed": [trim.model_dump() for trim in fitted.example_trims],
        }
        return Generated(task, self._item(task, answer.value, facts), answer.calls)

    def fit(self, task: Task) -> FittedPrompt | None:
        """The prompt of a task as it would be sent; None if it cannot fit."""
        return fit_prompt(self._question(task), self.client, answer_room=self.answer_room)

    def bare(self, task: Task) -> Rendered:
        """The prompt of a task without the texts of its documents."""
        return self._question(task).bare()

    def _question(self, task: Task) -> Question:
        prompt = self.options.way.prompt(self.library, task.stance)
        return Question(prompt, task.topic.question, task.stance, task.documents, task.examples)

    def _item(self, task: Task, argument: GeneratedArgument, facts: Mapping[str, Any] = UNASKED) -> Item:
        text = render(argument)
        places = {document.id: place for place, document in enumerate(task.documents, start=1)}
        return Item(
            id=task.id,
            topic=task.topic.question,
            stance=task.stance,
            documents=task.documents,
            argument=text,
            second_argument=(task.expert.text(places) or None) if task.expert is not None else None,
            metadata={
                "topic_id": task.topic.id,
                "generation": {
                    "strategy": self.options.way.name,
                    **facts,
                    "left_out": _left_out(argument, task.documents),
                    "citations": check_citations(text, task.documents).model_dump(mode="json"),
                },
            },
        )


def _left_out(argument: GeneratedArgument, documents: Sequence[Document]) -> list[dict[str, Any]]:
    """The documents left out, in order, by number and id; a number that no document has gets no id."""
    return [
        {
            "document": one.document,
            "id": documents[one.document - 1].id if 1 <= one.document <= len(documents) else None,
            "reason": one.reason,
        }
        for one in sorted(argument.left_out, key=lambda one: one.document)
    ]
