"""Texts from outside are data: keep them inside their block of the prompt, and notice when they try to leave.

Our prompts mark where a text begins and ends with tags such as ``<document …>`` and ``</document>``. A text
that holds no ``<`` can neither close its own block nor open another, whatever else it says, so every
bracket that could be read as one is replaced by ``‹`` (one character for one: nothing grows). Characters
that people cannot see but models read (Unicode tags, zero-width marks, variation selectors) are removed.

:func:`find_injections` looks for texts that try all the same, and address the judge: orders to it, demands for a
rating, forged messages and markup. It is a smoke detector, not a wall: what it finds is shown beside the score, and
what it misses still stays inside its block of the prompt. It must be quiet over ordinary prose, so it looks for orders
about *this* material (``rate this document 5``) and not for words alone (critics rate, people ignore rules).

Cost: the words of a text are compared with those that can begin or mark such a passage, and a pattern is
tried only around one that is there: some 50 microseconds for 300 words.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from operator import attrgetter
from pathlib import Path
from string import ascii_lowercase
from typing import NamedTuple

ANGLES = "<\uff1c\ufe64\u276e\u276c\u2770\u2329\u27e8\u3008\u02c2\u1438"
"""What is or looks like an opening bracket of a tag."""

_QUOTE = "\u2039"
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
IGNORABLE = (
    r"\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0"
    r"\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""What Unicode calls default ignorable (DerivedCoreProperties, 16.0), for a class of a regular expression: nothing is
drawn for it. Without the soft hyphen, which web pages are full of, and U+FE00 to FE0F, which belong to emoji too."""

STRAY_SELECTOR = (
    r"[\ufe00-\ufe0f](?<![\xa9\xae\u203c\u2049\u2122\u2139\u2194-\u21aa\u231a-\u23ff\u24c2\u25aa-\u27bf\u2934\u2935"
    r"\u2b05-\u2b55\u3030\u303d\u3297\u3299\U0001f000-\U0001faff][\ufe0e\ufe0f])(?<![0-9#*]\ufe0f(?=\u20e3))"
)
"""A variation selector that chooses no form of an emoji: sixteen of them can spell a hidden sentence."""

_UNSEEN = rf"\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\xad\ufff9-\ufffb{IGNORABLE}"
_INVISIBLE = re.compile(rf"[{_UNSEEN}]|{STRAY_SELECTOR}")
_PERHAPS = re.compile(rf"[{_UNSEEN}\ufe00-\ufe0f]")

_USUAL = re.compile(r"[\t\n\r -;=-~\xa0-\xac\xae-\u02c1\u02c3-\u02ff\u2010-\u2027\u2030-\u205e]+")
"""What most texts consist of. Nothing in it is invisible or an angle, and to leave it out is ten times as quick as to
look for what is: only the few characters that remain are looked at."""
_USUAL_ASCII = "".join(filter(_USUAL.fullmatch, map(chr, range(128)))).encode()
"""Those of ASCII; to leave bytes out is quicker still."""


def neutralise(text: str) -> str:
    """Return ``text`` without what could open or close a block of the prompt: angle brackets are replaced,
    and control and invisible characters removed.
    """
    rare = _rare(text)
    if not rare:
        return text
    if text.isascii():
        return _CONTROL.sub("", text.replace("<", _QUOTE))
    for angle in ANGLES:
        if angle in rare:
            text = text.replace(angle, _QUOTE)
    return _INVISIBLE.sub("", text) if _PERHAPS.search(rare) else text


def visible(text: str) -> str:
    """Return ``text`` without characters that are invisible to readers."""
    return _INVISIBLE.sub("", text) if hides(text) else text


def hides(text: str) -> bool:
    """Return True if ``text`` may contain invisible characters: it has some, or a variation selector."""
    return _PERHAPS.search(_rare(text)) is not None


def _rare(text: str) -> str:
    """The text without what is usual."""
    data = text.encode("utf-8", "surrogatepass").translate(None, _USUAL_ASCII)
    return _USUAL.sub("", data.decode("utf-8", "surrogatepass")) if data else ""


EXCERPT_CHARACTERS = 160
"""How much of a suspicious passage is shown in a flag."""


@dataclass(frozen=True, slots=True)
class Injection:
    """A passage that looks like a prompt injection: its kind, the passage, and its start.

    The start is in characters of the text as readers see it.
    """

    kind: str
    excerpt: str
    start: int


class _Pattern(NamedTuple):
    """A pattern of ``injections.toml``, which must begin at one of its ``cues``, with its ``lead`` right before it."""

    kind: str
    cues: frozenset[str]
    pattern: re.Pattern[str]
    lead: re.Pattern[str] | None


_LEAD = 48
"""Characters in front of a cue in which its lead must stand."""

_text = re.sub(r"\n *\|", "|", Path(__file__).with_name("injections.toml").read_text(encoding="utf-8"))
_words: dict[str, str] = tomllib.loads(_text)["words"]
for _name, _word in _words.items():
    _text = _text.replace(f"%{_name}%", _word)
_PATTERNS = list[_Pattern]()
for _row in tomllib.loads(_text)["pattern"]:
    _lead = re.compile(rf"(?:{_row['lead']})\Z") if "lead" in _row else None
    _pattern = re.compile(rf"\b(?:{_row['pattern']})", re.DOTALL)
    _PATTERNS.append(_Pattern(_row["kind"], frozenset(_row["cues"].split()), _pattern, _lead))
_MARKUP = re.compile(
    r"(?:<|&lt;)\s*+(?:/\s*+)?(?:documents?|argument(?:_[12])?|topic|stance|nuggets|sentences|system|assistant|assessment\w*"
    r")\b[^<>]{0,40}>?"
    rf"|<!--[^<>]{{0,300}}?\b(?:ignore|grader|evaluator|{_words['AGENT']})"
)
_HTML = re.compile(
    r"(?:<|&lt;)\s*+(?:/\s*+)?(?:script|iframe)\b[^<>]{0,40}>?"
    r"|<[^<>]{0,200}?\b(?:on(?:error|load|click)\s*=|javascript:)"
)
_TEMPLATE = re.compile(r"\{\{.{0,200}?\}\}|\{%.{0,200}?%\}", re.DOTALL)
_RARE = rf"[{IGNORABLE}](?<![\u200b-\u200f\u2060\ufeff\U000e0000-\U000e007f])"
_HIDDEN = re.compile(  # tag characters (but for those of the flags of England, Scotland and Wales), overrides, runs
    r"(?<![\U0001F3F4\U000E0020-\U000E007E])[\U000E0000-\U000E007F]+|[\u202D\u202E]|[\u200B-\u200D\u2060\uFEFF]{3,}"
    rf"|{_RARE}(?:.{{0,9}}?{_RARE}){{2}}|(?:{STRAY_SELECTOR}){{2}}|[ -~](?:{STRAY_SELECTOR})"
)
_CUES = frozenset(map(str.encode, frozenset[str]().union(*map(attrgetter("cues"), _PATTERNS))))
_LETTERS = (b" " * 0x61 + ascii_lowercase.encode()).ljust(256)
_TO_ASCII = dict.fromkeys(map(ord, ANGLES), "<")


KEPT_TEXTS, KEPT_CHARACTERS = 1024, 10_000
"""What was found in so many texts, none of them longer, is kept: the same documents come with many items."""


def find_injections(text: str) -> tuple[Injection, ...]:
    """Return the prompt injections in ``text``, at most one of each kind, in text order.

    Kinds: ``override`` (requests to ignore instructions), ``demand`` (requests a rating), ``address`` (speaks
    to an AI grader), ``role`` (poses as a system message), ``markup`` (closes blocks of the prompt),
    ``template`` (Jinja syntax), ``hidden`` (invisible characters) and ``html`` (scripts of a web page, which
    target a browser and not the judge).
    """
    return _find_again(text) if len(text) <= KEPT_CHARACTERS else _find(text)


def _find(text: str) -> tuple[Injection, ...]:
    injection_by_kind: dict[str, Injection] = {}
    plain = text
    if not text.isascii():
        plain = unicodedata.normalize("NFKC", text)
        if hides(plain) or (plain != text and hides(text)):
            if match := _HIDDEN.search(text):
                excerpt = _excerpt(visible(text), match.start(), match.start() + 1)
                injection_by_kind["hidden"] = Injection("hidden", excerpt, match.start())
            plain = visible(plain)
    lowered = plain.lower()
    if not plain.isascii():
        plain = plain if len(plain) == len(lowered) else lowered
        if any(angle in lowered for angle in ANGLES[1:]):
            lowered = lowered.translate(_TO_ASCII)
    words = _CUES.intersection(lowered.encode("utf-8", "replace").translate(_LETTERS).split())
    if words:
        present = {word.decode() for word in words}
        for pattern in _PATTERNS:
            if pattern.kind not in injection_by_kind and (cues := pattern.cues & present):
                _keep(injection_by_kind, pattern.kind, plain, _first(pattern, cues, lowered))
    if "<" in lowered or "&lt;" in lowered:
        _keep(injection_by_kind, "markup", plain, _MARKUP.search(lowered))
        _keep(injection_by_kind, "html", plain, _HTML.search(lowered))
    if "{{" in lowered or "{%" in lowered:
        _keep(injection_by_kind, "template", plain, _TEMPLATE.search(lowered))
    return tuple(sorted(injection_by_kind.values(), key=lambda injection: injection.start))


_find_again = lru_cache(KEPT_TEXTS)(_find)


def _first(pattern: _Pattern, cues: frozenset[str], lowered: str) -> re.Match[str] | None:
    """Return the first passage of ``lowered`` that begins with one of ``cues`` and fits the pattern (and has its lead
    before it, if it needs one); None if there is none."""
    first = None
    for cue in cues:
        at = lowered.find(cue)
        while at >= 0 and (first is None or at < first.start()):
            match = pattern.pattern.match(lowered, at)
            if match and (pattern.lead is None or pattern.lead.search(lowered[max(0, at - _LEAD) : at])):
                first = match
            at = lowered.find(cue, at + len(cue))
    return first


def _keep(injection_by_kind: dict[str, Injection], kind: str, text: str, match: re.Match[str] | None) -> None:
    if match is not None:
        injection_by_kind[kind] = Injection(kind, _excerpt(text, match.start(), match.end()), match.start())


def _excerpt(text: str, start: int, end: int) -> str:
    room = max(0, EXCERPT_CHARACTERS - (end - start)) // 2
    excerpt = " ".join(text[max(0, start - room) : min(len(text), max(end, start + 1) + room)].split())
    return excerpt[:EXCERPT_CHARACTERS]
