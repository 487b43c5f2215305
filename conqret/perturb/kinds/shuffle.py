"""Documents in another order, citations renumbered so that each still points to the same document."""

from __future__ import annotations

from conqret.perturb.expectations import EVERYTHING, expect
from conqret.perturb.perturbation import Change, Draw, InapplicableError, Perturbation, PerturbedItem
from conqret.text.citations import replace_marks


def change(draw: Draw) -> PerturbedItem:
    """The chosen documents change places in a circle: each takes the place of the one chosen before it."""
    item = draw.item
    total = len(item.documents)
    if total < 2:
        raise InapplicableError(f"item {draw.original}: one document cannot be shuffled")
    places = draw.ordered(range(total))[: max(2, draw.of(total))]
    documents, moved = list(item.documents), {}
    for place, target in zip(places, [*places[1:], places[0]], strict=True):
        documents[target] = item.documents[place]
        moved[place + 1] = target + 1

    def renumbered(text: str | None) -> str | None:
        return text and replace_marks(text, lambda _, cited: [moved.get(number, number) for number in cited])

    return PerturbedItem(
        {
            "documents": tuple(documents),
            "argument": renumbered(item.argument),
            "second_argument": renumbered(item.second_argument),
        },
        tuple(
            Change(where=f"document {old}", kind="moved", before=str(old), after=str(new))
            for old, new in moved.items()
        ),
        100 * len(places) / total,
    )


PERTURBATION = Perturbation(
    name="shuffle",
    summary="documents change places; citations are renumbered and point to the same documents",
    unit="percent of the documents",
    levels=(0, 50, 100),
    expects=expect(unchanged=EVERYTHING),
    needs=frozenset({"documents"}),
    source="own; order effects as in ConQRet, Table 13, and Liu et al. 2023 (lost in the middle)",
    change=change,
)
