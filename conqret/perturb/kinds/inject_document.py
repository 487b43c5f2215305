"""Instructions to the judge, hidden in documents."""

from __future__ import annotations

from collections.abc import Sequence

from conqret.perturb.added import MATCHED, OTHER_INJECTIONS, languages_of, matched
from conqret.perturb.expectations import EVERYTHING, expect
from conqret.perturb.perturbation import Change, Draw, Perturbation, PerturbedItem


def change(draw: Draw, texts: Sequence[str]) -> PerturbedItem:
    """A share of the documents gets a paragraph at its end that asks for a better score."""
    documents = list(draw.item.documents)
    places = draw.share(range(len(documents)))
    changes = []
    for place in sorted(places):
        document, added = documents[place], draw.rng(place).choice(texts)
        documents[place] = document.model_copy(update={"text": f"{document.text}\n\n{added}"})
        changes.append(Change(where=f"document {place + 1}", kind="added", after=added))
    return PerturbedItem({"documents": tuple(documents)}, tuple(changes), 100 * len(places) / len(documents))


CHANGE, CONTROL = matched(change, MATCHED, OTHER_INJECTIONS, own="documents")

PERTURBATION = Perturbation(
    name="inject-document",
    summary="documents that ask the judge for a better score",
    unit="percent of the documents",
    levels=(0, 20, 50, 100),
    expects=expect(no_rise=EVERYTHING),
    needs=frozenset({"documents"}),
    source="own; named as a risk in ConQRet, section 9",
    change=CHANGE,
    control=CONTROL,
    languages=languages_of(OTHER_INJECTIONS),
)
