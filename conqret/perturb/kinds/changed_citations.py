"""Perturbations of citations: marks removed, marks that point to another document than the one that
supports the sentence, and citing sentences attributed to a source that their documents do not name.
"""

from __future__ import annotations

import re

from conqret.perturb import Change, InapplicableError, Perturbation, UnreachedError
from conqret.perturb.contradictions import FAMILY
from conqret.perturb.perturbation import (
    ANSWER,
    ENGLISH,
    FAITHFULNESS,
    GROUNDING,
    PERCENT,
    RELEVANCE,
    SECOND,
    Draw,
    PerturbedItem,
    expect,
)
from conqret.perturb.sentence_edits import grounded, rewrite_sentences, split, split_close
from conqret.text.citations import citations, marks, replace_marks


def dropped(draw: Draw) -> PerturbedItem:
    """Remove a share of the argument's citation marks; the level is a percentage of the marks.

    Raises:
        InapplicableError: it cites nothing.
    """
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


DROP_CITATIONS = Perturbation(
    name="drop-citations",
    summary="citation marks of the argument removed",
    unit="percent of the marks",
    levels=(0, 25, 50, 100),
    expects=expect(
        fall=("citation_recall",),
        unchanged=(*RELEVANCE, *FAITHFULNESS, *ANSWER, *SECOND),
        no_rise=("groundedness",),
    ),
    source="own; citation recall after ALCE (Gao et al. 2023), section 3",
    change=dropped,
)


def redirected(draw: Draw) -> PerturbedItem:
    """Change a share of the citation marks to documents that their sentence does not cite; the level is a
    percentage of the marks.

    Raises:
        InapplicableError: no citation can be changed.
        UnreachedError: fewer can be changed than the level says.
    """
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
    wanted = draw.count(len(citation_marks))
    if wanted > len(possible):
        raise UnreachedError(
            f"item {draw.original}: {len(possible)} of its {len(citation_marks)} citation marks can point elsewhere, "
            f"and {wanted} are to"
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


WRONG_CITATIONS = Perturbation(
    name="wrong-citations",
    summary="citation marks of the argument pointed to documents that their sentence does not cite",
    unit="percent of the marks",
    levels=(0, 25, 50, 100),
    expects=expect(fall=GROUNDING, unchanged=(*RELEVANCE, *FAITHFULNESS, *ANSWER, *SECOND)),
    needs=frozenset({"argument", "documents"}),
    source="own; citation precision after ALCE (Gao et al. 2023), section 3",
    change=redirected,
)


_WORD = r"[A-Z][\w'’-]{0,40}"
_NAME = rf"(?<!\w){_WORD}(?: (?:of |for |the |and ){{0,2}}{_WORD}){{0,5}}"
_SAID = (
    "found|finds|reports?|reported|wrote|writes|said|says|states?|stated|argued|argues|estimated|showed|shows"
)
_attributed = re.compile(
    rf"(?P<before>\b[Aa]ccording to (?:the )?|\bas (?:the )?)(?P<source>{_NAME})"
    rf"|(?<!in )(?<!at )(?P<speaker>{_NAME})(?= (?:et al\.? )?(?:{_SAID})\b|,? \(?(?:19|20)\d\d\b)"
)
"""Whom a sentence names as its source: *according to the Audit Chamber*, *Halden found*, *(Halden 2019)*."""

_WAYS = ("as {name} found", "as {name} reported", "as was shown by {name}")


def misattributed(draw: Draw) -> PerturbedItem:
    """Change the name of the source in a share of the citing sentences; a sentence without such a name
    gets one.

    Raises:
        InapplicableError: no sentence cites, or all available names occur in the item.
    """
    item, argument = draw.item, draw.item.argument or ""
    known = "\n".join(
        [item.topic, argument, *(f"{document.title}\n{document.text}" for document in item.documents)]
    )
    strangers = [name for name in FAMILY if name not in known]
    if not strangers:
        raise InapplicableError(f"item {draw.original}: every name that could be put in stands in it already")
    numbers = draw.share(grounded(draw))
    new = {n: (_renamed(split(argument)[n - 1].text, draw, n, strangers), "name") for n in numbers}
    text, changes = rewrite_sentences(argument, new)
    return PerturbedItem({"argument": text}, changes, PERCENT * len(new) / len(grounded(draw)))


def _renamed(sentence: str, draw: Draw, number: int, strangers: list[str]) -> str:
    rng = draw.rng(number)
    name, way = rng.choice(strangers), rng.choice(_WAYS)
    match = _attributed.search(sentence)
    if match is not None:
        return f"{sentence[: match.start()]}{match['before'] or ''}{name}{sentence[match.end() :]}"
    body, close = split_close(sentence)
    return f"{body.rstrip(' ,;:')}, {way.format(name=name)}{close}"


WRONG_NAMES = Perturbation(
    name="wrong-names",
    summary="sentences that cite put down to a source that their documents do not name",
    unit="percent of the cited sentences",
    levels=(0, 25, 50, 100),
    expects=expect(
        fall=(*GROUNDING, *FAITHFULNESS),
        unchanged=(*RELEVANCE, *ANSWER, *SECOND),
        no_rise=("local_acceptability", "credibility", "overall_quality", "preference"),
    ),
    needs=frozenset({"argument", "documents"}),
    source="own; attribution as in AIS (Rashkin et al. 2023)",
    change=misattributed,
    languages=ENGLISH,
)

PERTURBATIONS = (DROP_CITATIONS, WRONG_CITATIONS, WRONG_NAMES)
