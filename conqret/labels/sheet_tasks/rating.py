"""rating: the argument, on each dimension, on one scale."""

from __future__ import annotations

from conqret.data import Item
from conqret.io.label_sheets import LabelTask


def shows(item: Item) -> dict[str, str]:
    """Topic, stance and argument, then the other argument and the documents as one text."""
    parts = [f"Other argument:\n{item.second_argument}"] if item.second_argument else []
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


TASK = LabelTask(
    name="rating",
    summary="rate the argument on each dimension, beside the documents and the other argument",
    shows=shows,
    judged="argument",
)
