"""Word lists (``words.toml``): common words, cues of argument and style, and function words by language.

All are lower case, hand-written and general: none names a topic of any data set. Cue lists hold words as
they stand in a text; the background of common words is compared by stem.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

WORDS: Mapping[str, Any] = tomllib.loads((Path(__file__).parent / "words.toml").read_text(encoding="utf-8"))
"""The contents of ``words.toml``."""


def word_list(name: str, section: str = "") -> frozenset[str]:
    """Return the words of a list in ``words.toml`` as a set; ``section`` is the table that contains the
    list.

    Raises:
        KeyError: there is no such list.
    """
    words: str = (WORDS[section] if section else WORDS)[name]
    return frozenset(words.split())


STOP_WORDS = word_list("stop_words")
"""Function words and words that carry no topic: weight 0."""

COMMON_WORDS = word_list("common_words")
"""General words of public debate and daily life: weight 1/2. Compared by stem."""

ARGUMENT_CUES = word_list("argument_cues")
"""Connectives, modals and words of evidence and consequence that arguing text is full of (Stab and Gurevych
2017 use such markers as features of argument components)."""

PROMOTION_CUES = word_list("promotion_cues")
"""Words without which a text is not searched for advertising and page furniture (see `boilerplate`)."""

DEBATE_TALK = word_list("debate_talk")
"""Words of talk about an exchange instead of its matter (greetings, rounds, rules)."""

DISCOURSE_MARKERS = word_list("discourse_markers")
INFERENCE_MARKERS = word_list("inference_markers")
CONCESSION_MARKERS = word_list("concession_markers")
HEDGES = word_list("hedges")
ABSOLUTES = word_list("absolutes")
EMOTION_WORDS = word_list("emotion_words")
ABUSE = word_list("abuse")
FIRST_AND_SECOND_PERSON = word_list("first_and_second_person")
FIRST_PERSON = word_list("first_person")
SECOND_PERSON = word_list("second_person")
SLANG = word_list("slang")

NEGATIONS = word_list("negations")
NEGATIONS |= frozenset(" ".join(NEGATIONS).replace("'", "\u2019").split())
NEGATIONS_BY_LANGUAGE = {
    "en": NEGATIONS | word_list("further_negations") | {"mustn\u2019t", "needn\u2019t", "shan\u2019t"},
    "de": word_list("german_negations"),
}
"""The words that negate a claim or a passage, by language code."""

YES_OR_NO = word_list("yes_or_no")
"""Words of a sentence that says yes or no and nothing else."""

NEAR_NEGATIONS = word_list("near_negations")
"""Words that may stand for a negation in another text, but deny nothing by themselves."""

CONJUNCTIONS = word_list("conjunctions")
"""Conjunctions at which a negation ends: it negates nothing of the clause that follows."""

CONDITIONS = word_list("conditions")
"""Conjunctions that begin a condition."""
EXCEPTIONS = word_list("exceptions")
"""Words that begin an exception: what is denied or affirmed before them holds in part."""

NO_NEGATIONS = word_list("no_negations")
"""Words before which a negation negates nothing: not only, no matter, do not forget to …"""
OPPOSITES: dict[str, frozenset[str]] = {}
"""For each word of a pair of opposites, the words on the other side."""
for _left, _right in WORDS["antonyms"]:
    for _side, _other in ((_left, _right), (_right, _left)):
        for _word in _side.split():
            OPPOSITES[_word] = OPPOSITES.get(_word, frozenset()) | frozenset(_other.split())


FUNCTION_WORDS: dict[str, tuple[str, ...]] = {}
"""A mapping from each function word to the codes of the languages that have it."""
for _language, _words in WORDS["function_words"].items():
    for _word in dict.fromkeys(_words.split()):
        FUNCTION_WORDS[_word] = (*FUNCTION_WORDS.get(_word, ()), _language)

LETTERS: dict[str, tuple[str, ...]] = {}
"""A mapping from each letter that few languages have to the codes of those languages."""
for _language, _letters in WORDS["letters"].items():
    for _letter in dict.fromkeys(_letters):
        LETTERS[_letter] = (*LETTERS.get(_letter, ()), _language)
