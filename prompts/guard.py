"""Texts from outside are data: keep them inside their block of the prompt, and notice when they try to leave.

Our prompts mark where a text begins and ends with tags such as ``<document …>`` and ``</document>``. A text
that holds no ``<`` can neither close its own block nor open another, whatever else it says, so every
bracket that could be read as one is replaced by ``‹`` (one character for one: nothing grows). Characters
that people cannot see but models read (Unicode tags, zero-width marks) are removed.

:func:`find_injections` looks for texts that address the judge. It is a smoke detector, not a wall: what it
finds is shown beside the score, and what it misses still stays inside its block.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_ANGLES = ("<", "\uff1c", "\ufe64", "\u276e", "\u2329", "\u27e8", "\u3008")
_QUOTE = "\u2039"
_CONTROL = bytes(code for code in (*range(0x20), 0x7F) if chr(code) not in "\t\n\r")
_INVISIBLE = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\U000e0000-\U000e007f]"
)

EXCERPT_CHARACTERS = 160
"""How much of a suspicious passage is shown in a flag."""


def neutralise(text: str) -> str:
    """Return ``text`` without any character that could end or open a block of the prompt."""
    if text.isascii():
        return text.encode().translate(None, _CONTROL).decode().replace("<", _QUOTE)
    for angle in _ANGLES:
        text = text.replace(angle, _QUOTE)
    return _INVISIBLE.sub("", text)


@dataclass(frozen=True, slots=True)
class Injection:
    """A passage that addresses the judge: its kind, the passage, and where it starts (in characters)."""

    kind: str
    excerpt: str
    start: int


@dataclass(frozen=True, slots=True)
class _Pattern:
    """``pattern`` is tried only where one of the ``cues`` occurs in the lower-cased text: cues are cheap."""

    kind: str
    cues: tuple[str, ...]
    pattern: re.Pattern[str]


def _pattern(kind: str, cues: str, pattern: str) -> _Pattern:
    return _Pattern(kind, tuple(cues.split("|")), re.compile(pattern, re.IGNORECASE | re.DOTALL))


_PATTERNS = (
    _pattern(
        "override",
        "ignore|disregard|forget|override|overrule|bypass|set aside",
        r"\b(?:ignore|disregard|forget|override|overrule|bypass|set aside)\b[^.!?\n]{0,60}?"
        r"\b(?:instructions?|prompts?|rules|guidelines|rubrics?|criteria|directives?|system messages?)\b",
    ),
    _pattern(
        "demand",
        "rate|score|grade|assign|award|give|return|output|mark",
        r"\b(?:rate|score|grade|assign|award|give|return|output|mark)\b[^.!?\n]{0,60}?"
        r"(?:\b(?:top|highest|maximum|max(?:imal)?|full|perfect|best)\b[^.!?\n]{0,20}?\b(?:scores?|ratings?|marks?|grades?|points)\b"
        r"|\b(?:everything|all (?:documents|metrics|dimensions|criteria|of them)|each (?:document|metric|dimension)|it|this|them)\b"
        r"[^.!?\n]{0,30}?\b(?:10|[1-5])(?:\s*(?:/|out of)\s*(?:10|5))?\b(?!\s*(?:%|percent|per cent|,\d)))",
    ),
    _pattern(
        "address",
        "evaluator|grader|judge|language model|llm|assistant|ai system|ai model|a.i.| ai ",
        r"\b(?:note|attention|message|instructions?|notice|dear|reminder|to)\b[^.!?\n]{0,25}?"
        r"\b(?:(?:ai|llm|automated|automatic|machine)[\s-]+(?:evaluators?|graders?|judges?|reviewers?|raters?|assistants?|systems?|models?|agents?)"
        r"|language models?|llms?)\b",
    ),
    _pattern(
        "role",
        "you are now|system:|system prompt|system message|[inst]|<|im_|assistant:|[system]|###",
        r"\byou are now\b|(?:^|\n)\s*\W{0,4}(?:system|assistant)\W{0,3}:|\[/?inst\]|\[system\]|<\|[a-z_]+\|>|###\s*(?:system|instruction)"
        r"|\b(?:new|updated|hidden|begin|end)\s+system\s+(?:prompt|message)",
    ),
    _pattern(
        "markup",
        "<",
        r"<\s*/\s*(?:document|documents|argument|argument_1|argument_2|topic|stance|nuggets|sentences)\b[^>]{0,40}>?"
        r"|<\s*script\b|<\s*iframe\b|\bon(?:error|load|click)\s*=|javascript:|<!--[^>]{0,200}?\b(?:ignore|rate|score|grader|evaluator)\b",
    ),
    _pattern("template", "{{|{%", r"\{\{.{0,200}?\}\}|\{%.{0,200}?%\}"),
)
_HIDDEN = re.compile(r"[\U000E0000-\U000E007F]+|[\u202A-\u202E\u2066-\u2069]|[\u200B\u2060]{3,}")


def find_injections(text: str) -> tuple[Injection, ...]:
    """Return the passages of ``text`` that address the judge, at most one of each kind, in text order.

    Kinds: ``override`` (asks to ignore instructions), ``demand`` (asks for a rating), ``address`` (speaks to
    an AI grader), ``role`` (poses as a system message), ``markup`` (closes our blocks, or scripts),
    ``template`` (Jinja syntax) and ``hidden`` (characters that people cannot see).
    """
    lowered = text.lower()
    found = []
    for kind in _PATTERNS:
        if any(cue in lowered for cue in kind.cues) and (match := kind.pattern.search(text)):
            found.append(_injection(kind.kind, text, match.start(), match.end()))
    if not text.isascii() and (match := _HIDDEN.search(text)):
        found.append(_injection("hidden", text, match.start(), match.end()))
    return tuple(sorted(found, key=lambda injection: injection.start))


def _injection(kind: str, text: str, start: int, end: int) -> Injection:
    room = max(0, EXCERPT_CHARACTERS - (end - start)) // 2
    excerpt = " ".join(text[max(0, start - room) : min(len(text), max(end, start + 1) + room)].split())
    return Injection(kind, excerpt[:EXCERPT_CHARACTERS], start)
