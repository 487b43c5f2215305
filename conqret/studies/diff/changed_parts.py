"""Parts of the same items (documents, cited sentences, criteria) that two runs rate differently."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from conqret.data.item import Frozen
from conqret.judging.judge_folder import JudgeFolder


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


def changed_parts(
    first: JudgeFolder, second: JudgeFolder, same: Collection[str]
) -> tuple[int, list[ChangedPart]]:
    """How many parts both runs rated, and those that they rated differently.

    Only parts of the items that are the ``same`` in both: another argument's second sentence is another sentence,
    whatever its number, and another system's document may have the same id.
    """
    rated = {place: said for place, said in _rated(first) if place[0] in same}
    both = [(place, rated[place], said) for place, said in _rated(second) if place in rated]
    apart = [
        ChangedPart(
            item=item,
            metric=metric,
            part=part,
            first=before,
            second=after,
            first_says=first_says,
            second_says=second_says,
        )
        for (item, metric, part), (before, first_says), (after, second_says) in both
        if before != after
    ]
    return len(both), apart


def texts_of(run: JudgeFolder) -> dict[str, tuple[object, ...]]:
    """What a judge reads of each item of a run, by its id."""
    return {
        item.id: (
            item.topic, item.stance, item.argument, item.second_argument, item.reference, item.documents,
        )
        for item in run.items()
    }  # fmt: skip


def _rated(run: JudgeFolder) -> Iterator[tuple[tuple[str, str, str], tuple[float, str]]]:
    """By item, metric and part the rating, and what is said of it."""
    for judgment in run.finished():
        for metric, measure in judgment.measures.items():
            for part in measure.parts:
                if part.value is not None:
                    yield (judgment.item, metric, part.id), (part.value, part.explanation)
