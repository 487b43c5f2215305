"""Parts of the same items (documents, cited sentences, criteria) that two runs rate differently."""

from __future__ import annotations

from collections.abc import Iterator

from conqret.data import Item, Part
from conqret.data.item import Frozen
from conqret.judging.folder import JudgeFolder


class ChangedPart(Frozen):
    """A part of an item (a document, say) whose rating moved from ``first`` to ``second``, both in [0, 1], with what
    either judge says of it."""

    item: str
    metric: str
    part: str
    first: float
    second: float
    first_says: str = ""
    second_says: str = ""


def changed_parts(first: JudgeFolder, second: JudgeFolder) -> tuple[int, list[ChangedPart]]:
    """How many parts both runs rated, and those that they rated differently.

    Only parts of items that are the same in both: another argument's second sentence is another sentence, whatever its
    number, and another system's document may have the same id.
    """
    texts = {item.id: _text(item) for item in first.items()}
    same = {item.id for item in second.items() if texts.get(item.id) == _text(item)}
    rated = {(item, metric, part.id): part for item, metric, part in _rated(first) if item in same}
    count, apart = 0, []
    for item, metric, part in _rated(second):
        before = rated.get((item, metric, part.id))
        if before is None or before.value is None or part.value is None:
            continue
        count += 1
        if before.value != part.value:
            apart.append(
                ChangedPart(
                    item=item,
                    metric=metric,
                    part=part.id,
                    first=before.value,
                    second=part.value,
                    first_says=before.explanation,
                    second_says=part.explanation,
                )
            )
    return count, apart


def _text(item: Item) -> tuple[object, ...]:
    """What a judge reads of an item."""
    return item.topic, item.stance, item.argument, item.documents


def _rated(run: JudgeFolder) -> Iterator[tuple[str, str, Part]]:
    for judgment in run.finished():
        for metric, measure in judgment.measures.items():
            for part in measure.parts:
                yield judgment.item, metric, part
