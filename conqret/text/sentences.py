"""Sentences of a text in any language, with their character spans.

By rule, in one pass and in linear time: a sentence ends at a full stop, exclamation or question mark that is followed
by white space; at such a mark of another script (``。``, ``।``, ``؟``), which needs none; at a blank line; and at a
line break before a list mark. Closing quotation marks and citation marks stay with the sentence that they close,
whether they stand before its full stop or after it (``It ends. [3]``), and a quotation stays with its sentence
(``"Why?" he asked``).

Which full stops belong to abbreviations, ordinals or decimals depends on the language. For English the lists of this
package decide; elsewhere they do, and otherwise sentencex, which knows the abbreviations of some fifty languages. It
does not split texts by itself here: it parts quotations and lists from what they belong to, and knows no citations.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from sentencex import get_sentence_boundaries

from conqret.text.citations import MARK
from conqret.text.language import language_of
from conqret.text.lexicons import WORDS, word_list
from conqret.text.words import UNSPACED


class Span(NamedTuple):
    """One sentence with its position: ``text`` is the slice from ``start`` to ``end`` (exclusive) of the
    original text.
    """

    start: int
    end: int
    text: str


END_MARKS = ".!?\u2026\u3002\uff01\uff1f\uff61\u061f\u06d4\u0964\u0965\u0589\u1362\u1367\u104b\u17d4"
"""The characters that end a sentence."""
CLOSING = "\"'\u2019\u201d\u201c\u2018\u00bb)\u300d\u300f\uff09\u300b\u3009"
"""The characters that may follow an end mark, for ``str.rstrip``, which removes them in linear time."""

_CLOSERS = "\"'\u2019\u201d\u201c\u2018\u00bb)\\]*_"
_QUOTES = "\"'\u2019\u201d\u201c\u2018\u00bb"
_WIDE_CLOSERS = "\"'\u2019\u201d\u00bb)\\]*_\u300d\u300f\uff09\u300b\u3009\uff02"
_OPENERS = "([\"'\u2018\u201c\u00ab\u201e\u00bf\u00a1"
_LIST_MARK = r"[-*\u2022\u25cf\u2605\u2013\u2014>#|]|\(?[0-9]{1,3}[.)]\s"
_GREEK_QUESTION = ";\u037e"
"""The question mark of Greek, elsewhere a semicolon."""
_SPACED, _UNSPACED = END_MARKS[:4], END_MARKS[4:]
"""End marks that white space must follow, and those of other scripts, which need none."""

# The pattern starts with one character class, and no run in it is unbounded, so that the
# search is linear even in a text of full stops.
_break = re.compile(
    rf"[{END_MARKS}{_GREEK_QUESTION}\n](?:"
    rf"(?<=[{_SPACED}])[{_SPACED}]{{0,20}}(?:[ \u00a0\u202f]?\u00bb|[{_CLOSERS}]{{0,9}})"  # an end mark, what closes it
    rf"(?:[ \t]{{0,9}}{MARK}){{0,20}}(?=\s|\Z)"  # its citations, and white space
    rf"|(?<=[{_UNSPACED}])[{_UNSPACED}!?\u2026]{{0,20}}[{_WIDE_CLOSERS}]{{0,9}}(?:[ \t]{{0,9}}{MARK}){{0,20}}"
    rf"|(?<=[\u0370-\u03ff\u1f00-\u1fff\d\]%»)][{_GREEK_QUESTION}])"
    rf"[{_CLOSERS}]{{0,9}}(?:[ \t]{{0,9}}{MARK}){{0,20}}(?=\s|\Z)"
    r"|(?<=\n)[ \t\r]*\n"
    rf"|(?<=\n)(?=[ \t]*(?:{_LIST_MARK})))"
)
_marks_alone = re.compile(rf"\A\s*+(?:{MARK}[\s.,;:!?)\u3002\u0964]{{0,9}}){{1,20}}")
_goes_on = re.compile(r"\s{0,9}(?:[\u2013\u2014,-]\s{0,9})?([^\W\d_])")
ENGLISH = word_list("english", "full_stops")
"""Words of English after which a full stop ends no sentence; those of other languages add to sentencex's."""

ENGLISH_ENDS_TOO = word_list("english_ends_too", "full_stops")
"""English abbreviations with which a sentence may end: before a capital it does."""

ENGLISH_SCALES = word_list("english_scales", "full_stops")
"""English abbreviations behind a figure, after which a sentence may go on with a small letter."""

ENGLISH_NAMES_GO_ON = word_list("english_names_go_on", "full_stops")
"""Words with which a name goes on behind ``U.S.`` or ``E.U.``: ``the U.S. Dept. of Energy``."""

_ROMAN = frozenset("IVXLCDM")
_ROMAN_END = frozenset("fr es pt it ca ro ru uk bg".split())
"""Languages in which a Roman numeral with a full stop is no ordinal."""

_between_tokens = re.compile(rf"[\s{_UNSPACED}{UNSPACED}]")
_says = re.compile(
    r"[^\W\d_]{0,6}?[\u8bf4\u95ee\u9053\u7b54\u558a\u5199\u8aaa\u554f\u79f0]|[\u3068\u3063]"
    r"|[^\W\d_]{0,12}?(?:\u8a00|\u5c0b\u306d|\u805e|\u554f|\u7b54|\u53eb|\u8ff0\u3079|\u8a71)"
)
"""What follows a quotation that is a part of its sentence, in Chinese and Japanese."""

_WORDS_BEFORE, _WORDS_BEHIND = 40, 30
_NO_QUOTES = dict.fromkeys(map(ord, f"{_CLOSERS}{_OPENERS}\u201a\u2039\u203a"), " ")

_prefix = re.compile(r"\A(?:[^\W\d_]{1,2}['\u2019]|[^\W\d_]{2,6}\.-)")
"""An article in French and Italian, and the first half of ``Dipl.-Ing.``."""

_following_word = re.compile(r"\s{0,9}([^\W\d_]{1,15})")
_LONGEST_ABBREVIATION = 12
_LONGEST_LIST_NUMBER = 3
_LONGEST_ORDINAL = 2
_SURELY_A_WORD = 7
"""Letters from which what stands before a full stop is no abbreviation."""

_SURELY_NO_INITIAL = 5
"""Letters from which what stands before a full stop and a figure may be a whole word."""
_digits = re.compile(r"\d")

_LIKE_AN_ABBREVIATION = 5
"""Letters up to which what stands before a full stop and a small letter is taken for an abbreviation."""


def sentences(text: str, language: str | None = None) -> tuple[Span, ...]:
    """Split ``text`` into sentences, in order, without surrounding whitespace; none is empty.

    Together they contain every character of ``text`` except whitespace. ``language`` is an ISO 639-1 code;
    by default it is detected.
    """
    spans = []
    for start, end in boundaries(text, language):
        piece = text[start:end]
        start += len(piece) - len(piece.lstrip())
        stripped = piece.strip()
        spans.append(Span(start, start + len(stripped), stripped))
    return tuple(spans)


def boundaries(text: str, language: str | None = None) -> list[tuple[int, int]]:
    """Return start and end (in characters, end exclusive) of each sentence, including the whitespace around
    it; none is blank.

    ``language`` is as in :func:`sentences`.
    """
    bounds: list[tuple[int, int]] = []
    start = 0
    stops = _FullStops(text, language)
    for match in _break.finditer(text):
        stop, end = match.span()
        mark = text[stop]
        if mark == ".":
            if not stops.end_sentence(stop, end):
                continue
        elif (mark in _GREEK_QUESTION and stops.language != "el") or (
            mark != "\n" and end > stop + 1 and _quotation_goes_on(text, stop, end)
        ):
            continue
        _add(bounds, text, start, end)
        start = end
    _add(bounds, text, start, len(text))
    return bounds


def _add(bounds: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    """Add a sentence to ``bounds``; a blank one is ignored, and citation marks that stand alone join the one
    before them.
    """
    piece = text[start:end]
    if not piece or piece.isspace():
        return
    if bounds and _marks_alone.fullmatch(piece):
        bounds[-1] = (bounds[-1][0], end)
    else:
        bounds.append((start, end))


def _quotation_goes_on(text: str, stop: int, end: int) -> bool:
    """Whether what ends in an end mark and a closing quotation mark is a part of its sentence: ``"Why?" he asked``."""
    if text[end - 1] in _QUOTES:
        following = _goes_on.match(text, end)
        if following is not None and following[1].islower():
            return True
    return text[stop] in _UNSPACED and text[end - 1] in _WIDE_CLOSERS and _says.match(text, end) is not None


@dataclass
class _FullStops:
    """Tells the full stops that end a sentence from those of abbreviations, ordinals and initials."""

    _text: str
    _language: str | None

    @cached_property
    def language(self) -> str:
        """The language of the text, by its script and function words."""
        if self._language is None:
            return language_of(self._text, model=False)
        return self._language

    def end_sentence(self, stop: int, end: int) -> bool:
        """Return True if the full stop at ``stop`` ends a sentence, unlike in ``Dr. Who``, ``J. Smith`` and
        ``p. 4``.

        ``end`` is the end of the full stop with the closing marks and the whitespace behind it.
        """
        text = self._text
        if stop + 1 < end and text[stop + 1] == ".":  # an ellipsis ends it only before a capital
            return _next_is_upper(text, end)
        token = _between_tokens.split(text[max(0, stop - _LONGEST_ABBREVIATION) : stop])[-1]
        if not token:
            return True
        word = token.lstrip(_OPENERS)
        if len(word) >= _SURELY_A_WORD and word.isalpha():
            return not _quotation_goes_on(text, stop, end)
        if word.isdigit() and len(word) <= _LONGEST_LIST_NUMBER:  # the 3. of a list, at the start of its line
            before = text[max(0, stop - len(word) - 1) : stop - len(word)]
            if before in ("", "\n"):
                return False
        if len(word) == 1 and word.isalpha() and not word.islower() and word != "I":
            return False
        if end > stop + 1 and _quotation_goes_on(text, stop, end):
            return False
        if self.language in ("", "en"):
            return self._ends_in_english(word.lower(), stop, end)
        return self._ends_elsewhere(_prefix.sub("", word.lower()), stop, end)

    def _ends_in_english(self, word: str, stop: int, end: int) -> bool:
        text = self._text
        if word in ENGLISH_ENDS_TOO:
            following = _following_word.match(text, end)
            return _next_is_upper(text, end) and not (
                following is not None and following[1].lower() in ENGLISH_NAMES_GO_ON
            )
        if word in ENGLISH_SCALES and not _next_is_upper(text, end):
            return not self._behind_a_figure(word, stop)
        if not self.language and not _next_is_upper(text, end) and word in ANY_LANGUAGE:
            return False
        return word not in ENGLISH

    def _ends_elsewhere(self, word: str, stop: int, end: int) -> bool:

        text, behind = self._text, self._text[end : end + 8].lstrip(" \u00a0\u202f\t")
        following = behind[:1]
        if end > stop + 1 or following in ("", "\n", "\r"):  # a citation or the end of a line follows
            return word not in ABBREVIATIONS.get(self.language, ()) or not following
        if following in "\u00bf\u00a1":
            return True
        if following.isupper() and (word in ENDS_TOO or (word in YEAR and self._behind_a_figure(word, stop))):
            return True
        before_figure = following.isdigit() or following in _ROMAN
        if word in ABBREVIATIONS.get(self.language, ()) and (before_figure or word not in BEFORE_FIGURES):
            return False
        if following.islower() and len(word.rpartition(".")[2]) <= _LIKE_AN_ABBREVIATION:
            return False
        if self.language in _ROMAN_END and following.isupper() and set(text[stop - 2 : stop]) <= _ROMAN:
            return True
        if word.isdigit() and self.language == "de" and len(word) <= _LONGEST_ORDINAL:
            return not self._is_german_ordinal(word, stop, end)
        figure = following.isdigit() and (
            word.endswith("]") or (len(word) >= _SURELY_NO_INITIAL and word.isalpha())
        )
        return _ends_by_sentencex(self.language, text, stop, end, figure=figure)

    def _behind_a_figure(self, word: str, stop: int) -> bool:
        return self._text[max(0, stop - len(word) - 4) : stop - len(word)].rstrip()[-1:].isdigit()

    def _is_german_ordinal(self, word: str, stop: int, end: int) -> bool:

        following = _following_word.match(self._text, end)
        if following is not None and following[1].lower() in GERMAN_ORDINAL_AFTER:
            return True
        before = self._text[max(0, stop - len(word) - 12) : stop - len(word)].split()
        return bool(before) and before[-1].lower() in GERMAN_ORDINAL_BEFORE


def _ends_by_sentencex(language: str, text: str, stop: int, end: int, *, figure: bool = False) -> bool:
    """Whether sentencex parts the text behind this full stop. It sees a few words around it and no quotation marks: it
    splits nothing inside a quotation, and takes time with the square of their number where they stay open. A ``figure``
    behind the full stop is shown to it as a word: it parts nothing before one in languages whose ordinals have a full
    stop."""
    first = max(0, stop - _WORDS_BEFORE)
    window = text[first : end + _WORDS_BEHIND].translate(_NO_QUOTES)
    following = window[end - first :]
    if figure:
        window = window[: end - first] + _digits.sub("A", following)
    behind = end + len(following) - len(following.lstrip())
    bounds = get_sentence_boundaries(language, window)
    return any(stop < first + bound["end_index"] <= behind for bound in bounds)


def _next_is_upper(text: str, end: int) -> bool:
    following = text[end : end + 8].lstrip()
    return not following or not (following[0].islower() or following[0].isdigit())


_ANYWHERE = frozenset("dr prof vs cf u.s u.k u.n e.u e.g i.e mr mrs ms vol fig".split())

ABBREVIATIONS: dict[str, frozenset[str]] = {}
for _language in WORDS["abbreviations"]:
    ABBREVIATIONS[_language] = word_list(_language, "abbreviations") | _ANYWHERE
ANY_LANGUAGE = frozenset().union(*ABBREVIATIONS.values())
"""The abbreviations of all languages, for a text whose language cannot be detected."""

ENDS_TOO = word_list("ends_too", "full_stops")
"""Abbreviations with which a sentence may end: before a capital it does."""

YEAR = frozenset("г гг р рр".split())
"""Abbreviations of a year after a figure, with which a sentence may end; of a town before a name."""

BEFORE_FIGURES = word_list("before_figures", "full_stops")
"""Abbreviations that are also words, or stand before a figure alone."""

GERMAN_ORDINAL_BEFORE = word_list("german_ordinal_before", "full_stops")
GERMAN_ORDINAL_AFTER = word_list("german_ordinal_after", "full_stops")
"""A number with a full stop is an ordinal in German behind or before one of these words."""
