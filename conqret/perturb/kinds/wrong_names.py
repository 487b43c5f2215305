"""A wrong name in the citation: sentences that cite are put down to somebody whom their documents do not name."""

from __future__ import annotations

import re

from conqret.perturb.contradictions import FAMILY
from conqret.perturb.expectations import ANSWER, GROUNDING, RELEVANCE, SECOND, expect
from conqret.perturb.kinds.hallucinate import grounded
from conqret.perturb.perturbation import (
    ENGLISH,
    PERCENT,
    Change,
    Draw,
    InapplicableError,
    Perturbation,
    PerturbedItem,
)
from conqret.perturb.sentence_edits import replace_sentences, split, split_close

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


def change(draw: Draw) -> PerturbedItem:
    """The name that a sentence has for its source becomes another; one that names nobody gets a name."""
    item, argument = draw.item, draw.item.argument or ""
    known = "\n".join(
        [item.topic, argument, *(f"{document.title}\n{document.text}" for document in item.documents)]
    )
    strangers = [name for name in FAMILY if name not in known]
    if not strangers:
        raise InapplicableError(f"item {draw.original}: every name that could be put in stands in it already")
    numbers = draw.share(grounded(draw))
    new = {number: _renamed(split(argument)[number - 1].text, draw, number, strangers) for number in numbers}
    changes = tuple(
        Change(where=f"argument sentence {n}", kind="name", before=split(argument)[n - 1].text, after=new[n])
        for n in sorted(new)
    )
    reached = PERCENT * len(new) / len(grounded(draw))
    return PerturbedItem({"argument": replace_sentences(argument, new)}, changes, reached)


def _renamed(sentence: str, draw: Draw, number: int, strangers: list[str]) -> str:
    rng = draw.rng(number)
    name, way = rng.choice(strangers), rng.choice(_WAYS)
    match = _attributed.search(sentence)
    if match is not None:
        return f"{sentence[: match.start()]}{match['before'] or ''}{name}{sentence[match.end() :]}"
    body, close = split_close(sentence)
    return f"{body.rstrip(' ,;:')}, {way.format(name=name)}{close}"


PERTURBATION = Perturbation(
    name="wrong-names",
    summary="sentences that cite put down to a source that their documents do not name",
    unit="percent of the cited sentences",
    levels=(0, 25, 50, 100),
    expects=expect(
        fall=GROUNDING,
        unchanged=(*RELEVANCE, *ANSWER, *SECOND),
        no_rise=("local_acceptability", "credibility", "overall_quality", "preference"),
    ),
    needs=frozenset({"argument", "documents"}),
    source="own; attribution as in AIS (Rashkin et al. 2023)",
    change=change,
    languages=ENGLISH,
)
