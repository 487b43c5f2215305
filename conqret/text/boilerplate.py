"""Find sentences that are no evidence: advertising and page furniture, talk about the debate itself, and
orders to a judge.
"""

from __future__ import annotations

import re

from conqret.text.analysis import Text
from conqret.text.lexicons import DEBATE_TALK, PROMOTION_CUES

_ORDER_CUES = frozenset(
    "ignore disregard forget override replace replaced withdrawn rate score grade grading assign award "
    "evaluator evaluators assistant grader llm llms system".split()
)
_ORDER_OBJECTS = frozenset(
    "instruction instructions prompt rubric criteria everything maximum highest perfect relevance message document "
    "documents".split()
)
_order = re.compile(
    r"\b(?:ignore|disregard|forget|override|replaced?|withdrawn|set aside)\b.{0,60}\b(?:instructions?"
    r"|prompt|rubric|criteria)\b"
    r"|\b(?:instructions?|prompt|rubric|criteria)\b.{0,60}\b(?:withdrawn|replaced|overridden|void|ignored)\b"
    r"|\b(?:rate|score|grade|give|assign|award)\b.{0,40}\b(?:everything|maximum|highest|full|top|perfect)\b"
    r".{0,40}\b(?:relevan\w+|scores?|marks?|grades?|ratings?|five|ten|[0-9]+)\b"
    r"|\b(?:rate|score|grade)\b.{0,20}\b(?:document|argument|page|this|it|everything|all)\b.{0,20}\b(?:[0-9]+|five|ten)\b"
    r"|\b(?:maximum|highest|full|top|perfect) (?:relevance|score|rating|mark"
    r"|grade)s?\b.{0,60}\b(?:document|argument|page|text)\b"
    r"|\b(?:rate|score|grade|give|assign|award)\b.{0,40}\b(?:maximum|highest|full|top"
    r"|perfect)\b.{0,40}\b(?:document|argument|page)\b"
    r"|\b(?:evaluator|assistant|language model|ai model|llm|grader)s?\b.{0,40}\b(?:must|should|shall"
    r"|are to|evaluating|grading|reading)\b"
    r"|\bsystem (?:prompt|message)|\brelevance (?:check|score)\b|</?\s*(?:system|instructions?"
    r"|documents?|argument|topic)\b",
    re.IGNORECASE | re.DOTALL,
)
_promotion = re.compile(
    r"\bsubscribe|\bcookies?\b|\bnewsletter|\bvouchers?\b|\bcoupons?\b|\bgiveaway"
    r"|\badvert(?:isement)?\b|\bsponsored\b"
    r"|\bsign (?:up|in)\b|\blog in\b|\bpassword\b|\bclick (?:here|below|the)|\btap (?:here|the)"
    r"|\bjoin (?:us|now|today)"
    r"|\b(?:buy|order|shop|book) (?:now|today|online|yours)|\bdownload (?:the|our|now)|\bapp store"
    r"|\bfree (?:delivery|shipping|trial|gift)"
    r"|\babsolutely free|\bfree of charge|\b(?:save|up to|get)? ?[0-9]+ ?% off\b|\bdiscounts?\b"
    r"|\boffers? (?:ends?|expires?)"
    r"|\bwhile stocks last|\bterms (?:and conditions )?apply|\bour terms\b|\b(?:check ?out|basket"
    r"|cart)\b|\btags:|\bunsubscribe"
    r"|\blimited time|\bbestseller|\brefund|\bhashtag|\bspecial offer",
    re.IGNORECASE,
)
_small_talk = re.compile(
    r"\b(?:i|we) (?:gladly |happily |hereby |will |would like to )*accept\b|\bacceptance\b|\b(?:good"
    r"|best of) luck\b"
    r"|\b(?:first|second|third|fourth|last|final|1st|2nd|3rd|4th|5th|next|this|each) round\b"
    r"|\bround (?:one|two|three|four|five|[1-5])\b"
    r"|\bthank(?:s| you)?\b.{0,40}\b(?:debate|opponent|accept|challenge|response|argument|con\b|pro\b|round)"
    r"|\bmy opponent|\bbop\b|\bburden of proof|\bresolution\b|\bvot(?:e|ers?)\b.{0,20}\b(?:con|pro"
    r"|me)\b|\bforfeit"
    r"|\b(?:pro|con) (?:will|must|has to|should|can|may)\b|\bi(?:'| wi)ll (?:be arguing|argue|take"
    r"|let)\b|\brebut|\bthis debate",
    re.IGNORECASE,
)


_SPEAKERS = frozenset("i con pro opponent opponents debate i'll".split())


def boilerplate(text: Text) -> dict[str, frozenset[int]]:
    """Find boilerplate sentences: return a mapping from each kind to the indices (from 0) of its
    sentences.

    The kinds are ``order``, ``promotion`` and ``talk``; a sentence belongs to a kind if it matches one of
    its patterns. Patterns are tried only if the text has a cue word of the kind, which makes texts without
    any fast.
    """
    kinds: dict[str, frozenset[int]] = {}
    for kind, cues, objects, pattern in _KINDS:
        cues_present = cues & text.vocabulary
        if cues_present and not (objects and objects.isdisjoint(text.vocabulary)):
            hits = frozenset(
                [
                    i
                    for i, piece in enumerate(text.pieces)
                    if any(map(piece.lower().__contains__, cues_present)) and pattern.search(piece)
                ]
            )
            if hits:
                kinds[kind] = hits
    return kinds


_KINDS = (
    ("order", _ORDER_CUES, _ORDER_OBJECTS, _order),
    ("promotion", PROMOTION_CUES, frozenset[str](), _promotion),
    ("talk", DEBATE_TALK, _SPEAKERS, _small_talk),
)
