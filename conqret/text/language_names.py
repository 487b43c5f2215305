"""The languages that a file may name: their ISO 639-1 codes, ISO 639-2 codes and English names."""

from __future__ import annotations

import re

from conqret.errors import UnknownNameError

NAMES = {
    "af": "Afrikaans", "am": "Amharic", "ar": "Arabic", "az": "Azerbaijani", "be": "Belarusian", "bg": "Bulgarian",
    "bn": "Bengali", "bs": "Bosnian", "ca": "Catalan", "cs": "Czech", "cy": "Welsh", "da": "Danish", "de": "German",
    "el": "Greek", "en": "English", "es": "Spanish", "et": "Estonian", "eu": "Basque", "fa": "Persian", "fi": "Finnish",
    "fr": "French", "ga": "Irish", "gl": "Galician", "gu": "Gujarati", "he": "Hebrew", "hi": "Hindi", "hr": "Croatian",
    "hu": "Hungarian", "hy": "Armenian", "id": "Indonesian", "is": "Icelandic", "it": "Italian", "ja": "Japanese",
    "ka": "Georgian", "kk": "Kazakh", "km": "Khmer", "kn": "Kannada", "ko": "Korean", "lo": "Lao", "lt": "Lithuanian",
    "lv": "Latvian", "mk": "Macedonian", "ml": "Malayalam", "mn": "Mongolian", "mr": "Marathi", "ms": "Malay",
    "my": "Burmese", "ne": "Nepali", "nl": "Dutch", "no": "Norwegian", "pa": "Punjabi", "pl": "Polish",
    "ps": "Pashto", "pt": "Portuguese", "ro": "Romanian", "ru": "Russian", "si": "Sinhala", "sk": "Slovak",
    "sl": "Slovenian", "so": "Somali", "sq": "Albanian", "sr": "Serbian", "sv": "Swedish", "sw": "Swahili",
    "ta": "Tamil", "te": "Telugu", "th": "Thai", "tl": "Tagalog", "tr": "Turkish", "uk": "Ukrainian", "ur": "Urdu",
    "uz": "Uzbek", "vi": "Vietnamese", "yo": "Yoruba", "zh": "Chinese", "zu": "Zulu",
}  # fmt: skip
"""Code to English name."""

RIGHT_TO_LEFT = frozenset("ar dv fa he ps sd ug ur yi".split())
"""Codes of languages that are written from right to left."""

_ISO_639_2 = (
    "ara ar ces cs cze cs chi zh dan da deu de dut nl ell el eng en fas fa fin fi fra fr fre fr ger de gre el "
    "heb he hin hi hun hu ind id ita it jpn ja kor ko nld nl nob no nno no nor no per fa pol pl por pt ron ro rum ro "
    "rus ru slk sk spa es swe sv tha th tur tr ukr uk urd ur vie vi zho zh ben bn tam ta tel te cat ca hrv hr srp sr"
).split()
_OTHER_NAMES = {"nb": "no", "nn": "no", "iw": "he", "in": "id", "farsi": "fa", "mandarin": "zh", "cmn": "zh"}
_CODES = (
    {code: code for code in NAMES}
    | {name.lower(): code for code, name in NAMES.items()}
    | dict(zip(_ISO_639_2[::2], _ISO_639_2[1::2], strict=True))
    | _OTHER_NAMES
)
_tag = re.compile(r"([A-Za-z]{2,3})(?:[-_][A-Za-z0-9]{1,8}){0,4}")


def language_code(written: str) -> str | None:
    """The ISO 639-1 code of a language as it is written: a code (``de``, ``deu``), a tag (``pt-BR``, ``zh_Hans``) or
    an English name. A code of two or three letters that is not known here stays as it is; None: it is none of these."""
    written = written.strip().lower()
    if known := _CODES.get(written):
        return known
    tag = _tag.fullmatch(written)
    return _CODES.get(tag[1], tag[1]) if tag else None


def explanation_language(written: str) -> str:
    """The code of a language to explain in, as a user names it; empty where none is named.

    Raises:
        UnknownNameError: it is no language that has a name here.
    """
    code = language_code(written) if written.strip() else ""
    if code not in ("", *NAMES):
        raise UnknownNameError("language", written, NAMES.values())
    return code or ""
