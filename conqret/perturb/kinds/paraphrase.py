"""The same said in other words: a share of the argument's sentences rewritten without a change of meaning.

By a model; or by rule, which exchanges set phrases and reporting words for others that mean the same wherever
they stand, and touches nothing else. That is a weak paraphrase, and an honest one: a sentence without such a
phrase stays as it is, and the record says how many sentences could be rewritten.
"""

from __future__ import annotations

import re

from conqret.perturb.changed_numbers import cased
from conqret.perturb.expectations import EVERYTHING, expect
from conqret.perturb.perturbation import ENGLISH, PERCENT, Draw, Perturbation
from conqret.perturb.sentence_edits import Rewriting, split

_PHRASES = {
    "because of": "owing to", "owing to": "because of", "in order to": "so as to", "for example": "for instance",
    "for instance": "for example", "however": "nevertheless", "nevertheless": "however",
    "moreover": "furthermore", "furthermore": "moreover", "therefore": "for that reason",
    "although": "even though", "even though": "although", "roughly": "approximately",
    "approximately": "roughly", "nearly": "almost", "almost": "nearly",
    "per cent": "percent", "percent": "per cent", "instead of": "rather than", "whoever": "anyone who",
    "a number of": "several", "often": "frequently",
    "frequently": "often", "began": "started",
    "said that": "stated that",
    "says that": "states that", "since then": "from then on", "at once": "immediately",
    "immediately": "at once", "perhaps": "possibly", "possibly": "perhaps",
    "entire": "whole", "largely": "mostly", "mostly": "largely",
}  # fmt: skip
"""Each is replaced wherever it stands: the replacement fits there, and says the same."""

_phrase = re.compile(
    rf"\b(?:{'|'.join(sorted(map(re.escape, _PHRASES), key=len, reverse=True))})\b", re.IGNORECASE
)


def chosen(draw: Draw) -> list[int]:
    """The numbers of the sentences that this level changes, in the order in which levels take them."""
    return draw.share(range(1, len(split(draw.item.argument or "")) + 1))


def by_rule(draw: Draw, number: int) -> tuple[str, str] | None:
    """Sentence ``number`` with its set phrases exchanged; None where it holds none, or is in another language."""
    before = split(draw.item.argument or "")[number - 1].text
    after = before if draw.language else reword(before)
    return (after, "phrases") if after != before else None


def reword(sentence: str) -> str:
    """``sentence`` with every set phrase exchanged for one that means the same; its citations stay."""
    return _phrase.sub(lambda match: cased(_PHRASES[match.group().lower()], match.group()), sentence)


def reached(draw: Draw, changed: int) -> float:
    """Of all sentences, per cent."""
    return PERCENT * changed / len(split(draw.item.argument or ""))


REWRITING = Rewriting("perturb/paraphrase", chosen, by_rule, reached)

PERTURBATION = Perturbation(
    name="paraphrase",
    summary="sentences of the argument said in other words (offline: only set phrases are exchanged)",
    unit="percent of the sentences",
    levels=(0, 50, 100),
    expects=expect(unchanged=EVERYTHING),
    needs=frozenset({"argument"}),
    source="own; invariance tests after Ribeiro et al. 2020 (CheckList)",
    change=REWRITING.change,
    rewriting=REWRITING,
    languages=ENGLISH,
)
