"""Irrelevant evidence: a share of the documents replaced by documents of other topics (ConQRet, section 6.2)."""

from __future__ import annotations

from conqret.errors import number
from conqret.perturb.expectations import ANSWER, CORRECTNESS, GROUNDING, QUALITY, RECALL, RELEVANCE, expect
from conqret.perturb.perturbation import Change, Draw, Perturbation, PerturbedItem, UnreachedError
from conqret.text.language import NAMES


def change(draw: Draw) -> PerturbedItem:
    """Documents are replaced in place, and citations are left alone: they now cite what is not there."""
    documents = list(draw.item.documents)
    places = draw.share(range(len(documents)))
    others = draw.materials.pool.draw(draw.item, len(places), draw.rng("pool"))
    if len(others) < len(places):
        in_language = f" in {NAMES.get(draw.language, draw.language)}" if draw.language else ""
        are = "is" if len(places) == 1 else "are"
        raise UnreachedError(
            f"item {draw.original}: {number(len(places), 'document')} of other topics {are} "
            f"needed, and the pool has {len(others) or 'none'}{in_language}; give a larger one with --pool"
        )
    changes = []
    for place, other in zip(places, others, strict=True):
        changes.append(
            Change(where=f"document {place + 1}", kind="replaced", before=documents[place].id, after=other.id)
        )
        documents[place] = other
    reached = 100 * len(places) / len(documents)
    return PerturbedItem({"documents": tuple(documents)}, tuple(changes), reached)


PERTURBATION = Perturbation(
    name="irrelevant",
    summary="documents replaced in place by documents of other topics; citations untouched",
    unit="percent of the documents",
    levels=(0, 10, 20, 50, 70, 100),
    expects=expect(
        fall=(*RELEVANCE, *RECALL, *GROUNDING, "second.groundedness"),
        unchanged=(*ANSWER, *CORRECTNESS, "second.answer_relevance"),
        no_rise=QUALITY,
    ),
    needs=frozenset({"documents"}),
    source="ConQRet, section 6.2, Tables 7, 15 to 17",
    change=change,
    pool=True,
)
