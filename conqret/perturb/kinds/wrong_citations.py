"""Citations that point to another document than the one that bears the sentence out."""

from __future__ import annotations

from conqret.perturb.expectations import ANSWER, GROUNDING, RELEVANCE, SECOND, expect
from conqret.perturb.perturbation import (
    Change,
    Draw,
    InapplicableError,
    Perturbation,
    PerturbedItem,
    UnreachedError,
)
from conqret.perturb.sentence_edits import split
from conqret.text.citations import citations, marks, replace_marks


def change(draw: Draw) -> PerturbedItem:
    """A share of the marks gets the numbers of documents that their sentence does not cite."""
    argument, total = draw.item.argument or "", len(draw.item.documents)
    citation_marks = marks(argument)
    cited_beside = [set(citations(span.text)) for span in split(argument) for _ in marks(span.text)]
    targets = [
        (place, [n for n in range(1, total + 1) if n not in beside])
        for place, beside in enumerate(cited_beside)
    ]
    possible = {place: others for place, others in targets if others}
    if not possible:
        raise InapplicableError(
            f"item {draw.original}: no citation can point elsewhere (it cites nothing, or every document)"
        )
    wanted = draw.of(len(citation_marks))
    if wanted > len(possible):
        raise UnreachedError(
            f"item {draw.original}: {len(possible)} of its {len(citation_marks)} citation marks can point "
            "elsewhere, and "
            f"{wanted} are to"
        )
    new = {}
    for place in draw.ordered(sorted(possible))[:wanted]:
        rng, others = draw.rng(place), possible[place]
        new[place] = tuple(rng.sample(others, min(len(citation_marks[place]), len(others))))
    changes = tuple(
        Change(
            where=f"argument mark {place + 1}",
            kind="redirected",
            before=str(list(citation_marks[place])),
            after=str(list(to)),
        )
        for place, to in sorted(new.items())
    )
    text = replace_marks(argument, lambda place, cited: new.get(place, cited))
    return PerturbedItem({"argument": text}, changes, 100 * len(new) / len(citation_marks))


PERTURBATION = Perturbation(
    name="wrong-citations",
    summary="citation marks of the argument pointed to documents that their sentence does not cite",
    unit="percent of the marks",
    levels=(0, 25, 50, 100),
    expects=expect(fall=GROUNDING, unchanged=(*RELEVANCE, *ANSWER, *SECOND)),
    needs=frozenset({"argument", "documents"}),
    source="own; citation precision after ALCE (Gao et al. 2023), section 3",
    change=change,
)
