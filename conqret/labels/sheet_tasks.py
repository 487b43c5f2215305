"""What people are asked on a sheet: conqret's own tasks (see :mod:`conqret.io.label_sheets`)."""

from __future__ import annotations

from conqret.data import Item
from conqret.io.label_sheets import LabelTask
from conqret.labels.task import turns


def shows(item: Item) -> dict[str, str]:
    """Topic, stance and argument, then the other argument and the documents as one text."""
    said = [f"{turn.title}: {turn.text}" for turn in turns(item)]
    parts = ["Before the question:\n" + "\n\n".join(said)] if said else []
    parts += [f"Other argument:\n{item.second_argument}"] if item.second_argument else []
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


RATING_SHEET = LabelTask(
    name="rating",
    summary="rate the argument on each dimension, beside the documents and the other argument",
    shows=shows,
    judged="argument",
)


PARTIAL_ANSWER_SHEET = LabelTask(
    name="partial-answer",
    summary="say 1 or 0: the partial answer is grounded in its documents, answers the question from one perspective, "
    "and violates no moral code",
    shows=shows,
    judged="argument",
    dimensions=("grounded", "answers_question", "ethical"),
    scale=(0, 1),
)


SHEETS = (RATING_SHEET, PARTIAL_ANSWER_SHEET)
