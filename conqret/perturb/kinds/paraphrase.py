"""The same said in other words: a share of the argument's sentences rewritten without a change of meaning.

By a model; or by rule, which exchanges set phrases and reporting words for others that mean the same wherever
they stand, and touches nothing else. That is a weak paraphrase, and an honest one: a sentence without such a
phrase stays as it is, and the record says how many sentences could be rewritten.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from conqret.perturb.changed_numbers import cased
from conqret.perturb.contradictions import pairs
from conqret.perturb.expectations import EVERYTHING, expect
from conqret.perturb.perturbation import ENGLISH, PERCENT, Draw, Perturbation
from conqret.perturb.rewritten import Rewriting
from conqret.perturb.sentence_edits import split

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

_OTHER_PHRASES = {
    "de": pairs(
        "zum Beispiel/beispielsweise, beispielsweise/zum Beispiel, jedoch/allerdings, allerdings/jedoch, "
        "daher/deshalb, deshalb/daher, außerdem/zudem, zudem/außerdem, fast/nahezu, nahezu/fast, oft/häufig, "
        "häufig/oft, vielleicht/möglicherweise, möglicherweise/vielleicht, obwohl/obgleich, weil/da, sofort/umgehend, "
        "insgesamt/alles in allem, lediglich/nur, schon/bereits, bereits/schon"
    ),
    "fr": pairs(
        "par exemple/à titre d'exemple, cependant/toutefois, toutefois/cependant, presque/quasiment, "
        "quasiment/presque, souvent/fréquemment, fréquemment/souvent, en outre/de plus, "
        "par conséquent/en conséquence, en conséquence/par conséquent, rarement/peu souvent, seulement/uniquement"
    ),
    "es": pairs(
        "por ejemplo/a modo de ejemplo, sin embargo/no obstante, no obstante/sin embargo, además/asimismo, "
        "casi/prácticamente, prácticamente/casi, a menudo/con frecuencia, con frecuencia/a menudo, por eso/por ello, "
        "por ello/por eso, por tanto/por lo tanto, por lo tanto/por tanto, quizás/tal vez, tal vez/quizás, "
        "porque/ya que, ya que/porque, rara vez/pocas veces"
    ),
}
"""The same in other languages, where the replacement leaves the order of words alone."""


@cache
def _set_phrases(language: str) -> tuple[Mapping[str, str], re.Pattern[str]]:
    """The set phrases of a language (empty: English), and the pattern that finds them."""
    phrases = _OTHER_PHRASES.get(language, {}) if language else _PHRASES
    longest_first = sorted((re.escape(phrase) for phrase in phrases), key=len, reverse=True)
    return phrases, re.compile(rf"\b(?:{'|'.join(longest_first) or '(?!)'})\b", re.IGNORECASE)


def chosen(draw: Draw) -> list[int]:
    """The numbers of the sentences that this level changes, in the order in which levels take them."""
    return draw.share(range(1, len(split(draw.item.argument or "")) + 1))


def by_rule(draw: Draw, number: int) -> tuple[str, str] | None:
    """Sentence ``number`` with its set phrases exchanged; None where it holds none."""
    before = split(draw.item.argument or "")[number - 1].text
    after = reword(before, draw.language)
    return (after, "phrases") if after != before else None


def reword(sentence: str, language: str = "") -> str:
    """``sentence`` with every set phrase of its language exchanged for one that means the same; its citations stay."""
    phrases, pattern = _set_phrases(language)
    exchanged = {phrase.lower(): other for phrase, other in phrases.items()}
    return pattern.sub(lambda match: cased(exchanged[match.group().lower()], match.group()), sentence)


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
    languages=ENGLISH | _OTHER_PHRASES.keys(),
)
