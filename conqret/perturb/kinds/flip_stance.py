"""The stance turned round: the same argument is now asked to have taken the other side."""

from __future__ import annotations

from conqret.perturb.expectations import ANSWER, expect
from conqret.perturb.perturbation import Change, Draw, InapplicableError, Perturbation, PerturbedItem

_OTHER = {"pro": "con", "con": "pro"}


def change(draw: Draw) -> PerturbedItem:
    """Only the stance that the item states is changed."""
    stance = draw.item.stance
    if stance not in _OTHER:
        raise InapplicableError(f"item {draw.original}: it states no stance that could be flipped")
    flipped = _OTHER[stance]
    return PerturbedItem(
        {"stance": flipped}, (Change(where="stance", kind="flipped", before=stance, after=flipped),), 1.0
    )


PERTURBATION = Perturbation(
    name="flip-stance",
    summary="pro becomes con and con pro, and the argument stays: it argues for the wrong side",
    unit="0 as it is, 1 flipped",
    levels=(0, 1),
    expects=expect(
        fall=(*ANSWER, "second.answer_relevance"),
        unchanged=(
            "context_relevance", "predicted_precision", "groundedness", "citation_precision", "citation_recall",
        ),
    ),
    needs=frozenset({"argument"}),
    source="own; both stances count as relevant evidence in ConQRet, Figures 10 and 11",
    change=change,
    most=1,
)  # fmt: skip
