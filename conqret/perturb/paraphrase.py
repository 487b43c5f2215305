"""The same said in other words: a share of the argument's sentences rewritten without a change of meaning.

By a model; or by rule, which exchanges set phrases and reporting words for others that mean the same wherever
they stand, and touches nothing else. That is a weak paraphrase, and an honest one: a sentence without such a
phrase stays as it is, and the record says how many sentences could be rewritten.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from conqret.perturb.base import Change, Changed, Draw, InapplicableError, Perturbation
from conqret.perturb.expectations import EVERYTHING, expect
from conqret.perturb.sentences import replace_sentences, same_elsewhere, split

PROMPT = "perturb/paraphrase"

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
    rf"\b(?:{'|'.join(sorted((re.escape(one) for one in _PHRASES), key=len, reverse=True))})\b",
    re.IGNORECASE,
)


def change(draw: Draw) -> Changed:
    """The sentences are those that a model rewrote, where it did; else the rules rewrite them."""
    argument = draw.item.argument or ""
    spans = split(argument)
    rewritten = draw.materials.rewrites.get(draw.original)
    new = dict(by_rules(draw)) if rewritten is None else {}
    kind = "phrases" if rewritten is None else "model"
    if rewritten is not None:
        for number in chosen(draw):
            if number not in rewritten:
                raise InapplicableError(f"item {draw.original}: the model rewrote no sentence {number}")
            new[number] = rewritten[number]
    text = replace_sentences(argument, new)
    if not same_elsewhere(argument, text, new):
        raise InapplicableError(f"item {draw.original}: other sentences than the chosen ones would change")
    changes = tuple(
        Change(where=f"argument sentence {n}", kind=kind, before=spans[n - 1].text, after=new[n])
        for n in sorted(new)
    )
    return Changed({"argument": text}, changes, 100 * len(new) / len(spans))


def chosen(draw: Draw) -> list[int]:
    """The numbers of the sentences that this level changes, in the order in which levels take them."""
    total = len(split(draw.item.argument or ""))
    return draw.ordered(range(1, total + 1))[: draw.of(total)]


def by_rules(draw: Draw) -> Mapping[int, str]:
    """Those of the chosen sentences that hold a set phrase, with it exchanged."""
    spans = split(draw.item.argument or "")
    found = {number: reword(spans[number - 1].text) for number in chosen(draw)}
    return {number: text for number, text in found.items() if text != spans[number - 1].text}


def reword(sentence: str) -> str:
    """``sentence`` with every set phrase exchanged for one that means the same; its citations stay."""

    def other(match: re.Match[str]) -> str:
        new = _PHRASES[match.group().lower()]
        return new[0].upper() + new[1:] if match.group()[0].isupper() else new

    return _phrase.sub(other, sentence)


PERTURBATION = Perturbation(
    name="paraphrase",
    summary="sentences of the argument said in other words (offline: only set phrases are exchanged)",
    unit="percent of the sentences",
    levels=(0, 50, 100),
    expects=expect(unchanged=EVERYTHING),
    needs=frozenset({"argument"}),
    source="own; invariance tests after Ribeiro et al. 2020 (CheckList)",
    change=change,
    rewrites=PROMPT,
)
