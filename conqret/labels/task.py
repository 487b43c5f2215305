"""Annotation tasks: a task makes the screens of each item, or a form for all items (CSV, or the import
formats of Label Studio and Argilla).
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

from conqret.data import Item
from conqret.errors import DeclarationError
from conqret.io.label_set import FOR_ESTIMATION, INSTRUCTION, NOT, PROBABILITY, SCALE, written_scale
from conqret.io.safe_files import csv_text
from conqret.io.source import Share
from conqret.labels.screens import Screen, ScreenPassage, ScreenQuestion
from conqret.registry import Registry
from conqret.text.numbers import whole_number_in

_DATA = tomllib.loads((Path(__file__).parent / "questions.toml").read_text(encoding="utf-8"))
QUESTIONS = {
    task: [ScreenQuestion.model_validate(question) for question in questions]
    for task, questions in _DATA.items()
}
"""The questions, by task."""
GOLD, WHY = "gold", "why"
"""The keys of an item's metadata with known answers, by question, and with their explanation."""


@dataclass(frozen=True)
class TaskRequest:
    """The options of a task: ``metrics`` (empty for all), ``scale`` if it can be chosen, and the random
    ``seed``.
    """

    metrics: tuple[str, ...] = ()
    scale: tuple[int, int] | None = None
    seed: int = 13


@dataclass(frozen=True)
class AnnotationTask:
    """An annotation task.

    ``screens`` returns the screens of an item, or none if the item lacks what the task shows. ``reads``
    reads items from a file format of the task's own. ``needs`` returns the required fields, from the
    request and the share of items with each field. A task with ``dimensions`` can also be an annotation
    form, in which they are rated on the integers of ``scale``. ``form`` is the form's instruction (by
    default the summary).
    """

    name: str
    summary: str
    screens: Callable[[Item, TaskRequest], Iterable[Screen]]
    reads: Callable[[Path], Iterable[Item]] | None = None
    needs: Callable[[TaskRequest, Mapping[str, Share]], Collection[str]] = lambda wanted, has: ()
    dimensions: tuple[str, ...] = ()
    scale: tuple[int, int] = (1, 5)
    form: str = ""


def needing(*fields: str) -> Callable[[TaskRequest, Mapping[str, Share]], Collection[str]]:
    """Return a ``needs`` function for a task that requires all of ``fields``."""
    return lambda wanted, has: fields


def where_any(*fields: str) -> Callable[[TaskRequest, Mapping[str, Share]], Collection[str]]:
    """Return a ``needs`` function that requires those of ``fields`` that at least one item has."""
    return lambda wanted, has: [field for field in fields if has[field] != "none"]


ANNOTATION_TASKS = Registry(
    "task", "conqret.tasks", AnnotationTask, package="conqret.labels.label_tasks", attribute="TASKS"
)
"""The tasks by name."""


def form_task(name: str) -> AnnotationTask:
    """Return the task with this name, if it can be an annotation form.

    Raises:
        UnknownNameError: no task has this name.
        DeclarationError: the task cannot be a form, only web pages.
    """
    task = ANNOTATION_TASKS[name]
    if not task.dimensions:
        raise DeclarationError(f"the task {task.name} has no annotation form: use conqret labels collect")
    return task


def passages(item: Item, fields: Iterable[str], *, only: int | None = None) -> tuple[ScreenPassage, ...]:
    """Return the texts of an item for display: those of ``fields``, in the fixed order argument, second
    argument, reference, documents; fields without a text are left out.

    If ``only`` is given, just the document at that index (from 0) is included.
    """
    wanted = set(fields)
    shown = [
        ("Argument", item.argument, "argument"),
        ("Other argument (for comparison)", item.second_argument, "second_argument"),
        ("Reference", item.reference, "reference"),
    ]
    shown_passages = [
        ScreenPassage(title=title, text=text) for title, text, name in shown if text and name in wanted
    ]
    if "documents" in wanted:
        shown_passages += [
            ScreenPassage(
                title=f"[{place}] {document.title}".rstrip(),
                text=document.text,
                url=document.url,
                images=(document.image,) if document.image else (),
            )
            for place, document in enumerate(item.documents, start=1)
            if only is None or place == only + 1
        ]
    return tuple(shown_passages)


def turns(item: Item) -> Iterator[ScreenPassage]:
    """Yield the messages before the question, titled by role, and the images of the question. In place of what a tool
    gave back stands the number of its document."""
    places = {document.id: place for place, document in enumerate(item.documents, start=1)}
    for turn in item.messages:
        lines = [turn.content, *(f"(calls {call})" for call in turn.calls)]
        if turn.role == "tool":
            place = places.get(turn.document)
            lines = [
                f"(what it gave back is document [{place}])" if place else "(what it gave back is not shown)"
            ]
        title = f"{turn.role.capitalize()}{f' ({turn.name})' if turn.name else ''}"
        yield ScreenPassage(title=title, text="\n".join(filter(None, lines)), images=turn.images)
    if item.images:
        yield ScreenPassage(title="The question shows", text="", images=item.images)


def with_gold(item: Item, screen: Screen) -> Screen:
    """Return the screen with the known answers in the item's metadata (:data:`GOLD`), and their
    explanation; unchanged without any.

    Each question has one or several correct values; if the item has several screens, they are listed by
    part.

    Raises:
        DeclarationError: a known answer is not among the question's choices.
    """
    known = item.metadata.get(GOLD)
    if not isinstance(known, dict):
        return screen
    of_part = known.get(screen.part)
    known_answers = of_part if isinstance(of_part, dict) else known
    gold: dict[str, tuple[str, ...]] = {}
    for question in screen.questions:
        if question.name in known_answers:
            values = known_answers[question.name]
            gold[question.name] = tuple(map(str, values if isinstance(values, (list, tuple)) else [values]))
            if wrong := set(gold[question.name]) - question.values:
                raise DeclarationError(
                    f"item {item.id!r}: its {GOLD} for {question.name} is {min(wrong)!r}, which is not a choice; "
                    f"write one of {', '.join(choice.value for choice in question.choices)}"
                )
    return screen.model_copy(update={"gold": gold, "why": str(item.metadata.get(WHY, ""))})


def screen_of(
    item: Item, shown: Iterable[ScreenPassage], questions: Iterable[ScreenQuestion], **more: Any
) -> Screen:
    """Create a screen of an item with its heading, the texts ``shown`` and the ``questions``; ``more`` are
    further fields of the screen.
    """
    fields = {"heading": heading(item), "turns": tuple(turns(item)), **more}
    return Screen(item=item.id, topic=item.topic, passages=tuple(shown), questions=tuple(questions), **fields)


def heading(item: Item) -> str:
    """Return the heading of a screen: the topic, with the stance if the item has one."""
    sides = {"pro": " — in favour", "con": " — against"}
    return f"{item.topic}{sides.get(item.stance, '')}"


YES_AND_NO: Mapping[str, tuple[str, str]] = {
    "faithfulness": ("the documents support every claim", "they do not support some claim"),
    "unsupported_claims": (
        "the documents do not support some claim, which is bad",
        "they support every claim",
    ),
    "hallucination": ("the documents do not bear out what it says, which is bad", "they do"),
    "answer_relevance": ("what it says answers the question", "it is about something else"),
    "completeness": ("it answers all of the question", "a part is not answered"),
    "answered": ("it answers the question, or a part of it", "it declines or does not answer"),
    "context_relevance": ("the documents help to answer the question", "they do not"),
    "context_precision": ("documents that help come first", "others come before them"),
    "context_sufficiency": ("the documents hold all of the answer", "something is not in them"),
    "context_recall": ("the documents support all of the reference", "they do not support some of it"),
    "answer_correctness": ("it agrees with the reference", "it does not"),
}
"""What 1 and 0 mean where a metric is labeled with them."""


@dataclass(frozen=True)
class AnnotationForm:
    """An annotation form: ``items`` (at least one) to label on ``dimensions`` by a ``question``, on a scale from
    ``low`` to ``high`` or with ``words`` as the only labels.

    :meth:`csv`, :meth:`label_studio` and :meth:`argilla` return the texts of its files by file name ending; in Argilla,
    the questions and their labels are set up by the user. If ``for_estimation`` is false, labels are marked so that
    commands refuse them for estimates. ``probability`` is the probability of being drawn, of all items or by the id of
    every item.
    """

    question: str
    items: Sequence[Item]
    dimensions: Sequence[str]
    low: int = 1
    high: int = 5
    for_estimation: bool = True
    probability: float | Mapping[str, float] | None = None
    words: Sequence[str] = ()

    def mark(self, item: Item) -> dict[str, str]:
        """Return the extra fields of an item in a form: the scale, the inclusion probability, or (for
        items unfit for estimates) the mark against estimation.
        """
        mark = {} if self.words else {SCALE: written_scale(self.low, self.high)}
        if not self.for_estimation:
            return {FOR_ESTIMATION: NOT, **mark}
        chance = self.probability[item.id] if isinstance(self.probability, Mapping) else self.probability
        return mark if chance is None else {PROBABILITY: f"{chance:.6g}", **mark}

    @property
    def instruction(self) -> str:
        """The instruction that is shown next to each item of a CSV form."""
        ends = f"a whole number from {self.low} to {self.high}"
        if self.words:
            ends = f"one of {', '.join(self.words)}"
        elif (self.low, self.high) != (0, 1):
            ends = f"a whole number from {self.low} (lowest) to {self.high} (highest)"
        unsure = ", or ? if you cannot judge"
        question, names = f"{self.question[:1].upper()}{self.question[1:]}", ", ".join(self.dimensions)
        text = f"{question}. Write into {names}: {ends}{unsure}; into annotator: your name."
        return " ".join([text, *(f"{name}: {meaning}." for name, meaning in self._meanings().items())])

    def _meanings(self) -> dict[str, str]:
        """Return the meanings of 1 and 0 by dimension; empty if these are not the labels or their meaning is
        not known.
        """
        known = [name for name in self.dimensions if name in YES_AND_NO and (self.low, self.high) == (0, 1)]
        return {name: "1 if {}, 0 if {}".format(*YES_AND_NO[name]) for name in known}

    def csv(self) -> dict[str, str]:
        """Return a CSV form as a mapping with one entry, from file name ending ("") to text: a row for each item, with
        empty columns for annotator and dimensions. The stance is left out if no item has one."""
        mark, blank = self.mark(self.items[0]), [self.instruction, *[""] * len(self.dimensions)]
        texts = list(map(shows, self.items))
        names = [
            name for name in texts[0] if name != "stance" or any(item.stance != "none" for item in self.items)
        ]
        head = ["item", "annotator", *names, *mark, INSTRUCTION, *self.dimensions]
        rows = (
            (item.id, "", *map(shown.__getitem__, names), *self.mark(item).values(), *blank)
            for item, shown in zip(self.items, texts, strict=True)
        )
        return {"": csv_text(head, rows)}

    def label_studio(self) -> dict[str, str]:
        """Return the files for Label Studio as a mapping from file name ending to text: tasks for its JSON import (""),
        and the labeling interface (".config.xml") with a choice for each label, and "cannot judge", for each dimension.
        """
        tasks = [{"data": {"item": item.id, **shows(item), **self.mark(item)}} for item in self.items]
        choices = self.words or range(self.low, self.high + 1)
        lines, meanings = ["<View>"], self._meanings()
        for name in shows(self.items[0]):
            text = f"<Text name={quoteattr(name)} value={quoteattr(f'${name}')}/>"
            lines.append(f"  {text}" if name != "topic" else '  <Header value="$topic"/>')
        for name in self.dimensions:
            lines += [
                f"  <Header value={quoteattr(': '.join(filter(None, [name.replace('_', ' '), meanings.get(name)])))}/>",
                f"  <Choices name={quoteattr(name)} "
                'toName="argument" choice="single-radio" showInline="true">',
                *(f"    <Choice value={quoteattr(str(value))}/>" for value in choices),
                '    <Choice value="cannot judge"/>',
                "  </Choices>",
            ]
        return {"": _json(tasks), ".config.xml": "\n".join([*lines, "</View>"]) + "\n"}

    def argilla(self) -> dict[str, str]:
        """Return a mapping with one entry, from file name ending ("") to text: records for
        ``dataset.records.from_json`` of Argilla 2, whose questions are the dimensions."""
        records = [
            {
                "id": item.id,
                "fields": dict(shows(item)),
                "metadata": {"topic": item.topic, **self.mark(item)},
                "suggestions": {},
                "responses": {},
            }
            for item in self.items
        ]
        return {"": _json(records)}


FORMS: Mapping[str, Callable[[AnnotationForm], dict[str, str]]] = {
    "csv": AnnotationForm.csv,
    "label-studio": AnnotationForm.label_studio,
    "argilla": AnnotationForm.argilla,
}
"""The function that writes each kind of annotation form, as a mapping from file name ending to text."""


def shows(item: Item) -> dict[str, str]:
    """Return a mapping from field to text: ``topic``, ``stance``, ``argument``, and as ``text`` the earlier turns, the
    second argument, the reference and the documents joined. Id, nuggets and metadata are left out."""
    said = [f"{turn.title}: {turn.text}" for turn in turns(item)]
    parts = ["Before the question:\n" + "\n\n".join(said)] if said else []
    parts += [f"Other argument:\n{item.second_argument}"] if item.second_argument else []
    parts += [f"Reference:\n{item.reference}"] if item.reference else []
    parts += [
        f"[{number}] {document.title}\n{document.text}".replace(" \n", "\n", 1)
        for number, document in enumerate(item.documents, start=1)
    ]
    return {
        "topic": item.topic,
        "stance": item.stance,
        "argument": item.argument or "",
        "text": "\n\n".join(parts),
    }


def _json(rows: Sequence[Mapping[str, Any]]) -> str:
    return json.dumps(rows, indent=1, ensure_ascii=False) + "\n"


def scale_ends(scale: str) -> tuple[int, int]:
    """Parse a scale such as 1:5 to its two ends.

    Raises:
        DeclarationError: it is not LOW:HIGH in integers with LOW below HIGH.
    """
    low, _, high = scale.partition(":")
    try:
        bounds = whole_number_in(low), whole_number_in(high)
    except ValueError:
        bounds = (0, 0)
    if not bounds[0] < bounds[1]:
        raise DeclarationError(f"--scale takes LOW:HIGH in whole numbers, such as 1:5, not {scale!r}")
    return bounds
