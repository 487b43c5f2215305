"""How well counter-arguments are made, by the rubric of Parrish et al. 2022 (Table 3): the format ``counter-argument``
over every counter-argument of two-turn debates, and what its grades come to.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from conqret.data import Document, Item, Judgment
from conqret.data.item import Frozen
from conqret.errors import DeclarationError
from conqret.io.texts import MAX_ID
from conqret.io.two_turn import Argument, TwoTurnQuestion
from conqret.judges.counter_argument import METRICS
from conqret.stats.estimate import Estimate, undefined
from conqret.stats.resampling import mean_interval

FORMAT = "counter-argument"
HIRED_FROM = 3.3
"""The mean grade from which writers were hired (section A.1)."""

Kind = Literal["right", "wrong"]
_WRITER, _PASSAGE, _KIND = "writer", "passage_id", "argues_for"


class Graded(Frozen):
    """The grades of some counter-arguments, 1 to 5, with 95 % intervals over passages.

    ``writer`` is empty where nobody is named, and ``argues_for`` says for which option they argue, None for both.
    ``overall`` is the mean of all grades that were given. ``ungraded`` counts those without any.
    """

    writer: str
    argues_for: Kind | None
    counter_arguments: int
    convincing: Estimate
    snippets: Estimate
    addresses: Estimate
    overall: Estimate
    ungraded: int


def counter_items(questions: Sequence[TwoTurnQuestion]) -> tuple[Item, ...]:
    """An item for each counter-argument, with the argument that it answers beside it and the passage as its document.

    Raises:
        DeclarationError: there is none.
    """
    found = tuple(
        _item(question, place)
        for question in questions
        for place, side in enumerate(question.sides)
        if side.counter is not None
    )
    if not found:
        raise DeclarationError(
            "none of the questions has counter-arguments: write some with conqret debate argue"
        )
    return found


def rubric(items: Sequence[Item], judgments: Iterable[Judgment]) -> tuple[Graded, ...]:
    """Each writer's grades by the option argued for, then in all."""
    graded = list(zip(items, judgments, strict=True))
    kept: tuple[Kind | None, ...] = ("right", "wrong", None)
    return tuple(
        _graded(writer, kind, [pair for pair in graded if _is(pair[0], writer, kind)])
        for writer in dict.fromkeys(item.metadata[_WRITER] for item in items)
        for kind in kept
    )


def _is(item: Item, writer: str, kind: Kind | None) -> bool:
    return item.metadata[_WRITER] == writer and kind in (None, item.metadata[_KIND])


def _graded(writer: str, kind: Kind | None, found: Sequence[tuple[Item, Judgment]]) -> Graded:
    def mean(*names: str) -> Estimate:
        given = [
            (grade, item.metadata[_PASSAGE])
            for item, judgment in found
            for name in names
            if (grade := judgment.measures[name].raw) is not None
        ]
        if not given:
            return undefined("no grade was given")
        return mean_interval([grade for grade, _ in given], [passage for _, passage in given])

    return Graded(
        writer=writer,
        argues_for=kind,
        counter_arguments=len(found),
        convincing=mean("convincing"),
        snippets=mean("snippets"),
        addresses=mean("addresses"),
        overall=mean(*METRICS),
        ungraded=sum(not judgment.values for _, judgment in found),
    )


def _item(question: TwoTurnQuestion, place: int) -> Item:
    """The counter-argument against the side at ``place``, for the other one."""
    answered, own = question.sides[place], question.sides[1 - place]
    passage = (Document(id=question.passage_id, text=question.passage),) if question.passage.strip() else ()
    name = f"-against-{place + 1}"
    return Item(
        id=question.id[: MAX_ID - len(name)] + name,
        topic=f"{question.question}\nThe argument is for: {answered.option}\nThe counter-argument is for: {own.option}",
        documents=passage,
        argument=_shown(answered.counter or answered.argument),
        second_argument=_shown(answered.argument),
        metadata={
            _WRITER: question.writers[1 - place] if question.writers else "",
            _PASSAGE: question.passage_id,
            _KIND: "right" if question.right == 2 - place else "wrong",
        },
    )


def _shown(argument: Argument) -> str:
    """A text with its snippets listed under it."""
    return "\n".join((argument.text, *(f"(#{n}) {one}" for n, one in enumerate(argument.snippets, start=1))))
