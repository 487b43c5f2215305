"""Write one argument (:class:`Generator`): examples, token budget, request, rendering, citation check.

Ten documents and three examples can exceed the window, and cutting only at the end would lose whole documents (ConQRet,
section 3.2.2). The instructions, what the examples argue and room for the answer are reserved first; what is left is
shared among all documents, the examples' and the topic's own alike: each loses the same share of its tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from typing import Annotated, Any, TypedDict

from annotated_types import Interval
from pydantic import Field

from conqret.data import Call, Document, Item, Reason, Stance, Trim
from conqret.data.corpus import CorpusTopic
from conqret.errors import DeclarationError, check_known
from conqret.generation.cited_argument import GeneratedArgument, check_citations, render
from conqret.generation.examples import SEED, SHOTS, Example, Expert
from conqret.generation.strategies import DEFAULT_STRATEGY, STRATEGIES, Strategy
from conqret.llm.client import Client
from conqret.llm.client_options import OFFLINE_MODEL
from conqret.llm.prompt_fitting import MESSAGE_OVERHEAD, FittedPrompt, fit, prompt_tokens, with_texts
from conqret.llm.request import Request, Sampling, messages
from conqret.options import check_ranges
from conqret.prompts import Library, Prompt, RenderedPrompt
from conqret.runs.study_run import ResponseRow

DOCUMENTS = 10
"""The default number of documents for an argument (ConQRet, section 3.2.2)."""

LONGEST_ID = 120
"""The most characters of a topic's id in an item's: perturbations add theirs, and an id has 200 at most."""

GENERATED_TOKENS = 1_500
"""The expected tokens of a response: an argument of some 750 words as JSON, with the reasons for what is
left out.
"""

FIRST = "argument"
"""The name of the first response in the prompts of later turns."""

UNASKED: Mapping[str, Any] = {
    "model": OFFLINE_MODEL,
    "prompt": None,
    "examples": [],
    "trimmed": [],
    "examples_trimmed": [],
}
"""The facts about the generation in an item where no model is used."""


@dataclass(frozen=True, slots=True)
class GenerateOptions(Sampling):
    """How arguments are written.

    Writing:
        shots: How many examples are in the prompt: expert arguments on train topics.
        documents (--top, -k): Documents for each argument.
        seed: The random seed that draws the examples in the prompt.
        expert (--expert): Add the expert-written argument of the corpus to each item as second argument, for judge
            formats that compare two arguments.
        strategy: How the argument is made: `cited` (written by a model, with expert arguments as examples),
            `takeaways` (by a model that sums up each document), `debate` (after the other side has answered),
            `extractive` (sentences of the documents, without a model), `expert` (the expert's own), or a plug-in's.

    Raises:
        DeclarationError: a number is out of its range, or there is no such strategy.
    """

    shots: Annotated[int, Interval(ge=0)] = SHOTS
    documents: Annotated[int, Interval(ge=1)] = DOCUMENTS
    seed: int = SEED
    expert: bool = False
    strategy: str = DEFAULT_STRATEGY

    @property
    def way(self) -> Strategy:
        """The strategy with the name ``strategy``."""
        return STRATEGIES[self.strategy]

    def __post_init__(self) -> None:
        check_ranges(self)
        check_known("strategy", STRATEGIES, self.strategy)
        if self.expert and self.way.expert:
            raise DeclarationError("with --strategy expert the argument is the expert's: leave --expert out")


class GenerateSettings(TypedDict, total=False):
    """The fields of :class:`GenerateOptions` as keyword settings of functions."""

    temperature: float | None
    shots: int
    documents: int
    seed: int
    expert: bool
    strategy: str


ANSWER_ROOM = 4096
"""The tokens reserved for the response where ``max_tokens`` is not set: an expert's side of a debate has
600 to 1,500 words, which as JSON and with reasons for what is left out is well under 3,000.
"""


@dataclass(frozen=True, slots=True)
class BudgetedQuestion:
    """The contents of one prompt: topic, side, documents, examples with their documents, and earlier turns by
    name.
    """

    prompt: Prompt
    topic: str
    stance: Stance
    documents: Sequence[Document]
    examples: Sequence[Example] = ()
    earlier: Mapping[str, str] = field(default_factory=dict)

    @property
    def shown(self) -> list[Document]:
        """All documents of the prompt: those of the examples first, then the topic's own. Documents that two
        examples share occur twice."""
        return [*(document for example in self.examples for document in example.documents), *self.documents]

    def rendered(self, documents: Sequence[Document]) -> RenderedPrompt:
        """Return the prompt with ``documents`` in place of :attr:`shown`, in the same order."""
        left = iter(documents)
        examples = []
        for example in self.examples:
            own = list(islice(left, len(example.documents)))
            expert = example.expert
            examples.append({"topic": expert.question, "argument": expert.text(), "documents": own})
        variables = {"topic": self.topic, "documents": list(left), "examples": examples, **self.earlier}
        return self.prompt.render(variables, {"stance": self.stance})

    def own(self, fitted: FittedPrompt) -> tuple[tuple[Document, ...], tuple[Trim, ...], tuple[Trim, ...]]:
        """Return the topic's own documents as the prompt shows them, their trims, and the trims of the
        examples' documents.
        """
        first = len(self.shown) - len(self.documents)
        own, others = fitted.cuts[first:], fitted.cuts[:first]
        return fitted.documents[first:], tuple(filter(None, own)), tuple(filter(None, others))


@dataclass(frozen=True, slots=True)
class GenerationTask:
    """One argument to write: its topic, side, ranked documents and examples, and optionally the expert's
    argument.
    """

    topic: CorpusTopic
    stance: Stance
    documents: tuple[Document, ...]
    examples: tuple[Example, ...] = ()
    expert: Expert | None = None

    @property
    def id(self) -> str:
        """The id of the resulting item, made of topic and stance: ``voting-age-pro``."""
        return f"{self.topic.id[:LONGEST_ID]}-{self.stance}"

    def item(self, generated: ArgumentRow) -> Item | None:
        """Return the item to judge, made from a generated argument; None if no argument was written. The
        expert's argument, if there is one, is the second argument, unless it is the argument itself."""
        if generated.argument is None:
            return None
        other = self.cited_by_expert  # which the argument itself may be
        return Item(
            id=self.id,
            topic=self.topic.question,
            stance=self.stance,
            documents=self.documents,
            argument=generated.argument,
            second_argument=other if other and other != generated.argument else None,
            metadata={"topic_id": self.topic.id, "generation": generated.facts},
        )

    @property
    def cited_by_expert(self) -> str:
        """The expert's argument with its citations of this task's documents; empty if there is none."""
        places = {document.id: place for place, document in enumerate(self.documents, start=1)}
        return "" if self.expert is None else self.expert.text(places)

    def outcome(self, **fields: Any) -> ArgumentRow:
        """Return a row for this task with the given fields (an argument, or the reason for its absence)."""
        return ArgumentRow(id=self.id, topic=self.topic.id, stance=self.stance, **fields)


class ArgumentRow(ResponseRow):
    """The stored result of a task: an argument with facts about its generation, or the reason why there is
    none.
    """

    topic: str
    stance: Stance
    argument: str | None = None
    facts: Mapping[str, Any] = Field(default_factory=dict)
    calls: tuple[Call, ...] = ()

    @property
    def status(self) -> str:
        """``written``, or the status that belongs to the reason."""
        return "written" if self.reason is None else self.reason.status

    @property
    def answered(self) -> bool:
        """True if the task is done: the argument is written, or the documents hold no evidence for the side."""
        return self.argument is not None or self.reason is Reason.NO_EVIDENCE


@dataclass(frozen=True)
class Generator:
    """A generator that writes arguments with one model and one strategy; ``answer_room`` is the number of
    tokens reserved for a response.
    """

    options: GenerateOptions
    library: Library
    client: Client
    model: str
    answer_room: int = ANSWER_ROOM

    async def write(self, task: GenerationTask) -> ArgumentRow:
        """Write the argument of a task and return its row.

        If no argument is possible (no documents, a prompt that is too long, a failed response), the row
        gives the reason; no exception is raised.
        """
        if not task.documents:
            return task.outcome(reason=Reason.NOTHING_TO_JUDGE, detail="no document was retrieved")
        strategy = self.options.way
        if strategy.expert:
            return self._expert(task)
        if not strategy.prompts:
            made = strategy.baseline(task.topic.question, task.stance, task.documents)
            return self._written(task, GeneratedArgument.model_validate(made))
        answers: list[Callable[..., Mapping[str, Any]]] = [strategy.baseline]
        answers += [turn.baseline for turn in strategy.turns]
        responses: list[GeneratedArgument] = []
        calls: tuple[Call, ...] = ()
        facts: dict[str, Any] = {}
        names = (FIRST, *(turn.name for turn in strategy.turns))
        for number, question in enumerate(self.questions(task)):
            texts = dict(zip(names, map(render, responses), strict=False))
            if responses and not all(texts.values()):
                break  # nothing was argued, or nothing against it
            question = replace(question, earlier=texts)
            shown = question.shown
            fitted = fit(shown, question.rendered, self.client, answer_room=self.answer_room)
            if fitted is None:
                bare = question.rendered(with_texts(shown, [""] * len(shown)))
                needed = prompt_tokens(bare, self.client) + len(shown)
                detail = self._shortage(needed, shots=len(question.examples))
                return task.outcome(calls=calls, reason=Reason.CONTEXT_OVERFLOW, detail=detail)
            documents, trims, example_trims = question.own(fitted)
            said = (tuple(responses),) if number else ()
            answer = await self.client.request(
                Request(
                    ask=question.prompt.id,
                    item=task.id,
                    messages=messages(fitted.rendered),
                    response=GeneratedArgument,
                    temperature=self.options.sampling_temperature,
                    baseline=partial(answers[number], question.topic, question.stance, documents, *said),
                )
            )
            calls += answer.calls
            if answer.value is None:
                reason = answer.reason or Reason.INVALID_ANSWER
                return task.outcome(calls=calls, reason=reason, detail=answer.detail)
            responses.append(answer.value)
            facts = {
                "model": self.model,
                "prompt": f"{question.prompt.id} v{question.prompt.version} {question.prompt.digest}",
                "examples": [example.expert.topic for example in task.examples],
                "trimmed": [trim.model_dump() for trim in trims],
                "examples_trimmed": [trim.model_dump() for trim in example_trims],
            }
        last = max(n for n in range(len(responses)) if n == 0 or not strategy.turns[n - 1].other)
        if strategy.turns:
            facts["turns"] = dict(zip(names, map(render, responses), strict=False))
        return self._written(task, responses[last], facts, calls)

    def questions(self, task: GenerationTask) -> Iterator[BudgetedQuestion]:
        """Yield the contents of each turn's prompt; only the first has in-context examples."""
        way, topic = self.options.way, task.topic.question
        first = self.library[way.prompt(task.stance)]
        yield BudgetedQuestion(first, topic, task.stance, task.documents, task.examples)
        for turn in way.turns:
            yield BudgetedQuestion(self.library[turn.prompt], topic, turn.side(task.stance), task.documents)

    def _shortage(self, needed: int, *, shots: int) -> str:
        """Return the detail for a prompt that does not fit: it needs ``needed`` tokens even without its
        documents' texts, how many are available, and what to change."""
        size = self.client.context_window or 0
        left = max(0, size - self.answer_room - MESSAGE_OVERHEAD)
        return (
            f"the prompt needs {needed:,} tokens even without its documents' texts, and {left:,} are available of the "
            f"context window of {size:,}: {'lower --shots, ' * bool(shots)}give a lower --max-tokens, or take a model "
            "with a larger context window"
        )

    def _expert(self, task: GenerationTask) -> ArgumentRow:
        """Return the row of the expert's argument, with its citation check; with a reason if the corpus has
        none."""
        text = task.cited_by_expert
        if not text:
            return task.outcome(reason=Reason.NO_EVIDENCE, detail="the corpus has no expert argument for it")
        checked = check_citations(text, task.documents).model_dump(mode="json")
        facts = {"strategy": self.options.way.name, "left_out": [], "citations": checked}
        return task.outcome(argument=text, facts={**UNASKED, **facts, "model": None})

    def _written(
        self,
        task: GenerationTask,
        argument: GeneratedArgument,
        facts: Mapping[str, Any] = UNASKED,
        calls: tuple[Call, ...] = (),
    ) -> ArgumentRow:
        text = render(argument)
        made = {
            "strategy": self.options.way.name,
            **facts,
            "left_out": _left_out(argument, task.documents),
            "citations": check_citations(text, task.documents).model_dump(mode="json"),
        }
        if not text:
            detail = "the documents hold nothing for this side, says the model"
            return task.outcome(facts=made, calls=calls, reason=Reason.NO_EVIDENCE, detail=detail)
        return task.outcome(argument=text, facts=made, calls=calls)


def _left_out(argument: GeneratedArgument, documents: Sequence[Document]) -> list[dict[str, Any]]:
    """The documents left out, in order, by number and id; a number that no document has gets no id."""
    ids = {number: document.id for number, document in enumerate(documents, start=1)}
    return [
        {"document": omission.document, "id": ids.get(omission.document), "reason": omission.reason}
        for omission in sorted(argument.left_out, key=lambda entry: entry.document)
    ]
