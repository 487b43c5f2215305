"""The language of a text, as its ISO 639-1 code.

Three steps, cheapest first, on the first 500 characters:

1. The script: kana, hangul, Greek, Thai and others are one language's own; Arabic, Cyrillic and Devanagari are that of
   their largest language, but where letters or words of another one stand in the text.
2. Function words (``the``, ``der``, ``les``): the language that has clearly more of them than any other.
3. A model of letter sequences (py3langid, the extra ``languages``), only where function words do not decide. Without it
   the language with most function words counts, if there is one.

Hardly any English, German, French, Spanish, Portuguese, Russian, Arabic, Hindi, Chinese or Japanese text of two
sentences needs the third step (docs/results/languages.md).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from operator import itemgetter
from string import ascii_letters
from typing import TYPE_CHECKING

from conqret.errors import UnknownNameError
from conqret.text.lexicons import FUNCTION_WORDS, LETTERS, WORDS

if TYPE_CHECKING:
    from conqret.data.item import Item


NAMES: Mapping[str, str] = WORDS["languages"]
"""The English name of each language by its ISO 639-1 code."""

RIGHT_TO_LEFT = frozenset("ar dv fa he ps sd ug ur yi".split())
"""Codes of languages that are written from right to left."""

_CODES: Mapping[str, str] = {
    **dict(zip(NAMES, NAMES, strict=True)),
    **dict(zip(map(str.lower, NAMES.values()), NAMES, strict=True)),
    **WORDS["language_codes"],
}
_tag = re.compile(r"([A-Za-z]{2,3})(?:[-_][A-Za-z0-9]{1,8}){0,4}")


def language_code(written: str) -> str | None:
    """Return the ISO 639-1 code of a language, or None if ``written`` is not recognized.

    It may be a code (``de``, ``deu``), a tag (``pt-BR``, ``zh_Hans``) or an English name, in any case.
    Unknown codes of two or three letters are returned in lower case.
    """
    written = written.strip().lower()
    if known := _CODES.get(written):
        return known
    tag = _tag.fullmatch(written)
    return _CODES.get(tag[1], tag[1]) if tag else None


def explanation_language(written: str) -> str:
    """Return the code of the language to explain in, from a code or name; empty if ``written`` is blank.

    Raises:
        UnknownNameError: the language is unknown.
    """
    code = language_code(written) if written.strip() else ""
    if code not in ("", *NAMES):
        raise UnknownNameError("language", written, NAMES.values())
    return code or ""


_SAMPLE = 500
"""Characters that are looked at."""

ENGLISH = frozenset({"", "en"})
"""The language codes that are analyzed with English word lists; the empty one is that of a text too short
to tell.
"""

_MIN_LETTERS = 2
_MIN_LETTERS_FOR_MODEL = 25
"""Letters: of a shorter text a model's answer is a guess (``carbon tax`` is Galician to it)."""

_MIN_PROBABILITY = 0.9
_MIN_EVIDENCE, _CLEAR_LEAD, _MIN_GUESS = 1.0, 1.5, 0.5
"""Function words decide where the first language has so many, and so many times those of the second. A word that n
languages have counts 1/n for each. Where they do not decide and no model does, the first language needs half a word."""
_MIN_SIGNS = 2
"""Different function words that English has not, or letters, from which a text of Latin script is in another language:
one is also a word or a name in an English title (``War on Drugs``, ``Los Angeles``, ``pro and con``)."""

_noise = re.compile(
    r"https?://\S{1,300}|\[[^\]\n]{0,30}\]|【[^】\n]{0,30}】|(?<![A-Za-z])[A-Za-z]*+[0-9][A-Za-z0-9]*+"
    r"|['\u2019](?:ve|re|ll)\b|\b[A-Z]\."
)
_word = re.compile(r"[^\W\d_][^\W\d_\u0900-\u0963]*(?:[\u0900-\u0963][^\W\d_\u0900-\u0963]*)*")

_ascii_word = re.compile("[a-z]+")

_SCRIPTS = {
    "Latin": ("A-Za-z\u00aa\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u1e00-\u1eff", ""),
    "Cyrillic": ("\u0400-\u052f", "ru"),
    "Arabic": ("\u0620-\u064a\u066e-\u06d3\u06fa-\u06ff\u0750-\u077f\ufb50-\ufdff\ufe70-\ufefc", "ar"),
    "Devanagari": ("\u0904-\u0939\u0958-\u0961", "hi"),
    "Han": ("\u3005\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af", "zh"),
    "Kana": ("\u3041-\u3096\u30a1-\u30fa\u31f0-\u31ff\uff66-\uff9d", "ja"),
    "Hangul": ("\u1100-\u11ff\u3131-\u318e\uac00-\ud7a3", "ko"),
    "Greek": ("\u0370-\u03ff\u1f00-\u1fff", "el"),
    "Hebrew": ("\u05d0-\u05ea", "he"),
    "Thai": ("\u0e01-\u0e30", "th"),
    "Lao": ("\u0e81-\u0eb0", "lo"),
    "Khmer": ("\u1780-\u17b3", "km"),
    "Myanmar": ("\u1000-\u102a", "my"),
    "Georgian": ("\u10a0-\u10ff\u1c90-\u1cbf", "ka"),
    "Armenian": ("\u0531-\u0587", "hy"),
    "Bengali": ("\u0985-\u09b9", "bn"),
    "Gurmukhi": ("\u0a05-\u0a39", "pa"),
    "Gujarati": ("\u0a85-\u0ab9", "gu"),
    "Tamil": ("\u0b85-\u0bb9", "ta"),
    "Telugu": ("\u0c05-\u0c39", "te"),
    "Kannada": ("\u0c85-\u0cb9", "kn"),
    "Malayalam": ("\u0d05-\u0d39", "ml"),
    "Sinhala": ("\u0d85-\u0dc6", "si"),
    "Ethiopic": ("\u1200-\u135a", "am"),
}
"""The letters of each script, and the largest of its languages where there are not many."""
_NAMES = tuple(_SCRIPTS)
_LANGUAGE_OF_SCRIPT: dict[str, str] = {}
_groups = list[str]()
for _script, (_ranges, _largest) in _SCRIPTS.items():
    _groups.append(f"([{_ranges}]+)")
    if _largest:
        _LANGUAGE_OF_SCRIPT[_script] = _largest
_letters = re.compile("|".join(_groups))
_OWN_LETTERS = {
    "Cyrillic": (
        (re.compile("[\u045e\u040e]"), "be"),
        (re.compile("[\u0456\u0457\u0454\u0491\u0406\u0407\u0404\u0490]"), "uk"),
        (re.compile("[\u0453\u045c\u0455\u0403\u040c]"), "mk"),
        (re.compile("[\u0452\u045b\u0459\u045a\u045f\u0458]"), "sr"),
    ),
    "Arabic": (
        (re.compile("[\u0679\u0688\u0691\u06ba\u06d2\u06c1]"), "ur"),
        (re.compile("[\u067e\u0686\u0698\u06af\u06cc\u06a9]"), "fa"),
    ),
}
"""Letters that a script's largest language does not have: the first that stand in the text decide."""

_OF_SCRIPT = {"Cyrillic": frozenset("ru uk bg sr be mk".split()), "Devanagari": frozenset("hi mr ne".split())}
_LANGUAGES = LETTERS | FUNCTION_WORDS
"""The languages of each sign."""
_NO_LETTERS = bytes(range(128)).translate(None, ascii_letters.encode())
_KANA_SHARE = 0.05
"""The share of kana among the letters from which a text with Chinese characters is Japanese."""


def is_english(language: str) -> bool:
    """Return True if texts of this language are analyzed with English word lists."""
    return language in ENGLISH


def language_of(text: str, *, model: bool = True) -> str:
    """Detect the language of a text, and return its ISO 639-1 code; empty if it cannot be detected.

    Args:
        text: The text to analyze, of which the first 500 characters count. Citation marks, addresses and
            numbers in it are ignored.
        model: True to use py3langid (where installed) if script and function words do not identify the
            language.
    """
    return _language(text[:_SAMPLE], model)


def item_language(item: Item) -> str:
    """Return the ISO 639-1 code of an item's language; empty if it cannot be detected.

    The stated language is used first, else that of the arguments, the question, or the first document with
    a known one.
    """
    if item.language:
        return item.language
    arguments = "\n".join(filter(None, (item.argument, item.second_argument)))
    for text in (arguments, item.topic):
        if text and (language := language_of(text)):
            return language
    told = (document.language or language_of(document.text) for document in item.documents)
    return next(filter(None, told), "")


@lru_cache(maxsize=2048)
def _language(text: str, model: bool) -> str:
    text = _noise.sub(" ", text)
    script, letters = _main_script(text)
    if letters < _MIN_LETTERS:
        return ""
    if script not in ("Latin", *_OF_SCRIPT):
        return _by_letters(script, text)
    signs = _signs(text.lower())
    (first, most), (_, second) = _evidence(signs, _OF_SCRIPT.get(script))[:2]
    if script == "Latin" and first != "en":
        foreign = {
            sign for sign in signs if first in (languages := _LANGUAGES[sign]) and "en" not in languages
        }
        most = 0.0 if len(foreign) < _MIN_SIGNS else most
    if most >= max(_MIN_EVIDENCE, _CLEAR_LEAD * second):
        return first
    if script != "Latin":
        by_letters = _by_letters(script, text)
        return first if most > second and by_letters == _LANGUAGE_OF_SCRIPT[script] else by_letters
    if model and letters >= _MIN_LETTERS_FOR_MODEL and (by_model := _by_model()) is not None:
        language, probability = by_model(text)
        if probability >= _MIN_PROBABILITY:
            return str(language)
    return first if most >= _MIN_GUESS and most > second else ""


def _main_script(text: str) -> tuple[str, int]:
    """Return the script of most letters of a text (such as Latin, Han or Kana), and how many letters it has
    of that script.
    """
    if text.isascii():
        return "Latin", len(text.encode("ascii").translate(None, _NO_LETTERS))
    counts = dict.fromkeys(_NAMES, 0)
    for match in _letters.finditer(text):
        counts[_NAMES[(match.lastindex or 1) - 1]] += match.end() - match.start()
    east_asian = counts["Kana"] + counts["Han"]
    counts["Kana" if counts["Kana"] > _KANA_SHARE * east_asian else "Han"] = east_asian
    script = max(counts, key=counts.__getitem__)
    return script, counts[script]


def _by_letters(script: str, text: str) -> str:
    for letters, language in _OWN_LETTERS.get(script, ()):
        if letters.search(text):
            return language
    return _LANGUAGE_OF_SCRIPT[script]


def _signs(text: str) -> list[str]:
    """The function words of any language in a text in lower case, and the letters that only few languages have."""
    if text.isascii():
        return list(filter(FUNCTION_WORDS.__contains__, _ascii_word.findall(text)))
    signs = [*_word.findall(text), *(letter for letter in LETTERS if letter in text)]
    return [sign for sign in signs if sign in _LANGUAGES]


def _evidence(signs: Sequence[str], among: frozenset[str] | None) -> Sequence[tuple[str, float]]:
    """Return the languages with how many signs speak for each, the most first; a sign of several languages is divided
    among them. Only languages in ``among`` count (None: all). There are always at least two entries, empty ones if need
    be."""
    counts: dict[str, float] = {"": 0.0, "-": 0.0}
    for sign in signs:
        languages = _LANGUAGES[sign]
        share = 1 / len(languages)
        for language in languages:
            if among is None or language in among:
                counts[language] = counts.get(language, 0.0) + share
    return sorted(counts.items(), key=itemgetter(1), reverse=True)


@lru_cache(maxsize=1)
def _by_model() -> Callable[[str], tuple[str, float]] | None:
    """Return a function that gives the language of a text and its probability; None if py3langid is not installed."""
    try:
        from py3langid.langid import MODEL_FILE, LanguageIdentifier
    except ImportError:
        return None

    classify: Callable[[str], tuple[str, float]] = LanguageIdentifier.from_model_file(
        MODEL_FILE, norm_probs=True
    ).classify
    return classify
