"""Citation marks removed; what the argument says stays."""

from __future__ import annotations

from conqret.perturb.expectations import ANSWER, RELEVANCE, SECOND, expect
from conqret.perturb.perturbation import Change, Draw, InapplicableError, Perturbation, PerturbedItem
from conqret.text.citations import marks, replace_marks


def change(draw: Draw) -> PerturbedItem:
    """A share of the marks goes."""
    argument = draw.item.argument or ""
    citation_marks = marks(argument)
    if not citation_marks:
        raise InapplicableError(f"item {draw.original}: the argument cites nothing")
    gone = set(draw.share(range(len(citation_marks))))
    changes = tuple(
        Change(where=f"argument mark {place + 1}", kind="dropped", before=str(list(citation_marks[place])))
        for place in sorted(gone)
    )
    text = replace_marks(argument, lambda place, cited: () if place in gone else cited)
    return PerturbedItem({"argument": text}, changes, 100 * len(gone) / len(citation_marks))


PERTURBATION = Perturbation(
    name="drop-citations",
    summary="citation marks of the argument removed",
    unit="percent of the marks",
    levels=(0, 25, 50, 100),
    expects=expect(
        fall=("citation_recall",), unchanged=(*RELEVANCE, *ANSWER, *SECOND), no_rise=("groundedness",)
    ),
    needs=frozenset({"argument"}),
    source="own; citation recall after ALCE (Gao et al. 2023), section 3",
    change=change,
)
