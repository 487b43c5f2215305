"""The fifteen dimensions of argument quality (Wachsmuth et al. 2017), from cues that can be counted.

Cogency, effectiveness and reasonableness are fitted on human ratings (:class:`LinearModel`); the eleven under
them are made by hand.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from conqret.baseline.alignment import Finding, clip
from conqret.text import lexicons as lex
from conqret.text.analysis import Text

WIDEST = 3.0
"""The standard deviations to which a feature is clipped: one "you" is a third of a text of three words."""


@dataclass(frozen=True)
class LinearModel:
    """A linear model of text features: ``score = intercept + sum(weight * z)``.

    ``z = (x - mean) / sd`` is a feature's standardized value, clipped to [-3, 3]. The score is in log-odds.
    It is the log-odds of a preference as the difference of two texts' scores, or of the quality of one text.
    """

    intercept: float
    weights: Mapping[str, float]
    mean: Mapping[str, float]
    sd: Mapping[str, float]

    def score(self, features: Mapping[str, float]) -> float:
        """Return the log-odds of a text with these features (a mapping from feature name to value).

        Raises:
            KeyError: a feature that has a weight is missing.
        """
        parts = []
        for name, weight in self.weights.items():
            deviation = (features[name] - self.mean[name]) / self.sd[name]
            parts.append(weight * max(-WIDEST, min(WIDEST, deviation)))
        return self.intercept + math.fsum(parts)


def logistic(log_odds: float) -> float:
    """Return the probability ``1 / (1 + exp(-log_odds))``."""
    return 1 / (1 + math.exp(-log_odds))


@cache
def fitted() -> Mapping[str, LinearModel]:
    """Return the fitted linear models by name: preference, cogency, effectiveness and reasonableness."""
    held = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    scale = held["features"]
    mean, sd, models = dict[str, float](), dict[str, float](), dict[str, LinearModel]()
    for name, statistics in scale.items():
        mean[name], sd[name] = statistics["mean"], statistics["sd"]
    for name, model in held["models"].items():
        models[name] = LinearModel(model["intercept"], model["weights"], mean, sd)
    return models


WEIGHTS = Path(__file__).with_name("fitted.json")
"""The file with the weights, the scale of the features, and where they come from."""


ENOUGH_WORDS = 200
"""More words than these count no further: above, human ratings hardly rise with length (Spearman .08 among
the longest fifth of Webis-ArgQuality-20), and padding would be rewarded.
"""

_RUDE = (lex.ABUSE | lex.SLANG) - lex.FIRST_PERSON - lex.SECOND_PERSON


def surface(text: Text) -> dict[str, float]:
    """Compute the surface features of ``text``: a mapping from feature name to a number of at least 0.

    log_words: natural logarithm of the number of words, 1 to 200. word_length: characters per word.
    questions, exclamations: question and exclamation marks per sentence. small_starts: share of the sentences
    that begin with a small letter. first_person, second_person, rude_words (abuse and slang): per hundred
    words.
    """
    words = max(1, len(text.words))
    pieces = text.pieces
    sentences = max(1, len(pieces))
    small = 0
    for piece in pieces:
        small += piece[:1].islower()
    return {
        "log_words": math.log(min(words, ENOUGH_WORDS)),
        "word_length": sum(map(len, text.words)) / words,
        "questions": text.raw.count("?") / sentences,
        "exclamations": text.raw.count("!") / sentences,
        "small_starts": small / sentences,
        "first_person": 100 * text.count(lex.FIRST_PERSON) / words,
        "second_person": 100 * text.count(lex.SECOND_PERSON) / words,
        "rude_words": 100 * text.count(_RUDE) / words,
    }


def dimensions(text: Text, relevance: float, grounded: float | None) -> dict[str, Finding]:
    """Compute the fifteen dimensions of argument quality from counted cues: by name, each in [0, 1].

    Terms: s(x, h) = x / (x + h), where x is a count, or for E, H, B, A, L and P a count per hundred words.
    R relevance; G groundedness (1/2 if ``grounded`` is None: no documents); I = s(inference markers, 2);
    D = s(discourse markers, 3); K = s(concession markers, 2); V = s(sentences with figures + sentences that
    cite + half of those with names, 4); X = s(words, 60); M = s(sentences, 5); B = s(absolutes, 2);
    H = s(hedges, 2); E = s(words of emotion, 2); P = s(first and second person, 4); A = s(abuse and slang, 1);
    L = s(exclamation marks and words in capitals, 1); C = 1 - 0.6 A - 0.4 L (civility);
    W = 1 - |words a sentence - 20| / 40, at least 0 (readability).

    local_acceptability  = G/2 + (1 - B)/4 + C/4            local_relevance    = 0.6 R + 0.4 I
    local_sufficiency    = 0.4 V + 0.3 I + 0.3 X            credibility        = 0.4 V + 0.3 G + 0.3 C
    emotional_appeal     = 0.3 + 0.4 E + 0.15 L + 0.15 P    clarity            = W/2 + (1 - A)/4 + R/4
    appropriateness      = 0.8 C + 0.2 X                    arrangement        = 0.5 D + 0.3 M + 0.2 W
    global_acceptability = 0.5 C + 0.3 G + 0.2 H            global_relevance   = 0.5 R + 0.3 V + 0.2 X
    global_sufficiency   = 0.6 K + 0.4 X
    The weights of these eleven were set by hand, not fitted.

    cogency, effectiveness and reasonableness = (F + G + R)/3, or F without documents. F is the share of
    arguments in the two training sets whose surface features score lower. Their annotators saw no documents,
    so the weights of G and R were set by hand. overall_quality is the mean of the three.
    """
    raw = text.raw
    n = max(1, len(text.words))
    m = max(1, len(text.sentences))

    def times(count: float, half: float) -> float:
        return count / (count + half)

    numbers = cited = names = 0
    for sentence in text.sentences:
        numbers += bool(sentence.numbers)
        cited += bool(sentence.cites)
        names += bool(sentence.names)
    abuse, shouting = text.count(lex.ABUSE) + text.count(lex.SLANG), raw.count("!")
    for word in filter(str.isupper, raw.split()):
        shouting += len(word) > 3
    extent = times(n, 60)
    concluding, weighing = text.count(lex.INFERENCE_MARKERS), text.count(lex.CONCESSION_MARKERS)
    ordering = text.count(lex.DISCOURSE_MARKERS)
    inference, concession, discourse = times(concluding, 2), times(weighing, 2), times(ordering, 3)
    absolutes = times(100 * text.count(lex.ABSOLUTES) / n, 2)
    hedges = times(100 * text.count(lex.HEDGES) / n, 2)
    emotion = times(100 * text.count(lex.EMOTION_WORDS) / n, 2)
    persons = times(100 * text.count(lex.FIRST_AND_SECOND_PERSON) / n, 4)
    slanging = times(100 * abuse / n, 1)
    loud = times(100 * shouting / n, 1)
    evidence = times(numbers + cited + 0.5 * names, 4)
    average = n / m
    readable = clip(1 - abs(average - 20) / 40)
    truth = 0.5 if grounded is None else grounded
    civil = clip(1 - 0.6 * slanging - 0.4 * loud)

    values = {
        "local_acceptability": 0.5 * truth + 0.25 * (1 - absolutes) + 0.25 * civil,
        "local_relevance": 0.6 * relevance + 0.4 * inference,
        "local_sufficiency": 0.4 * evidence + 0.3 * inference + 0.3 * extent,
        "credibility": 0.4 * evidence + 0.3 * truth + 0.3 * civil,
        "emotional_appeal": 0.3 + 0.4 * emotion + 0.15 * loud + 0.15 * persons,
        "clarity": 0.5 * readable + 0.25 * (1 - slanging) + 0.25 * relevance,
        "appropriateness": 0.8 * civil + 0.2 * extent,
        "arrangement": 0.5 * discourse + 0.3 * times(m, 5) + 0.2 * readable,
        "global_acceptability": 0.5 * civil + 0.3 * truth + 0.2 * hedges,
        "global_relevance": 0.5 * relevance + 0.3 * evidence + 0.2 * extent,
        "global_sufficiency": 0.6 * concession + 0.4 * extent,
    }
    abused = 1 - civil
    told = {
        "local_acceptability": f"Borne out by its documents to {truth:.2f}; sweeping words weigh {absolutes:.2f}, "
        f"abuse {abused:.2f}.",
        "local_relevance": f"On topic to {relevance:.2f}; {concluding} words that draw a conclusion.",
        "local_sufficiency": f"{numbers} sentences with figures, {cited} with citations, {n} words.",
        "credibility": f"{cited} sentences cite, {numbers} give figures; groundedness {truth:.2f}; civility "
        f"{civil:.2f}.",
        "emotional_appeal": f"{text.count(lex.EMOTION_WORDS)} words of feeling, {raw.count('!')} exclamation marks.",
        "clarity": f"{average:.0f} words a sentence.",
        "appropriateness": f"{abuse} words of abuse or slang, {shouting} of shouting.",
        "arrangement": f"{ordering} words that order the argument in {m} sentences.",
        "global_acceptability": f"Civility {civil:.2f}, groundedness {truth:.2f}, {text.count(lex.HEDGES)} hedges.",
        "global_relevance": f"On topic to {relevance:.2f}, with evidence {evidence:.2f}.",
        "global_sufficiency": f"{weighing} words that weigh the other side.",
    }
    counted = surface(text)
    models = fitted()
    for key in FITTED:
        share = values[key] = logistic(models[key].score(counted))
        told[key] = f"By length, words and tone ahead of {share:.0%} of real arguments."
        if grounded is not None:
            values[key] = (share + grounded + relevance) / 3
            told[key] = f"{told[key][:-1]}; borne out to {grounded:.2f}, on topic to {relevance:.2f}."
    values["overall_quality"] = sum(map(values.__getitem__, FITTED)) / len(FITTED)
    told["overall_quality"] = "The mean of " + ", ".join(FITTED) + "."
    findings: dict[str, Finding] = {}
    for key, value in values.items():
        findings[key] = Finding(clip(value), told[key])
    return findings


FITTED = ("cogency", "effectiveness", "reasonableness")
