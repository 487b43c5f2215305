"""Sentences that are no evidence: advertising, page furniture, debate small talk, orders to a judge."""

from __future__ import annotations

import re
from collections.abc import Set

from conqret.llm.offline.lexicons import DEBATE_TALK, PROMOTION_CUES
from conqret.llm.offline.text import Text

_ORDER_CUES = frozenset(
    "ignore disregard forget override rate rating score grade assistant judge evaluator instruction instructions "
    "prompt system relevance".split()
)
_order = re.compile(
    r"\b(?:ignore|disregard|forget|override)\b.{0,60}\b(?:instruction|prompt|previous|above|earlier|prior|rubric|criteria)"
    r"|\b(?:rate|score|grade|give|assign|award|mark|return|output)\b.{0,60}\b(?:everything|all|maximum|highest|full|top|perfect|"
    r"five|ten|[0-9]+)\b(?=.{0,40}(?:\b(?:relevan|document|argument|score|mark|rating|ground|everything|dimension|out of)|[.!]?$))"
    r"|\b(?:evaluator|assistant|language model|ai model|llm|judge)s?\b.{0,40}\b(?:must|should|shall|are to|note|rate|score|give|:)"
    r"|\bsystem\s*(?:prompt|message|:)|</?\s*(?:system|instructions?|document|argument|topic)\b",
    re.IGNORECASE | re.DOTALL,
)
_promotion = re.compile(
    r"\bsubscribe|\bcookies?\b|\bnewsletter|\bvouchers?\b|\bcoupons?\b|\bgiveaway|\badvert(?:isement)?\b|\bsponsored\b"
    r"|\bsign (?:up|in)\b|\blog in\b|\bpassword\b|\bclick (?:here|below|the)|\btap (?:here|the)|\bjoin (?:us|now|today)"
    r"|\b(?:buy|order|shop|book) (?:now|today|online|yours)|\bdownload (?:the|our|now)|\bapp store|\bfree (?:delivery|shipping|trial|gift)"
    r"|\babsolutely free|\bfree of charge|\b(?:save|up to|get)? ?[0-9]+ ?% off\b|\bdiscounts?\b|\boffers? (?:ends?|expires?)"
    r"|\bwhile stocks last|\bterms (?:and conditions )?apply|\bour terms\b|\b(?:check ?out|basket|cart)\b|\btags:|\bunsubscribe"
    r"|\blimited time|\bbestseller|\brefund|\bhashtag|\bspecial offer",
    re.IGNORECASE,
)
_small_talk = re.compile(
    r"\b(?:i|we) (?:gladly |happily |hereby |will |would like to )*accept\b|\bacceptance\b|\b(?:good|best of) luck\b"
    r"|\b(?:first|second|third|fourth|last|final|1st|2nd|3rd|4th|5th|next|this|each) round\b|\bround (?:one|two|three|four|five|[1-5])\b"
    r"|\bthank(?:s| you)?\b.{0,40}\b(?:debate|opponent|accept|challenge|response|argument|con\b|pro\b|round)"
    r"|\bmy opponent|\bbop\b|\bburden of proof|\bresolution\b|\bvot(?:e|ers?)\b.{0,20}\b(?:con|pro|me)\b|\bforfeit"
    r"|\b(?:pro|con) (?:will|must|has to|should|can|may)\b|\bi(?:'| wi)ll (?:be arguing|argue|take|let)\b|\brebut|\bthis debate",
    re.IGNORECASE,
)


def boilerplate(text: Text) -> dict[str, frozenset[int]]:
    """The numbers (from 0) of the sentences of each kind: ``order``, ``promotion`` and ``talk``.

    A sentence counts when a pattern of the kind is in it. Patterns are tried only where the text has a cue
    word of the kind, so that a text without any costs next to nothing.
    """
    words = text.words.keys()
    kinds: dict[str, frozenset[int]] = {}
    for kind, cues, pattern in _KINDS:
        if not cues.isdisjoint(words):
            hits = frozenset(
                [i for i, s in enumerate(text.sentences) if not cues.isdisjoint(s.words) and pattern.search(s.text)]
            )
            if hits:
                kinds[kind] = hits
    return kinds


_KINDS: tuple[tuple[str, Set[str], re.Pattern[str]], ...] = (
    ("order", _ORDER_CUES, _order),
    ("promotion", PROMOTION_CUES, _promotion),
    ("talk", DEBATE_TALK, _small_talk),
)
