"""counter-argument: how well a counter-argument is made, by the rubric for writers of debates (Parrish et al. 2022).

Table 3 has three columns, each from 1 to 5.

The item's argument is the counter-argument, its second argument the one that is answered, and its documents are the
passage, if it is there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from conqret.data import Item, Measure
from conqret.judging.judge_parts import Case, Judge, JudgePrompt, JudgeReply
from conqret.judging.responses import OneToFive, Typed
from conqret.judging.scales import ONE_TO_FIVE, rated
from conqret.text.citations import citations
from conqret.text.text_passages import support

METRICS = ("convincing", "snippets", "addresses")
"""The three columns of Table 3."""

_LISTED = re.compile(r"^\(#\d+\) (.+)$", re.MULTILINE)
_QUOTED = re.compile(
    r"[\"\u201c\u201e]([^\"\u201c\u201d\u201e]{3,500})[\"\u201c\u201d]"
    r"|\u00ab([^\u00ab\u00bb]{3,500})\u00bb|\u300c([^\u300c\u300d]{3,500})\u300d"
)


class Grades(Typed):
    """An explanation, then three grades; no grade for snippets where there are none."""

    explanation: str
    convincing: OneToFive
    snippets: OneToFive | None
    addresses: OneToFive


def score(reply: JudgeReply[Grades], case: Case) -> Mapping[str, Measure]:
    """Compute (grade - 1) / 4 for each of the grades."""
    rating = reply.value
    return {name: rated(ONE_TO_FIVE, getattr(rating, name), rating.explanation) for name in METRICS}


def baseline(case: Case) -> dict[str, Any]:
    """Return the baseline's grades of the counter-argument (``argument``), from shared words.

    ``convincing`` is the share of its words in the passage, or in its snippets without a passage.
    ``snippets`` is the share of its words in the snippets. ``addresses`` is twice the share of the answered
    argument's words (``second_argument``) that it takes up, at most 1.
    """
    item = case.item
    counter, answered = item.argument or "", item.second_argument or ""
    brought = "\n".join(_snippets(item))
    passage = "\n".join(document.text for document in item.documents) or brought
    language = case.evidence.language
    grades = {
        "convincing": support(counter, passage, language),
        "snippets": support(_LISTED.sub("", counter), brought, language) if brought else None,
        "addresses": min(1.0, 2 * support(answered, counter, language)),
    }
    return {
        "explanation": "by the words that it shares with the passage, its snippets and the argument",
        **{name: None if unit is None else ONE_TO_FIVE.rating(unit) for name, unit in grades.items()},
    }


def _snippets(item: Item) -> list[str]:
    """Return the snippets that the counter-argument lists; if it lists none, what it quotes and the documents
    that it cites.
    """
    counter = item.argument or ""
    cited = [item.documents[n - 1].text for n in citations(counter) if 1 <= n <= len(item.documents)]
    quoted = [match.group(match.lastindex or 0) for match in _QUOTED.finditer(counter)]
    return _LISTED.findall(counter) or [*quoted, *cited]


JUDGE = Judge(
    name="counter-argument",
    summary="a counter-argument of a debate: convincing, use of its snippets, and how it answers the argument",
    scale=str(ONE_TO_FIVE),
    score="(grade - 1) / 4; no score for snippets where there are none",
    source="Parrish et al. 2022 (two-turn debate), Table 3",
    judge_prompts=(
        JudgePrompt(
            prompt="counter-argument",
            metrics=METRICS,
            needs=frozenset({"argument", "second_argument"}),
            optional=frozenset({"documents"}),
            response=Grades,
            score=score,
            baseline=baseline,
        ),
    ),
)
