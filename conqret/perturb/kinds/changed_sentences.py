"""Perturbations of sentences: cited ones contradict their document (ConQRet, section 6.3), or a share is
paraphrased; an argument that breaks off; and an item whose stance is reversed while the argument stays.

Sentences are rewritten by a model, or by rule. The rule of a paraphrase exchanges set phrases and reporting words for
others that mean the same wherever they stand, and touches nothing else. That is a weak paraphrase, and an honest one: a
sentence without such a phrase stays as it is, and the record says how many sentences could be rewritten.
"""

from __future__ import annotations

import random
import re
import tomllib
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from conqret.perturb import Change, InapplicableError, Perturbation, UnreachedError, expect
from conqret.perturb.contradictions import cased, contradict, exchanges
from conqret.perturb.perturbation import (
    ANSWER,
    CORRECTNESS,
    ENGLISH,
    EVERYTHING,
    FAITHFULNESS,
    GROUNDING,
    PERCENT,
    RECALL,
    RELEVANCE,
    SECOND,
    Draw,
    PerturbedItem,
)
from conqret.perturb.sentence_edits import Rewriting, cited_text, grounded, split
from conqret.text.sentences import sentences

_TRIES = 5
"""Draws of a rule until it makes one sentence of one; the first nearly always does."""


def counted_citing(draw: Draw) -> list[int]:
    """Return the numbers (from 1) of the sentences to change, in random order, with the level as their count: of those
    that cite, or of those that a document states where none cites (:func:`grounded`).

    A higher level only adds sentences.

    Raises:
        UnreachedError: there are fewer such sentences.
        InapplicableError: there is none.
    """
    sentence_numbers = grounded(draw)
    if draw.level > len(sentence_numbers):
        raise UnreachedError(
            f"item {draw.original}: {len(sentence_numbers)} sentences cite, and {draw.level:g} are to change (a share, "
            "such as 50%, suits any item)"
        )
    return draw.ordered(sentence_numbers)[: int(draw.level)]


def contradicted(draw: Draw, number: int) -> tuple[str, str] | None:
    """Contradict sentence ``number`` (from 1) by rule, and return it with the kind of contradiction.

    Return None for languages other than English, which have no rules.

    Raises:
        InapplicableError: no rule applies.
    """
    if draw.language:
        return None
    argument = draw.item.argument or ""
    source = cited_text(draw.item, number)
    seed = f"{draw.seed}/{draw.name}/{draw.original}/{number}"
    made = _contradicted(argument, number, source, draw.item.topic, seed)
    if made is None:
        raise InapplicableError(f"item {draw.original}: no rule contradicts sentence {number}")
    return made


@lru_cache(maxsize=8192)
def _contradicted(argument: str, number: int, source: str, topic: str, seed: str) -> tuple[str, str] | None:
    """Return sentence ``number`` (from 1) of the argument contradicted by rule, with the kind of the change, as a
    pair; None if no try gave a single sentence.

    The result is cached, because every higher level needs it again.

    Args:
        argument: the argument that has the sentence.
        number: the number of the sentence, from 1.
        source: the text that the sentence cites.
        topic: the topic of the item.
        seed: the seed of the random choices.
    """
    rng = random.Random(seed)
    for _ in range(_TRIES):
        made = contradict(split(argument)[number - 1].text, source, rng, topic)
        if len(sentences(made[0])) == 1:
            return made
    return None


LEVELS = (0, 2, 5)
"""The default levels: of ConQRet's those that an argument of some ten cited sentences reaches; 10 and 20
can be requested.
"""

_CONTRADICTING = Rewriting("perturb/hallucinate", counted_citing, contradicted)

HALLUCINATE = Perturbation(
    name="hallucinate",
    summary="cited sentences changed so that they contradict their document: other numbers, names, degrees, details",
    unit="sentences",
    levels=LEVELS,
    expects=expect(
        fall=(*GROUNDING, *FAITHFULNESS, "overall_quality"),
        unchanged=(*RELEVANCE, *RECALL, *ANSWER, *SECOND),
        no_rise=("local_acceptability", "global_acceptability", "credibility", "preference", *CORRECTNESS),
    ),
    needs=frozenset({"argument", "documents"}),
    source="ConQRet, section 6.3, Figures 3 and 12, Table 18",
    change=_CONTRADICTING.change,
    most=None,
    rewriting=_CONTRADICTING,
    share="hallucinate-share",
    languages=ENGLISH,
)


def share_citing(draw: Draw) -> list[int]:
    """Return the numbers (from 1) of the citing sentences to change, with the level as their percentage.

    A higher level only adds sentences.

    Raises:
        InapplicableError: no sentence cites.
    """
    possible = grounded(draw)
    return draw.ordered(possible)[: draw.count(len(possible))]


def _citing_share(draw: Draw, changed: int) -> float:
    """Of the sentences that cite, per cent."""
    return PERCENT * changed / len(grounded(draw))


def in_shares(counted: Perturbation) -> Perturbation:
    """Return the same perturbation with levels that are percentages of the cited sentences."""
    rewriting = replace(counted.rewriting, chosen=share_citing, reached=_citing_share)
    return replace(
        counted,
        name=f"{counted.name}-share",
        unit="percent of the cited sentences",
        levels=(0, 25, 50, 100),
        most=PERCENT,
        change=rewriting.change,
        rewriting=rewriting,
        share="",
    )


HALLUCINATE_SHARE = in_shares(HALLUCINATE)


_PHRASES = exchanges(
    tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))["phrases"]
)

_phrase = re.compile(
    rf"\b(?:{'|'.join(sorted(map(re.escape, _PHRASES), key=len, reverse=True))})\b", re.IGNORECASE
)


def share_of_all(draw: Draw) -> list[int]:
    """Return the numbers (from 1) of the sentences to change, with the level as a percentage of all
    sentences.
    """
    return draw.share(range(1, len(split(draw.item.argument or "")) + 1))


def reworded(draw: Draw, number: int) -> tuple[str, str] | None:
    """Reword sentence ``number``: every known phrase is replaced by one with the same meaning.

    Return the sentence and the kind of change. Return None if it has no known phrase, or is not in
    English.
    """
    before = split(draw.item.argument or "")[number - 1].text
    after = _phrase.sub(lambda match: cased(_PHRASES[match.group().lower()], match.group()), before)
    return (after, "phrases") if after != before and not draw.language else None


def _reworded_share(draw: Draw, changed: int) -> float:
    """Of all sentences, per cent."""
    return PERCENT * changed / len(split(draw.item.argument or ""))


_REWORDING = Rewriting("perturb/paraphrase", share_of_all, reworded, _reworded_share)

PARAPHRASE = Perturbation(
    name="paraphrase",
    summary="sentences of the argument said in other words (offline: only set phrases are exchanged)",
    unit="percent of the sentences",
    levels=(0, 50, 100),
    expects=expect(unchanged=EVERYTHING),
    source="own; invariance tests after Ribeiro et al. 2020 (CheckList)",
    change=_REWORDING.change,
    rewriting=_REWORDING,
    languages=ENGLISH,
)


_INSUFFICIENT = ("local_sufficiency", "global_sufficiency", "overall_quality")


def truncated(draw: Draw) -> PerturbedItem:
    """Remove a share of the argument's sentences from its end; the level is a percentage.

    Raises:
        UnreachedError: none would remain.
    """
    text = draw.item.argument or ""
    spans = split(text)
    gone = draw.count(len(spans))
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


TRUNCATE = Perturbation(
    name="truncate",
    summary="the argument breaks off: sentences cut at its end",
    unit="percent of the sentences",
    levels=(0, 25, 50, 75),
    expects=expect(fall=_INSUFFICIENT, unchanged=(*RELEVANCE, *SECOND), no_rise=(*ANSWER, "preference")),
    source="own; sufficiency as in Wachsmuth et al. 2017",
    change=truncated,
)


_OTHER = {"pro": "con", "con": "pro"}


def flipped_stance(draw: Draw) -> PerturbedItem:
    """Change the item's stance to the opposite one, and nothing else.

    Raises:
        InapplicableError: the item has no stance that can be reversed.
    """
    stance = draw.item.stance
    if stance not in _OTHER:
        raise InapplicableError(f"item {draw.original}: it states no stance that could be flipped")
    flipped = _OTHER[stance]
    return PerturbedItem(
        {"stance": flipped}, (Change(where="stance", kind="flipped", before=stance, after=flipped),), 1.0
    )


FLIP_STANCE = Perturbation(
    name="flip-stance",
    summary="pro becomes con and con pro, and the argument stays: it argues for the wrong side",
    unit="0 as it is, 1 flipped",
    levels=(0, 1),
    expects=expect(
        fall=(*ANSWER, "second.answer_relevance"),
        unchanged=("context_relevance", "predicted_precision", *GROUNDING, *FAITHFULNESS),
    ),
    source="own; both stances count as relevant evidence in ConQRet, Figures 10 and 11",
    change=flipped_stance,
    most=1,
)

PERTURBATIONS = (HALLUCINATE, HALLUCINATE_SHARE, PARAPHRASE, TRUNCATE, FLIP_STANCE)
