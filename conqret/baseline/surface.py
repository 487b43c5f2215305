"""What can be counted on the surface of an argument: how much is said, and how it is written."""

from __future__ import annotations

import math

from conqret.text import lexicons as lex
from conqret.text.analysis import Text

ENOUGH_WORDS = 200
"""Words from which more of them count no further: above, people's ratings hardly rise with length (Spearman
.08 among the longest fifth of Webis-ArgQuality-20), and padding would be rewarded."""

_RUDE = (lex.ABUSE | lex.SLANG) - lex.FIRST_PERSON - lex.SECOND_PERSON


def surface(text: Text) -> dict[str, float]:
    """The features of ``text`` by name, all at least 0.

    log_words: ln of the number of words, 1 to 200. word_length: characters a word. questions, exclamations:
    question and exclamation marks a sentence. small_starts: share of the sentences that begin with a small
    letter. first_person, second_person, rude_words (abuse and slang): in a hundred words.
    """
    words = max(1, len(text.words))
    pieces = text.pieces
    sentences = max(1, len(pieces))
    return {
        "log_words": math.log(min(words, ENOUGH_WORDS)),
        "word_length": sum(map(len, text.words)) / words,
        "questions": text.raw.count("?") / sentences,
        "exclamations": text.raw.count("!") / sentences,
        "small_starts": sum(piece[:1].islower() for piece in pieces) / sentences,
        "first_person": 100 * text.count(lex.FIRST_PERSON) / words,
        "second_person": 100 * text.count(lex.SECOND_PERSON) / words,
        "rude_words": 100 * text.count(_RUDE) / words,
    }
