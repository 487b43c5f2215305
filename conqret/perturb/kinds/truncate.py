"""An argument that breaks off."""

from __future__ import annotations

from conqret.perturb.expectations import ANSWER, PREFERENCE, RELEVANCE, SECOND, expect
from conqret.perturb.perturbation import Change, Draw, Perturbation, PerturbedItem, UnreachedError
from conqret.perturb.sentence_edits import split

_SUFFERS = ("local_sufficiency", "global_sufficiency", "overall_quality")


def change(draw: Draw) -> PerturbedItem:
    """The argument loses a share of its sentences at its end; one at least must stay."""
    text = draw.item.argument or ""
    spans = split(text)
    gone = draw.of(len(spans))
    if gone == len(spans):
        raise UnreachedError(
            f"item {draw.original}: all of its sentences ({gone}) would go, and one must stay"
        )
    kept = text[: spans[len(spans) - gone - 1].end]
    changes = tuple(
        Change(where=f"argument sentence {number}", kind="cut", before=span.text)
        for number, span in enumerate(spans, start=1)
        if number > len(spans) - gone
    )
    return PerturbedItem({"argument": kept}, changes, 100 * gone / len(spans))


PERTURBATION = Perturbation(
    name="truncate",
    summary="the argument breaks off: sentences cut at its end",
    unit="percent of the sentences",
    levels=(0, 25, 50, 75),
    expects=expect(fall=_SUFFERS, unchanged=(*RELEVANCE, *SECOND), no_rise=(*ANSWER, *PREFERENCE)),
    needs=frozenset({"argument"}),
    source="own; sufficiency as in Wachsmuth et al. 2017",
    change=change,
)
