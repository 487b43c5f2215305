"""Hallucination: n cited sentences changed so that they contradict their document (ConQRet, section 6.3)."""

from __future__ import annotations

import random
from functools import lru_cache

from conqret.data import Item
from conqret.perturb.contradictions import Contradiction, contradict
from conqret.perturb.expectations import ANSWER, CORRECTNESS, GROUNDING, RECALL, RELEVANCE, SECOND, expect
from conqret.perturb.perturbation import ENGLISH, Draw, InapplicableError, Perturbation, UnreachedError
from conqret.perturb.sentence_edits import Rewriting, cited_sentences, split
from conqret.text.citations import citations
from conqret.text.sentences import sentences

_TRIES = 5
"""Draws of a rule until it makes one sentence of one; the first nearly always does."""


def chosen(draw: Draw) -> list[int]:
    """The numbers of the sentences that this level changes, in the order in which levels take them."""
    sentence_numbers = grounded(draw)
    if draw.level > len(sentence_numbers):
        raise UnreachedError(
            f"item {draw.original}: {len(sentence_numbers)} sentences cite, and {draw.level:g} are to change (a share, "
            "such as 50%, suits any item)"
        )
    return draw.ordered(sentence_numbers)[: int(draw.level)]


def grounded(draw: Draw) -> list[int]:
    """The numbers of the sentences that cite; InapplicableError where none does."""
    sentence_numbers = cited_sentences(draw.item.argument or "")
    if not sentence_numbers:
        raise InapplicableError(
            f"item {draw.original}: the argument cites nothing, so no sentence is known to be grounded"
        )
    return sentence_numbers


def by_rule(draw: Draw, number: int) -> tuple[str, str] | None:
    """Sentence ``number`` contradicted by rule, and the kind of the contradiction; None in another language than
    English, for which there are no rules."""
    if draw.language:
        return None
    argument = draw.item.argument or ""
    source = cited_text(draw.item, split(argument)[number - 1].text)
    seed = f"{draw.seed}/{draw.name}/{draw.original}/{number}"
    made = _contradicted(argument, number, source, draw.item.topic, seed)
    if made is None:
        raise InapplicableError(f"item {draw.original}: no rule contradicts sentence {number}")
    return made.text, made.kind


@lru_cache(maxsize=8192)
def _contradicted(argument: str, number: int, source: str, topic: str, seed: str) -> Contradiction | None:
    """Kept, because every higher level needs it again."""
    rng = random.Random(seed)
    for _ in range(_TRIES):
        made = contradict(split(argument)[number - 1].text, source, rng, topic)
        if len(sentences(made.text)) == 1:
            return made
    return None


def cited_text(item: Item, sentence: str) -> str:
    """The documents that ``sentence`` cites, as one text."""
    total = len(item.documents)
    cited = [item.documents[n - 1] for n in citations(sentence) if 1 <= n <= total]
    return "\n".join(f"{document.title}\n{document.text}" for document in cited)


LEVELS = (0, 2, 5)
"""Of ConQRet's levels those that an argument of some ten cited sentences reaches; 10 and 20 can be asked for."""

REWRITING = Rewriting("perturb/hallucinate", chosen, by_rule)

PERTURBATION = Perturbation(
    name="hallucinate",
    summary="cited sentences changed so that they contradict their document: other numbers, names, degrees, details",
    unit="sentences",
    levels=LEVELS,
    expects=expect(
        fall=(*GROUNDING, "overall_quality"),
        unchanged=(*RELEVANCE, *RECALL, *ANSWER, *SECOND),
        no_rise=("local_acceptability", "global_acceptability", "credibility", "preference", *CORRECTNESS),
    ),
    needs=frozenset({"argument", "documents"}),
    source="ConQRet, section 6.3, Figures 3 and 12, Table 18",
    change=REWRITING.change,
    most=None,
    rewriting=REWRITING,
    share="hallucinate-share",
    languages=ENGLISH,
)
