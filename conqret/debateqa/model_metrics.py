"""Metrics of answers by a model: Dispute Awareness (does an answer say that its question is debatable? 1 or 0;
DebateQA, Equation 3), and the baselines Direct-Score, G-Eval and Num-of-POVs (B.1.2 and Table 10)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean
from typing import Annotated, Any, Literal

from pydantic import Field

from conqret.baseline.alignment import clip
from conqret.debateqa.scoring import SHOWN, AnswerCase, Figure, ScoringPrompt, model_name
from conqret.errors import check_known
from conqret.judging.responses import OneToFive, Typed, Whole
from conqret.judging.scales import ONE_TO_FIVE
from conqret.llm.client_options import backend_of
from conqret.llm.replies import rating_distribution
from conqret.llm.request import Reading, TokenLogprobs
from conqret.local.likelihoods import TargetScore
from conqret.prompts import RenderedPrompt
from conqret.runs.request_run import Run
from conqret.text.analysis import Sentence, Text, weight
from conqret.text.sentences import sentences

SHOTS = ("few-shot", "zero-shot", "table-13", "table-13-zero-shot")
"""The prompts; the paper advises five demonstrations (Table 15)."""
FIELD = "debated"
"""The name of the verdict in the answer and in the examples of the prompt."""
_CUES = re.compile(
    r"\b(debat\w*|controvers\w*|contentious\w*|contested|disput\w*|polari[sz]\w*|divisive|disagree\w*"
    r"|(?:opinions?|views?|people|experts) (?:are|is|differ|remain)\w* ?(?:divided|split|mixed)?"
    r"|no (?:consensus|agreed|single|definitive|simple|clear) ?(?:answer)?|both sides|subjective|depends on who)\b",
    re.IGNORECASE,
)


class Verdict(Typed):
    """1 where the answer says that the question is open to debate."""

    debated: Literal[0, 1]


def _verdict(verdict: Verdict, logprobs: Sequence[TokenLogprobs] | None) -> Figure:
    distribution = rating_distribution(logprobs, FIELD, (0, 1))
    return float(verdict.debated), "" if distribution is None else f"P(1) {distribution[1]:.4f}"


def awareness_question(shots: str) -> ScoringPrompt:
    """Return the question by which a model judges the Dispute Awareness of cases. The detail of a verdict is
    ``P(1) / (P(0) + P(1))``, where the model returns log-probabilities. A local model chooses the more probable of 0
    and 1.

    Raises:
        UnknownNameError: there is no such prompt.
    """
    check_known("prompt of dispute awareness", SHOTS, shots)
    return ScoringPrompt(
        f"dispute-awareness/{shots}",
        Verdict,
        _verdict,
        lambda case: {FIELD: int(_CUES.search(case.answer) is not None)},
        logprobs=True,
        reading=_reading,
    )


def instrument_name(model: str, shots: str) -> str:
    """Return the judge's name for tables, such as ``gpt-4o-mini, few-shot``.

    For a local model it ends with a part of its weights' digest: ``gpt2, few-shot (1a2b3c4d)``.
    """
    name, weights = backend_of(model).pinned(model)
    return f"{model}, {shots}" if weights is None else f"{model_name(name)}, {shots} ({weights[:SHOWN]})"


def _reading(rendered: RenderedPrompt) -> Reading:
    """Return the reading of 0 or 1 after the prompt and the beginning of an answer as the examples are written; the
    likelier one is the answer, and its token has the log-probabilities of both."""

    def likelier(rows: Sequence[Sequence[TargetScore]]) -> dict[str, int]:
        no, yes = _both(rows)
        return {FIELD: int(yes > no)}

    def logprobs(rows: Sequence[Sequence[TargetScore]]) -> tuple[TokenLogprobs, ...]:
        no, yes = _both(rows)
        token, certain = ("1" if yes > no else "0"), {"": 0.0}
        return (
            TokenLogprobs(f'{{"{FIELD}": ', certain),
            TokenLogprobs(token, {"0": no, "1": yes}),
            TokenLogprobs("}", certain),
        )

    context = f"{rendered.system}\n\n{rendered.user}\n\n{FIELD} = "
    return Reading(((context, ("0", "1")),), likelier, logprobs)


def _both(rows: Sequence[Sequence[TargetScore]]) -> tuple[float, float]:
    """log P(0) and log P(1), less the greater of the two: only their difference counts, and neither vanishes."""
    no, yes = (score.log_likelihood or 0.0 for score in rows[0])
    return no - max(no, yes), yes - max(no, yes)


MAX_VIEWS = 10
"""The most viewpoints that num-of-povs can count (DebateQA, Table 10)."""
SHORTEST_POINT = 5
"""Words from which a passage can state a viewpoint; below it stands a heading."""
SAME_POINT = 0.6
"""The share of a passage's content words that an earlier one must hold for both to be one viewpoint."""
HALF_VIEWS, HALF_EVIDENCE, HALF_WORDS = 3, 4, 120
"""Viewpoints beyond the first, sentences with evidence, and words at which their part of the grade is one half."""

_ITEM = re.compile(r"^\s*(?:[-*\u2022]|\(?\d{1,2}[.)])\s+\S")
_NESTED = re.compile(r"^\s{2,}")
_HEADING = re.compile(r"^\s*(?:#{1,6}\s|\*\*[^*]+\*\*:?\s*$)")
_MARKS = re.compile(r"[*_#`>]+")
_DISPUTE = frozenset(
    Sentence(
        "debate debatable controversy controversial contentious contested dispute disagreement disagree polarising "
        "polarizing divided divisive subjective"
    ).terms
)
_DISPUTE_PHRASES = re.compile(
    r"\b(?:both sides|different (?:views|opinions|perspectives)|no (?:consensus|(?:single|simple|definitive) answer)"
    r"|depends on)\b",
    re.IGNORECASE,
)
_TURN = re.compile(
    r"\b(?:some|others|supporters|proponents|advocates|defenders|opponents|critics|sceptics|skeptics|religious"
    r"|philosoph\w+|scientists|experts)\b[^.]{0,40}\b(?:say|argue|believe|hold|think|claim|maintain|point|see|view"
    r"|fear|warn|contend|feel|suggest|worry)\w*"
    r"|\b(?:on the other hand|on the one hand|in contrast|conversely|by contrast|from an? [\w-]+ (?:perspective"
    r"|point of view|standpoint))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class LexicalFeatures:
    """The lexical features of one answer to one question, from which the offline metrics are computed."""

    question: str
    answer: str

    @cached_property
    def viewpoints(self) -> int:
        """Return the number of distinct passages that state a viewpoint, 1 to :data:`MAX_VIEWS`.

        A passage is an item of the outer list. Without a list of at least two items, it is a sentence that
        attributes a view or turns to another side. A passage that shares most of its content words with an
        earlier one is the same viewpoint.
        """
        items = _items(self.answer)
        turns = [sentence.text for sentence in sentences(self.answer) if _TURN.search(sentence.text)]
        terms: list[frozenset[str]] = []
        for passage in items if len(items) > 1 else turns:
            sentence = Sentence(_MARKS.sub(" ", passage))
            if len(sentence.words) < SHORTEST_POINT or not sentence.terms:
                continue
            if all(len(sentence.terms & other) < SAME_POINT * len(sentence.terms) for other in terms):
                terms.append(sentence.terms)
        return min(MAX_VIEWS, max(1, len(terms)))

    @cached_property
    def criteria(self) -> dict[str, float]:
        """Return the prompt's criteria, each in [0, 1]: dispute, perspectives, and evidence for them.

        With s(x, h) = x / (x + h): dispute is 1 where a word or phrase of dispute occurs, else 0.
        Perspectives is s(viewpoints - 1, 3). Evidence is the mean of s(sentences with figures, citations or
        names, 4) and s(words, 120).
        """
        text = self._text
        backed = sum(
            bool(sentence.numbers or sentence.cites or sentence.names) for sentence in text.sentences
        )
        evidence = _share(backed, HALF_EVIDENCE) + _share(len(text.words), HALF_WORDS)
        named = bool(text.terms & _DISPUTE) or _DISPUTE_PHRASES.search(self.answer) is not None
        return {
            "dispute": float(named),
            "perspectives": _share(self.viewpoints - 1, HALF_VIEWS),
            "evidence": evidence / 2,
        }

    @cached_property
    def g_eval_criteria(self) -> dict[str, float]:
        """Return the criteria together with those that g-eval adds: relevance and clarity, each in [0, 1].

        Relevance is the share of the question's content words (common ones count half) that the answer
        contains. Clarity is ``1 - |words a sentence - 20| / 40``.
        """
        text = self._text
        wanted = {term: weight(term) for term in sorted(Sentence(self.question).terms)}
        held = sum(value for term, value in wanted.items() if term in text.terms)
        average = len(text.words) / max(1, len(text.sentences))
        return {
            **self.criteria,
            "relevance": held / sum(wanted.values()) if wanted else 0.0,
            "clarity": clip(1 - abs(average - 20) / 40),
        }

    @cached_property
    def _text(self) -> Text:
        return Text(_MARKS.sub(" ", self.answer))


def _items(answer: str) -> list[str]:
    """Return the items of the answer's lists, each with the lines below that belong to it. Of nested lists only the
    outer items count; a heading ends an item."""
    items: list[str] = []
    outer = any(_ITEM.match(line) and not _NESTED.match(line) for line in answer.splitlines())
    open_item = False
    for line in answer.splitlines():
        if _HEADING.match(line) and not _ITEM.match(line):
            open_item = False
        elif _ITEM.match(line) and not (outer and _NESTED.match(line)):
            items.append(line)
            open_item = True
        elif open_item and line.strip() and (_NESTED.match(line) or _ITEM.match(line)):
            items[-1] += "\n" + line
    return items


def _share(count: float, half: float) -> float:
    return count / (count + half)


CHOICES = tuple(range(ONE_TO_FIVE.low, ONE_TO_FIVE.high + 1))
WEIGHTED = "the mean over the rating's log-probabilities"
"""The detail of a g-eval rating for which the provider gave them; without, it is the rating as given."""


class Grade(Typed):
    """A grade from 1 to 5."""

    score: OneToFive


class ReasonedRating(Typed):
    """Reasoning along the steps, then the rating from 1 to 5 that follows."""

    reasoning: str
    rating: OneToFive


class Viewpoints(Typed):
    """How many viewpoints there are, 0 to 10."""

    viewpoints: Annotated[Whole, Field(ge=0, le=MAX_VIEWS)]


def _weighted(rated: ReasonedRating, logprobs: Sequence[TokenLogprobs] | None) -> Figure:
    """``sum over x of P(x) * x`` (G-Eval, Equation 1) where the provider gives log-probabilities, else the rating."""
    distribution = rating_distribution(logprobs, "rating", CHOICES)
    if distribution is None:
        return float(rated.rating), ""
    return sum(rating * share for rating, share in distribution.items()), WEIGHTED


def _reasoned(case: AnswerCase) -> Mapping[str, Any]:
    criteria = LexicalFeatures(case.question, case.answer).g_eval_criteria
    criteria_text = ", ".join(f"{name} {value:.2f}" for name, value in criteria.items())
    return {"reasoning": f"Counted: {criteria_text}.", "rating": ONE_TO_FIVE.rating(fmean(criteria.values()))}


QUESTIONS: Mapping[str, ScoringPrompt] = {
    "direct-score": ScoringPrompt(
        "baselines/direct-score",
        Grade,
        lambda grade, logprobs: (float(grade.score), ""),
        lambda case: {
            "score": ONE_TO_FIVE.rating(fmean(LexicalFeatures(case.question, case.answer).criteria.values()))
        },
    ),
    "g-eval": ScoringPrompt(
        "baselines/g-eval", ReasonedRating, _weighted, _reasoned, logprobs=True, tokens=300
    ),
    "num-of-povs": ScoringPrompt(
        "baselines/num-of-povs",
        Viewpoints,
        lambda counted, logprobs: (float(counted.viewpoints), ""),
        lambda case: {"viewpoints": LexicalFeatures(case.question, case.answer).viewpoints},
    ),
}


def instrument(name: str, run: Run[Any]) -> str:
    """Return the name of model and prompt version for tables, such as ``gpt-4o-mini, prompt v1``."""
    client = run.client()
    model = "offline, a lexical baseline" if client.baseline else client.model_id
    return f"{model}, prompt v{run.library[QUESTIONS[name].prompt].version}"
