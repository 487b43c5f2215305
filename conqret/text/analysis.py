"""Words, stems, sentences and quantities of a text (:class:`Text`, :class:`Sentence`), computed once and
cached.

Every score of the offline baseline reads these; no other module looks at characters again, except for names.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence, Set
from functools import cached_property, lru_cache, partial

from conqret.text.citations import citations, strip_citations
from conqret.text.language import is_english
from conqret.text.lexicons import (
    COMMON_WORDS,
    CONDITIONS,
    CONJUNCTIONS,
    EXCEPTIONS,
    FUNCTION_WORDS,
    NEAR_NEGATIONS,
    NEGATIONS_BY_LANGUAGE,
    NO_NEGATIONS,
    STOP_WORDS,
)
from conqret.text.numbers import CURRENCIES, Quantity, quantities
from conqret.text.sentences import boundaries
from conqret.text.words import is_latin, split_words

# A number is one word with its currency, separators, scale letter and percent sign.
_word = re.compile(rf"[{CURRENCIES}]?[0-9]+(?:[.,][0-9]+)*(?:%|[a-z]+)?|\w+(?:['\u2019]\w+)?")
_clause = re.compile(r"(?<=\s)\(|[,.;:!?)]+[\"\u201d\u2019]*(?=\s)|[\u2013\u2014]|\s-\s")
_name = re.compile(r"(?<!^)(?<![.!?:\"\u201c\u2018(] )(?<![\"\u201c\u2018(\n])\b[A-Z][\w'\u2019-]+")

COMMON_WEIGHT = 0.5
_CACHE_LIMIT = 100_000
_LONGEST_KEPT = 40

_INFLEXIONS = ("ing", "ings", "ies", "ied", "ed", "es", "s")
_DERIVATIONS = (
    "ianism ianisms iz is izations isations ization isation ations ation ments ment ivities ivity ities ity "
    "ness ables able ibles ible ialism ional ical ially ally ial isms ism ists ist ians ian ures ure ives "
    "ive ions ion izes ize ises ise ers er ors or ally ily ly ic"
).split()
_MINIMUM_STEM = 3
_BY_LAST: dict[str, list[str]] = {}
for _derivation in _DERIVATIONS:
    _BY_LAST.setdefault(_derivation[-1], []).append(_derivation)


def stem(word: str) -> str:
    """Return a light stem of a lower-case word: one inflectional and one derivational suffix are removed.

    At least three letters remain. A doubled final consonant is reduced, and a final ``e`` or ``y`` is
    dropped: ``votes``, ``voting`` and ``voter`` become ``vot``. Words with a digit are unchanged. Stems
    serve for comparison and need not be words (after Porter 1980, in two steps instead of five).
    """
    word = word.replace("\u2019", "'")
    if word.endswith("'s"):
        word = word[:-2]
    if len(word) < 4 or not word.isalpha():
        return word
    if word[-1] in "sgd" and not word.endswith(("ss", "us", "is")):
        for ending in _INFLEXIONS:
            if word.endswith(ending) and len(word) - len(ending) >= _MINIMUM_STEM:
                word = word[: -len(ending)] + ("y" if ending in ("ies", "ied") else "")
                break
    for ending in _BY_LAST.get(word[-1], ()):
        if word.endswith(ending) and len(word) - len(ending) >= _MINIMUM_STEM:
            word = word[: -len(ending)]
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiouls":
        return word[:-1]
    return word[:-1] if len(word) > 3 and word[-1] in "ey" else word


class WordTable(dict[str, str]):
    """A bounded cache that maps each text to the result of ``make``; it is emptied when full."""

    def __init__(self, make: Callable[[str], str]) -> None:
        super().__init__()
        self.make = make

    def __missing__(self, text: str) -> str:
        value = self.make(text)
        if len(text) <= _LONGEST_KEPT:
            if len(self) > _CACHE_LIMIT:
                self.clear()
            self[text] = value
        return value


def _longest_word(piece: str) -> str:
    """The longest word in a piece of text between spaces; empty where there is none."""
    return max(_word.findall(piece), key=len, default="")


def _english_term(word: str) -> str:
    """The stem of an English word; empty for a function word."""
    plain = word.replace("\u2019", "'")
    return "" if plain in STOP_WORDS or len(plain) < 2 else stem(plain)


def _other_term(language: str, word: str) -> str:
    """The stem of a word of another language; empty for a function word."""
    return "" if language in FUNCTION_WORDS.get(word, ()) else other_stem(word)


def words_of(text: str) -> list[str]:
    """Return the words of ``text`` in lower case, in order.

    Whitespace, hyphens, dashes, slashes and angle brackets separate words. Text in other scripts than
    Latin is split by :func:`split_words`. Pieces are looked up in a growing cache, which takes a third of
    the time of a regular expression.
    """
    if not is_latin(text):
        return split_words(text)
    for separator in _SEPARATORS:
        if separator in text:
            text = text.replace(separator, " ")
    return list(filter(None, map(_words.__getitem__, text.replace(" %", "%").lower().split())))


_SEPARATORS = "<>-\u2010\u2011\u2012\u2013\u2014/|\u2022\u00b7"
_words = WordTable(_longest_word)
_terms = WordTable(_english_term)
COMMON_STEMS = frozenset(map(stem, COMMON_WORDS))


def weight(term: str) -> float:
    """Return the weight of a stem in comparisons: 0.5 for common words, 1 for all others."""
    return COMMON_WEIGHT if term in COMMON_STEMS else 1.0


@lru_cache(maxsize=64)
def terms_of(language: str) -> WordTable:
    """Return a mapping from each word of a language to its stem, which is empty for function words.

    Entries are computed when they are first requested.
    """
    return _terms if is_english(language) else WordTable(partial(_other_term, language))


class Sentence:
    """One sentence without its citation marks, and the numbers of the documents that it cites.

    English word lists are used for English only. In other languages function words have no stem, all other
    words have weight 1. Negations are known in English and German.
    """

    def __init__(self, text: str, cites: tuple[int, ...] = (), language: str = "") -> None:
        self.text = text
        self.cites = cites
        self.language = language
        self.english = is_english(language)
        self._denied: dict[int, frozenset[str]] = {}

    @cached_property
    def words(self) -> list[str]:
        """The words of the sentence in lower case, in order."""
        return words_of(self.text) if self.english else split_words(self.text)

    @cached_property
    def terms(self) -> frozenset[str]:
        """The set of stems of its content words."""
        return frozenset(map(terms_of(self.language).__getitem__, self.words)) - _NOTHING

    @cached_property
    def weights(self) -> dict[str, float]:
        """A mapping from each content stem to its weight: 0.5 for common English words, else 1."""
        weights = dict.fromkeys(sorted(self.terms), 1.0)
        if self.english:
            weights |= dict.fromkeys(COMMON_STEMS & self.terms, COMMON_WEIGHT)
        return weights

    @cached_property
    def numbers(self) -> tuple[Quantity, ...]:
        """The quantities in the sentence, in order."""
        return quantities(self.words) if self.english else other_quantities(self.words, self.language)

    @cached_property
    def names(self) -> frozenset[str]:
        """The capitalized words of the sentence except its first, in lower case.

        The set is empty for languages in which capitals do not mark names, such as German.
        """
        if self.english:
            return frozenset(map(str.lower, _name.findall(self.text)))
        if self.language in _EVERY_NOUN_HAS_A_CAPITAL:
            return frozenset()
        names = _capitalised.findall(self.text)
        return frozenset([name.lower() for name in names if name[0].isupper()])

    @cached_property
    def negates(self) -> bool:
        """Whether the sentence may have a negation (in English and German)."""
        return not negations(self.language).isdisjoint(self.words)

    @cached_property
    def clauses(self) -> list[list[str]]:
        """The words of each clause; a conjunction such as *if* begins one."""
        parts = [words_of(part) if self.english else split_words(part) for part in _clause.split(self.text)]
        clauses = list[list[str]]()
        for words in parts:
            starts = [place for place, word in enumerate(words) if word in CONJUNCTIONS]
            bounds = zip([0, *starts], [*starts, len(words)], strict=True)
            clauses += [words[start:end] for start, end in bounds]
        return clauses

    def denied(self, reach: int) -> frozenset[str]:
        """Return the content stems that the sentence negates wherever it uses them, among the ``reach`` nearest to each
        negation (:func:`denied_places`).
        """
        if not self.negates:
            return _NO_TERMS
        if reach not in self._denied:
            denied, affirmed, stems = set[str](), set[str](), terms_of(self.language)
            for words in self.clauses:
                places = denied_places(words, reach, self.language)
                for place, word in enumerate(words):
                    (denied if place in places else affirmed).add(stems[word])
            self._denied[reach] = frozenset(denied - affirmed)
        return self._denied[reach]

    @cached_property
    def near_negations(self) -> frozenset[str]:
        """The content stems within six words of a negation, or of a word such as *hardly*, in its clause."""
        near, stems = set[str](), terms_of(self.language)
        if not self.negates and NEAR_NEGATIONS.isdisjoint(self.words):
            return _NO_TERMS
        for words in self.clauses:
            signs = negation_places(words, self.language)
            for sign in signs + [place for place, word in enumerate(words) if word in NEAR_NEGATIONS]:
                near.update(words[max(0, sign - _NEGATION_WINDOW) : sign])
                near.update(words[sign + 1 : sign + 1 + _NEGATION_WINDOW])
        return frozenset([stems[word] for word in near]) - _NOTHING

    @cached_property
    def lacking(self) -> tuple[tuple[frozenset[str], frozenset[str]], ...]:
        """For each *without* or *free of*, the content stems of what it takes away, and those of the next six words."""
        return self._phrases(_WITHOUT)

    @cached_property
    def having(self) -> tuple[tuple[frozenset[str], frozenset[str]], ...]:
        """For each *with*, the content stems of the phrase after it, and those of the next six words."""
        return self._phrases(_WITH)

    @cached_property
    def unless(self) -> tuple[tuple[frozenset[str], frozenset[str]], ...]:
        """For each *unless*, the content stems of the phrase after it, and those of the next six words."""
        return self._phrases(_UNLESS)

    @cached_property
    def excepts(self) -> bool:
        """Whether the sentence names an exception."""
        return not EXCEPTIONS.isdisjoint(self.words) or "sei denn" in self.text

    @cached_property
    def conditions(self) -> frozenset[str]:
        """The content stems of the clauses that begin with a word such as *if*."""
        stems, clauses = terms_of(self.language), self.clauses
        terms = [stems[word] for words in clauses if words and words[0] in CONDITIONS for word in words[1:]]
        return frozenset(terms) - _NOTHING

    def _phrases(self, signs: Set[str]) -> tuple[tuple[frozenset[str], frozenset[str]], ...]:
        """Return for each of ``signs`` the content stems of the phrase after it, and those of the six words
        after it.
        """
        if signs.isdisjoint(self.words):
            return ()
        stems, found = terms_of(self.language), list[tuple[frozenset[str], frozenset[str]]]()
        nouns = frozenset[str]()
        if self.language in _EVERY_NOUN_HAS_A_CAPITAL:
            nouns = frozenset(map(str.lower, _capital.findall(self.text)))
        for words in self.clauses:
            for place, word in enumerate(words):
                before, after = words[max(0, place - 2) : place], words[place + 1 :][:_NEGATION_WINDOW]
                if word not in signs or " ".join(before) in _EITHER or before[-1:] in (["not"], ["nicht"]):
                    continue
                if word == "free" and not _free_of(after):
                    continue
                phrase = _phrase(after, nouns, self.language)
                if phrase:
                    found.append((phrase, frozenset([stems[word] for word in after]) - _NOTHING))
        return tuple(found)


class Text:
    """An analyzed text: its ``words`` in order (without citation marks), its ``vocabulary`` (their set),
    its content stems ``terms``, and its sentences.

    For languages other than English the same limits hold as for :class:`Sentence`.
    """

    def __init__(self, raw: str, language: str = "") -> None:
        self.raw = raw
        self.language = language
        self.english = is_english(language)
        plain = strip_citations(raw)
        self.words = words_of(plain) if self.english else split_words(plain)
        self.vocabulary = frozenset(self.words)
        self.terms = frozenset(map(terms_of(language).__getitem__, self.vocabulary)) - _NOTHING
        self.passages: dict[str, tuple[int, int, float]] = {}
        """By sentence, where the passage that shares most with it starts and ends, and how much of it that holds."""

    @cached_property
    def pieces(self) -> list[str]:
        """The sentences as texts, with their citation marks."""
        pieces = []
        for start, end in boundaries(self.raw):
            pieces.append(self.raw[start:end].strip())
        return pieces

    @cached_property
    def sentences(self) -> tuple[Sentence, ...]:
        """The analyzed sentences, one for each of ``pieces``."""
        sentence_list = []
        for text in self.pieces:
            cites = citations(text)
            plain = strip_citations(text) if cites else text
            sentence_list.append(Sentence(plain, cites, self.language))
        return tuple(sentence_list)

    @cached_property
    def starts(self) -> list[int]:
        """The place of each sentence's first word among the words."""
        starts, place = list[int](), 0
        for sentence in self.sentences:
            starts.append(place)
            place += len(sentence.words)
        return starts

    @cached_property
    def verbatim(self) -> frozenset[str]:
        """The words of each sentence, joined by spaces."""
        return frozenset([" ".join(sentence.words) for sentence in self.sentences])

    @cached_property
    def stems(self) -> list[str]:
        """The stem of each word in order; empty for stop words."""
        return list(map(terms_of(self.language).__getitem__, self.words))

    @cached_property
    def places(self) -> dict[str, list[int]]:
        """A mapping from each content stem to its positions among the words, in order."""
        places_by_term = dict[str, list[int]]()
        for place, term in enumerate(self.stems):
            if term:
                places_by_term.setdefault(term, []).append(place)
        return places_by_term

    @cached_property
    def numbers(self) -> tuple[Quantity, ...]:
        """The quantities in the text, in order."""
        return quantities(self.words) if self.english else other_quantities(self.words, self.language)

    def without(self, dropped: Set[int]) -> Text:
        """Return a new text without the sentences at these indices (from 0); the others are joined by blank
        lines.
        """
        kept = [piece for i, piece in enumerate(self.pieces) if i not in dropped]
        return Text("\n\n".join(kept), self.language)

    def count(self, cues: Set[str]) -> int:
        """Return how many words of the text are in ``cues``."""
        return sum(map(cues.__contains__, self.words))


def analysed(raw: str, language: str = "") -> Text:
    """Return the analyzed text of ``raw`` in a language (English if empty).

    The last 256 short texts are cached, since formats, samples and perturbed copies of an item share most
    texts.
    """
    return (_analysed if len(raw) <= _LONGEST_KEPT_TEXT else Text)(raw, language)


_analysed = lru_cache(maxsize=256)(Text)


_LONGEST_KEPT_TEXT = 10_000


def negations(language: str) -> frozenset[str]:
    """Return the words that negate in a language; an empty set if none are known."""
    return NEGATIONS_BY_LANGUAGE.get("en" if is_english(language) else language, _NO_TERMS)


def negation_places(clause: Sequence[str], language: str = "") -> list[int]:
    """Return the places of the words of a clause that negate what it states.

    Nothing is negated by ``not only``, ``no later than`` or ``do not forget to``. ``without`` before what is lacking
    is left to :attr:`Sentence.lacking`, and in ``not without`` neither negates.
    """
    signs, end = negations(language), len(clause) - 1
    return [
        place
        for place, word in enumerate(clause)
        if word in signs
        and (word not in _WITHOUT or place == end)
        and clause[place + 1 : place + 2] not in (["without"], ["ohne"])
        and NO_NEGATIONS.isdisjoint(clause[place + 1 : place + 2])
        and clause[place + 2 : place + 3] not in (["than"], ["als"])
    ]


def denied_places(clause: Sequence[str], reach: int, language: str = "") -> set[int]:
    """Return the places of the content words that a clause negates: the first ``reach`` among the six words
    after each negation, or the last ``reach`` before it where none follow (*refunds are not*).
    """
    places, signs, stems = set[int](), negations(language), terms_of(language)
    content = [place for place, word in enumerate(clause) if stems[word] and word not in signs]
    for sign in negation_places(clause, language):
        first, here, last = (
            bisect_right(content, sign + n) for n in (-_NEGATION_WINDOW, 0, _NEGATION_WINDOW)
        )
        places.update(content[here : min(here + reach, last)] or content[max(first, here - reach) : here])
    return places


def _free_of(words: Sequence[str]) -> bool:
    """Whether words go on after *free* as in *free of charge* (and not as in *free from Monday to Friday*)."""
    if words[:1] == ["from"]:
        return "to" not in words and not any(word[:1].isdigit() for word in words[1:2])
    return words[:1] == ["of"]


def _phrase(words: Sequence[str], nouns: Set[str], language: str) -> frozenset[str]:
    """The content stems of the phrase that words begin with: up to three, to the next function word or negation; a verb
    such as *waiting for* takes what follows it along. Where ``nouns`` are known, the first one ends it."""
    signs, stems, phrase, last = negations(language), terms_of(language), list[str](), ""
    for word in words:
        if word in signs or len(phrase) == _PHRASE:
            break
        if stems[word] and not (word.endswith("ing") and {word[:-3], f"{word[:-3]}e"} & STOP_WORDS):
            phrase.append(stems[word])
            last = word
            if word in nouns:
                break
        elif phrase and not (last.endswith("ing") and is_english(language)):
            break
    return frozenset(phrase)


_NEGATION_WINDOW = 6
_PHRASE = 3
_WITHOUT = frozenset({"without", "ohne", "free"})
_WITH = frozenset({"with", "mit"})
_UNLESS = frozenset({"unless"})
_capital = re.compile(r"\b[A-Z\u00c4\u00d6\u00dc]\w+")
_EITHER = frozenset({"with or", "with and", "whether or", "mit oder", "mit und"})
_NO_TERMS: frozenset[str] = frozenset()
_NOTHING = frozenset({""})


STEM = 5
"""The letters of a stem in languages other than English."""

SYLLABLES = 2
"""The syllables of a Korean stem: a character of Hangul is a syllable of two or three letters."""

_COMMA_IS_DECIMAL = frozenset(
    "de fr es pt ru it nl pl cs sk sv da no fi ro tr id uk bg el hu hr ca vi".split()
)
_EVERY_NOUN_HAS_A_CAPITAL = frozenset({"de", "lb"})

_SCALES = {
    "de": {1e3: "tausend tsd", 1e6: "mio million millionen", 1e9: "mrd milliarde milliarden"},
    "fr": {1e3: "mille", 1e6: "million millions", 1e9: "milliard milliards"},
    "es": {1e3: "mil", 1e6: "millón millones"},
    "pt": {1e3: "mil", 1e6: "milhão milhões", 1e9: "bilhão bilhões"},
    "ru": {1e3: "тыс тысяч тысячи", 1e6: "млн миллион миллиона миллионов", 1e9: "млрд миллиарда миллиардов"},
    "ar": {1e3: "ألف آلاف", 1e6: "مليون ملايين", 1e9: "مليار مليارات"},
    "hi": {1e3: "हज़ार हजार", 1e5: "लाख", 1e7: "करोड़", 1e9: "अरब"},
    "zh": {1e3: "千", 1e4: "万 萬", 1e8: "亿 億"},
    "ja": {1e3: "千", 1e4: "万", 1e8: "億"},
}
_article = re.compile(
    r"[\u0648\u0641\u0628\u0643]?\u0627\u0644(?=\w{3})|\u0644\u0644(?=\w{3})|\u0648(?=\w{4})"
)
"""*al-* with the conjunctions and prepositions written with it, as light10 takes them off (Larkey et al. 2002)."""
_hangul = re.compile("[\uac00-\ud7a3]")
_LONGEST = 15  # digits: a longer figure is cut, so that no number overflows
_GROUP = 3
_group = re.compile(r"[0-9]{3}(?:,[0-9]{1,15})?\Z")
_capitalised = re.compile(
    r"(?<!^)(?<![.!?:\"\u201c\u2018\u00ab\u201e\u00bf\u00a1(] )(?<![\"\u201c\u2018\u00ab\u201e\u00bf\u00a1(\n])"
    r"\b[^\W\d_][\w'\u2019-]+"
)


@lru_cache(maxsize=64)
def function_words(language: str) -> frozenset[str]:
    """Return the function words of a language (ISO 639-1 code); an empty set if none are known."""
    return frozenset(word for word, languages in FUNCTION_WORDS.items() if language in languages)


def other_stem(word: str) -> str:
    """Return the stem of a word in a language other than English: its first five letters.

    The article of an Arabic word is removed, a Korean word keeps two syllables, and numbers are unchanged.
    """
    if word[:1].isdigit():
        return word
    if _hangul.match(word):
        return word[:SYLLABLES]
    article = _article.match(word)
    return (word[article.end() :] if article else word)[:STEM]


def other_quantities(found: Sequence[str], language: str) -> tuple[Quantity, ...]:
    """Return the quantities among words of a language other than English, in order.

    A quantity is a number in figures, with the scale word that follows, if any (``6,7 Mio``, ``42``). Other
    words, and numbers in words, are left out.

    Args:
        found: the words of a sentence.
        language: its ISO 639-1 code.
    """
    scales: dict[str, float] = {}
    for scale, words in _SCALES.get(language, {}).items():
        scales |= dict.fromkeys(words.split(), scale)
    numbers, end = list[Quantity](), 0
    for place, word in enumerate(found):
        if place >= end and "0" <= word[0] <= "9":
            end = place + 1
            if language in _COMMA_IS_DECIMAL and len(word) <= _GROUP:
                while end < len(found) and _group.match(found[end]):
                    word += found[end]  # 1 940 000
                    end += 1
            figure, decimals = _value(word, language)
            following = found[end] if end < len(found) else ""
            scale = scales.get(following) or scales.get(
                following[:1] if language in ("zh", "ja") else "", 1.0
            )
            numbers.append(Quantity(figure * scale, "plain", word, figure, place, decimals))
    return tuple(numbers)


def _value(word: str, language: str) -> tuple[float, int]:
    """Return the number that a figure stands for, and how many decimals it has.

    A mark that occurs once separates decimals if it is the language's decimal mark; all other marks separate
    groups of digits.
    """
    decimal = "," if language in _COMMA_IS_DECIMAL else "."
    whole, _, fraction = word.rpartition(decimal)
    if not whole or word.count(decimal) > 1:
        whole, fraction = word, ""
    digits = "".join(filter(str.isdigit, whole))
    return float(f"{digits[:_LONGEST]}.{fraction[:_LONGEST]}"), len(fraction)
